// `sluice completion`: each script in the shell that it is for, with the same questions and the same answers.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { optionsByHeading } from '../src/cli/options.ts'
import { allSpecs } from '../src/cli/specs.ts'
import { needDebian } from './debian.ts'
import { sluice } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-completion-'))
after(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'unusual name.ndjson'), '')
mkdirSync(join(folder, 'unusual-folder'))

/** What is typed, and what it can only become. */
const cases: readonly [typed: string, becomes: string][] = [
  ['sluice conv', 'convert'],
  ['sluice help conv', 'convert'],
  ['sluice completion fi', 'fish'],
  ['sluice schema conf', 'config'],
  ['sluice model ser', 'serve'],
  ['sluice model serve --po', '--port'],
  ['sluice model serve unusual\\ n', 'unusual name.ndjson'],
  ['sluice run --form', '--format'],
  ['sluice run --format pre', 'pretty'],
  ['sluice run --agent cod', 'codex'],
  ['sluice digest --format mark', 'markdown'],
  ['sluice digest --fail-on den', 'denied'],
  ['sluice convert --to ave', 'avenor'],
  ['sluice convert --from aut', 'auto'],
  ['sluice watch --only mile', 'milestone'],
  ['sluice watch --follow --form', '--format'],
  ['sluice watch unusual\\ n', 'unusual name.ndjson'],
  ['sluice watch --rules unusual\\ n', 'unusual name.ndjson'],
  ['sluice run --dir unus', 'unusual-folder'],
]

function scriptOf(shell: string): string {
  const { status, stdout, stderr } = sluice(['completion', shell])
  assert.equal(status, 0, stderr)
  writeFileSync(join(folder, `_${shell}`), stdout)
  return `./_${shell}` // the folder may have spaces in its name
}

function shell(name: string, args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: folder, TERM: 'dumb', LANG: 'C.UTF-8' }
  const { status, stdout, stderr, error } = spawnSync(name, args, { cwd: folder, env, encoding: 'utf8', timeout: 60_000 })
  assert.equal(status, 0, `${name}: ${error?.message ?? stderr}`)
  assert.equal(stderr, '', name)
  return stdout
}

/** The words of a command line as the shell would have them; the quotes of the last are taken off. */
const wordsOf = (typed: string): string[] => typed.match(/(?:\\.|[^ ])+/g)!.map((word) => word.replaceAll('\\', ''))

/** The line when its last word has been completed. */
const whole = (typed: string, becomes: string): string => [...wordsOf(typed).slice(0, -1), becomes].join(' ')

suite('bash', () => {
  test('completes', () => {
    const file = scriptOf('bash')
    const asked = cases.map(([typed]) => `ask ${wordsOf(typed).map(quote).join(' ')}`)
    const ask = 'ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sluice; (IFS=,; echo "${COMPREPLY[*]}"); }'
    const told = shell('bash', ['--norc', '-c', [`source ${file}`, ask, ...asked].join('\n')])
      .trimEnd()
      .split('\n')
    assert.deepEqual(
      told,
      cases.map(([, becomes]) => becomes),
    )
  })

  test('knows --option=value, all commands and all options', async () => {
    const file = scriptOf('bash')
    const ask = 'ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sluice; echo "${COMPREPLY[*]}"; }'
    const specs = await allSpecs()
    const lines = specs.map(({ name }) => `ask sluice ${name} --`)
    const script = [`source ${file}`, ask, 'ask sluice run --format = pre', 'ask sluice run --format =', "ask sluice ''", ...lines]
    const [value, values, commands, ...options] = shell('bash', ['--norc', '-c', script.join('\n')])
      .trimEnd()
      .split('\n')
    assert.deepEqual([value, values], ['pretty', 'pretty sluice claude aictrl avenor appctl acp'])
    for (const { name } of specs) assert.ok(commands!.split(' ').includes(name.split(' ')[0]!), name)
    for (const [at, { name, spec }] of specs.entries()) {
      const known = optionsByHeading(spec).flatMap(([, list]) => list.map(([option]) => `--${option}`))
      assert.deepEqual(options[at]!.split(' ').toSorted(), known.toSorted(), name)
    }
  })
})

suite('zsh', () => {
  before(() => needDebian({ zsh: 'zsh' }))
  test('completes', () => {
    const file = scriptOf('zsh')
    // A terminal of its own, in which each line is typed with a tab behind it; then its words are printed.
    const asked = cases.map(
      ([typed]) => `zpty -n -w shell ${quote(`${typed}\t\x18`)}\nzpty -r shell said $'*>>>*'\nprint -r -- "\${\${said##*<<<}%%>>>*}"`,
    )
    const script = [
      'zmodload zsh/zpty',
      'zpty shell zsh -f -i',
      'zpty -w shell "PS1=; autoload -U compinit; compinit -u -D"',
      `zpty -w shell "source ${file}"`,
      `zpty -w shell 'tell() { print -r -- "<<<\${(Q)\${(z)BUFFER}}>>>"; BUFFER= }; zle -N tell; bindkey "^X" tell; bindkey "^I" complete-word; print rea""dy'`,
      `zpty -r shell said '*ready*'`,
      ...asked,
      'zpty -d shell',
    ]
    const told = shell('zsh', ['-f', '-c', script.join('\n')])
      .trimEnd()
      .split('\n')
    for (const [at, [typed, becomes]] of cases.entries()) assert.equal(told[at]?.replace(/[=/]$/, ''), whole(typed, becomes))
  })
})

suite('fish', () => {
  before(() => needDebian({ fish: 'fish' }))
  test('completes', () => {
    const file = scriptOf('fish')
    const asked = cases.map(([typed]) => `echo (complete -C ${quote(typed)} | string split -f1 \\t | string join ,)`)
    const told = shell('fish', ['--no-config', '-c', [`source ${file}`, ...asked].join('\n')])
      .trimEnd()
      .split('\n')
    assert.deepEqual(
      told.map((words) => words.replace(/\/$/, '')),
      cases.map(([, becomes]) => becomes),
    )
  })
})

test('an unknown shell is refused', () => {
  const { status, stderr } = sluice(['completion', 'bahs'])
  assert.deepEqual([status, stderr], [2, 'sluice: "bahs" is not a shell known here; did you mean bash?\n'])
  assert.equal(sluice(['completion']).status, 2)
})

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
