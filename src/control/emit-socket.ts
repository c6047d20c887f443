// The socket that the agent and what it runs may know of: it takes a user's own events and does nothing else. How many and how large
// they may be is bounded, since whoever writes here is not trusted.
import { dirname } from 'node:path'
import { stringifyJson } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { createBucket } from './bucket.ts'
import { CustomEventError, longestEvent } from './custom.ts'
import { listenOn, sweep } from './listen.ts'
import { codes, RpcError, serveLines } from './rpc.ts'

const burst = 100
const perSecond = 50
const mostConnections = 16
const idleMs = 30_000
const envelope = 1024 // bytes around the event on its line

/** `emit` throws a CustomEventError, or an RpcError when the run takes no events. */
export type EmitOptions = { path: string; emit(value: unknown): void; now(): number }

/** Throws a ControlError when the socket cannot be had. */
export async function serveEmit({ path, emit, now }: EmitOptions): Promise<{ close(): Promise<void> }> {
  const bucket = createBucket(burst, perSecond, now)
  const full = `${stringifyJson({ jsonrpc: '2.0', id: null, error: { code: codes.tooMany, message: 'too many connections' } })}\n`

  function handle(method: string, params: Record<string, unknown>): { result: unknown } {
    if (method !== 'emit') throw new RpcError(codes.method, `${quoted(method)} is not a method; only emit is known here`)
    const retryMs = bucket.take()
    if (retryMs > 0) throw new RpcError(codes.tooMany, `too many events: ${perSecond} a second, ${burst} at once`, { retryMs })
    try {
      emit(params['event'])
    } catch (error) {
      throw error instanceof CustomEventError ? new RpcError(codes.params, error.message) : error
    }
    return { result: {} }
  }

  const listening = await listenOn({
    path,
    strict: true,
    most: mostConnections,
    full,
    onSocket(socket) {
      socket.setTimeout(idleMs, () => socket.destroy())
      serveLines(socket, handle, longestEvent + envelope)
    },
  })
  sweep(dirname(path)).catch(() => {}) // nobody waits for it
  return listening
}
