// An event as its line of JSON, in bytes. Several write the same event one after another, and to make its line costs more than all else
// that they do with it: it is made once.
import { pieceValue, type PieceValue, type Template } from '../base/pieces.ts'
import { createJsonLines, type Line } from '../files/json-line.ts'
import type { Event } from '../model/event.ts'
import type { Pieces } from '../model/pieces.ts'

const { line } = createJsonLines()
let last: Event | undefined
let lastSeq = 0 // it had when its line was made: a stream that takes it over numbers it anew
let made: Line | undefined

/**
 * Valid until that of the next event is asked for. For events that have their place in a stream: nothing but their number may change any
 * more. `seq`: another number than its own.
 */
export function lineOf(event: Event, seq = event.seq): Line {
  if (made !== undefined && event === last && seq === lastSeq) return made
  last = event
  lastSeq = seq
  return (made = line(seq === event.seq ? event : { ...event, seq }, event.kind))
}

// ── pieces ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Stands in a template for the text of a piece. */
export const textMark = '-- text --'
// Numbers that events hardly ever have.
const mark = {
  seq: Number.MAX_SAFE_INTEGER,
  record: Number.MAX_SAFE_INTEGER - 1,
  offset: Number.MAX_SAFE_INTEGER - 2,
  length: Number.MAX_SAFE_INTEGER - 3,
  line: Number.MAX_SAFE_INTEGER - 4,
}
const templates = createJsonLines(
  new Map<unknown, PieceValue>([
    [textMark, pieceValue.text],
    [mark.seq, pieceValue.number],
    [mark.record, pieceValue.record],
    [mark.offset, pieceValue.offset],
    [mark.length, pieceValue.length],
    [mark.line, pieceValue.line],
  ]),
)

let templated: Pieces | undefined
let template: Template
let linesFrom = 0 // the number of the first
let lines: Uint8Array | undefined

/** The line of one of these events. */
export function templateOf(pieces: Pieces): Template {
  if (pieces !== templated) {
    const { joined } = pieces
    const { record, offset, length } = mark
    const origin = { ...joined.origin, record, offset, length, line: joined.origin?.line && mark.line }
    const { text: line } = templates.line({ ...joined, seq: mark.seq, origin, text: textMark }, joined.kind)
    template = { line, holes: templates.places() }
    templated = pieces
    linesFrom = 0
  }
  return template
}

/** The lines of all, each with its end. Valid until those of other pieces are asked for. Undefined: they are to be written one by one. */
export function linesOf(pieces: Pieces, seq = pieces.joined.seq): Uint8Array | undefined {
  const made = templateOf(pieces)
  if (linesFrom === seq) return lines
  linesFrom = seq
  return (lines = pieces.write(made, seq))
}
