// The order of an appctl stream: user_prompt … done, turn after turn. It names no session, so there is one chain of turns.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import { type Order, type Report, whyInvalid } from '../contract.ts'
import { bodyTag, tagOf } from './body.ts'
import { createWhole, type Fault } from './order-whole.ts'
import * as shapes from './shapes.gen.js'
import type { Wire } from './wire.ts'

export const rules = {
  'prompt-first': 'A turn starts with exactly one user_prompt; only session_state may stand before it.',
  'done-last': 'Exactly one done ends a turn; nothing of the turn follows it.',
  'missing-end': 'Every turn ends with done.',
  'unanswered-call': 'Every tool_call is followed by a tool_result with the same id, unless the turn errs first.',
  'unknown-call': 'A tool_result answers a tool_call that is open.',
  'error-then-done': 'Only done follows an error.',
  'whole-message': 'An answer that came in deltas is told whole, by an assistant_message with the same text, before done.',
  'whole-thought': 'A thought that came in deltas is told whole, by an assistant_thought with the same text, before done.',
  'required-key': 'A tool_result has its duration_ms, which is not negative.',
  'run-body': 'The body of POST /run has events, a session_id and a result, or an error where the turn failed.',
  'body-event': 'Each of the events of a body is an event of a known kind, with the fields of its kind.',
  'awaiting-open-call': 'An awaiting_input that names a call stands between that call and its result.',
} as const

const mostAnswered = 4096

const faults: Readonly<Record<Fault, string>> = {
  missing: 'none after the last delta',
  'before call': 'none for the deltas before a tool_call',
  'another text': 'another text than its deltas',
}
const knownFaults: Partial<Record<Fault, string>> = {
  'before call': 'tells such text in deltas alone',
  'another text': 'replaces texts that it holds back',
}

export function order(): Order {
  let open = false
  let failed = false
  let ended = false
  let strayed = false // what follows a done or an error is said once
  const answer = createWhole()
  const thought = createWhole()
  const calls = new Map<string, number>() // ids may repeat
  const answered = new Set<string>() // of the last turn: a result that comes again lacks no call

  const breaks = (report: Report, code: keyof typeof rules, text: string, severity: 'error' | 'warn' = 'error'): void =>
    report({ code, severity, text })

  function told(code: 'whole-message' | 'whole-thought', tag: string, fault: Fault | undefined, report: Report): void {
    if (fault === undefined) return
    const known = code === 'whole-message' ? knownFaults[fault] : undefined // what the program is known to do
    const note = known === undefined ? '' : `; against its document, appctl ${known}`
    breaks(report, code, `${tag}: ${faults[fault]}${note}`, known === undefined ? 'error' : 'warn')
  }

  function judgeKeys(record: Rec, tag: string, report: Report): void {
    if (tag !== 'tool_result') return
    const { duration_ms: duration } = record as Wire<'tool_result'>
    if (duration === undefined) breaks(report, 'required-key', 'tool_result has no duration_ms')
    else if (duration < 0) breaks(report, 'required-key', 'duration_ms is negative')
  }

  /** Its events are judged as if each stood alone. */
  function body({ events, session_id, result, answer: text, error }: Wire<typeof bodyTag>, report: Report): void {
    if (session_id === undefined) breaks(report, 'run-body', 'the body has no session_id')
    if (result === undefined && text === undefined && (error === undefined || error === null))
      breaks(report, 'run-body', 'the body has neither a result nor an error')
    for (const event of events) {
      const tag = tagOf(event)
      const check = tag === undefined || tag === bodyTag ? undefined : shapes.checks[tag]
      if (check?.(event) === true) checker.push(event, tag!, report)
      else if (check !== undefined) breaks(report, 'body-event', `${tag}: ${whyInvalid(shapes, tag!, event)}`)
      else if (tag === undefined || tag === bodyTag) breaks(report, 'body-event', 'one of the events has no kind')
      else breaks(report, 'body-event', `kind ${quoted(tag)} is not known`, 'warn')
    }
  }

  const checker: Order = {
    push(record: Rec, tag: string, report) {
      if (tag === bodyTag) return body(record as Wire<typeof bodyTag>, report)
      judgeKeys(record, tag, report)
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
          answer.forget()
          thought.forget()
          calls.clear()
          answered.clear()
          return
        case 'assistant_delta':
          return answer.add((record as Wire<'assistant_delta'>).text)
        case 'assistant_message':
          return told('whole-message', tag, answer.take((record as Wire<'assistant_message'>).text), report)
        case 'assistant_thought_delta':
          return thought.add((record as Wire<'assistant_thought_delta'>).text)
        case 'assistant_thought':
          return told('whole-thought', tag, thought.take((record as Wire<'assistant_thought'>).text), report)
        case 'tool_call': {
          const { id } = record as Wire<'tool_call'>
          answer.call()
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
          if (!failed) {
            told('whole-message', 'assistant_message', answer.left(), report)
            told('whole-thought', 'assistant_thought', thought.left(), report)
          }
          answer.forget()
          thought.forget()
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
      if (tag === bodyTag) return open ? checker.missing(undefined, undefined) : []
      if (next !== undefined && tag !== 'user_prompt' && (tag !== 'done' || !open)) return startsOf(next, tag)
      if (!open) return []
      const results = failed
        ? []
        : [...calls].flatMap(([id, count]) =>
            Array.from({ length: count }, () => ({ kind: 'tool_result', id, result: 'abandoned', status: 'error', duration_ms: 0 })),
          )
      const wholes = failed
        ? []
        : [
            ...(thought.left() === undefined ? [] : [{ kind: 'assistant_thought', text: thought.text() }]),
            ...(answer.left() === undefined ? [] : [{ kind: 'assistant_message', text: answer.text() }]),
          ]
      return [...results, ...wholes, ...(tag === 'done' ? [] : [{ kind: 'done' }])]
    },
  }

  return checker

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
