// What the decoder remembers of a stream: the session that is open, its model calls, tool calls and subagents. Only what is open,
// never text, input or output; every table has a limit and forgets its oldest entry.
import type { Rec } from '../../base/json.ts'
import type { Context, Fault, Payload, Place, Usage } from '../../model/event.ts'
import type { Pen } from '../../model/pen.ts'
import type { Decider, Reason, ToolKind } from '../../model/vocabulary.ts'

/** `split`: a tool call came in between, so that one text became several blocks. */
export type Streamed = { id: string; block: number; split: boolean }

/** A model call, `assistant.turn_start` to `assistant.turn_end`. */
export type Message = {
  /** Made from the record that begins it: Copilot's own `messageId` is told only after the first thoughts and calls. */
  id: string | undefined
  /** Number of the next block, and of the first one that no whole message has confirmed. */
  next: number
  confirmed: number
  /** The last block that was streamed, with Copilot's id of the whole. */
  text: Streamed | undefined
  thought: Streamed | undefined
  /** Some thought was told whole: what repeats it is not told again. */
  thoughtTold: boolean
  /** The whole message came. */
  said: boolean
  retries: number
  model: string | undefined
  provider: string | undefined
  usage: Usage | undefined
  context: Context | undefined
  finish: Reason | undefined
  /** The call failed, and was not tried again with success. */
  error: Fault | undefined
}

export type Call = {
  name: string
  kind: ToolKind
  lane: string | undefined
  /** Its whole input was told, its run has begun. */
  whole: boolean
  running: boolean
  /** Which of the two records of its output is told, and how much of the output so far was. */
  output: 'shell' | 'partial' | undefined
  head: string
  length: number
  permitted: { allow: boolean; by: Decider } | undefined
}

type ModelShare = { usage: Usage; contextLimit: number | undefined; outputLimit: number | undefined }

/** What the end of the turn will tell. */
export type Turn = {
  /** Somebody, or a limit, stopped it. */
  stopped: 'cancelled' | 'budget' | undefined
  /** Told of the turn itself; of the last model call, if nothing came after it. */
  fault: Fault | undefined
  failure: Fault | undefined
  finish: Reason | undefined
  steps: number
  /** Of all lanes, of the main one, per model. */
  usage: Usage | undefined
  own: Usage | undefined
  models: Map<string, ModelShare>
}

export type Session = {
  key: string | undefined
  native: string | undefined
  /** It had ended before. */
  resumed: boolean
  /** Records came that are never written to a file. */
  live: boolean
  messages: Map<string | undefined, Message>
  calls: Map<string, Call>
  /** Subagents that were announced, and the one that a call started. */
  lanes: Set<string>
  tasks: Map<string, string>
  hooks: Set<string>
  servers: Map<string, { name: string; status: string; error: string | undefined }>
  /** The last model call whose tokens were counted. */
  counted: string | undefined
  spent: Usage | undefined
  turn: Turn
  lastReason: Reason | undefined
  lastError: Fault | undefined
}

/** The envelope that every record but `result` has. */
export type Envelope = {
  type: string
  id?: string | undefined
  timestamp?: string | undefined
  agentId?: string | null | undefined
  data: Rec
}

export type Reader = { pen: Pen; session: Session; record: Envelope; tag: string; at: number | undefined }

export const newSession = (key: string | undefined, native?: string, resumed = false): Session => ({
  key,
  native,
  resumed,
  live: false,
  messages: new Map(),
  calls: new Map(),
  lanes: new Set(),
  tasks: new Map(),
  hooks: new Set(),
  servers: new Map(),
  counted: undefined,
  spent: undefined,
  turn: newTurn(),
  lastReason: undefined,
  lastError: undefined,
})

export const newTurn = (): Turn => ({
  stopped: undefined,
  fault: undefined,
  failure: undefined,
  finish: undefined,
  steps: 0,
  usage: undefined,
  own: undefined,
  models: new Map(),
})

/** Entries of a table. */
export const most = 4096

/** Adds to a table of limited size. */
export function put<Key, Value>(table: Map<Key, Value>, key: Key, value: Value): void {
  table.delete(key)
  table.set(key, value)
  if (table.size > most) table.delete(table.keys().next().value!)
}

// ── lanes ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The lane of the record: undefined for the main agent. A subagent that was never announced starts here. */
export function laneOf(on: Reader): string | undefined {
  const { session, record } = on
  const parent = record.data['parentToolCallId']
  const call = typeof parent === 'string' && parent !== '' ? parent : undefined
  const lane = record.agentId || (call === undefined ? undefined : (session.tasks.get(call) ?? call))
  if (lane !== undefined && !session.lanes.has(lane)) startTask(on, { task: lane, type: 'agent' }, call ?? lane, 'implied')
  return lane
}

/** `call` may be no call at all: some versions name the subagent after the call that started it, others do not. */
export function startTask(on: Reader, task: Payload<'task.start'>, call: string | undefined, synthetic?: 'implied'): void {
  const { session, pen } = on
  const caller = call === undefined ? undefined : session.calls.get(call)
  session.lanes.add(task.task)
  if (session.lanes.size > most) session.lanes.delete(session.lanes.values().next().value!)
  if (call !== undefined) put(session.tasks, call, task.task)
  pen.emit('task.start', task, { call: caller === undefined ? undefined : call, agent: caller?.lane, synthetic })
}

// ── model calls ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The lane's open model call; content that comes outside one begins it. */
export const messageOf = (on: Reader, lane: string | undefined): Message =>
  on.session.messages.get(lane) ?? startMessage(on, lane, 'implied')

export function startMessage(on: Reader, lane: string | undefined, synthetic?: string): Message {
  const { id } = on.record
  const message: Message = {
    id: id === undefined ? undefined : `~${id}`,
    next: 0,
    confirmed: 0,
    text: undefined,
    thought: undefined,
    thoughtTold: false,
    said: false,
    retries: 0,
    model: undefined,
    provider: undefined,
    usage: undefined,
    context: undefined,
    finish: undefined,
    error: undefined,
  }
  put(on.session.messages, lane, message)
  if (lane === undefined) on.session.turn.steps++
  on.pen.emit('message.start', {}, { agent: lane, message: message.id, synthetic })
  return message
}

export function endMessage(on: Reader, lane: string | undefined, message: Message, synthetic?: string): void {
  const { model, provider, usage, context, error } = message
  const finish = message.finish ?? (error === undefined ? undefined : 'error')
  on.session.messages.delete(lane)
  if (lane === undefined) {
    const { turn } = on.session
    turn.finish = finish ?? turn.finish
    turn.failure = error
  }
  on.pen.emit(
    'message.end',
    { finish, model, provider, usage, usageFinal: usage === undefined ? undefined : true, context, error },
    { agent: lane, message: message.id, synthetic },
  )
}

export const placeIn = (message: Message, lane: string | undefined, block?: number): Place => ({ agent: lane, message: message.id, block })
