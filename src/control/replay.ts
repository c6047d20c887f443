// A run's own events in the log, by their number: each is a line, and the lines are in order. Where some of them lie is remembered, so
// that nobody need read a long log from its start.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { isRecord, parseJson, stringifyJson } from '../base/json.ts'

/** `start`: bytes that were in the file before the run; a session that goes on has had others. */
export type LogPlace = { path: string; start: number }

/** Whole lines, the first of which is the event of that number. Their bytes, one a character: most are passed on as they are. */
export type Piece = { first: number; lines: string[] }

/** Undefined when the file holds nothing more, for now. */
export type Cursor = { read(): Piece | undefined }

export type Replay = {
  /** All up to this event are in the file. */
  mark(seq: number): void
  /** From the event after that one on. */
  cursor(after: number): Cursor
  /** What comes after this event is in another file. */
  follow(log: LogPlace, after: number): void
  close(): void
}

const blockSize = 1 << 16
const mostMarks = 1024

export function openReplay(log: LogPlace): Replay {
  const files = [openFile(log, 0)]
  return {
    mark: (seq) => files.at(-1)!.mark(seq),
    follow: (next, after) => void files.push(openFile(next, after)),
    cursor(after) {
      let index = files.findLastIndex(({ before }) => before <= after)
      let cursor = files[index]!.cursor(after)
      return {
        read() {
          for (;;) {
            const piece = cursor.read()
            if (piece !== undefined || index === files.length - 1) return piece
            const next = files[++index]!
            cursor = next.cursor(next.before)
          }
        },
      }
    },
    close: () => files.forEach((file) => file.close()),
  }
}

type File = Omit<Replay, 'follow'> & { before: number }

/** `before`: the number of the last event that is not in it. */
function openFile({ path, start }: LogPlace, before: number): File {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  let block = Buffer.allocUnsafeSlow(blockSize)
  let marks = [{ seq: before, offset: start }]
  const isCounted = start === 0 && before === 0
  let apart = 1024 // events from one mark to the next

  /** Whole lines from a place on. */
  function linesAt(offset: number): Buffer | undefined {
    for (;;) {
      const size = readSync(fd, block, 0, block.length, offset)
      const end = block.subarray(0, size).lastIndexOf(0x0a)
      if (end !== -1) return block.subarray(0, end + 1)
      if (size < block.length) return undefined
      block = Buffer.allocUnsafeSlow(block.length * 2) // a line that is longer than the block
    }
  }

  return {
    before,
    mark(seq) {
      if (seq - marks.at(-1)!.seq < apart) return
      marks.push({ seq, offset: fstatSync(fd).size })
      if (marks.length < mostMarks) return
      marks = marks.filter((_, index) => index % 2 === 0)
      apart *= 2
    },
    cursor(after) {
      let { seq, offset } = marks.findLast((mark) => mark.seq <= after)!
      return {
        read() {
          for (;;) {
            const bytes = linesAt(offset)
            if (bytes === undefined) return undefined
            const all = bytes.toString('latin1', 0, bytes.length - 1).split('\n')
            offset += bytes.length
            if (block.length > blockSize) block = Buffer.allocUnsafeSlow(blockSize)
            const first = Math.max(seq, after) + 1
            const lines = all.slice(first - seq - 1)
            seq += all.length
            if (lines.length > 0) return { first, lines: isCounted ? lines : lines.map((line, index) => renumbered(line, first + index)) }
          }
        },
      }
    },
    close: () => closeSync(fd),
  }
}

const head = /^\{"v":\d+,"seq":\d+/

/** In the log a session goes on counting; in its stream a run counts from 1. */
function renumbered(line: string, seq: number): string {
  if (head.test(line)) return line.replace(head, (text) => `${text.slice(0, text.lastIndexOf(':') + 1)}${seq}`)
  const event = parseJson(line)
  return stringifyJson(isRecord(event) ? { ...event, seq } : event)
}
