// The recorder between a client and a provider of the test's own: what each of the two sees, and what is heard of it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { suite, test, type TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { serveRecorder } from './record-server.ts'
import type { Answered } from './record.ts'

// Of nobody: made for this test, for localhost alone.
const certificate = `-----BEGIN CERTIFICATE-----
MIIBZzCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMLdLmrGqf7PX0cQ
chRvCiOd6EQly1b2tcFpZwmJFXJ0yvGSRhySJg+bEnPSMErcEUaHt27FezlrZ3od
LmllpkWjTjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8E
BTADAQH/MB0GA1UdDgQWBBTMaJsFzq3gRqYVUgk+Vjc/RhzUPDAKBggqhkjOPQQD
AgNIADBFAiBezkK5WNbGzxBvUi7gp9OkJLz+jik1VZZd4J81IAyTXQIhAKzOetiR
ygsvSMrvEYlAD8H4cX7mOThDzh93cFoKGnec
-----END CERTIFICATE-----`
const itsKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtVBZwAGFljrT4bfC
cI/VicfKODP4tih7XG7wYV2f6PuhRANCAATC3S5qxqn+z19HEHIUbwojnehEJctW
9rXBaWcJiRVydMrxkkYckiYPmxJz0jBK3BFGh7duxXs5a2d6HS5pZaZF
-----END PRIVATE KEY-----`

type Provider = (request: IncomingMessage, response: ServerResponse) => void
type Recorder = { url: string; answers: Answered[]; troubles: string[]; keys: string[]; close(): Promise<void> }

async function recorder(t: TestContext, provider: Provider | URL | undefined): Promise<Recorder> {
  const heard = { answers: [] as Answered[], troubles: [] as string[], keys: [] as string[] }
  const url = typeof provider === 'function' ? await serve(t, provider) : provider
  const server = await serveRecorder({
    port: 0,
    ...(url !== undefined && { upstream: { url, provider: undefined } }),
    onAnswer: (answered) => void heard.answers.push(answered),
    onKey: (key) => void heard.keys.push(key),
    onTrouble: (message) => void heard.troubles.push(message),
  })
  t.after(server.close)
  return { ...server, ...heard }
}

async function serve(t: TestContext, provider: Provider, secure = false): Promise<URL> {
  const server = secure ? createSecureServer({ cert: certificate, key: itsKey }, provider) : createServer(provider)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return new URL(`${secure ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

const question = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
const message = (text: string) => ({
  model: 'm-1',
  choices: [{ index: 0, message: { content: text }, finish_reason: 'stop' }],
})
const asking = { method: 'POST', body: JSON.stringify(question) }
const textsIn = ({ answers }: Recorder): unknown[] => answers.map(({ said, end }) => [said.text, end])
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

suite('what is passed on', () => {
  test('method, path, query, headers and body, as they came; the host is the provider’s, the connection its own', async (t) => {
    const seen: unknown[] = []
    const { url, keys } = await recorder(t, (incoming, response) => {
      const parts: Buffer[] = []
      incoming.on('data', (part: Buffer) => parts.push(part))
      incoming.on('end', () => {
        seen.push({ method: incoming.method, url: incoming.url, raw: incoming.rawHeaders, body: Buffer.concat(parts).toString('latin1') })
        response.end('{}')
      })
    })
    const body = Buffer.from([0, 255, 13, 10])
    const out = request(`${url}/v1/anything?a=%20b&key=secret-1`, {
      method: 'PUT',
      headers: {
        'X-Api-Key': 'secret-2',
        Authorization: 'Bearer secret-3',
        'X-Twice': ['1', '2'],
        Connection: 'X-Mine, close',
        'X-Mine': 'no',
        TE: 'trailers',
        Expect: '100-continue',
      },
    })
    out.end(body)
    await once(out, 'response')
    const [{ method, url: path, raw, body: sent }] = seen as [{ method: string; url: string; raw: string[]; body: string }]
    assert.deepEqual([method, path, sent], ['PUT', '/v1/anything?a=%20b&key=secret-1', body.toString('latin1')])
    const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${raw[index + 1]}`] : []))
    assert.deepEqual(pairs.slice(1), [
      'X-Api-Key: secret-2',
      'Authorization: Bearer secret-3',
      'X-Twice: 1',
      'X-Twice: 2',
      'content-length: 4',
      'Connection: close',
    ])
    assert.match(pairs[0]!, /^host: 127\.0\.0\.1:\d+$/)
    assert.ok(!pairs[0]!.endsWith(new URL(url).port))
    assert.deepEqual(keys.toSorted(), ['secret-1', 'secret-2', 'secret-3'])
  })

  test('status, headers and body of the answer, also of what is not recorded', async (t) => {
    const there = await recorder(t, ({ url }, response) => {
      if (url === '/v1/models')
        response.writeHead(302, 'Elsewhere', { location: 'https://example.org', 'set-cookie': ['a=1', 'b=2'] }).end()
      else response.writeHead(418, { 'x-request-id': 'r' }).end('{"error":{"message":"tea"}}')
    })
    const moved = await fetch(`${there.url}/v1/models`, { redirect: 'manual' })
    assert.deepEqual([moved.status, moved.statusText, moved.headers.get('location')], [302, 'Elsewhere', 'https://example.org'])
    assert.deepEqual(moved.headers.getSetCookie(), ['a=1', 'b=2'])
    const failed = await fetch(`${there.url}/v1/chat/completions`, asking)
    assert.deepEqual([failed.status, failed.headers.get('x-request-id'), await failed.text()], [418, 'r', '{"error":{"message":"tea"}}'])
    await until(() => there.answers.length === 1)
    assert.deepEqual(there.answers[0]?.said.failure, { status: 418, message: 'tea', retryAfter: undefined })
  })

  test('each piece at once: the client has the first before the provider makes the second', async (t) => {
    let more = (): void => {}
    const there = await recorder(t, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"delta":{"content":"one "}}]}\n\n')
      more = () => response.end('data: {"choices":[{"delta":{"content":"two"},"finish_reason":"stop"}]}\n\n')
    })
    const response = await fetch(`${there.url}/v1/chat/completions`, asking)
    const reader = response.body!.getReader()
    assert.match(Buffer.from((await reader.read()).value!).toString(), /one /)
    assert.equal(there.answers.length, 0)
    more()
    assert.match(Buffer.from((await reader.read()).value!).toString(), /two/)
    assert.equal((await reader.read()).done, true)
    await until(() => there.answers.length === 1)
    assert.deepEqual(textsIn(there), [['one two', 'whole']])
  })

  const packers = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }
  for (const [name, pack] of Object.entries(packers))
    test(`bodies in ${name}, both ways, untouched and yet understood`, async (t) => {
      const packed = Buffer.from(pack(JSON.stringify(message('squeezed'))))
      const there = await recorder(t, (_, response) => response.writeHead(200, { 'content-encoding': name }).end(packed))
      const out = request(`${there.url}/v1/chat/completions`, { method: 'POST', headers: { 'content-encoding': name } })
      out.end(pack(JSON.stringify(question)))
      const [response] = (await once(out, 'response')) as [IncomingMessage]
      const parts: Buffer[] = []
      for await (const part of response as AsyncIterable<Buffer>) parts.push(part)
      assert.deepEqual(Buffer.concat(parts), packed)
      assert.equal(response.headers['content-encoding'], name)
      await until(() => there.answers.length === 1)
      assert.deepEqual(textsIn(there), [['squeezed', 'whole']])
      assert.equal(there.answers[0]?.conversation.prompt, 'hi')
    })

  test('what is packed in an unknown way is passed on and told', async (t) => {
    const there = await recorder(t, (_, response) => response.writeHead(200, { 'content-encoding': 'exi' }).end('??'))
    assert.equal(await (await fetch(`${there.url}/v1/chat/completions`, asking)).text(), '??')
    await until(() => there.troubles.length === 1)
    assert.match(there.troubles[0]!, /^POST \/v1\/chat\/completions: this answer is not recorded: it is encoded as "exi"/)
  })
})

suite('what breaks', () => {
  test('an answer that the provider cuts is cut for the client, after all that came', async (t) => {
    const there = await recorder(t, (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      const packed = gzipSync(`data: {"choices":[{"delta":{"content":"ha"}}]}\n\n${' '.repeat(9)}`, { level: 0 })
      response.write(packed.subarray(0, -12), () => response.socket!.destroySoon())
    })
    const out = request(`${there.url}/v1/chat/completions`, { method: 'POST' })
    out.end(asking.body)
    const [response] = (await once(out, 'response')) as [IncomingMessage]
    let size = 0
    await assert.rejects(async () => {
      for await (const part of response as AsyncIterable<Buffer>) size += part.length
    }, /aborted/)
    assert.ok(size > 50)
    await until(() => there.answers.length === 1)
    assert.deepEqual(textsIn(there), [['ha', 'cut']])
    assert.equal(there.answers[0]?.said.finish, undefined)
  })

  test('a client that leaves is told to the provider, and what it had is heard', async (t) => {
    let left = false
    const there = await recorder(t, (_, response) => {
      response.on('close', () => (left = true))
      response.write('data: {"choices":[{"delta":{"content":"ha"}}]}\n\n')
    })
    const gone = new AbortController()
    const response = await fetch(`${there.url}/v1/chat/completions`, { ...asking, signal: gone.signal })
    await response.body!.getReader().read()
    gone.abort()
    await until(() => left && there.answers.length === 1)
    assert.deepEqual(textsIn(there), [['ha', 'left']])
    assert.deepEqual(there.troubles, [])
  })

  test('closing waits for what is under way, and hears it', async (t) => {
    const there = await recorder(t, (_, response) => void response.write('data: {"choices":[{"delta":{"content":"ha"}}]}\n\n'))
    const response = await fetch(`${there.url}/v1/chat/completions`, asking)
    const reader = response.body!.getReader()
    await reader.read()
    await Promise.all([there.close(), assert.rejects(reader.read())])
    assert.deepEqual(textsIn(there), [['ha', 'left']])
  })

  test('a provider that cannot be reached: refused in the words of the API, told, not recorded', async (t) => {
    const there = await recorder(t, new URL('http://127.0.0.1:1'))
    const response = await fetch(`${there.url}/v1/messages`, asking)
    assert.equal(response.status, 502)
    const { error } = (await response.json()) as { error: { message: string } }
    assert.match(error.message, /^http:\/\/127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/)
    assert.deepEqual(there.troubles, [error.message])
    assert.deepEqual(there.answers, [])
  })

  test('a conversation that the provider keeps cannot be recorded, and this is told', async (t) => {
    const there = await recorder(t, (_, response) => response.end('{"object":"response","status":"completed","output":[]}'))
    await fetch(`${there.url}/v1/responses`, { method: 'POST', body: '{"previous_response_id":"r","input":"hi"}' })
    await until(() => there.troubles.length === 1)
    assert.match(there.troubles[0]!, /not recorded: previous_response_id/)
  })
})

suite('who is served', () => {
  test('a foreign host is refused before anything is passed on', async (t) => {
    let asked = 0
    const { url } = await recorder(t, (_, response) => response.end(String(++asked)))
    const out = request(`${url}/v1/models`, { headers: { host: 'evil.example', authorization: 'Bearer k' } })
    out.end()
    const [response] = (await once(out, 'response')) as [IncomingMessage]
    assert.equal(response.statusCode, 403)
    assert.equal(asked, 0)
  })

  test('what is for nobody known is refused', async (t) => {
    const { url } = await recorder(t, undefined)
    const response = await fetch(`${url}/api/log`, { method: 'POST', headers: { authorization: 'Bearer k' } })
    assert.equal(response.status, 404)
    assert.match(await response.text(), /not clear which provider this is for; name it with --upstream/)
  })

  test('a certificate that nobody vouches for gets no key; a good one does, whatever the environment says', async (t) => {
    let asked = 0
    const upstream = await serve(t, (_, response) => (asked++, response.end(JSON.stringify(message('safe')))), true)
    const there = await recorder(t, upstream)
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    t.after(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'])
    const refused = await fetch(`${there.url}/v1/chat/completions`, asking)
    assert.equal(refused.status, 502)
    assert.match(await refused.text(), /cannot be reached: .*certificate/)
    assert.equal(asked, 0)
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, certificate])
    t.after(() => setDefaultCACertificates(before))
    assert.match(await (await fetch(`${there.url}/v1/chat/completions`, asking)).text(), /safe/)
    await until(() => there.answers.length === 1)
    assert.deepEqual(textsIn(there), [['safe', 'whole']])
  })
})
