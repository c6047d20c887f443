// events → aictrl. From any source it writes a stream that its own order rules accept: session_start and a catalogue, model
// messages inside steps, tools when they have ended, and one session_complete.
// The surprises: session_start waits for the first turn, the last message of a turn may wait for the turn's sum of tokens, and
// of a subagent only its tools are told.
import type { Rec } from '../../base/json.ts'
import type { Event, EventOf } from '../../model/event.ts'
import { type Encoder, type Sink, syntheticOf, wireId } from '../contract.ts'
import { closeStep, endBlock, endMessage, flushMessage, joinDelta, openStep } from './encode-message.ts'
import { endSession, errorEvent, holdStart, learn, learnCatalog, tellOnce, tellTry, turnEnd, writeStart } from './encode-session.ts'
import { createSession, dropBlocks, hasOpenCalls, type Out, type Session, write } from './encode-state.ts'
import { permissionAnswer, subagentComplete, taskStart, toolEnd, toolStart, toolUpdate } from './encode-tool.ts'
import type { AnyWire, Wire } from './wire.ts'

export function encode(sink: Sink): Encoder {
  const sessions = new Map<string | undefined, Session>()
  let unnamed = 0
  let lastAt: number | undefined
  let lastEvent: Event | undefined

  const out: Out = {
    sink,
    time(event) {
      if (event.at === undefined) {
        sink.added('timestamp')
        return lastAt ?? 0
      }
      return event.at
    },
    release(session, record) {
      writeStart(out, session)
      if (record.type === 'session_start' || record.type === 'tool_catalog') return // nothing stands before these
      flushMessage(out, session)
      if (session.loaded.length > 0) releaseLoads(session, record)
    },
  }

  /** A skill_loaded stays behind the permission check. */
  function releaseLoads(session: Session, next: AnyWire): void {
    if ((next.type === 'permission_granted' || next.type === 'permission_rejected') && next.permission === 'skill') return
    for (const { record, event } of session.loaded) out.sink.write(record as Rec, syntheticOf(event))
    session.loaded = []
  }

  function sessionOf(event: Event): Session {
    let session = sessions.get(event.session)
    if (session === undefined) {
      if (event.session === undefined) sink.added('sessionID')
      sessions.set(event.session, (session = createSession(event.session === undefined ? `session-${++unnamed}` : wireId(event.session))))
      holdStart(out, session, event)
    }
    return session
  }

  function skill(session: Session, event: EventOf<'skill.load'>): void {
    const { name, path, description } = event
    const base = { timestamp: out.time(event), sessionID: session.id }
    if (path === undefined || (event.level === 'listed' && description === undefined)) return sink.lost(event)
    if (event.level === 'resource')
      return write(out, session, { type: 'skill_resource_loaded', ...base, skillName: name, filePath: path }, syntheticOf(event))
    if (event.level === 'listed')
      return write(out, session, { type: 'skill_discovered', ...base, name, description, location: path }, syntheticOf(event))
    if (session.deniedSkills.has(name)) return sink.lost(event)
    const record: Wire<'skill_loaded'> = { type: 'skill_loaded', ...base, name, location: path }
    session.loaded.push({ event, record })
  }

  function taskEnd(session: Session, event: EventOf<'task.end'>): void {
    const lane = wireId(event.task)
    if (!session.lanes.has(lane)) return sink.lost(event)
    if (event.status === 'error')
      tellOnce(
        out,
        session,
        event,
        event.error ?? { category: 'unknown', text: event.text ?? 'the subagent failed', code: 'SubagentFailed' },
      )
    subagentComplete(out, session, lane, event, syntheticOf(event))
  }

  function encodeEvent(session: Session, event: Event): void {
    if (event.agent !== undefined && mainOnly.has(event.kind)) return sink.lost(event)
    switch (event.kind) {
      case 'session.start':
      case 'session.update':
        return learn(out, session, event)
      case 'catalog.update':
        return learnCatalog(out, session, event)
      case 'turn.start':
        return writeStart(out, session)
      case 'message.start':
        endMessage(out, session)
        if (session.step !== undefined) closeStep(out, session, event, 'required')
        return openStep(out, session, event)
      case 'message.end':
        if (event.error !== undefined) tellOnce(out, session, event, event.error)
        endMessage(out, session)
        openStep(out, session, event) // of a message that nobody began
        session.ended = event
        return hasOpenCalls(session) ? undefined : endMessage(out, session)
      case 'message.drop':
        return dropBlocks(session) ? undefined : sink.lost(event)
      case 'text.delta':
      case 'thought.delta':
        endMessage(out, session)
        openStep(out, session, event)
        return joinDelta(out, session, event)
      case 'text.end':
      case 'thought.end':
        endMessage(out, session)
        openStep(out, session, event)
        return endBlock(out, session, event)
      case 'tool.start':
        if (event.agent === undefined) openStep(out, session, event)
        return toolStart(session, event)
      case 'tool.update':
        return toolUpdate(out, session, event)
      case 'tool.end':
        toolEnd(out, session, event)
        return hasOpenCalls(session) ? undefined : endMessage(out, session, event)
      case 'task.start':
        return taskStart(out, session, event)
      case 'task.end':
        return taskEnd(session, event)
      case 'permission.request':
        return void session.asked.set(event.id, event)
      case 'permission.answer':
        return permissionAnswer(out, session, event)
      case 'skill.load':
        return skill(session, event)
      case 'retry.start':
        return tellTry(out, session, event, event.error!)
      case 'error':
        return errorEvent(out, session, event)
      case 'turn.end':
        return turnEnd(out, session, event)
      case 'session.end':
        sessions.delete(event.session)
        return endSession(out, session, event)
    }
  }

  return {
    push(event) {
      lastEvent = event
      if (event.synthetic === undefined) lastAt = event.at ?? lastAt
      // The run is tried again: that makes no session, and the error was told with the end of the one that failed.
      if (event.kind === 'retry.start' && (event.scope === 'run' || event.error === undefined)) return sink.lost(event)
      encodeEvent(sessionOf(event), event)
    },
    end() {
      for (const session of sessions.values()) endSession(out, session, lastEvent!) // there is a session, so there was an event
      sessions.clear()
    },
  }
}

/** A subagent's own words and messages: aictrl tells its tools alone. */
const mainOnly: ReadonlySet<string> = new Set([
  'message.start',
  'message.end',
  'message.drop',
  'text.delta',
  'text.end',
  'thought.delta',
  'thought.end',
])
