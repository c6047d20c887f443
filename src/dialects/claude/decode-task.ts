// Subagents and background commands: `task_*`. Their records are told in the main lane; what a subagent does carries its id.
import { isRecord } from '../../base/json.ts'
import type { ToolStatus } from '../../model/vocabulary.ts'
import { endTask, startTask } from './decode-lane.ts'
import type { Reader } from './decode-state.ts'
import { nat, str } from './values.ts'
import type { Wire } from './wire.ts'

const isAgent = (type: string | undefined): boolean => type === undefined || type.includes('agent') || type.includes('teammate')

export function taskStarted(on: Reader, record: Wire<'system/task_started'>): void {
  startTask(
    on,
    {
      task: record.task_id,
      type: isAgent(record.task_type) ? 'agent' : 'command',
      title: record.description,
      agentType: record.subagent_type,
      model: str(record.model),
      background: record.is_backgrounded,
      prompt: record.prompt,
      depth: nat(record.spawn_depth),
    },
    record.tool_use_id,
  )
}

/** News of a task that started before the stream did. */
function known(on: Reader, task: string, call: string | undefined): void {
  if (!on.pen.hasTask(task)) startTask(on, { task, type: 'agent' }, call, 'implied')
}

export function taskProgress(on: Reader, record: Wire<'system/task_progress'>): void {
  known(on, record.task_id, record.tool_use_id)
  const { total_tokens: tokens, tool_uses: toolCalls } = record.usage ?? {}
  on.pen.emit('task.update', {
    task: record.task_id,
    label: record.summary ?? record.description,
    tokens: nat(tokens),
    toolCalls: nat(toolCalls),
    lastTool: record.last_tool_name,
  })
}

export function taskUpdated(on: Reader, record: Wire<'system/task_updated'>): void {
  const { patch, task_id: task } = record
  if (!on.pen.hasTask(task)) return on.pen.raw(on.tag, 'redundant')
  on.pen.emit('task.update', { task, state: patch.status, label: patch.description, background: patch.is_backgrounded })
}

const statusOf: Readonly<Record<string, ToolStatus>> = {
  completed: 'ok',
  failed: 'error',
  error: 'error',
  stopped: 'cancelled',
  killed: 'cancelled',
  cancelled: 'cancelled',
}

export function taskNotification(on: Reader, record: Wire<'system/task_notification'>): void {
  const { task_id: task, status, summary: text, output_file: file } = record
  if (!on.pen.hasTask(task)) {
    if (on.session.lanes.has(task)) return on.pen.raw(on.tag, 'redundant') // its caller's result said it already
    known(on, task, record.tool_use_id)
  }
  if (record.tool_use_id !== undefined && on.session.tasks.get(record.tool_use_id)?.background === true) on.session.woken = true
  const failed = Object.hasOwn(statusOf, status) ? statusOf[status]! : 'ok'
  endTask(on, {
    task,
    status: failed,
    text,
    tokens: nat(isRecord(record.usage) ? record.usage['total_tokens'] : undefined),
    error: failed === 'error' ? { category: 'unknown', text: text ?? '' } : undefined,
    file: str(file) || undefined,
  })
}

/** In a transcript only the prompt that wakes the agent says that a background task is over. */
export function taskNote(on: Reader, text: string): void {
  const task = between(text, '<task-id>', '</task-id>')
  if (task === undefined || !on.pen.hasTask(task)) return
  const word = between(text, '<status>', '</status>') ?? ''
  endTask(on, {
    task,
    status: Object.hasOwn(statusOf, word) ? statusOf[word]! : 'ok',
    text: between(text, '<summary>', '</summary>'),
  })
}

function between(text: string, open: string, close: string): string | undefined {
  const start = text.indexOf(open)
  const end = start === -1 ? -1 : text.indexOf(close, start + open.length)
  return end === -1 ? undefined : text.slice(start + open.length, end)
}
