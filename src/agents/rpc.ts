// JSON-RPC as a client speaks it over lines: requests of ours with what to do about their answers, and answers to what the agent asks.
// All that is said is told to the stream as well: a dialect that is a conversation is read from both sides.
import { isRawJson, isRecord, type Rec, stringifyJson } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import type { Wire } from './driver.ts'

/** As the agent gave it, and as it gets it back. A number past 2^53 is kept as an object. */
export type RpcId = string | number | null | { rawJSON: string }
export type RpcFailure = { code: number; message: string; data?: unknown }
export type RpcAnswer = { result: Rec } | { error: RpcFailure }
/** What the agent says of its own accord; with an id it waits for an answer. */
export type RpcCall = { method: string; params: Rec; id?: RpcId }

export type Rpc = {
  /** Gives its id. */
  request(method: string, params: Rec, then?: (answer: RpcAnswer) => void): number
  notify(method: string, params?: Rec): void
  reply(id: RpcId, result: unknown): void
  refuse(id: RpcId, message: string, code?: number): void
  /** A record with what has only one meaning put right. Undefined: it answers nothing that was asked, which is told. */
  normalize(record: Rec): Rec | undefined
  /** Gives the answers to whoever asked, and the rest back. */
  consume(record: Rec): RpcCall | undefined
}

/** `extra`: keys that every message starts with, such as `jsonrpc`. */
export function createRpc(wire: Wire, extra: Rec = { jsonrpc: '2.0' }): Rpc {
  const asked = new Map<unknown, (answer: RpcAnswer) => void>() // by number: an id that is a text is never ours
  let made = 0
  const say = (message: Rec): void => wire.tell({ ...extra, ...message })

  /** The request that a record answers. Some agents give the number back as a text; who cannot read a request cannot name it at all. */
  function requestOf({ id = null, error }: Rec): unknown {
    const number = typeof id === 'string' && String(Number(id)) === id ? Number(id) : id
    if (asked.has(number)) return number
    const isNameless = id === null && isRecord(error) && unread.has(error['code'])
    return isNameless && asked.size === 1 ? asked.keys().next().value : undefined
  }

  return {
    request(method, params, then = () => {}) {
      const id = ++made
      asked.set(id, then)
      say({ id, method, params })
      return id
    },
    notify: (method, params) => say({ method, ...(params !== undefined && { params }) }),
    reply: (id, result) => say({ id, result }),
    refuse: (id, message, code = -32601) => say({ id, error: { code, message } }),
    normalize(record) {
      const isCall = typeof record['method'] === 'string'
      const request = isCall ? undefined : requestOf(record)
      if (isCall || request !== undefined) return meant({ ...extra, ...(request !== undefined && { id: request }) }, record)
      if (!('result' in record || 'error' in record)) return record // no message at all
      const text = `an answer to request ${spelled(record['id'])} came, and no such request is open`
      wire.note({ level: 'warn', code: 'unknown-answer', text, data: record })
      return undefined
    },
    consume({ id, method, params, result, error }) {
      if (typeof method === 'string') return { method, params: isRecord(params) ? params : {}, ...(isId(id) && { id }) }
      const then = asked.get(id)
      if (then === undefined) return undefined
      asked.delete(id)
      then(error === undefined ? { result: isRecord(result) ? result : {} } : { error: failureOf(error) })
      return undefined
    },
  }
}

/** A record is not ours to change. */
function meant(keys: Rec, record: Rec): Rec {
  const { result = null, error } = record
  const isFailure = isRecord(error) && result === null && 'result' in record
  const isSuccess = error === null && result !== null
  const isRight = !isFailure && !isSuccess && Object.entries(keys).every(([key, value]) => record[key] === value)
  if (isRight) return record
  const copy: Rec = { ...record, ...keys }
  if (isFailure) delete copy['result']
  if (isSuccess) delete copy['error']
  return copy
}

/** Parse error, invalid request. */
const unread: ReadonlySet<unknown> = new Set([-32700, -32600])

/** Null is the id of a request in some protocols; with others it is written where there is none, so it takes a method that must be answered. */
export const isId = (id: unknown, mayBeNull = false): id is RpcId =>
  typeof id === 'string' || typeof id === 'number' || isRawJson(id) || (mayBeNull && id === null)

const spelled = (id: unknown): string => quoted(typeof id === 'string' ? id : stringifyJson(id ?? null))

/** 1 and "1" are two ids, and have one name in the stream. */
export const nameOf = (id: RpcId): string => (typeof id === 'object' && id !== null ? id.rawJSON : String(id))

function failureOf(error: unknown): RpcFailure {
  const { code, message, data } = isRecord(error) ? error : {}
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : typeof error === 'string' ? error : 'an error without words',
    ...(data !== undefined && { data }),
  }
}
