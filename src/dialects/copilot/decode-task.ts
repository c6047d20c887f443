// Subagents: `subagent.*`. What a subagent does carries its id; some versions take that of the call that started it.
import type { ToolStatus } from '../../model/vocabulary.ts'
import { nat } from '../values.ts'
import { endMessage, type Reader, startTask } from './decode-state.ts'
import type { Wire } from './wire.ts'

type Named = { toolCallId?: string | null | undefined }

/** The subagent's id; undefined when the record is about the main agent. */
function taskOf({ record, session }: Reader, { toolCallId: call }: Named): string | undefined {
  return record.agentId || (call ? (session.tasks.get(call) ?? call) : undefined)
}

export function subagentStarted(on: Reader, { data }: Wire<'subagent.started'>): void {
  const task = taskOf(on, data)
  if (task === undefined) return on.pen.raw(on.tag, 'unmapped')
  const title = data.agentDisplayName ?? undefined
  if (on.pen.hasTask(task)) return on.pen.emit('task.update', { task, state: 'running', label: title })
  const background = data.executionMode ? data.executionMode === 'background' : undefined
  const agentType = data.agentType ?? data.agentName ?? undefined
  startTask(on, { task, type: 'agent', title, agentType, model: data.model ?? undefined, background }, data.toolCallId ?? undefined)
}

/** Before its start the same is said by the start itself. */
export function subagentConfigured(on: Reader, { data }: Wire<'subagent.configured'>): void {
  const task = taskOf(on, data)
  if (task === undefined || !on.pen.hasTask(task)) return on.pen.raw(on.tag, 'redundant')
  on.pen.emit('task.update', { task, state: 'configured', label: data.model ?? undefined })
}

/** Also the main agent can be replaced by one that the user has made. */
export function subagentSelected(on: Reader, { data }: Wire<'subagent.selected'>): void {
  const task = taskOf(on, data)
  if (task === undefined) return on.pen.emit('session.update', { by: 'agent', agentName: data.agentName ?? undefined })
  if (!on.pen.hasTask(task)) return on.pen.raw(on.tag, 'redundant')
  on.pen.emit('task.update', { task, state: 'selected', label: data.agentDisplayName ?? data.agentName ?? undefined })
}

export function subagentEnded(on: Reader, { type, data }: Wire<'subagent.completed'> | Wire<'subagent.failed'>): void {
  const { session, pen } = on
  const task = taskOf(on, data)
  if (task === undefined) return pen.raw(on.tag, 'unmapped')
  if (!pen.hasTask(task)) {
    if (session.lanes.has(task)) return pen.raw(on.tag, 'redundant')
    startTask(on, { task, type: 'agent' }, data.toolCallId ?? undefined, 'implied')
  }
  const open = session.messages.get(task)
  if (open !== undefined) endMessage(on, task, open, 'implied')
  for (const [id, { lane }] of session.calls) if (lane === task) session.calls.delete(id)
  const status: ToolStatus = data.cancelled === true ? 'cancelled' : type === 'subagent.failed' ? 'error' : 'ok'
  const error = status === 'error' ? { category: 'unknown' as const, text: data.error ?? '' } : undefined
  pen.emit('task.end', { task, status, tokens: nat(data.totalTokens), error })
}
