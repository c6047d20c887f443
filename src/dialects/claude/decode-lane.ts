// Messages and lanes. Claude tells a message as several records with one id, and rarely says that it is over: the next id
// in the lane, the turn's result or the task's end says it. A subagent's records name its lane, sometimes before its start.
import type { Place, Usage } from '../../model/event.ts'
import { contextTokens } from '../../model/usage.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { type Lane, laneOf, put, type Reader, turnOf } from './decode-state.ts'

const mostLanes = 1024

/** Keys that place a record in a subagent; the names differ between stream and transcript. */
type Placed = { parent_tool_use_id?: string | null | undefined; agent_id?: string | undefined; agentId?: string | undefined; isSidechain?: boolean | undefined }

/** The lane a record belongs to. One that was never announced starts here. */
export function laneId(on: Reader, record: Placed): string | undefined {
  const parent = record.parent_tool_use_id ?? undefined
  const id = record.agent_id ?? record.agentId ?? (parent === undefined ? undefined : (on.session.taskOfCall.get(parent) ?? parent))
  if (id === undefined || (record.agentId !== undefined && record.isSidechain !== true)) return undefined
  if (!on.session.lanes.has(id)) {
    laneOf(on.session, id)
    if (!on.pen.hasTask(id)) startTask(on, id, parent, 'implied')
  }
  return id
}

export function startTask(on: Reader, task: string, call: string | undefined, synthetic?: string, more: { type?: 'agent' | 'command'; background?: boolean | undefined; title?: string | undefined; agentType?: string | undefined; prompt?: string | undefined; depth?: number | undefined } = {}): void {
  const caller = call === undefined ? undefined : on.session.calls.get(call)
  if (call !== undefined) put(on.session.taskOfCall, call, task, mostLanes)
  on.pen.emit('task.start', { task, type: 'agent', ...more }, { call, agent: caller?.lane, turn: caller?.turn, synthetic })
}

/** Where an event of the lane's open message stands. */
export const placeIn = (lane: Lane, agent: string | undefined, block?: number): Place => ({ agent, turn: lane.message?.turn, message: lane.message?.id, block })

/** Makes `id` the open message of the lane. A new id ends the former one. */
export function openMessage(on: Reader, agent: string | undefined, id: string, model: string | undefined, usage: Usage | undefined, told: { streamed: boolean; ttftMs?: number | undefined }): Lane {
  const lane = laneOf(on.session, agent)
  if (lane.message?.id === id && on.pen.openMessage(agent) !== undefined && !told.streamed) return lane
  closeMessage(on, agent, undefined)
  lane.message = { id, turn: agent === undefined ? turnOf(on) : undefined, model, usage, usageFinal: false, finish: undefined, calls: false }
  lane.next = 0
  lane.answered = false
  on.pen.emit('message.start', { model, usage: told.streamed ? usage : undefined, ttftMs: told.ttftMs }, { ...placeIn(lane, agent), synthetic: told.streamed ? undefined : 'implied' })
  return lane
}

/**
 * Ends the lane's open message. Deltas that no full record confirmed are withdrawn first when `instead` another message
 * takes their place. `finish`: what the end itself says; else what the records said, else what they show.
 */
export function closeMessage(on: Reader, agent: string | undefined, finish: Reason | undefined, told: { dropped?: boolean; real?: boolean } = {}): void {
  const lane = on.session.lanes.get(agent)
  if (lane?.message === undefined) return
  const { message } = lane
  const withdrawn = told.dropped ?? (finish === undefined && lane.streaming && lane.streamed.size > 0)
  if (withdrawn && lane.streamed.size > 0) {
    const fromBlock = Math.min(...lane.streamed.keys())
    on.pen.emit('message.drop', { fromBlock, why: told.dropped === true ? 'stream_error' : 'superseded' }, { ...placeIn(lane, agent), synthetic: told.dropped === true ? undefined : 'implied' })
  }
  lane.streamed.clear()
  lane.streaming = false
  lane.message = undefined
  const shown = message.calls ? 'tool_use' : undefined
  const { usage } = message
  const context = usage === undefined || contextTokens(usage) === 0 ? undefined : { used: contextTokens(usage) }
  on.pen.emit(
    'message.end',
    { finish: message.finish ?? (withdrawn ? 'error' : (shown ?? finish)), model: message.model, usage, usageFinal: usage === undefined ? undefined : message.usageFinal, context },
    { agent, turn: message.turn, message: message.id, synthetic: told.real === true ? undefined : 'implied' },
  )
}
