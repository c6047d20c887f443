// Ids that are numbers past 2^53: two that differ are two, although one double stands for both.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acp } from '../dialects/acp/index.ts'
import { avenor } from '../dialects/avenor/index.ts'
import { codex } from '../dialects/codex/index.ts'
import type { Dialect } from '../dialects/contract.ts'
import { createValidator } from './validate.ts'

const [a, b] = ['9007199254740993', '9007199254740992']

function codes(dialect: Dialect, lines: readonly string[], repair?: (text: string) => void): string[] {
  const found: string[] = []
  const validator = createValidator(dialect, ({ code }) => void found.push(code), { repair })
  validator.push(Buffer.from(lines.map((line) => `${line}\n`).join('')))
  validator.end()
  return found
}

test('acp: two requests with long ids are open at once, and an answer to neither is blamed', () => {
  const rpc = (from: string, message: string): string => `{"t":1,"from":"${from}","message":{"jsonrpc":"2.0",${message}}}`
  const begin = [
    rpc('host', '"id":0,"method":"initialize","params":{"protocolVersion":1}'),
    rpc('agent', '"id":0,"result":{"protocolVersion":1}'),
    rpc('host', '"id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}'),
    rpc('agent', '"id":1,"result":{"sessionId":"s"}'),
  ]
  const ask = (id: string): string => rpc('agent', `"id":${id},"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a"}`)
  const answer = (id: string): string => rpc('host', `"id":${id},"result":{"content":"x"}`)
  assert.deepEqual(codes(acp, [...begin, ask(a), ask(b), answer(b), answer(a)]), [])
  assert.deepEqual(codes(acp, [...begin, ask(a), answer(b)]), ['unknown-request'])
  assert.deepEqual(codes(acp, [...begin, ask(a), ask(a)]), ['id-reuse'])
})

test('codex: the request that is resolved is the one that was asked', () => {
  const ask = `{"id":${a},"method":"item/fileChange/requestApproval","params":{"threadId":"t","turnId":"1","itemId":"c"}}`
  const resolved = (id: string): string => `{"method":"serverRequest/resolved","params":{"threadId":"t","requestId":${id}}}`
  assert.deepEqual(codes(codex, [ask, resolved(a)]), [])
  assert.deepEqual(codes(codex, [ask, resolved(b)]), ['request-first'])
  assert.deepEqual(
    codes(codex, [ask, resolved(b)], () => {}),
    ['request-first'],
  )
})

test('avenor: a response is to the request that is open', () => {
  const start = '{"event":"session.start","session_id":"s","backend":"x","ts":1}'
  const ask = `{"event":"permission.request","session_id":"s","request_id":${a},"options":[],"ts":2}`
  const answer = (id: string): string =>
    `{"event":"permission.response","session_id":"s","request_id":${id},"kind":"allow","source":"control","ts":3}`
  const end = '{"event":"session.end","session_id":"s","stop_reason":"end_turn","ts":4}'
  assert.deepEqual(codes(avenor, [start, ask, answer(a), end]), [])
  assert.deepEqual(codes(avenor, [start, ask, answer(b), end]), ['request-first', 'request-answered'])
})
