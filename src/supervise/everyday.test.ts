// Everyday commands that three allow rules must let through, with nobody there to be asked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ask } from './contract.ts'
import { createBroker } from './permission.ts'
import { defaultRules, parseRule } from './rules.ts'

const rules = [...defaultRules, ...['bash:ls *=allow', 'bash:git status *=allow', 'bash:echo *=allow'].map(parseRule)]
const scene = { root: '/project', home: '/home/me', realPath: (path: string): string => path }

function isAllowed(text: string, cwd = '/project'): boolean {
  const ask: Ask = {
    id: 'ask-1',
    place: {},
    profile: 'default',
    name: 'bash',
    toolKind: 'execute',
    input: { command: text },
    permission: 'bash',
    patterns: [],
    command: { text, cwd },
    changes: true,
  }
  const settled = createBroker({ rulesFor: () => rules, scene, interactive: () => false }).decide(ask)
  assert.ok('answer' in settled)
  return settled.answer.decision === 'allow'
}

const harmless = [
  'ls',
  'ls -la',
  'ls -la src test',
  '  ls   -la  ',
  '\\ls -la',
  "'ls' -la",
  '"ls"',
  "'l's",
  'l\\\ns -la',
  'ls src/*.ts',
  'ls "src dir"',
  "ls 'a;rm b'",
  'ls ./src/',
  'ls src/../test',
  'ls /project/src',
  'ls $PWD/src',
  'ls -la # the project',
  'ls 2>&1',
  'echo oops >&2',
  'ls 2>/dev/null',
  'ls missing >/dev/null 2>&1 || echo none',
  'ls | echo',
  'time ls',
  '! ls x',
  '(ls)',
  '{ ls; git status; }',
  'git status',
  'git status --short --branch',
  'git status -- src',
  'git   status',
  'LANG=C git status',
  'NO_COLOR=1 LC_ALL=C ls',
  'git status && echo "clean" || echo "dirty"',
  'git status; ls; echo done',
  'cd src && ls',
  'cd src && ls ../test',
  'cd src && cd .. && ls',
  'set -e; ls',
  'echo hello world',
  'echo "$x"',
  'echo $HOME $PATH $?',
  'echo "${x:-none}"',
  'echo $((1 + 2))',
  'i=1; echo $((i + 1))',
  'echo "$(git status --short)"',
  "echo 'it costs $(nothing)'",
  'echo "a > b; rm x"',
  "echo $'a\\tb'",
  'echo https://example.com/a?b=c',
  'echo /etc/passwd',
  'echo <<< text',
  'for f in a b; do echo "$f"; done',
  'for ((i=0; i<3; i++)); do echo $i; done',
  'if [ -f package.json ]; then echo yes; else echo no; fi',
  '[[ -d src ]] && ls src',
  'case "$x" in a) echo a;; *) echo b;; esac',
  'while true; do ls; break; done',
  'true && ls',
  'echo .env',
  'ls .env.example',
  'ls <(echo x)',
]

test('everyday commands pass', () => {
  const stopped = harmless.filter((command) => !isAllowed(command))
  assert.deepEqual(stopped, [])
})
