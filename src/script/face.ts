// The contract of a face: one model API over the engine. A face only reads requests and words answers; the server does the rest.
import { isRecord, type Rec } from '../base/json.ts'
import type { Answer, Part } from './engine.ts'
import type { Conversation, Failure } from './script.ts'

export type Face = {
  name: string
  /** Path of its requests, without the version in front; the group, if any, is the model. */
  path: RegExp
  /** Throws a BadRequest. */
  read(body: Rec, path: RegExpExecArray): Omit<Conversation, 'agent'>
  isStream(body: Rec, path: string): boolean
  plain(answer: Answer, context: Context): Rec
  frames(answer: Answer, context: Context): Iterable<Frame>
  /** How frames are written; server-sent events unless it says otherwise. */
  framing?(query: URLSearchParams): Framing
  failure(failure: Failure): Rec
  /** Counting the tokens of a request, where the API has it. */
  count?: { path: RegExp; reply(tokens: number): Rec }
}

/** `model`: the one to name; `now` in milliseconds. */
export type Context = { model: string; now: number; body: Rec }

/** One event of a stream; before a paced one the script's delay is waited. */
export type Frame = { event?: string; data: unknown; paced?: true }

export type Framing = { type: string; open: string; frame(frame: Frame, isFirst: boolean): string; close: string }

export const serverSentEvents: Framing = {
  type: 'text/event-stream; charset=utf-8',
  open: '',
  frame: ({ event, data }) =>
    `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
  close: '',
}

export class BadRequest extends Error {
  override readonly name = 'BadRequest'
}

// ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Message = { from: 'user' | 'model' | 'system' | 'tool'; text: string }

/** The conversation that a list of messages is. An answer may be several messages in a row; one at the very end is only begun. */
export function conversationOf(messages: readonly Message[], system: string, body: Rec, model: unknown): Omit<Conversation, 'agent'> {
  const first = messages.findIndex(({ from }) => from === 'model')
  const textsOf = (wanted: Message['from'], list: readonly Message[]): string[] =>
    list.flatMap(({ from, text }) => (from === wanted ? text : []))
  return {
    prompt: textsOf('user', first === -1 ? messages : messages.slice(0, first)).join('\n'),
    system: [system, ...textsOf('system', messages)].filter((text) => text !== '').join('\n'),
    model: typeof model === 'string' ? model : '',
    tools: Array.isArray(body['tools']) && body['tools'].length > 0,
    answers: messages.filter(({ from }, index) => from === 'model' && (messages[index + 1]?.from ?? 'model') !== 'model').length,
  }
}

/** The records of a list in a request. */
export function listOf(body: Rec, key: string): Rec[] {
  const list = body[key]
  if (!Array.isArray(list)) throw new BadRequest(`${key}: a list is expected`)
  return list.filter(isRecord)
}

/** The text of a content: itself, or that of its parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content.filter(isRecord) : []
  return parts.flatMap(({ text }) => (typeof text === 'string' ? text : [])).join('\n')
}

// ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** All text of one kind in an answer; undefined when there is none. */
export const saidIn = ({ parts }: Answer, type: 'think' | 'text'): string | undefined =>
  parts.find((part): part is Extract<Part, { type: 'think' | 'text' }> => part.type === type)?.text

export const callsIn = ({ parts }: Answer): Extract<Part, { type: 'tool' }>[] => parts.filter((part) => part.type === 'tool')

export const seconds = (ms: number): number => Math.floor(ms / 1000)
