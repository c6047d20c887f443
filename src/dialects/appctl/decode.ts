// appctl → events. A stream is a chain of turns (user_prompt … done); it tells no time, no message and often no session.
// The surprise: ids of calls may repeat ("tool" stands for a missing one), so a reused id is told as `~tool#2`.
import type { Rec } from '../../base/json.ts'
import { faultOf } from '../../model/fault.ts'
import type { Pen } from '../../model/pen.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import type { Reason } from '../../model/vocabulary.ts'
import type { DecoderBody } from '../contract.ts'
import { textOf } from '../contract.ts'
import { bodyTag } from './body.ts'
import type { Wire } from './wire.ts'

export function decode(pen: Pen): DecoderBody {
  let session: string | undefined
  let failure: string | undefined
  let lastFailure: string | undefined
  let result: { text?: string; data?: unknown } = {} // of the body that the turn stands in
  let asked = 0
  let openQuestion: { id: string; call: string | undefined } | undefined
  const openCalls = new Map<string, string[]>() // wire id to the ids we tell, oldest first
  const used = new Map<string, number>()

  function callId(wire: string): string {
    const count = (used.get(wire) ?? 0) + 1
    if (used.size > 4096) used.clear()
    used.set(wire, count)
    return count === 1 ? wire : `~${wire}#${count}`
  }

  function openCall(wire: string): string {
    const id = callId(wire)
    const open = openCalls.get(wire)
    if (open === undefined) openCalls.set(wire, [id])
    else open.push(id)
    return id
  }

  /** A result belongs to the oldest call of its id. */
  function closeCall(wire: string): string {
    const open = openCalls.get(wire)
    if (open?.length === 1) openCalls.delete(wire)
    return open?.shift() ?? callId(wire)
  }

  /** Whoever was asked has answered when the stream goes on. `withdrawn`: how, it does not show. */
  function answer(decision: 'allow' | 'reject' | 'withdrawn'): void {
    if (openQuestion === undefined) return
    pen.emit('permission.answer', { id: openQuestion.id, decision, by: 'unknown' }, { call: openQuestion.call, synthetic: 'implied' })
    openQuestion = undefined
  }

  function endTurn(unfailing: 'end_turn' | 'cut', synthetic?: string): void {
    const error = failure === undefined ? undefined : faultOf(failure)
    const reason =
      failure === undefined ? unfailing : (reasonsTold.get(failure) ?? (failure.startsWith('max tokens: ') ? 'max_tokens' : 'error'))
    answer('withdrawn')
    pen.emit('turn.end', { reason, error, ...result }, { synthetic })
    result = {}
    openCalls.clear()
    lastFailure = failure
    failure = undefined
  }

  return {
    push(record: Rec, tag: string) {
      pen.common({ session })
      switch (tag) {
        case 'user_prompt': {
          const { text } = record as Wire<'user_prompt'>
          if (pen.openTurns() > 0) endTurn('cut', 'implied') // a loop that fails early leaves its done out
          pen.emit('turn.start', { trigger: 'prompt' })
          pen.emit('prompt.submit', { text, by: 'user', state: 'sent' })
          return
        }
        case bodyTag: {
          const { session_id: id, result: told, answer: text = told } = record as Wire<typeof bodyTag>
          if (pen.openTurns() > 0) endTurn('cut', 'implied')
          result = typeof text === 'string' ? { text } : text === undefined || text === null ? {} : { data: text }
          if (id !== undefined) session = id
          return
        }
        case 'assistant_delta':
          return pen.emit('text.delta', { text: (record as Wire<'assistant_delta'>).text })
        case 'assistant_message':
          return pen.emit('text.end', { text: (record as Wire<'assistant_message'>).text, streamed: pen.isStreaming('text.delta') })
        case 'assistant_thought_delta':
          return pen.emit('thought.delta', { text: (record as Wire<'assistant_thought_delta'>).text })
        case 'assistant_thought':
          return pen.emit('thought.end', { text: (record as Wire<'assistant_thought'>).text, streamed: pen.isStreaming('thought.delta') })
        case 'tool_call': {
          const { id, name, arguments: input } = record as Wire<'tool_call'>
          answer('allow')
          return pen.emit('tool.start', { name, toolKind: toolKindOf(name), input }, { call: openCall(id) })
        }
        case 'awaiting_input': {
          const { id, name, arguments: input } = record as Wire<'awaiting_input'>
          const call = id === undefined ? undefined : openCalls.get(id)?.[0]
          answer('allow')
          openQuestion = { id: `~ask-${++asked}`, call }
          return pen.emit('permission.request', { id: openQuestion.id, name, input, options: [] }, { call })
        }
        case 'tool_result': {
          const { id, result, status, duration_ms: durationMs } = record as Wire<'tool_result'>
          answer(status === 'ok' ? 'allow' : 'withdrawn') // a call that was made and failed looks like one that was refused
          const call = closeCall(id)
          const content = typeof result === 'string' ? { text: result } : { data: result }
          const error = status === 'error' ? faultOf(textOf(result)) : undefined
          return pen.emit('tool.end', { status, ...content, error, durationMs }, { call })
        }
        case 'error': {
          const { message } = record as Wire<'error'>
          if (pen.openTurns() === 0 && message === lastFailure) return pen.raw(tag, 'redundant') // told again after done
          answer(openCalls.size === 0 ? 'reject' : 'withdrawn') // the program asks before it tells the call, and fails on a no
          failure = message
          return pen.emit('error', { scope: 'turn', fatal: true, error: faultOf(message) })
        }
        case 'session_state': {
          const { session_id: id, transcript_len: length, resumed } = record as Wire<'session_state'>
          const how = resumed === undefined ? undefined : resumed ? 'resumed' : 'new'
          if (!pen.isStarted()) pen.common({ session: (session = id) }) // told first, as on HTTP: it names the whole stream
          return pen.emit('session.update', { native: id, length, how })
        }
        case 'context_notice':
          return pen.emit('context.trim', { why: 'trim', text: (record as Wire<'context_notice'>).message })
        case 'done':
          if (pen.openTurns() === 0 && pen.isStarted()) return pen.raw(tag, 'redundant')
          return endTurn('end_turn')
      }
    },
  }
}

/** Failures that are told in words of their own. */
const reasonsTold: ReadonlyMap<string, Reason> = new Map([
  ['max iterations reached', 'max_turns'],
  ['max tokens', 'max_tokens'],
])
