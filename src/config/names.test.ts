import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wrongName } from './names.ts'

test('a name that is nearly one of ours is an error that says which', () => {
  for (const [name, near] of Object.entries({
    bsh: 'bash',
    bahs: 'bash',
    Bsh: 'bash',
    raed: 'read',
    wirte: 'write',
    webfetsh: 'webfetch',
    external_dir: 'external_directory',
    secret_files: 'secret_file',
    'secret-file': 'secret_file',
    control_runs: 'control_run',
  }))
    assert.match(wrongName(name) ?? '', new RegExp(`did you mean ${near}\\?$`), name)
  assert.match(wrongName('frobnicate') ?? '', /known are bash, .*"frobnicate\*" is for a tool that only another agent has/)
})

test('names of agents, servers and wildcards are taken', () => {
  for (const name of [
    '*',
    'bash',
    'Bash',
    'NotebookEdit',
    'apply_patch',
    'run_shell_command',
    'echo_echo',
    'mcp__fs__read',
    'fs-read',
    's.t',
    'frob*',
    'b?sh',
  ])
    assert.equal(wrongName(name), undefined, name)
})
