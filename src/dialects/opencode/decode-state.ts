// What the decoder remembers of one session of opencode's, which is a session of ours or, with a parent, a subagent's lane.
// Only what is open, and a few ids of what came last.
import type { Place } from '../../model/event.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { type Course, createCourse } from './course.ts'

/** `told` counts the letters that were told as deltas. */
export type OpenPart = { key: string; kind: 'text' | 'thought'; message: string | undefined; block: number; told: number }
/** `whole`: its input was told. `child`: the subagent's session, when it is a call that started one. */
export type OpenCall = { call: string; name: string; whole: boolean; child: string | undefined }

export type Lane = {
  id: string | undefined
  parent: Lane | undefined
  /** The root of the family, which is the session of our events, and the lane in it. */
  session: string | undefined
  agent: string | undefined
  /** A lane: its task was started at least once. */
  begun: boolean
  title: string | undefined
  agentType: string | undefined
  /** It was deleted. */
  gone: boolean
  /** Its records are those of a run, which tell no rest. */
  run: boolean
  /** Idle was told, and nothing new has begun: what comes now is late. */
  resting: boolean
  busy: boolean
  course: Course
  lastReason: Reason
  refusedCalls: { call: string; name: string }[]
  structured: unknown
  /** The last retry that was told; the same one may be told as a status and as a part. */
  attempt: number
  trigger: 'auto' | 'manual' | undefined
  /** What session.start and session.update have told, as text. */
  setting: Map<string, string>
  tokens: number
  // The message of the model that is being made, and what numbers its pieces.
  model: string | undefined
  provider: string | undefined
  agentName: string | undefined
  message: string | undefined
  blocks: number
  unnamed: number
  userMessages: Set<string>
  parts: Map<string, OpenPart>
  /** The part whose deltas came last, of each kind. */
  live: { text: OpenPart | undefined; thought: OpenPart | undefined }
  calls: Map<string, OpenCall>
  /** Calls that have ended and prompts that were told, since the message began. */
  done: Set<string>
  /** Questions that are open: the call they are about, and what was asked. */
  asked: Map<string, { call: string | undefined; texts: string[] }>
}

export const createLane = (id: string | undefined, parent: Lane | undefined): Lane => ({
  id,
  parent,
  session: parent === undefined ? id : parent.session,
  agent: parent === undefined ? undefined : id,
  begun: false,
  title: undefined,
  agentType: undefined,
  gone: false,
  run: false,
  resting: false,
  busy: false,
  course: createCourse(),
  lastReason: 'end_turn',
  refusedCalls: [],
  structured: undefined,
  attempt: 0,
  trigger: undefined,
  setting: new Map(),
  tokens: 0,
  model: undefined,
  provider: undefined,
  agentName: undefined,
  message: undefined,
  blocks: 0,
  unnamed: 0,
  userMessages: new Set(),
  parts: new Map(),
  live: { text: undefined, thought: undefined },
  calls: new Map(),
  done: new Set(),
  asked: new Map(),
})

export const placeOf = ({ agent }: Lane): Place => ({ agent })

const most = 1024

/** Room for one more: the oldest goes, if there are too many. */
export function makeRoom(kept: Map<string, unknown> | Set<string>): void {
  if (kept.size >= most) kept.delete(kept.keys().next().value!)
}
