/**
 * What a stream means: folds over the events of any dialect. Each takes events one by one and keeps no more than it needs, however
 * long the stream is.
 *
 * ```ts
 * import { read } from 'sluice'
 * import { createTracker } from 'sluice/analyze'
 *
 * const tracker = createTracker()
 * for (const event of read('{"event":"agent.status","session_id":"s","phase":"thinking"}\n'))
 *   if (tracker.observe(event)) console.log(tracker.snapshot().phase)
 * ```
 *
 * @module
 */
import type { Rec } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import type { Verdict } from './classify.ts'
import { createDigest as digestOf, type Digest, type DigestOptions } from './digest.ts'
import { createStallFinder, type Stall, type StallOptions } from './stall.ts'
import { createUsage as usageOf, type UsageFold, type UsageOptions } from './usage.ts'

export type { Rec } from '../base/json.ts'
export type { Event, EventOf, Kind } from '../model/event.ts'
export type { Priced, Pricer, Tokens } from '../prices/index.ts'
export { type Class, type Classifier, type ClassifierOptions, createClassifier, type Piece, type Verdict } from './classify.ts'
export type { List, SessionDigest } from './digest.ts'
export type { Change, Row } from './row.ts'
export { createTimeline, type Timeline } from './rows.ts'
export { compileRules, RulesError, type UserRules } from './rules.ts'
export {
  type AgentNode,
  createTracker,
  type Loop,
  type OpenRequest,
  type OpenTool,
  type Snapshot,
  type Tracker,
  type TrackOptions,
} from './track.ts'
export { createTrackers, type Trackers } from './trackers.ts'
export type { AgentUsage, Group, Grouping, Totals, Unpriced, UsageReport } from './usage.ts'
export { createStallFinder, type Digest, type DigestOptions, type Stall, type StallOptions, type UsageFold, type UsageOptions }

export type DigestFold = {
  /** The event's class, too. `record`: what the event was read from. */
  push(event: Event, record?: Rec): Verdict
  report(): Digest
}

export type StallFinder = ReturnType<typeof createStallFinder>

// What only the commands use of these two is not told.
export const createDigest: (options?: DigestOptions) => DigestFold = digestOf
export const createUsage: (options?: UsageOptions) => UsageFold = usageOf
