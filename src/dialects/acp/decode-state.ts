// What the decoder remembers of a connection: requests that wait for their answer, per side, and per session what is open. Every
// table has a limit and forgets its oldest entry.
import type { Fault, Option, Usage } from '../../model/event.ts'
import type { Pen } from '../../model/pen.ts'
import type { Reason, ToolKind } from '../../model/vocabulary.ts'
import { noTrouble, type Trouble } from './decode-trouble.ts'
import { createRequests, type Requests } from './requests.ts'

/** `permitted`: what somebody said to it; after a no its failure is that refusal. `data`: Claude tells what a tool gave right before the end. */
export type Call = {
  name: string
  toolKind: ToolKind
  agent: string | undefined
  begun: number | undefined
  permitted: boolean | undefined
  streamed: boolean
  background: boolean
  /** The question whether it may run. */
  asked: string | undefined
  /** Its input was told, whole. */
  hasInput: boolean
  terminal: string | undefined
  data: unknown
}

/** A command that the host runs for the agent. `told`: how much of its output was told. */
export type Terminal = { call: string | undefined; told: number; exitCode: number | undefined }

export type Session = {
  calls: Map<string, Call>
  /** How often a call's id was told. */
  used: Map<string, number>
  terminals: Map<string, Terminal>
  /** The input of a call as far as the model has written it: told when another record comes. */
  held: { id: string; call: string; input: unknown } | undefined
  /** The message that was said last. */
  speaking: string | undefined
  trouble: Trouble
  /** Calls that are known to have started a subagent. */
  tasks: Set<string>
  /** Prompts without an answer; and whether there was one at all, which there is not in what the agent alone writes. */
  prompts: number
  prompted: boolean
  /** Its history is being told again. */
  replaying: boolean
  reason: Reason | undefined
  /** Dollars, over the session: now, and when the last turn ended. */
  cost: number | undefined
  spent: number | undefined
  /** Tokens, as last told by an agent that adds its turns up. */
  tokens?: Usage
}

/** A request that waits for its answer, with what its answer does not repeat. */
export type Request = {
  method: string
  id?: string | undefined
  session?: string | undefined
  agent?: string | undefined
  begun?: number | undefined
  cwd?: string | undefined
  path?: string | undefined
  terminal?: string | undefined
  call?: string | undefined
  options?: readonly Option[] | undefined
  /** Fields of a form, with the question that each of them is. */
  fields?: ReadonlyMap<string, string> | undefined
}

/** A session that belongs to another is a lane of it. */
type Lane = { session: string; agent: string }

export type Reader = {
  pen: Pen
  tag: string
  /** Milliseconds by the clock of whoever recorded the traffic, of the record being read. */
  t: number | undefined
  at: number | undefined
  /** The session that was spoken of last. */
  current: string | undefined
  sessions: Map<string | undefined, Session>
  lanes: Map<string, Lane>
  requests: Requests<Request>
  program: string | undefined
  version: string | undefined
  /** Why no session could be had, as long as there is none. */
  fault: Fault | undefined
}

const most = { sessions: 1024, lanes: 1024, calls: 4096, ids: 1024, terminals: 256 } as const

export const newReader = (pen: Pen): Reader => ({
  pen,
  tag: '',
  t: undefined,
  at: undefined,
  current: undefined,
  sessions: new Map(),
  lanes: new Map(),
  requests: createRequests(),
  program: undefined,
  version: undefined,
  fault: undefined,
})

const newSession = (): Session => ({
  calls: new Map(),
  used: new Map(),
  terminals: new Map(),
  held: undefined,
  speaking: undefined,
  trouble: noTrouble(),
  tasks: new Set(),
  prompts: 0,
  prompted: false,
  replaying: false,
  reason: undefined,
  cost: undefined,
  spent: undefined,
})

/** Adds to a table of limited size. */
function put<Key, Value>(table: Map<Key, Value>, key: Key, value: Value, limit: number): void {
  table.delete(key)
  table.set(key, value)
  if (table.size > limit) table.delete(table.keys().next().value!)
}

// ── where a record stands ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The record is about this session: its state, and the lane if the session is another one's. `growing`: the id of a call that the record
 * may say more of.
 */
export function enter(on: Reader, id: string | undefined, growing?: string): { session: Session; agent: string | undefined } {
  const lane = id === undefined ? undefined : on.lanes.get(id)
  const root = lane?.session ?? id
  on.current = root
  on.pen.common({ at: on.at, session: root })
  let session = on.sessions.get(root)
  if (session === undefined) put(on.sessions, root, (session = newSession()), most.sessions)
  if (session.held !== undefined && session.held.id !== growing) tellHeld(on, session)
  return { session, agent: lane?.agent }
}

export function tellHeld({ pen }: Reader, session: Session, synthetic?: 'implied'): void {
  const { held } = session
  const call = held === undefined ? undefined : session.calls.get(held.call)
  session.held = undefined
  if (held === undefined || call === undefined || !pen.isOpen(held.call)) return
  call.hasInput = true
  pen.emit('tool.update', { state: 'pending', input: held.input }, { call: held.call, agent: call.agent, synthetic })
}

export function addLane(on: Reader, child: string, session: string): void {
  if (child !== session) put(on.lanes, child, { session, agent: child }, most.lanes)
}

/** A turn that nobody prompted for in this stream is over when another begins. */
export const endReplayed = ({ pen }: Reader): void => pen.emit('turn.end', { reason: 'end_turn' }, { synthetic: 'implied' })

export const since = (on: Reader, begun: number | undefined): number | undefined =>
  begun === undefined || on.t === undefined ? undefined : Math.max(0, on.t - begun)

export function terminalOf(session: Session, id: string): Terminal {
  let terminal = session.terminals.get(id)
  if (terminal === undefined) put(session.terminals, id, (terminal = { call: undefined, told: 0, exitCode: undefined }), most.terminals)
  return terminal
}

/** A call's id may be used again once the call is over. */
export const calledAs = ({ used }: Session, id: string): string => ((used.get(id) ?? 1) === 1 ? id : `~${id}#${used.get(id)}`)

export function addCall(session: Session, id: string, call: Call): string {
  put(session.used, id, (session.used.get(id) ?? 0) + 1, most.ids)
  const name = calledAs(session, id)
  put(session.calls, name, call, most.calls)
  return name
}
