// Attempts to run something, or to write or send a file, behind `PROGRAM *` rules: none passes, whatever the spelling.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { bash, broker, decision, settled } from './support.test.ts'

/** By group: commands that are refused under a `PROGRAM *` rule for each program in them. */
const attacks = JSON.parse(readFileSync(new URL('../../fixtures/shell/tricks.json', import.meta.url), 'utf8')) as Record<string, string[]>

const all = Object.values(attacks).flat()
/** The program itself, what it is started with, and harmless ones that are run in its turn. */
const nameOf = (text: string): string => text.replace(/^(echo evil \| |ls \| |[A-Z_]+=\S+ )/, '').replace(/ .*/s, '')
const rules = [...new Set([...all.map(nameOf), 'ls', 'echo', 'pip', 'tsc'])].map((name) => `bash:${name} *=allow`)

for (const [group, commands] of Object.entries(attacks)) {
  test(`a rule for a program covers only what is known of it: ${group}`, () => {
    const passed = commands.filter((text) => decision(broker(rules), bash(text)) === 'allow')
    assert.deepEqual(passed, [])
  })
}

test('under a rule for everything all of that is allowed, but for secrets and paths outside', () => {
  const free = broker(['bash=allow', 'write=allow', 'external_directory=allow', 'secret_file=allow', 'unknown_path=allow'])
  assert.deepEqual(
    all.filter((text) => decision(free, bash(text)) !== 'allow'),
    [],
  )
  assert.ok(all.length >= 300)
})

test('a rule that is this very command, or the whole line, allows it and nothing more', () => {
  const one = broker(['bash:git -c core.pager=x log=allow', 'bash:FOO=1 npm run x | tee log=allow', 'bash:watch ls=allow'])
  for (const text of ['git -c core.pager=x log', 'FOO=1 npm run x | tee log', ' watch  ls ', 'watch ls && git -c core.pager=x log'])
    assert.equal(decision(one, bash(text)), 'allow', text)
  for (const text of ['git -c core.pager=x log -p', 'FOO=2 npm run x | tee log', 'FOO=1 npm run x', 'watch ls; rm x'])
    assert.equal(decision(one, bash(text)), 'reject', text)
  const denied = broker(['bash:rm x && git st=allow', 'bash:rm *=deny'])
  assert.equal(decision(denied, bash('rm x && git st')), 'reject')
  assert.equal(decision(broker(['bash:git *=allow']), bash('git *')), 'reject')
})

test('the refusal names the word that is not known, and an "always" is for this very command', () => {
  const { answer } = settled(broker(['bash:git *=allow']).decide(bash('git push --e=./evil')))
  assert.match(answer.text ?? '', /bash "git push --e=\.\/evil" \(git push is not known to be harmless with "--e"\)/)
  assert.match(answer.text ?? '', /--permission 'bash:git push --e=\.\/evil=allow'/)
})

test('a program in no table is covered by its rule, with all options', () => {
  const one = broker(['bash:mytool *=allow'])
  assert.equal(decision(one, bash('mytool --exec=./x --any "$Y"')), 'reject') // the path of $Y
  assert.equal(decision(one, bash('mytool --exec=./x -c y')), 'allow')
})
