// The same calls again and again in one lane: one call, or up to four that take turns. Whoever tests, edits and tests again is not in
// a loop: the edits differ.
import { subjectOf } from './subject.ts'
import type { ToolKind } from '../model/vocabulary.ts'

const longestPeriod = 4
const longestSubject = 200
const mostDepth = 100

export type Call = {
  seq: number
  at: number | undefined
  name: string
  toolKind: ToolKind
  title: string | undefined
  input: unknown
  paths: readonly string[] | undefined
}

/** `length`: how many calls agree with the one a period before. */
type Run = { period: number; length: number; calls: Call[]; last: Call }

export type Repeats = {
  /** What goes round, once. */
  calls: { name: string; subject: string }[]
  times: number
  /** The first call and the last. */
  seqs: [number, number]
  from?: number | undefined
  to?: number | undefined
  over: boolean
}

const none: readonly Repeats[] = []

/** Tells of a loop when it has gone round so many times, and once more when it is over. */
export function createRepeats(times: number) {
  let past: Call[] = [] // the last ones, the newest first
  let runs: (Run | undefined)[] = []
  let loop: Run | undefined

  function find(call: Call): Repeats | undefined {
    for (let period = 1; period <= longestPeriod; period++) {
      const before = past[period - 1]
      if (before === undefined || !isSameCall(before, call)) {
        runs[period] = undefined
        continue
      }
      const run = (runs[period] ??= { period, length: 0, calls: past.slice(0, period).toReversed(), last: call })
      run.length++
      run.last = call
      if (run.length >= period * (times - 1)) loop ??= run
    }
    return loop && told(loop, false)
  }

  return {
    see(call: Call): readonly Repeats[] {
      let found = none
      if (loop !== undefined && isSameCall(past[loop.period - 1]!, call)) {
        loop.length++
        loop.last = call
      } else {
        if (loop !== undefined) found = [told(loop, true)]
        if (loop !== undefined) runs = []
        loop = undefined
        const fresh = find(call)
        if (fresh !== undefined) found = [...found, fresh]
      }
      for (let at = Math.min(past.length, longestPeriod - 1); at > 0; at--) past[at] = past[at - 1]! // unshift leaves compiled code
      past[0] = call
      return found
    },
    /** What was open is over. */
    end(): readonly Repeats[] {
      const over = loop === undefined ? none : [told(loop, true)]
      past = []
      runs = []
      loop = undefined
      return over
    },
  }
}

const told = ({ period, length, calls, last }: Run, over: boolean): Repeats => ({
  calls: calls.map((call) => ({ name: call.name, subject: subjectOf(call).slice(0, longestSubject) })),
  times: Math.floor(length / period) + 1,
  seqs: [calls[0]!.seq, last.seq],
  from: calls[0]!.at,
  to: last.at,
  over,
})

const isSameCall = (a: Call, b: Call): boolean =>
  a.name === b.name && (a.input === undefined ? b.input === undefined && a.title === b.title : isSame(a.input, b.input, 0))

/** Two JSON values. Most differ soon. */
function isSame(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > mostDepth) return false
  const keys = Object.keys(a)
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false
  return keys.every(
    (key) => Object.hasOwn(b, key) && isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], depth + 1),
  )
}
