import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { suite, test } from 'node:test'
import { askedIn } from './door.ts'
import { leadsTo, targetOf, type Upstream } from './record-upstream.ts'

type Headers = Record<string, string>
const asked = (url: string) => askedIn({ url, headers: { host: 'localhost' } } as IncomingMessage)
const target = (url: string, headers: Headers = {}, upstream?: Upstream): string | undefined => {
  const to = targetOf(asked(url), headers, upstream)
  return to && `${to.provider} ${to.url}`
}

suite('where a request goes', () => {
  test('to the provider whose API it speaks, with its path and query as they are', () => {
    assert.equal(target('/v1/messages?beta=true'), 'anthropic https://api.anthropic.com/v1/messages?beta=true')
    assert.equal(target('/v1/messages/count_tokens'), 'anthropic https://api.anthropic.com/v1/messages/count_tokens')
    assert.equal(target('/v1/responses'), 'openai https://api.openai.com/v1/responses')
    assert.equal(target('/v1/chat/completions'), 'openai https://api.openai.com/v1/chat/completions')
    const path = '/v1alpha/models/gemini-x:streamGenerateContent?alt=sse&key=a%20b'
    assert.equal(target(path), `google https://generativelanguage.googleapis.com${path}`)
  })

  test('what has no path of its own goes by its key, and nowhere without one', () => {
    assert.equal(target('/v1/models', { 'x-api-key': 'k' }), 'anthropic https://api.anthropic.com/v1/models')
    assert.equal(target('/v1/models', { authorization: 'b', 'anthropic-version': '1' }), 'anthropic https://api.anthropic.com/v1/models')
    assert.equal(target('/v1/models', { authorization: 'Bearer k' }), 'openai https://api.openai.com/v1/models')
    assert.equal(target('/v1beta/models'), 'google https://generativelanguage.googleapis.com/v1beta/models')
    assert.equal(target('/api/log', { 'x-goog-api-key': 'k' }), 'google https://generativelanguage.googleapis.com/api/log')
    assert.equal(target('/api/log', { authorization: 'Bearer k' }), undefined)
    assert.equal(target('/v1/models'), undefined)
    assert.equal(target('/'), undefined)
  })

  test('to the upstream that was named; a version at its end counts', () => {
    const to = (url: string, provider?: string): Upstream => ({ url: new URL(url), provider })
    assert.equal(target('/v1/messages', {}, to('http://h:1')), 'anthropic http://h:1/v1/messages')
    assert.equal(target('/v1/messages', {}, to('https://h/gate/')), 'anthropic https://h/gate/v1/messages')
    assert.equal(target('/v1/chat/completions?a=1', {}, to('https://h/api/v4')), 'openai-compatible https://h/api/v4/chat/completions?a=1')
    assert.equal(target('/v1/chat/completions', {}, to('http://h/v1', 'ollama')), 'ollama http://h/v1/chat/completions')
    assert.equal(target('/chat/completions', {}, to('http://h')), 'openai-compatible http://h/chat/completions')
    assert.equal(target('/anything', {}, to('http://h')), 'unknown http://h/anything')
  })

  test('never to another host, whatever the path', () => {
    for (const path of ['//evil.example/v1/messages', '/\\evil.example/v1/messages', 'http://evil.example/v1/messages', '/../..//evil'])
      assert.match(target(path, { 'x-api-key': 'k' }) ?? '', /^anthropic https:\/\/api\.anthropic\.com\//, path)
  })
})

test('an upstream that is the recorder itself is known by any name', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', '127.1', '0'])
    assert.equal(await leadsTo(new URL(`http://${host}:${port}/v1`), port), true, host)
  assert.equal(await leadsTo(new URL(`http://127.0.0.1:${port === 65_535 ? 1 : port + 1}`), port), false)
  assert.equal(await leadsTo(new URL('https://127.0.0.1'), 443), true)
  assert.equal(await leadsTo(new URL(`http://192.0.2.1:${port}`), port), false)
  assert.equal(await leadsTo(new URL(`http://none.invalid:${port}`), port), false)
})
