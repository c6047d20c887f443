// Events of any dialect as the Avenor records that `watch` tells in a line: name and session, and what the excerpt is made of.
// Unlike a conversion it never holds anything back, adds nothing, and tells what Avenor's log has no record for by the record
// that comes nearest: a question to the user, a model call that is tried again, a subagent's words and end.
import { commandOf } from '../analyze/subject.ts'
import type { Rec } from '../base/json.ts'
import { wireId } from '../dialects/contract.ts'
import { exitReasonOf, kindWordOf, sourceOfEnd, stopReasonOf, subsystemOf } from '../dialects/avenor/words.ts'
import type { Event, EventOf, Kind } from '../model/event.ts'
import { outcomeOf, toolFailed } from '../model/outcome.ts'

const mostOpen = 4096

type Told = Rec & { event: string }
type Table = { [K in Kind]?: (event: EventOf<K>, isNotable: boolean) => Told | undefined }

/** `isNotable`: whether it is more than ACTIVITY, where classes are asked for. */
export function createTranslator(): (event: Event, isNotable: boolean) => Told | undefined {
  const kinds = new Map<string, string>() // of the calls that are open
  const titles = new Map<string, Pick<EventOf<'task.start'>, 'type' | 'title'>>() // of the tasks
  let lastError = '' // told by its own event; the turn that it ends tells it again

  const callKey = ({ session, call }: Event): string => `${session ?? ''}\n${call ?? ''}`

  function toolStart(event: EventOf<'tool.start'>): Told {
    const kind = kindWordOf(event.name, event.toolKind)
    note(kinds, callKey(event), kind)
    return { event: 'tool.call', kind, title: event.title ?? event.name, status: 'pending' }
  }

  /** Most say only that a call goes on; some agents tell the command not before. */
  function toolUpdate(event: EventOf<'tool.update'>, isNotable: boolean): Told | undefined {
    if (!isNotable) return undefined
    const { title, input, toolKind, state } = event
    const kind = kinds.get(callKey(event)) ?? kindWordOf(undefined, toolKind)
    return { event: 'tool.call_update', kind, title: commandOf({ toolKind: 'execute', title, input }), status: states[state] }
  }

  function toolEnd(event: EventOf<'tool.end'>): Told {
    const kind = kinds.get(callKey(event)) ?? kindWordOf(event.name, event.toolKind)
    kinds.delete(callKey(event))
    return { event: 'tool.call_update', kind, status: toolFailed(event) ? 'failed' : 'completed' }
  }

  /** A subagent or a command in the background is over; the call that began it may be long since. */
  function taskEnd({ task, status }: EventOf<'task.end'>): Told {
    const { type = 'agent', title } = titles.get(task) ?? {}
    titles.delete(task)
    return { event: 'tool.call_update', kind: type === 'agent' ? 'task' : 'bash', title, status: status === 'ok' ? 'completed' : 'failed' }
  }

  function error({ session, error: fault, source }: Pick<EventOf<'error'>, 'session' | 'error' | 'source'>): Told {
    lastError = `${session ?? ''}\n${fault.text}`
    return { event: 'avenor.error', source: subsystemOf(source, fault), message: fault.text }
  }

  function turnEnd({ session, reason, error: fault }: EventOf<'turn.end'>): Told | undefined {
    if (fault === undefined || outcomeOf(reason) === 'ok' || lastError === `${session ?? ''}\n${fault.text}`) return undefined
    return error({ session, error: fault, source: sourceOfEnd(reason) })
  }

  const table: Table = {
    'run.start': ({ maxIterations: max_iterations }) => ({ event: 'avenor.loop.start', max_iterations }),
    'run.end': ({ reason }) => ({ event: 'avenor.loop.end', exit_reason: exitReasonOf(reason) }),
    'phase.start': ({ name: phase, iteration }) => ({ event: 'avenor.phase.start', phase, iteration }),
    'phase.end': ({ name: phase, reason }) => ({ event: 'avenor.phase.end', phase, stop_reason: stopReasonOf(reason) }),
    'session.start': () => ({ event: 'session.start' }),
    'session.end': ({ reason }) => ({ event: 'session.end', stop_reason: stopReasonOf(reason) }),
    'turn.end': turnEnd,
    'text.delta': ({ text }) => ({ event: 'agent.message_chunk', delta: text }),
    'text.end': ({ text, streamed }) => (streamed || text === undefined ? undefined : { event: 'agent.message_chunk', delta: text }),
    'thought.delta': ({ text }) => ({ event: 'agent.thought_chunk', delta: text }),
    'thought.end': ({ text, streamed }) => (streamed || text === undefined ? undefined : { event: 'agent.thought_chunk', delta: text }),
    'prompt.submit': prompt,
    'tool.start': toolStart,
    'tool.update': toolUpdate,
    'tool.end': toolEnd,
    'task.start': ({ task, type, title }) => note(titles, task, { type, title }),
    'task.end': taskEnd,
    'permission.request': ({ name, permission, question }) => ({ event: 'permission.request', tool: name ?? permission, question }),
    'permission.answer': ({ decision }) => (decision === 'withdrawn' ? undefined : { event: 'permission.response' }),
    'question.request': ({ questions }) => ({ event: 'permission.request', question: questions[0]?.text, tool: 'question' }),
    'question.answer': ({ decision }) => (decision === 'withdrawn' ? undefined : { event: 'permission.response' }),
    'plan.update': ({ title }) => ({ event: 'session.plan', title }),
    'status.update': ({ phase, label }) => ({ event: 'agent.status', phase, label: label === phase ? undefined : label }),
    'context.trim': () => ({ event: 'avenor.compaction' }),
    'retry.start': ({ attempt, max: max_retries }) => ({ event: 'avenor.retry', attempt, max_retries }),
    report: ({ type }) => ({ event: reports[type] }),
    error,
    raw: ({ type, why, origin }) => (origin?.dialect === 'avenor' && why !== 'redundant' ? { event: type } : undefined),
  }

  return (event, isNotable) => {
    const row = table[event.kind] as ((event: Event, isNotable: boolean) => Told | undefined) | undefined // that of its own kind
    const told = row?.(event, isNotable)
    if (told !== undefined && event.session !== undefined) told['session_id'] = wireId(event.session)
    return told
  }
}

function note<Value>(map: Map<string, Value>, key: string, value: Value): undefined {
  if (map.size >= mostOpen) map.delete(map.keys().next().value!)
  map.set(key, value)
}

function prompt({ text, by, state, delivery, bytes }: EventOf<'prompt.submit'>): Told | undefined {
  if (by !== 'user' && by !== 'host') return undefined
  if (state === 'queued') return { event: 'agent.prompt_queued' }
  if (text !== undefined && delivery === undefined && bytes === undefined) return { event: 'user.message_chunk', delta: text }
  return { event: 'agent.prompt_submitted' }
}

const states = { pending: 'pending', running: 'in_progress', waiting: 'pending' } as const
const reports = { ready: 'agent.channel_ready', state: 'agent.report', reply: 'agent.reply', finish: 'agent.finish' } as const
