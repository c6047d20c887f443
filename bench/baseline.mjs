// The floor that everything is measured against: read 1 MiB blocks, split at newlines in one reused buffer, JSON.parse each line,
// keep nothing. As a program it prints the number of lines, so that the work cannot be skipped.
// Plain JavaScript on purpose: stripping types costs 70 ms of start, which would flatter every ratio.
import { closeSync, openSync, readSync } from 'node:fs'

const BLOCK = 1 << 20
const NEWLINE = 10

/** @param {string} path */
export function parseFile(path) {
  const file = openSync(path, 'r')
  let buffer = Buffer.allocUnsafe(2 * BLOCK)
  let filled = 0
  let lines = 0
  for (;;) {
    if (buffer.length - filled < BLOCK) {
      const larger = Buffer.allocUnsafe(buffer.length * 2)
      buffer.copy(larger, 0, 0, filled)
      buffer = larger
    }
    const read = readSync(file, buffer, filled, BLOCK, null)
    if (read === 0) break
    // The view stops indexOf at the bytes that were read; behind them lie those of an earlier block.
    const view = buffer.subarray(0, filled + read)
    let start = 0
    for (let end = view.indexOf(NEWLINE, filled); end !== -1; end = view.indexOf(NEWLINE, start)) {
      JSON.parse(buffer.utf8Slice(start, end))
      lines += 1
      start = end + 1
    }
    buffer.copyWithin(0, start, view.length)
    filled = view.length - start
  }
  if (filled > 0) {
    JSON.parse(buffer.utf8Slice(0, filled))
    lines += 1
  }
  closeSync(file)
  return lines
}

if (import.meta.main) {
  let total = 0
  for (const path of process.argv.slice(2)) total += parseFile(path)
  process.stdout.write(`${total}\n`)
}
