// Claude's driver under a whole run: the broker decides, questions and answers are told once, and the stream is legal in every dialect.
import assert from 'node:assert/strict'
import test from 'node:test'
import { claudeDriver } from '../src/agents/claude/agent.ts'
import { playRecording, type Replayed, type Told } from './agents-play.ts'

const play = (recording: string, played?: Replayed): Promise<Told & { session: string }> =>
  playRecording(claudeDriver, 'agents/claude.mjs', `claude/${recording}.ndjson`, played)

test('a rule answers, and nobody is asked', async () => {
  const { done, told } = await play('2.1.325/j-permission-allow', { rules: ['write=allow'] })
  assert.equal(done.reason, 'end_turn')
  assert.equal(told('permission.request').length, 0)
  assert.deepEqual(
    told('permission.answer').map((event) => event.kind === 'permission.answer' && [event.decision, event.by, event.permission]),
    [['allow', 'rule', 'write']],
  )
})

test('a person answers: one request, one answer, with the same id', async () => {
  const { done, told } = await play('2.1.325/j-permission-allow', {
    answerer: ({ request }) => {
      assert.deepEqual(
        request.options.map(({ id }) => id),
        ['allow', 'suggestion-1', 'deny', 'interrupt'],
      )
      return Promise.resolve({ option: 'allow_once', by: 'terminal' })
    },
  })
  assert.equal(done.reason, 'end_turn')
  const [request] = told('permission.request')
  const [answer] = told('permission.answer')
  assert.ok(request?.kind === 'permission.request' && answer?.kind === 'permission.answer')
  assert.deepEqual([answer.id, answer.option, answer.by], [request.id, 'allow', 'terminal'])
  assert.equal(told('permission.request').length + told('permission.answer').length, 2)
  assert.ok(request.call !== undefined && request.call === answer.call)
})

test('nobody can be asked: the call is refused, the run goes on', async () => {
  const { done, told } = await play('1.0.128/j-permission-deny')
  assert.equal(done.reason, 'end_turn')
  const [answer] = told('permission.answer')
  assert.ok(answer?.kind === 'permission.answer')
  assert.deepEqual([answer.decision, answer.by], ['reject', 'headless'])
  const [end] = told('tool.end')
  assert.ok(end?.kind === 'tool.end' && end.status === 'denied')
})

test('a choice is made by whoever can choose', async () => {
  const { done, told } = await play('2.1.325/j-ask-user', {
    chooser: (ask) => Promise.resolve({ answers: { [ask.questions![0]!.text]: 'Red' }, by: 'terminal' }),
  })
  assert.equal(done.reason, 'end_turn')
  const [request] = told('question.request')
  const [answer] = told('question.answer')
  assert.ok(request?.kind === 'question.request' && answer?.kind === 'question.answer')
  assert.deepEqual([answer.id, answer.decision, answer.answers], [request.id, 'allow', { 'Which colour?': 'Red' }])
})

test('a question that is never answered ends with the run', async () => {
  const { done, told } = await play('2.1.325/t-permission-never-answered', {
    answerer: () => new Promise(() => {}),
    act(run, event) {
      if (event.kind === 'permission.request')
        setImmediate(() => run.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'timeout', text: 'no answer' }))
    },
  })
  assert.equal(done.reason, 'timeout')
  const [answer] = told('permission.answer')
  assert.ok(answer?.kind === 'permission.answer')
  assert.deepEqual([answer.decision, answer.by], ['cancelled', 'policy'])
})

for (const [recording, exit, reason] of [
  ['2.1.325/a-text', 0, 'end_turn'],
  ['2.1.325/g-subagent-forward', 0, 'end_turn'],
  ['2.1.325/t-parallel-subagents', 0, 'end_turn'],
  ['2.1.325/i-partial', 0, 'end_turn'],
  ['2.1.325/h-429', 1, 'error'],
  ['2.1.325/h-max-tokens', 0, 'end_turn'],
  ['2.1.325/m-max-turns', 1, 'max_turns'],
  ['2.0.76/m-max-turns', 0, 'max_turns'],
  ['2.1.325/h-refusal', 1, 'refusal'],
  ['1.0.128/h-401', 1, 'error'],
  ['2.1.325/r-sigterm', 143, 'error'],
  ['1.0.128/r-sigint', 0, 'cut'],
] as const) {
  test(`the end says what happened: ${recording} is ${reason}`, async () => {
    const { done } = await play(recording, { exit, dies: recording.includes('/r-') })
    assert.equal(done.reason, reason, done.error?.text)
  })
}
