// Tools, subagents and permissions. A tool is written once, when it has ended; a subagent's tools name its session in
// `part.sessionID` and stand between subagent_start and subagent_complete.
import { isRecord } from '../../base/json.ts'
import type { Event, EventOf } from '../../model/event.ts'
import { syntheticOf, wireId } from '../contract.ts'
import { errorOf, noResult, notesIn, resultOf, type State, untold } from './encode-result.ts'
import { type Call, nextNumber, type Out, type Session, write } from './encode-state.ts'
import { unnamedCall } from './words.ts'

export function toolStart(session: Session, event: EventOf<'tool.start'>): void {
  const { name, toolKind, title, input, agent } = event
  const at = event.synthetic === undefined ? event.at : undefined // an implied start has no time of its own
  session.calls.set(event.call ?? '', { name, toolKind, title, input, at, agent })
  if (agent === undefined && session.step !== undefined) session.step.tools = true
}

export function toolUpdate(out: Out, session: Session, event: EventOf<'tool.update'>): void {
  const call = session.calls.get(event.call ?? '')
  if (call === undefined || (event.input ?? event.title) === undefined) out.sink.lost(event)
  if (call === undefined) return
  call.input = event.input ?? call.input
  call.title = event.title ?? call.title
  call.toolKind = event.toolKind ?? call.toolKind
}

export function toolEnd(out: Out, session: Session, event: EventOf<'tool.end'>): void {
  const id = event.call ?? ''
  const call = session.calls.get(id) ?? {
    name: event.name ?? 'unknown',
    toolKind: event.toolKind ?? 'other',
    title: undefined,
    input: undefined,
    at: undefined,
    agent: event.agent,
  }
  // A source may tell a refusal by the call's end alone. One that names no call belongs to the next call of its tool.
  if (event.status === 'denied' && !session.refused.has(id)) {
    if (session.refused.delete(call.name)) session.refused.add(id)
    else decided(out, session, event, { allowed: false, id, ...call, permission: call.name, patterns: undefined }, 'implied')
  }
  session.calls.delete(id)
  if (call.name === 'skill' && isRecord(call.input)) session.deniedSkills.delete(call.input['name'])
  const start = event.startedAt ?? call.at
  const time = start === undefined ? undefined : { start, end: event.endedAt ?? event.at ?? start }
  const title = event.title ?? call.title
  const failed = event.status !== 'ok' && !(event.status === 'error' && event.exitCode !== undefined && event.exitCode !== 0)
  const error = failed ? errorOf(out, event) : undefined
  if (call.input === undefined) out.sink.added('tool_use.part.state.input')
  const input = call.input ?? {}
  const notes = notesIn(event)
  const { output, metadata, attachments } = failed ? noResult : resultOf(event, call, notes)
  for (const field of untold(event, failed ? { error } : { output, metadata, attachments })) out.sink.lost(event, field)
  const noted = notes === undefined ? metadata : { ...metadata, ...notes }
  const state: State = failed
    ? { status: 'error', input, error, metadata: noted, title, time }
    : { status: 'completed', input, output, metadata: noted, attachments, title, time }
  toolUse(out, session, event, id, call, state)
}

/** A call that its source did not name gets no name here either. */
const callIdOf = (id: string): string | undefined => (id === '' || id.startsWith(unnamedCall) ? undefined : wireId(id))

/** A call that nobody ended is abandoned. */
export function abandonCalls(out: Out, session: Session, event: Event): void {
  for (const [id, call] of session.calls) {
    toolUse(out, session, event, id, call, { status: 'error', input: call.input ?? {}, error: 'abandoned' }, 'cut')
  }
  session.calls.clear()
}

function toolUse(
  out: Out,
  session: Session,
  event: Event,
  id: string,
  { name, agent }: Call,
  state: State,
  synthetic = syntheticOf(event),
): void {
  const owner = agent === undefined ? session.id : enterLane(out, session, agent, event)
  write(
    out,
    session,
    {
      type: 'tool_use',
      timestamp: out.time(event),
      sessionID: session.id,
      part: { type: 'tool', tool: name, callID: callIdOf(id), sessionID: owner, state },
      sequenceNum: nextNumber(session, owner),
    },
    synthetic,
  )
}

// ── subagents ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function taskStart(out: Out, session: Session, event: EventOf<'task.start'>): void {
  if (event.type !== 'agent' || session.lanes.has(wireId(event.task))) return out.sink.lost(event)
  const parent = event.agent === undefined ? session.id : enterLane(out, session, event.agent, event)
  subagentStart(
    out,
    session,
    wireId(event.task),
    parent,
    event,
    event.title ?? event.agentType ?? event.prompt?.slice(0, 80),
    syntheticOf(event),
  )
}

function subagentStart(
  out: Out,
  session: Session,
  lane: string,
  parent: string,
  event: Event,
  title: string | undefined,
  synthetic: string | undefined,
): void {
  if (session.lanes.has(lane)) return
  session.lanes.set(lane, parent)
  if (title === undefined) out.sink.added('subagent_start.title')
  write(
    out,
    session,
    {
      type: 'subagent_start',
      timestamp: out.time(event),
      sessionID: session.id,
      subagentSessionID: lane,
      parentSessionID: parent,
      title: title ?? '',
    },
    synthetic,
  )
}

/** The lane's id on the wire; one whose start nobody told is started first. */
function enterLane(out: Out, session: Session, agent: string, event: Event): string {
  const lane = wireId(agent)
  subagentStart(out, session, lane, session.id, event, undefined, 'required')
  return lane
}

export function subagentComplete(out: Out, session: Session, lane: string, event: Event, synthetic: string | undefined): void {
  const parent = session.lanes.get(lane)
  session.lanes.delete(lane)
  write(
    out,
    session,
    {
      type: 'subagent_complete',
      timestamp: out.time(event),
      sessionID: session.id,
      subagentSessionID: lane,
      parentSessionID: parent,
    },
    synthetic,
  )
}

// ── permissions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export function permissionAnswer(out: Out, session: Session, event: EventOf<'permission.answer'>): void {
  const asked = event.id === undefined ? undefined : session.asked.get(event.id)
  if (event.id !== undefined) session.asked.delete(event.id)
  if (event.decision === 'withdrawn') {
    if (asked !== undefined) out.sink.lost(asked)
    return out.sink.lost(event)
  }
  const id = event.call ?? asked?.call
  const call = id === undefined ? undefined : session.calls.get(id)
  const name = event.name ?? asked?.name ?? call?.name
  const permission = event.permission ?? asked?.permission ?? name
  const patterns = event.patterns ?? asked?.patterns
  const allowed = event.decision === 'allow'
  if (permission === 'skill') judgeLoads(out, session, allowed, patterns ?? [])
  const input = event.input ?? asked?.input ?? call?.input
  const agent = event.agent ?? asked?.agent ?? call?.agent
  decided(out, session, event, { allowed, id, name, permission, patterns, input, agent }, syntheticOf(event))
}

type Decided = {
  allowed: boolean
  id: string | undefined
  name: string | undefined
  permission: string | undefined
  patterns: string[] | undefined
  input: unknown
  agent: string | undefined
}

function decided(
  out: Out,
  session: Session,
  event: Event,
  { allowed, id, name, permission, patterns, input, agent }: Decided,
  synthetic: string | undefined,
): void {
  const type = allowed ? 'permission_granted' : 'permission_rejected'
  if (!allowed) session.refused.add(id ?? name ?? '')
  if (permission === undefined) out.sink.added(`${type}.permission`)
  if (patterns === undefined) out.sink.added(`${type}.patterns`)
  write(
    out,
    session,
    {
      type,
      timestamp: out.time(event),
      sessionID: agent === undefined ? session.id : enterLane(out, session, agent, event),
      callID: id === undefined ? undefined : callIdOf(id),
      tool: name ?? permission ?? 'unknown',
      permission: permission ?? 'unknown',
      patterns: patterns ?? [],
      input: input ?? null,
    },
    synthetic,
  )
}

/** The program tells a skill as loaded before it asks; a rejected one was not. */
function judgeLoads(out: Out, session: Session, allowed: boolean, names: readonly string[]): void {
  for (const name of names) {
    if (allowed) session.deniedSkills.delete(name)
    else session.deniedSkills.add(name)
  }
  session.loaded = session.loaded.filter(({ event }) => {
    if (!session.deniedSkills.has(event.name)) return true
    out.sink.lost(event)
    return false
  })
}
