// The lines of a file that hold one of some marks, found in its bytes; all others are passed over at the speed of memory.
import { closeSync, openSync, readSync } from 'node:fs'

/** `whole`: a newline stands at `end`; without, the line may still be being written. */
export type TakeLine = (bytes: Buffer, start: number, end: number, whole: boolean) => void

const newline = 10
// Not at the very start of its memory, which lies 16 bytes behind that of a page: what the system copies there takes four times as long.
const usualRoom = Buffer.allocUnsafeSlow((1 << 18) + 64).subarray(64)

export type Line = { start: number; end: number }
/** Finds the next line with a mark, at or behind `from`, which is the start of the bytes or where the last one ended. */
export type FindLine = (bytes: Buffer, from: number, line: Line) => boolean

/** Each such line once, in order. The file is read into `room`, or where a line is longer, into a larger one. */
export function eachMarkedLine(path: string, find: FindLine, take: TakeLine, room: Buffer = usualRoom): void {
  const file = openSync(path, 'r')
  let buffer = room
  let kept = 0
  try {
    for (;;) {
      if (kept === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
      const size = readSync(file, buffer, kept, buffer.length - kept, null)
      const filled = kept + size
      const end = size === 0 ? filled : buffer.lastIndexOf(newline, filled - 1) + 1
      if (end > 0) takeLines(buffer.subarray(0, end), find, take)
      if (size === 0) return
      kept = filled - end
      if (kept < room.length) {
        buffer.copy(room, 0, end, filled)
        buffer = room
      } else buffer.copyWithin(0, end, filled)
    }
  } finally {
    closeSync(file)
  }
}

function takeLines(bytes: Buffer, find: FindLine, take: TakeLine): void {
  const line: Line = { start: 0, end: 0 }
  while (find(bytes, line.end, line)) {
    const whole = line.end < bytes.length
    take(bytes, line.start, line.end, whole)
    if (!whole) return
  }
}

/** A short mark that begins with a rare letter is found fastest. */
export function lineFinder(marks: readonly string[]): FindLine {
  const all = marks.map((mark) => Buffer.from(mark))
  const places = all.map(() => -1) // of each mark, the next one
  return (bytes, from, line) => {
    let first = -1
    for (const [index, mark] of all.entries()) {
      if (from === 0 || (places[index] !== -1 && places[index]! < from)) places[index] = bytes.indexOf(mark, from)
      const place = places[index]!
      if (place !== -1 && (first === -1 || place < first)) first = place
    }
    if (first === -1) return false
    const close = bytes.indexOf(newline, first)
    line.start = bytes.lastIndexOf(newline, first) + 1
    line.end = close === -1 ? bytes.length : close
    return true
  }
}
