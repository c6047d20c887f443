// What a call about files is given may lead out of the project by any of its fields, and by any way to read them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToolKind } from '../model/vocabulary.ts'
import type { Ask } from './contract.ts'
import { broker, decision, file, scene } from './support.test.ts'

const links: Record<string, string> = { '/p/out': '/etc', '/p/src/up': '/x/y' }
const realPath = (path: string): string => {
  const link = Object.keys(links).find((one) => path === one || path.startsWith(`${one}/`))
  return link === undefined ? path : links[link] + path.slice(link.length)
}
const settings = { scene: { ...scene, realPath } }

/** As the adapters of agents make it; without the paths that they find themselves. */
const call = (name: string, toolKind: ToolKind, permission: string, input: unknown, more: Partial<Ask> = {}): Ask => ({
  ...file(permission, 'x'),
  name,
  toolKind,
  input,
  paths: [],
  changes: toolKind === 'edit',
  ...more,
})
const grep = (input: unknown, name = 'Grep', more?: Partial<Ask>): Ask => call(name, 'search', 'grep', input, more)
const glob = (input: unknown, name = 'Glob', more?: Partial<Ask>): Ask => call(name, 'search', 'glob', input, more)
const read = (input: unknown, name = 'Read', more?: Partial<Ask>): Ask => call(name, 'read', 'read', input, more)
const verdict = (ask: Ask, rules: readonly string[] = []): string => decision(broker(rules, settings), ask)

/** Nested so many times. */
const deep = (value: unknown, times: number): unknown => (times === 0 ? value : { more: deep(value, times - 1) })

const outside: Record<string, Ask[]> = {
  'more than is looked at': [
    grep({ pattern: 'x', glob: `${'a/'.repeat(3000)}../../etc/*` }),
    grep({ pattern: 'x', options: deep({ glob: '/etc/*' }, 12) }),
  ],
  'a field beside the pattern': [
    grep({ pattern: 'x', glob: '/etc/*' }),
    grep({ pattern: 'x', glob: '/etc' }),
    grep({ pattern: 'x', glob: '/**' }),
    grep({ pattern: 'x', path: '.', glob: '../x' }),
    grep({ pattern: 'x', path: 'src', glob: '../../x' }),
    grep({ pattern: 'x', include: '/etc/**' }, 'grep'),
    grep({ pattern: 'x', include_pattern: '../*' }, 'grep_search'),
    grep({ pattern: 'x', includePattern: '../*' }, 'codeSearch'),
    grep({ pattern: 'x', globs: ['*.ts', '/etc/*'] }, 'rg'),
    grep({ pattern: 'x', options: { glob: '/etc/*' } }),
    grep({ pattern: 'x', glob: { one: '/etc/*' } }),
    grep({ pattern: 'x', glob_pattern: '/etc/*' }, 'Searching'),
    grep({ query: 'x', include: ['../../y'] }, 'Search for x'),
    grep({ pattern: '/etc/*' }, 'Search for x'),
    glob({ glob: '*.ts', pattern: '/etc/*' }),
    glob({ pattern: '*.ts', patterns: ['/etc/*'] }),
    glob({ query: '/etc/*' }, 'findFiles'),
    read({ paths: ['src'], include: ['out/**'] }, 'read_many_files'),
    read({ paths: ['{/etc,src}/*'] }, 'read_many_files'),
  ],
  'several patterns in one': [
    grep({ pattern: 'x', glob: '*.ts /etc/*' }),
    grep({ pattern: 'x', glob: '*.ts,/etc/*' }),
    grep({ pattern: 'x', glob: '{*.ts,/etc/*}' }),
    grep({ pattern: 'x', glob: '{src,{..,a}}/x' }),
    grep({ pattern: 'x', glob: `{${'a,'.repeat(99)}b}` }),
    grep({ pattern: 'x', glob: '!!/etc/*' }),
  ],
  'a pattern that is spelt otherwise': [
    '~/**',
    '~root/**',
    '$HOME/**',
    '${HOME}/x',
    '**/../../../*',
    'src/../../x',
    '[.][.]/x',
    '.[.]/x',
    '\\.\\./x',
    '..\\..\\x',
    'C:\\Users\\*',
    'c:/Users/*',
    '\\\\host\\share\\*',
    '%2e%2e/%2e%2e/*',
    'file:///etc/*',
    'FILE:/%65tc/*',
    'file://host/etc/*',
    ' /etc/*',
    '@(../..)/x',
    '?(a|..)/x',
    'src/*\0/x',
    'out/*',
    'out/{passwd,group}',
    'src/up/*',
  ].flatMap((pattern) => [glob({ pattern }), grep({ pattern: 'x', glob: pattern })]),
  'a path that some tools read otherwise': [
    ' /etc/passwd',
    '\t../x',
    '/etc/passwd\n',
    '~root/x',
    '$HOME/x',
    '%2e%2e/x',
    '..%2fx',
    '..\\x',
    'C:\\x',
    'a\0b',
    'out/../x',
    '/p/src/up/../x',
  ].map((path) => read({ file_path: path })),
}

for (const [group, asks] of Object.entries(outside)) {
  test(`a search or a read that leaves the project is asked about: ${group}`, () => {
    const passed = asks.filter((ask) => verdict(ask) !== 'reject').map(({ name, input }) => `${name} ${JSON.stringify(input)}`)
    assert.deepEqual(passed, [])
    const leave = ['external_directory=allow', 'secret_file=allow']
    assert.deepEqual(
      asks.filter((ask) => verdict(ask, leave) !== 'allow').map(({ input }) => input),
      [],
    )
  })
}

test('a change is judged by the same readings', () => {
  const rules = ['write=allow', 'edit=allow']
  for (const path of [' /etc/x', '..%2fx', 'out/../x', '..\\x', ' .git/config'])
    assert.equal(verdict(call('Write', 'edit', 'write', { file_path: path, content: '' }), rules), 'reject', path)
  for (const content of [' /etc/x', 'C:\\x', '$HOME/x', '../a'])
    assert.equal(verdict(call('Write', 'edit', 'write', { file_path: 'a', content }), rules), 'allow', content)
})

test('a patch is judged by every file that its text names, whatever stands beside it', () => {
  const patch = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
  const one = (text: string, key = 'patch'): string =>
    verdict(call('apply_patch', 'edit', 'edit', { path: '/p/src/a', [key]: text }, { patterns: ['/p/src/a'] }), ['edit:src/*=allow'])
  assert.equal(one(patch('*** Update File: src/a', '@@', '-x', '+y')), 'allow')
  for (const line of ['Update File: /etc/x', 'Add File: lib/x', 'Delete File: src/../lib/x', 'Add File: .git/hooks/x', 'Move to: out/x'])
    for (const key of ['patch', 'patchText', 'input'])
      assert.equal(one(patch('*** Update File: src/a', `*** ${line}`), key), 'reject', line)
})

test('a secret that a search of contents names is asked about, and one that it only may meet is not', () => {
  for (const pattern of ['.env', '**/.env*', 'keys/*.pem', '**/id_rsa', '{a,.env}', '.ssh/**'])
    assert.equal(verdict(grep({ pattern: 'x', glob: pattern })), 'reject', pattern)
  for (const pattern of ['*', '**/*', '*.json', 'src/*', '.github/**', '!.env', '*.{ts,tsx}', '.eslintrc*'])
    assert.equal(verdict(grep({ pattern: 'x', glob: pattern })), 'allow', pattern)
  assert.equal(verdict(glob({ pattern: '**/.env*' })), 'allow') // it only lists names
})

test('everyday searches and reads pass', () => {
  const asks = [
    glob({ pattern: '**/*.test.ts' }),
    glob({ pattern: 'src/{a,b}/**/*.ts', path: '/p' }),
    glob({ pattern: '/p/src/**' }),
    glob({ pattern: 'app/[...slug]/page.tsx' }),
    glob({ pattern: 'app/\\[id\\]/*.tsx' }),
    glob({ pattern: '\\*.ts' }),
    glob({ pattern: 'src/../test/*.ts' }),
    glob({ pattern: 'app/routes/$id.tsx' }),
    grep({ pattern: '^/api/../x', glob: '*.{ts,tsx}' }),
    grep({ pattern: '/etc/passwd', path: 'src' }),
    grep({ pattern: 'from "\\.\\./', glob: 'src/**' }),
    grep({ pattern: 'x', glob: '/*.ts' }),
    glob({ pattern: '../*', path: 'src' }),
    grep({ pattern: '~/x', glob: '!node_modules/**' }),
    grep({ pattern: 'x', glob: '!../x', exclude: '/etc/*', excludePattern: '../x' }),
    grep({ pattern: 'x', path: 'my notes', glob: 'a b/*.md' }),
    grep({ query: '../x', include: 'src\\a\\*.ts' }, 'codesearch'),
    read({ file_path: 'src/../test/a b.ts' }),
    read({ file_path: 'docs/100%.md' }),
    read({ file_path: 'docs/a%20b.md' }),
    read({ path: 'app/[id]/page.tsx', view_range: [1, 2] }),
    read({ paths: ['src/**', 'test/*.ts'], exclude: ['/etc'] }, 'read_many_files'),
  ]
  assert.deepEqual(
    asks.filter((ask) => verdict(ask) !== 'allow').map(({ input }) => input),
    [],
  )
})

test('relative names are seen from where the agent works', () => {
  const one = (glob: string, cwd?: string): string => verdict(grep({ pattern: 'x', glob }, 'Grep', cwd === undefined ? {} : { cwd }))
  assert.equal(one('../lib/*', '/p/src'), 'allow')
  assert.equal(one('../../x/*', '/p/src'), 'reject')
  assert.equal(one('../lib/*'), 'reject')
})
