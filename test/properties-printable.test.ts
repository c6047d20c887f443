// Whatever a stream holds, no message about it can steer a terminal: findings, issues and what was detected.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isRecord } from '../src/base/json.ts'
import { isPrintable } from '../src/base/text.ts'
import { createConverter, detect, dialects, validate } from '../src/index.ts'
import { breakStream, legalStream, linesOf, type Random } from '../src/testing/index.ts'
import { bytesOf, holds, names } from './properties.ts'

const hostile = ['\u001b[2J', '\u001b]0;x\u0007', '\u009b31m', '\u202e', '\u2066', '\u200f', '\r', '\u2028', '\u0000', '\u007f']

/** The value with something hostile in some of its texts and keys. */
function poisoned(value: unknown, random: Random): unknown {
  if (typeof value === 'string') return random.chance(0.15) ? value + random.pick(hostile) : value
  if (Array.isArray(value)) return value.map((item) => poisoned(item, random))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [random.chance(0.01) ? key + random.pick(hostile) : key, poisoned(item, random)]),
  )
}

suite('no message about a stream holds what a terminal could act on', () => {
  for (const dialect of names) {
    test(dialect, () =>
      holds(60, (seed, random) => {
        const records = breakStream(legalStream(dialect, seed), dialect, random)?.records ?? []
        const input = linesOf(records.map((record) => poisoned(record, random) as typeof record)) + `noise ${random.pick(hostile)}\n`
        const texts = validate(input, { dialect }).findings.flatMap(({ text, rule, code }) => [text, rule, code])
        for (const to of [dialect, 'sluice'] as const) {
          const output = { text: () => {}, line: () => {}, bytes: () => {} }
          const onIssue = ({ text }: { text: string }): void => void texts.push(text)
          const converter = createConverter(dialects[dialect], dialects[to], output, { others: Object.values(dialects), onIssue })
          converter.push(bytesOf(input))
          const { losses, additions } = converter.end()
          texts.push(...losses.map(({ code }) => code), ...additions.flatMap(({ code, why }) => [code, why]))
        }
        texts.push(detect(input).version ?? '')
        for (const text of texts) assert.ok(isPrintable(text) && !text.includes('\n'), JSON.stringify(text))
      }),
    )
  }
})
