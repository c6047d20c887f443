// The library `sluice`: the event model, and detect, read, write, convert and validate over all dialects.
// Runs in Node and in a browser. Whole inputs in one call here; `createReader`, `createConverter` and `createValidator` take
// a stream in chunks.
import { copyOf } from './base/bytes.ts'
import type { Rec } from './base/json.ts'
import { stringifyJson } from './base/json.ts'
import { acp } from './dialects/acp/index.ts'
import { aictrl } from './dialects/aictrl/index.ts'
import { appctl } from './dialects/appctl/index.ts'
import { avenor } from './dialects/avenor/index.ts'
import { claude } from './dialects/claude/index.ts'
import { codex } from './dialects/codex/index.ts'
import { type Dialect, isWritable, type WritableDialect } from './dialects/contract.ts'
import { copilot } from './dialects/copilot/index.ts'
import { gemini } from './dialects/gemini/index.ts'
import { opencode } from './dialects/opencode/index.ts'
import { sluice } from './dialects/sluice/index.ts'
import type { Event } from './model/event.ts'
import { createConverter as converterOf, type ConvertOptions, type Output, type Summary } from './stream/convert.ts'
import { createSniffer as snifferOf, type Detection } from './stream/detect.ts'
import { type Addition, createLedger, ledgerSink, type Loss } from './stream/ledger.ts'
import { createReader as readerOf, type ReadOptions } from './stream/read.ts'
import { createValidator as validatorOf, type Finding, type ValidateOptions, type Verdict } from './stream/validate.ts'

export type { Dialect, Expression, LossTable, WritableDialect } from './dialects/contract.ts'
export type { Context, Cost, Event, EventOf, Fault, Kind, Option, Origin, Payload, Rule, Usage } from './model/event.ts'
export { outcomeOf, toolFailed } from './model/outcome.ts'
export { addUsage, contextTokens, outputTokens, totalTokens, usageSince } from './model/usage.ts'
export * from './model/vocabulary.ts'
export type { Addition, ConvertOptions, Detection, Finding, Loss, Output, ReadOptions, Summary, ValidateOptions, Verdict }

/** All dialects by name. */
export const dialects = { sluice, claude, aictrl, avenor, appctl, acp, gemini, codex, copilot, opencode } as const satisfies Record<
  string,
  Dialect
>
export type DialectName = keyof typeof dialects
/** The dialects that others can be translated into. */
export type WritableName = { [Name in DialectName]: (typeof dialects)[Name] extends WritableDialect ? Name : never }[DialectName]

export type Input = string | Uint8Array | Iterable<string | Uint8Array>

const all: readonly Dialect[] = Object.values(dialects)
const encoder = new TextEncoder()

function* chunks(input: Input): Generator<Uint8Array> {
  if (typeof input === 'string') yield encoder.encode(input)
  else if (isBytes(input)) yield input
  else {
    if (typeof input?.[Symbol.iterator] !== 'function') throw wrongInput()
    let half = '' // of a character that two texts share
    for (const chunk of input) {
      if (typeof chunk !== 'string' && !isBytes(chunk)) throw wrongInput()
      const text = half + (typeof chunk === 'string' ? chunk : '')
      half = typeof chunk === 'string' && /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : ''
      yield encoder.encode(text.slice(0, text.length - half.length))
      if (typeof chunk !== 'string') yield copyOf(chunk) // a source may use one buffer for all
    }
    yield encoder.encode(half)
  }
}

/** Also those of another realm, as a frame of a browser or a test runner has them. */
const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && (value as Partial<Uint8Array>)[Symbol.toStringTag] === 'Uint8Array' // a DataView has another tag

const wrongInput = (): TypeError =>
  new TypeError('the input must be a string, a Uint8Array or an iterable of these; what comes in time goes to createReader and its like')

/** Which dialect is it? `dialect` is absent when none is sure. */
export function detect(input: Input): Detection {
  const sniffer = snifferOf(all)
  for (const chunk of chunks(input)) sniffer.push(chunk)
  sniffer.end()
  return sniffer.detection()
}

/** The named dialect, or the one that the input is in. Throws when it cannot be told. */
function choose(input: Uint8Array[], name: DialectName | undefined): Dialect {
  const found = name ?? detect(input).dialect
  if (found === undefined) throw new TypeError(`the dialect of the input is not known; name one of ${Object.keys(dialects).join(', ')}`)
  return named(found as DialectName)
}

/** Who calls from JavaScript may give any name. */
function named<Name extends DialectName>(name: Name): (typeof dialects)[Name] {
  if (!Object.hasOwn(dialects, name))
    throw new TypeError(
      `${typeof name === 'string' ? `${shown(name)} is not a dialect` : `${shown(name)} is not the name of a dialect`}; name one of ${Object.keys(dialects).join(', ')}`,
    )
  return dialects[name]
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : typeof value === 'object' && value !== null ? 'an object' : String(value)

/** All events of a stream, its end included. */
export function read(input: Input, options: ReadOptions & { dialect?: DialectName | undefined } = {}): Event[] {
  const whole = [...chunks(input)]
  const events: Event[] = []
  const take = (more: Event[]): void => {
    for (const event of more) events.push(event) // one record may tell more than a call can have arguments
  }
  const reader = readerOf(choose(whole, options.dialect), take, { ...options, others: options.others ?? all })
  for (const chunk of whole) reader.push(chunk)
  reader.end()
  return events
}

/** Events as records of a dialect, with what was lost and added. */
export function write(
  events: Iterable<Event>,
  dialect: WritableName,
): { text: string; records: Rec[]; losses: Loss[]; additions: Addition[] } {
  const to: Dialect = named(dialect)
  if (!isWritable(to)) throw new TypeError(`${to.name} can be read but not written`)
  const ledger = createLedger(to)
  const records: Rec[] = []
  const sink = ledgerSink(ledger, to, (record) => void records.push(record))
  const target = to.encoder(sink)
  for (const event of checked(events, to)) if (ledger.admit(event, sink.restores(event)) !== 'none') target.push(event)
  target.end()
  sink.end()
  return {
    text: records.map((record) => `${stringifyJson(record)}\n`).join(''),
    records,
    losses: ledger.losses(),
    additions: ledger.additions(),
  }
}

/** The events may be made by whoever calls. */
function* checked(events: Iterable<Event>, { loss }: WritableDialect): Generator<Event> {
  for (const event of events) {
    const kind: unknown = event?.kind
    if (typeof kind !== 'string') throw new TypeError(`${shown(event)} is not an event`)
    if (!Object.hasOwn(loss, kind)) throw new TypeError(`${shown(kind)} is not a kind of event`)
    yield event
  }
}

/** A stream in another dialect. To its own dialect the bytes stay the same. */
export function convert(
  input: Input,
  options: ConvertOptions & { to: DialectName; from?: DialectName | undefined },
): Summary & { from: string; text: string } {
  const whole = [...chunks(input)]
  const from = choose(whole, options.from)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parts: string[] = []
  const output = {
    text: (text: string) => void parts.push(text),
    line: (text: string) => void parts.push(text, '\n'),
    bytes: (bytes: Uint8Array) => void parts.push(decoder.decode(bytes, { stream: true })),
  }
  const converter = converterOf(from, named(options.to), output, { ...options, others: options.others ?? all })
  for (const chunk of whole) converter.push(chunk)
  const summary = converter.end()
  return { ...summary, from: from.name, text: parts.join('') + decoder.decode() }
}

/** Shape and order. `repaired` is there when asked for. */
export function validate(
  input: Input,
  options: { dialect?: DialectName | undefined; maxLine?: number | undefined; repair?: boolean | undefined } = {},
): Verdict & { dialect: string; findings: Finding[]; repaired?: string } {
  const whole = [...chunks(input)]
  const dialect = choose(whole, options.dialect)
  const findings: Finding[] = []
  let repaired = ''
  const validator = validatorOf(dialect, (finding) => void findings.push(finding), {
    maxLine: options.maxLine,
    others: all,
    repair: options.repair === true ? (text) => void (repaired += text) : undefined,
  })
  for (const chunk of whole) validator.push(chunk)
  const verdict = validator.end()
  return { ...verdict, dialect: dialect.name, findings, ...(options.repair === true ? { repaired } : {}) }
}

// ── in chunks ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const createConverter: typeof converterOf = (from, to, ...given) => inTurn(converterOf(sure(from), sure(to), ...given))
export const createReader: typeof readerOf = (dialect, ...given) => inTurn(readerOf(sure(dialect), ...given))
export const createSniffer: typeof snifferOf = (some) => inTurn(snifferOf(some.map((one) => sure(one))))
export const createValidator: typeof validatorOf = (dialect, ...given) => inTurn(validatorOf(sure(dialect), ...given))

/** Who calls from JavaScript may give its name. */
function sure<One extends Pick<Dialect, 'claim'>>(dialect: One): One {
  if (typeof dialect?.claim !== 'function')
    throw new TypeError(`${shown(dialect)} is not a dialect; give one of dialects, such as dialects.claude`)
  return dialect
}

/** Calls that come out of turn would lose or reorder records without a word: they throw. To end it again changes nothing. */
function inTurn<One extends { push(chunk: Uint8Array): void; end(...given: never[]): unknown }>(stream: One): One {
  let when: 'inside a callback' | 'after a callback has thrown' | 'after end' | undefined
  let result: unknown
  return {
    ...stream,
    push(chunk) {
      if (when !== undefined) throw new Error(`push was called ${when}`)
      if (!isBytes(chunk)) throw new TypeError('push takes bytes, a Uint8Array; those of a text are new TextEncoder().encode(text)')
      when = 'inside a callback'
      try {
        stream.push(chunk)
        when = undefined
      } catch (error) {
        when = 'after a callback has thrown' // the rest of the chunk was not read
        throw error
      }
    },
    end(...given: never[]) {
      if (when === 'inside a callback') throw new Error(`end was called ${when}`)
      if (when !== 'after end') {
        when = 'after end'
        result = stream.end(...given)
      }
      return result
    },
  }
}
