// The closed lists of Avenor's document, and what a record of a type must say beyond its shape. Reading is lenient; this is for the judge.
// Words that the program itself is known to write against its document are warnings.
import { quoted } from '../../base/text.ts'
import { degenerate } from './words.ts'
import type { AnyWire } from './wire.ts'

export const wordRules = {
  'known-word': 'stop_reason, exit_reason, phase, kind and source are words of the closed lists; programs add some, which is a warning.',
  'phase-iteration': 'The iteration of a loop phase is 1 or more, that of a pre or post phase 0.',
} as const

type Tell = (code: keyof typeof wordRules, text: string, severity?: 'error' | 'warn') => void

const stopReasons = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'timeout',
  'cancelled',
  degenerate,
  'error',
  'refusal',
  'max_turn_requests',
  'blocked',
  'progress_timeout',
  'cancelled_forced',
]
const exitReasons = ['end_turn', 'abort', 'exit', 'max_iterations', 'phase_failure', 'timeout', 'cancelled']

type List = { key: string; words: readonly string[]; tolerated?: readonly string[] }
/** `tolerated`: what Avenor writes all the same; without it, every other word is an error. */
const lists: Readonly<Record<string, readonly List[]>> = {
  'session.end': [{ key: 'stop_reason', words: stopReasons, tolerated: ['*'] }],
  'avenor.phase.end': [{ key: 'stop_reason', words: stopReasons, tolerated: ['*'] }],
  'avenor.loop.end': [{ key: 'exit_reason', words: exitReasons, tolerated: ['marker'] }],
  'avenor.phase.start': [{ key: 'kind', words: ['pre', 'loop', 'post'] }],
  'agent.status': [
    { key: 'phase', words: ['thinking', 'working', 'waiting', 'done'], tolerated: ['*'] },
    { key: 'source', words: ['avenor', 'agent', 'transcript', 'tmux', 'pty', 'channel'] },
  ],
  'tool.call_update': [{ key: 'status', words: ['completed', 'failed'], tolerated: ['pending', 'in_progress'] }],
  'agent.prompt_submitted': [{ key: 'delivery', words: ['tmux', 'pty'] }],
  'agent.prompt_queued': [
    { key: 'delivery', words: ['channel'] },
    { key: 'message_type', words: ['continue'] },
  ],
  'agent.channel_ready': [{ key: 'source', words: ['channel'] }],
  'agent.report': [{ key: 'source', words: ['channel'] }],
  'agent.reply': [{ key: 'source', words: ['channel'] }],
  'agent.finish': [{ key: 'source', words: ['channel'] }],
  'permission.response': [
    { key: 'kind', words: ['allow', 'reject'], tolerated: [''] },
    { key: 'source', words: ['avenor', 'control', 'file'] },
  ],
}

export function judgeWords(record: AnyWire, tell: Tell): void {
  for (const { key, words, tolerated } of lists[record.event] ?? []) {
    const word = (record as Record<string, unknown>)[key]
    if (typeof word !== 'string' || words.includes(word)) continue
    const isKnown = tolerated?.includes('*') === true || tolerated?.includes(word) === true
    const note = isKnown ? '; against its document, Avenor writes such words' : ''
    tell('known-word', `${key} ${quoted(word)} of ${record.event} is none of ${words.join(', ')}${note}`, isKnown ? 'warn' : 'error')
  }
  if (record.event === 'avenor.phase.start') {
    const { kind, iteration } = record
    if ((kind === 'loop' && iteration === 0) || ((kind === 'pre' || kind === 'post') && iteration > 0))
      tell('phase-iteration', `iteration ${iteration} in a phase of kind ${quoted(kind)}`)
  }
}
