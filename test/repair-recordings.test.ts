// What a repair promises, on recordings that lost records, were cut, or stand behind one another in a file: nothing that it adds is
// missing afterwards, nothing else gets worse, and to repair twice changes nothing.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { type DialectName, type Finding, validate } from '../src/index.ts'
import { legalStream, linesOf, type Random } from '../src/testing/index.ts'
import { findingsOf, holds, told } from './properties.ts'
import { root } from './run.ts'

type Subject = { streams: string[][]; cured: readonly string[] }

const linesIn = (text: string): string[] => text.split('\n').filter((line) => line !== '')
const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

const subjects: Partial<Record<DialectName, Subject>> = {
  claude: {
    streams: globSync('fixtures/claude/[0-9]*/*.ndjson', { cwd: root })
      .toSorted()
      .filter((path) => !path.includes('.stdin.'))
      .map((path) => linesIn(readFileSync(`${root}/${path}`, 'utf8'))),
    cured: ['init-first', 'missing-end', 'after-result', 'unanswered-call'],
  },
  appctl: {
    streams: Array.from({ length: 50 }, (_, seed) => linesIn(linesOf(legalStream('appctl', seed)))),
    cured: ['missing-end', 'unanswered-call'],
  },
}

const isError = ({ severity }: Finding): boolean => severity === 'error'

/** What repair made of the lines, after all that must hold for it was checked. */
function check(lines: readonly string[], dialect: DialectName, cured: readonly string[]): Finding[] {
  const { repaired = '', findings } = validate(joined(lines), { dialect, repair: true })
  assert.equal(validate(repaired, { dialect, repair: true }).repaired, repaired)
  const left = findingsOf(repaired, dialect)
  assert.deepEqual(told(left.filter(({ code }) => cured.includes(code))), [])
  const codes = findings.filter(isError).map(({ code }) => code)
  for (const { code } of left.filter(isError)) assert.notEqual(codes.indexOf(code), -1, code)
  return left
}

suite('a repaired stream', () => {
  for (const [dialect, { streams, cured }] of Object.entries(subjects) as [DialectName, Subject][]) {
    const cut = (random: Random): string[] => {
      const lines = random.pick(streams)
      return lines.slice(0, random.int(1, lines.length))
    }

    test(`${dialect}: that lost records`, () =>
      holds(400, (_, random) => {
        const lines = random.pick(streams)
        const [from, count] = [random.int(0, lines.length - 1), random.int(1, 3)]
        check(random.chance(0.3) ? lines.slice(from) : lines.toSpliced(from, count), dialect, cured)
      }))

    test(`${dialect}: that was cut`, () =>
      holds(300, (_, random) => assert.deepEqual(told(check(cut(random), dialect, cured).filter(isError)), [])))

    test(`${dialect}: that others stand behind`, () =>
      holds(300, (_, random) => {
        const first = random.chance(0.5) ? cut(random) : random.pick(streams)
        const second = random.chance(0.3) ? first : random.pick(streams) // once more: it names the same session
        check([...first, ...second], dialect, cured)
      }))
  }
})

/** Of the documents. What lost the only sign that it began again is another matter: `but`. */
const whole: Partial<Record<DialectName, { names: readonly string[]; but?: RegExp }>> = {
  aictrl: { names: ['document/session', 'made/subagents', 'made/interleaved', 'made/rejected-permission'] },
  avenor: {
    names: ['session', 'loop', 'degenerate', 'claude', 'claude-channel'].map((name) => `document/${name}`),
    but: /avenor\.(retry|phase\.start)/,
  },
  appctl: { names: ['document/turn', 'document/http'] },
}

suite('a stream that lost any one record is legal after repair', () => {
  for (const [dialect, { names, but = /^$/ }] of Object.entries(whole) as [DialectName, NonNullable<(typeof whole)['aictrl']>][]) {
    test(dialect, () => {
      for (const name of names) {
        const lines = linesIn(readFileSync(`${root}/fixtures/${dialect}/${name}.ndjson`, 'utf8'))
        for (const [index, lost] of lines.entries())
          if (!but.test(lost)) assert.deepEqual(told(check(lines.toSpliced(index, 1), dialect, []).filter(isError)), [], `${name}: ${lost}`)
      }
    })
  }
})
