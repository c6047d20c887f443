// Times as programs write them.

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

function digits(text: string, at: number, count: number): number {
  let value = 0
  for (let end = at + count; at < end; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}
