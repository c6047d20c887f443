// What the decoder remembers of a stream: the current session, and per session its lanes, open calls and open questions.
// Only what is open, never text, input or output; every table has a limit and forgets its oldest entry.
import type { Origin, Place, Usage } from '../../model/event.ts'
import type { Pen } from '../../model/pen.ts'
import type { Reason } from '../../model/vocabulary.ts'

/** The main conversation (`undefined`) or a subagent. At most one message is open in it. */
export type Lane = {
  message: { id: string; turn: number | undefined; model: string | undefined; usage: Usage | undefined; usageFinal: boolean; finish: Reason | undefined; calls: boolean } | undefined
  /** Number of the next block that a full record brings. */
  next: number
  /** Blocks of which deltas were told and whose full record has not come, by index. */
  streamed: Map<number, 'text' | 'thought' | 'tool'>
  /** Between message_start and message_stop. */
  streaming: boolean
  /** A result or prompt came since: a record without a message id starts a new message. */
  answered: boolean
}

export type Call = { name: string; lane: string | undefined; turn: number | undefined }
/** `kind` hook: a hook callback, which has a request id like the others. */
export type Ask = { kind: 'permission' | 'question' | 'hook'; call: string | undefined; name: string; lane: string | undefined; denied: boolean }

export type Session = {
  lanes: Map<string | undefined, Lane>
  calls: Map<string, Call>
  asks: Map<string, Ask>
  /** The task that a call started. */
  taskOfCall: Map<string, string>
  turnCount: number
  /** A finished background task wakes the agent: the next turn is its. */
  woken: boolean
  init: { [key: string]: unknown } | undefined
  /** Failure told by a record of the open turn. */
  fault: ReturnType<typeof import('./values.ts').faultFrom> | undefined
  /** Cumulative over the process, from the last result. */
  spent: { usd: number; models: Map<string, { usage: Usage; usd: number }> }
  transcript: { prompt: string | undefined; tools: Set<string>; agents: Set<string>; finish: Reason | undefined } | undefined
}

export type Reader = {
  pen: Pen
  /** Of the record being read. */
  session: Session
  origin: Origin
  tag: string
  /** Ids for messages that the source does not name. */
  made: number
}

export const newSession = (): Session => ({
  lanes: new Map(), calls: new Map(), asks: new Map(), taskOfCall: new Map(), turnCount: 0, woken: false, init: undefined, fault: undefined,
  spent: { usd: 0, models: new Map() }, transcript: undefined,
})

const newLane = (): Lane => ({ message: undefined, next: 0, streamed: new Map(), streaming: false, answered: false })

export function laneOf(session: Session, id: string | undefined): Lane {
  let lane = session.lanes.get(id)
  if (lane === undefined) put(session.lanes, id, (lane = newLane()), 1024)
  return lane
}

/** Adds to a table of limited size. */
export function put<Key, Value>(table: Map<Key, Value>, key: Key, value: Value, most: number): void {
  table.delete(key)
  table.set(key, value)
  if (table.size > most) table.delete(table.keys().next().value!)
}

/** The turn that events of the main lane belong to: the newest, when a second began before the first ended. */
export function turnOf({ pen, session }: Reader): number | undefined {
  if (pen.openTurns() === 0) startTurn({ pen, session }, 'unknown', { synthetic: 'implied' })
  return pen.openTurns() > 1 ? session.turnCount : undefined
}

export function startTurn({ pen, session }: Pick<Reader, 'pen' | 'session'>, trigger: 'prompt' | 'task' | 'command' | 'unknown', place: Place = {}, native?: string): void {
  session.turnCount++
  session.fault = undefined
  pen.emit('turn.start', { trigger, native }, place)
}
