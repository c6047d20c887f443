// The order of an appctl stream: user_prompt … done, turn after turn. It names no session, so there is one chain of turns.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Order, Report } from '../contract.ts'
import type { Wire } from './wire.ts'

export const rules = {
  'prompt-first': 'A turn starts with exactly one user_prompt; only session_state may stand before it.',
  'done-last': 'Exactly one done ends a turn; nothing of the turn follows it.',
  'missing-end': 'Every turn ends with done.',
  'unanswered-call': 'Every tool_call is followed by a tool_result with the same id, unless the turn errs first.',
  'unknown-call': 'A tool_result answers a tool_call that is open.',
  'error-then-done': 'Only done follows an error.',
  'whole-message':
    'An answer that came in deltas is told whole, by an assistant_message, before done; text before a tool_call need not be.',
  'awaiting-open-call': 'An awaiting_input that names a call stands between that call and its result.',
} as const

const mostAnswered = 4096

export function order(): Order {
  let open = false
  let failed = false
  let ended = false
  let strayed = false // what follows a done or an error is said once
  let streamed = '' // the answer so far, of which no assistant_message has come
  const calls = new Map<string, number>() // ids may repeat
  const answered = new Set<string>() // of the last turn: a result that comes again lacks no call

  const breaks = (report: Report, code: keyof typeof rules, text: string, severity: 'error' | 'warn' = 'error'): void =>
    report({ code, severity, text })

  return {
    push(record: Rec, tag: string, report) {
      if (tag === 'session_state' && !open) return
      if (!open && ended && tag !== 'user_prompt') {
        if (!strayed) breaks(report, 'done-last', tag === 'done' ? 'a second done' : `${tag} after done`)
        strayed = tag !== 'done'
        return
      }
      if (open === (tag === 'user_prompt'))
        breaks(report, 'prompt-first', open ? 'a second user_prompt in the turn' : `${tag} before user_prompt`)
      else if (failed && !strayed && tag !== 'done') {
        strayed = true
        breaks(report, 'error-then-done', `${tag} after an error`)
      }
      open = true
      switch (tag) {
        case 'user_prompt':
          ended = failed = strayed = false
          streamed = ''
          calls.clear()
          answered.clear()
          return
        case 'assistant_delta':
          streamed += (record as Wire<'assistant_delta'>).text
          return
        case 'assistant_message':
          streamed = ''
          return
        case 'tool_call': {
          const { id } = record as Wire<'tool_call'>
          streamed = ''
          calls.set(id, (calls.get(id) ?? 0) + 1)
          return
        }
        case 'tool_result': {
          const { id } = record as Wire<'tool_result'>
          const count = calls.get(id)
          if (count === undefined) return breaks(report, 'unknown-call', `tool_result for ${quoted(id)}, which was not called`)
          if (answered.size >= mostAnswered) answered.clear()
          answered.add(id)
          if (count === 1) calls.delete(id)
          else calls.set(id, count - 1)
          return
        }
        case 'awaiting_input': {
          const { id } = record as Wire<'awaiting_input'>
          if (id !== undefined && !calls.has(id))
            breaks(report, 'awaiting-open-call', `awaiting_input names ${quoted(id)}, which is not open`)
          return
        }
        case 'error':
          failed = true
          return
        case 'done':
          if (!failed) for (const id of calls.keys()) breaks(report, 'unanswered-call', `no tool_result for ${quoted(id)}`)
          if (!failed && streamed !== '') breaks(report, 'whole-message', 'no assistant_message after the last assistant_delta')
          streamed = ''
          calls.clear()
          open = failed = strayed = false
          ended = true
          return
      }
    },
    end(report) {
      if (open)
        breaks(
          report,
          'missing-end',
          calls.size === 0
            ? 'the stream ends inside a turn'
            : `the stream ends inside a turn, with open calls: ${[...calls.keys()]
                .slice(0, 8)
                .map((id) => quoted(id))
                .join(', ')}`,
        )
    },
    missing(next, tag) {
      if (next !== undefined && tag !== 'user_prompt' && (tag !== 'done' || !open)) return startsOf(next, tag)
      if (!open) return []
      const results = failed
        ? []
        : [...calls].flatMap(([id, count]) =>
            Array.from({ length: count }, () => ({ kind: 'tool_result', id, result: 'abandoned', status: 'error', duration_ms: 0 })),
          )
      const answer = failed || streamed === '' ? [] : [{ kind: 'assistant_message', text: streamed }]
      return [...results, ...answer, ...(tag === 'done' ? [] : [{ kind: 'done' }])]
    },
  }

  /** The prompt and the call without which `next` cannot stand. What comes again lacks nothing: it is one too many. */
  function startsOf(next: Rec, tag: string | undefined): Rec[] {
    const { id, name = 'unknown', arguments: input = {} } = next as Wire<'awaiting_input'>
    const isOfCall = (tag === 'tool_result' || tag === 'awaiting_input') && id !== undefined
    if (tag === 'session_state' || (isOfCall && answered.has(id))) return []
    if (!open && ended && (tag === 'done' || tag === 'error')) return []
    const prompt = open ? [] : [{ kind: 'user_prompt', text: '' }]
    return isOfCall && !calls.has(id) && !failed ? [...prompt, { kind: 'tool_call', id, name, arguments: input }] : prompt
  }
}
