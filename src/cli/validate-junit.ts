// --format junit of `sluice validate`: a suite a file, a case a finding, and one for the file as a whole. Many of one file are counted only:
// what takes such a report refuses a large one.
import { plural } from '../base/text.ts'
import type { Finding } from '../stream/validate.ts'
import { type Case, junitLines, type Suite } from '../views/junit.ts'
import { stdout } from './io.ts'
import type { Result, Way } from './validate-file.ts'

const maxCases = 1000 // of a file

export function createReport(strict: boolean) {
  const found = new Map<string, Map<string, Case>>()

  return {
    way: { format: 'json', named: true } satisfies Pick<Way, 'format' | 'named'>,
    /** A finding, as JSON: another process may have found it. */
    take(line: string): void {
      const { file, ...finding } = JSON.parse(line) as Finding & { file: string }
      let cases = found.get(file)
      if (cases === undefined) found.set(file, (cases = new Map()))
      if (cases.size < maxCases) add(cases, finding, strict)
    },
    write(results: readonly Result[]): void {
      const out = stdout()
      for (const line of junitLines(
        'sluice validate',
        results.map((result) => suiteOf(result, found.get(result.file), strict)),
      ))
        out.line(line)
      out.flush()
    },
  }
}

function add(cases: Map<string, Case>, { line, byte, code, severity, text, rule }: Finding, strict: boolean): void {
  const place = `line ${line}, byte ${byte}: ${code}`
  let name = place
  for (let more = 2; cases.has(name); more++) name = `${place} (${more})`
  const message = `${text}. Rule: ${rule}`
  const isFailure = severity === 'error' || strict
  cases.set(name, {
    name,
    result: isFailure ? { type: 'failure', kind: code, message } : { type: 'skipped', message: `warning: ${message}` },
  })
}

function suiteOf({ file, dialect, verdict, error }: Result, cases: Map<string, Case> | undefined, strict: boolean): Suite {
  const name = file === '-' ? 'stdin' : file
  const suite = { name, file: file === '-' ? undefined : file }
  const whole = 'the stream is valid'
  if (error !== undefined)
    return { ...suite, cases: [{ name: whole, result: { type: 'error', kind: 'unreadable', message: error.message } }] }
  const { records = 0, errors = 0, warnings = 0 } = verdict ?? {}
  const failures = errors + (strict ? warnings : 0)
  const left = errors + warnings - (cases?.size ?? 0)
  const message = `${dialect}, ${plural(records, 'record')}: ${plural(errors, 'error')}, ${plural(warnings, 'warning')}${left > 0 ? `; ${left} of them are not listed` : ''}`
  const verdictCase: Case = failures === 0 ? { name: whole } : { name: whole, result: { type: 'failure', kind: 'invalid', message } }
  return { ...suite, cases: [verdictCase, ...(cases?.values() ?? [])] }
}
