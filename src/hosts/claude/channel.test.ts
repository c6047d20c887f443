// Questions to a host: its answers, its silence, its end.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Question } from '../../supervise/permission.ts'
import { createChannel, decisionOf } from './channel.ts'

function channelWith(onMode: (mode: unknown) => void = () => {}) {
  const lines: Record<string, unknown>[] = []
  const channel = createChannel({ line: (text) => void lines.push(JSON.parse(text)), flush() {} }, onMode, (error) =>
    assert.fail(String(error)),
  )
  return { channel, lines }
}
const question = (id: string, input: unknown): Question => ({ ask: { id, input } }) as Question // no more of it is looked at
const never = new AbortController().signal
const said = (body: Record<string, unknown>, input: unknown = {}) => decisionOf({ type: 'reply', id: 'q', body }, input).decision

test('an allow keeps the input unless another one comes with it', () => {
  assert.deepEqual(said({ behavior: 'allow' }, { a: 1 }), { option: 'allow_once', by: 'host' })
  assert.deepEqual(said({ behavior: 'allow', updatedInput: { a: 1 } }, { a: 1 }), { option: 'allow_once', by: 'host' })
  assert.deepEqual(said({ behavior: 'allow', updatedInput: { a: 2 } }, { a: 1 }), { option: 'allow_once', by: 'host', input: { a: 2 } })
})

test('rules that come with an allow make it one for always', () => {
  const always = [{ type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' }]
  assert.equal(said({ behavior: 'allow', updatedPermissions: always }).option, 'allow_always')
  assert.equal(said({ behavior: 'allow', updatedPermissions: [{ ...always[0], behavior: 'deny' }] }).option, 'allow_once')
})

test('what is not a clear yes is a no', () => {
  assert.deepEqual(said({ behavior: 'deny', message: 'not today' }), { option: 'reject_once', by: 'host', text: 'not today' })
  assert.deepEqual(said({ behavior: 'deny', message: '', interrupt: true }), { option: 'reject_once', by: 'host', stop: true })
  for (const body of [{}, { behavior: 'maybe' }, { behavior: true }]) assert.equal(said(body).option, 'reject_once')
  const broken = decisionOf({ type: 'reply', id: 'q', error: 'it threw' }, {}).decision
  assert.equal(broken.option, 'reject_once')
  assert.match(broken.text ?? '', /it threw/)
})

test('an answer may change the mode', async () => {
  const seen: unknown[] = []
  const { channel } = channelWith((mode) => seen.push(mode))
  const answer = channel.answerer(question('q1', {}), never)
  channel.take({ type: 'reply', id: 'q1', body: { behavior: 'allow', updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits' }] } })
  assert.deepEqual(await answer, { option: 'allow_once', by: 'host' })
  assert.deepEqual(seen, ['acceptEdits'])
  assert.equal(channel.wasAnswered('q1'), true)
  assert.equal(channel.wasAnswered('q1'), false)
})

test('when no more comes from the host, nobody waits for it', async () => {
  const { channel } = channelWith()
  const before = channel.answerer(question('q1', {}), never)
  const request = channel.ask({ subtype: 'hook_callback' })
  channel.end()
  assert.equal(await before, undefined)
  await assert.rejects(request, /did not answer/)
  assert.equal(await channel.answerer(question('q2', {}), never), undefined)
})

test('a withdrawn question has no answer, and a request that is given up is cancelled at the host', async () => {
  const { channel, lines } = channelWith()
  const gone = new AbortController()
  const asked = channel.answerer(question('q1', {}), gone.signal)
  const request = channel.ask({ subtype: 'mcp_message' }, gone.signal)
  gone.abort()
  assert.equal(await asked, undefined)
  await assert.rejects(request)
  channel.take({ type: 'reply', id: 'q1', body: { behavior: 'allow' } }) // too late, and harmless
  assert.deepEqual(lines, [
    { type: 'control_request', request_id: 'sluice-1', request: { subtype: 'mcp_message' } },
    { type: 'control_cancel_request', request_id: 'sluice-1' },
  ])
})
