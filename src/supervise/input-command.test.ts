// A command whose input says more than the command: what runs is not what a rule has seen.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ask } from './contract.ts'
import { bash, broker, decision, settled } from './support.test.ts'

const rules = ['bash:ls *=allow', 'bash:git *=allow', 'bash:echo *=allow', 'bash:cat *=allow']
const verdict = (input: Record<string, unknown>, more: Partial<Ask> = {}, given = rules): string =>
  decision(broker(given), bash(String(input['command']), { input, ...more }))

test('words, variables, a shell or a script beside the command are asked about', () => {
  const inputs = [
    { command: 'git', args: ['-c', 'alias.x=!evil', 'x'] },
    { command: 'git status', args: '; rm x' },
    { command: 'ls', argv: ['x'] },
    { command: 'ls', arguments: ['x'] },
    { command: 'ls', commands: ['rm x'] },
    { command: 'ls', script: 'rm x' },
    { command: 'ls', stdin: 'x' },
    { command: 'ls', env: { LD_PRELOAD: './x.so' } },
    { command: 'ls', env: ['PATH=.'] },
    { command: 'ls', Environment: { PATH: '.' } },
    { command: 'ls', shell: './evil' },
    { command: 'ls', shell: '/p/bash' },
    { command: 'ls', executable: 'python3' },
  ]
  for (const input of inputs) {
    assert.equal(verdict(input), 'reject', JSON.stringify(input))
    assert.equal(verdict(input, {}, ['bash=allow']), 'allow', JSON.stringify(input))
  }
})

test('a folder under any name is where the command may run', () => {
  for (const input of [
    { command: 'ls', working_dir: '/etc' },
    { command: 'ls', workingDirectory: '/etc' },
    { command: 'ls', dir: '../..' },
    { command: 'ls', dir_path: '~' },
    { command: 'ls', cwd: '/p', workdir: '/etc' },
    { command: 'ls ../x', cwd: '/p/a/b', dir: '/p' },
    { command: 'cat x', dir: '~root' },
  ])
    assert.equal(verdict(input, { command: { text: input.command, cwd: input.cwd ?? '/p' } }), 'reject', JSON.stringify(input))
})

test('what agents say beside their commands otherwise is not', () => {
  for (const input of [
    { command: 'ls', description: 'rm x', timeout: 5, run_in_background: true },
    { command: 'ls', args: [], env: {}, stdin: '', script: null },
    { command: 'ls', env: { NO_COLOR: '1' } },
    { command: 'ls', shell: '/bin/bash', login: true },
    { command: 'ls', shell: 'zsh' },
    { command: 'ls a', dir: '/p/src' },
    { command: 'ls a', directory: '../p' },
    { command: 'ls', cwd: 'src' },
  ])
    assert.equal(verdict(input), 'allow', JSON.stringify(input))
})

test('another shell reads another language', () => {
  const text = String.raw`echo "\"; rm x; echo \""`
  assert.equal(verdict({ command: text }), 'allow')
  assert.equal(verdict({ command: text }, { name: 'powershell' }), 'reject')
  assert.equal(verdict({ command: 'git status' }, { name: 'powershell' }), 'allow')
})

test('a command that is said twice is one command', () => {
  for (const input of [
    { command: 'git log', commands: ['git log'] },
    { command: 'git log && ls', commands: ['git log', 'ls'] },
    { command: 'ls a', commands: [{ identifier: 'ls', readOnly: true }] },
    { command: ' ls a ', commands: 'ls a' },
    { command: 'ls', args: [], commands: ['ls'] },
  ])
    assert.equal(verdict(input), 'allow', JSON.stringify(input))
  for (const input of [
    { command: 'git log', commands: ['git log', 'rm x'] },
    { command: 'ls', commands: [{ identifier: 'rm' }] },
    { command: 'ls', commands: [{ run: 'ls' }] },
    { command: 'ls', commands: [{ identifier: 'ls', args: ['x'] }] },
    { command: 'git', args: ['git'] },
    { command: 'ls', commands: [['ls']] },
  ])
    assert.equal(verdict(input), 'reject', JSON.stringify(input))
})

test('a refusal says why', () => {
  const { answer } = settled(broker(rules).decide(bash('ls', { input: { command: 'ls', commands: ['rm x'] } })))
  assert.match(answer.text ?? '', /commands says more than the command/)
  assert.match(settled(broker(rules).decide(bash('$x a'))).answer.text ?? '', /its command word is not known/)
})
