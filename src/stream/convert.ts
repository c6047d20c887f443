// Bytes of one dialect → bytes of another. To its own dialect nothing changes: every line is still proven, its bytes are copied.
import { copyOf, utf8 } from '../base/bytes.ts'
import { onOneLine, type Rec, stringifyJson } from '../base/json.ts'
import { printable } from '../base/text.ts'
import { type Claimer, type Dialect, isWritable, typeFinder, whyInvalid, type WritableDialect } from '../dialects/contract.ts'
import { createFramer, type Span } from '../framing/framer.ts'
import { isSpace, skipSpace } from '../framing/scan.ts'
import type { Event } from '../model/event.ts'
import type { Addition, Loss } from './ledger.ts'
import { passes, redactThrough } from './convert-redact.ts'
import { createReader, foreign } from './read.ts'
import type { Redactor } from './redact.ts'
import { createWriter } from './write.ts'

/** Where the result goes. Bytes are valid only during the call. */
export type Output = {
  text(text: string): void
  /** The text and a line break: a record is not copied once more to add it. */
  line(text: string): void
  bytes(bytes: Uint8Array): void
  /** A record as JSON and a line break, by whoever can do that without making a text of it first. */
  json?(record: Rec): void
  /** Nothing more is at hand: what was held back can go out. */
  flush?(): void
}

export type ConvertOptions = {
  maxLine?: number | undefined
  /** One JSON array instead of a line a record. */
  array?: boolean | undefined
  /** What the target cannot say travels along in a key `sluice`, and to sluice's own dialect the raw record. */
  carry?: boolean | undefined
  others?: readonly Claimer[] | undefined
  /** Takes secrets out of all that is written. */
  redactor?: Redactor | undefined
  /** Told of each unreadable or malformed record. */
  onIssue?: ((issue: { code: string; line: number; byte: number; text: string }) => void) | undefined
}

export type Summary = { records: number; issues: number; losses: Loss[]; additions: Addition[] }

export type Converter = { push(chunk: Uint8Array): void; end(): Summary }

/** Throws when `to` is a dialect that cannot be written, unless it is the input's own. */
export function createConverter(from: Dialect, to: Dialect, out: Output, options: ConvertOptions = {}): Converter {
  const { redactor } = options
  if (from.name === to.name) return redactor === undefined ? passThrough(from, out, options) : redactThrough(from, out, redactor, options)
  if (!isWritable(to)) throw new TypeError(`${to.name} can be read but not written`)
  return translate(from, to, out, options)
}

// ── to another dialect ───────────────────────────────────────────────────────────────────────────────────────────────────

function translate(
  from: Dialect,
  to: WritableDialect,
  out: Output,
  { maxLine, array = false, carry = false, others, redactor, onIssue }: ConvertOptions,
): Converter {
  let records = 0
  let issues = 0
  let written = 0

  function put(text: string): void {
    if (array) out.text(`${written === 0 ? '[\n' : ',\n'}${text}`)
    else out.line(text)
    written++
  }

  const writer = createWriter(
    to,
    {
      record: out.json !== undefined && !array ? (record) => out.json!(record) : (record) => put(stringifyJson(record)),
      copy: (text, isRecord) => (isRecord ? put(onOneLine(text)) : array ? undefined : put(text)),
    },
    { carry, copies: from.name === 'sluice' ? 'all' : 'none' },
  )

  function write(event: Event): void {
    if (event.kind === 'issue') {
      issues++
      onIssue?.({ ...event, text: printable(event.text) })
    }
    writer.push(event)
  }

  function onEvents(events: Event[], record: Rec | undefined): void {
    if (record !== undefined) records++
    for (const event of events) {
      if (redactor === undefined) write(event)
      else for (const told of redactor.event(event)) write(unmarked(told, to))
    }
  }

  const raw = to.name === 'sluice' ? (carry ? 'all' : 'unmapped') : 'none'
  const reader = createReader(from, onEvents, { maxLine, others, raw })
  return {
    push(chunk) {
      reader.push(chunk)
      out.flush?.()
    },
    end() {
      reader.end()
      for (const event of redactor?.end() ?? []) write(unmarked(event, to))
      writer.end()
      if (array) out.line(written === 0 ? '[]' : '\n]')
      out.flush?.()
      return { records, issues, losses: writer.losses(), additions: writer.additions() }
    },
  }
}

/** The redactor's own mark is no loss of the source's. */
function unmarked(event: Event, { name }: Dialect): Event {
  if (name === 'sluice' || event.ext?.['redacted'] === undefined) return event
  const { ext, ...rest } = event
  const { redacted: _mark, ...others } = ext!
  return (Object.keys(others).length === 0 ? rest : { ...rest, ext: others }) as Event
}

// ── to its own dialect ───────────────────────────────────────────────────────────────────────────────────────────────────

function passThrough(dialect: Dialect, out: Output, { maxLine, array = false, others = [], onIssue }: ConvertOptions): Converter {
  let records = 0
  let issues = 0
  let written = 0
  const typeOf = typeFinder(dialect)
  let copies = false // known from the first record on: nothing is to be done with a record but to prove it
  let framing: 'undecided' | 'lines' | 'array' = 'undecided'
  let sound = true // nothing stands in the way of copying an array whole
  let copyTo = 0 // where the last record of that array ends
  let held: Uint8Array[] = []
  let heldAt = 0 // offset of its first byte

  function tell(code: string, text: string, { line, offset: byte }: Span): void {
    issues++
    onIssue?.({ code, line, byte, text: printable(text) })
  }

  /** When an array becomes lines, or lines and broken arrays one array; otherwise the chunks are copied whole. */
  const reframes = (): boolean => (array ? framing === 'lines' || !sound : framing === 'array')

  const copiesArray = (): boolean => array && framing === 'array' && sound

  /** The input is more than one array, or less: what has been copied so far is its beginning, the rest comes record by record. */
  function breakArray(): void {
    if (copiesArray()) {
      release(copyTo)
      held = []
      written = copyTo
    }
    sound = false
  }

  function take({ bytes, start, end, offset, array: number = 0 }: Span): void {
    if (framing === 'undecided') framing = number > 0 ? 'array' : 'lines'
    if (number !== 1 || (copiesArray() && !follows(offset))) breakArray()
    if (copiesArray()) copyTo = offset + end - start
    copies = framing === 'lines' && !array
    if (copies || copiesArray()) return
    const text = onOneLine(utf8(bytes, start, end))
    if (array) out.text(`${written === 0 ? '[\n' : ',\n'}${text}`)
    else out.line(text)
    written++
  }

  const framer = createFramer(
    {
      record(value, span) {
        const type = typeOf(value, span.form)
        records++
        if (type === undefined) {
          const other = foreign(value, dialect, others)
          if (other !== undefined) tell('other-dialect', `not ${dialect.name}: this looks like ${other.name}`, span)
        } else if (!type.check(value))
          tell('bad-body', `${dialect.name} record is not valid: ${whyInvalid(dialect.shapes, type.tag, value)}`, span)
        if (!copies) take(span)
      },
      bad(code, text, span) {
        tell(code, text, span)
        if (passes(code, array)) take(span)
        else if (code !== 'utf8') breakArray()
      },
    },
    { maxLine, plainNumbers: true },
  )

  /** Writes what is held, up to an offset. */
  function release(to = Infinity): void {
    while (held.length > 0 && heldAt < to) {
      const early = held.shift()!
      const size = Math.min(early.length, to - heldAt)
      out.bytes(early.subarray(0, size))
      heldAt += size
      if (size < early.length) held.unshift(early.subarray(size))
    }
  }

  /** What is held, up to an offset, without the blanks around it. */
  function heldText(to = Infinity): string {
    const bytes = new Uint8Array(
      Math.min(
        to - heldAt,
        held.reduce((size, { length }) => size + length, 0),
      ),
    )
    let at = 0
    for (const early of held) {
      if (at === bytes.length) break
      const size = Math.min(early.length, bytes.length - at)
      bytes.set(early.subarray(0, size), at)
      at += size
    }
    const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    const start = skipSpace(bytes, isMarked ? 3 : 0, at)
    while (at > start && isSpace(bytes[at - 1])) at--
    return utf8(bytes, start, at)
  }

  /** Before the first record of an array stands its bracket, before each other one a comma: what is copied is an array as well. */
  function follows(offset: number): boolean {
    release(copyTo)
    return heldText(offset) === (copyTo === 0 ? '[' : ',')
  }

  /** No record at all: white space, or an empty array, which may have to become the other. */
  function nothing(): void {
    const isEmptyArray = /^\[[ \t\r\n]*\]$/.test(heldText())
    if (array && !isEmptyArray) out.line('[]')
    else if (array || !isEmptyArray) release()
  }

  return {
    push(chunk) {
      const holds = framing === 'undecided' || copiesArray()
      if (holds) held.push(copyOf(chunk))
      framer.push(chunk)
      if (framing !== 'undecided') {
        if (reframes()) held = []
        else if (holds) release(array ? copyTo : Infinity)
        else out.bytes(chunk)
      }
      out.flush?.()
    },
    end() {
      framer.end()
      if (copiesArray() && heldText() !== ']') breakArray()
      if (framing === 'undecided') nothing()
      else if (!reframes()) release() // also when the only record had no line end: it is known only now
      else if (array) out.line('\n]')
      out.flush?.()
      return { records, issues, losses: [], additions: [] }
    },
  }
}
