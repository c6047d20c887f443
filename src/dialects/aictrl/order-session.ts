// What the order checker remembers of one session, and the records that repair adds to it.
import type { Rec } from '../../base/json.ts'
import type { Base } from './wire.ts'

export const mostEnded = 4096

export type Session = ReturnType<typeof createSession>

export const createSession = (id: string | undefined, invocation: string | undefined) => ({
  id,
  invocation,
  invocationOver: false,
  began: undefined as number | undefined,
  at: undefined as number | undefined,
  last: undefined as string | undefined,
  /** `missed`: told as missing, so that it is told once. `excused`: a second session_start may go without. */
  catalog: false as boolean | 'missed' | 'excused',
  step: false,
  /** Some step was told: then text stands inside one. */
  stepped: false,
  completed: false,
  /** An error was told since the last step began. */
  failed: false,
  /** The last message told no finish. */
  unfinished: false,
  /** The messageID of the last message_complete. */
  message: undefined as string | undefined,
  /** The message of session_error. A step that failed with its session has no step_finish. */
  fatal: undefined as string | undefined,
  counters: new Map<string | undefined, number>(),
  /** `assumed`: a tool_use tells that it is open, and that its start is missing was reported. */
  lanes: new Map<string, 'open' | 'assumed' | 'done'>(),
  parents: new Map<string, string>(),
  loadedSkills: new Set<unknown>(),
  deniedSkills: new Set<unknown>(),
})

const stamp = ({ id, at }: Session): Rec => ({ timestamp: at ?? 0, sessionID: id })

export const stepStart = (session: Session): Rec => ({
  type: 'step_start',
  ...stamp(session),
  part: { type: 'step-start' },
})

export const stepFinish = (session: Session): Rec => ({
  type: 'step_finish',
  ...stamp(session),
  part: { type: 'step-finish' },
})

export const subagentStart = (session: Session, lane: string, parent = session.id): Rec => ({
  type: 'subagent_start',
  ...stamp(session),
  subagentSessionID: lane,
  parentSessionID: parent,
  title: '',
})

export const openLanes = ({ lanes }: Session): string[] => [...lanes].filter(([, state]) => state === 'open').map(([lane]) => lane)

/** The ends of the subagents that are open, the innermost first. */
export const laneEnds = (session: Session): Rec[] =>
  openLanes(session)
    .toReversed()
    .map((lane) => ({
      type: 'subagent_complete',
      ...stamp(session),
      subagentSessionID: lane,
      parentSessionID: session.parents.get(lane) ?? session.id,
    }))

/** What must stand before `next` of a session that has not started, or that has no catalogue after its session_start. */
export function startRecords(next: Rec, tag: string): Rec[] {
  const { timestamp = 0, sessionID } = next as Base
  const base = { timestamp, sessionID }
  const start =
    tag === 'session_start'
      ? []
      : [{ type: 'session_start', ...base, schemaVersion: '1', model: 'unknown', agent: 'default', permissions: [] }]
  return tag === 'tool_catalog' || tag === 'tool_catalog_error'
    ? start
    : [...start, { type: 'tool_catalog', ...base, tools: [], skills: [] }]
}

/** A session that was cut: what is open is closed, then the failure and the end. */
export function endRecords(session: Session): Rec[] {
  const base = stamp(session)
  const cut = 'the stream ended early'
  const told = session.last === 'session_error' // anything else between it and the end could not be mended
  return [
    ...(session.last === 'session_start' ? [{ type: 'tool_catalog', ...base, tools: [], skills: [] }] : []),
    ...(told ? [] : laneEnds(session)),
    ...(session.step && !told ? [stepFinish(session)] : []),
    ...(session.fatal === undefined ? [{ type: 'session_error', ...base, reason: 'unknown', code: 'cut', message: cut }] : []),
    {
      type: 'session_complete',
      ...base,
      durationMs: Math.max(0, (session.at ?? 0) - (session.began ?? session.at ?? 0)),
      error: session.fatal ?? cut,
    },
  ]
}
