// JSON-RPC 2.0, one message a line, on the side that answers. Every call is answered before the next is looked at. Whoever asks much at
// once, or reads no answers, waits; the run does not.
import type { Socket } from 'node:net'
import { isRawJson, isRecord, parseJson, type Rec, stringifyJson } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { createLines } from './lines.ts'

export const codes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  server: -32000,
  /** No such question is open, or no more. */
  notOpen: -32001,
  /** The run has not begun yet, is over, or takes no more prompts since it is ending. */
  notNow: -32002,
  /** The token is missing or wrong. */
  token: -32010,
  /** Too much at once. */
  tooMany: -32029,
} as const

export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: Rec | undefined
  constructor(code: number, message: string, data?: Rec) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** `after`: what is done once the answer is on its way. */
export type Handled = { result: unknown; after?: () => void }
/** Throws an RpcError. */
export type Handler = (method: string, params: Rec) => Handled

/** A number past 2^53 is kept as an object. */
type Id = string | number | null | { rawJSON: string }

const turnMs = 2 // of one connection, before others have theirs
/** Bytes that wait on a connection whose calls are answered; a subscriber who is behind has fewer, and must be heard. */
export const mostUnread = 5 << 20

export const notice = (method: string, params: string): string => `{"jsonrpc":"2.0","method":"${method}","params":${params}}\n`

export function serveLines(socket: Socket, handle: Handler, longest: number): void {
  const reply = (id: Id, body: Rec): boolean => socket.write(`${stringifyJson({ jsonrpc: '2.0', id, ...body })}\n`)
  const refuse = (id: Id, code: number, message: string, data?: Rec): boolean =>
    reply(id, { error: { code, message, ...(data !== undefined && { data }) } })

  function take(text: string): void {
    const call = read(text)
    if ('code' in call) return void refuse(call.id, call.code, call.why)
    try {
      if (!isRecord(call.params)) throw new RpcError(codes.params, 'params must be an object')
      const { result, after } = handle(call.method, call.params)
      if (call.id !== undefined) reply(call.id, { result: result ?? null })
      after?.()
    } catch (error) {
      const { code, message, data } = error instanceof RpcError ? error : new RpcError(codes.server, (error as Error).message)
      if (call.id !== undefined) refuse(call.id, code, message, data)
    }
  }

  let lines: string[] = [] // that were not looked at yet
  let isWaiting = false
  let isLast = false // nothing more will be asked

  const isFull = (): boolean => socket.writableLength > mostUnread

  /** A few calls, and the next when all others have had their turn, or when the answers are read. */
  function work(): void {
    isWaiting = false
    const until = performance.now() + turnMs
    let done = 0
    while (done < lines.length && socket.writable && !isFull() && performance.now() < until) take(lines[done++]!)
    lines = socket.writable ? lines.slice(done) : []
    if (lines.length === 0) return void (isLast ? socket.end() : socket.resume())
    isWaiting = true
    socket.pause()
    if (isFull()) socket.once('drain', work)
    else setImmediate(work)
  }

  const push = createLines(
    longest,
    (line) => lines.push(line),
    () => {
      refuse(null, codes.request, `a line is longer than ${longest} bytes`)
      socket.destroySoon()
    },
  )
  socket.on('data', (chunk: Buffer) => {
    push(chunk)
    if (!isWaiting) work()
  })
  socket.on('end', () => {
    push(Buffer.from('\n')) // the last line may have no end
    isLast = true
    if (!isWaiting) work()
  })
  socket.on('error', () => socket.destroy())
}

type Call = { id: Id | undefined; method: string; params: unknown }
/** `id`: null where it cannot be read. */
type NoCall = { id: Id; code: number; why: string }

function read(text: string): Call | NoCall {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return { id: null, code: codes.parse, why: 'not JSON: a call is one JSON object on one line' }
  }
  const fields = isRecord(value) ? value : {}
  const { id, method, params = {} } = fields
  if (id !== undefined && !isId(id)) return { id: null, code: codes.request, why: 'the id of a call is a text or a number' }
  if (fields['jsonrpc'] !== '2.0' || typeof method !== 'string')
    return { id: id ?? null, code: codes.request, why: 'not a call: it needs "jsonrpc": "2.0", "method" and mostly "id" and "params"' }
  return { id, method, params }
}

const isId = (id: unknown): id is Id => id === null || typeof id === 'string' || typeof id === 'number' || isRawJson(id)

// ── params ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function textIn(params: Rec, key: string): string {
  const value = params[key]
  if (typeof value !== 'string' || value === '') throw new RpcError(codes.params, `${quoted(key)} must be a text, and not empty`)
  return value
}

export function numberIn(params: Rec, key: string, most: number): number | undefined {
  const value = params[key]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most)
    throw new RpcError(codes.params, `${quoted(key)} must be a whole number from 0 to ${most}`)
  return value
}

export function wordIn<const Word extends string>(params: Rec, key: string, words: readonly [Word, ...Word[]]): Word {
  const value = params[key] ?? words[0]
  const word = words.find((one) => one === value)
  if (word === undefined) throw new RpcError(codes.params, `${quoted(key)} must be one of ${words.join(', ')}`)
  return word
}
