// One tracker for each session of a stream. Events of a run count for all its sessions, also for those that begin later.
import type { Event } from '../model/event.ts'
import { createTracker, isOfRun, type Snapshot, type Tracker, type TrackOptions } from './track.ts'

type Tracked = { tracker: Tracker; run: string | undefined; ended: boolean }
export type Trackers = {
  /** Whether the snapshot of some session is another one now. */
  observe(event: Event): boolean
  /** In the order in which the sessions were met. */
  snapshots(): Snapshot[]
}

const mostSessions = 1024
const mostRuns = 256

/** Of more than 1024 sessions those that are over, or else the oldest, are forgotten. */
export function createTrackers(options: TrackOptions = {}): Trackers {
  const sessions = new Map<string | undefined, Tracked>()
  const runs = new Map<string | undefined, Event[]>() // how each began, and what phase it is in

  function meet({ session, run }: Event): Tracked {
    if (sessions.size >= mostSessions) {
      const over = [...sessions].find(([, { ended }]) => ended)?.[0]
      sessions.delete(over ?? sessions.keys().next().value)
    }
    const tracked = { tracker: createTracker(session, options), run, ended: false }
    sessions.set(session, tracked)
    for (const event of (run === undefined ? undefined : runs.get(run)) ?? []) tracked.tracker.observe(event)
    return tracked
  }

  function observeRun(event: Event): boolean {
    const { run, kind } = event
    const before = kind === 'run.start' ? [] : (runs.get(run) ?? []).filter((one) => one.kind === 'run.start')
    runs.delete(run)
    if (kind !== 'run.end') runs.set(run, [...before, event])
    if (runs.size > mostRuns) runs.delete(runs.keys().next().value)
    let changed = false
    for (const tracked of sessions.values()) if (tracked.run === run && tracked.tracker.observe(event)) changed = true
    return changed
  }

  return {
    observe(event) {
      if (isOfRun(event)) return observeRun(event)
      let tracked = sessions.get(event.session)
      if (tracked === undefined) {
        if (event.session === undefined && event.kind !== 'session.start') return false // said of no session
        tracked = meet(event)
      }
      tracked.run = event.run ?? tracked.run
      if (event.kind === 'session.end') tracked.ended = true
      else if (event.kind === 'turn.start') tracked.ended = false
      return tracked.tracker.observe(event)
    },
    snapshots: () => [...sessions.values()].map(({ tracker }) => tracker.snapshot()),
  }
}
