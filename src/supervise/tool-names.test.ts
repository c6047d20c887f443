import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ask } from './contract.ts'
import { broker, decision } from './support.test.ts'

let count = 0
const call = (name: string, more: Partial<Ask> = {}): Ask => ({
  id: `mcp-${++count}`,
  place: {},
  profile: 'default',
  name,
  toolKind: 'other',
  input: {},
  permission: name,
  patterns: ['*'],
  changes: true,
  ...more,
})

/** As Claude, Gemini, opencode, Copilot, Codex and codex-acp write it. */
const spellings = [
  'mcp__echo__echo',
  'mcp_echo_echo',
  'echo_echo',
  'echo-echo',
  'echo.echo',
  'echo/echo',
  'mcp.echo.echo',
  'MCP__Echo__Echo',
]

test('a rule SERVER_TOOL denies the tool whatever the agent calls it, and --auto-approve does not lift it', () => {
  for (const name of spellings)
    for (const rule of ['echo_echo=deny', 'echo_*=deny', 'mcp__echo__echo=deny', 'echo*=deny'])
      assert.equal(decision(broker([rule], { autoApprove: true }), call(name)), 'reject', `${rule} ${name}`)
})

test('and allows it', () => {
  for (const name of spellings) assert.equal(decision(broker(['echo_echo=allow']), call(name)), 'allow', name)
  for (const name of spellings) assert.equal(decision(broker(['echo_*=allow']), call(name)), 'allow', name)
})

test('other tools are not meant', () => {
  for (const name of ['mcp__echo__other', 'mcp_echoes_echo', 'echo-echo2', 'other.echo', 'mcp.other.echo', 'mcp__xecho__echo', 'echo']) {
    assert.equal(decision(broker(['echo_echo=deny'], { autoApprove: true }), call(name)), 'allow', name)
    assert.equal(decision(broker(['echo_echo=allow']), call(name)), 'reject', name)
  }
  assert.equal(decision(broker(['mcp_*=deny'], { autoApprove: true }), call('echo_echo')), 'allow', 'a rule for marked names')
})

test('of a name that can be read in several ways, every reading is denied and none allowed', () => {
  const ambiguous = ['mcp__a__b__c', 'a-b-c', 'a.b.c']
  for (const name of ambiguous) {
    for (const rule of ['a_b-c=deny', 'a-b_c=deny', 'a_b__c=deny', 'a_b_c=deny'])
      assert.equal(decision(broker([rule], { autoApprove: true }), call(name)), 'reject', `${rule} ${name}`)
    for (const rule of ['a_b-c=allow', 'a-b_c=allow', 'a_b_c=allow'])
      assert.equal(decision(broker([rule]), call(name)), 'reject', `${rule} ${name}`)
    assert.equal(decision(broker([`${name}=allow`]), call(name)), 'allow', 'the name as the agent writes it')
  }
  assert.equal(decision(broker(['my-server_do=allow']), call('mcp__my-server__do')), 'allow')
  assert.equal(decision(broker(['my_server_do=allow']), call('mcp__my server__do')), 'allow')
})

test('a call that is judged by what it does is judged by its name as well', () => {
  const read = call('mcp__fs__read', { toolKind: 'read', permission: 'read', patterns: ['/p/a'], paths: ['/p/a'], changes: false })
  assert.equal(decision(broker([]), read), 'allow')
  assert.equal(decision(broker(['fs_read=deny'], { autoApprove: true }), { ...read, id: 'r2' }), 'reject')
  assert.equal(decision(broker(['fs_*=deny', 'fs_read=allow'], { autoApprove: true }), { ...read, id: 'r3' }), 'allow')
  const allowed = broker([]).decide({ ...read, id: 'r4' })
  assert.deepEqual('events' in allowed && allowed.events.map(({ permission }) => permission), ['read'], 'no word about its name')
})

test('names of built-in permissions stay what they are', () => {
  for (const rule of ['external_directory=deny', 'secret-file=deny', 'bash=deny'])
    assert.equal(decision(broker([rule], { autoApprove: true }), call('mcp__echo__echo')), 'allow', rule)
})
