import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Question } from '../supervise/permission.ts'
import { styleFor } from '../views/style.ts'
import { questionLines } from './ask-lines.ts'

const style = styleFor(false)
const options = (['allow_once', 'allow_always', 'reject_once'] as const).map((kind) => ({ id: kind, kind }))
const request = (more: Partial<Question['request']>): Question['request'] => ({ id: 'p1', options, ...more })
const bash = (command: string, more: Partial<Question['request']> = {}): Question['request'] =>
  request({ name: 'bash', toolKind: 'execute', permission: 'bash', patterns: ['x'], input: { command }, ...more })
const shown = (asked: Question['request'], needs: Question['needs'] = []): string => questionLines(asked, 80, style, needs).join('\n')

test('what a command is fed, where it writes, and the folder it works in are all there', () => {
  const text = shown(
    bash("python3 <<'E'\nimport os\nE\necho x > .git/hooks/pre-commit", {
      input: { command: "python3 <<'E'\nimport os\nE", workdir: 'sub' },
    }),
    [
      { permission: 'bash', pattern: 'python3 < (input)' },
      { permission: 'write', pattern: '/p/.git/hooks/pre-commit' },
      { permission: 'external_directory', pattern: '/p/.git/hooks/pre-commit' },
    ],
  )
  assert.match(text, /import os/)
  assert.match(text, /^ {4}bash: python3 < \(input\)$/m)
  assert.match(text, /^ {4}write: \/p\/\.git\/hooks\/pre-commit$/m)
  assert.match(text, /^ {4}external_directory: \/p\/\.git\/hooks\/pre-commit$/m)
  assert.match(text, /^ {4}in sub$/m)
})

test('a call of a server is shown with what it is given, however long', () => {
  const call = request({
    name: 'mail_send',
    toolKind: 'other',
    permission: 'mail_send',
    patterns: ['*'],
    input: { to: 'evil@example.com\u202e' },
  })
  assert.match(shown(call), /\{"to":"evil@example\.com\\u202e"\}/)
  const long = shown({ ...call, input: { to: 'a '.repeat(50_000) } })
  assert.match(long, /and \d+ more characters, which are not shown/)
  assert.ok(long.length < 40_000)
})

test('every rule that an "always" would make is named, when there are several', () => {
  const rules = [
    { permission: 'bash', pattern: 'cat *', action: 'allow' },
    { permission: 'secret_file', pattern: '/h/.env', action: 'allow' },
  ]
  assert.match(shown(bash('cat /h/.env', { suggestions: rules })), /always: bash:cat \*=allow · secret_file:\/h\/\.env=allow/)
  assert.doesNotMatch(shown(bash('cat x', { suggestions: rules.slice(0, 1) })), /always/)
})

test('nothing is pushed out of sight without a word', () => {
  const empty = shown(bash(`rm -rf x\n${'\n'.repeat(500)}ls`))
  assert.match(empty, /rm -rf x\n {4}… 500 empty lines\n {4}ls/)
  assert.match(shown(bash('true\n'.repeat(100))), /\(10\d lines: the first of them may be out of sight\)$/)
  const wide = shown(bash(`ls ${' '.repeat(5000)}; rm -rf x`))
  assert.ok(wide.split('\n').length < 5, wide)
  assert.match(wide, /rm -rf x/)
})
