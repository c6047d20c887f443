// What the model says next: a function of the script and of the conversation, which the request holds as a whole. So a retry gets the
// same turn, and any number of conversations may go on at once. All that is remembered is how often each turn has failed already.
import type { Conversation, Failure, Finish, Input, Lane, Script, Turn, Usage } from './script.ts'

export type Part =
  | { type: 'think'; text: string }
  | { type: 'text'; text: string }
  /** `json`: the input as it is streamed, broken off when the script says so; a free text is itself. */
  | { type: 'tool'; id: string; name: string; input: Input; json: string }

export type Answer = {
  /** Counts the requests; ids are made of it, so that no two answers share one. */
  serial: number
  parts: readonly Part[]
  usage: Usage
  finish: Finish
  malformed: boolean
  /** Characters in a piece, and milliseconds before each. */
  chunk: number
  delay: number
  /** The connection is cut half-way. */
  cut: boolean
}

/** `lane` and `turn` (from 1) are absent when the script has nothing to say. */
export type Reply = { lane?: string; turn?: number } & ({ failure: Failure; answer?: never } | { answer: Answer; failure?: never })

export function createEngine(script: Script): (conversation: Conversation) => Reply {
  const tries = new Map<Turn, number>()
  let serial = 0
  return (conversation) => {
    serial++
    const lane = script.lanes.find(({ matches }) => matches(conversation))
    const turn = lane && turnAt(lane, conversation.answers)
    if (turn === undefined) return { answer: overAnswer(lane, serial) }
    const where = { lane: lane!.name, turn: lane!.turns.indexOf(turn) + 1 }
    const tried = tries.get(turn) ?? 0
    const fails = turn.error?.times ?? 0
    if (tried < fails + turn.cuts) tries.set(turn, tried + 1)
    if (turn.error !== undefined && tried < fails) return { ...where, failure: turn.error }
    return { ...where, answer: answerOf(turn, serial, tried < fails + turn.cuts) }
  }
}

const turnAt = ({ turns, repeat }: Lane, answers: number): Turn | undefined =>
  turns[repeat && turns.length > 0 ? answers % turns.length : answers]

function answerOf(turn: Turn, serial: number, cut: boolean): Answer {
  const { think, text, tools, usage, finish, malformed, delay } = turn
  const parts: Part[] = []
  if (think !== undefined) parts.push({ type: 'think', text: think })
  if (text !== undefined) parts.push({ type: 'text', text })
  for (const [index, { id, name, input }] of tools.entries()) {
    const json = typeof input === 'string' ? input : JSON.stringify(input)
    parts.push({
      type: 'tool',
      id: id ?? `call_${serial}_${index + 1}`,
      name,
      input,
      json: malformed ? json.slice(0, Math.ceil(json.length / 2)) : json,
    })
  }
  // Something of an answer that comes in one piece must have arrived when it is cut.
  const whole = cut ? Math.ceil(Math.max(2, ...parts.map((part) => textOf(part).length)) / 2) : Infinity
  return { serial, parts, usage, finish, malformed, chunk: turn.chunk ?? whole, delay, cut }
}

function overAnswer(lane: Lane | undefined, serial: number): Answer {
  const text =
    lane === undefined ? 'The script has no lane for this conversation.' : `The script has no more turns in the lane "${lane.name}".`
  const usage = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 }
  return { serial, parts: [{ type: 'text', text }], usage, finish: 'stop', malformed: false, chunk: Infinity, delay: 0, cut: false }
}

const textOf = (part: Part): string => (part.type === 'tool' ? part.json : part.text)

/** The pieces in which a part is streamed; a character outside the basic plane is never split. An empty part has none. */
export function* piecesOf(part: Part, chunk: number): Generator<string> {
  const text = textOf(part)
  for (let start = 0, end: number; start < text.length; start = end) {
    end = Math.min(start + chunk, text.length)
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end))) end++
    yield text.slice(start, end)
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
