// What the decoder remembers of a stream: its threads, and the requests of both sides that are not answered. Only what is open, and no
// text, input or output but that of a patch and of calls that are not told yet; every table has a limit and forgets its oldest entry.
import type { Rec } from '../../base/json.ts'
import type { Fault, Origin, Place, Usage } from '../../model/event.ts'
import type { Pen } from '../../model/pen.ts'
import type { Reason, ToolStatus } from '../../model/vocabulary.ts'
import type { Setting } from './values.ts'

/** A conversation. That of a subagent is a lane of the session that its root thread is. */
export type Thread = {
  id: string | undefined
  session: string | undefined
  lane: string | undefined
  /** The lane of the thread that started this one. */
  parent: string | undefined
  root: Thread
  /** Its session has ended before. */
  past: boolean
  setting: Setting
  forkedFrom: string | undefined
  /** Id of the open turn, `''` when it has none. */
  turn: string | undefined
  lastTurn: string | undefined
  lastReason: Reason | undefined
  lastError: Fault | undefined
  /** Tokens: all of the thread as last told, and the part since its last turn; a root also has that of its lanes. */
  total: Usage | undefined
  spent: Usage | undefined
  lanesSpent: Usage | undefined
  /** A turn that was copied from the thread this one was forked from: its tokens were counted there. */
  replayed: boolean
  /** Each answer of the model is told with its beginning and its end: the host asked for raw items, or goes on with a thread. */
  hasAnswers: boolean
  /** The answer that is being given, known by its first item. */
  answer: string | undefined
  /** The item whose text is streamed, and the blocks of the item whose thoughts are. */
  speaking: string | undefined
  thinking: { item: string; blocks: Set<number>; last: number } | undefined
  /** Which sort of record told the last compaction; the other sort repeats it. */
  trimmed: string | undefined
  /** Servers by name: each record tells of one, a catalogue lists them all. */
  servers: Map<string, { name: string; status: string; error?: string | undefined }>
  hooks: Map<string, true>
  /** How calls ended whose answer has not come. */
  results: Map<string, Result>
  /** The patch that was begun last, until it is done: who is asked about it needs to know what it changes. */
  patch: { item: string; changes: unknown } | undefined
  /** Calls of tools of servers that are at work: a question about one does not name it. */
  serverCalls: Map<string, { server: string; tool: string }>
  /** How many of the prompts that the host has told the program has not repeated yet. */
  unseen: number
  /** Calls of the model that may leave no item, as they came. */
  hidden: Map<string, Rec>
  /** Calls that are open in a rollout file; true for those that run or change something. */
  calls: Map<string, boolean>
  /** Rollout files of old versions tell no turns: the prompts do. */
  untold: boolean
  answered: boolean
}

export type Result = { status?: ToolStatus | undefined; exitCode?: number | undefined; durationMs?: number | undefined }

/** `names`: the questions by their id, since answers are told by the text of the question. */
export type Ask = {
  about: 'permission' | 'question'
  thread: Thread
  names: ReadonlyMap<string, string> | undefined
  place: Place
}

/** Where an item is in its life. */
export type Phase = 'started' | 'updated' | 'completed'

export type Reader = {
  pen: Pen
  origin: Origin
  tag: string
  from: 'agent' | 'host' | undefined
  at: number | undefined
  /** Of the record being read. */
  thread: Thread
  /** Records of exec and of rollout files name no thread. */
  current: Thread
  threads: Map<string | undefined, Thread>
  /** What the agent asked, by JSON-RPC id. */
  asks: Map<string, Ask>
  /** Which method the host called, and about which thread, by JSON-RPC id. */
  calls: Map<string, { method: string; thread: Thread }>
  /** What a host wants of the thread that it starts; the agent's answer says it better. */
  wanted: Setting
}

export const most = { threads: 1024, asks: 256, calls: 1024, results: 256, hidden: 256, servers: 256, open: 4096 } as const

export function newThread(id: string | undefined, parent?: Thread): Thread {
  const thread: Thread = {
    id,
    session: parent === undefined ? id : parent.session,
    lane: parent === undefined ? undefined : id,
    parent: parent?.lane,
    root: undefined as never, // itself, or its parent's: set below
    past: false,
    setting: {},
    forkedFrom: undefined,
    turn: undefined,
    lastTurn: undefined,
    lastReason: undefined,
    lastError: undefined,
    total: undefined,
    spent: undefined,
    lanesSpent: undefined,
    replayed: false,
    hasAnswers: false,
    answer: undefined,
    speaking: undefined,
    thinking: undefined,
    trimmed: undefined,
    servers: new Map(),
    hooks: new Map(),
    results: new Map(),
    patch: undefined,
    serverCalls: new Map(),
    unseen: 0,
    hidden: new Map(),
    calls: new Map(),
    untold: true,
    answered: false,
  }
  thread.root = parent?.root ?? thread
  return thread
}

/** Adds to a table of limited size. */
export function put<Key, Value>(table: Map<Key, Value>, key: Key, value: Value, limit: number): void {
  table.delete(key)
  table.set(key, value)
  if (table.size > limit) table.delete(table.keys().next().value!)
}

export function threadAt(on: Reader, id: string | undefined): Thread {
  const known = on.threads.get(id)
  if (known !== undefined && on.threads.size < most.threads) return known
  const thread = known ?? newThread(id)
  put(on.threads, id, thread, most.threads) // one that is spoken of is not the oldest
  return thread
}

/** What follows is told of this thread. */
export function enter(on: Reader, thread: Thread): void {
  on.thread = thread
  on.pen.common({ at: on.at, session: thread.session })
}

/** In the lane of the thread that is spoken of. */
export const here = ({ thread }: Reader, more: Place = {}): Place => ({ agent: thread.lane, ...more })

export const echo = (on: Reader): void => pass(on, on.tag, 'redundant')

/** A record that tells nothing. Of a thread that has not begun nobody knows yet whether it is a session of its own. */
export function pass(on: Reader, name: string, why: 'redundant' | 'unmapped'): void {
  if (!on.pen.isStarted()) on.pen.common({ at: on.at })
  on.pen.raw(name, why, here(on))
}
