// sluice digest as a user runs it: the page, JSON, records with their class, rules, and exit codes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import type { Digest } from '../src/analyze/digest.ts'
import { tableAfter, textOf } from './docs.ts'
import { classOfKind } from '../src/analyze/classes.ts'
import { fixture, scratch, shell, sluice } from './run.ts'
import { quote } from './quote.ts'

const session = fixture('avenor/document/session.ndjson')
const denied = fixture('claude/2.1.325/e-bash-denied.ndjson')
const failed = fixture('claude/2.1.325/h-429.ndjson')
const json = (...args: string[]): Digest => JSON.parse(sluice(['digest', '--json', ...args]).stdout) as Digest
const log = (...records: object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('')

test('the page tells who, what and how it ended', () => {
  const { stdout, status, stderr } = sluice(['digest', fixture('claude/2.1.325/d-bash-fail.ndjson')])
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^claude-code 2\.1\.325 · claude-sonnet-4-5-20250929\n/)
  assert.match(stdout, /^tools {7}1 call, 1 failed$/m)
  assert.match(stdout, /^ {12}✗ echo partial; .* exit 3/m)
  assert.match(stdout, /^tokens {6}24 input · 68 output · 2,000 cache read · 400 cache write · \$0\.0032$/m)
})

test('of several recordings in one file each takes as long, and ends as, alone', () => {
  const lines = ['claude/2.1.325', 'opencode/1.18.33/run', 'gemini', 'copilot'].map((folder) => [folder, '.ndjson'])
  for (const [folder, end] of [...lines, ['gemini', '.chat.jsonl'], ['codex/exec', '.rollout.jsonl']]) {
    const files = ['a-text', ...(folder === 'gemini' ? ['h-400'] : []), 'b-read', 'd-bash-fail'].map((name) =>
      fixture(`${folder}/${name}${end}`),
    )
    const times = ({ sessions }: Digest) =>
      sessions.map(({ start, end: over, durationMs, longestSilence, ended }) => [start, over, durationMs, longestSilence?.ms, ended])
    const alone = files.flatMap((file) => times(json(file)))
    assert.deepEqual(times(json(scratch('all.ndjson', files.map((file) => readFileSync(file, 'utf8')).join('')))), alone, folder)
  }
})

test('records with their class are told on a terminal too', () => {
  const { stdout } = shell(`script -qec ${quote(`sluice digest --classify ${quote(session)}`)} /dev/null < /dev/null`)
  assert.equal(stdout.replaceAll('\r\n', '\n'), sluice(['digest', '--classify', session]).stdout)
})

test('from a file, from a pipe, and of any dialect it is the same', () => {
  const file = fixture('claude/2.1.325/b-read.ndjson')
  assert.deepEqual(JSON.parse(sluice(['digest', '--json', '-'], readFileSync(file)).stdout), json(file))
  assert.equal(json(fixture('opencode/1.18.33/run/b-read.ndjson')).sessions[0]!.tools[0]!.name, 'read')
  assert.equal(json('--from', 'avenor', session).sessions[0]!.ended.reason, 'end_turn')
})

test('what has no cost of its own is priced', () => {
  const { usage } = json(fixture('gemini/b-read.ndjson'))
  assert.ok(usage.pricedUsd > 0 && usage.costUsd === usage.pricedUsd)
})

suite('--classify', () => {
  test('writes every record, its own bytes, with its class as the last key', () => {
    const { stdout, status } = sluice(['digest', '--classify', session])
    const lines = readFileSync(session, 'utf8').trimEnd().split('\n')
    const tagged = stdout.trimEnd().split('\n')
    assert.equal(status, 0)
    assert.equal(tagged.length, lines.length)
    for (const [index, line] of tagged.entries()) {
      const { classify } = JSON.parse(line) as { classify: string }
      assert.match(classify, /^(MILESTONE|FINDING|ACTIVITY)$/)
      assert.equal(line, `${lines[index]!.slice(0, -1)},"classify":"${classify}"}`)
    }
  })
  test('with rules, custom events have their classes', () => {
    const rules = scratch('rules.yaml', 'rules:\n  - event: deploy.done\n    where: {env: prod}\n    class: MILESTONE\n')
    const input = log(
      { event: 'deploy.done', env: 'prod' },
      { event: 'deploy.done', env: 'test' },
      { event: 'session.end', stop_reason: 'end_turn' },
    )
    const { stdout } = sluice(['digest', '--classify', '--rules', rules], input)
    assert.deepEqual(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { classify: string }).classify),
      ['MILESTONE', 'ACTIVITY', 'MILESTONE'],
    )
  })
  test('a record that lacks a field is judged by its name, and a custom one by its text', () => {
    const rules = scratch('rules.yaml', 'rules:\n  - text: "on fire"\n    class: FINDING\n')
    const { stdout } = sluice(
      ['digest', '--classify', '--rules', rules],
      log({ event: 'avenor.retry' }, { event: 'mine', note: 'is on fire' }),
    )
    assert.deepEqual(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { classify: string }).classify),
      ['MILESTONE', 'FINDING'],
    )
  })
  test('numbers, key order and other keys stay; a former class is replaced; other JSON passes; noise is told', () => {
    const input =
      '{"event":"mine","n":1.50,"big":12345678901234567890,"classify":"X","z":{}}\n[1]\nnoise\n\n{"no":"event"}\r\n{"event":"session.end","stop_reason":"x"}'
    const { stdout, stderr, status } = sluice(['digest', '--classify', '--from', 'avenor'], input)
    assert.deepEqual(stdout.split('\n'), [
      '{"event":"mine","n":1.50,"big":12345678901234567890,"z":{},"classify":"ACTIVITY"}',
      '[1]',
      '{"no":"event","classify":"ACTIVITY"}',
      '{"event":"session.end","stop_reason":"x","classify":"MILESTONE"}',
      '',
    ])
    assert.match(stderr, /^sluice: line 3, byte \d+: .*\(noise\)\n$/)
    assert.equal(status, 0)
  })
})

suite('--fail-on', () => {
  const cases: [string, string, number][] = [
    ['denied', denied, 1],
    ['error', denied, 0],
    ['finding', denied, 0],
    ['error', failed, 1],
    ['finding,error,denied', fixture('claude/2.1.325/a-text.ndjson'), 0],
    ['error', fixture('claude/2.1.325/r-sigterm.ndjson'), 1],
    ['error', fixture('claude/2.1.325/h-429-then-ok.ndjson'), 0],
    ['error', fixture('copilot/h-500-then-ok.ndjson'), 0],
    ['error', fixture('copilot/h-401.ndjson'), 1],
    ['error', fixture('opencode/1.18.33/serve/j-abort.sse.ndjson'), 0],
    ['error', fixture('opencode/1.18.33/serve/h-401.sse.ndjson'), 1],
  ]
  for (const [list, file, expected] of cases)
    test(`${list} in ${file.split('/').at(-1)} is ${expected}`, () => {
      const { status, stdout, stderr } = sluice(['digest', '--fail-on', list, file])
      assert.equal(status, expected)
      assert.ok(stdout.length > 0)
      assert.equal(stderr.startsWith('sluice: failed on '), expected === 1)
    })
  test('a finding fails, also while records are classified', () => {
    const input = log(
      { event: 'agent.message_chunk', session_id: 's', delta: '[finding]' },
      { event: 'session.end', session_id: 's', stop_reason: 'end_turn' },
    )
    assert.equal(sluice(['digest', '--fail-on', 'finding', '--classify'], input).status, 1)
  })
})

test('wrong usage is told with what to do', () => {
  const wrong: [string[], RegExp][] = [
    [['--fail-on', 'erors', session], /--fail-on "erors" is not known; did you mean error\?/],
    [['--fail-on', '', session], /--fail-on "" is not known; use finding, error, denied/],
    [['--fail-on', ' ,', session], /--fail-on "" is not known; use finding, error, denied/],
    [['--rules', '/no/such/file', session], /cannot read the rules "\/no\/such\/file": no such file/],
    [
      ['--rules', scratch('r.yaml', 'rules:\n  - {event: x, clas: FINDING}\n'), session],
      /line 2: unknown key "clas" in a rule; did you mean class\?/,
    ],
    [['--from', 'avenr', session], /did you mean avenor\?/],
    [['--clasify', session], /unknown option "--clasify"; did you mean --classify\?/],
    [['/no/such/file'], /cannot read "\/no\/such\/file": no such file/],
  ]
  for (const [args, message] of wrong) {
    const { status, stderr, stdout } = sluice(['digest', ...args])
    assert.deepEqual([status, stdout], [2, ''], args.join(' '))
    assert.match(stderr, message)
  }
})

test('the page on classes lists every kind with its class', () => {
  const page = 'docs/classify.md'
  const line = textOf(page).split('\n').indexOf('## Kinds of events') + 1
  const listed = tableAfter(page, line).flatMap(([kinds, its]) => kinds!.split(/`?, `?/).map((kind) => [kind.replaceAll('`', ''), its]))
  assert.deepEqual(Object.fromEntries(listed), classOfKind)
})
