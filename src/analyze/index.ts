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
export { type Class, type Classifier, type ClassifierOptions, createClassifier, type Verdict } from './classify.ts'
export { createDigest, type Digest, type DigestOptions, type List, type SessionDigest } from './digest.ts'
export type { Change, Row } from './row.ts'
export { createTimeline } from './rows.ts'
export { compileRules, RulesError, type UserRules } from './rules.ts'
export { createStallFinder, type Stall, type StallOptions } from './stall.ts'
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
export { createUsage, type UsageOptions, type UsageReport } from './usage.ts'
