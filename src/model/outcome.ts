// What really happened, whatever the agent called it. Every writer, view and digest asks these functions.
import type { EventOf } from './event.ts'
import type { Reason } from './vocabulary.ts'

export type Outcome = 'ok' | 'failed' | 'cancelled'

const good: ReadonlySet<string> = new Set<Reason>(['end_turn', 'stop_sequence', 'exit', 'max_iterations'])

export function outcomeOf(reason: Reason): Outcome {
  if (good.has(reason)) return 'ok'
  return reason === 'cancelled' || reason === 'cancelled_forced' ? 'cancelled' : 'failed'
}

/** A command that ran and left with a code other than 0 has failed, also when its agent says it went well. */
export const toolFailed = (end: Pick<EventOf<'tool.end'>, 'status' | 'exitCode'>): boolean =>
  end.status !== 'ok' || (end.exitCode !== undefined && end.exitCode !== 0)
