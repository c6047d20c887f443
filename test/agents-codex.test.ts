// Codex's driver under a whole run: the broker decides, questions and answers are told once, and the stream is legal in every dialect.
import assert from 'node:assert/strict'
import test from 'node:test'
import { codexDriver } from '../src/agents/codex/agent.ts'
import { playRecording, type Replayed, type Told } from './agents-play.ts'

const play = (recording: string, played?: Replayed): Promise<Told & { session: string }> =>
  playRecording(codexDriver, 'agents/codex.mjs', `${recording}.traffic.ndjson`, played)

test('a rule answers, and nobody is asked', async () => {
  const { done, told } = await play('codex/app-server/c-approve', { rules: ['bash=allow'] })
  assert.equal(done.reason, 'end_turn')
  assert.equal(told('permission.request').length, 0)
  const answers = told('permission.answer').flatMap((event) => (event.kind === 'permission.answer' ? [event] : []))
  assert.ok(answers.length > 0)
  assert.ok(answers.every(({ decision, by, permission }) => decision === 'allow' && by === 'rule' && permission === 'bash'))
})

test('a person answers: one request, one answer, with the same id', async () => {
  const { done, told } = await play('codex/app-server/c-approve', {
    answerer: () => Promise.resolve({ option: 'allow_once', by: 'terminal' }),
  })
  assert.equal(done.reason, 'end_turn')
  const [request] = told('permission.request')
  const [answer] = told('permission.answer')
  assert.ok(request?.kind === 'permission.request' && answer?.kind === 'permission.answer')
  assert.deepEqual([answer.id, answer.option, answer.by], [request.id, 'accept', 'terminal'])
  assert.ok(request.call !== undefined && request.call === answer.call)
})

test('nobody can be asked: the call is refused, the run goes on', async () => {
  const { done, told } = await play('codex/app-server/e-decline')
  assert.equal(done.reason, 'end_turn')
  const [end] = told('tool.end')
  assert.ok(end?.kind === 'tool.end' && end.status === 'denied')
})

test('calls that leave no item, a refused tool of a server, a late subagent: all is told, and every token counted once', async () => {
  const { done, told, events } = await play('agents/codex/raw-items')
  assert.equal(done.reason, 'end_turn')
  assert.deepEqual(
    told('tool.end').map((event) => event.kind === 'tool.end' && [event.call, event.status]),
    [
      ['call_1_1', 'ok'],
      ['call_1_2', 'error'],
      ['call_2_1', 'error'],
      ['call_3_1', 'denied'],
      ['call_4_1', 'ok'],
      ['call_6_1', 'ok'],
    ],
  )
  assert.equal(done.turns, 5)
  assert.deepEqual([done.usage.input, done.usage.output], [700, 140])
  assert.equal(new Set(events.flatMap(({ session }) => (session === undefined ? [] : [session]))).size, 1)
})

for (const [recording, exit, reason] of [
  ['a-text', 0, 'end_turn'],
  ['b-read', 0, 'end_turn'],
  ['d-fail', 0, 'end_turn'],
  ['g-subagent', 0, 'end_turn'],
  ['k-mcp', 0, 'end_turn'],
  ['h-401', 0, 'error'],
  ['h-429', 0, 'error'],
  ['a-text', 3, 'error'],
] as const) {
  test(`the end says what happened: ${recording} with exit code ${exit} is ${reason}`, async () => {
    const { done } = await play(`codex/app-server/${recording}`, { exit })
    assert.equal(done.reason, reason, done.error?.text)
  })
}

test('a program that dies in its turn has failed', async () => {
  const { done } = await play('codex/app-server/b-read', { dies: true })
  assert.match(done.error!.text, /SIGKILL/)
})
