import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { portOf, scripted, settled } from '../../test/scripted.ts'

const messages = [{ role: 'user', content: 'hi' }]
const apis: [path: string, body: object][] = [
  ['/v1/messages', { model: 'm', messages }],
  ['/v1/responses', { model: 'm', input: 'hi' }],
  ['/v1/chat/completions', { model: 'm', messages }],
  ['/v1beta/models/m:generateContent', { contents: [{ parts: [{ text: 'hi' }] }] }],
]

/** The status line of the answer to a request with this Host header, or with none. */
async function withHost(server: { url: string }, host: string | undefined): Promise<string | undefined> {
  const socket = connect(portOf(server), '127.0.0.1')
  socket.write(`GET / HTTP/1.${host === undefined ? 0 : 1}\r\n${host === undefined ? '' : `host: ${host}\r\n`}connection: close\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return /^HTTP\/1\.1 (\d+)/.exec(answer.toString())?.[1]
}

suite('who is answered', () => {
  test('only the names of this machine', async (t) => {
    const server = await scripted(t, 'turns: [{text: a}]')
    for (const host of ['127.0.0.1', 'localhost:80', 'LOCALHOST', '[::1]:9']) assert.equal(await withHost(server, host), '200', host)
    for (const host of [
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil',
      '127.0.0.2',
      '',
      'a@localhost',
      '127.0.0.1:x',
      undefined,
    ])
      assert.equal(await withHost(server, host), '403', host)
  })

  test('only on loopback', async (t) => {
    const { url } = await scripted(t, 'turns: [{text: a}]')
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    await assert.rejects(fetch(url.replace('127.0.0.1', '127.0.0.2')))
  })
})

suite('what is refused has the form of the API', () => {
  const formOf: Record<string, (status: number, message: string) => unknown> = {
    '/v1/messages': (status, message) => ({
      type: 'error',
      error: { type: status === 404 ? 'not_found_error' : 'invalid_request_error', message },
    }),
    '/v1beta/models/m:generateContent': (status, message) => ({
      error: { code: status, message, status: status === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT' },
    }),
  }
  const ofOpenai = (status: number, message: string) => ({
    error: { message, type: 'invalid_request_error', param: null, code: status === 404 ? 'not_found' : null },
  })

  for (const [path] of apis) {
    const form = formOf[path] ?? ofOpenai
    test(`${path}: not JSON, no object, no messages, not a POST`, async (t) => {
      const { post, url } = await scripted(t, 'turns: [{text: a}]')
      const list = { '/v1/messages': 'messages', '/v1/responses': 'input', '/v1/chat/completions': 'messages' }[path] ?? 'contents'
      for (const [body, pattern] of [
        ['{"a":', /^the request is not JSON: /],
        ['', /^the request is not JSON: /],
        ['[1]', /^the request must be a JSON object$/],
        ['{}', new RegExp(`^${list}: a list is expected$`)],
      ] as const) {
        const response = await post(path, body)
        assert.equal(response.status, 400, body)
        const given = (await response.json()) as { error: { message: string } }
        assert.match(given.error.message, pattern)
        assert.deepEqual(given, form(400, given.error.message))
      }
      const got = await fetch(url + path)
      assert.equal(got.status, 405)
      assert.equal(got.headers.get('allow'), 'POST')
      assert.deepEqual(await got.json(), form(405, `GET ${path}: only POST is answered here`))
    })
  }

  test('unknown paths', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: a}]')
    const missing = async (path: string, headers = {}) => {
      const response = await post(path, {}, headers)
      assert.equal(response.status, 404)
      return response.json()
    }
    assert.deepEqual(await missing('/v1/embeddings'), ofOpenai(404, 'POST /v1/embeddings: there is nothing here'))
    const ofAnthropic = formOf['/v1/messages']!(404, 'POST /v1/files: there is nothing here')
    assert.deepEqual(await missing('/v1/files', { 'anthropic-version': '2023-06-01' }), ofAnthropic)
    const ofGemini = formOf['/v1beta/models/m:generateContent']!(404, 'POST /v1beta/files: there is nothing here')
    assert.deepEqual(await missing('/v1beta/files'), ofGemini)
  })

  test('a request that is too large', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: a}]')
    const response = await post('/v1/messages', `"${'x'.repeat(64 * 2 ** 20)}"`)
    assert.equal(response.status, 413)
    assert.deepEqual(await response.json(), {
      type: 'error',
      error: { type: 'request_too_large', message: 'the request is larger than 67108864 bytes' },
    })
  })
})

suite('what agents ask at their start', () => {
  test('models, for each API', async (t) => {
    const { url } = await scripted(t, 'model: anthropic/claude-x\nturns: [{text: a}]')
    const get = async (path: string) => (await fetch(url + path)).json()
    const list = (await get('/v1/models')) as { object: string; data: { id: string; object: string; type: string }[] }
    assert.equal(list.object, 'list')
    assert.deepEqual(
      list.data.map(({ id, object, type }) => [id, object, type]),
      [['claude-x', 'model', 'model']],
    )
    assert.equal(((await get('/v1/models/claude-x')) as { id: string }).id, 'claude-x')
    assert.deepEqual(
      ((await get('/v1beta/models')) as { models: { name: string }[] }).models.map(({ name }) => name),
      ['models/claude-x'],
    )
    assert.equal(((await get('/v1beta/models/claude-x')) as { name: string }).name, 'models/claude-x')
  })

  test('whether someone is there', async (t) => {
    const { url } = await scripted(t, 'turns: [{text: a}]')
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 200)
    assert.deepEqual(await (await fetch(url)).json(), { name: 'sluice model' })
  })

  test('the answers name the model of the script', async (t) => {
    const { post } = await scripted(t, 'model: anthropic/claude-x/y\nturns: [{text: a}]')
    for (const [path, body] of apis) assert.match(await (await post(path, body)).text(), /"(model|modelVersion)":"claude-x\/y"/)
  })
})

suite('connections', () => {
  test('many at once are all answered, each with its own conversation', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: zero, chunk: 1, delay: 1}, {text: one}, {text: two}]')
    const ask = async (index: number): Promise<void> => {
      const answers = index % 3
      const list = [...messages, ...Array.from({ length: answers }, () => [{ role: 'assistant', content: 'x' }, ...messages]).flat()]
      const response = await post('/v1/messages', { model: 'm', messages: list, stream: index % 2 === 0 })
      const said = (await response.text()).replaceAll(/[^]*?"text(?:_delta","text)?":"(\w*)"|[^]/g, '$1')
      assert.equal(said, ['zero', 'one', 'two'][answers])
    }
    await Promise.all(Array.from({ length: 300 }, (_, index) => ask(index)))
  })

  test('closing ends what is under way', async (t) => {
    const server = await scripted(t, 'turns: [{text: abc, chunk: 1, delay: 30s}]')
    const response = await server.post('/v1/messages', { model: 'm', messages, stream: true })
    await server.close()
    await assert.rejects(response.text())
    await assert.rejects(fetch(server.url))
  })
})

suite('the log', () => {
  test('tells of each request, without headers and keys', async (t) => {
    const server = await scripted(t, 'turns: [{text: a}, {error: {status: 429}}, {text: abcd, cut: true}]')
    const key = 'sk-secret-123'
    const headers = { 'x-api-key': key, authorization: `Bearer ${key}`, 'user-agent': 'tester/1' }
    const ask = { model: 'm', messages }
    await (await server.post('/v1/messages', ask, headers)).text()
    await (await server.post(`/v1beta/models/m:countTokens?key=${key}`, { contents: [] }, headers)).text()
    const later = { ...ask, messages: [...messages, { role: 'assistant', content: 'a' }, ...messages] }
    await (await server.post('/v1/messages', later, headers)).text()
    const last = { ...ask, messages: [...later.messages, { role: 'assistant', content: 'b' }, ...messages], stream: true }
    await assert.rejects((await server.post('/v1/messages', last, headers)).text())
    await settled(server, 4)
    assert.ok(!JSON.stringify(server.entries).includes(key))
    const common = { at: 1_700_000_000_000, method: 'POST', path: '/v1/messages', api: 'anthropic', agent: 'tester/1', lane: 'main' }
    assert.deepEqual(server.entries, [
      { ...common, status: 200, end: 'whole', turn: 1, answers: 0, stream: false, body: ask },
      {
        at: common.at,
        method: 'POST',
        path: '/v1beta/models/m:countTokens',
        api: 'gemini',
        status: 200,
        end: 'whole',
        body: { contents: [] },
      },
      { ...common, status: 429, end: 'whole', turn: 2, answers: 1, stream: false, body: later },
      { ...common, status: 200, end: 'cut', turn: 3, answers: 2, stream: true, body: last },
    ])
  })
})
