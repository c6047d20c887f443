import { test, type TestContext } from 'node:test'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { createMcpHandler, fromJsonSchema, McpServer, type McpHttpHandler } from '@modelcontextprotocol/server'
import { call, connect } from '../../../../test/mcp-calls.ts'

async function listen(
  t: TestContext,
  listener: RequestListener,
  port = 0,
): Promise<{ url: string; port: number; server: Server; stop(): void }> {
  const server = createServer(listener).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const stop = (): void => {
    server.close()
    server.closeAllConnections()
  }
  t.after(stop)
  const at = (server.address() as AddressInfo).port
  return { url: `http://127.0.0.1:${at}/mcp`, port: at, server, stop }
}

const textOf = async (stream: Readable): Promise<string> => Buffer.concat(await stream.toArray()).toString()

/** The SDK's own server behind node:http. */
function sdkListener(
  legacy: 'stateless' | 'reject',
  seen: string[] = [],
): { listener: RequestListener; handler: McpHttpHandler; add(): void } {
  let more = false
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'remote', version: '1' }, { capabilities: { tools: { listChanged: true } } })
      const inputSchema = fromJsonSchema<{ text: string }>({ type: 'object', properties: { text: { type: 'string' } } })
      server.registerTool('echo', { inputSchema }, ({ text }) => ({ content: [{ type: 'text', text: `echo: ${text}` }] }))
      if (more) server.registerTool('added', { inputSchema }, () => ({ content: [] }))
      return server
    },
    { legacy },
  )
  const listener: RequestListener = (request, response) => {
    void (async () => {
      seen.push(`${request.method} ${String(request.headers['x-token'])}`)
      const body = request.method === 'POST' ? await textOf(request) : undefined
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
      const web = new Request(`http://127.0.0.1${request.url}`, { method: request.method ?? 'GET', headers, body: body ?? null })
      const answer = await handler.fetch(web)
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body === null) response.end()
      else
        Readable.fromWeb(answer.body as never)
          .on('error', () => {})
          .pipe(response)
    })()
  }
  return { listener, handler, add: () => void (more = true) }
}

const results: Record<string, unknown> = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } },
  'tools/list': {
    tools: [
      { name: 'echo', inputSchema: { type: 'object' } },
      { name: 'die', inputSchema: { type: 'object' } },
    ],
  },
}
type Message = { id?: number; method: string; params?: { name?: string; arguments?: { text?: string } } }
function answerTo({ id, method, params }: Message): object {
  if (method === 'server/discover') return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }
  const result = results[method] ?? { content: [{ type: 'text', text: `echo: ${params?.arguments?.text}` }] }
  return { jsonrpc: '2.0', id, result }
}

/** An older server by hand: it has sessions, forgets them when told to, and its tool `die` cuts the answer off. */
function oldListener(): { listener: RequestListener; forget(): void } {
  let session = 0
  const listener: RequestListener = (request, response) => {
    void (async () => {
      if (request.method !== 'POST') return response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
      const message = JSON.parse(await textOf(request)) as Message
      if (message.method === 'initialize') response.setHeader('mcp-session-id', `s${++session}`)
      else if (message.method !== 'server/discover' && request.headers['mcp-session-id'] !== `s${session}`)
        return response.writeHead(404).end('Session not found')
      if (message.id === undefined) return response.writeHead(202).end()
      if (message.params?.name === 'die') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': working\n\n')
        return setTimeout(() => response.destroy(), 30)
      }
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerTo(message)))
    })()
  }
  return { listener, forget: () => void session++ }
}

/** The oldest kind: one long stream of events, and posts beside it. */
function sseListener(): { listener: RequestListener; drop(): void } {
  let stream: ServerResponse | undefined
  const listener: RequestListener = (request, response) => {
    void (async () => {
      if (request.method === 'GET') {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
        stream.write('event: endpoint\ndata: /post\n\n')
        return
      }
      if (request.url !== '/post') return response.writeHead(405).end('use GET')
      const message = JSON.parse(await textOf(request)) as Message
      response.writeHead(202).end()
      if (message.params?.name === 'die') return stream?.destroy()
      if (message.id !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify(answerTo(message))}\n\n`)
    })()
  }
  return { listener, drop: () => stream?.destroy() }
}

for (const legacy of ['stateless', 'reject'] as const)
  test(`a server that speaks the present protocol is used over HTTP (older clients: ${legacy})`, async (t) => {
    const seen: string[] = []
    const { listener, handler, add } = sdkListener(legacy, seen)
    t.after(() => handler.close())
    const { url } = await listen(t, listener)
    const session = await connect(t, { s: { url, headers: { 'X-Token': 'abc' } } })
    assert.deepEqual(session.status(), [{ name: 's', status: 'connected' }])
    assert.deepEqual(await call(session, 's_echo', { text: 'hello' }), { text: 'echo: hello' })
    assert.ok(seen.length > 2 && seen.every((line) => line.endsWith(' abc')))
    add()
    handler.notify.toolsChanged()
    for (let waited = 0; session.tools().length < 2 && waited < 3000; waited += 10) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.deepEqual(
      session.tools().map(({ name }) => name),
      ['s_echo', 's_added'],
    )
  })

test('an older server with sessions is used, and a forgotten session is opened again', async (t) => {
  const { listener, forget } = oldListener()
  const { url } = await listen(t, listener)
  const session = await connect(t, { s: { url } })
  assert.deepEqual(await call(session, 's_echo', { text: 'one' }), { text: 'echo: one' })
  forget()
  assert.deepEqual(await call(session, 's_echo', { text: 'two' }), { text: 'echo: two' })
  assert.equal(session.status()[0]?.status, 'connected')
})

test('an answer that breaks off fails the call at once, and the next call connects again', async (t) => {
  const { url } = await listen(t, oldListener().listener)
  const session = await connect(t, { s: { url } })
  const broken = await call(session, 's_die')
  assert.equal(broken.failed, true)
  assert.match(broken.text, /The MCP server "s" failed during the call: the server has gone: terminated/)
  assert.deepEqual(await call(session, 's_echo', { text: 'back' }), { text: 'echo: back' })
})

test('SSE is used where streamable HTTP is not spoken, or when it is asked for', async (t) => {
  const both = [sseListener(), sseListener()] as const
  const [first, second] = await Promise.all(both.map(({ listener }) => listen(t, listener)))
  const session = await connect(t, { found: { url: first!.url }, asked: { url: second!.url, type: 'sse' } })
  assert.deepEqual(await call(session, 'found_echo', { text: 'a' }), { text: 'echo: a' })
  assert.deepEqual(await call(session, 'asked_echo', { text: 'b' }), { text: 'echo: b' })
  const broken = await call(session, 'found_die')
  assert.match(broken.text, /The MCP server "found" failed during the call/)
  assert.deepEqual(await call(session, 'found_echo', { text: 'again' }), { text: 'echo: again' })
})

test('servers that refuse, hang, are not there or answer nonsense are told apart', async (t) => {
  const refusing = await listen(t, (_, response) => void response.writeHead(401).end('no key'))
  const hanging = await listen(t, () => {})
  const nonsense = await listen(t, (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
  const gone = await listen(t, () => {})
  gone.stop()
  const begun = performance.now()
  const session = await connect(
    t,
    {
      refusing: { url: refusing.url, headers: { Authorization: 'Bearer very-secret-token' } },
      hanging: { url: hanging.url },
      nonsense: { url: nonsense.url },
      gone: { url: gone.url },
      none: { url: 'not an address' },
    },
    { limitMs: 1500 },
  )
  assert.ok(performance.now() - begun < 6000)
  const status = Object.fromEntries(session.status().map((one) => [one.name, one]))
  assert.equal(status['refusing']?.status, 'failed')
  assert.match(status['refusing']?.error ?? '', /401/)
  assert.equal(status['hanging']?.status, 'timeout')
  assert.equal(status['nonsense']?.status, 'failed')
  assert.match(status['gone']?.error ?? '', /ECONNREFUSED/)
  assert.match(status['none']?.error ?? '', /Invalid URL/)
})
