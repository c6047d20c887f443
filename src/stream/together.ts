// Pieces of one text that came together, for a reader whose listener would rather have them as one (`together` of its options).
// A module of its own: most who read have no use for it, and need not load what finds them.
import { type Alike, pieceFinder, type PieceFinder, type PiecePaths } from '../base/pieces.ts'
import type { Event, Kind } from '../model/event.ts'
import { type Delta, isSample, type Pieces, piecesOf } from '../model/pieces.ts'

export type Together = {
  finder(paths: PiecePaths): PieceFinder
  /** Whether what this record told may be the first of several. */
  begins(events: readonly Event[]): boolean
  take(first: Event, alike: Alike): void
}

const joinable: ReadonlySet<string> = new Set<Kind>(['text.delta', 'thought.delta'])

/** In place of their events. */
export const together = (onPieces: (pieces: Pieces) => void): Together => ({
  finder: pieceFinder,
  begins: (events) => isSample(events, joinable),
  take: (first, alike) => onPieces(piecesOf(first as Delta, alike)), // `begins` has looked at its kind
})
