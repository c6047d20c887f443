// opencode's own store: one message a file in old versions, one a row of a SQLite database in new ones. Both hold the same JSON.
import { readFileSync } from 'node:fs'
import { isRecord } from '../base/json.ts'
import { type Book, toldNanos } from '../analyze/usage-book.ts'
import type { Tokens } from '../prices/price.ts'

type Placed = { id?: string; session?: string; at?: number }

export function readMessageFile(path: string, book: Book): void {
  enterMessage(readFileSync(path, 'utf8'), {}, book)
}

/** Tables of the two layouts; `session_message` also holds rows of other types. */
const queries = [
  'SELECT id, session_id AS session, data, time_created AS at FROM message',
  "SELECT id, session_id AS session, data, time_created AS at FROM session_message WHERE type = 'assistant'",
]

/** The number of tables that could be read. */
export async function readDatabase(path: string, book: Book): Promise<number> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path, { readOnly: true })
  let known = 0
  try {
    for (const query of queries) {
      let rows
      try {
        rows = database.prepare(query).iterate()
      } catch {
        continue // this version has no such table
      }
      known++
      for (const { id, session, data, at } of rows) {
        if (typeof id === 'string' && typeof session === 'string' && typeof data === 'string')
          enterMessage(data, { id, session, ...(typeof at === 'number' && { at }) }, book)
      }
    }
  } finally {
    database.close()
  }
  return known
}

function enterMessage(json: string, placed: Placed, book: Book): void {
  let message: unknown
  try {
    message = JSON.parse(json)
  } catch {
    return
  }
  if (!isRecord(message)) return
  const { tokens: told, cost, time, model, path } = message
  const session = placed.session ?? textOf(message['sessionID'])
  if (!isRecord(told) || session === undefined) return
  const used = isRecord(model) ? model : message
  const cache = isRecord(told['cache']) ? told['cache'] : {}
  const tokens: Tokens = {
    input: countOf(told['input']),
    output: countOf(told['output']),
    reasoning: countOf(told['reasoning']),
    cacheRead: countOf(cache['read']),
    cacheWrite: countOf(cache['write']),
  }
  const state = book.sessionOf(session)
  if (isRecord(path)) state.project ??= textOf(path['root']) ?? textOf(path['cwd'])
  book.message(state, {
    message: placed.id ?? textOf(message['id']),
    model: textOf(used['id'] === undefined || used === message ? used['modelID'] : used['id']),
    provider: textOf(used['providerID']),
    at: (isRecord(time) && typeof time['created'] === 'number' ? time['created'] : undefined) ?? placed.at,
    tokens,
    nanos: toldNanos(typeof cost === 'number' ? cost : undefined, tokens),
  })
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : undefined
