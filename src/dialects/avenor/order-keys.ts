// The keys that Avenor's document gives each event, beyond what a reader needs. A record that we or a repair added has no source for them
// and is marked; it is not judged here.
import { isRecord, type Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { AnyWire, Tag } from './wire.ts'
import { degenerate } from './words.ts'

export const keyRules = {
  'required-key': 'An event has the fields that the document lists for it, and names its session.',
  'degenerate-diagnostics':
    'The error about a degenerate stream has its stop_reason, its model and the signal and the six numbers of its diagnostics.',
  'claude-backend': 'The claude backend emits no channel-side event, no status of the channel or the sidecar, and never loads dangerously.',
} as const

type Tell = (code: keyof typeof keyRules, text: string, severity?: 'error' | 'warn') => void

const required: Partial<Record<Tag, readonly string[]>> = {
  'tool.call': ['status'],
  'permission.response': ['kind', 'source'],
  'avenor.loop.start': ['max_iterations', 'pre_phase_count', 'loop_phase_count'],
  'avenor.phase.start': ['kind'],
  'avenor.phase.end': ['stop_reason'],
  'avenor.loop.end': ['iterations_completed'],
  'avenor.retry': ['max_retries'],
  'avenor.error': ['source', 'message'],
  'agent.channel_ready': ['server_name', 'source'],
  'agent.prompt_queued': ['message_type', 'delivery', 'prompt_length'],
  'agent.prompt_submitted': ['delivery', 'prompt_length'],
  'agent.report': ['state', 'payload', 'source'],
  'agent.reply': ['to', 'payload', 'source'],
  'agent.finish': ['status', 'summary', 'files_changed', 'source'],
}

/** What Avenor leaves out against its document: `;` and how. */
const leftOut: Partial<Record<Tag, readonly [key: string, how: string]>> = {
  'tool.call_update': ['status', 'passes on updates that tell none'],
  'agent.status': ['source', 'writes none for what a report says'],
}

/** Their session is a conversation; runs and the channel have none. */
const inSession: ReadonlySet<string> = new Set([
  'agent.message_chunk',
  'agent.thought_chunk',
  'user.message_chunk',
  'tool.call',
  'tool.call_update',
  'session.plan',
  'permission.request',
  'permission.response',
  'agent.status',
  'session.start',
  'session.end',
])

const numbers = ['observed_total', 'hex_total', 'hex_in_window', 'window_size', 'consecutive_hex', 'progress_in_window']

export function judgeKeys(record: AnyWire, tell: Tell): void {
  const fields = record as Rec
  const { event } = record
  if (fields['synthetic'] !== undefined) return
  const isAbsent = (key: string): boolean =>
    fields[key] === undefined || (fields[key] === null && key !== 'files_changed' && key !== 'payload')
  if (inSession.has(event) && record.session_id === undefined) tell('required-key', `${event} has no session_id`)
  for (const key of required[event] ?? []) if (isAbsent(key)) tell('required-key', `${event} has no ${key}`)
  const [key, how] = leftOut[event] ?? []
  if (key !== undefined && isAbsent(key)) tell('required-key', `${event} has no ${key}; against its document, Avenor ${how}`, 'warn')
  if (event === 'avenor.error' && record.kind === degenerate) judgeDiagnostics(fields, tell)
}

function judgeDiagnostics(fields: Rec, tell: Tell): void {
  const { diagnostics } = fields
  const absent = [
    ...['stop_reason', 'model'].filter((key) => fields[key] === undefined),
    ...(isRecord(diagnostics)
      ? ['abort_signal', ...numbers]
          .filter((key) => typeof diagnostics[key] !== (key === 'abort_signal' ? 'string' : 'number'))
          .map((key) => `diagnostics.${key}`)
      : ['diagnostics']),
  ]
  if (absent.length > 0) tell('degenerate-diagnostics', `the error about a degenerate stream has no ${absent.join(', ')}`)
}

const ofChannel: ReadonlySet<string> = new Set([
  'agent.channel_ready',
  'agent.prompt_queued',
  'agent.report',
  'agent.reply',
  'agent.finish',
])

/** Of a session whose start said that its backend is `claude`. */
export function judgeClaude(record: AnyWire, tell: Tell): void {
  const { event } = record
  if (ofChannel.has(event)) tell('claude-backend', `${event} of a session with the backend claude`)
  if (event === 'agent.status' && (record.source === 'channel' || record.source === 'sidecar'))
    tell('claude-backend', `a status with the source ${quoted(record.source)} of a session with the backend claude`)
  if (event === 'session.start' && (record as Rec)['dangerously_load'] === true)
    tell('claude-backend', 'session.start with dangerously_load and the backend claude')
}
