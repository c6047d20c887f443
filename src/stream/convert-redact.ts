// A stream in its own dialect, without secrets: a line a record, or one array. Records without a secret keep their bytes; the white space
// between records does not count.
import { utf8 } from '../base/bytes.ts'
import { onOneLine } from '../base/json.ts'
import { printable } from '../base/text.ts'
import type { Dialect } from '../dialects/contract.ts'
import type { EventOf } from '../model/event.ts'
import type { Converter, ConvertOptions, Output } from './convert.ts'
import { createReader } from './read.ts'
import { createRecordRedactor } from './redact-records.ts'
import type { Redactor } from './redact.ts'

export function redactThrough(dialect: Dialect, out: Output, redactor: Redactor, options: ConvertOptions): Converter {
  const { maxLine, array = false, others, onIssue } = options
  const redacted = createRecordRedactor<undefined>(redactor)
  let records = 0
  let issues = 0
  let written = 0

  function put(lines: readonly { text: string }[]): void {
    for (const { text } of lines) {
      if (array) out.text(`${written === 0 ? '[\n' : ',\n'}${text}`)
      else out.line(text)
      written++
    }
  }

  function tell(issue: EventOf<'issue'>): void {
    issues++
    onIssue?.({ ...issue, text: printable(redactor.text(issue.text).text) })
  }

  const reader = createReader(
    dialect,
    (events, record, span) => {
      if (record !== undefined) records++
      for (const event of events) if (event.kind === 'issue') tell(event)
      if (span === undefined || !(record !== undefined || passes(events[0]?.kind === 'issue' ? events[0].code : '', array))) return
      put(redacted.push(onOneLine(utf8(span.bytes, span.start, span.end)), events, undefined))
    },
    { maxLine, others, raw: 'none', plainNumbers: true },
  )

  return {
    push(chunk) {
      reader.push(chunk)
      out.flush?.()
    },
    end() {
      reader.end()
      put(redacted.end())
      if (array) out.line(written === 0 ? '[]' : '\n]')
      out.flush?.()
      return { records, issues, losses: [], additions: [] }
    },
  }
}

/** Bytes that are no record. After `utf8` the record follows; what is too long could not be looked at; an array must stay JSON. */
export const passes = (code: string, array: boolean): boolean =>
  code !== 'utf8' && code !== 'too-long' && code !== 'array' && (!array || code === 'not-object')
