// From the bytes of an answer to what was said: told apart by their looks, since not every server labels its streams.
import { isRecord, type Rec } from '../base/json.ts'
import { readAnthropic } from './record-anthropic.ts'
import { isFailure, jsonIn, nothingSaid, type Reader, recordIn, recordsIn, type Said, textIn } from './record-answer.ts'
import { readChat } from './record-chat.ts'
import { readGemini } from './record-gemini.ts'
import { readResponses } from './record-responses.ts'
import type { Failure } from './script.ts'

const readers: Record<string, Reader> = { anthropic: readAnthropic, responses: readResponses, chat: readChat, gemini: readGemini }
const longestMessage = 2000 // characters; some failures are a whole web page

export type RawAnswer = {
  api: string
  status: number
  /** Of the answer, by their names in small letters. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  text: string
}

/** Undefined: a status that says neither yes nor no, such as a redirect. */
export function readAnswer({ api, status, headers, text }: RawAnswer, now: number): Said | undefined {
  if (isFailure(status)) return { ...nothingSaid, failure: failureOf(status, headers, text, now) }
  return status >= 200 && status < 300 ? readers[api]?.(recordsOf(text)) : undefined
}

/** The records of a stream of events, of a JSON array, or the one of a plain answer. One that is not whole is left out. */
export function recordsOf(text: string): Rec[] {
  const start = text.trimStart()
  const values = /^[[{]/.test(start) ? [jsonIn(start)].flat() : eventsIn(text).map(jsonIn)
  return values.filter(isRecord)
}

/** The data of each event; comments and names mean nothing here. */
const eventsIn = (text: string): string[] =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n{2,}/)
    .map((block) => [...block.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data).join('\n'))

function failureOf(status: number, headers: RawAnswer['headers'], text: string, now: number): Failure {
  const body = [jsonIn(text)].flat().find(isRecord) ?? {}
  const { error } = body
  const told = textIn(error, 'message') ?? [error, body['message'], body['detail']].find((value) => typeof value === 'string')
  const message = (typeof told === 'string' ? told : text.trim()) || `HTTP ${status}`
  return { status, message: message.slice(0, longestMessage), retryAfter: retryAfterIn(headers, now) ?? retryDelayIn(body) }
}

/** Milliseconds; the header has seconds, or a date. */
function retryAfterIn(headers: RawAnswer['headers'], now: number): number | undefined {
  const [exact, rough] = [String(headers['retry-after-ms'] ?? ''), String(headers['retry-after'] ?? '')]
  if (/^\d+(\.\d+)?$/.test(exact)) return Math.round(Number(exact))
  if (/^\d+(\.\d+)?$/.test(rough)) return Math.round(Number(rough) * 1000)
  const date = Date.parse(rough)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Where Google says it. */
function retryDelayIn(body: Rec): number | undefined {
  const delays = recordsIn(recordIn(body, 'error'), 'details').flatMap((detail) => textIn(detail, 'retryDelay') ?? [])
  const seconds = Number.parseFloat(delays[0] ?? '')
  return Number.isNaN(seconds) ? undefined : Math.round(seconds * 1000)
}
