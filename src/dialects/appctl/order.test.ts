import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { unmarked } from '../support.test.ts'
import { codesOf, fixture, repaired } from './support.test.ts'

test('one finding for one defect', () => {
  const many = (record: Rec): Rec[] => Array.from({ length: 9 }, () => record)
  const delta: Rec = { kind: 'assistant_delta', text: 'a' }
  assert.deepEqual(codesOf(many(delta)), ['prompt-first', 'missing-end'])
  assert.deepEqual(codesOf([{ kind: 'user_prompt', text: '' }, { kind: 'done' }, ...many(delta)]), ['done-last'])
  assert.deepEqual(codesOf([{ kind: 'user_prompt', text: '' }, { kind: 'error', message: 'x' }, ...many(delta), { kind: 'done' }]), [
    'error-then-done',
  ])
})

test('an id may come again, also while it is open', () => {
  const call: Rec = { kind: 'tool_call', id: 'tool', name: 'x', arguments: {} }
  const result: Rec = { kind: 'tool_result', id: 'tool', result: '', status: 'ok', duration_ms: 0 }
  const turn = (...inside: Rec[]): Rec[] => [{ kind: 'user_prompt', text: '' }, ...inside, { kind: 'done' }]
  assert.deepEqual(codesOf(turn(call, call, result, result)), [])
  assert.deepEqual(codesOf(turn(call, call, result)), ['unanswered-call'])
  assert.deepEqual(codesOf([...turn(call).slice(0, -1), ...turn()]), ['prompt-first'], 'and a turn that breaks off is one defect')
  assert.deepEqual(
    codesOf([...turn(call, { kind: 'error', message: 'x' }), ...turn()]),
    [],
    'an error excuses the open call, in its own turn',
  )
})

test('deltas want their assistant_message, but for a turn that errs; text before a call without one is a warning', () => {
  const delta: Rec = { kind: 'assistant_delta', text: 'a' }
  const whole: Rec = { kind: 'assistant_message', text: 'a' }
  const call: Rec[] = [
    { kind: 'tool_call', id: 'x', name: 'x', arguments: {} },
    { kind: 'tool_result', id: 'x', result: '', status: 'ok', duration_ms: 0 },
  ]
  const turn = (...inside: Rec[]): string[] => codesOf([{ kind: 'user_prompt', text: '' }, ...inside, { kind: 'done' }])
  assert.deepEqual(turn(delta, delta), ['whole-message'])
  const both: Rec = { kind: 'assistant_message', text: 'aa' }
  assert.deepEqual(turn(delta, whole, ...call, delta, whole), [])
  assert.deepEqual(turn(delta, ...call), ['whole-message'])
  assert.deepEqual(turn(delta, ...call, delta), ['whole-message'])
  assert.deepEqual(turn(delta, ...call, delta, whole), ['whole-message'])
  assert.deepEqual(turn(delta, ...call, delta, both), [], 'a call of a subagent inside a text')
  assert.deepEqual(turn(delta, both), ['whole-message'])
  assert.deepEqual(turn(delta, { ...whole, text: '' }), [], 'taken back')
  assert.deepEqual(turn(delta, { kind: 'error', message: 'x' }), [])
})

test('the events of a body are judged as if each stood alone', () => {
  const events = fixture('document/http.ndjson')
  const body: Rec = { events, session_id: 's', result: 'Hello.' }
  assert.deepEqual(codesOf([body, body]), [])
  assert.deepEqual(codesOf([{ events: events.slice(0, -1), session_id: 's', error: 'boom' }]), ['missing-end'])
  assert.deepEqual(repaired([body]), [body])
  assert.deepEqual(codesOf(repaired([{ ...body, events: events.slice(0, -1) }, body])), [])
})

// ── repair ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('repair adds what is missing: prompts, results, dones', () => {
  for (const name of [
    'no-prompt',
    'two-prompts',
    'no-done',
    'no-done-open-call',
    'unanswered-call',
    'two-unanswered-calls',
    'deltas-without-message',
  ]) {
    assert.deepEqual(codesOf(repaired(fixture(`rejected/${name}.ndjson`))), [], name)
  }
  assert.deepEqual(
    unmarked(
      repaired([
        { kind: 'user_prompt', text: 'a' },
        { kind: 'tool_call', id: 'c', name: 'x', arguments: {} },
      ]),
    ).slice(2),
    [{ kind: 'tool_result', id: 'c', result: 'abandoned', status: 'error', duration_ms: 0 }, { kind: 'done' }],
  )
})

test('repair adds the call of a result or of a question; what comes twice lacks nothing', () => {
  const prompt = { kind: 'user_prompt', text: 'a' }
  const call = { kind: 'tool_call', id: 'c', name: 'x', arguments: { a: 1 } }
  const asks = { ...call, kind: 'awaiting_input' }
  const result = { kind: 'tool_result', id: 'c', result: 'r', status: 'ok', duration_ms: 1 }
  const done = { kind: 'done' }
  assert.deepEqual(unmarked(repaired([prompt, asks, result, done])), [prompt, call, asks, result, done])
  assert.deepEqual(unmarked(repaired([prompt, result, done]))[1], { ...call, name: 'unknown', arguments: {} })
  for (const twice of [result, done, { kind: 'error', message: 'e' }])
    assert.deepEqual(repaired([prompt, call, result, done, twice]), [prompt, call, result, done, twice])
  assert.deepEqual(repaired([prompt, call, result, result, done]), [prompt, call, result, result, done])
})
