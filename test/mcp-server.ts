// A small MCP server on stdio, written by hand so that it can misbehave: each word on its command line is one way to do so.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const ways = new Set(process.argv.slice(2))
const wayOf = (name: string): string | undefined => [...ways].find((way) => way.startsWith(`${name}=`))?.slice(name.length + 1)
const log = wayOf('log')
const note = (line: string): void => void (log !== undefined && appendFileSync(log, `${line}\n`))
const send = (message: Record<string, unknown>): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const schema = { type: 'object', properties: { text: { type: 'string' } } }

note(`pid ${process.pid}`)
if (ways.has('stubborn')) {
  process.on('SIGTERM', () => note('term'))
  setInterval(() => {}, 1000)
}
if (ways.has('noisy')) process.stdout.write('starting up…\n{"half": \n[1,2]\nnull\n"text"\n')
if (ways.has('fail')) {
  process.stderr.write('cannot read the configuration, token is s3cret-token-value\n')
  process.exit(3)
}

let changed = false
const nested = (depth: number): Record<string, unknown> => (depth === 0 ? {} : { a: { properties: nested(depth - 1) } })
const tool = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({ name, inputSchema: schema, ...more })
function listed(cursor: string | undefined): Record<string, unknown> {
  if (ways.has('many')) return { tools: Array.from({ length: 10_000 }, (_, at) => tool(`tool-${at}`)) }
  if (ways.has('endless')) return { tools: [tool(`page-${cursor ?? 0}`)], nextCursor: String(Number(cursor ?? 0) + 1) }
  if (ways.has('circle')) return { tools: [tool(`page-${cursor ?? 'a'}`)], nextCursor: cursor === 'b' ? 'c' : 'b' }
  if (ways.has('hostile'))
    return {
      tools: [
        tool('a\u001b[31m b/c', { description: `\u202edo\u0000 this\n${'x'.repeat(100_000)}` }),
        tool('n'.repeat(200)),
        tool(`${'n'.repeat(199)}m`),
        tool('a?b'),
        tool('a!b'),
        tool('twice'),
        tool('twice'),
        tool('text', { inputSchema: 'no schema' }),
        tool('list', { inputSchema: { type: 'array' } }),
        tool('huge', { inputSchema: { type: 'object', description: 'y'.repeat(200_000) } }),
        tool('needs', { inputSchema: { type: 'object', required: 'text' } }),
        tool('words', { inputSchema: { type: 'object', properties: { a: { enum: 5 } } } }),
        tool('parts', { inputSchema: { type: 'object', properties: { a: 'text' } } }),
        tool('deep', { inputSchema: { type: 'object', properties: nested(60) } }),
        tool('bare', { inputSchema: {} }),
        7,
        { inputSchema: schema },
      ],
    }
  const first = [
    tool('echo', { description: 'Says it again.', annotations: { readOnlyHint: true } }),
    ...['fail', 'picture', 'slow', 'hang', 'crash', 'environment', 'change', 'big', 'strange', 'parts'].map((name) => tool(name)),
  ]
  if (cursor === undefined) return { tools: first, nextCursor: 'two' }
  return { tools: [tool('last'), ...(changed ? [tool('added')] : [])] }
}

const said = (text: string): Record<string, unknown> => ({ content: [{ type: 'text', text }] })
const later = new Map<unknown, NodeJS.Timeout>()
function call(id: unknown, params: Record<string, unknown>): void {
  const { text } = (params['arguments'] ?? {}) as { text?: string }
  const { progressToken } = (params['_meta'] ?? {}) as { progressToken?: unknown }
  const answer = (result: Record<string, unknown>): void => send({ id, result })
  switch (params['name']) {
    case 'fail':
      return answer({ ...said('there is no such thing'), isError: true })
    case 'picture':
      return answer({ content: [{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }], structuredContent: { width: 1 } })
    case 'parts':
      return answer({
        content: [
          { type: 'text', text: 'one' },
          { type: 'resource_link', uri: 'file:///tmp/a', name: 'a', description: 'a file' },
          { type: 'resource', resource: { uri: 'file:///tmp/b', text: 'two' } },
          { type: 'resource', resource: { uri: 'file:///tmp/c', blob: 'aGk=', mimeType: 'application/pdf' } },
        ],
      })
    case 'slow': {
      let steps = 0
      const timer = setInterval(() => {
        send({ method: 'notifications/progress', params: { progressToken, progress: ++steps } })
        if (steps < 8) return
        clearInterval(timer)
        answer(said('done at last'))
      }, 350)
      return void later.set(id, timer)
    }
    case 'hang':
      return note('hanging')
    case 'crash':
      process.stderr.write('out of cheese\n')
      return process.exit(9)
    case 'environment':
      return answer(said(JSON.stringify(process.env)))
    case 'change':
      changed = true
      send({ method: 'notifications/tools/list_changed' })
      return answer(said('changed'))
    case 'big':
      return answer(said('b'.repeat(Number(text))))
    case 'strange':
      return answer({ content: [{ type: 'hologram' }] })
    default:
      return answer(said(`${String(params['name'])}: ${text ?? ''}`))
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line) as { id?: unknown; method?: string; params?: Record<string, unknown> }
  note(`${method}`)
  if (ways.has('hang')) return
  if (method === 'initialize')
    send({
      id,
      result: {
        protocolVersion: params['protocolVersion'],
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'test', version: '1' },
      },
    })
  else if (method === 'tools/list') send({ id, result: listed(params['cursor'] as string | undefined) })
  else if (method === 'tools/call') call(id, params)
  else if (method === 'notifications/cancelled') clearInterval(later.get(params['requestId']))
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'no such method' } })
})
