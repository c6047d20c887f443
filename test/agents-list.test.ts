import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { tableOf } from '../src/cli/agents.ts'
import { runCommand } from './command.ts'

test('in a narrow terminal the rows stay rows, and what does not fit is told whole below them', () => {
  const can = ['permissions'] as const
  const found = [{ name: 'codex', title: 'Codex', program: 'codex', install: 'npm install -g @openai/codex', by: 'x', can }]
  const [head = '', row = '', ...rest] = tableOf(found as never, 80)
  assert.ok(head.length <= 80 && row.length <= 80)
  assert.match(row, /^codex +missing +yes +-/)
  assert.deepEqual(rest, ['', 'codex: npm install -g @openai/codex'])
  assert.match(tableOf(found as never, 120)[1]!, /npm install -g @openai\/codex$/)
})

test('sluice agents says what is installed, and how to get the rest', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'claude'), '#!/bin/sh\necho "2.0.76 (Claude Code)"\n')
  chmodSync(join(folder, 'claude'), 0o755)
  const at = { cwd: folder, env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder } }

  const table = runCommand('agents', [], at)
  assert.equal(table.status, 0, table.stderr)
  assert.match(table.stdout, /^agent +version +permissions +deltas +thoughts +usage +resume +interrupt\n/)
  assert.match(table.stdout, /^builtin +built in +yes/m)
  assert.match(table.stdout, /^claude +2\.0\.76 +yes +yes +yes +yes +yes +yes$/m)
  assert.match(table.stdout, /^codex +missing .*npm install -g @openai\/codex$/m)

  const lines = runCommand('agents', ['--json'], at).stdout.trimEnd().split('\n')
  const claude = lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ name }) => name === 'claude')!
  assert.deepEqual([claude['installed'], claude['version'], claude['path']], [true, '2.0.76', join(folder, 'claude')])

  const wrong = runCommand('agents', ['claude'], at)
  assert.equal(wrong.status, 2)
  assert.match(wrong.stderr, /takes no names/)
})
