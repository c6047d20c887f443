// Subagents: threads that a thread has started. Exec shows only the calls that start them and wait for them; the app-server shows
// what they do.
import { isRecord } from '../../base/json.ts'
import type { Payload } from '../../model/event.ts'
import { str } from '../values.ts'
import { enter, most, newThread, put, type Reader, type Thread } from './decode-state.ts'
import { statusOf } from './words.ts'

type Start = {
  prompt?: string | undefined
  model?: string | undefined
  title?: string | undefined
  agentType?: string | undefined
  depth?: number | undefined
}

/** The thread is a lane of its parent's session; a root is never its own child. */
export function childOf(on: Reader, id: string, parent: Thread): Thread {
  if (id === parent.root.id) return parent.root
  const known = on.threads.get(id)
  if (known?.lane !== undefined && known.session === parent.session) return known
  // What it said before anybody told whose it is went to a session of its own.
  if (known !== undefined && on.pen.isStarted(id)) {
    const { thread } = on
    enter(on, known)
    on.pen.emit('session.end', { reason: 'unknown' }, { synthetic: 'implied' })
    enter(on, thread)
  }
  const child = newThread(id, parent)
  put(on.threads, id, child, most.threads)
  return child
}

export function startTask(on: Reader, child: Thread, start: Start, call?: string): void {
  if (child.lane === undefined || on.pen.hasTask(child.lane)) return
  on.pen.emit('task.start', { task: child.lane, type: 'agent', background: true, ...start }, { agent: child.parent, call })
}

export function endTask(on: Reader, child: Thread, end: Omit<Payload<'task.end'>, 'task'>, synthetic?: string): void {
  if (child.lane === undefined || !on.pen.hasTask(child.lane)) return on.pen.raw(on.tag, 'redundant', { agent: child.parent })
  on.pen.emit('task.end', { task: child.lane, ...end }, { agent: child.parent, synthetic })
}

/** What the states of agents, as a call tells them, say of those that are at work: `{status, message}`, or a word with its message. */
export function agentStates(on: Reader, states: unknown): void {
  if (!isRecord(states)) return
  for (const [id, state] of Object.entries(states)) {
    const child = on.threads.get(id)
    if (child?.lane === undefined || !on.pen.hasTask(child.lane)) continue
    const [word, message] = stateOf(state)
    const status = statusOf(word)
    if (status === undefined) continue
    endTask(on, child, { status, text: message, error: status === 'error' ? { category: 'unknown', text: message ?? '' } : undefined })
  }
}

function stateOf(state: unknown): [word: string | undefined, message: string | undefined] {
  if (!isRecord(state)) return [str(state), undefined]
  if (typeof state['status'] === 'string') return [state['status'], str(state['message'])]
  const [word, message] = Object.entries(state)[0] ?? []
  return [word, str(message)]
}
