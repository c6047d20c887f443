// Sessions and their children. A session with a parent is a lane of its root, and lives from task.start to task.end; the root
// itself goes on from turn to turn.
import { outcomeOf } from '../../model/outcome.ts'
import type { Pen } from '../../model/pen.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import type { Reason, ToolStatus } from '../../model/vocabulary.ts'
import { createCourse, endOf } from './course.ts'
import { createLane, type Lane, type OpenCall, placeOf } from './decode-state.ts'

const mostLanes = 1024

export function createLanes(pen: Pen) {
  const lanes = new Map<string | undefined, Lane>()
  let first: Lane | undefined
  let several = false

  function of(id: string | undefined, parentID?: string | null): Lane {
    const known = lanes.get(id)
    if (known !== undefined) return known
    const parent = typeof parentID === 'string' && parentID !== id ? of(parentID) : undefined
    const lane = createLane(id, parent)
    if (lanes.size >= mostLanes) forget()
    lanes.set(id, lane)
    if (parent === undefined) {
      several ||= first !== undefined
      first ??= lane
    }
    return lane
  }

  /** The oldest session that rests is taken as over: a server may live for months. */
  function forget(): void {
    for (const { id, parent, session, resting, lastReason: reason } of lanes.values()) {
      if (!resting) continue
      lanes.delete(id)
      if (parent !== undefined || !pen.isStarted(session)) return
      pen.common({ at: pen.lastAtOf(session), session })
      return pen.emit('session.end', { reason }, { synthetic: 'implied' })
    }
  }

  /** A lane has a task: when its start was not told, the first record of the lane implies it. */
  function begin(lane: Lane, by?: OpenCall, synthetic?: 'implied'): void {
    const { parent, agent: task } = lane
    if (parent === undefined || task === undefined || pen.hasTask(task)) return
    if (!parent.begun) begin(parent, undefined, 'implied')
    lane.begun = true
    lane.resting = false
    if (by !== undefined) by.child = task
    const told = { task, type: 'agent' as const, title: lane.title, agentType: lane.agentType }
    pen.emit('task.start', told, { agent: parent.agent, call: by?.call, synthetic })
  }

  /** The call that has started a child, where there can be no doubt. */
  function spawner({ calls }: Lane): OpenCall | undefined {
    const tasks = [...calls.values()].filter(({ name, child }) => child === undefined && toolKindOf(name) === 'task')
    return tasks.length === 1 ? tasks[0] : undefined
  }

  /** New work: the next turn of a session, or a lane's task once more. True if that was to be told. */
  function wake(lane: Lane, prompt?: string): boolean {
    lane.resting = false
    if (lane.parent !== undefined) {
      begin(lane, undefined, 'implied')
      return false
    }
    if (pen.openTurns() > 0) return false
    if (prompt === undefined) pen.emit('turn.start', { trigger: 'unknown' }, { synthetic: 'implied' })
    else pen.emit('turn.start', { trigger: 'prompt', native: prompt })
    return true
  }

  /** The session is idle. That is told twice, as a status and by an event of its own, and after an abort twice more. */
  function rest(lane: Lane, tag: 'session.status' | 'session.idle'): void {
    const { parent, agent: task, refusedCalls, structured: data } = lane
    if (lane.resting) return pen.raw(tag, 'redundant', placeOf(lane))
    const known = endOf(lane.course)
    if (lane.run && known === undefined) return pen.raw(tag, 'redundant') // it has left, but its last words were not the end of a turn
    const end = known ?? { reason: 'end_turn', error: undefined }
    lane.resting = true
    lane.busy = false
    lane.attempt = 0
    lane.course = createCourse()
    lane.refusedCalls = []
    lane.structured = undefined
    lane.lastReason = end.reason
    if (parent !== undefined) {
      lane.calls.clear() // with its task
      if (task === undefined || !pen.hasTask(task)) return pen.raw(tag, 'redundant', placeOf(lane))
      return pen.emit('task.end', { task, status: statusOf(end.reason), error: end.error }, { agent: parent.agent })
    }
    const isTurn = pen.openTurns() > 0
    if (isTurn) pen.emit('turn.end', { ...end, data, denied: refusedCalls.length === 0 ? undefined : refusedCalls })
    if (tag === 'session.status') pen.emit('status.update', { phase: 'idle' })
    else if (!isTurn) pen.raw(tag, 'redundant')
  }

  return {
    of,
    /** A lane that something is told of has begun, also when its session goes on after its end; a single open call has started it. */
    enter(lane: Lane): void {
      if (lane.parent !== undefined && (!lane.begun || pen.isEnded())) begin(lane, spawner(lane.parent), 'implied')
    },
    wake,
    rest,
    /** The only session so far: records that name none are taken for its own. */
    only: (): Lane | undefined => (several ? undefined : first),

    /** Our session that a record of theirs belongs to. */
    sessionOf: (id: string): string => lanes.get(id)?.session ?? id,

    /** A call has named the subagent that it started, or that it goes on with. */
    adopt(parent: Lane, child: string, by: OpenCall): void {
      const lane = of(child, parent.id)
      by.child = child
      begin(lane, by)
    },

    /** A run prints no end. Its last words tell it, unless they were not the last. */
    endRuns(): void {
      for (const { run, session, course, refusedCalls } of lanes.values()) {
        const end = run ? endOf(course) : undefined
        if (end === undefined || pen.openTurns(session) === 0) continue
        pen.common({ at: pen.lastAtOf(session), session })
        pen.emit('turn.end', { ...end, denied: refusedCalls.length === 0 ? undefined : refusedCalls }, { synthetic: 'implied' })
      }
    },
  }
}

function statusOf(reason: Reason): ToolStatus {
  if (reason === 'blocked') return 'denied'
  const outcome = outcomeOf(reason)
  return outcome === 'failed' ? 'error' : outcome
}

export type Lanes = ReturnType<typeof createLanes>
