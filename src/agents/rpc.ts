// JSON-RPC as a client speaks it over lines: requests of ours with what to do about their answers, and answers to what the agent asks.
// All that is said is told to the stream as well: a dialect that is a conversation is read from both sides.
import { isRecord, type Rec } from '../base/json.ts'
import type { Wire } from './driver.ts'

export type RpcId = string | number
export type RpcFailure = { code: number; message: string; data?: unknown }
export type RpcAnswer = { result: Rec } | { error: RpcFailure }
/** What the agent says of its own accord; with an id it waits for an answer. */
export type RpcCall = { method: string; params: Rec; id?: RpcId }

export type Rpc = {
  request(method: string, params: Rec, then?: (answer: RpcAnswer) => void): void
  notify(method: string, params?: Rec): void
  reply(id: RpcId, result: unknown): void
  refuse(id: RpcId, message: string, code?: number): void
  /** Gives the answers to whoever asked, and the rest back. */
  hear(record: Rec): RpcCall | undefined
}

/** `extra`: keys that every message starts with, such as `jsonrpc`. */
export function createRpc(wire: Wire, extra: Rec = { jsonrpc: '2.0' }): Rpc {
  const asked = new Map<RpcId, (answer: RpcAnswer) => void>()
  let made = 0
  const say = (message: Rec): void => wire.tell({ ...extra, ...message })

  return {
    request(method, params, then = () => {}) {
      const id = ++made
      asked.set(id, then)
      say({ id, method, params })
    },
    notify: (method, params) => say({ method, ...(params !== undefined && { params }) }),
    reply: (id, result) => say({ id, result }),
    refuse: (id, message, code = -32601) => say({ id, error: { code, message } }),
    hear({ id, method, params, result, error }) {
      const known = typeof id === 'string' || typeof id === 'number' ? id : undefined
      if (typeof method === 'string') return { method, params: isRecord(params) ? params : {}, ...(known !== undefined && { id: known }) }
      const then = known === undefined ? undefined : asked.get(known)
      if (then === undefined) return undefined
      asked.delete(known!)
      then(error === undefined ? { result: isRecord(result) ? result : {} } : { error: failureOf(error) })
      return undefined
    },
  }
}

function failureOf(error: unknown): RpcFailure {
  const { code, message, data } = isRecord(error) ? error : {}
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : 'an error without words',
    ...(data !== undefined && { data }),
  }
}
