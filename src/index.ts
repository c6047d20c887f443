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
import { convertOptions, isBytes, judgeOptions, later, readOptions, shown, sureOptions } from './stream/checks.ts'
import { createConverter as converterOf, type ConvertOptions, type Summary } from './stream/convert.ts'
import { createSniffer as snifferOf, type Detection } from './stream/detect.ts'
import type { Addition, Loss } from './stream/ledger.ts'
import { createWriter } from './stream/write.ts'
import { createReader as readerOf, type ReadOptions } from './stream/read.ts'
import { createValidator as validatorOf, type Finding, type Verdict } from './stream/validate.ts'

export type { Context, Cost, Fault, Option, Origin, Payload, Rule, Usage } from './model/event.ts'
export { type Outcome, outcomeOf, toolFailed } from './model/outcome.ts'
export { addUsage, contextTokens, outputTokens, totalTokens, usageSince } from './model/usage.ts'
export * from './model/vocabulary.ts'
export * from './stream/index.ts'

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

const wrongInput = (): TypeError =>
  new TypeError('the input must be a string, a Uint8Array or an iterable of these; what comes in time goes to createReader and its like')

/** Which dialect is it? `dialect` is absent when none is sure. */
export function detect(input: Input): Detection<DialectName> {
  const sniffer = snifferOf(all)
  for (const chunk of chunks(input)) sniffer.push(chunk)
  sniffer.end()
  return sniffer.detection() as Detection<DialectName> // each of them stands in `dialects` under its own name
}

/** The name given, or that of the dialect the input is in. Throws when it cannot be told. */
function choose(input: Uint8Array[], name: DialectName | undefined): DialectName {
  const found = name ?? detect(input).dialect
  if (found === undefined) throw new TypeError(`the dialect of the input is not known; name one of ${Object.keys(dialects).join(', ')}`)
  named(found) // or it throws
  return found
}

/** Who calls from JavaScript may give any name. */
function named<Name extends DialectName>(name: Name): (typeof dialects)[Name] {
  if (!Object.hasOwn(dialects, name))
    throw new TypeError(
      `${typeof name === 'string' ? `${shown(name)} is not a dialect` : `${shown(name)} is not the name of a dialect`}; name one of ${Object.keys(dialects).join(', ')}`,
    )
  return dialects[name]
}

/** All events of a stream, its end included. */
export function read(input: Input, options: ReadOptions & { dialect?: DialectName | undefined } = {}): Event[] {
  sureOptions(options, { ...readOptions, dialect: later })
  const whole = [...chunks(input)]
  const events: Event[] = []
  const take = (more: Event[]): void => {
    for (const event of more) events.push(event) // one record may tell more than a call can have arguments
  }
  const reader = readerOf(dialects[choose(whole, options.dialect)], take, { ...options, others: options.others ?? all })
  for (const chunk of whole) reader.push(chunk)
  reader.end()
  return events
}

export type Written = { text: string; records: Rec[]; losses: Loss[]; additions: Addition[] }

/** Events as records of a dialect, with what was lost and added. */
export function write(events: Iterable<Event>, dialect: WritableName): Written {
  const to: Dialect = named(dialect)
  if (!isWritable(to)) throw new TypeError(`${to.name} can be read but not written`)
  const records: Rec[] = []
  const writer = createWriter(to, { record: (record) => void records.push(record), copy() {} }, { copies: 'none' })
  for (const event of checked(events, to)) writer.push(event)
  writer.end()
  return {
    text: records.map((record) => `${stringifyJson(record)}\n`).join(''),
    records,
    losses: writer.losses(),
    additions: writer.additions(),
  }
}

/** The events may be made by whoever calls. */
function* checked(events: Iterable<Event>, { loss }: WritableDialect): Generator<Event> {
  if (typeof events?.[Symbol.iterator] !== 'function') throw new TypeError(`${shown(events)} is not a list of events; read gives one`)
  for (const event of events) {
    const kind: unknown = event?.kind
    if (typeof kind !== 'string') throw new TypeError(`${shown(event)} is not an event`)
    if (!Object.hasOwn(loss, kind)) throw new TypeError(`${shown(kind)} is not a kind of event`)
    yield event
  }
}

export type Converted = Summary & { from: DialectName; text: string }

/** A stream in another dialect. To its own dialect the bytes stay the same. */
export function convert(input: Input, options: ConvertOptions & { to: DialectName; from?: DialectName | undefined }): Converted {
  sureOptions(options, { ...convertOptions, to: later, from: later })
  const whole = [...chunks(input)]
  const from = choose(whole, options.from)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parts: string[] = []
  const output = {
    text: (text: string) => void parts.push(text),
    line: (text: string) => void parts.push(text, '\n'),
    bytes: (bytes: Uint8Array) => void parts.push(decoder.decode(bytes, { stream: true })),
  }
  const converter = converterOf(dialects[from], named(options.to), output, { ...options, others: options.others ?? all })
  for (const chunk of whole) converter.push(chunk)
  const summary = converter.end()
  return { ...summary, from, text: parts.join('') + decoder.decode() }
}

export type Validated = Verdict & { dialect: DialectName; findings: Finding[]; repaired?: string }

/** Shape and order. `repaired` is there when asked for. */
export function validate(
  input: Input,
  options: { dialect?: DialectName | undefined; maxLine?: number | undefined; repair?: boolean | undefined } = {},
): Validated {
  sureOptions(options, judgeOptions)
  const whole = [...chunks(input)]
  const dialect = choose(whole, options.dialect)
  const findings: Finding[] = []
  let repaired = ''
  const validator = validatorOf(dialects[dialect], (finding) => void findings.push(finding), {
    maxLine: options.maxLine,
    others: all,
    repair: options.repair === true ? (text) => void (repaired += text) : undefined,
  })
  for (const chunk of whole) validator.push(chunk)
  const verdict = validator.end()
  return { ...verdict, dialect, findings, ...(options.repair === true ? { repaired } : {}) }
}
