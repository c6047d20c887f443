// A small program of ours between us and opencode's server, which speaks HTTP: it starts the server, writes the server's events to its
// output line by line, and makes the requests that come as lines on its input. It needs nothing outside its own text, for it runs alone.

/** A request, and its answer; all other lines are events. `status` 0: there was no answer. */
export type BridgeRequest = { id: number; method: 'GET' | 'POST' | 'PATCH'; path: string; body?: unknown }

/** `node -e SOURCE PROGRAM ARGUMENT…` */
export const bridgeSource = (): string => `(${bridge.toString()})()`

function bridge(): void {
  const { spawn } = process.getBuiltinModule('node:child_process')
  const { request } = process.getBuiltinModule('node:http')
  const { createInterface } = process.getBuiltinModule('node:readline')
  const { randomBytes } = process.getBuiltinModule('node:crypto')

  const [file = '', ...args] = process.argv.slice(1)
  const password = process.env['OPENCODE_SERVER_PASSWORD'] ?? randomBytes(18).toString('hex')
  const user = process.env['OPENCODE_SERVER_USERNAME'] ?? 'opencode'
  const headers = {
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    'content-type': 'application/json',
  }
  const server = spawn(file, args, {
    env: { ...process.env, OPENCODE_SERVER_PASSWORD: password },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let isLeaving = false
  let waiting: string[] | undefined = []
  let base = ''

  const say = (record: object): void => void process.stdout.write(`${JSON.stringify(record)}\n`)

  function make(line: string): void {
    const { id, method, path, body } = JSON.parse(line) as BridgeRequest
    const made = request(`${base}${path}`, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => (text += piece))
      response.on('end', () => say({ reply: id, status: response.statusCode ?? 0, body: parsed(text) }))
    })
    made.on('error', (error) => say({ reply: id, status: 0, body: error.message }))
    made.end(body === undefined ? undefined : JSON.stringify(body))
  }

  function parsed(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }

  /** Without events nobody knows what goes on. */
  function broken({ message }: Error): void {
    if (isLeaving) return
    process.stderr.write(`the stream of events broke off: ${message}\n`)
    leave(1)
  }

  /** Requests wait until events come, so that none is missed. */
  function listen(): void {
    const events = request(`${base}/event`, { headers }, (response) => {
      const lines = createInterface({ input: response })
      lines.on('error', broken)
      lines.on('close', () => broken(new Error('the server ended it')))
      lines.on('line', (line) => {
        if (!line.startsWith('data:')) return
        process.stdout.write(`${line.slice(5).trim()}\n`)
        const held = waiting ?? []
        waiting = undefined
        for (const one of held) make(one)
      })
    })
    events.on('error', broken)
    events.end()
  }

  function leave(code: number): void {
    isLeaving = true
    process.exitCode = code
    server.kill('SIGTERM')
    setTimeout(() => server.kill('SIGKILL'), 1000)
  }

  createInterface({ input: server.stdout }).on('line', (line) => {
    const address = base === '' ? /listening on (http:\/\/\S+)/.exec(line)?.[1] : undefined
    if (address === undefined) return void process.stderr.write(`${line}\n`)
    base = address
    listen()
  })
  server.on('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(127)
  })
  server.on('exit', (code, signal) => {
    if (signal !== null && !isLeaving) process.stderr.write(`the server was ended by ${signal}\n`)
    if (!isLeaving) process.exitCode = code || 1 // it never leaves by itself
    process.exit()
  })
  const input = createInterface({ input: process.stdin })
  input.on('line', (line) => (waiting === undefined ? make(line) : waiting.push(line)))
  input.on('close', () => leave(0))
}
