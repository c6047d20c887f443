// Lines that differ from the last of their mould in nothing but a text, in AssemblyScript: `src/base/pieces.ts` is the other half and tells
// what this is for. It works in the memory of wasm/moulds.ts, behind the moulds.
import { copyText, hasEscape, isWide, same, textEnd, unescapeTo } from './json'
import { isBreak, lastCap, lasts, mouldSize, moulds, segments } from './layout'

// The layout, known to src/base/pieces.ts too.
const pieces: i32 = 0x310000 // where the line begins and ends, where its text does, where that ends in `joined`: in characters, in bytes
const holesOf: i32 = 0x312000 // of a template: where it begins and ends, and what belongs there
const joined: i32 = 0x314000 // their texts, one behind the other
const template: i32 = 0x324000 // a line to be written for each
const lines: i32 = 0x330000 // written, in one of two rooms
const linesRoom: i32 = 0x40000

const mostPieces: i32 = 128
const longestPiece: i32 = 256

/**
 * How many lines from `start` on are like the last one of that mould but for a text in each of two holes: one that is told, spelled as
 * JSON.stringify does, and one that says nothing.
 */
export function alike(index: i32, start: i32, end: i32, told: i32, silent: i32): i32 {
  const mould = moulds + index * mouldSize
  let line = start
  let to = joined
  let characters: i32 = 0
  let piece = pieces
  while (piece < pieces + mostPieces * 32) {
    const stop = pieceAt(mould, line, end, told, silent)
    if (stop === -1) break
    const size = isSpelled ? unescapeTo(textFrom, textTo, to) : copyText(textFrom, textTo, to)
    if (size < 0) break
    characters += isMore ? charactersIn(to, to + size) : size
    to += size
    store<i32>(piece, line)
    store<i32>(piece, stop, 4)
    store<i32>(piece, textFrom, 8)
    store<i32>(piece, textTo, 12)
    store<i32>(piece, characters, 16)
    store<i32>(piece, to - joined, 20)
    piece += 32
    line = stop + (load<u8>(stop) === 13 ? 2 : 1)
  }
  const count = (piece - pieces) >> 5
  store<i32>(mould, load<i32>(mould, 8) + count, 8)
  return count
}

let textFrom: i32 = 0
let textTo: i32 = 0
let isSpelled: bool = false // with escapes
let isMore: bool = false // than ASCII

/** As JavaScript counts them: a character of four bytes is two. */
function charactersIn(start: i32, end: i32): i32 {
  let count: i32 = 0
  for (let at = start; at < end; at += 16) {
    const bytes = v128.load(at)
    const ours = end - at < 16 ? (1 << (end - at)) - 1 : 0xffff
    const begin = i8x16.bitmask(i8x16.gt_s(bytes, i8x16.splat(-65)))
    const long = i8x16.bitmask(i8x16.ge_u(bytes, i8x16.splat(<i8>0xf0)))
    count += popcnt(begin & ours) + popcnt(long & ours)
  }
  return count
}

/** Where such a line ends, or -1. */
function pieceAt(mould: i32, start: i32, end: i32, told: i32, silent: i32): i32 {
  const holes = load<i32>(mould)
  let at = start
  let segment = mould + segments
  let last = mould + lasts
  for (let hole: i32 = 0; hole < holes; hole++) {
    const size = load<i32>(segment, 4)
    if (!same(at, mould + load<i32>(segment), size)) return -1
    at += size
    if (hole === told || hole === silent) {
      const stop = textEnd(at)
      if (stop < 0 || stop >= end) return -1
      if (hole === told) {
        if (stop === at || stop - at > longestPiece) return -1
        textFrom = at
        textTo = stop
        isSpelled = hasEscape
        isMore = isWide
      }
      at = stop
    } else {
      const length = load<i32>(last)
      if (length < 0 || length > lastCap || !same(at, last + 4, length)) return -1
      at += length
    }
    segment += 12
    last += 4 + lastCap
  }
  const size = load<i32>(segment, 4)
  if (!same(at, mould + load<i32>(segment), size)) return -1
  at += size
  return isBreak(at, end) ? at : -1
}

/** What belongs in a hole of a template. */
const pieceText: i32 = 0
const pieceNumber: i32 = 1
const pieceRecord: i32 = 2
const pieceOffset: i32 = 3
const pieceLine: i32 = 5

/** Writes the template once for each of the first `count` pieces. `number`, `record`, `offset`, `line`: of the first. Returns how long that is. */
export function write(room: i32, count: i32, size: i32, holes: i32, number: f64, record: f64, offset: f64, line: f64): i32 {
  const first = load<i32>(pieces)
  const start = lines + room * linesRoom
  let out = start
  for (let index: i32 = 0; index < count; index++) {
    const piece = pieces + (index << 5)
    const begin = load<i32>(piece)
    let from = template
    for (let hole = holesOf; hole < holesOf + holes * 12; hole += 12) {
      const upTo = template + load<i32>(hole)
      out += copyText(from, upTo, out)
      from = template + load<i32>(hole, 4)
      const what = load<i32>(hole, 8)
      if (what === pieceText) out += copyText(load<i32>(piece, 8), load<i32>(piece, 12), out)
      else if (what === pieceNumber) out = digits(out, <i64>number + index)
      else if (what === pieceRecord) out = digits(out, <i64>record + index)
      else if (what === pieceOffset) out = digits(out, <i64>offset + (begin - first))
      else if (what === pieceLine) out = digits(out, <i64>line + index)
      else out = digits(out, load<i32>(piece, 4) - begin)
    }
    out += copyText(from, template + size, out)
  }
  return out - start
}

/** Behind the number that is written here. */
function digits(at: i32, value: i64): i32 {
  let end = at + 1
  for (let rest = value / 10; rest > 0; rest /= 10) end++
  let rest = value
  for (let place = end - 1; place >= at; place--) {
    const tenth = rest / 10
    store<u8>(place, 48 + <i32>(rest - tenth * 10))
    rest = tenth
  }
  return end
}
