// What a server says of a session as a whole, and of its messages: settings, tokens so far, status, trouble.
import type { Payload } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import type { Pen } from '../../model/pen.ts'
import { totalTokens } from '../../model/usage.ts'
import { diagnosticsOf } from '../values.ts'
import { failed } from './course.ts'
import { changeOf, costOf, faultOfError, finishOf, rulesOf, usageOf } from './decode-fields.ts'
import type { Lanes } from './decode-lane.ts'
import type { Messages } from './decode-message.ts'
import { type Lane, makeRoom, placeOf } from './decode-state.ts'
import type { Info, MessageInfo, Properties } from './wire.ts'

export function createSessions(pen: Pen, lanes: Lanes, messages: Messages) {
  const tokensIn = ({ tokens }: Info): number => totalTokens(usageOf(tokens) ?? {})

  /** A child is told by the call that started it, or by the first thing it does; then only its tokens count. */
  function childInfo(lane: Lane, info: Info, tag: string): void {
    const tokens = tokensIn(info)
    const task = lane.agent!
    lane.title ??= info.title ?? undefined
    lane.agentType ??= info.agent ?? undefined
    if (!lane.begun) return pen.raw(tag, 'redundant')
    if (tokens === lane.tokens || !pen.hasTask(task)) return pen.raw(tag, 'redundant', placeOf(lane))
    lane.tokens = tokens
    pen.emit('task.update', { task, tokens }, { agent: lane.parent!.agent })
  }

  function info(lane: Lane, told: Info, tag: 'session.created' | 'session.updated'): void {
    if (lane.parent !== undefined) return childInfo(lane, told, tag)
    const news = newSetting(lane, told)
    const isStart = !pen.isStarted()
    const how = tag === 'session.created' && !pen.isEnded() ? 'new' : undefined
    if (isStart) pen.emit('session.start', { how, native: told.id, program: 'opencode', ...news })
    else if (news !== undefined) pen.emit('session.update', { by: 'agent', ...news })
    const tokens = tokensIn(told)
    if (tokens !== lane.tokens) {
      lane.tokens = tokens
      pen.emit('usage.update', { scope: 'session', cumulative: true, usage: usageOf(told.tokens), cost: costOf(told.cost) })
    } else if (!isStart && news === undefined) pen.raw(tag, 'redundant')
  }

  function deleted(lane: Lane, tag: string): void {
    const { parent, agent: task } = lane
    lane.gone = true
    if (parent === undefined) return pen.emit('session.end', { reason: pen.openTurns() > 0 ? 'cancelled' : lane.lastReason })
    if (!pen.hasTask(task!)) return pen.raw(tag, 'redundant', placeOf(lane))
    pen.emit('task.end', { task: task!, status: 'cancelled' }, { agent: parent.agent })
  }

  function status(lane: Lane, { type, attempt, message, next }: Properties<'session.status'>['status'], at: number | undefined): void {
    const tag = 'session.status'
    if (type === 'idle') return lanes.rest(lane, tag)
    if (type !== 'busy' && type !== 'retry') return pen.raw(tag, 'unmapped', placeOf(lane))
    lanes.wake(lane)
    if (type === 'retry' && typeof attempt === 'number' && Number.isSafeInteger(attempt) && attempt >= 0) {
      lane.attempt = attempt
      lane.busy = false
      const delayMs = typeof next === 'number' && at !== undefined ? Math.max(0, next - at) : undefined
      return pen.emit(
        'retry.start',
        { scope: 'model', attempt, delayMs, error: faultOf(message ?? 'the model call failed') },
        placeOf(lane),
      )
    }
    if (lane.busy) return pen.raw(tag, 'redundant', placeOf(lane))
    lane.busy = true
    if (lane.parent === undefined) pen.emit('status.update', { phase: 'working' })
    else pen.emit('task.update', { task: lane.agent!, state: type }, { agent: lane.parent.agent })
  }

  /** An overflow of the context is answered with a summary, and the turn goes on; any other error ends it. */
  function error(lane: Lane, body: unknown): void {
    const fault = faultOfError(body)
    if (!lane.resting) failed(lane.course, fault)
    const isChild = lane.parent !== undefined
    const fatal = !isChild && fault.category !== 'context' && fault.category !== 'cancelled'
    const scope = isChild ? 'task' : 'session'
    pen.emit('error', { scope, fatal, error: fault, data: diagnosticsOf(body) }, placeOf(lane))
    const open = pen.openMessage(lane.agent)
    if (open !== undefined) messages.end(lane, { agent: lane.agent, message: open.message }, { error: body })
  }

  function message(lane: Lane, told: MessageInfo): void {
    const tag = 'message.updated'
    const place = { agent: lane.agent, message: told.id }
    if (told.role !== 'assistant') {
      const isNew = !lane.userMessages.has(told.id)
      makeRoom(lane.userMessages)
      lane.userMessages.add(told.id)
      if (!isNew || !lanes.wake(lane, told.id)) pen.raw(tag, 'redundant', place)
      return
    }
    lane.model = told.modelID ?? undefined
    lane.provider = told.providerID ?? undefined
    lane.agentName = told.agent ?? undefined
    if (told.structured !== undefined) lane.structured = told.structured
    const isOver = typeof told.time?.completed === 'number' && pen.openMessage(lane.agent)?.message === told.id
    if (!isOver) return pen.raw(tag, 'redundant', place)
    // The tokens of a call that failed are not known, and told as zero.
    const { tokens, cost } = (told.error ?? undefined) === undefined ? told : {}
    messages.end(lane, place, { finish: finishOf(told.finish), tokens, cost, error: told.error })
  }

  function diff(lane: Lane, { diff: files }: Properties<'session.diff'>): void {
    if (files.length === 0) return pen.raw('session.diff', 'redundant', placeOf(lane))
    const changes = files.map(({ file, path, status: word }) => ({ path: file ?? path ?? '', change: changeOf(word) }))
    const patches = files.flatMap(({ patch }) => patch ?? [])
    pen.emit('file.update', { changes, diff: patches.length === 0 ? undefined : patches.join('\n') }, placeOf(lane))
  }

  return { info, deleted, status, error, message, diff }
}

/** What is new in a session's settings; undefined when nothing is. */
function newSetting(lane: Lane, { version, directory, title, agent, model, permission }: Info): Payload<'session.update'> | undefined {
  const setting = {
    version,
    cwd: directory,
    title,
    agentName: agent,
    model: model?.id ?? model?.modelID,
    provider: model?.providerID,
    rules: rulesOf(permission),
  }
  let isNew = false
  const news: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(setting)) {
    if (value === undefined || value === null) continue
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (lane.setting.get(key) === text) continue
    lane.setting.set(key, text)
    news[key] = value
    isNew = true
  }
  return isNew ? (news as Payload<'session.update'>) : undefined
}
