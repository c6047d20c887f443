// The usage in Claude's transcript files, without parsing all of them: most of their bytes are results of tools, which tell none, so
// only lines that can tell usage are parsed. Where a file is anything else than plain transcript lines, the decoder reads it.
import { timeOfIso } from '../base/time.ts'
import { isRecord, type Rec } from '../base/json.ts'
import { type Book, type Claim, toldNanos } from '../analyze/usage-book.ts'
import { nat, real, str, usageOfModel } from '../dialects/claude/values.ts'
import { addUsage } from '../model/usage.ts'
import type { Tokens } from '../prices/price.ts'
import { eachMarkedLine } from './usage-lines.ts'

/** What the lines of one message tell, or, without a message, the running total of a session. Plain data: it crosses from a worker. */
export type Row = Claim & { session: string }

/**
 * Takes the rows of one file after another. The sum at the end of a session knows its subagents, whose files may come later: whatever
 * stands behind a sum waits until all else is entered.
 */
export function createTranscripts(book: Book) {
  const waiting: Row[][] = []
  return {
    enter(rows: Row[]): void {
      const sum = rows.findIndex(({ message }) => message === undefined)
      for (const row of sum === -1 ? rows : rows.slice(0, sum)) enter(row, book)
      if (sum !== -1) waiting.push(rows.slice(sum))
    },
    end(): void {
      for (const row of waiting.splice(0).flat()) enter(row, book)
    },
  }
}

function enter(row: Row, book: Book): void {
  const session = book.sessionOf(row.session)
  session.project ??= row.project
  if (row.message !== undefined) book.message(session, row)
  else book.running(session, { nanos: row.nanos }, row.tokens, none)
}
const none = new Set<string>()

// ── lines ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Every count of tokens has such a key, and the sum of a session is of such a type: no program escapes the letters of its keys. A
 * short text that begins with a rare letter is found fastest.
 */
const marks = [Buffer.from('_tokens"'), Buffer.from('-state"')]

/** Thrown by a line that is not of a plain transcript. */
class Doubt extends Error {}

/** Undefined: in doubt. */
export function scanTranscript(path: string): Row[] | undefined {
  begin()
  try {
    eachMarkedLine(path, marks, takeLine)
  } catch (error) {
    if (error instanceof Doubt) return undefined
    throw error
  }
  return rows
}

function takeLine(bytes: Buffer, start: number, end: number, whole: boolean): void {
  const record = parsed(bytes.toString('latin1', start, end))
  if (isRecord(record)) take(record)
  else if (whole) throw new Doubt() // else it is the line that is being written
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Lines are read as Latin-1, which is faster and changes no structure; the few texts that are kept become UTF-8 again. */
function textOf(value: unknown): string | undefined {
  const text = str(value)
  return text === undefined || isAscii.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8')
}
const isAscii = /^[\0-\x7f]*$/

// ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Of the file at hand. Not in a closure for each file: the engine would optimise each anew.
let rows: Row[] = []
/** The message that is open in each lane: its first record tells all but its usage, which is that of the last. */
const open = new Map<string, Row>()
let last: Row | undefined

function begin(): void {
  rows = []
  open.clear()
  last = undefined
}

function take(record: Rec): void {
  const { type, message } = record
  if (type === 'result') throw new Doubt()
  if (type === 'cost-state') return sum(textOf(record['sessionId']), record)
  if (type !== 'assistant' || !isRecord(message)) return
  const { id, model, usage } = message
  if (!isRecord(usage) || model === '<synthetic>') return
  if ((record['session_id'] ?? record['agent_id'] ?? record['parent_tool_use_id'] ?? null) !== null) throw new Doubt()
  const agent = record['isSidechain'] === true ? textOf(record['agentId']) : undefined
  count(rowOf(textOf(record['sessionId']), agent, textOf(id), record, model), usage)
}

/** Claude counts thinking as output. Of what was written to the cache, a part may be kept for an hour, which costs more. */
function count({ tokens }: Row, usage: Rec): void {
  const { output_tokens_details: details, cache_creation: written } = usage
  const output = nat(usage['output_tokens'])
  tokens.input = nat(usage['input_tokens'])
  tokens.reasoning = isRecord(details) ? nat(details['thinking_tokens']) : undefined
  tokens.output = output === undefined ? undefined : Math.max(0, output - (tokens.reasoning ?? 0))
  tokens.cacheRead = nat(usage['cache_read_input_tokens'])
  tokens.cacheWrite = nat(usage['cache_creation_input_tokens'])
  tokens.cacheWriteLong = isRecord(written) ? nat(written['ephemeral_1h_input_tokens']) : undefined
}

/** The row of a message; its first record tells all but the usage. */
function rowOf(session = '', agent: string | undefined, id = '', record: Rec, model: unknown): Row {
  // Most records go on with the message of the one before.
  if (last !== undefined && last.message === id && last.session === session && last.agent === agent) return last
  if (session === '' || id === '') throw new Doubt()
  const lane = agent === undefined ? session : `${session}\0${agent}`
  last = open.get(lane)
  if (last?.message === id) return last
  last = {
    session: shared(session),
    agent,
    message: id,
    request: str(record['requestId']),
    model: shared(textOf(model)),
    project: shared(textOf(record['cwd'])),
    at: timeOfIso(record['timestamp']),
    tokens: {},
    nanos: toldNanos(real(record['costUSD']) || undefined, undefined),
    oneRequest: true,
  }
  rows.push(last)
  open.set(lane, last)
  return last
}

const texts = new Map<string, string>()
const mostTexts = 1024

/** The same text of many rows once: it stays in memory. */
function shared<Text extends string | undefined>(text: Text): Text {
  if (text === undefined) return text
  const known = texts.get(text)
  if (known !== undefined) return known as Text
  if (texts.size >= mostTexts) texts.clear()
  texts.set(text, text)
  return text
}

function sum(session: string | undefined, { modelUsage: models, totalCostUSD: usd }: Rec): void {
  if (!session) throw new Doubt()
  open.clear()
  last = undefined
  let tokens: Tokens = {}
  for (const entry of isRecord(models) ? Object.values(models) : []) if (isRecord(entry)) tokens = addUsage(tokens, usageOfModel(entry))
  rows.push({ session, tokens, nanos: toldNanos(real(usd), tokens) })
}
