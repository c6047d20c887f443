// The lines of a file that hold one of some marks, found in its bytes; all others are passed over at the speed of memory.
import { closeSync, openSync, readSync } from 'node:fs'

/** `whole`: a newline stands at `end`; without, the line may still be being written. */
export type TakeLine = (bytes: Buffer, start: number, end: number, whole: boolean) => void

const newline = 10
// Not at the very start of its memory, which lies 16 bytes behind that of a page: what the system copies there takes four times as long.
const usualRoom = Buffer.allocUnsafeSlow((1 << 18) + 64).subarray(64)

/** Each such line once, in order. The file is read into `room`, or where a line is longer, into a larger one. */
export function eachMarkedLine(path: string, marks: readonly Buffer[], take: TakeLine, room: Buffer = usualRoom): void {
  const file = openSync(path, 'r')
  let buffer = room
  let kept = 0
  try {
    for (;;) {
      if (kept === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
      const size = readSync(file, buffer, kept, buffer.length - kept, null)
      const filled = kept + size
      const end = size === 0 ? filled : buffer.lastIndexOf(newline, filled - 1) + 1
      if (end > 0) takeLines(buffer.subarray(0, end), marks, take)
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

function takeLines(bytes: Buffer, marks: readonly Buffer[], take: TakeLine): void {
  const places = marks.map((mark) => bytes.indexOf(mark))
  for (;;) {
    let place = -1
    for (const other of places) if (other !== -1 && (place === -1 || other < place)) place = other
    if (place === -1) return
    const close = bytes.indexOf(newline, place)
    const end = close === -1 ? bytes.length : close
    take(bytes, bytes.lastIndexOf(newline, place) + 1, end, close !== -1)
    if (close === -1) return
    for (let index = 0; index < places.length; index++)
      if (places[index] !== -1 && places[index]! < end) places[index] = bytes.indexOf(marks[index]!, end)
  }
}
