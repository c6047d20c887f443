// Subagents. The newest agents tell a child session by `subagent_update`; Claude's marks a subagent's calls with the call that started
// it; Codex's names the threads that it started in the input of the call.
import type { ToolStatus } from '../../model/vocabulary.ts'
import { addLane, type Reader, type Session } from './decode-state.ts'
import { at, reasonOf, str } from './words.ts'
import type { Update } from './wire.ts'

const mostTasks = 1024

/** The lane of a record: of a child session, or of the call that started a subagent, which is told as a task when it first speaks. */
export function laneOf(on: Reader, session: Session, meta: unknown, child: string | undefined): string | undefined {
  const parent = str(at(at(meta, 'claudeCode'), 'parentToolUseId')) ?? str(at(meta, 'parentToolUseId')) ?? str(at(meta, 'parentToolCallId'))
  if (parent === undefined) return child
  if (!session.tasks.has(parent)) {
    if (session.tasks.size >= mostTasks) session.tasks.clear()
    session.tasks.add(parent)
    on.pen.emit(
      'task.start',
      { task: parent, type: 'agent' },
      { call: parent, agent: session.calls.get(parent)?.agent, synthetic: 'implied' },
    )
  }
  return parent
}

export function endTask(on: Reader, task: string, status: ToolStatus, text: string | undefined): void {
  if (on.pen.hasTask(task)) on.pen.emit('task.end', { task, status, text }, { synthetic: 'implied' })
}

/** What Claude's tool for subagents gave: the work that was done. */
export function teamwork(on: Reader, task: string, response: unknown): void {
  const [tokens, toolCalls] = [at(response, 'totalTokens'), at(response, 'totalToolUseCount')].map((value) =>
    typeof value === 'number' && value >= 0 ? Math.trunc(value) : undefined,
  )
  if (tokens !== undefined && on.pen.hasTask(task)) on.pen.emit('task.update', { task, tokens, toolCalls })
}

const threadEnds: ReadonlyMap<unknown, ToolStatus> = new Map<unknown, ToolStatus>([
  ['completed', 'ok'],
  ['shutdown', 'cancelled'],
  ['errored', 'error'],
])

/** Threads that a call of Codex started or waited for. */
export function threads(on: Reader, call: string, input: unknown): void {
  const ids = at(input, 'receiverThreadIds')
  if (!Array.isArray(ids)) return
  for (const task of ids.slice(0, 64)) {
    if (typeof task !== 'string') continue
    const state = at(at(input, 'agentsStates'), task)
    const status = threadEnds.get(at(state, 'status'))
    const known = on.pen.hasTask(task)
    if (!known && status === undefined)
      on.pen.emit(
        'task.start',
        { task, type: 'agent', prompt: str(at(input, 'prompt')), model: str(at(input, 'model')), background: true },
        { call },
      )
    else if (known && status !== undefined) on.pen.emit('task.end', { task, status, text: str(at(state, 'message')) })
  }
}

/** A child session: new, at work, or idle, until its parent gives it more to do. */
export function subagent(on: Reader, update: Update<'subagent_update'>, agent: string | undefined): void {
  const { sessionId: task, title, description, state } = update
  const session = on.current
  if (session === undefined || task === session) return on.pen.raw(on.tag, 'unmapped')
  const word = str(state?.state)
  const isOpen = on.pen.hasTask(task)
  if (!isOpen && word === 'idle' && on.lanes.has(task)) return on.pen.raw(on.tag, 'redundant', { agent })
  addLane(on, task, session)
  if (!isOpen) on.pen.emit('task.start', { task, type: 'agent', title: str(title) ?? str(description) }, { agent })
  else if (word !== 'idle') on.pen.emit('task.update', { task, state: word, label: str(description) ?? str(title) }, { agent })
  if (word === 'idle') on.pen.emit('task.end', { task, status: statusOf(state?.stopReason ?? 'end_turn') }, { agent })
}

function statusOf(stopReason: string): ToolStatus {
  const reason = reasonOf(stopReason)
  return reason === 'end_turn' ? 'ok' : reason === 'cancelled' ? 'cancelled' : 'error'
}
