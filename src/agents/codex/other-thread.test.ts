// Threads beside that of the run: a review, a subagent that nobody announced. They are told as sessions of their own, and the run goes by
// its own thread.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Rec } from '../../base/json.ts'
import { type Line, message, play, tells, turn } from '../rpc-support.test.ts'
import { session, whole } from '../support.test.ts'

const began = [{ id: '$id', result: turn('t1') }, tells('turn/started', turn('t1'))]
const ended = tells('turn/completed', turn('t1', 'completed'))
const other = (method: string, params: Rec): Rec => tells(method, { ...params, threadId: 'th2' })
const otherBegan = other('turn/started', turn('x1'))
const otherSaid = other('item/completed', { turnId: 'x1', item: { type: 'agentMessage', id: 'o1', text: 'not mine' } })
const otherFailed = other('turn/completed', { turn: { id: 'x1', items: [], status: 'failed', error: { message: 'no' } } })

const sessions = (running: ReturnType<typeof play>, kind: 'turn.end' | 'session.end') =>
  running.of(kind).map((end) => [end.session, end.reason])

test('the answer and the outcome are those of the own thread, whenever another one ends', async () => {
  for (const [lines, reason] of [
    [[message('mine'), otherBegan, otherSaid, otherFailed, ended], 'error'],
    [[otherBegan, message('mine'), ended, otherSaid, otherFailed], 'error'],
    [[message('mine'), otherFailed, ended], 'error'],
    [[message('mine'), otherBegan, otherSaid, ended], 'cut'],
  ] as const) {
    const running = play('codex', { 'turn/start': [...began, ...lines] })
    const done = await whole(running)
    assert.deepEqual([done.reason, done.error, done.text, done.turns], ['end_turn', undefined, 'mine', 1])
    assert.deepEqual(sessions(running, 'session.end'), [
      ['th2', reason],
      [session, 'end_turn'],
    ])
    assert.deepEqual(
      running.of('text.end').map((event) => [event.text, event.session]),
      lines.flatMap((line) => (line === otherSaid ? [['not mine', 'th2']] : line.method === 'item/completed' ? [['mine', session]] : [])),
    )
  }
})

test('what another thread achieves does not hide that the own turn failed', async () => {
  const failed = tells('turn/completed', { turn: { id: 't1', items: [], status: 'failed', error: { message: 'mine failed' } } })
  const otherEnded = other('turn/completed', turn('x1', 'completed'))
  const running = play('codex', { 'turn/start': [...began, otherBegan, failed, otherSaid, otherEnded] })
  const { reason, error } = await whole(running)
  assert.deepEqual([reason, error?.text], ['error', 'mine failed'])
})

/** The own turn goes on after a question, which the program asks when the other turn is over. */
const question = { id: 'q', ...tells('item/commandExecution/requestApproval', { turnId: 't1', itemId: 'c1', command: 'ls' }) }
const goesOn: readonly Line[] = [...began, otherBegan, otherFailed, question]
const rest = [message('mine'), ended]
const allow = (): { decision: 'allow'; by: 'user' } => ({ decision: 'allow', by: 'user' })

test('the run waits for its own turn, not for the end of another', async () => {
  const done = await whole(play('codex', { 'turn/start': goesOn, '(reply)': rest }, { answer: allow })) // without an answer it would end as cut
  assert.deepEqual([done.reason, done.text], ['end_turn', 'mine'])
})

test('the next prompt waits for the own turn', async () => {
  const second = [{ id: '$id', result: turn('t2') }, tells('turn/started', turn('t2')), tells('turn/completed', turn('t2', 'completed'))]
  const table = { 'turn/start': [goesOn, second], '(reply)': rest }
  const running = play('codex', table, { prompts: ['one', 'two'], answer: allow })
  assert.equal((await whole(running)).reason, 'end_turn')
  const methods = running.heard().map((line) => (JSON.parse(line) as Rec)['method'] ?? 'reply')
  assert.deepEqual(methods.slice(-3), ['turn/start', 'reply', 'turn/start'])
})

test('an interrupt reaches the own turn though another one began after it', async () => {
  const stopped = [{ id: '$id', result: {} }, tells('turn/completed', turn('t1', 'interrupted'))]
  const lines = [...began, otherBegan, otherSaid]
  const running = play('codex', { 'turn/start': lines, 'turn/interrupt': stopped }, { times: { interruptMs: 2000 } })
  await running.until('text.end')
  running.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' })
  assert.equal((await whole(running)).reason, 'cancelled')
  assert.ok(running.heard().some((line) => line.includes('"turn/interrupt"') && line.includes('"turnId":"t1"')))
})

test('a thread that is told of before the own one is opened stays beside it', async () => {
  const early = [other('thread/started', { thread: { id: 'th2' } }), otherBegan, otherSaid]
  const opened = tells('thread/started', { thread: { id: 'th1' } })
  const answer = { id: '$id', result: { thread: { id: 'th1' }, model: 'm' } }
  for (const lines of [
    [...early, answer],
    [...early, opened, answer],
    [opened, ...early, answer],
  ]) {
    const running = play('codex', { 'thread/start': lines })
    const done = await whole(running)
    assert.deepEqual([done.reason, done.text, done.turns], ['end_turn', 'hi', 1])
    assert.deepEqual(sessions(running, 'session.end'), [
      ['th2', 'cut'],
      [session, 'end_turn'],
    ])
    const [first] = running.of('session.start')
    assert.deepEqual([first!.session, first!.native], [session, 'th1'])
  }
})

test('what was told before a thread that never opens is not lost', async () => {
  const running = play('codex', { 'thread/start': [otherBegan, otherSaid, 'exit 3'] })
  assert.equal((await whole(running)).reason, 'error')
  const [said] = running.of('text.end')
  assert.deepEqual([said!.text, said!.session], ['not mine', 'th2'])
})
