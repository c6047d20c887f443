// The reports for CI as commands write them: --format of digest and validate, and their exit codes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { readLog } from './github-log.ts'
import { quote } from './quote.ts'
import { fixture, scratch, shell, sluice } from './run.ts'
import { parseJunit } from './xml.ts'

suite('--format', () => {
  const denied = fixture('claude/2.1.325/e-bash-denied.ndjson')
  const good = fixture('claude/2.1.325/a-text.ndjson')
  const cut = fixture('claude/2.1.325/r-sigterm.ndjson')

  test('digest: junit agrees with the exit code, github with both', () => {
    for (const [file, failOn, code] of [
      [denied, 'denied', 1],
      [denied, 'error', 0],
      [good, 'error,denied,finding', 0],
      [cut, 'error', 1],
    ] as const) {
      const junit = sluice(['digest', '--format', 'junit', '--fail-on', failOn, file])
      const github = sluice(['digest', '--format', 'github', '--fail-on', failOn, file])
      assert.deepEqual([junit.status, github.status], [code, code])
      assert.equal(
        parseJunit(junit.stdout).some(({ result }) => result === 'failure'),
        code === 1,
      )
      assert.equal(
        readLog(github.stdout).commands.some(({ name }) => name === 'error'),
        code === 1,
      )
    }
  })

  test('--json is --format json, and no other format', () => {
    for (const command of ['digest', 'validate']) {
      const [json, other] = [sluice([command, '--json', cut]), sluice([command, '--format', 'json', cut])]
      assert.ok(json.stdout !== '' && json.stdout === other.stdout && json.status === other.status)
      assert.equal(sluice([command, '--json', '--format', 'json', cut]).stdout, json.stdout)
      assert.match(
        sluice([command, '--json', '--format', 'junit', cut]).stderr,
        /--json is the same as --format json; give it or --format junit/,
      )
      assert.match(sluice([command, '--format', 'juint', cut]).stderr, /--format "juint" is not known; did you mean junit\?/)
    }
    assert.match(sluice(['digest', '--format', 'junit', '--classify', cut]).stderr, /--format is for the digest/)
    assert.match(sluice(['validate', '--format', 'junit', '--repair', cut]).stderr, /give one of them/)
  })

  test('the usual formats are what comes without the option', () => {
    assert.equal(sluice(['digest', '--format', 'pretty', denied]).stdout, sluice(['digest', denied]).stdout)
    assert.equal(sluice(['validate', '--format', 'plain', cut]).stdout, sluice(['validate', cut]).stdout)
  })

  test('validate: a suite a file, a case a finding, the same from one process and from two', () => {
    const ran = sluice(['validate', '--format', 'junit', good, cut, '/no/such', cut])
    assert.equal(ran.status, 2)
    const cases = parseJunit(ran.stdout).map(({ name, result }) => `${name}: ${result}`)
    const whole = 'the stream is valid'
    assert.deepEqual(cases, [`${whole}: passed`, `${whole}: failure`, 'line 1, byte 0: missing-end: failure', `${whole}: error`])
    const piped = shell(`sluice validate --format junit < ${quote(cut)}`)
    assert.equal(piped.status, 1)
    assert.equal(parseJunit(piped.stdout).length, 2)
  })

  test('validate: a warning is skipped, and with --strict it fails', () => {
    const file = scratch('new.ndjson', `${readFileSync(good, 'utf8').trimEnd()}\n{"type":"brand_new","session_id":"x"}\n`)
    const results = (...args: string[]): string[] =>
      parseJunit(sluice(['validate', '--format', 'junit', ...args, file]).stdout).map(({ result }) => result)
    assert.deepEqual(results(), ['passed', 'skipped'])
    assert.deepEqual(results('--strict'), ['failure', 'failure'])
    const { commands } = readLog(sluice(['validate', '--format', 'github', file]).stdout)
    assert.deepEqual(
      commands.map(({ name }) => name),
      ['warning'],
    )
  })

  test('validate: findings of hostile streams, files and types are annotations and nothing else', () => {
    const hostile = scratch(
      'a,b::c ##[add-mask]x%0A.ndjson',
      ['::error::x', '{"type":"\\n::add-mask::x","session_id":"x"}', '{"type":"##[add-mask]x"}', '::set-output name=a::b'].join('\n'),
    )
    for (const args of [[hostile], [hostile, hostile], [hostile, good]]) {
      const ran = sluice(['validate', '--from', 'claude', '--format', 'github', ...args])
      const { commands, lines } = readLog(ran.stdout)
      assert.ok(commands.length >= 4)
      assert.deepEqual(lines, [''])
      for (const { name, properties } of commands) {
        assert.match(name, /^(error|warning)$/)
        assert.equal(properties['file'], hostile)
        assert.match(properties['line']!, /^[1-4]$/)
      }
      assert.deepEqual(readLog(ran.stderr).commands, [])
    }
    const junit = sluice(['validate', '--from', 'claude', '--format', 'junit', hostile])
    assert.ok(parseJunit(junit.stdout).length >= 5)
    assert.deepEqual(readLog(junit.stdout).commands, [])
  })

  test('validate: of many findings the first are cases, and the rest is counted', () => {
    const { stdout, status } = sluice(['validate', '--from', 'claude', '--format', 'junit'], 'noise\n'.repeat(3000))
    const cases = parseJunit(stdout)
    assert.deepEqual([status, cases.length], [1, 1001])
    assert.match(cases[0]!.message, /3000 errors, .*; 2000 of them are not listed/)
  })

  test('validate --repair: annotations go to stderr, the stream to stdout', () => {
    const ran = sluice(['validate', '--repair', '--format', 'github', cut])
    assert.equal(sluice(['validate'], ran.stdout).status, 0)
    assert.equal(readLog(ran.stderr).commands[0]!.properties['title'], 'missing-end')
  })
})
