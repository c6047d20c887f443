// Calls that only the raw items tell.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { decodeAll, ends, notify, serverItem, starts, told } from './support.test.ts'

const raw = (item: Rec): Rec => notify('rawResponseItem/completed', { item })
const called = (fields: Rec = {}): Rec =>
  raw({ type: 'function_call', call_id: 'c', name: 'exec_command', arguments: '{"cmd":"ls"}', ...fields })
const answered = (output: unknown, type = 'function_call_output'): Rec => raw({ type, call_id: 'c', output })

const ending = (...records: Rec[]): unknown =>
  told([starts(), ...records, ends()], 'tool.end').map(({ status, exitCode, text }) => [status, exitCode, text])

test('a call without an item is told when its answer comes', () => {
  const records = [starts(), called(), answered('Process exited with code 1\nOutput:\nno'), ends()]
  assert.deepEqual(
    told(records, 'tool.start').map(({ name, toolKind, input, call }) => [name, toolKind, input, call]),
    [['exec_command', 'execute', { cmd: 'ls' }, 'c']],
  )
  assert.deepEqual(ending(...records.slice(1, -1)), [['error', 1, 'Process exited with code 1\nOutput:\nno']])
})

test('tools that do not exist, patches that do not fit, and refusals', () => {
  const patch = raw({ type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: '*** Begin Patch' })
  assert.deepEqual(ending(called({ name: 'nope' }), answered('unsupported call: nope')), [['error', undefined, 'unsupported call: nope']])
  const misfit = 'apply_patch verification failed: lines'
  assert.deepEqual(ending(patch, answered(misfit, 'custom_tool_call_output')), [['error', undefined, misfit]])
  const refusal = 'patch rejected: outside'
  assert.deepEqual(ending(patch, answered(refusal, 'custom_tool_call_output')), [['denied', undefined, refusal]])
})

test('a call with an item is told by the item alone, whichever comes first', () => {
  const item = { command: 'ls', status: 'completed', exitCode: 0 }
  const started = serverItem('started', 'commandExecution', item)
  const completed = serverItem('completed', 'commandExecution', item)
  const output = answered('Process exited with code 0\nOutput:\n')
  for (const records of [
    [called(), started, completed, output],
    [called(), started, output, completed],
    [started, called(), output, completed],
    [called(), completed, output],
  ]) {
    assert.equal(told([starts(), ...records, ends()], 'tool.start').length, 1)
    assert.deepEqual(ending(...records), [['ok', 0, undefined]])
  }
})

test('an answer whose call is not known, and what cannot be read, say nothing', () => {
  assert.deepEqual(ending(answered('x')), [])
  assert.deepEqual(ending(called(), answered(7), called({ name: 7, call_id: 'd' })), [])
  assert.deepEqual(ending(raw({ type: 'message', role: 'user' }), notify('rawResponseItem/completed', { item: null })), [])
  assert.equal(told([starts(), called(), ends(), starts('t', '2'), answered('x'), ends('completed', {}, 't', '2')], 'tool.end').length, 0)
})

test('with raw items each answer has its beginning, its calls, its tokens and its end', () => {
  const usage = { inputTokens: 12, outputTokens: 3 }
  const tokens = notify('thread/tokenUsage/updated', { tokenUsage: { total: usage, last: usage, modelContextWindow: null } })
  const text = serverItem('started', 'agentMessage', { id: 'm', text: '' })
  const said = serverItem('completed', 'agentMessage', { id: 'm', text: 'Hi' })
  const started = serverItem('started', 'commandExecution', { command: 'ls' })
  const completed = serverItem('completed', 'commandExecution', { command: 'ls', status: 'completed', exitCode: 0 })
  const prompt = raw({ type: 'message', role: 'user' })
  const kinds = (records: Rec[]): string[] =>
    decodeAll([starts(), ...records, ends()])
      .filter(({ kind }) => kind.startsWith('message.') || kind.startsWith('tool.') || kind === 'text.end')
      .map(({ kind, message }) => (kind.startsWith('message.') ? `${kind} ${message}` : kind))
  const answer = [text, said, called(), started, completed, tokens]
  assert.deepEqual(kinds([prompt, ...answer]), ['message.start m', 'text.end', 'tool.start', 'tool.end', 'message.end m'])
  assert.deepEqual(kinds([prompt, called(), answered('unsupported call: x'), tokens]), [
    'message.start c',
    'tool.start',
    'tool.end',
    'message.end c',
  ])
  assert.deepEqual(kinds([prompt, text, said]), ['message.start m', 'text.end', 'message.end m']) // the turn ended it
  assert.deepEqual(kinds([text, said, tokens]), ['text.end']) // not asked for
  assert.deepEqual(told([starts(), prompt, ...answer, ends()], 'message.end')[0]?.['usage'], { input: 12, output: 3 })
})
