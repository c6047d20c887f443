// Reports in JUnit's XML, as GitLab, Jenkins and others take them. There is no standard; this is what all of them read.
import { xmlAttributes, xmlText } from './xml.ts'

export type Case = {
  /** Different in a suite: of two with the same name GitLab shows one. */
  name: string
  ms?: number | undefined
  /** Absent: passed. `lines` say more than the message. */
  result?: { type: 'failure' | 'error' | 'skipped'; kind?: string; message: string; lines?: readonly string[] }
}
export type Suite = { name: string; file?: string | undefined; at?: number | undefined; ms?: number | undefined; cases: readonly Case[] }

const maxLine = 1000

export function* junitLines(name: string, suites: readonly Suite[]): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>'
  yield `<testsuites${xmlAttributes({ name, ...countsOf(suites.flatMap(({ cases }) => cases)) })}>`
  for (const suite of suites) {
    const { at, ms, file, cases } = suite
    const timestamp = at === undefined || !isTime(at) ? undefined : new Date(at).toISOString().slice(0, 19)
    yield `  <testsuite${xmlAttributes({ name: suite.name, ...countsOf(cases), time: seconds(ms ?? 0), timestamp, file })}>`
    for (const one of cases) yield* caseLines(one, suite)
    yield '  </testsuite>'
  }
  yield '</testsuites>'
}

function* caseLines({ name, ms, result }: Case, { name: classname, file }: Suite): Generator<string> {
  const start = `    <testcase${xmlAttributes({ classname, name, time: seconds(ms ?? 0), file })}`
  if (result === undefined) return yield `${start}/>`
  const { type, kind, message, lines = [] } = result
  yield `${start}>`
  const open = `      <${type}${xmlAttributes({ type: type === 'skipped' ? undefined : kind, message: cut(message) })}`
  if (type === 'skipped') yield `${open}/>`
  else {
    // GitLab shows the text, others the message.
    yield `${open}>${xmlText(cut(message))}`
    for (const line of lines) yield `- ${xmlText(cut(line))}`
    yield `      </${type}>`
  }
  yield '    </testcase>'
}

function countsOf(cases: readonly Case[]): Record<'tests' | 'failures' | 'errors' | 'skipped', number> {
  const count = (type: string): number => cases.filter(({ result }) => result?.type === type).length
  return { tests: cases.length, failures: count('failure'), errors: count('error'), skipped: count('skipped') }
}

const seconds = (ms: number): string => (Math.max(0, ms) / 1000).toFixed(3)
const isTime = (at: number): boolean => at >= 0 && at < 253_402_300_800_000 // a year of four digits
const cut = (text: string): string => (text.length <= maxLine ? text : `${text.slice(0, maxLine).replace(/[\ud800-\udbff]$/, '')}…`)
