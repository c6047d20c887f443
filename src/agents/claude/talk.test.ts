import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Answer } from '../../supervise/contract.ts'
import type { Wire } from '../driver.ts'
import { claudeTalk } from './talk.ts'

/** What it answers to the hook that it has asked for, when the host judges so. */
function hooked(verdict: Answer | 'ask' | undefined, isFree = false): unknown {
  const written: Rec[] = []
  const judged: unknown[] = []
  const wire = {
    write: (record: Rec) => void written.push(record),
    judge: (call: unknown) => (judged.push(call), verdict),
  } as unknown as Wire
  const talk = claudeTalk(wire, isFree)
  const id = /"hookCallbackIds":\["([^"]+)"\]/.exec(JSON.stringify(written[0]))![1]
  const input = { hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: '/a' }, tool_use_id: 't1' }
  const request = { subtype: 'hook_callback', callback_id: id, input, tool_use_id: 't1' }
  assert.equal(talk.consume!({ type: 'control_request', request_id: 'q1', request }), true, 'it says nothing of the session')
  assert.deepEqual(judged, [{ id: 't1', name: 'Read', input: { file_path: '/a' } }])
  const { response } = written[1] as { response: { request_id: string; response: Rec } }
  assert.equal(response.request_id, 'q1')
  return response.response['hookSpecificOutput']
}

test('the rules see every call before it is made', () => {
  assert.equal(hooked(undefined), undefined)
  assert.deepEqual(hooked('ask'), { hookEventName: 'PreToolUse', permissionDecision: 'ask' })
  assert.deepEqual(hooked({ decision: 'reject', by: 'rule', text: 'no' }), {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'no',
  })
})

test('a call that a dry run answers is not made', () => {
  const { permissionDecision, permissionDecisionReason } = hooked({ decision: 'allow', by: 'policy', instead: { dry_run: true } }) as Rec
  assert.equal(permissionDecision, 'deny')
  assert.match(String(permissionDecisionReason), /not made.*"dry_run":true/)
})

test('in a mode that the user chose it asks only for what it would ask for anyway; what is denied stays so', () => {
  assert.equal(hooked('ask', true), undefined)
  assert.equal((hooked({ decision: 'reject', by: 'rule' }, true) as Rec)['permissionDecision'], 'deny')
})
