import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event, Kind } from '../model/event.ts'
import { createOver } from './watch-over.ts'

/** `kind session/run/turn/task` each. */
function stateAfter(dialect: string, ...told: [kind: Kind, more?: object][]): string {
  const over = createOver(dialect)
  for (const [kind, more] of told) over.see({ v: 1, seq: 1, kind, ...more } as Event, {})
  return over.state()
}
const a = { session: 'a' }
const b = { session: 'b' }

test('a session that tells its end is over, and only then', () => {
  assert.equal(stateAfter('avenor'), 'open')
  assert.equal(stateAfter('avenor', ['session.start', a], ['turn.start', { ...a, turn: 1 }], ['turn.end', { ...a, turn: 1 }]), 'open')
  assert.equal(stateAfter('avenor', ['session.start', a], ['session.end', a]), 'over')
})

test('of several sessions the last one ends it', () => {
  assert.equal(stateAfter('aictrl', ['session.start', a], ['session.start', b], ['session.end', a]), 'open')
  assert.equal(stateAfter('aictrl', ['session.start', a], ['session.start', b], ['session.end', a], ['session.end', b]), 'over')
  assert.equal(stateAfter('aictrl', ['session.start', a], ['session.end', a], ['session.start', b]), 'open')
})

test('a loop ends with its own end, not with that of a session in it', () => {
  const run = { run: 'r' }
  assert.equal(stateAfter('avenor', ['run.start', run], ['session.start', a], ['session.end', a]), 'open')
  assert.equal(stateAfter('avenor', ['run.start', run], ['session.start', a], ['session.end', a], ['run.end', run]), 'over')
})

test('where no end is told, a turn that has ended may have been the last, unless something is open', () => {
  const one = { ...a, turn: 1 }
  const two = { ...a, turn: 2 }
  const turn: [Kind, object][] = [
    ['session.start', a],
    ['turn.start', one],
    ['turn.end', one],
  ]
  assert.equal(stateAfter('claude', ...turn.slice(0, 2)), 'open')
  assert.equal(stateAfter('claude', ...turn), 'pausing')
  assert.equal(stateAfter('claude', ...turn, ['turn.start', two]), 'open')
  assert.equal(stateAfter('claude', ...turn, ['turn.start', two], ['turn.end', two]), 'pausing')
  assert.equal(stateAfter('claude', ['task.start', { ...a, task: 't' }], ...turn), 'open')
  assert.equal(stateAfter('claude', ['task.start', { ...a, task: 't' }], ...turn, ['task.end', { ...a, task: 't' }]), 'pausing')
})

test('where not even turns are told, the last answer or a fatal error may have been the end', () => {
  const one = { ...a, turn: 1 }
  const began: [Kind, object][] = [
    ['session.start', a],
    ['turn.start', one],
    ['message.start', one],
  ]
  const ended = (more: object): [Kind, object] => ['message.end', { ...one, ...more }]
  assert.equal(stateAfter('opencode', ...began), 'open')
  assert.equal(stateAfter('opencode', ...began, ended({ finish: 'tool_use' })), 'open')
  assert.equal(stateAfter('opencode', ...began, ended({ finish: 'end_turn' })), 'pausing')
  assert.equal(stateAfter('opencode', ...began, ended({ finish: 'end_turn', agent: 'sub' })), 'open')
  assert.equal(stateAfter('opencode', ...began, ended({ finish: 'end_turn' }), ['message.start', one]), 'open')
  assert.equal(stateAfter('opencode', ...began, ['error', { ...one, fatal: true }]), 'pausing')
  assert.equal(stateAfter('claude', ...began, ended({ finish: 'end_turn' })), 'open')
  const refused = (by: string, more?: object): [Kind, object] => ['tool.end', { ...one, permitted: { allow: false, by }, ...more }]
  assert.equal(stateAfter('opencode', ...began, refused('headless'), ended({ finish: 'tool_use' })), 'pausing')
  assert.equal(stateAfter('opencode', ...began, refused('rule'), ended({ finish: 'tool_use' })), 'open')
  assert.equal(stateAfter('opencode', ...began, refused('headless', { agent: 'sub' }), ended({ finish: 'tool_use' })), 'open')
  const next: [Kind, object][] = [refused('user'), ended({ finish: 'tool_use' }), ['message.start', one], ended({ finish: 'tool_use' })]
  assert.equal(stateAfter('opencode', ...began, ...next), 'open')
})

test('an end in an Avenor log that does not say why is one all the same', () => {
  const over = createOver('avenor')
  const see = (kind: Kind, more: object, record = {}): void => over.see({ v: 1, seq: 1, kind, ...more } as Event, record)
  const bad = { code: 'bad-body' }
  see('session.start', a)
  see('issue', bad, { event: 'session.end', session_id: 'of another' })
  assert.equal(over.state(), 'open')
  see('issue', bad, { event: 'session.end', session_id: 'a' })
  assert.equal(over.state(), 'over')
  see('run.start', { run: 'r' })
  assert.equal(over.state(), 'open')
  see('issue', bad, { event: 'avenor.loop.end', run_id: 'r' })
  assert.equal(over.state(), 'over')
})

test('a session rests when its turn has ended and nothing is open, until another begins', () => {
  const over = createOver('claude')
  let offset = 0
  const see = (kind: Kind, more: object): void =>
    over.see({ v: 1, seq: 1, kind, origin: { dialect: 'claude', record: 1, offset: (offset += 10), length: 9 }, ...more } as Event, {})
  const is = (): unknown[] => [over.rests('a'), over.rests('b'), over.restsSince()]
  see('turn.start', { ...a, turn: 1 })
  see('task.start', { ...a, task: 't' })
  see('turn.end', { ...a, turn: 1 })
  assert.deepEqual(is(), [false, false, Infinity])
  see('task.end', { ...a, task: 't' })
  assert.deepEqual(is(), [true, false, 40])
  see('turn.start', { ...b, turn: 1 })
  see('turn.end', { ...b, turn: 1 })
  assert.deepEqual(is(), [true, true, 40])
  see('turn.start', { ...a, turn: 2 })
  assert.deepEqual(is(), [false, true, 60])
  over.tellRests()
  see('turn.end', { ...a, turn: 2 })
  see('task.end', { ...b, task: 'of nobody' })
  assert.deepEqual(is(), [true, false, 80])
  see('session.end', a)
  assert.deepEqual(is(), [false, false, Infinity])
})

test('one whose end will be told does not', () => {
  for (const dialect of ['avenor', 'sluice', 'copilot']) {
    const over = createOver(dialect)
    over.see({ v: 1, seq: 1, kind: 'turn.end', turn: 1, ...a } as Event, {})
    assert.equal(over.rests('a'), false)
  }
})

test('what was open in a file that begins anew is forgotten', () => {
  const over = createOver('avenor')
  const see = (kind: Kind, more: object): void => over.see({ v: 1, seq: 1, kind, ...more } as Event, {})
  see('session.start', b)
  see('session.end', b)
  see('session.start', a)
  over.forget()
  assert.equal(over.state(), 'open')
  see('session.start', b)
  see('session.end', b)
  assert.equal(over.state(), 'over')
})

test('a run that is tried again is not over: the end of a failed attempt may be followed by the next', () => {
  const fails: [Kind, object][] = [
    ['session.start', a],
    ['session.end', { ...a, reason: 'error' }],
  ]
  const retry: [Kind, object] = ['retry.start', { scope: 'run', attempt: 1 }]
  const works: [Kind, object][] = [
    ['session.start', b],
    ['session.end', { ...b, reason: 'end_turn' }],
  ]
  for (const dialect of ['sluice', 'avenor']) {
    assert.equal(stateAfter(dialect, ...fails), 'pausing')
    assert.equal(stateAfter(dialect, ...fails, retry), 'open')
    assert.equal(stateAfter(dialect, ...fails, retry, works[0]!), 'open')
    assert.equal(stateAfter(dialect, ...fails, retry, ...works), 'over')
    assert.equal(stateAfter(dialect, ...fails, retry, ['notice', { code: 'not-retried' }]), 'over')
  }
  assert.equal(stateAfter('aictrl', ...fails), 'failed', 'its log does not tell whether there is another attempt')
  assert.equal(stateAfter('aictrl', ...fails, ...works), 'over')
  const turn = { ...a, turn: 1 }
  for (const dialect of ['appctl', 'claude']) {
    assert.equal(stateAfter(dialect, ['turn.start', turn], ['turn.end', { ...turn, reason: 'error' }]), 'failed')
    assert.equal(stateAfter(dialect, ['turn.start', turn], ['turn.end', { ...turn, reason: 'end_turn' }]), 'pausing')
  }
  for (const reason of ['timeout', 'cancelled', 'max_tokens'])
    assert.equal(stateAfter('sluice', ['session.start', a], ['session.end', { ...a, reason }]), 'over', reason)
})
