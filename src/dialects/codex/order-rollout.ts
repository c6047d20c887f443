// Rollout files. One may follow another; a forked one begins with a copy of the file that it came from, in which turns may lack an end.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Part } from './order.ts'

const mostCalls = 4096

export function createRolloutOrder(): Part {
  let head: { id: string; forkedFrom: string | undefined } | undefined
  let complained = false
  let turn: string | undefined
  let begins = false // the file tells how turns begin; older ones tell only that one was aborted
  let ordinal: number | undefined
  let at: unknown
  const calls = new Map<string, boolean>() // true while the call has no output

  const aborted = (): Rec => ({
    timestamp: at,
    ...(ordinal === undefined ? {} : { ordinal: ++ordinal }),
    type: 'event_msg',
    payload: { type: 'turn_aborted', turn_id: turn === '' ? undefined : turn, reason: 'interrupted' },
  })

  return {
    push(record, tag, breaks) {
      const payload = record['payload'] as Rec
      at = record['timestamp'] ?? at
      if (tag === 'session_meta') {
        const { id, forked_from_id: from } = payload as { id: string; forked_from_id?: string | null }
        if (head?.forkedFrom === id) return
        if (turn !== undefined) breaks('missing-end', 'another file begins inside a turn')
        head = { id, forkedFrom: from ?? undefined }
        turn = ordinal = undefined
        begins = false
        calls.clear()
      } else if (head === undefined && !complained) {
        complained = true
        breaks('thread-first', `${tag} before session_meta`)
      }
      const number = record['ordinal']
      if (typeof number === 'number') {
        if (ordinal !== undefined && number <= ordinal) breaks('ordinal', `ordinal ${number} after ${ordinal}`)
        ordinal = number
      }
      switch (tag) {
        case 'event_msg/task_started':
        case 'event_msg/turn_started':
          if (turn !== undefined && head?.forkedFrom === undefined) breaks('turn-pair', `${tag} while a turn is open`)
          begins = true
          turn = typeof payload['turn_id'] === 'string' ? payload['turn_id'] : ''
          return
        case 'event_msg/task_complete':
        case 'event_msg/turn_complete':
        case 'event_msg/turn_aborted':
          if (turn === undefined && (begins || tag !== 'event_msg/turn_aborted')) breaks('turn-pair', `${tag}, but no turn is open`)
          turn = undefined
          for (const [call, open] of calls) if (!open) calls.delete(call)
          return
        case 'response_item/function_call':
        case 'response_item/custom_tool_call':
        case 'response_item/local_shell_call':
          if (typeof payload['call_id'] !== 'string') return
          calls.delete(payload['call_id'])
          calls.set(payload['call_id'], true)
          if (calls.size > mostCalls) calls.delete(calls.keys().next().value!)
          return
        case 'response_item/function_call_output':
        case 'response_item/custom_tool_call_output': {
          const call = payload['call_id'] as string
          if (calls.get(call) !== true)
            breaks('call-first', `output of ${quoted(call)}, which ${calls.has(call) ? 'has one already' : 'was not called'}`)
          calls.set(call, false)
        }
      }
    },
    end(breaks) {
      if (turn !== undefined) breaks('missing-end', 'the file ends inside a turn')
    },
    missing(next, tag) {
      const isStart = tag === 'event_msg/task_started' || tag === 'event_msg/turn_started' || tag === 'session_meta'
      return turn !== undefined && (next === undefined || (isStart && head?.forkedFrom === undefined)) ? [aborted()] : []
    },
  }
}
