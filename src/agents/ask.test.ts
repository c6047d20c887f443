import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { toolKindOf } from '../model/tool-kind.ts'
import { askFor } from './ask.ts'

const need = (name: string, input: unknown, cwd = '/home/dev/project') => {
  const { permission, patterns, always, command, paths, changes } = askFor(
    { id: '1', place: {}, name, toolKind: toolKindOf(name), input },
    'default',
    cwd,
  )
  return { permission, patterns, changes, ...(always && { always }), ...(command && { command }), ...(paths && { paths }) }
}
const cwd = '/home/dev/project'

test('calls of other programs need what our own tools need', () => {
  assert.deepEqual(need('Bash', { command: 'git push' }), {
    permission: 'bash',
    patterns: [],
    changes: true,
    command: { text: 'git push', cwd },
  })
  assert.deepEqual(need('Read', { file_path: 'a.ts' }), {
    permission: 'read',
    patterns: [`${cwd}/a.ts`],
    changes: false,
    paths: [`${cwd}/a.ts`],
  })
  assert.deepEqual(need('Write', { file_path: '/x/a.ts' }), {
    permission: 'write',
    patterns: ['/x/a.ts'],
    changes: true,
    paths: ['/x/a.ts'],
  })
  assert.equal(need('Edit', { file_path: 'a.ts' }).permission, 'edit')
  assert.equal(need('write_file', { path: 'a.ts' }).permission, 'write')
  assert.deepEqual(need('Grep', { pattern: 'x', path: '/etc' }), { permission: 'grep', patterns: ['x'], changes: false, paths: ['/etc'] })
  assert.equal(need('Glob', { pattern: '**' }).permission, 'glob')
  assert.deepEqual(need('WebFetch', { url: 'https://example.org/a' }), {
    permission: 'webfetch',
    patterns: ['https://example.org/a'],
    changes: true,
    always: ['https://example.org/*'],
  })
  assert.deepEqual(need('Task', { subagent_type: 'reviewer' }).patterns, ['reviewer'])
  assert.deepEqual(need('mcp__db__query', { sql: 'x' }), { permission: 'mcp__db__query', patterns: ['*'], changes: true })
})

test('a command may be words, and run elsewhere', () => {
  assert.equal(need('shell', { command: ['bash', '-lc', 'rm -rf x'] }).command!.text, 'rm -rf x')
  assert.equal(need('shell', { command: ['echo', "it's", 'a b'] }).command!.text, "echo 'it'\\''s' 'a b'")
  assert.deepEqual(need('shell', { command: ['ls'], workdir: '/etc' }), {
    permission: 'bash',
    patterns: [],
    changes: true,
    command: { text: 'ls', cwd: '/etc' },
    paths: ['/etc'],
  })
})

test('a script is seen through the shell that runs it, when it is one word', () => {
  const script = (command: string): string => need('commandExecution', { command }).command!.text
  assert.equal(script("/bin/bash -lc 'git push; ls'"), 'git push; ls')
  assert.equal(script('/usr/bin/zsh -lc ls'), 'ls')
  assert.equal(script(`bash -c 'echo it'"'"'s'`), "echo it's")
  assert.equal(script(String.raw`bash -lc "echo \"it's\" \$HOME"`), `echo "it's" $HOME`)
  for (const other of [
    "bash -lc 'a' b",
    'bash -lc "$x"',
    "bash -lc 'a'; rm -rf /",
    "bash -lc 'a",
    'bash -lic x',
    './bash -c x',
    'python -c x',
  ])
    assert.equal(script(other), other)
})

test('a patch is asked for by every file that it touches', () => {
  const changes = [
    { path: `${cwd}/a.ts`, kind: { type: 'update', move_path: '/etc/b' } },
    { path: 'c.ts', kind: { type: 'add' } },
  ]
  const files = [`${cwd}/a.ts`, '/etc/b', `${cwd}/c.ts`]
  assert.deepEqual(need('fileChange', { changes }), {
    permission: 'edit',
    patterns: files,
    paths: files,
    changes: true,
  })
  assert.deepEqual(need('fileChange', { changes: [] }), {
    permission: 'fileChange',
    patterns: ['*'],
    changes: true,
  })
})

test('a call whose input is not understood is asked for by its name', () => {
  for (const input of [undefined, null, 'x', {}, { command: 7 }, { command: [1] }])
    assert.deepEqual(need('Bash', input), { permission: 'Bash', patterns: ['*'], changes: true })
})

test('a link is asked for by both of its names', (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-')))
  t.after(() => rmSync(folder, { recursive: true }))
  symlinkSync('/etc/hosts', join(folder, 'link'))
  assert.deepEqual(need('Write', { file_path: 'link' }, folder).patterns, ['/etc/hosts', `${folder}/link`])
  assert.deepEqual(need('Write', { file_path: 'link' }, folder).paths, ['/etc/hosts'])
})

test('two fields that say the same command are one command', () => {
  const wanted = { id: '1', place: {}, name: 'shell', toolKind: 'execute' as const }
  const same = askFor({ ...wanted, input: { command: 'ls', cmd: 'ls' } }, 'default', '/p')
  assert.equal(same.command?.text, 'ls')
  assert.equal(askFor({ ...wanted, input: { command: 'ls', cmd: 'rm x' } }, 'default', '/p').command, undefined)
})
