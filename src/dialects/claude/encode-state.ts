// What the encoder remembers while it writes: per session what an init and a result need, per lane the message that is
// being written. Records of the main lane stand inside a turn (init … result); a subagent's may follow it.
import type { Rec } from '../../base/json.ts'
import { isoOf } from '../../base/time.ts'
import type { Event, EventOf, Fault, Payload, Usage } from '../../model/event.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { wireId } from '../contract.ts'
import type { Holder } from './encode-hold.ts'
import { uuidFor } from './uuid.ts'

/** A block that stands open in the raw stream. */
export type OpenBlock = { index: number; type: 'text' | 'thinking' | 'tool_use' | 'other' }

export type WriteMessage = {
  /** The event that told of its beginning, where it was told at all. */
  start: EventOf<'message.start'> | undefined
  /** As the source names it. */
  source: string | undefined
  id: string
  model: string | undefined
  usage: Usage | undefined
  blocks: number
  /** Its message_start is written and its message_stop is not. */
  streaming: boolean
  block: OpenBlock | undefined
  /** Deltas since the last full record, for sources that tell no whole. */
  joined: { text: string; thinking: string }
  /** Kinds of blocks that were cut off by another one and are written already, though their end is still to come. */
  cut: { text: boolean; thinking: boolean }
  /** A result or prompt came since: what follows without a message id is a new message. */
  answered: boolean
}

/** A call whose input comes in pieces: written when the input is whole. */
export type HeldCall = { event: EventOf<'tool.start'>; json: string; streamed: boolean }

export type WriteLane = {
  message: WriteMessage | undefined
  /** Ids that the lane has left; they may not come again. */
  past: Set<string>
  /** The last message, if it has ended with calls: they may be told after its end. */
  calling: WriteMessage | undefined
  held: Map<string, HeldCall>
}

export type WriteCall = {
  name: string
  lane: string | undefined
  input: unknown
  paths: readonly string[] | undefined
  kind: string
  at: number | undefined
  /** What it has printed, stream by stream, where the source keeps them apart. */
  printed?: { stdout: string; stderr: string }
}

/** `wire`: the id under which it waits on the control channel; undefined when nobody need answer. */
export type WriteAsk = { name: string; input: unknown; question: boolean; call: string | undefined; wire: string | undefined }

export type ModelTotal = {
  usage: Usage
  usd: number
  searches: number
  contextLimit: number | undefined
  outputLimit: number | undefined
}

export type WriteSession = {
  key: string | undefined
  /** On the wire; a source that names its session late is waited for until the first record. */
  id: string | undefined
  /** Its end was told: another may go on under its id. */
  over: boolean
  /** Another has written a turn under its id before: even a lone result needs an init then. */
  follows: boolean
  setting: Payload<'session.update'>
  catalog: Payload<'catalog.update'>
  /** Why nobody said that it began, though it did. */
  unsaid: string | undefined
  inits: number
  openTurns: number
  results: number
  /** Of the last result. */
  lastReason: Reason | undefined
  /** Of the last session_state_changed. */
  state: string | undefined
  records: number
  lanes: Map<string | undefined, WriteLane>
  calls: Map<string, WriteCall>
  /** The call that started a task: the parent of the lane's records. */
  parents: Map<string, string>
  asks: Map<string, WriteAsk>
  /** Prompts told before their turn began. */
  prompts: EventOf<'prompt.submit'>[]
  /** The last one that waits to be sent, before the first turn. */
  queued: EventOf<'prompt.submit'> | undefined
  /** The last prompt that was sent, until it is seen. */
  sentPrompt: string | undefined
  /** A new mode that is not told yet. */
  mode: EventOf<'session.update'> | undefined
  /** What only the next init can tell, if one comes. */
  untold: Event[]
  /** How full the context is, for the next record of a message. */
  context: EventOf<'usage.update'> | undefined
  /** Of the turn that is being written. */
  turn: {
    startedAt: number | undefined
    steps: number
    text: string | undefined
    usage: Usage | undefined
    byModel: Map<string, ModelTotal>
    usd: number | undefined
    fault: Fault | undefined
    /** Calls of tools that the provider runs. */
    served: { web_search_requests: number; web_fetch_requests: number }
    denied: Map<string, Rec>
  }
  /** Over all turns, as the program counts. */
  totals: { usd: number; models: Map<string, ModelTotal> }
  /** Tokens that its results have told. */
  told: Usage | undefined
  lastAt: number | undefined
}

export const newTurn = (startedAt?: number): WriteSession['turn'] => ({
  startedAt,
  steps: 0,
  text: undefined,
  usage: undefined,
  byModel: new Map(),
  usd: undefined,
  fault: undefined,
  served: { web_search_requests: 0, web_fetch_requests: 0 },
  denied: new Map(),
})

export type Writer = {
  sink: Holder
  session: WriteSession
  /** Who has an id on the wire: two sessions at a time do not share one. */
  named: Map<string, WriteSession>
  /** Ids that wait for an answer on the control channel, which all sessions share. */
  waiting: Set<string>
  /** Ids of Claude's own records that were given to records again: each is given once. */
  again: Set<string>
  /** Ids made where the source has none. */
  made: number
  unnamed: number
}

export const newSession = (key: string | undefined): WriteSession => ({
  key,
  id: undefined,
  over: false,
  follows: false,
  setting: {},
  catalog: {},
  unsaid: undefined,
  inits: 0,
  openTurns: 0,
  results: 0,
  lastReason: undefined,
  state: undefined,
  records: 0,
  lanes: new Map(),
  calls: new Map(),
  parents: new Map(),
  asks: new Map(),
  prompts: [],
  queued: undefined,
  sentPrompt: undefined,
  mode: undefined,
  untold: [],
  context: undefined,
  turn: newTurn(),
  totals: { usd: 0, models: new Map() },
  told: undefined,
  lastAt: undefined,
})

export function laneOf(session: WriteSession, id: string | undefined): WriteLane {
  let lane = session.lanes.get(id)
  if (lane === undefined) session.lanes.set(id, (lane = { message: undefined, past: new Set(), calling: undefined, held: new Map() }))
  return lane
}

// ── the ends of a record ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Writes a record that names its session; `uuid` comes last, as the program has it. */
export function write(on: Writer, record: Rec, synthetic?: string, event?: Event): void {
  record['session_id'] = idOf(on)
  record['uuid'] = uuidOf(on, event)
  on.sink.write(record, synthetic)
}

const mostAgain = 4096

/**
 * The id that the record had which tells this event, if that was one of Claude's; else one is made. Records that are many have all their keys
 * from the start: to add them later costs more than all the others.
 */
export function uuidOf({ session, again }: Writer, event?: Event): string {
  const made = uuidFor(session.id!, ++session.records)
  const id = event?.origin?.dialect === 'claude' && event.synthetic === undefined ? event.origin.id : undefined
  if (id === undefined || again.has(id)) return made
  again.add(id)
  if (again.size > mostAgain) again.delete(again.values().next().value!)
  return id
}

export function idOf(on: Writer): string {
  const { session, sink } = on
  if (session.id !== undefined) return session.id
  if (session.key === undefined) sink.added('session_id')
  return freeName(on, session.key === undefined ? `session-${++on.unnamed}` : wireId(session.key))
}

/** What the source calls the session, where it has no better name; false when that says nothing new. */
export function nameSession(on: Writer, native: string | undefined): boolean {
  return native !== undefined && native !== '' && on.session.id === undefined && isFree(on, native) && take(on, native) === native
}

/** By its own id, if it has one. Another that goes by that and has written nothing yet has to do with its own. */
export function nameByKey(on: Writer): void {
  const { key } = on.session
  if (key === undefined || key.startsWith('~')) return
  const other = on.named.get(key)
  if (other === undefined || other.records > 0) return void freeName(on, key)
  other.id = undefined
  take(on, key)
}

function freeName(on: Writer, name: string): string {
  let free = name
  for (let n = 2; !isFree(on, free); n++) free = `${name}-${n}`
  if (free !== name) on.sink.added('session_id')
  return take(on, free)
}

function isFree({ named }: Writer, name: string): boolean {
  const other = named.get(name)
  return other === undefined || other.over
}

function take({ named, session }: Writer, name: string): string {
  const before = named.get(name)
  if (before !== undefined) {
    session.follows = before.inits > 0 || before.follows
    session.records = before.records // no uuid comes twice
  }
  named.set(name, session)
  return (session.id = name)
}

export const stamp = (at: number | undefined): string | undefined => (at === undefined ? undefined : isoOf(at))

/** The call that a lane's records belong to. It is fixed with its first record, also when the task's start comes later. */
export function parentOf({ session }: Writer, agent: string | undefined): string | null {
  if (agent === undefined) return null
  if (!session.parents.has(agent)) session.parents.set(agent, agent)
  return wireId(session.parents.get(agent)!)
}

export const agentId = (agent: string | undefined): string | undefined => (agent === undefined ? undefined : wireId(agent))

export const callId = (event: Event): string => wireId(event.call ?? 'toolu_unknown')
