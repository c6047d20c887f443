// What a log is: it numbers the events of a run, makes them durable, and gives them to every reader from any point on. The unit is the
// run, which has one writer; a session is a list of parts of runs. Implementations: local/ (files). All of them run suite.test.ts.
import type { Event } from '../model/event.ts'

/**
 * A place in a stream, as text whose order is the order of events: `GGGGGG_SSSSSSSSSSSS` (see cursor.ts). Of a run G is the generation, of a
 * session the part; S is the event's `seq` in its run. It is the SSE id, the offset and the socket's `after`.
 */
export type Cursor = string

/** A run, all sessions in it; or a session, across all runs that it took part in. */
export type Stream = { run: string } | { session: string }

export type Log = {
  /** A new run, alive until its writer is closed or its process ends. Rejects with RunTaken. */
  open(run: RunStart): Promise<Writer>
  /**
   * All events after the cursor, then those that follow, without gap or duplicate. Reads on only when it is asked for more, so a slow reader
   * costs neither memory nor the writer's time. The stream of a run closes with an `end`; that of a session only by the signal, which ends the
   * iteration without an error. Whoever wants only what is there stops at `live`. Rejects with NotFound, BadCursor and Damaged.
   */
  read(stream: Stream, after?: Cursor, signal?: AbortSignal): AsyncGenerator<Item, void, void>
  /** Ends a run whose writer died: open sessions get their end, marked synthetic, once, whoever calls this and how many do. */
  reap(run: string): Promise<RunState>
  /** A session that begins with the events of another, up to a cursor of it. No event is copied. */
  fork(from: string, to: string, at?: Cursor): Promise<void>
  /** Newest first. */
  sessions(): Promise<SessionEntry[]>
  runs(): Promise<RunEntry[]>
  /** The parts of a session, and each run that no other session has a part of. Rejects with SessionTaken. */
  remove(session: string): Promise<Removal>
}

// ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type RunStart = {
  run: string
  /** Where its control socket is. */
  socket?: string
  /** Of sluice. */
  version?: string
}

export type Writer = {
  run: string
  /**
   * Gives each event its `seq` (in place), gap-free from 1, and returns the cursor of the last one. Does not wait: the events are written, and
   * so visible to readers in any process, at the end of this turn of the event loop, or earlier by `flush`. Must be called with events.
   */
  append(events: readonly Event[]): Cursor
  /** Of the last event, whether it is written or not. */
  head(): Cursor
  flush(): void
  /**
   * Resolves when the event is on disk: for the start, the end, a decision before the agent acts on it. Rejects with LogFailed, from the first
   * fault on and for good.
   */
  durable(cursor: Cursor): Promise<void>
  /** The same for any other acknowledgement: with the setting `log.sync: normal` it does not wait. */
  acknowledged(cursor: Cursor): Promise<void>
  /**
   * This run works in the session from now on: to be called before its first event. A new session when there is none of this id. Rejects with
   * SessionTaken while another run that has the session is not over. Again in the same run it returns the part it has.
   */
  join(session: SessionJoin): Promise<Part>
  /** Aborted, with a LogFailed as reason, when the log cannot be written. Events are still numbered and given to listeners, but not kept. */
  failed: AbortSignal
  /** Each write of this process, as it happens; the bytes are valid during the call. Undefined: the log is closed. Returns what stops it. */
  listen(listener: (batch: Batch | undefined) => void): () => void
  /** All is on disk, the run is over, its sessions can be taken by others. Rejects with LogFailed when events are lost. */
  close(): Promise<void>
}

export type SessionJoin = {
  session: string
  /** The session's id in this run's events, where it is another one. */
  in?: string
  agent?: string
  /** The agent's own id of it. */
  agentSession?: string
  cwd?: string
}

/** Events `from` to `to` of one generation of a run, of the session that its events call `in`. Generation 0: a session file of old. */
export type Part = {
  v: 1
  session: string
  part: number
  run: string
  gen: number
  in: string
  from: number
  /** Absent: all that the generation has. */
  to?: number
  /** The part before, and the last number that its run had when this part began. */
  prev?: { part: number; last: number }
  agent?: string
  agentSession?: string
  cwd?: string
  /** When it was made, in ms since the epoch. */
  at: number
}

// ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Item = Batch | Dropped | Live | End

/** One event or more. */
export type Batch = {
  type: 'events'
  /** Whole lines of JSON, one an event, each with its newline. */
  lines: Uint8Array
  count: number
  first: Cursor
  last: Cursor
  /** `seq` of each event; undefined where they follow each other: the first, and so on by one. */
  seqs: readonly number[] | undefined
  /** The same, parsed. */
  events(): Event[]
}

/** The reader's cursor was of events that a crash has taken: what it has beyond this place is not in the stream, and others follow. */
export type Dropped = { type: 'dropped'; after: Cursor }

/** All that was there has been given; said once. */
export type Live = { type: 'live' }

/** `ended`: by its writer. `died`: its process was killed. `failed`: its log could not be written. */
export type EndReason = 'ended' | 'died' | 'failed'
export type End = { type: 'end'; why: EndReason; last: Cursor }

// ── lists ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `dead`: killed, and nobody could end it yet. `unknown`: it belongs to another host. */
export type RunState = 'alive' | 'dead' | 'unknown' | EndReason

export type RunEntry = {
  run: string
  state: RunState
  /** Of its writer. */
  pid: number
  host: string
  socket: string | undefined
  /** When it was last written to, in ms since the epoch. */
  at: number
}

export type SessionEntry = {
  session: string
  /** The last one. */
  part: Part
  at: number
  /** Its first `session.start`; undefined when none can be read. */
  start(): Promise<Event | undefined>
}

/** `kept`: runs that hold events of it and of others, which cannot be erased alone. */
export type Removal = { removed: string[]; kept: string[] }
