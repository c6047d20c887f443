// The order of an aictrl stream, session by session; sessions may be interleaved in one file.
// Where the program itself is known to break its document, a breach is a warning.
import type { Rec } from '../../base/json.ts'
import { isRecord } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import { isRepair, type Order, type Report } from '../contract.ts'
import { fieldRules, judgeFields, known } from './order-fields.ts'
import { checkNumbers } from './order-numbers.ts'
import { judgeSkill } from './order-skill.ts'
import {
  createSession,
  endRecords,
  laneEnds,
  mostEnded,
  openLanes,
  type Session,
  startRecords,
  stepFinish,
  stepStart,
  subagentStart,
} from './order-session.ts'
import type { Base, Tag, Wire } from './wire.ts'

export const rules = {
  'start-first': 'A session begins with exactly one session_start; only invocation_start may stand before it.',
  'catalog-second': 'Exactly one tool_catalog follows session_start directly.',
  'complete-last': 'Exactly one session_complete ends a session; nothing but invocation_complete follows it.',
  'missing-end': 'Every session ends with session_complete.',
  'error-before-complete': 'A session_error stands directly before session_complete, at most once, and only when the session failed.',
  sequence: 'text, reasoning and tool_use carry a sequenceNum that counts 1, 2, 3 … for each part.sessionID.',
  'subagent-open': "A subagent's tool_use stands between its subagent_start and its subagent_complete, which come once each.",
  'step-pair': 'step_start and step_finish come in pairs.',
  'message-last': 'message_complete comes after the text and reasoning of its message.',
  'message-once':
    'A message has one message_complete: no second one comes before the next step_start, unless a message fails before its step.',
  counts: 'Tokens and costs are not negative.',
  context: 'context is null, or used is input + cache.read + cache.write and ratio is used / limit.',
  'skill-allowed': 'skill_loaded comes after the permission check, and never for a rejected load.',
  'session-id': 'sessionID is that of the session; only a permission record may name a subagent that has started.',
  'subagent-words': "Of a subagent's session only tool_use is told: no text, reasoning or step.",
  'subagent-end': 'A subagent that started completes before its session does, unless that failed.',
  'subagent-parent': 'The parent of a subagent is its session or a subagent of it that has started, the same at both ends.',
  'finish-told': 'message_complete tells its finish, unless the message failed, which an error says.',
  ...fieldRules,
} as const

const resumes = 'tells no start of a subagent that is resumed'
const isInvocation = (tag: string): boolean => tag === 'invocation_start' || tag === 'invocation_complete' || tag === 'invocation_error'

export function order(): Order {
  const sessions = new Map<string | undefined, Session>()
  const ended = new Set<string | undefined>()
  const owners = new Map<string, Session[]>() // subagent to the sessions that name it
  let current: Session | undefined // for records that name no session, as in the document's examples
  let last: string | undefined // the id of the current one, also when it is over: a session_start that names none starts that one again

  const breaks = (report: Report, code: keyof typeof rules, text: string, severity: 'error' | 'warn' = 'error'): void =>
    report({ code, severity, text })

  const idOf = ({ sessionID }: Base, tag: string): string | undefined => sessionID ?? (tag === 'session_start' ? last : undefined)

  function find(record: Rec, tag: string): Session | undefined {
    const id = idOf(record as Base, tag)
    if (current !== undefined && (id === undefined || id === current.id)) return current
    const own = sessions.get(id) ?? (id === undefined ? undefined : owners.get(id)?.at(-1))
    return own ?? (tag.startsWith('permission_') && id !== undefined ? current : undefined)
  }

  /** The session of a record, begun if need be; undefined when it is over. */
  function enter(record: Rec, tag: string, report: Report): Session | undefined {
    const { invocationID } = record as Base
    const id = idOf(record as Base, tag)
    let session = find(record, tag)
    if (session === undefined) {
      if (tag !== 'session_start' && ended.has(id)) {
        breaks(report, 'complete-last', `${tag} after session_complete of ${quoted(id ?? '')}`)
        return undefined
      }
      session = createSession(id, invocationID)
      sessions.set(id, session)
      if (tag !== 'session_start') {
        breaks(report, 'start-first', `${tag} of ${quoted(id ?? '')} before session_start`)
        session.catalog = true // its place cannot be judged
      }
    } else if (tag === 'session_start') {
      breaks(report, 'start-first', `a second session_start of ${quoted(session.id ?? '')}`)
      forgetLanes(session)
      sessions.set(session.id, (session = createSession(session.id, invocationID))) // it counts anew, as a program that starts again does
      session.catalog = 'excused'
    }
    if (id !== undefined && id !== session.id && !(tag.startsWith('permission_') && session.lanes.has(id))) {
      const why = session.lanes.has(id) ? 'a subagent' : 'a session that has not started'
      breaks(report, 'session-id', `${tag} names ${quoted(id)}, ${why}`)
    }
    last = session.id
    return (current = session)
  }

  function second(session: Session, tag: string, report: Report): void {
    if (tag === 'tool_catalog' || tag === 'tool_catalog_error') {
      if (session.catalog === 'excused' ? session.last !== 'session_start' : session.catalog === true && session.last !== undefined)
        breaks(report, 'catalog-second', `${tag} does not follow session_start directly`)
      session.catalog = true
      if (tag === 'tool_catalog_error')
        breaks(report, 'catalog-second', `tool_catalog_error in place of tool_catalog${known('0.4 writes it')}`, 'warn')
    } else if (session.catalog === false && tag !== 'session_start') {
      breaks(report, 'catalog-second', `${tag} follows session_start, not tool_catalog`)
      session.catalog = 'missed'
    }
  }

  function counted(session: Session, tag: string, { part, sequenceNum }: Wire<'text' | 'tool_use'>, report: Report): void {
    // The session's own text where it is the same: its hash is known already.
    const id = part.sessionID === undefined || part.sessionID === session.id ? session.id : part.sessionID
    const before = session.counters.get(id) ?? 0
    session.counters.set(id, sequenceNum ?? before + 1)
    if (sequenceNum === undefined) return breaks(report, 'sequence', `${tag} has no sequenceNum`)
    // The document promises a rising number only; a gap may come from a filter.
    if (sequenceNum !== before + 1)
      breaks(report, 'sequence', `sequenceNum ${sequenceNum} of ${tag} follows ${before}`, sequenceNum > before ? 'warn' : 'error')
  }

  const inLane = (session: Session, id: string | undefined): id is string =>
    id !== undefined && session.id !== undefined && id !== session.id

  function laneOpen(session: Session, lane: string | undefined, report: Report): void {
    if (!inLane(session, lane)) return
    const state = session.lanes.get(lane)
    if (state === 'open' || state === 'assumed') return
    breaks(
      report,
      'subagent-open',
      `tool_use of ${quoted(lane)}, which ${state === undefined ? 'has not started' : `has completed${known(resumes)}`}`,
      state === undefined ? 'error' : 'warn',
    )
    openLane(session, lane, 'assumed')
  }

  function openLane(session: Session, lane: string, state: 'open' | 'assumed' = 'open'): void {
    session.lanes.set(lane, state)
    owners.set(lane, [...(owners.get(lane) ?? []).filter((one) => one !== session), session])
  }

  function startLane(session: Session, record: Wire<'subagent_start'>, report: Report): void {
    const { subagentSessionID: lane, parentSessionID: parent } = record
    if (session.lanes.get(lane) === 'open') breaks(report, 'subagent-open', `a second subagent_start of ${quoted(lane)}, which is open`)
    if (parent !== undefined && session.id !== undefined && parent !== session.id && (parent === lane || !session.lanes.has(parent)))
      breaks(report, 'subagent-parent', `the parent ${quoted(parent)} of the subagent ${quoted(lane)} has not started`)
    openLane(session, lane)
    if (parent !== undefined && !isRepair(record)) session.parents.set(lane, parent) // a repair can only guess
  }

  function completeLane(
    session: Session,
    { subagentSessionID: lane, parentSessionID: parent }: Wire<'subagent_complete'>,
    report: Report,
  ): void {
    const state = session.lanes.get(lane)
    const begun = session.parents.get(lane)
    if (state === undefined) breaks(report, 'subagent-open', `subagent_complete of ${quoted(lane)}, which has not started`)
    if (state === 'done') breaks(report, 'subagent-open', `a second subagent_complete of ${quoted(lane)}${known(resumes)}`, 'warn')
    if (parent !== undefined && begun !== undefined && parent !== begun)
      breaks(
        report,
        'subagent-parent',
        `subagent_complete of ${quoted(lane)} names the parent ${quoted(parent)}, its start ${quoted(begun)}`,
      )
    session.lanes.set(lane, 'done')
  }

  /** Words of a message that is complete. */
  const isLate = (session: Session, { part }: Wire<'text'>): boolean =>
    part.synthetic !== true && !inLane(session, part.sessionID) && session.stepped && session.completed && !session.step

  function ofLane(session: Session, tag: string, { part }: Wire<'step_start' | 'step_finish' | 'text'>, report: Report): boolean {
    if (!inLane(session, part.sessionID)) return false
    breaks(report, 'subagent-words', `${tag} of the subagent ${quoted(part.sessionID)}`)
    return true
  }

  function spoken(session: Session, tag: string, record: Wire<'text'>, report: Report): void {
    ofLane(session, tag, record, report)
    if (isLate(session, record)) breaks(report, 'message-last', `${tag} after message_complete and before the next step_start`)
  }

  function message(session: Session, record: Wire<'message_complete'>, report: Report): void {
    const { status, messageID: id } = record
    const isFailure = status === 'error' || status === 'aborted'
    const isSame = id !== undefined && session.message !== undefined ? id === session.message : session.stepped && !isFailure
    if (session.completed && isSame) breaks(report, 'message-once', 'a second message_complete before the next step_start')
    session.completed = true
    session.message = id
    if (isFailure) session.step = false // a step that failed has no step_finish
    checkNumbers(record, (code, text) => breaks(report, code, text))
    finished(session, report)
    session.unfinished = typeof record.finish !== 'string' && !isFailure && !session.failed
  }

  /** The message before had no finish, and no error has said why. */
  function finished(session: Session, report: Report): void {
    if (session.unfinished) breaks(report, 'finish-told', 'the last message_complete has no finish, and no error says why')
    session.unfinished = false
  }

  function toolUse(session: Session, { part }: Wire<'tool_use'>, report: Report): void {
    laneOpen(session, part.sessionID, report)
    if (part.tool !== 'skill' || !isRecord(part.state.input)) return
    const { name } = part.state.input
    session.deniedSkills.delete(name)
  }

  function complete(session: Session, { error }: Wire<'session_complete'>, report: Report): void {
    if (session.step && session.fatal === undefined) breaks(report, 'step-pair', 'session_complete inside a step')
    finished(session, report)
    if (session.fatal === undefined)
      for (const lane of openLanes(session))
        breaks(report, 'subagent-end', `session_complete before the subagent ${quoted(lane)} completed`)
    if (session.fatal !== undefined && error === null)
      breaks(report, 'error-before-complete', 'session_complete after session_error says that there was no error', 'warn')
    if (session.invocationOver) breaks(report, 'complete-last', 'session_complete after invocation_complete')
    sessions.delete(session.id)
    forgetLanes(session)
    ended.add(session.id)
    if (ended.size > mostEnded) ended.delete(ended.keys().next().value)
    current = undefined
  }

  function forgetLanes(session: Session): void {
    for (const lane of session.lanes.keys()) {
      const others = owners.get(lane)?.filter((one) => one !== session) ?? []
      if (others.length > 0) owners.set(lane, others)
      else owners.delete(lane)
    }
  }

  /** The subagent that a record can be of only once it has started. */
  function laneOf(session: Session, next: Rec, tag: string): string | undefined {
    if (tag === 'tool_use') return (next as Wire<'tool_use'>).part.sessionID
    const { sessionID, subagentSessionID, parentSessionID } = next as Partial<Wire<'subagent_complete'>>
    const ofLane = tag === 'subagent_complete' ? subagentSessionID : tag === 'subagent_start' ? parentSessionID : undefined
    const named = tag.startsWith('permission_') ? sessionID : ofLane
    return named === undefined || session.lanes.has(named) ? undefined : named
  }

  function laneStart(session: Session, next: Rec, tag: string): Rec[] {
    const lane = laneOf(session, next, tag)
    const parent = tag === 'subagent_complete' ? (next as Wire<'subagent_complete'>).parentSessionID : undefined
    return inLane(session, lane) && session.lanes.get(lane) !== 'open' ? [subagentStart(session, lane, parent)] : []
  }

  /** What must stand before the end of a step, or before words that come after their message. */
  function stepBegin(session: Session, next: Rec, tag: string): Rec[] {
    const isMissing =
      tag === 'step_finish'
        ? !session.step && !inLane(session, (next as Wire<'step_finish'>).part.sessionID)
        : (tag === 'text' || tag === 'reasoning') && isLate(session, next as Wire<'text'>)
    return isMissing ? [stepStart(session)] : []
  }

  const sessionsOf = (record: Rec): Session[] => {
    const { invocationID, sessionID } = record as Base
    return reachable(
      [...sessions.values()].filter(
        (session) => session.id === sessionID || (invocationID !== undefined && session.invocation === invocationID),
      ),
    )
  }

  /** In the order in which they can end. What names no session goes to the current one: a session without an id is reached when that is over. */
  function reachable(open: readonly Session[]): Session[] {
    const named = open.filter(({ id }) => id !== undefined)
    const nameless = current === undefined || open.includes(current) ? open.filter(({ id }) => id === undefined) : []
    return [...named, ...nameless]
  }

  return {
    push(record: Rec, tag: string, report) {
      if (isInvocation(tag)) {
        if (tag === 'invocation_complete') for (const session of sessionsOf(record)) session.invocationOver = true
        return
      }
      const session = enter(record, tag, report)
      if (session === undefined) return
      const { timestamp } = record as Base
      if (timestamp !== undefined) {
        session.began ??= timestamp
        session.at = timestamp
      }
      judgeFields(record, tag as Tag, (code, text, severity) => breaks(report, code, text, severity))
      second(session, tag, report)
      if (session.last === 'session_error' && tag !== 'session_complete' && tag !== 'session_error')
        breaks(report, 'error-before-complete', `${tag} after session_error${known('writes session_error first')}`, 'warn')
      if (session.loadedSkills.size > 0 && tag !== 'skill_loaded' && !tag.startsWith('permission_')) session.loadedSkills.clear()
      switch (tag) {
        case 'text':
        case 'reasoning':
          spoken(session, tag, record as Wire<'text'>, report)
          counted(session, tag, record as Wire<'text'>, report)
          break
        case 'tool_use':
          toolUse(session, record as Wire<'tool_use'>, report)
          counted(session, tag, record as Wire<'tool_use'>, report)
          break
        case 'step_start':
          if (ofLane(session, tag, record as Wire<'step_start'>, report)) break
          if (session.step) breaks(report, 'step-pair', 'step_start inside a step')
          finished(session, report)
          session.step = session.stepped = true
          session.completed = session.failed = false
          break
        case 'step_finish':
          if (ofLane(session, tag, record as Wire<'step_finish'>, report)) break
          if (!session.step) breaks(report, 'step-pair', 'step_finish without step_start')
          session.step = false
          break
        case 'message_complete':
          message(session, record as Wire<'message_complete'>, report)
          break
        case 'skill_loaded':
        case 'permission_granted':
        case 'permission_rejected':
          judgeSkill(session, tag, record, (text) => breaks(report, 'skill-allowed', text, 'warn'))
          break
        case 'subagent_start':
          startLane(session, record as Wire<'subagent_start'>, report)
          break
        case 'subagent_complete':
          completeLane(session, record as Wire<'subagent_complete'>, report)
          break
        case 'error':
          session.failed = true
          session.unfinished = false
          break
        case 'session_error': {
          const { message: text } = record as Wire<'session_error'>
          if (session.fatal !== undefined) breaks(report, 'error-before-complete', 'a second session_error')
          session.fatal = text
          session.unfinished = false
          break
        }
        case 'session_complete':
          complete(session, record as Wire<'session_complete'>, report)
          break
      }
      session.last = tag
    },
    end(report) {
      for (const { id } of sessions.values()) breaks(report, 'missing-end', `no session_complete of ${quoted(id ?? '')}`)
    },
    missing(next, tag) {
      // Those of a finished invocation were ended before its end.
      if (next === undefined || tag === undefined)
        return reachable([...sessions.values()].filter(({ invocationOver }) => !invocationOver)).flatMap(endRecords)
      if (tag.startsWith('invocation_')) return tag === 'invocation_complete' ? sessionsOf(next).flatMap(endRecords) : []
      const session = find(next, tag)
      if (session === undefined) {
        const { sessionID, timestamp, invocationID } = next as Base
        if (tag === 'session_start' || ended.has(sessionID)) return []
        const id = sessionID ?? last // what names no session goes on with the one before, which is over
        const begun = { ...createSession(id, invocationID), at: timestamp }
        return [...startRecords({ ...next, sessionID: id }, tag), ...stepBegin(begun, next, tag), ...laneStart(begun, next, tag)]
      }
      if (tag === 'session_start') return endRecords(session)
      const found =
        session.last === 'session_start' && tag !== 'tool_catalog' && tag !== 'tool_catalog_error'
          ? startRecords({ ...next, sessionID: session.id }, 'session_start') // a permission may name a subagent
          : []
      const isOfLane = tag === 'step_start' && inLane(session, (next as Wire<'step_start'>).part.sessionID)
      if (session.step && !isOfLane && (tag === 'step_start' || (tag === 'session_complete' && session.fatal === undefined)))
        found.push(stepFinish(session))
      if (tag === 'session_complete' && session.fatal === undefined) found.push(...laneEnds(session))
      return [...found, ...stepBegin(session, next, tag), ...laneStart(session, next, tag)]
    },
  }
}
