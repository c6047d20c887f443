import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { overlap } from '../base/wildcard.ts'
import type { PermissionRule } from './contract.ts'
import { defaultRules, formatRule, judge, judgeReach, judgeUnknown, matches, parseRule, toolHidden } from './rules.ts'

const rules = (...texts: string[]): PermissionRule[] => texts.map(parseRule)

test('the name of a permission is the same in small and large letters, its pattern is not', () => {
  assert.equal(judge(rules('bash=allow', 'Bash=deny'), 'bash', 'ls').action, 'deny')
  assert.equal(judge(rules('*=ask', 'Mcp__X__*=deny'), 'mcp__x__Read', '').action, 'deny')
  assert.equal(judge(rules('bash=ask', 'Bash:LS=allow'), 'bash', 'ls').action, 'ask')
  assert.equal(judgeReach(rules('bash=allow', 'BASH:rm *=deny'), 'bash', 'rm x', 'rm *').action, 'deny')
  assert.ok(toolHidden(rules('Bash=deny'), 'bash'))
})

test('a star is any run of characters, a question mark is one, the rest is literal', () => {
  const cases: [pattern: string, text: string, expected: boolean][] = [
    ['*', '', true],
    ['*', 'a\nb/c', true],
    ['src/*', 'src/a/b.ts', true],
    ['src/*', 'lib/src/a', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a.c', 'abc', false],
    ['(a|b)', 'a', false],
    ['*.env', '.env', true],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b*c', 'aXbY', false],
    ['', '', true],
    ['', 'a', false],
    ['ls', 'LS', false],
    ['[ab]', 'a', false],
    ['\\*', '\\abc', true],
  ]
  for (const [pattern, text, expected] of cases) assert.equal(matches(pattern, text), expected, `${pattern} on ${text}`)
})

test('a last star behind a space may be missing', () => {
  assert.ok(matches('ls *', 'ls'))
  assert.ok(matches('ls *', 'ls -la'))
  assert.ok(!matches('ls *', 'lsof'))
  assert.ok(!matches('ls *', 'ls\t-la'))
  assert.ok(!matches('ls*x', 'ls'))
})

test('the home folder may be written as ~ or $HOME at the start of a pattern', () => {
  for (const pattern of ['~/notes/*', '$HOME/notes/*']) assert.ok(matches(pattern, '/home/me/notes/a', '/home/me'))
  for (const pattern of ['~', '$HOME']) assert.ok(matches(pattern, '/home/me', '/home/me'))
  assert.ok(!matches('~x', '/home/mex', '/home/me'))
  assert.ok(!matches('a/~/b', 'a//home/me/b', '/home/me'))
})

test('a hostile pattern takes no time', () => {
  const started = performance.now()
  assert.ok(!matches('a*'.repeat(200) + 'b', 'a'.repeat(20_000)))
  assert.ok(performance.now() - started < 2000)
})

test('matching agrees with a regular expression', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', ' ', '*', '?'), { maxLength: 8 }).map((all) => all.join(''))
  const texts = fc.array(fc.constantFrom('a', 'b', ' '), { maxLength: 10 }).map((all) => all.join(''))
  fc.assert(
    fc.property(letters, texts, (pattern, text) => {
      const source = (part: string): string => part.replaceAll('*', '[^]*').replaceAll('?', '[^]')
      const tailless = pattern.endsWith(' *') ? `|${source(pattern.slice(0, -2))}` : ''
      assert.equal(matches(pattern, text), new RegExp(`^(?:${source(pattern)}${tailless})$`).test(text))
    }),
  )
})

test('patterns overlap when some text matches both', () => {
  const part = (choices: string[], maxLength: number) => fc.array(fc.constantFrom(...choices), { maxLength }).map((all) => all.join(''))
  fc.assert(
    fc.property(part(['a', 'b', ' ', '*', '?'], 6), part(['a', 'b', ' ', '*', '?'], 6), part(['a', 'b', ' '], 8), (a, b, text) => {
      if (matches(a, text) && matches(b, text)) assert.ok(overlap(a, b), `${a} and ${b} share ${text}`)
    }),
  )
  assert.ok(!overlap('git push *', 'git status *'))
  assert.ok(!overlap('*.ts', '*.pem'))
  assert.ok(overlap('git *', 'git push *'))
})

test('the last rule that matches wins, in both directions', () => {
  assert.equal(judge(rules('bash=deny', 'bash:ls *=allow'), 'bash', 'ls -la').action, 'allow')
  assert.equal(judge(rules('bash:ls *=allow', 'bash=deny'), 'bash', 'ls -la').action, 'deny')
  assert.equal(judge(rules('*=allow', 'mcp_*=deny'), 'mcp_mail_send', 'x').action, 'deny')
  assert.equal(judge(rules('bash=allow'), 'write', 'x').action, 'ask')
  assert.deepEqual(judge([], 'bash', 'ls'), { action: 'ask' })
})

test('without other rules, looking is allowed and doing is asked', () => {
  const action = (permission: string): string => judge(defaultRules, permission, 'anything').action
  for (const name of ['read', 'glob', 'grep', 'skill', 'todowrite', 'task']) assert.equal(action(name), 'allow', name)
  for (const name of ['bash', 'write', 'edit', 'webfetch', 'external_directory', 'secret_file', 'mail_send'])
    assert.equal(action(name), 'ask', name)
})

test('what is partly known is allowed only if no later rule could say otherwise', () => {
  const list = rules('bash:git *=allow', 'bash:git push *=deny')
  assert.equal(judgeReach(list, 'bash', 'git $x', 'git *').action, 'ask')
  assert.equal(judgeReach(list, 'bash', 'git status $x', 'git status *').action, 'allow')
  assert.equal(judgeReach(rules('bash:git push *=deny', 'bash:git *=allow'), 'bash', 'git $x', 'git *').action, 'allow')
})

test('what is not known at all is allowed only by a rule for everything, and not beside a narrower deny', () => {
  assert.equal(judgeUnknown(rules('bash:eval *=allow'), 'bash', 'eval "$x"').action, 'ask')
  assert.equal(judgeUnknown(rules('bash=allow'), 'bash', 'eval "$x"').action, 'allow')
  assert.equal(judgeUnknown(rules('bash=allow', 'bash:rm *=deny'), 'bash', 'eval "$x"').action, 'ask')
  assert.equal(judgeUnknown(rules('bash=allow', 'bash:eval *=deny'), 'bash', 'eval "$x"').action, 'deny')
})

test('a tool is hidden when the last word on it is a deny of everything', () => {
  assert.ok(toolHidden(rules('bash=deny'), 'bash'))
  assert.ok(!toolHidden(rules('bash=deny', 'bash:ls *=allow'), 'bash'))
  assert.ok(!toolHidden(rules('bash:rm *=deny'), 'bash'))
  assert.ok(toolHidden(rules('mail_*=deny'), 'mail_send'))
  assert.ok(!toolHidden([], 'bash'))
})

test('a rule of the command line is read: the pattern may hold colons and equals signs', () => {
  assert.deepEqual(parseRule('bash=deny'), { permission: 'bash', pattern: '*', action: 'deny' })
  assert.deepEqual(parseRule('bash:git *=allow'), { permission: 'bash', pattern: 'git *', action: 'allow' })
  assert.deepEqual(parseRule('webfetch:https://a.example/?q=1=ask'), {
    permission: 'webfetch',
    pattern: 'https://a.example/?q=1',
    action: 'ask',
  })
  for (const text of ['bash:git *=allow', 'bash=deny']) assert.equal(formatRule(parseRule(text)), text)
})

test('a rule that cannot be read says what is wrong and what to write', () => {
  assert.throws(() => parseRule('bash'), /says no action: write PERMISSION/)
  assert.throws(() => parseRule('bash=alow'), /unknown action "alow"; did you mean allow\?/)
  assert.throws(() => parseRule('bash=sometimes-perhaps'), /for example 'bash:git \*=allow'/)
  assert.throws(() => parseRule(':x=allow'), /names no permission/)
  assert.throws(() => parseRule('bash:=allow'), /empty pattern/)
})
