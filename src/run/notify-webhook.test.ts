import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createRawServer, type Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { createWebhook, WebhookError, webhookOf, type WebhookTimes } from './notify-webhook.ts'

const never = new AbortController().signal
const quick: WebhookTimes = { timeoutMs: 300, pausesMs: [1, 2, 4], longestPauseMs: 60 }
type Request = { method: string | undefined; headers: IncomingHttpHeaders; body: string; at: number }
type Answer = (response: ServerResponse, count: number) => void

async function listening(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=hidden`
}

/** A receiver that keeps what it got and answers as it is told. */
async function receiver(t: TestContext, answer: Answer): Promise<{ url: string; got: Request[] }> {
  const got: Request[] = []
  const server = createServer((request: IncomingMessage, response) => {
    void text(request).then((body) => {
      got.push({ method: request.method, headers: request.headers, body, at: Date.now() })
      answer(response, got.length)
    })
  })
  t.after(() => server.closeAllConnections())
  return { url: await listening(t, server), got }
}
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end('thanks')
const send = (url: string, body = '{"a":1}', times = quick, env = {}): Promise<string | undefined> =>
  createWebhook(webhookOf(url, env), times)(body, never)

test('a message is posted as JSON, with an id and no signature unless there is a secret', async (t) => {
  const { url, got } = await receiver(t, status(204))
  const body = '{"text":"ü → \\n"}'
  assert.equal(await send(url, body), undefined)
  const [{ method, headers, body: came } = assert.fail()] = got
  assert.deepEqual([method, came, headers['content-type']], ['POST', body, 'application/json'])
  assert.match(headers['sluice-delivery'] as string, /^[0-9a-f-]{36}$/)
  assert.equal(headers['sluice-signature'], undefined)
})

test('with a secret the body is signed as it is sent', async (t) => {
  const { url, got } = await receiver(t, status(200))
  await send(url, '{"text":"ü"}', quick, { SLUICE_WEBHOOK_SECRET: 'open sesame' })
  const expected = createHmac('sha256', 'open sesame').update(Buffer.from(got[0]!.body)).digest('hex')
  assert.equal(got[0]!.headers['sluice-signature'], `sha256=${expected}`)
  assert.ok(!JSON.stringify(got).includes('sesame'))
})

test('a receiver in trouble is tried again, and knows the message by its id', async (t) => {
  for (const code of [408, 429, 500, 503]) {
    const { url, got } = await receiver(t, (response, count) => status(count < 3 ? code : 200)(response, count))
    assert.equal(await send(url), undefined)
    assert.equal(got.length, 3, String(code))
    assert.equal(new Set(got.map(({ headers }) => headers['sluice-delivery'])).size, 1)
    await send(url)
    assert.notEqual(got[3]!.headers['sluice-delivery'], got[0]!.headers['sluice-delivery'])
  }
})

test('four times are enough, and a refusal is not tried again', async (t) => {
  const busy = await receiver(t, status(503))
  assert.match((await send(busy.url))!, /^127\.0\.0\.1:\d+ answered 503$/)
  assert.equal(busy.got.length, 4)
  for (const code of [400, 401, 404, 409]) {
    const firm = await receiver(t, status(code))
    assert.match((await send(firm.url))!, new RegExp(`answered ${code}$`))
    assert.equal(firm.got.length, 1)
  }
})

test('a receiver may ask for a longer pause, up to a bound', async (t) => {
  const { url, got } = await receiver(t, (response, count) => status(count === 1 ? 429 : 200, { 'retry-after': '9999' })(response, count))
  assert.equal(await send(url), undefined)
  assert.ok(got[1]!.at - got[0]!.at >= 55)
  const date = await receiver(t, (response, count) =>
    status(count === 1 ? 503 : 200, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() })(response, count),
  )
  assert.equal(await send(date.url), undefined)
  assert.ok(date.got[1]!.at - date.got[0]!.at >= 55)
})

test('a redirect is not followed, wherever it leads', async (t) => {
  const other = await receiver(t, status(200))
  for (const location of [other.url, 'file:///etc/passwd', 'http://127.0.0.1:1/'])
    for (const code of [301, 302, 307, 308]) {
      const { url, got } = await receiver(t, status(code, { location }))
      assert.match((await send(url))!, new RegExp(`redirects \\(${code}\\), which is not followed`))
      assert.equal(got.length, 1)
    }
  assert.equal(other.got.length, 0)
})

test('one that never answers is given up', async (t) => {
  const { url, got } = await receiver(t, () => {})
  assert.match((await send(url, '{}', { ...quick, timeoutMs: 40 }))!, /gave no answer within 40ms$/)
  assert.equal(got.length, 4)
})

test('an endless answer is left unread', async (t) => {
  let sent = 0
  const flood = await receiver(t, (response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(1 << 16)
    const more = (): void => {
      while (!response.destroyed && sent < 1 << 30 && response.write(chunk)) sent += chunk.length
    }
    response.on('drain', more)
    more()
  })
  const began = performance.now()
  assert.equal(await send(flood.url), undefined)
  assert.ok(performance.now() - began < 1000)
  assert.ok(sent < 64 << 20)
  const drip = await receiver(t, (response) => void response.writeHead(200).write('a'))
  assert.equal(await send(drip.url, '{}', { ...quick, timeoutMs: 5000 }), undefined, 'a status is an answer')
})

test('one that hangs up, speaks nonsense, or is not there, cannot be reached', async (t) => {
  const words = ['', 'nonsense\r\n\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n']
  for (const word of words) {
    let count = 0
    const url = await listening(
      t,
      createRawServer((socket) => {
        count++
        socket.on('error', () => {}).once('data', () => socket.end(word))
      }),
    )
    const why = (await send(url))!
    assert.match(why, /^127\.0\.0\.1:\d+ cannot be reached \([\w ]+\)$/)
    assert.doesNotMatch(why, /hidden|hook/)
    assert.equal(count, 4)
  }
  const refused = '127.0.0.1:1 has a port that is kept for another protocol: let it listen on another one'
  assert.equal(await send('http://127.0.0.1:1/secret-path', '{}'), refused)
})

test('a name and a password go into a header, and never into words', async (t) => {
  const { url, got } = await receiver(t, status(418))
  const why = await send(url.replace('http://', 'http://me:p%40ss@'))
  assert.equal(got[0]!.headers.authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`)
  assert.doesNotMatch(why!, /me:|ss@|p%40ss|hidden|token/)
})

test('the end of the run ends tries and pauses, and what was wrong before is told', async (t) => {
  const { url } = await receiver(t, () => {})
  const slow: WebhookTimes = { timeoutMs: 60_000, pausesMs: [60_000], longestPauseMs: 60_000 }
  const busy = await receiver(t, status(503))
  const server = createRawServer()
  const closed = await listening(t, server)
  await new Promise((resolve) => server.close(resolve))
  for (const [address, why] of [
    [url, ''],
    [busy.url, ': it answered 503'],
    [closed, ': it cannot be reached (ECONNREFUSED)'],
  ] as const) {
    const stop = new AbortController()
    const sending = createWebhook(webhookOf(address, {}), slow)('{}', stop.signal)
    setTimeout(() => stop.abort(), 500)
    assert.equal(await sending, `the run was over before ${new URL(address).host} took the message${why}`)
  }
})

test('an address must be one of the web', () => {
  for (const address of ['', 'nonsense', 'file:///etc/passwd', 'ftp://me:secret@host/', 'javascript:alert(1)', 'unix:/run/x.sock'])
    assert.throws(
      () => webhookOf(address, {}),
      (error) => error instanceof WebhookError && !/secret|passwd|alert/.test(error.message),
    )
})
