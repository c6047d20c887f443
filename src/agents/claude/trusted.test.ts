import assert from 'node:assert/strict'
import test from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Answer, Ask } from '../../supervise/contract.ts'
import type { Wire } from '../driver.ts'
import { claudeTalk } from './talk.ts'

const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }]
const suggestions = [
  { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
  { type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' },
]
const ask = { id: 'q1', name: 'Bash', place: {}, input: { command: 'touch a' } } as unknown as Ask // the rest is not looked at

/** What Claude hears when this option is chosen, and then of a call of each tool that our rules leave open. */
function chosen(option: string, decision: Answer['decision'] = 'allow') {
  const said: Rec[] = []
  const wire = {
    write: (record: Rec) => said.push(record),
    tell: (record: Rec) => said.push(record),
    judge: () => 'ask',
  } as unknown as Wire
  const talk = claudeTalk(wire, false)
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, permission_suggestions: suggestions }
  talk.consume!({ type: 'control_request', request_id: 'q1', request })
  talk.answer(ask, { decision, by: 'user', option })
  const answer = ((said.at(-1)!['response'] as Rec)['response'] as Rec)['updatedPermissions']
  const verdicts = ['Bash', 'Edit'].map((tool_name) => {
    const input = { tool_name, tool_input: {}, tool_use_id: 'c2' }
    talk.consume!({ type: 'control_request', request_id: 'h1', request: { subtype: 'hook_callback', callback_id: 'sluice-rules', input } })
    return 'hookSpecificOutput' in ((said.at(-1)!['response'] as Rec)['response'] as Rec)
  })
  return { answer, mustAsk: verdicts }
}

test('a suggestion that was chosen goes back to Claude, which then decides about what it covers', () => {
  assert.deepEqual(chosen('suggestion-2'), { answer: [suggestions[1]], mustAsk: [false, true] })
  assert.deepEqual(chosen('suggestion-1'), { answer: [suggestions[0]], mustAsk: [false, false] })
})

test('a yes to this call alone changes nothing, and neither does a suggestion that was not made', () => {
  for (const option of ['allow', 'suggestion-3', 'suggestion-0'])
    assert.deepEqual(chosen(option), { answer: undefined, mustAsk: [true, true] })
  assert.deepEqual(chosen('suggestion-1', 'reject'), { answer: undefined, mustAsk: [true, true] })
})
