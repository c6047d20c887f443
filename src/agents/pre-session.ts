// What an agent tells before it is known which of its sessions is ours. It waits until that is said: our session begins before all others.
import type { Event } from '../model/event.ts'
import { isAsk } from './ask.ts'

const mostEarly = 1000 // events

export type PreSessionParts = {
  /** It has still to say which session is ours. */
  isOpening(): boolean
  /** Ours, as the agent calls it, once that is known. */
  main(): string | undefined
  isCalled(name: string | undefined): boolean
  /** It will never say: all that it tells is of others, and ours begins without a word of it. */
  beginAlone(): void
}

export function createPreSession({ isOpening, main, isCalled, beginAlone }: PreSessionParts) {
  const early: Event[] = []

  return {
    hasAny: (): boolean => early.length > 0,
    /** True: they wait, from the first that names a session. A question cannot. */
    keeps(events: readonly Event[]): boolean {
      if (!isOpening() || early.length >= mostEarly || events.some(isAsk)) return false
      if (early.length === 0 && events.every(({ session }) => session === undefined)) return false
      early.push(...events)
      return true
    },
    /** With those that have waited, which wait no more. */
    before(events: readonly Event[]): readonly Event[] {
      if (early.length === 0) return events
      const all = [...early.splice(0), ...events]
      const start = all.findIndex(({ kind, session }) => kind === 'session.start' && isCalled(session))
      if (main() !== undefined) return start > 0 ? [all[start]!, ...all.toSpliced(start, 1)] : all
      if (!isOpening()) beginAlone()
      return all
    },
  }
}
