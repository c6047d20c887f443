// What the encoder remembers of one session: what is open or held back. Never text or output.
import type { Rec } from '../../base/json.ts'
import type { Event, EventOf, Usage } from '../../model/event.ts'
import { keptText } from '../contract.ts'
import { createStreamed } from '../streamed.ts'

export type Choice = { optionId: string; kind: 'allow' | 'reject'; name: string | undefined }
export type Asked = {
  request: EventOf<'permission.request'>
  answer: EventOf<'permission.answer'> | undefined
  /** That the agent waits for it. */
  waiting?: EventOf<'status.update'> | undefined
}

export type Session = ReturnType<typeof createSession>

/** `key` is the event's own session, which may be absent; `id` stands on the wire. */
export function createSession(key: string | undefined, id: string) {
  return {
    key,
    id,
    /** The run of the last event as it was told, and the one to write: none once its loop has ended. */
    seenRun: undefined as string | undefined,
    run: undefined as string | undefined,
    /** Its own label, and that of its run. */
    label: undefined as string | undefined,
    runLabel: undefined as string | undefined,
    /** The id of the last prompt. */
    prompt: undefined as string | undefined,
    /** Name of the last record. */
    last: '',
    streamed: createStreamed(),
    /** Calls that are told and not ended, with their kind. */
    calls: new Map<string, string>(),
    /** A call whose input is not told yet: it waits for the next record at most. */
    heldCall: undefined as EventOf<'tool.start'> | undefined,
    /** A status that promises the next record: it is told if that comes. */
    heldStatus: undefined as EventOf<'status.update'> | undefined,
    /** A thinking that no thought has followed yet: Avenor tells it when one does. */
    heldThinking: undefined as EventOf<'status.update'> | undefined,
    /** The status that was told last, and whether a choice is asked for, which Avenor has no record of. */
    status: '',
    isChoosing: false,
    /** A degenerate stream's error, which must stand right before the end. */
    heldError: undefined as EventOf<'error'> | undefined,
    /** The question that stands open in the log, and those that wait until it is answered. */
    request: undefined as { id: string; choices: Choice[]; onScreen: boolean; withdrawn: Event | undefined } | undefined,
    queue: [] as Asked[],
    /** Of the turns that are over, and of the messages since. */
    usage: undefined as Usage | undefined,
    messages: undefined as Usage | undefined,
    turn: undefined as EventOf<'turn.end'> | undefined,
    /** The failure that was told last, and in which turn. */
    told: undefined as { text: string; turn: number | undefined; fatal: boolean } | undefined,
  }
}

export const keptIn = (event: Pick<Event, 'ext'> | undefined, key: string): string | undefined => keptText(event, 'avenor', key)

/** A backend's metadata, which the decoder has kept. */
export const updateOf = ({ ext }: Event): unknown =>
  ext === undefined ? undefined : (ext['avenor'] as Rec | undefined)?.['session_update']

/** Unless the event's own record had another. */
export const labelOf = ({ label, runLabel }: Session, event: Event | undefined): string | undefined =>
  keptIn(event, 'run_label') ?? label ?? runLabel
