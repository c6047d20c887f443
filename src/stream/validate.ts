// Is the stream legal? Shape by compiled checks, order by the dialect's own rules. Every byte is proven to be JSON first.
import { mayHoldBigNumber, mayHoldHugeNumber, parseJson, type Rec, stringifyJson, withPlainNumbers } from '../base/json.ts'
import { utf8 } from '../base/bytes.ts'
import { printable, quoted } from '../base/text.ts'
import { type Claimer, type Dialect, typeFinder, whyInvalid } from '../dialects/contract.ts'
import { type BadCode, createFramer, type Span } from '../framing/framer.ts'
import { foreign } from './read.ts'

/** `rule` is the sentence that was broken; `line` counts from 1, `byte` from 0. */
export type Finding = {
  line: number
  byte: number
  code: string
  severity: 'error' | 'warn'
  text: string
  rule: string
}

export type Verdict = { records: number; errors: number; warnings: number }

export type ValidateOptions = {
  maxLine?: number | undefined
  others?: readonly Claimer[] | undefined
  /** Gets the stream with what is missing added; unreadable lines are left out. */
  repair?: ((text: string) => void) | undefined
}

const streamRules: Record<BadCode | 'other-dialect' | 'unknown-type' | 'no-type' | 'shape', string> = {
  noise: 'Every line is one JSON record.',
  'not-object': 'Every record is a JSON object.',
  'bad-json': 'Every record is valid JSON.',
  array: 'An array is closed, and one comma stands between two of its records.',
  cut: 'The last record is whole.',
  'too-long': 'No record is longer than the limit.',
  utf8: 'The stream is valid UTF-8.',
  'other-dialect': 'A stream holds records of one dialect.',
  'unknown-type': 'The record is of a type that the dialect has.',
  'no-type': 'Every record tells its type.',
  shape: 'A record has the fields of its type.',
}

const nothing = (): void => undefined

export function createValidator(
  dialect: Dialect,
  onFinding: (finding: Finding) => void,
  { maxLine, others = [], repair }: ValidateOptions = {},
) {
  const typeOf = typeFinder(dialect)
  const order = dialect.order()
  const whole = repair === undefined ? undefined : dialect.order() // sees the repaired stream: what was added is not missing any more
  const verdict: Verdict = { records: 0, errors: 0, warnings: 0 }
  let line = 1
  let byte = 0
  let inArray: boolean | undefined // as the first record is
  let written = 0

  function find(code: string, severity: 'error' | 'warn', text: string, rule: string): void {
    if (severity === 'error') verdict.errors++
    else verdict.warnings++
    onFinding({ line, byte, code, severity, text: printable(text), rule }) // it may quote the stream, and ends on a terminal
  }
  const shape = (code: keyof typeof streamRules, text: string, severity: 'error' | 'warn' = 'error'): void =>
    find(code, severity, text, streamRules[code])
  const report = ({ code, severity, text }: { code: string; severity: 'error' | 'warn'; text: string }): void =>
    find(code, severity, text, dialect.rules[code] ?? code)

  function judge(record: Rec, form: number | undefined): string | undefined {
    const type = typeOf(record, form)
    if (type !== undefined) {
      if (type.check(record)) return type.tag // the table's own text: comparing it costs nothing
      shape('shape', `${type.tag}: ${whyInvalid(dialect.shapes, type.tag, record)}`)
      return undefined
    }
    const tag = dialect.tag(record)
    order.pass?.(record)
    whole?.pass?.(record)
    if (dialect.custom === true && tag !== undefined) return undefined
    const other = foreign(record, dialect, others)
    if (other !== undefined) shape('other-dialect', `this looks like ${other.name}`)
    else if (tag === undefined) shape('no-type', `no ${dialect.name} record`)
    else shape('unknown-type', `type ${quoted(tag)} is not known`, 'warn')
    return undefined
  }

  function put(text: string): void {
    if (inArray === true) repair!(`${written === 0 ? '[\n' : ',\n'}${text.replace(/\r?\n[ \t]*/g, '')}`)
    else repair!(`${text}\n`)
    written++
  }

  function add(next: Rec | undefined, tag: string | undefined): void {
    const synthetic = next === undefined ? 'repair: missing at the end of the stream' : `repair: missing before ${tag ?? 'this record'}`
    for (const missing of whole!.missing(next, tag)) {
      const record = { ...missing, synthetic }
      whole!.push(record, dialect.tag(record)!, nothing)
      put(stringifyJson(record))
    }
    if (next !== undefined && tag !== undefined) whole!.push(next, tag, nothing)
  }

  const framer = createFramer(
    {
      record(value, span) {
        verdict.records++
        line = span.line
        byte = span.offset
        const tag = judge(value, span.form)
        const known = tag === undefined ? value : withDigits(value, tag, span)
        if (repair !== undefined) writeRepaired(known, tag, span)
        if (tag !== undefined) order.push(known, tag, report)
      },
      bad(code, text, span) {
        line = span.line
        byte = span.offset
        shape(code, text, code === 'utf8' ? 'warn' : 'error')
      },
    },
    { maxLine, plainNumbers: true },
  )

  function writeRepaired(value: Rec, tag: string | undefined, span: Span): void {
    inArray ??= (span.array ?? 0) > 0
    if (tag !== undefined) add(value, tag)
    put(utf8(span.bytes, span.start, span.end))
  }

  /** Ids are compared, and named in what a repair adds, in all their digits, where the type allows it. */
  function withDigits(value: Rec, tag: string, { bytes, start, end }: Span): Rec {
    if (repair === undefined && dialect.numberIds !== true) return value
    if (!mayHoldBigNumber(bytes, start, end) && (repair === undefined || !mayHoldHugeNumber(utf8(bytes, start, end)))) return value
    return withPlainNumbers(parseJson(utf8(bytes, start, end)) as Rec, dialect.shapes.checks[tag]!) ?? value
  }

  return {
    push: (chunk: Uint8Array): void => framer.push(chunk),
    end(): Verdict {
      framer.end()
      if (repair !== undefined) add(undefined, undefined)
      order.end(report)
      if (repair !== undefined && inArray === true) repair('\n]\n')
      return verdict
    },
  }
}
