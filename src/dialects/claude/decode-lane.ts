// Messages and lanes. Claude tells a message as several records with one id and rarely says that it is over: the next id in
// the lane, the turn's result or the task's end says it. A subagent's records name its lane, sometimes before its start.
import type { Rec } from '../../base/json.ts'
import { type Payload, type Place, placeOf, type Usage } from '../../model/event.ts'
import { contextTokens } from '../../model/usage.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { type Lane, laneOf, most, newestTurn, put, type Reader, turnOf } from './decode-state.ts'
import { str } from './values.ts'

/** Keys that place a record in a subagent; the names differ between stream and transcript. */
type Placed = {
  parent_tool_use_id?: string | null | undefined
  agent_id?: string | undefined
  agentId?: string | undefined
  isSidechain?: boolean | undefined
  subagent_type?: unknown
  task_description?: unknown
}

/** The lane a record belongs to. One that was never announced starts here. */
export function laneId(on: Reader, record: Placed): string | undefined {
  const call = record.parent_tool_use_id || undefined
  const sidechain = record.isSidechain === true ? record.agentId : undefined
  const id = record.agent_id || sidechain || (call === undefined ? undefined : (on.session.tasks.get(call)?.task ?? call))
  if (id === undefined || on.session.lanes.has(id)) return id
  laneOf(on.session, id)
  const told = { title: str(record.task_description), agentType: str(record.subagent_type) }
  if (sidechain !== undefined) turnOf(on) // a subagent's own file has no other turn
  if (!on.pen.hasTask(id)) startTask(on, { task: id, type: 'agent', ...told }, call, 'implied')
  return id
}

export function startTask(on: Reader, task: Payload<'task.start'>, call: string | undefined, synthetic?: string): void {
  const caller = call === undefined ? undefined : on.session.calls.get(call)
  if (call !== undefined) put(on.session.tasks, call, { task: task.task, background: task.background === true }, most.lanes)
  const turn = caller === undefined ? newestTurn(on) : caller.turn
  on.pen.emit('task.start', task, placeOf(caller?.lane, turn, undefined, undefined, call, synthetic))
}

export function endTask(on: Reader, end: Payload<'task.end'>, synthetic?: string): void {
  closeMessage(on, end.task, end.status === 'ok' ? 'end_turn' : undefined)
  on.pen.emit('task.end', end, { ...placeOf(), synthetic })
}

/** Where an event of the lane's open message stands. */
export const placeIn = ({ message }: Lane, agent: string | undefined, block?: number, call?: string, synthetic?: string): Place =>
  placeOf(agent, message?.turn, message?.id, block, call, synthetic)

/** The same for what is said of the message itself. */
const ofMessage = (lane: Lane, agent: string | undefined, told: boolean): Place =>
  placeIn(lane, agent, undefined, undefined, told ? undefined : 'implied')

/** What is known of a message when it begins. `told`: message_start says so, not merely its first block. */
type Beginning = {
  model: string | undefined
  usage: Usage | undefined
  ttftMs?: number | undefined
  told?: boolean
  beside?: Rec | undefined
}

/** Makes `id` the open message of the lane. A new id ends the former one. */
export function openMessage(
  on: Reader,
  agent: string | undefined,
  id: string,
  { model, usage, ttftMs, told = false, beside }: Beginning,
): Lane {
  const lane = laneOf(on.session, agent)
  if (!told && lane.message?.id === id && on.pen.openMessage(agent) !== undefined) return lane
  closeMessage(on, agent, undefined, { superseded: true })
  lane.message = {
    id,
    turn: agent === undefined ? turnOf(on) : undefined,
    model,
    usage,
    usageFinal: false,
    finish: undefined,
    calls: false,
  }
  lane.next = 0
  lane.answered = false
  const place = ofMessage(lane, agent, told)
  if (beside !== undefined) place.ext = { claude: { message: { usage: beside } } }
  on.pen.emit('message.start', { model, usage, ttftMs }, place)
  return lane
}

/**
 * Ends the lane's open message. What it finished with: what its records said; else that it called tools; else `finish`,
 * which is the word of whatever ends it. `superseded`: another message takes the place of deltas that were never confirmed.
 */
export function closeMessage(
  on: Reader,
  agent: string | undefined,
  finish?: Reason,
  how: { superseded?: boolean; told?: boolean } = {},
): void {
  const lane = on.session.lanes.get(agent)
  if (lane?.message === undefined) return
  const { message } = lane
  const dropped = how.superseded === true && withdraw(on, lane, agent, 0, 'superseded')
  const { usage } = message
  const used = usage === undefined ? 0 : contextTokens(usage)
  const ended = message.finish ?? (dropped ? 'error' : message.calls ? 'tool_use' : finish)
  if (agent === undefined && message.model !== undefined) on.session.finish = ended
  on.pen.emit(
    'message.end',
    {
      finish: ended,
      model: message.model,
      usage,
      usageFinal: usage === undefined ? undefined : message.usageFinal,
      context: used === 0 ? undefined : { used },
    },
    ofMessage(lane, agent, how.told === true),
  )
  lane.message = undefined
  lane.streaming = false
  if (lane.streamed.size > 0) lane.streamed.clear() // to clear a table costs as much when it is empty
}

/** Takes back what was streamed from block `from` on. False when nothing was told of it. */
export function withdraw(on: Reader, lane: Lane, agent: string | undefined, from: number, why: Payload<'message.drop'>['why']): boolean {
  // Only the source itself takes back blocks that it had confirmed.
  let first = why === 'superseded' || from >= lane.next ? undefined : from
  for (const [index, block] of lane.streamed) {
    if (index < from) continue
    lane.streamed.delete(index)
    if (!block.told) continue
    if (first === undefined || index < first) first = index
    if (block.call === undefined || !on.pen.isOpen(block.call)) continue
    on.session.calls.delete(block.call)
    on.pen.emit('tool.end', { status: 'abandoned' }, placeIn(lane, agent, index, block.call, 'implied'))
  }
  if (first === undefined) return false
  on.pen.emit('message.drop', { fromBlock: first, why }, ofMessage(lane, agent, why !== 'superseded'))
  return true
}
