// What the encoder remembers of one session: what is open, and what it has told. Never text or output.
import type { Event, EventOf, Usage } from '../../model/event.ts'
import type { Rec } from '../../base/json.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { createStreamed } from '../streamed.ts'

export type Session = ReturnType<typeof createSession>
/** Writes a record that names the session. */
export type Write = (session: Session, record: Rec, synthetic: string | undefined) => void
/** Writes an update of the session. */
export type Put = (session: Session, event: Event, update: Rec, synthetic?: string) => void

/** `key` is the event's own session, which may be absent; `id` stands on the wire. */
export function createSession(key: string | undefined, id: string) {
  return {
    key,
    id,
    /** Turns that are open, with the id of the request that they answer, if it is known. */
    turns: new Map<number | undefined, string | undefined>(),
    /** How the last turn ended. */
    lastReason: undefined as Reason | undefined,
    streamed: createStreamed(),
    /** Calls that are told and not ended. */
    calls: new Map<string, Pick<EventOf<'tool.start'>, 'name' | 'toolKind'>>(),
    /** Subagents, with the call that started each. */
    tasks: new Map<string, string>(),
    /** Those that have made no call yet. */
    quiet: new Map<string, EventOf<'task.start'>>(),
    /** Of the messages since the last turn ended. */
    messages: undefined as Usage | undefined,
    /** The last sum of dollars that no meter has told. */
    unsaid: undefined as EventOf<'usage.update'> | undefined,
    used: undefined as number | undefined,
    size: undefined as number | undefined,
    /** Dollars: by messages, by turns, and as the source itself sums them up. */
    spent: { messages: 0, turns: 0, told: undefined as number | undefined },
  }
}
