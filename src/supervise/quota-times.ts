// When a limit resets, from the words of an error: a span, a time of day, a date, a number of seconds. What cannot be read is absent.

/** The name of a time zone, as `Europe/Berlin`: that of times which do not say theirs. */
export type Zone = () => string

const longest = 4000 // so much of a text is looked at
const behindMs = 10 * 60_000 // a time of day that is only just over is not tomorrow's
const dayMs = 86_400_000
const farthestMs = 400 * dayMs

/** Words after which a time may stand, and those that may stand between. */
const openings = /\b(?:try again|retry(?:ing)?|resets?|wait(?:ing)?|available again)\b/gi
const between = /[\s:]*(?:will|be|at|in|on|for|after|until|about|approximately|again|your|the|next)\b\s*/iy

/** Milliseconds since the epoch. */
export function resetIn(text: string, now: number, zone: Zone): number | undefined {
  const head = text.slice(0, longest)
  const stamp = /\b(?:limit reached|reset)[^|\n]{0,40}\|(\d{10}|\d{13})\b/i.exec(head)
  if (stamp !== null) return sane(epochOf(Number(stamp[1])), now)
  for (const { index, 0: word } of head.matchAll(openings)) {
    const rest = head.slice(behind(head, index + word.length)).trimStart()
    const time = sane(timeAt(rest, now, zone), now)
    if (time !== undefined) return time
  }
  return keyed(head, now)
}

function behind(text: string, from: number): number {
  let at = from
  for (let count = 0; count < 4; count++) {
    between.lastIndex = at
    if (!between.test(text)) break
    at = between.lastIndex
  }
  return at
}

/** A date that is long over, or years ahead, is a mistake of whoever wrote it, or of ours. */
export const sane = (time: number | undefined, now: number): number | undefined =>
  time !== undefined && time > now - dayMs && time < now + farthestMs ? time : undefined

/** Programs tell seconds or milliseconds since the epoch. */
export const epochOf = (value: number): number => (value < 1e11 ? value * 1000 : value)

/** What the body of an answer says, quoted and escaped as it may be in an error's text. */
function keyed(text: string, now: number): number | undefined {
  const delay = /\b(?:retryDelay|quotaResetDelay)\W{1,12}([\d.]+(?:ms|[dhms])[\d.dhms]{0,30})/i.exec(text)?.[1]
  if (delay !== undefined) return after(spanAt(delay), now)
  const seconds = /\bresets_in_seconds\W{1,8}(\d{1,9})\b/i.exec(text)?.[1]
  if (seconds !== undefined) return sane(now + Number(seconds) * 1000, now)
  const stamp = /\b(?:resets_at|x-ratelimit-reset)\W{1,12}(\d{10}|\d{13})\b/i.exec(text)?.[1]
  return stamp === undefined ? undefined : sane(epochOf(Number(stamp)), now)
}

const after = (ms: number | undefined, now: number): number | undefined => (ms === undefined ? undefined : now + ms)

function timeAt(text: string, now: number, zone: Zone): number | undefined {
  const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(text)
  if (iso !== null) return Date.parse(iso[0])
  return after(spanAt(text), now) ?? clockAt(text, now, zone)
}

// ── spans ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const part =
  /(\d{1,9}(?:\.\d{1,12})?) ?(ms|milliseconds?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)(?![a-z])(?:,? (?:and )?)?/iy
const units: readonly (readonly [RegExp, number])[] = [
  [/^(ms|milli)/i, 1],
  [/^d/i, dayMs],
  [/^h/i, 3_600_000],
  [/^m/i, 60_000],
  [/^s/i, 1000],
]

/** `2 days 3 hours 5 minutes`, `3h20m5s`, `34.07s`, `less than a minute`; milliseconds. */
export function spanAt(text: string): number | undefined {
  if (/^(less than )?(a|one) minute\b/i.test(text)) return 60_000
  if (/^(an|one) hour\b/i.test(text)) return 3_600_000
  let total: number | undefined
  let at = 0
  for (;;) {
    part.lastIndex = at
    const found = part.exec(text)
    if (found === null) return total
    total = (total ?? 0) + Number(found[1]) * units.find(([unit]) => unit.test(found[2]!))![1]
    at = part.lastIndex
  }
}

// ── times of day ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const dateWords = /^([a-z]{3})[a-z]{0,6}\.? (\d{1,2})(?:st|nd|rd|th)?\b(?:,? (\d{4})\b)?(?:,? at|,)?\s*/i
const timeWords = /^(\d{1,2})(?::(\d\d))?(?::\d\d)?\s?([ap])\.?m\b|^(\d{1,2}):(\d\d)\b/i
const zoneWords = /^(?::\d\d)?\s*(?:\(([A-Za-z0-9_+/-]{1,40})\)|(UTC|GMT)\b)/

type Wall = { year: number; month: number; day: number; hour: number; minute: number }

/** `3pm`, `12:50am (America/Los_Angeles)`, `Mar 17, 2030, 5:46pm (UTC)`, `May 11th, 2026 1:36 PM`, `Aug 18`: the next such moment. */
function clockAt(text: string, now: number, zone: Zone): number | undefined {
  const date = dateWords.exec(text)
  const month = date === null ? -1 : months.indexOf(date[1]!.toLowerCase())
  if (date !== null && month < 0) return undefined
  const rest = text.slice(date?.[0].length ?? 0)
  const time = timeWords.exec(rest)
  if (date === null && time === null) return undefined
  const named = zoneWords.exec(rest.slice(time?.[0].length ?? 0))
  const place = knownZone(named?.[1] ?? named?.[2]) ?? knownZone(zone()) ?? 'UTC'
  const clock = { hour: hourOf(time), minute: Number(time?.[2] ?? time?.[5] ?? 0) }
  if (clock.hour > 23 || clock.minute > 59) return undefined
  const today = wallOf(now, place)
  if (date === null) {
    const moment = momentOf({ ...today, ...clock }, place)
    return moment > now - behindMs ? moment : momentOf({ ...today, ...clock, day: today.day + 1 }, place)
  }
  const wall = { year: Number(date[3] ?? today.year), month, day: Number(date[2]), ...clock }
  const moment = momentOf(wall, place)
  return date[3] !== undefined || moment > now - dayMs ? moment : momentOf({ ...wall, year: wall.year + 1 }, place)
}

function hourOf(time: RegExpExecArray | null): number {
  if (time === null) return 0
  const [, twelve, , half, whole] = time
  if (twelve === undefined) return Number(whole)
  return Number(twelve) > 12 ? 24 : (Number(twelve) % 12) + (half!.toLowerCase() === 'p' ? 12 : 0)
}

function knownZone(name: string | undefined): string | undefined {
  try {
    return name === undefined ? undefined : new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** What a clock on the wall shows there; months are counted from 0. */
function wallOf(moment: number, timeZone: string): Wall {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const parts = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  return { year: parts['year']!, month: parts['month']! - 1, day: parts['day']!, hour: parts['hour']!, minute: parts['minute']! }
}

/** The moment at which a clock there shows this. The second look is for zones that change their offset just then. */
function momentOf(wall: Wall, timeZone: string): number {
  const shown = utcOf(wall)
  let moment = shown
  for (let look = 0; look < 2; look++) moment += shown - utcOf(wallOf(moment, timeZone))
  return moment
}

const utcOf = ({ year, month, day, hour, minute }: Wall): number => Date.UTC(year, month, day, hour, minute)
