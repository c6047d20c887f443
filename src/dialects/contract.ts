// What every dialect is: records to events, events to records, the order its records keep, and what it cannot say.
import { explain, type Schema } from '../base/explain.ts'
import { isRecord, type Rec, stringifyJson, withPlainNumbers } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { type Event, type Kind, lineOf, type Origin, type Payload, type Place } from '../model/event.ts'
import { type Cause, createPen, type Pen, type PenOptions } from '../model/pen.ts'
import { type Known, knownIn, merged, putBack, unknownIn } from './inside.ts'
import { createRestorer, type Restorer } from './restore.ts'

/** Made by `scripts/generate.ts` from a dialect's `wire.ts`: a compiled check and the known top-level keys of each record type. */
export type Check = (record: unknown) => boolean
export type Shapes = {
  checks: Readonly<Record<string, Check>>
  keys: Readonly<Record<string, ReadonlySet<string>>>
  /** What the check was made from; read only to say why it said no. */
  schemaOf(tag: string): Schema
}

/** What is known of a record type. `forms`: forms of records in which all is known, each at its own place. */
export type Type = { tag: string; check: Check; known?: Known; forms: Int32Array }

/** Looks a record's type up: by its form, where that tells it, since most records are of few forms and have many shapes. */
export function typeFinder({
  shapes: { checks },
  tag,
  formTells = false,
}: Pick<Dialect, 'shapes' | 'tag' | 'formTells'>): (record: Rec, form?: number) => Type | undefined {
  const types = new Map<string | undefined, Type>(
    Object.entries(checks).map(([name, check]) => [name, { tag: name, check, forms: new Int32Array(places) }]),
  )
  const forms = new Int32Array(places)
  const byPlace = Array.from<Type | undefined>({ length: places })
  return (record, form = 0) => {
    const place = placeOf(form)
    if (form !== 0 && forms[place] === form) return byPlace[place]
    const type = types.get(tag(record))
    if (type !== undefined && form !== 0 && formTells) {
      forms[place] = form
      byPlace[place] = type
    }
    return type
  }
}

// Forms are counted up, and few are in use at a time: a form has a place of its own until another one takes it.
const places = 128
const placeOf = (form: number): number => form & (places - 1)

/** Enough of a dialect to know its records when they come; light, so that all of them can be asked. */
export type Claimer = {
  name: string
  /** One line for people: whose format this is. */
  title: string
  /** How sure it is that the record is of this dialect, from 0 to 1; 1 means that no other dialect could have written it. */
  claim(record: Rec): number
  /** The version of the format or program that the record tells, if it does. */
  version?(record: Rec): string | undefined
}

export type Dialect = Claimer & {
  shapes: Shapes
  /** The record's type, as `shapes` names it; a type that is not in `shapes` is unknown. Undefined: not this dialect at all. */
  tag(record: Rec): string | undefined
  /** Nothing but the keys `type`, `kind`, `event` and `subtype` tells it: records of one form have one type. */
  formTells?: boolean
  /** Ids may be numbers. They are told apart by all their digits, of which a double holds but the first. */
  numberIds?: boolean
  /** Paths in a record, such as `items.*.text`, of what tools gave back: texts that may be long, of which a summary needs the ends at most. */
  outputs?: ReadonlySet<string>
  /** Types that `shapes` does not know are legal, and part of the format: a user's own events. */
  custom?: boolean
  decoder(): Decoder
  order(): Order
  /** The rules that `order` checks: code to sentence. */
  rules: Readonly<Record<string, string>>
  /** Both absent: the dialect is read, judged and passed through, but never written. */
  encoder?(sink: Sink): Encoder
  loss?: LossTable
}

/** A dialect that others can be translated into. */
export type WritableDialect = Dialect & Required<Pick<Dialect, 'encoder' | 'loss'>>

export const isWritable = (dialect: Dialect): dialect is WritableDialect => dialect.encoder !== undefined && dialect.loss !== undefined

// ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One a stream. Never throws, whatever the record is. */
export type Decoder = {
  /** `form`: records that share one have the same keys in the same order. */
  push(record: Rec, origin: Origin, form?: number): Event[]
  /** Of the last record: nothing of it was told as raw and unknown. Absent: look and see. */
  knew?(): boolean
  /** Reads along what is written, to put unknown keys back. A decoder does either this or its own work. */
  restorer?(lost: (event: Event) => void): Restorer
  /** A line that could not be read at all. */
  issue(payload: Payload<'issue'>, origin: Origin | undefined): Event[]
  end(cause?: Cause): Event[]
}

/** The dialect's own part of a decoder: it is called with records of known type and right shape only. */
export type DecoderBody = {
  push(record: Rec, tag: string, origin: Origin): void
  /** A record of known type and wrong shape, after it was told as an issue: what it ends has ended all the same. */
  bad?(record: Rec, tag: string, origin: Origin): void
  /** Where a record stands whose type is not known. */
  place?(record: Rec): Place
  /** Before the pen closes what is open. */
  end?(): void
}

export function decoderOf(
  dialect: Pick<Dialect, 'name' | 'shapes' | 'tag' | 'formTells'>,
  createBody: (pen: Pen) => DecoderBody,
  options?: PenOptions,
): Decoder {
  const pen = createPen(options)
  const body = createBody(pen)
  const typeOf = typeFinder(dialect)

  /** A number that keeps its text is none to a check; where one must stand, its value counts. */
  function doubt(record: Rec, { tag, check }: Type, origin: Origin): void {
    const plain = withPlainNumbers(record, check)
    if (plain !== undefined) return body.push(plain, tag, origin)
    pen.issue(badBody(dialect, tag, record, origin))
    body.bad?.(record, tag, origin)
  }

  /** With the first event that the record tells; where it tells none, the record itself is kept. */
  function keep(unknown: Rec, events: Event[], record: Rec, tag: string): void {
    const teller = tellerIn(events)
    if (teller !== undefined) {
      teller.ext = { [dialect.name]: merged(teller.ext?.[dialect.name], unknown) } // the dialect keeps some itself
      if (teller.origin !== undefined) teller.origin = { ...teller.origin, type: tag }
    } else if (!events.some(keepsText)) {
      pen.raw(tag, 'unmapped', body.place?.(record))
      events.push(...pen.take())
    }
  }

  const unread: Origin = { dialect: dialect.name, record: 0, offset: 0, length: 0 }
  const decoder: Decoder = {
    push(record, origin, form = 0) {
      const type = typeOf(record, form)
      pen.begin(origin)
      if (type === undefined) {
        pen.raw(dialect.tag(record) ?? '', 'unknown', body.place?.(record))
        return pen.take()
      }
      if (type.check(record)) body.push(record, type.tag, origin) // the table's own text: comparing it costs nothing
      else doubt(record, type, origin)
      const events = pen.take()
      if (form !== 0 && type.forms[placeOf(form)] === form) return events
      const added = record['synthetic']
      const unknown = unknownIn(record, (type.known ??= knownOf(dialect, type.tag)))
      if (unknown !== undefined) keep(unknown, events, record, type.tag)
      if (typeof added === 'string') for (const event of events) event.synthetic ??= added // sluice wrote this record, and said why
      if (form !== 0 && unknown === undefined && added === undefined) type.forms[placeOf(form)] = form
      return events
    },
    knew: pen.knew,
    restorer: (lost) =>
      createRestorer(
        dialect.name,
        dialect.tag,
        (record) => tellerIn(decoder.push(record, unread)),
        (record, unknown) => putBack(record, unknown, knownOf(dialect, dialect.tag(record)!)),
        lost,
      ),
    issue(payload, origin) {
      pen.begin(origin)
      pen.issue(payload)
      return pen.take()
    },
    end(cause) {
      pen.begin(undefined)
      body.end?.()
      pen.end(cause)
      return pen.take()
    },
  }
  return decoder
}

/** The text of its record stays with it. */
const keepsText = (event: Event): boolean => event.kind === 'issue' || (event.kind === 'raw' && event.why !== 'redundant')

/** Of a record's events, the one with which its unknown keys are kept. */
const tellerIn = (events: readonly Event[]): Event | undefined => events.find((event) => event.synthetic !== 'implied' && !keepsText(event))

/** Made from the schema once, for all streams. */
const knownBefore = new WeakMap<Shapes, Map<string, Known>>()

function knownOf({ shapes }: Pick<Dialect, 'shapes'>, tag: string): Known {
  let before = knownBefore.get(shapes)
  if (before === undefined) knownBefore.set(shapes, (before = new Map()))
  let known = before.get(tag)
  if (known !== undefined) return known
  const deeper = knownIn(shapes.schemaOf(tag))?.keys
  known = { keys: new Map([...shapes.keys[tag]!].map((key) => [key, deeper?.get(key)])) }
  before.set(tag, known)
  return known
}

/** A record of a known type whose body is not what that type must have. */
export const badBody = (dialect: Pick<Dialect, 'name' | 'shapes'>, tag: string, record: Rec, origin: Origin): Payload<'issue'> => ({
  code: 'bad-body',
  severity: 'error',
  line: lineOf(origin),
  byte: origin.offset,
  text: `${dialect.name} record ${quoted(tag)} is not valid: ${whyInvalid(dialect.shapes, tag, record)}`,
  goesOn: true,
})

/** What is wrong with a record that its check has refused. */
export const whyInvalid = (shapes: Shapes, tag: string, record: Rec): string => explain(shapes.schemaOf(tag), record) ?? 'wrong shape'

// ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Where an encoder puts its records and says what it had to add or leave out. */
export type Sink = {
  /** Somebody watches while it happens: what is said is not kept back. */
  live?: boolean
  /** `synthetic` tells why there is no source record behind this one; it is written into the record and counted. */
  write(record: Rec, synthetic?: string): void
  /** A field that had to be filled without a source: `session_start.agent`. */
  added(what: string): void
  /**
   * Beyond what the loss table counts by itself: something this very event could not bring across. Without a field: all of it. Nothing of
   * it is written and nothing will be, whatever the table says of its kind.
   */
  lost(event: Event, field?: string, how?: 'approx' | 'drop'): void
}

/** One a stream. Gets every event that the loss table does not drop, in order; `end` comes after the last. */
export type Encoder = {
  push(event: Event): void
  end(): void
  /** Somebody watches, and for a moment has seen nothing of what was pushed last: what is held back for completeness' sake has to go. */
  rest?(): void
}

/** Why a record made from this event has no source record behind it; undefined when it has one. */
export const syntheticOf = ({ kind, origin, synthetic }: Event): string | undefined =>
  origin === undefined || synthetic !== 'implied' || isGuess(kind) ? synthetic : undefined

/** A record proves the boundaries that it implies. Not so who began, nor what somebody answered: that was read between the lines. */
const isGuess = (kind: Kind): boolean =>
  kind === 'session.start' || kind === 'permission.answer' || kind === 'question.answer' || kind === 'hook.end'

// ── what a dialect cannot say ────────────────────────────────────────────────────────────────────────────────────────────

/**
 * exact: all that matters comes across · approx: it comes across in other words · drop: it cannot be said.
 * `lost` are fields of the kind that never come across; each is counted when an event has it.
 */
export type Expression = { how: 'exact' | 'approx' | 'drop'; lost?: readonly string[]; note?: string }

/** Every kind of the model has an answer: a new kind does not compile until each dialect has said what becomes of it. */
export type LossTable = Readonly<Record<Kind, Expression>>

// ── order ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Finding = { code: string; severity: 'error' | 'warn'; text: string }
export type Report = (finding: Finding) => void

/** Legality of a sequence of records. All rules are per session. It sees records of known type and right shape only. */
export type Order = {
  push(record: Rec, tag: string, report: Report): void
  /** A record of a type that is not known went by. */
  pass?(record: Rec): void
  end(report: Report): void
  /** For repair: the records that must stand before `next` (before the end of the stream when undefined), in order. */
  missing(next: Rec | undefined, tag: string | undefined): Rec[]
}

// ── small help for dialects ──────────────────────────────────────────────────────────────────────────────────────────────

/** Any JSON value as the text that a string field needs. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : value === undefined ? '' : stringifyJson(value))

/** The text of a block of content, which may stand bare; ACP wraps the blocks of a tool's output once more, in `content`. */
export function textOfBlock(block: unknown): string | undefined {
  if (typeof block === 'string') return block
  if (!isRecord(block)) return undefined
  const inner = block['text'] ?? (isRecord(block['content']) ? block['content']['text'] : undefined)
  return typeof inner === 'string' ? inner : undefined
}

/** A text of the dialect's own that its decoder has kept beside the event, since the model has no word for it. */
export function keptText(event: Pick<Event, 'ext'> | undefined, dialect: string, key: string): string | undefined {
  if (event?.ext === undefined) return undefined
  const kept = (event.ext[dialect] as Rec | undefined)?.[key]
  return typeof kept === 'string' ? kept : undefined
}

/** A record that `validate --repair` has added. */
export const isRepair = ({ synthetic }: Rec): boolean => typeof synthetic === 'string' && synthetic.startsWith('repair:')

/** Ids that sluice made begin with `~`; on the wire they drop it. */
export const wireId = (id: string): string => (id.startsWith('~') ? id.slice(1) : id)
