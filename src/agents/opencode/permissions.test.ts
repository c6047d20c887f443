import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { askingPermissions, guardingPermissions } from './permissions.ts'

function place(t: TestContext, files: Record<string, string> = {}, permissions = askingPermissions) {
  const home = mkdtempSync(join(tmpdir(), 'sluice-'))
  t.after(() => rmSync(home, { recursive: true }))
  const cwd = join(home, 'project')
  mkdirSync(cwd)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(home, name, '..'), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  return (more: Record<string, string> = {}) => JSON.parse(permissions(cwd, { HOME: home, ...more }) ?? 'null') as unknown
}

const all = { edit: 'ask', bash: 'ask', webfetch: 'ask', websearch: 'ask' }

test('it is made to ask where nobody has a word on it', (t) => {
  assert.deepEqual(place(t)(), all)
})

test('a relative path is taken from where it works, not from where we do', (t) => {
  const files = {
    'project/at/.config/opencode/opencode.json': '{"permission": {"bash": "deny"}}',
    'project/own.json': '{"permission": "ask"}',
  }
  assert.deepEqual(place(t, files)({ HOME: 'at' }), { edit: 'ask', webfetch: 'ask', websearch: 'ask' })
  assert.deepEqual(place(t, files)({ XDG_CONFIG_HOME: 'at/.config' }), { edit: 'ask', webfetch: 'ask', websearch: 'ask' })
  assert.equal(place(t, files)({ OPENCODE_CONFIG: 'own.json' }), null)
})

test("a person's word stands, wherever it was said", (t) => {
  const files = {
    '.config/opencode/opencode.jsonc': '{ // mine\n "permission": { "bash": "deny", }, }',
    'project/opencode.json': '{"permission": {"edit": "allow"}, "tools": {"webfetch": false}}',
  }
  assert.deepEqual(place(t, files)(), { websearch: 'ask' })
  assert.deepEqual(place(t)({ OPENCODE_CONFIG_CONTENT: '{"permission":{"bash":"deny"}}' }), {
    edit: 'ask',
    webfetch: 'ask',
    websearch: 'ask',
  })
  assert.deepEqual(place(t)({ OPENCODE_PERMISSION: '{"bash":"deny","task":"deny"}' }), {
    bash: 'deny',
    task: 'deny',
    edit: 'ask',
    webfetch: 'ask',
    websearch: 'ask',
  })
})

test('who has said something about everything has said all', (t) => {
  assert.equal(place(t, { 'project/.opencode/opencode.json': '{"permission": {"*": "allow", "bash": "deny"}}' })(), null)
  assert.equal(place(t, { 'project/opencode.json': '{"permission": "allow"}' })(), null)
})

test('patterns stand, and what they leave open is asked about', (t) => {
  const files = { 'project/opencode.json': '{"permission": {"bash": {"git *": "allow", "rm *": "deny"}, "edit": {"*": "deny"}}}' }
  assert.deepEqual(place(t, files)(), {
    '?ash': { '*': 'ask', 'git *': 'allow', 'rm *': 'deny' },
    webfetch: 'ask',
    websearch: 'ask',
  })
})

test('tools of other servers are asked about', (t) => {
  const files = { 'project/opencode.json': '{"mcp": {"my.files": {}, "known": {}}, "permission": {"known_*": "allow"}}' }
  assert.deepEqual(place(t, files)(), { ...all, 'my_files_*': 'ask' })
})

test('what cannot be read is left to opencode', (t) => {
  assert.deepEqual(place(t, { 'project/opencode.json': '{"permission": ' })(), all)
})

test('where a rule must hold, what the settings allow is asked for and what they deny stays denied', (t) => {
  const settings = {
    permission: { bash: { 'git *': 'allow', 'rm *': 'deny' }, edit: 'allow', webfetch: 'deny' },
    mcp: { 'my server': {} },
  }
  const files = { '.config/opencode/opencode.json': JSON.stringify(settings) }
  const said = place(t, files, guardingPermissions)() as Record<string, unknown>
  assert.deepEqual(said['?ash'], { '*': 'ask', 'git *': 'ask', 'rm *': 'deny' })
  assert.deepEqual([said['?dit'], said['?ebfetch'], said['?ead'], said['?y_server_*']], ['ask', 'deny', 'ask', 'ask'])
  const open = place(t, { 'project/opencode.json': '{"permission": "allow"}' }, guardingPermissions)() as Record<string, unknown>
  assert.equal(open['**'], 'ask')
  assert.ok(!Object.values(open).includes('allow'))
})
