// The usage in Claude's transcript files, without parsing all of them: most of their bytes are results of tools, which tell none, so
// only lines that can tell usage are read, and of those only what counts. Where a file is anything else than plain transcript lines,
// the decoder reads it.
import { timeOfIso } from '../base/time.ts'
import { utf8 } from '../base/bytes.ts'
import { isRecord, type Rec } from '../base/json.ts'
import { createPicker, type Picked } from './usage-pick.ts'
import { type Book, type Claim, toldNanos } from '../analyze/usage-book.ts'
import { nat, real, str, usageOfModel } from '../dialects/claude/values.ts'
import { addUsage } from '../model/usage.ts'
import type { Tokens } from '../prices/price.ts'
import { type Copies, markOfSum } from './usage-copies.ts'
import { eachMarkedLine } from './usage-lines.ts'

/** What the lines of one message tell, or, without a message, the running total of a session; `mark` tells it from all others. */
export type Row = Claim & { session: string; mark?: string | undefined }

/**
 * Takes the rows of one file after another. The sum at the end of a session knows its subagents, whose files may come later: whatever
 * stands behind a sum waits until all else is entered.
 */
export function createTranscripts(book: Book, copies: Copies) {
  const waiting: Row[][] = []
  const isCopy = ({ session, mark }: Row): boolean => mark !== undefined && copies.isKnown('claude', session, mark)
  return {
    enter(rows: Row[]): void {
      const sum = rows.findIndex(({ message }) => message === undefined)
      for (const row of sum === -1 ? rows : rows.slice(0, sum)) enter(row, book)
      if (sum !== -1) waiting.push(rows.slice(sum))
    },
    end(): void {
      for (const row of waiting.splice(0).flat()) if (!isCopy(row)) enter(row, book)
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

/** Every count of tokens has such a key, and the sum of a session is of such a type: no program escapes the letters of its keys. */
const marks = ['_tokens"', '-state"'] as const

/** Thrown by a line that is not of a plain transcript. */
class Doubt extends Error {}

/** Undefined: in doubt. */
export function scanTranscript(path: string): Row[] | undefined {
  begin()
  try {
    eachMarkedLine(path, find, takeLine, room)
  } catch (error) {
    if (error instanceof Doubt) return undefined
    throw error
  }
  return rows
}

const wanted = {
  type: 'type',
  session: 'sessionId',
  agent: 'agentId',
  isSidechain: 'isSidechain',
  streamSession: 'session_id',
  streamAgent: 'agent_id',
  streamParent: 'parent_tool_use_id',
  request: 'requestId',
  time: 'timestamp',
  cwd: 'cwd',
  usd: 'costUSD',
  message: 'message.id',
  model: 'message.model',
  usage: 'message.usage',
  input: 'message.usage.input_tokens',
  output: 'message.usage.output_tokens',
  thinking: 'message.usage.output_tokens_details.thinking_tokens',
  cacheRead: 'message.usage.cache_read_input_tokens',
  cacheWrite: 'message.usage.cache_creation_input_tokens',
  cacheWriteLong: 'message.usage.cache_creation.ephemeral_1h_input_tokens',
}
const { at, room, find, pick } = createPicker(wanted, marks)

function takeLine(bytes: Buffer, start: number, end: number, whole: boolean): void {
  const line = pick(bytes, start, end)
  if (line !== undefined) {
    if (line[at.type] === 'cost-state') sum(JSON.parse(utf8(bytes, start, end)) as Rec)
    else take(line)
  } else if (whole) throw new Doubt() // else it is the line that is being written
}

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

function take(line: Picked): void {
  const type = line[at.type]
  if (type === 'result') throw new Doubt()
  if (type !== 'assistant' || !isRecord(line[at.usage]) || line[at.model] === '<synthetic>') return
  if ((line[at.streamSession] ?? line[at.streamAgent] ?? line[at.streamParent] ?? null) !== null) throw new Doubt()
  const agent = line[at.isSidechain] === true ? str(line[at.agent]) : undefined
  count(rowOf(str(line[at.session]), agent, str(line[at.message]), line), line)
}

/** Claude counts thinking as output. Of what was written to the cache, a part may be kept for an hour, which costs more. */
function count({ tokens }: Row, line: Picked): void {
  const output = nat(line[at.output])
  tokens.input = nat(line[at.input])
  tokens.reasoning = nat(line[at.thinking])
  tokens.output = output === undefined ? undefined : Math.max(0, output - (tokens.reasoning ?? 0))
  tokens.cacheRead = nat(line[at.cacheRead])
  tokens.cacheWrite = nat(line[at.cacheWrite])
  tokens.cacheWriteLong = nat(line[at.cacheWriteLong])
}

/** The row of a message; its first record tells all but the usage. */
function rowOf(session = '', agent: string | undefined, id = '', line: Picked): Row {
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
    request: str(line[at.request]),
    model: shared(str(line[at.model])),
    project: shared(str(line[at.cwd])),
    at: timeOfIso(line[at.time]),
    tokens: noTokens(),
    nanos: toldNanos(real(line[at.usd]) || undefined, undefined),
    oneRequest: true,
  }
  rows.push(last)
  open.set(lane, last)
  return last
}

const noTokens = (): Tokens => ({
  input: undefined,
  output: undefined,
  reasoning: undefined,
  cacheRead: undefined,
  cacheWrite: undefined,
  cacheWriteLong: undefined,
})

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

function sum(record: Rec): void {
  const { sessionId, modelUsage: models, totalCostUSD: usd } = record
  const session = str(sessionId)
  if (!session) throw new Doubt()
  open.clear()
  last = undefined
  let tokens: Tokens = {}
  for (const entry of isRecord(models) ? Object.values(models) : []) if (isRecord(entry)) tokens = addUsage(tokens, usageOfModel(entry))
  rows.push({ session, tokens, nanos: toldNanos(real(usd), tokens), mark: markOfSum(record) })
}

// ── between threads ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Rows cross as one list of texts and numbers: that takes a third of the time that thousands of objects take. Null is a session, model
 * or project that is the one of the row before.
 */
export type Packed = (string | number | undefined | null)[]
const columns = 15

export function packed(all: readonly Row[]): Packed {
  const list: Packed = []
  let before: Row | undefined
  for (const row of all) {
    const { session, agent, message, request, model, project, at: time, nanos, tokens, mark } = row
    const { input, output, reasoning, cacheRead, cacheWrite, cacheWriteLong } = tokens
    list.push(session === before?.session ? null : session, agent, message, request)
    list.push(
      before !== undefined && model === before.model ? null : model,
      before !== undefined && project === before.project ? null : project,
    )
    list.push(time, nanos, input, output, reasoning, cacheRead, cacheWrite, cacheWriteLong, mark)
    before = row
  }
  return list
}

export function unpacked(list: Packed): Row[] {
  const all: Row[] = []
  let [session, model, project]: (string | undefined)[] = []
  for (let start = 0; start < list.length; start += columns) {
    const text = (column: number): string | undefined => list[start + column] as string | undefined
    const number = (column: number): number | undefined => list[start + column] as number | undefined
    if (list[start] !== null) session = shared(text(0))
    if (list[start + 4] !== null) model = shared(text(4))
    if (list[start + 5] !== null) project = shared(text(5))
    all.push({
      session: session!,
      agent: text(1),
      message: text(2),
      request: text(3),
      model,
      project,
      at: number(6),
      tokens: {
        input: number(8),
        output: number(9),
        reasoning: number(10),
        cacheRead: number(11),
        cacheWrite: number(12),
        cacheWriteLong: number(13),
      },
      nanos: number(7),
      oneRequest: text(2) !== undefined,
      mark: text(14),
    })
  }
  return all
}
