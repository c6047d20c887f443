// What Claude's lists of tools and its modes come to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRules, formatRule, judge } from '../../supervise/rules.ts'
import { splitTools, toolRules, withMode } from './rules.ts'

const ground = { cwd: '/work/app', root: '/work' }
const said = (text: string): string[] => toolRules(text, 'allow', ground).map((rule) => formatRule(rule).replace(/=allow$/, ''))

test('a list of tools is split at commas and spaces, but not inside a pattern', () => {
  assert.deepEqual(splitTools('Bash(git commit -m:*), Read,Edit(src/**)  Glob'), ['Bash(git commit -m:*)', 'Read', 'Edit(src/**)', 'Glob'])
  assert.deepEqual(splitTools(' , '), [])
})

test("Claude's tools become permissions with patterns", () => {
  assert.deepEqual(said('Bash'), ['bash'])
  assert.deepEqual(said('Bash(ls:*)'), ['bash:ls *'])
  assert.deepEqual(said('Bash(npm run test)'), ['bash:npm run test'])
  assert.deepEqual(said('Edit'), ['edit', 'write'])
  assert.deepEqual(said('mcp__my.server__add'), ['my_server_add'])
  assert.deepEqual(said('mcp__calc'), ['calc_*'])
  assert.deepEqual(said('WebFetch(domain:example.com)'), [
    'webfetch:http://example.com',
    'webfetch:http://example.com/*',
    'webfetch:https://example.com',
    'webfetch:https://example.com/*',
  ])
})

test('paths are those of the working folder, of the project, of the disk, or anywhere', () => {
  assert.deepEqual(said('Read(src/**)'), ['read:app/src/*'])
  assert.deepEqual(said('Read(/src/a.ts)'), ['read:src/a.ts', 'read:src/a.ts/*'])
  assert.deepEqual(said('Read(//etc/hosts)'), ['read:/etc/hosts', 'read:/etc/hosts/*'])
  assert.deepEqual(said('Read(../../else/**)'), ['read:/else/*'])
  assert.deepEqual(said('Read(.env)'), ['read:app/.env', 'read:app/.env/*', 'read:*/.env', 'read:*/.env/*'])
})

test('a mode opens what rules leave open, and never what one denies', () => {
  const written = [...defaultRules, ...toolRules('Edit(keep/**)', 'deny', { cwd: '/work', root: '/work' })]
  const action = (mode: Parameters<typeof withMode>[1], permission: string, pattern: string): string =>
    judge(withMode(written, mode), permission, pattern).action
  assert.equal(action('default', 'edit', 'a.ts'), 'ask')
  assert.equal(action('acceptEdits', 'edit', 'a.ts'), 'allow')
  assert.equal(action('acceptEdits', 'bash', 'ls'), 'ask')
  assert.equal(action('acceptEdits', 'edit', 'keep/a.ts'), 'deny')
  assert.equal(action('bypassPermissions', 'bash', 'ls'), 'allow')
  assert.equal(action('bypassPermissions', 'edit', 'keep/a.ts'), 'deny')
  assert.equal(action('plan', 'bash', 'ls'), 'deny')
  assert.equal(action('plan', 'read', 'a.ts'), 'allow')
  assert.equal(action('dontAsk', 'bash', 'ls'), 'deny')
})
