// How the run of a spawned agent really ended, from all that is known of it: its last turn, its exit, and who stopped it. An agent's own
// word for it is one witness among them.
import type { Fault } from '../model/event.ts'
import { faultOf, notStarted } from '../model/fault.ts'
import { outcomeOf } from '../model/outcome.ts'
import type { Reason } from '../model/vocabulary.ts'
import type { Command } from '../supervise/contract.ts'
import type { TurnEnd } from './progress.ts'
import type { Exit } from './process/group.ts'

export type Cancel = Extract<Command, { type: 'cancel' }>

export type Story = {
  /** For people. */
  title: string
  /** Absent: it did not start, or nobody waited for its exit. */
  exit?: Exit | undefined
  /** Why it did not start. */
  noStart?: string | undefined
  turn: TurnEnd | undefined
  /** A turn is open, or a prompt was never taken up. */
  isUnfinished: boolean
  /** Somebody interrupted a turn, or refused what it asked for. */
  wasStopped?: boolean
  /** A prompt was taken back before the agent got it. */
  isTakenBack?: boolean
  /** We ended it, for it lived on after its work was done. */
  wasEnded: boolean
  /** We ended it in the middle of its work, and why. */
  abandoned?: Fault | undefined
  cancel: Cancel | undefined
  stderr: string
}

export type RunEnd = { reason: Reason; error?: Fault | undefined }

export function endOfRun(story: Story): RunEnd {
  const { noStart, turn, isUnfinished, cancel } = story
  if (noStart !== undefined && cancel === undefined) return { reason: 'error', error: faultOf(noStart, { code: notStarted }) }
  if (cancel !== undefined) return cancelled(cancel, isUnfinished ? undefined : turn)
  if (story.abandoned !== undefined && (isUnfinished || !story.wasEnded)) return { reason: 'error', error: story.abandoned }
  const exit = exitOf(story)
  if (isUnfinished || turn === undefined) return cutShort(story, exit)
  if (turn.reason === 'cancelled' && story.wasStopped !== true) return stoppedItself(story, exit)
  if (outcomeOf(turn.reason) !== 'ok' || exit === undefined) return { reason: turn.reason, error: turn.error }
  const text = `${story.title} said that it was done, and then ended ${exit.text}${lastWords(story)}`
  return { reason: 'error', error: faultOf(text, exit) }
}

/** Of an end that must be forced: the cause stays what it was, a wish is one that was not heeded. */
export const forcedReason = (cause: Cancel['reason'] = 'cancelled'): Cancel['reason'] =>
  cause === 'cancelled' ? 'cancelled_forced' : cause

/** Stops that count though the turn came to its end. */
const stands: ReadonlySet<Cancel['reason']> = new Set(['cancelled', 'cancelled_forced', 'blocked', 'error'])

/**
 * What was done before a policy could stop it is done; what had failed before anybody stopped it has failed. An agent that gives up says
 * so in a turn that looks like any other; and one whose question nobody answered has not done what it asked for, however soon it says that
 * it is done.
 */
function cancelled({ reason, text, code }: Cancel, turn: TurnEnd | undefined): RunEnd {
  if (turn !== undefined && turn.reason !== 'cancelled' && (!stands.has(reason) || turn.reason === 'error'))
    return { reason: turn.reason, error: turn.error }
  return { reason, error: faultOf(text ?? 'cancelled', { category: reason === 'timeout' ? 'timeout' : 'cancelled', code }) }
}

/** Killed from outside, some agents tidy up and call their turn cancelled. Only what somebody cancelled is. */
function stoppedItself(story: Story, exit: Bad | undefined): RunEnd {
  const text = `${story.title} called its turn cancelled though nobody had cancelled it${exit === undefined ? '' : `, and ended ${exit.text}`}`
  return { reason: 'error', error: faultOf(`${text}${lastWords(story)}`, { code: 'stopped', ...exit }) }
}

function cutShort(story: Story, exit: Bad | undefined): RunEnd {
  if (exit !== undefined) return { reason: 'error', error: faultOf(`${story.title} ended ${exit.text}${lastWords(story)}`, exit) }
  if (!story.isUnfinished) return { reason: story.isTakenBack === true ? 'cancelled' : 'end_turn' } // it was given nothing to do
  const text = `${story.title} ended before its turn did, with exit code 0${lastWords(story)}`
  return { reason: 'cut', error: faultOf(text, { code: '0' }) }
}

type Bad = { text: string; code: string; category?: 'oom' }

/** Undefined: it left as it should, or we made it leave. */
function exitOf({ exit, wasEnded, stderr }: Story): Bad | undefined {
  if (exit === undefined || wasEnded) return undefined
  const isOom = /heap out of memory|ENOMEM|out of memory/i.test(stderr) ? { category: 'oom' as const } : {}
  if (exit.signal !== null) return { text: `by ${exit.signal}`, code: exit.signal, ...isOom }
  if (exit.code === 0) return undefined
  return { text: `with exit code ${exit.code}`, code: String(exit.code), ...isOom }
}

const longestWords = 500

/** The end of stderr, where programs say why they give up. */
function lastWords({ stderr }: Story): string {
  const words = stderr.trim()
  if (words === '') return ''
  return `: ${words.length > longestWords ? `…${words.slice(-longestWords)}` : words}`
}
