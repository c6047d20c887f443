// The calls of a message stand inside its step, and words that are none are not written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codesOf, decodeAll, encodeAll, find, tellAll, typesOf } from './support.test.ts'

const session = 's'

test('calls that are made after the end of their message stand inside its step, and are read back as the same messages', () => {
  const events = tellAll([
    ['turn.start', { trigger: 'prompt' }, { session }],
    ['message.start', {}, { session, message: 'm1' }],
    ['text.end', { text: 'Let me look.', streamed: false }, { session, message: 'm1' }],
    ['tool.start', { name: 'read', toolKind: 'read', input: {} }, { session, message: 'm1', call: 'a' }],
    ['tool.start', { name: 'bash', toolKind: 'execute', input: {} }, { session, message: 'm1', call: 'b' }],
    ['message.end', { finish: 'tool_use', usage: { input: 1, output: 1 }, usageFinal: true }, { session, message: 'm1' }],
    ['tool.end', { status: 'ok', text: 'x' }, { session, call: 'b' }],
    ['tool.end', { status: 'ok', text: 'y' }, { session, call: 'a' }],
    ['message.start', {}, { session, message: 'm2' }],
    ['text.end', { text: '', streamed: false }, { session, message: 'm2' }],
    ['message.end', { finish: 'end_turn', usage: { input: 1, output: 1 }, usageFinal: true }, { session, message: 'm2' }],
    ['turn.end', { reason: 'end_turn' }, { session }],
    ['session.end', { reason: 'end_turn' }, { session }],
  ])
  const { records } = encodeAll(events)
  assert.deepEqual(
    typesOf(records)
      .slice(2)
      .map((type) => type.split(' ')[0]),
    [
      'step_start',
      'text',
      'tool_use',
      'tool_use',
      'step_finish',
      'message_complete',
      'step_start',
      'step_finish',
      'message_complete',
      'session_complete',
    ],
  )
  assert.deepEqual(codesOf(records), [])
  assert.equal(find(records, 'text').length, 1)
  assert.equal(decodeAll(records).filter(({ kind }) => kind === 'message.end').length, 2)
})
