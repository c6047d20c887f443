// opencode → events. A run prints only what its one session has finished. A server tells everything of all its sessions; one
// with a parent is a subagent's, and becomes a lane. A turn begins with a user's message and ends when the session first says
// that it is idle: an abort says so before the last parts of the message come, and those are then late.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Pen } from '../../model/pen.ts'
import type { DecoderBody } from '../contract.ts'
import { goesOn } from './course.ts'
import { createAsks } from './decode-ask.ts'
import { changeOf, faultOfError, planStatus, timeOfId } from './decode-fields.ts'
import { createLanes } from './decode-lane.ts'
import { createMessages } from './decode-message.ts'
import { createParts } from './decode-part.ts'
import { createSessions } from './decode-session.ts'
import { type Lane, placeOf } from './decode-state.ts'
import { partOfRun, partOfServer } from './tag.ts'
import type { PartOf, Properties, Wire } from './wire.ts'

type Times = { updated?: number | null | undefined; completed?: number | null | undefined; created?: number | null | undefined }
/** What a server's record may have, whatever its type. */
type Common = {
  sessionID?: string | undefined
  time?: unknown
  part?: { sessionID?: string | undefined; id?: string; messageID?: string }
  info?: { id: string; sessionID?: string | undefined; parentID?: string | null | undefined; time?: Times | null | undefined }
}

/** A record of older versions tells when it was `created`. */
function timeIn(time: unknown): number | undefined {
  const at = isRecord(time) ? time['created'] : time
  return typeof at === 'number' ? at : undefined
}

const isSettings = (tag: string): boolean => tag === 'session.created' || tag === 'session.updated'

export function decode(pen: Pen): DecoderBody {
  const lanes = createLanes(pen)
  const messages = createMessages(pen)
  const parts = createParts(pen, messages, lanes.adopt)
  const sessions = createSessions(pen, lanes, messages)
  const asks = createAsks(pen)

  // ── opencode run ───────────────────────────────────────────────────────────────────────────────────────────────────────

  function run(record: Rec, tag: string): void {
    const { sessionID, timestamp: at } = record as Wire<'text'>
    const lane = lanes.of(sessionID)
    pen.common({ at, session: lane.session })
    if (!lane.run && lane.parent === undefined && pen.openTurns() === 0)
      pen.emit('turn.start', { trigger: 'prompt' }, { synthetic: 'implied' })
    lane.run = true
    const type = partOfRun(tag)
    if (type === undefined) return sessions.error(lane, (record as Wire<'error'>).error)
    const { part } = record as Wire<'text'>
    if (type === 'text' && part.synthetic === true) proceed(lane, part)
    parts.push(lane, type, part, true, tag)
  }

  /** A server tells that it has summed up what was said; of a run only the words that follow show it. */
  function proceed(lane: Lane, { metadata }: PartOf<'text'>): void {
    goesOn(lane.course)
    if (metadata?.['compaction_continue'] === true) pen.emit('context.trim', { why: 'compact', trigger: 'auto' }, placeOf(lane))
  }

  // ── opencode serve ─────────────────────────────────────────────────────────────────────────────────────────────────────

  function serve(record: Rec, tag: string): void {
    const { sessionID, time, part, info } = record['properties'] as Common
    const isSession = tag.startsWith('session.')
    const id = sessionID ?? part?.sessionID ?? info?.sessionID ?? (isSession ? info?.id : undefined)
    const told = info?.time?.updated ?? info?.time?.completed ?? info?.time?.created ?? undefined
    const at = timeIn(time) ?? timeOfId(record['id'] as string | undefined, pen.lastAt() ?? told) ?? told
    const lane = id === undefined ? undefined : lanes.of(id, isSession ? info?.parentID : undefined)
    pen.common({ at, session: lane?.session })
    if (lane === undefined) return aside(record, tag)
    if (lane.gone) return pen.raw(tag, 'redundant')
    if (!isSettings(tag)) lanes.enter(lane)
    const type = partOfServer(tag)
    if (type !== undefined) return parts.push(lane, type, part ?? {}, false, tag)
    ofSession(record, tag, lane, at)
  }

  function ofSession(record: Rec, tag: string, lane: Lane, at: number | undefined): void {
    const told = record['properties']
    switch (tag) {
      case 'message.part.delta':
        return parts.delta(lane, told as Properties<typeof tag>, tag)
      case 'message.updated':
        return sessions.message(lane, (told as Properties<typeof tag>).info)
      case 'session.created':
      case 'session.updated':
        return sessions.info(lane, (told as Properties<typeof tag>).info, tag)
      case 'session.deleted':
        return sessions.deleted(lane, tag)
      case 'session.status':
        return sessions.status(lane, (told as Properties<typeof tag>).status, at)
      case 'session.idle':
        return lanes.rest(lane, tag)
      case 'session.error':
        return sessions.error(lane, (told as Properties<typeof tag>).error)
      case 'session.diff':
        return sessions.diff(lane, told as Properties<typeof tag>)
      case 'session.compacted':
        return pen.emit('context.trim', { why: 'compact', trigger: lane.trigger }, placeOf(lane))
      case 'permission.asked':
        return asks.asked(told as Properties<typeof tag>, lane)
      case 'permission.updated':
        return asks.updated(told as Properties<typeof tag>, lane)
      case 'permission.replied':
        return asks.replied(told as Properties<typeof tag>, lane)
      case 'question.asked':
        return asks.question(told as Properties<typeof tag>, lane)
      case 'question.replied':
        return asks.answered(told as Properties<typeof tag>, lane)
      case 'question.rejected':
        return asks.rejected(told as Properties<typeof tag>, lane)
      case 'todo.updated': {
        const { todos } = told as Properties<typeof tag>
        const entries = todos.map(({ content: text, status, priority }) => ({
          text,
          status: planStatus(status),
          priority: priority ?? undefined,
        }))
        return pen.emit('plan.update', { entries }, placeOf(lane))
      }
      case 'command.executed': {
        const { name, arguments: rest } = told as Properties<typeof tag>
        return pen.emit('notice', { level: 'info', code: tag, text: `/${name} ${rest ?? ''}`.trimEnd() }, placeOf(lane))
      }
      default:
        aside(record, tag)
    }
  }

  /** Of no session, or of none in particular. */
  function aside(record: Rec, tag: string): void {
    const told = record['properties']
    switch (tag) {
      case 'file.edited':
      case 'file.watcher.updated': {
        const { file: path, event } = told as Properties<'file.watcher.updated'>
        const session = lanes.only()?.session
        if (session === undefined) return pen.raw(tag, 'unmapped')
        pen.common({ at: pen.lastAt(), session })
        return pen.emit('file.update', { changes: [{ path, change: changeOf(event) }] })
      }
      case 'session.error': {
        const { text, code } = faultOfError((told as Properties<typeof tag>).error)
        return pen.emit('notice', { level: 'warn', code, text })
      }
      case 'tui.toast.show': {
        const { message: text, variant } = told as Properties<typeof tag>
        return pen.emit('notice', { level: variant === 'error' || variant === 'warning' ? 'warn' : 'info', code: tag, text })
      }
      case 'worktree.failed':
      case 'workspace.failed':
        return pen.emit('notice', { level: 'warn', code: tag, text: (told as Properties<typeof tag>).message })
      default:
        pen.raw(tag, isRecord(told) && Object.keys(told).length === 0 ? 'redundant' : 'unmapped')
    }
  }

  return {
    push: (record, tag) => (tag.includes('.') ? serve(record, tag) : run(record, tag)),
    place: ({ sessionID, timestamp, properties }) => {
      const id = sessionID ?? (isRecord(properties) ? properties['sessionID'] : undefined)
      return {
        at: typeof timestamp === 'number' ? timestamp : undefined,
        session: typeof id === 'string' ? lanes.sessionOf(id) : undefined,
      }
    },
    end: lanes.endRuns,
  }
}
