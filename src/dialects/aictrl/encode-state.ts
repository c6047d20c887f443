// What the encoder remembers of one session, and the one way in which its records leave: held ones first.
import type { Rec } from '../../base/json.ts'
import type { Cost, Event, EventOf, Rule, Usage } from '../../model/event.ts'
import type { Reason, ToolKind } from '../../model/vocabulary.ts'
import { keptText, type Sink } from '../contract.ts'
import type { AnyWire, Wire } from './wire.ts'
import { reasonText } from './words.ts'

/** Shared by all sessions of a stream. */
export type Out = {
  sink: Sink
  /** The event's time, else the last one known, else 0. */
  time(event: Event): number
  /** Writes what was held back, before this record. */
  release(session: Session, record: AnyWire): void
}

export type Session = ReturnType<typeof createSession>

/** session_start and the catalogue directly behind it, held until the turn begins: a source may tell both in pieces. */
type Start = {
  timestamp: number
  synthetic: string | undefined
  rules: Rule[] | undefined
  catalog: { record: Wire<'tool_catalog'>; synthetic: string | undefined } | undefined
}

/** One model message; `implied` when the source tells none and the turn stands for it. */
type Step = {
  turn: number | undefined
  model: string | undefined
  provider: string | undefined
  tools: boolean
  implied: boolean
}

/** A message_complete that waits for the turn's sum, since its own tokens are not final. */
export type Pending = {
  event: EventOf<'message.end'> | undefined
  timestamp: number
  turn: number | undefined
  model: string | undefined
  provider: string | undefined
  finish: Reason | undefined
  usage: Usage | undefined
  cost: Cost | undefined
  synthetic: string | undefined
}

export type Call = {
  name: string
  toolKind: ToolKind
  title: string | undefined
  input: unknown
  at: number | undefined
  agent: string | undefined
}

/** Text that came in deltas. `spilled` characters of it are written already, since it grew too large to keep. */
type Block = { text: string; spilled: number; startedAt: number | undefined }
const createBlock = (): Block => ({ text: '', spilled: 0, startedAt: undefined })

export const createSession = (id: string) => ({
  id,
  last: undefined as string | undefined,
  start: undefined as Start | undefined,
  began: undefined as number | undefined,
  turnsMs: undefined as number | undefined,
  model: undefined as string | undefined,
  provider: undefined as string | undefined,
  agent: undefined as string | undefined,
  step: undefined as Step | undefined,
  pending: undefined as Pending | undefined,
  /** Tokens of the messages written, by turn and in all. */
  spent: new Map<number | undefined, Usage>(),
  spentInAll: undefined as Usage | undefined,
  /** Of a turn whose messages were written before its sum was known. */
  carried: undefined as Usage | undefined,
  /** Context windows by model, which some sources tell only with a turn's end. */
  limits: new Map<string, number>(),
  blocks: { text: createBlock(), thought: createBlock() },
  spoke: false,
  /** The finish of the last message written. */
  finish: undefined as string | undefined,
  /** An error was written since the last step began. */
  erred: false,
  /** Why the last message failed, until an error has said so: a message without a finish needs one. */
  unsaid: undefined as Reason | undefined,
  counters: new Map<string, number>(),
  calls: new Map<string, Call>(),
  /** The end of the message whose calls still run. */
  ended: undefined as EventOf<'message.end'> | undefined,
  asked: new Map<string, EventOf<'permission.request'>>(),
  /** Open subagents to their parents. */
  lanes: new Map<string, string>(),
  /** skill_loaded records that wait for the permission check. */
  loaded: [] as { event: EventOf<'skill.load'>; record: Wire<'skill_loaded'> }[],
  deniedSkills: new Set<unknown>(),
  /** Calls of this turn whose refusal was written; the tool's name where it names no call. */
  refused: new Set<string>(),
  /** The session_error of a stream that was aictrl's. */
  fatal: undefined as EventOf<'error'> | undefined,
  /** Texts of errors that were written: a failure is told once. */
  told: new Set<string>(),
  /** Fatal errors written as `error` before the source told the same as not fatal. */
  early: new Set<string>(),
})

/** Of the main conversation. */
export function hasOpenCalls({ calls }: Session): boolean {
  for (const { agent } of calls.values()) if (agent === undefined) return true
  return false
}

/** Text that has not ended is given up; false when there is none. */
export function dropBlocks({ blocks }: Session): boolean {
  const hasText = blocks.text.text !== '' || blocks.text.spilled > 0
  const hasThought = blocks.thought.text !== '' || blocks.thought.spilled > 0
  if (hasText) blocks.text = createBlock()
  if (hasThought) blocks.thought = createBlock()
  return hasText || hasThought
}

export const keptIn = (event: Event | undefined, key: string): string | undefined => keptText(event, 'aictrl', key)

export const nextNumber = (session: Session, lane: string): number => {
  const number = (session.counters.get(lane) ?? 0) + 1
  session.counters.set(lane, number)
  return number
}

/** The optional keys of a wire type may be undefined: the JSON writer leaves them out. */
export function write(out: Out, session: Session, record: AnyWire, synthetic?: string): void {
  if (session.start !== undefined || session.pending !== undefined || session.loaded.length > 0) out.release(session, record)
  if (session.unsaid !== undefined && saysMore.has(record.type)) sayWhy(out, session, record, session.unsaid)
  session.last = record.type
  if (record.type === 'error' || record.type === 'step_start') session.erred = record.type === 'error'
  if (session.erred || record.type === 'session_error') session.unsaid = undefined
  out.sink.write(record as Rec, synthetic)
}

const saysMore: ReadonlySet<string> = new Set(['step_start', 'message_complete', 'session_complete'])

function sayWhy(out: Out, session: Session, { timestamp }: AnyWire, reason: Reason): void {
  const error = { name: 'Unknown', data: { message: reasonText(reason) } }
  write(out, session, { type: 'error', timestamp, sessionID: session.id, error, sourceSessionID: session.id }, 'required')
}
