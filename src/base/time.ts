// Times as programs write them, and the clock of a run.

/**
 * Milliseconds since the epoch that never go back: when the system's clock is set back, time goes on from where it was, so that no
 * duration is negative and no deadline moves away. When it is set forward, or the machine has slept, this one follows.
 */
export function createClock(wall: () => number = Date.now): () => number {
  let ahead = 0
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const at = wall()
    if (at + ahead < last) ahead = last - at
    return (last = at + ahead)
  }
}

// The day of the last time that was read: a stream has few days, and Date.parse costs as much as the rest of a record.
let day = '-'
let dayStart = Number.NaN

/** Milliseconds since the epoch, of an ISO time; undefined when it is none. */
export function timeOfIso(iso: unknown): number | undefined {
  if (typeof iso !== 'string') return undefined
  const ms = iso.length === 24 && iso.endsWith('Z') ? dayTime(iso) : Date.parse(iso)
  return Number.isNaN(ms) ? undefined : ms
}

/** `2026-11-15T19:59:49.578Z` */
function dayTime(iso: string): number {
  if (!iso.startsWith(day)) {
    day = iso.slice(0, 11)
    dayStart = Date.parse(`${day}00:00:00.000Z`)
  }
  const hours = digits(iso, 11, 2)
  const minutes = digits(iso, 14, 2)
  const seconds = digits(iso, 17, 2)
  const shaped = iso[13] === ':' && iso[16] === ':' && iso[19] === '.' && hours < 24 && minutes < 60 && seconds < 60
  return shaped ? dayStart + hours * 3_600_000 + minutes * 60_000 + seconds * 1000 + digits(iso, 20, 3) : Date.parse(iso)
}

// The minute of the last time that was written, for the same reason.
let minute = Number.NaN
let minuteText = ''

/** As Date's toISOString; undefined when a Date cannot hold it. */
export function isoOf(ms: number): string | undefined {
  if (!(Math.abs(ms) <= 8.64e15)) return undefined
  const whole = Math.trunc(ms)
  const start = Math.floor(whole / 60_000) * 60_000
  if (start !== minute) {
    minute = start
    minuteText = new Date(start).toISOString().slice(0, -7)
  }
  const rest = whole - start
  const second = Math.floor(rest / 1000)
  const tens = Math.floor(rest / 10) - second * 100
  return minuteText + (pairs[second]! + '.' + pairs[tens]! + ends[rest % 10]!) // the end is short, so that the whole is of two pieces only
}

const pairs = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, '0'))
const ends = Array.from({ length: 10 }, (_, digit) => `${digit}Z`)

function digits(text: string, at: number, count: number): number {
  let value = 0
  for (let end = at + count; at < end; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}
