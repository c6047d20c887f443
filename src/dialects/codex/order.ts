// The order of Codex's records, for each of its three forms. A host's words alone (the app-server's stdin) have no order of their own.
import type { Rec } from '../../base/json.ts'
import type { Order, Report } from '../contract.ts'
import { createExecOrder } from './order-exec.ts'
import { createRolloutOrder } from './order-rollout.ts'
import { createServerOrder } from './order-server.ts'
import { formOf, messageOf, ownTag } from './tag.ts'

export const rules = {
  'thread-first': 'thread.started stands before the turns of exec, session_meta before everything else in a rollout file.',
  'turn-pair': 'Turns of a thread do not overlap: each that starts ends once, and none ends that has not started.',
  'turn-first': 'Items stand inside a turn, from its start to its end.',
  'missing-end': 'Every turn that starts ends.',
  'item-once': 'An item is started once and completed once.',
  'item-first': 'An item is started before it is updated or streamed.',
  'request-first': 'serverRequest/resolved names a request of the agent that is open.',
  'call-first': 'A call stands before its output, and has one.',
  ordinal: 'ordinal rises from record to record.',
} as const

export type Breaks = (code: keyof typeof rules, text: string, severity?: 'error' | 'warn') => void

/** One form of the dialect. */
export type Part = {
  push(record: Rec, tag: string, breaks: Breaks): void
  end(breaks: Breaks): void
  /** For repair, before `next` or at the end. */
  missing(next: Rec | undefined, tag: string): Rec[]
}

export function order(): Order {
  const parts = { exec: createExecOrder(), server: createServerOrder(), rollout: createRolloutOrder() }
  let tell: Report // of the record that is being judged
  const breaks: Breaks = (code, text, severity = 'error') => tell({ code, severity, text })

  return {
    push(record, tag, report) {
      tell = report
      const own = ownTag(tag)
      const form = formOf(own)
      if (form !== 'server') return parts[form].push(record, own, breaks)
      parts.server.push(messageOf(record, tag), own, breaks)
      parts.server.wrap(own === tag ? undefined : record)
    },
    end(report) {
      tell = report
      for (const part of Object.values(parts)) part.end(breaks)
    },
    missing(next, tag) {
      if (next === undefined || tag === undefined) return Object.values(parts).flatMap((part) => part.missing(undefined, ''))
      return parts[formOf(ownTag(tag))].missing(messageOf(next, tag), ownTag(tag))
    },
  }
}
