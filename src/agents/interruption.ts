// Turns that somebody stops: when a step of the model is over, and how the turn really ended, whatever the agent calls it.
import type { Event, EventOf } from '../model/event.ts'
import type { Talk } from './driver.ts'
import type { Cancel } from './outcome.ts'
import type { Progress } from './progress.ts'

type InterruptionParts = { progress: Progress; isBusy(): boolean; talk(): Talk }

export function createInterruption({ progress, isBusy, talk }: InterruptionParts) {
  let broken: Cancel['when'] // we have interrupted the turn; `step`: after its last step
  let wasStopped = false

  return {
    stopTurn({ target, when = 'now' }: Cancel): void {
      if (isBusy()) talk().interrupt()
      // Not of a turn whose end it has told already: that may still be on its way here.
      if (target === 'session' || progress.isTurnOpen()) queueMicrotask(() => (broken ??= when))
    },
    /** A turn that goes on without what it asked for does not come to its own end. */
    breakTurn: (): void => void (broken = 'now'),
    /**
     * Some agents call it a failure that they were interrupted, others an end like any other, above all when a question of theirs was
     * withdrawn with it. After its last step a turn may well have come to its end.
     */
    correct(end: EventOf<'turn.end'>): void {
      if (broken === 'now' || (broken === 'step' && end.reason === 'error')) end.reason = 'cancelled'
      broken = undefined
    },
    /** The model may be called again after it, or the next prompt be taken up. */
    isStep({ kind, agent }: Event): boolean {
      if (kind === 'turn.end') return agent === undefined
      return (kind === 'message.end' || kind === 'tool.end') && progress.openCalls(agent) === 0 && progress.openCalls() === 0
    },
    /** It waits for the end of a step. Where the agent does not tell its answers, to wait is to pay for all that follow. */
    waits({ when, reason }: Cancel): boolean {
      const isStepless = reason === 'budget' && !progress.hasMessages() && progress.openCalls() === 0
      return when === 'step' && isBusy() && !isStepless
    },
    /** Somebody stopped a turn, or refused what it asked for. */
    note: (): void => void (wasStopped = true),
    wasStopped: (): boolean => wasStopped,
  }
}
