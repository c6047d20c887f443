// What the decoder remembers of a stream: per session its lanes, open calls and open questions. Only what is open, never
// text, input or output; every table has a limit and forgets its oldest entry.
import type { Fault, Origin, Place, Usage } from '../../model/event.ts'
import type { Pen } from '../../model/pen.ts'
import type { Reason } from '../../model/vocabulary.ts'

export type Message = {
  id: string
  turn: number | undefined
  model: string | undefined
  usage: Usage | undefined
  usageFinal: boolean
  finish: Reason | undefined
  /** Some block of it is a tool call. */
  calls: boolean
}

/** A block that began in the raw stream and whose full record has not come. `told`: some delta of it was told. */
export type StreamedBlock = { type: 'text' | 'thought' | 'tool' | 'other'; call: string | undefined; told: boolean }

/** The main conversation (`undefined`) or a subagent. At most one message is open in it. */
export type Lane = {
  message: Message | undefined
  /** Number of the next block that a full record brings. */
  next: number
  streamed: Map<number, StreamedBlock>
  /** Between message_start and message_stop. */
  streaming: boolean
  /** A result or prompt came since: a record without a message id starts a new message. */
  answered: boolean
}

/** `refused`: somebody said no to it, so its failing result is that refusal. */
export type Call = { name: string; lane: string | undefined; turn: number | undefined; refused: boolean }
/** A hook callback has a request id like the questions. `name` is the tool's, or the hook's event. */
export type Ask = { about: 'permission' | 'question' | 'hook'; call: string | undefined; name: string; place: Place; unmade?: boolean }

export type Session = {
  lanes: Map<string | undefined, Lane>
  calls: Map<string, Call>
  asks: Map<string, Ask>
  hooks: Set<string>
  /** The task that a call started. */
  tasks: Map<string, { task: string; background: boolean }>
  turnCount: number
  /** A background task ended: it wakes the agent, so the next turn is its. */
  woken: boolean
  init: { readonly [key: string]: unknown } | undefined
  /** Failure told by a record of the open turn. */
  fault: Fault | undefined
  /** What the last message of a model ended with, in the main lane of the open turn. */
  finish: Reason | undefined
  /** Cumulative over the process, from the last result. */
  spent: Spent
  /** An init came while no turn was open, and no result since: it may be that of another process. */
  fresh: boolean
  transcript: Transcript | undefined
}

type Spent = { usd: number; models: Map<string, { usage: Usage; usd: number }> }

export type Transcript = {
  prompt: string | undefined
  tools: Set<string>
  agents: Set<string>
  reason: Reason | undefined
}

export type Reader = {
  pen: Pen
  /** Of the record being read. */
  session: Session
  origin: Origin
  tag: string
  /** Ids made for messages that the source does not name. */
  made: number
}

export const newSession = (): Session => ({
  lanes: new Map(),
  calls: new Map(),
  asks: new Map(),
  hooks: new Set(),
  tasks: new Map(),
  turnCount: 0,
  woken: false,
  init: undefined,
  fault: undefined,
  finish: undefined,
  spent: { usd: 0, models: new Map() },
  fresh: false,
  transcript: undefined,
})

const newLane = (): Lane => ({ message: undefined, next: 0, streamed: new Map(), streaming: false, answered: false })

export function laneOf(session: Session, id: string | undefined): Lane {
  let lane = session.lanes.get(id)
  if (lane === undefined) put(session.lanes, id, (lane = newLane()), most.lanes)
  return lane
}

export const most = { sessions: 1024, lanes: 1024, calls: 4096, asks: 256, blocks: 1024, names: 4096 } as const

/** Adds to a table of limited size. */
export function put<Key, Value>(table: Map<Key, Value>, key: Key, value: Value, limit: number): void {
  table.delete(key)
  table.set(key, value)
  if (table.size > limit) table.delete(table.keys().next().value!)
}

/** The turn that the main lane is in; said only when it began before the former one ended. */
export const newestTurn = (on: Reader): number | undefined => (on.pen.openTurns() > 1 ? on.session.turnCount : undefined)

/** The same for events that cannot be outside a turn. */
export function turnOf(on: Reader): number | undefined {
  if (on.pen.openTurns() === 0) startTurn(on, 'unknown', { synthetic: 'implied' })
  return newestTurn(on)
}

export function startTurn(
  { pen, session }: Reader,
  trigger: 'prompt' | 'task' | 'command' | 'unknown',
  place?: Place,
  native?: string,
): void {
  session.turnCount++
  session.fault = undefined
  session.finish = undefined
  session.woken = false
  pen.emit('turn.start', { trigger, native }, place)
}
