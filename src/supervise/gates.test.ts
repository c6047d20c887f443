import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gate } from './gates.ts'

const call = { name: 'write', changes: true, input: { filePath: 'a' }, listed: new Set(['read']) }

test('without gates nothing is in the way', () => assert.equal(gate({}, call), undefined))

test('read-only refuses what may change something, and nothing else', () => {
  assert.match(JSON.stringify(gate({ readOnly: true }, call)), /read-only/)
  assert.equal(gate({ readOnly: true }, { ...call, changes: false }), undefined)
})

test('a dry run tells the call in place of making it', () => {
  assert.deepEqual(gate({ dryRun: true }, call), { instead: { dry_run: true, tool: 'write', arguments: { filePath: 'a' } } })
  assert.equal(gate({ dryRun: true }, { ...call, changes: false }), undefined)
  assert.ok('refuse' in (gate({ dryRun: true, readOnly: true }, call) ?? {}))
})

test('strict refuses what the config does not list by name', () => {
  assert.match(JSON.stringify(gate({ strict: true }, { ...call, changes: false })), /not listed/)
  assert.equal(gate({ strict: true }, { ...call, name: 'read', changes: false }), undefined)
  assert.ok('refuse' in (gate({ strict: true, dryRun: true }, call) ?? {}))
})
