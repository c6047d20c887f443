// What an agent names when it asks, wherever it names it, is what the rules are asked about.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { EventOf } from '../src/model/event.ts'
import { makeEvent } from '../src/model/make.ts'
import type { ToolKind } from '../src/model/vocabulary.ts'
import type { Ask } from '../src/supervise/contract.ts'
import { createBroker } from '../src/supervise/permission.ts'
import { defaultRules, parseRule } from '../src/supervise/rules.ts'
import { askFor } from '../src/agents/ask.ts'
import { readAsked } from '../src/agents/acp/asked.ts'

const root = '/home/dev/project'
const scene = { root, home: '/home/dev', realPath: (path: string) => path }

type Call = { kind: ToolKind; name?: string; title?: string; rawInput?: unknown; locations?: unknown; content?: unknown }

function asked({ kind, name = kind, ...call }: Call): Ask {
  const event = makeEvent(
    'permission.request',
    { id: '1', name, toolKind: kind, input: call.rawInput, options: [] },
    {},
  ) as EventOf<'permission.request'>
  readAsked({ jsonrpc: '2.0', id: 1, method: 'session/request_permission', params: { toolCall: { kind, ...call } } }, event)
  return askFor({ id: '1', place: {}, name, toolKind: event.toolKind!, input: event.input }, 'default', root)
}

function decided(call: Call, rules: readonly string[] = []): string {
  const all = [...defaultRules, ...rules.map(parseRule)]
  const settled = createBroker({ rulesFor: () => all, scene, interactive: () => false }).decide(asked(call))
  return 'answer' in settled ? `${settled.answer.decision} ${settled.answer.by}` : 'asked'
}

const shadow = '/etc/shadow'
const read = (rawInput?: unknown): Call => ({ kind: 'read', title: 'Read /etc/shadow', rawInput })
const at = (...paths: string[]): { path: string }[] => paths.map((path) => ({ path }))

const outside: Call[] = [
  { kind: 'read', locations: at(`${root}/a`, shadow) },
  { kind: 'read', rawInput: { path: 'a' }, locations: at(shadow) },
  { kind: 'read', rawInput: 'a', locations: at(shadow) },
  ...['path', 'PATH', 'filePath', 'file', 'fileName', 'absolute_path', 'target', 'name', 'uri'].map((key) => read({ [key]: shadow })),
  ...['uri', 'url', 'path', 'other'].map((key) => read({ [key]: 'file:///etc/sha%64ow' })),
  ...['path', 'paths', 'files', 'other'].map((key) => read({ path: 'a', [key]: ['b', shadow] })),
  read({ path: 'a', other: { deep: [{ file: shadow }] } }),
  read({ path: 'a', [shadow]: {} }),
  read({ path: `../../..${shadow}` }),
  read(shadow),
  read([shadow]),
  { kind: 'search', rawInput: { pattern: 'x', directory: '/etc/shadow' } },
  { kind: 'think', name: 'todowrite', rawInput: {}, locations: at(shadow) },
]
const shell: Call[] = [
  { kind: 'search', rawInput: { command: 'rm -rf /', pattern: 'x' } },
  { kind: 'read', rawInput: { command: ['bash', '-lc', 'cat /etc/shadow'] } },
  { kind: 'read', rawInput: { path: 'a', command: 'date' } },
  { kind: 'read', rawInput: { path: 'a', commandLine: 'date' } },
  { kind: 'read', rawInput: { path: 'a', command: { run: 'date' } } },
  { kind: 'execute', rawInput: { command: 'ls', cmd: 'date' } },
  { kind: 'fetch', rawInput: { url: 'https://example.org', command: 'date' } },
  { kind: 'plan', rawInput: { command: 'date' } },
]
const unread: Call[] = [
  read(),
  read(null),
  read({}),
  read('a'),
  read(7),
  read({ path: 7 }),
  read({ path: { is: 'a' } }),
  read({ path: 'a', uri: 'https://example.org' }),
  read({ path: 'a', uri: 'file://elsewhere/a' }),
  { kind: 'search' },
  { kind: 'edit', name: 'edit', rawInput: {} },
  { kind: 'other', name: 'read', rawInput: {} },
]

test('every path that a question names is judged, and the strictest answer counts', () => {
  for (const call of outside) {
    assert.equal(decided(call), 'reject headless', JSON.stringify(call))
    assert.equal(decided(call, ['secret_file=deny']), 'reject rule', JSON.stringify(call))
    assert.equal(decided(call, ['external_directory=deny']), 'reject rule', JSON.stringify(call))
  }
})

test('a command that is named is one of the shell, and changes something, whatever kind the call is said to be', () => {
  for (const call of shell) {
    assert.equal(decided(call, ['*=allow', 'bash=ask']), 'reject headless', JSON.stringify(call))
    assert.equal(decided(call, ['*=allow', 'bash=deny']), 'reject rule', JSON.stringify(call))
  }
  assert.equal(asked(shell[0]!).changes, true)
  assert.equal(decided(shell[2]!, ['bash:date=allow']), 'allow rule')
})

test('a question of which nothing can be read is not allowed by a rule for all that can be', () => {
  for (const call of unread) {
    assert.equal(decided(call, ['edit=allow']), 'reject headless', JSON.stringify(call))
    assert.equal(decided(call, ['edit=allow', 'external_directory=deny']), 'reject rule', JSON.stringify(call))
    assert.equal(decided(call, ['*=allow']), 'allow rule', JSON.stringify(call))
  }
})

test('what shows a change is a change, though it is said to be a read', () => {
  const call: Call = { kind: 'read', rawInput: { path: 'a' }, content: [{ type: 'diff', path: '/etc/passwd', newText: '' }] }
  const { permission, changes, paths } = asked(call)
  assert.deepEqual([permission, changes, paths], ['edit', true, [`${root}/a`, '/etc/passwd']])
  assert.equal(decided(call, ['edit=allow']), 'reject headless')
})

test('what looks at the project is allowed as before', () => {
  const calls: Call[] = [
    { kind: 'read', rawInput: { path: 'a' }, locations: at(`${root}/a`) },
    { kind: 'read', locations: at(`${root}/a`, 'b') },
    { kind: 'read', rawInput: { file_path: 'a', offset: 1, limit: 3 } },
    { kind: 'read', rawInput: { uri: `file://${root}/a` } },
    { kind: 'read', rawInput: { command: 'view', path: 'a' } },
    { kind: 'search', name: 'Grep', rawInput: { pattern: '/etc/.*', path: '.', glob: '/*.ts' } },
    { kind: 'search', name: 'Glob', rawInput: { pattern: '*' } },
    { kind: 'search', rawInput: { pattern: 'x', path: 'src' } },
    { kind: 'task', name: 'task', rawInput: { prompt: '/etc/x' } },
    { kind: 'plan', name: 'todowrite', rawInput: { todos: [] } },
    { kind: 'skill', name: 'skill', rawInput: { command: 'pdf' } },
  ]
  for (const call of calls) assert.equal(decided(call), 'allow rule', JSON.stringify(call))
  assert.equal(decided({ kind: 'other', name: 'mcp__db__do', rawInput: { command: 'GET' } }, ['mcp__*=allow']), 'allow rule')
})

test('a pattern of files that leads out of the project needs what a path there needs', () => {
  const glob = (pattern: string, path?: string): string => decided({ kind: 'search', name: 'Glob', rawInput: { pattern, path } })
  for (const pattern of [
    '/etc/*',
    '/etc/passwd',
    '../../../etc/*',
    '{src,../x}/*',
    '{/etc,src}/*',
    'src/*/../../../x',
    '.{,a}./*',
    '~/x/*',
  ])
    assert.equal(glob(pattern), 'reject headless', pattern)
  assert.equal(glob(String.raw`\.\./*`), 'reject headless')
  assert.equal(glob('../../*', 'src'), 'reject headless')
  assert.equal(glob('{'.repeat(3) + 'a,b}'.repeat(3) + '{a,b}'.repeat(9)), 'reject headless')
  for (const pattern of ['**', '**/*.{ts,tsx}', 'src/[ab]*.ts', `${root}/src/**`, './*']) assert.equal(glob(pattern), 'allow rule', pattern)
  assert.equal(glob('../*', 'src'), 'allow rule')
})
