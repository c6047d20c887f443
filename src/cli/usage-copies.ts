// Which sums were told before, in a copy of the stream. Messages have ids, but most sums of turns and sessions have none, and a session
// that is resumed may tell the same numbers again and mean others. So a sum is a copy only when its record has something that no other
// record has; where a dialect gives nothing of that kind (ACP, avenor, appctl), only whole files can be known as copies.
import { closeSync, openSync, readSync } from 'node:fs'
import { isRecord, type Rec } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import type { Log } from './usage-find.ts'

/** By dialect: what tells a record from all others. */
const marks: Readonly<Record<string, (record: Rec) => string | undefined>> = {
  claude: (record) => (record['type'] === 'cost-state' ? markOfSum(record) : textOf(record['uuid'])),
  copilot: ({ id }) => textOf(id),
  opencode: ({ id }) => textOf(id),
  // A time, to the millisecond, and all else the same.
  gemini: (record) => (textOf(record['timestamp']) === undefined ? undefined : JSON.stringify(record)),
  aictrl: (record) => (typeof record['timestamp'] === 'number' ? JSON.stringify(record) : undefined),
  sluice: ({ at, seq }) => (typeof at === 'number' ? `${at} ${String(seq)}` : undefined),
  codex: ({ method, params, timestamp, payload }) => {
    if (isRecord(payload)) return textOf(timestamp) && JSON.stringify([timestamp, payload])
    const { turnId, turn, tokenUsage } = isRecord(params) ? params : {}
    const id = turnId ?? (isRecord(turn) ? turn['id'] : undefined)
    return textOf(id) && JSON.stringify([method, id, tokenUsage])
  },
}

/** Of a `cost-state` in Claude's transcripts: how long the session has run, and since when. */
export const markOfSum = ({ startTime, totalDuration }: Rec): string | undefined =>
  typeof startTime === 'number' && typeof totalDuration === 'number' ? `${startTime} ${totalDuration}` : undefined

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const most = 1 << 20

export type Copies = ReturnType<typeof createCopies>

export function createCopies() {
  const told = new Set<string>()

  /** Whether a sum with this mark was told before. */
  function isKnown(dialect: string, session: string | undefined, mark: string): boolean {
    const key = `${dialect}\0${session ?? ''}\0${mark}`
    if (told.has(key)) return true
    if (told.size < most) told.add(key)
    return false
  }

  return {
    isKnown,
    /** Of a stream: whether the sums among these events were told before. */
    finder(dialect: string): (events: readonly Event[], record: Rec | undefined) => boolean {
      const markOf = Object.hasOwn(marks, dialect) ? marks[dialect] : undefined
      return (events, record) => {
        const sum = record && markOf && events.find(isSum)
        const mark = sum && markOf!(record)
        return mark !== undefined && isKnown(dialect, sum!.session, mark)
      }
    },
  }
}

/** What counts, and has no id of its own by which it counts once. */
export const isSum = (event: Event): boolean => {
  switch (event.kind) {
    case 'turn.end':
    case 'session.end':
    case 'usage.update':
      return event.usage !== undefined || event.cost !== undefined
    case 'message.start':
      return event.usage !== undefined && isUnnamed(event)
    case 'message.end':
      return (event.usage !== undefined || event.cost !== undefined) && isUnnamed(event)
    default:
      return false
  }
}

const isUnnamed = ({ message }: Event): boolean => message === undefined || message.startsWith('~')

// ── whole files ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Without the streams that have the same bytes as one before. Only files of one size need to be read for it. */
export async function withoutCopies(logs: readonly Log[]): Promise<Log[]> {
  const sizes = Map.groupBy(
    logs.filter(({ kind, size }) => kind === 'stream' && size > 0),
    ({ size }) => size,
  )
  const alike = [...sizes.values()].filter(({ length }) => length > 1)
  if (alike.length === 0) return [...logs]
  const { createHash } = await import('node:crypto')
  const copies = new Set<Log>()
  const block = Buffer.allocUnsafe(1 << 16)
  for (const group of alike) {
    const seen = new Set<string>()
    for (const log of group) {
      const hash = createHash('sha256')
      const sum = eachBlock(log.path, block, (bytes) => hash.update(bytes)) ? hash.digest('hex') : undefined
      if (sum === undefined) continue // whoever reads it says why not
      if (seen.has(sum)) copies.add(log)
      seen.add(sum)
    }
  }
  return logs.filter((log) => !copies.has(log))
}

/** False: it cannot be read. */
function eachBlock(path: string, block: Buffer, take: (bytes: Buffer) => void): boolean {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    for (let size = readSync(file, block); size > 0; size = readSync(file, block)) take(block.subarray(0, size))
    return true
  } catch {
    return false
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
