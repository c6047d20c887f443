// Writes an answer to the connection: at the script's pace, no faster than the client reads, and only half of it when it is to be cut.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './engine.ts'
import type { Context, Face, Framing } from './face.ts'

const heldBack = 1 << 16 // characters; many small pieces leave in one write

export function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length, ...headers })
  response.end(bytes)
}

/** Takes as long as a stream would. */
export async function sendPlain(
  response: ServerResponse,
  face: Face,
  answer: Answer,
  context: Context,
  signal: AbortSignal,
): Promise<void> {
  const body = face.plain(answer, context)
  if (answer.delay > 0) for (const { paced } of face.frames(answer, context)) if (paced) await sleep(answer.delay, undefined, { signal })
  if (!answer.cut) return sendJson(response, 200, body)
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length })
  response.write(bytes.subarray(0, bytes.length >> 1))
  response.socket?.destroySoon()
}

export async function sendStream(
  response: ServerResponse,
  face: Face,
  answer: Answer,
  context: Context,
  framing: Framing,
  signal: AbortSignal,
): Promise<void> {
  const most = answer.cut ? countOf(face.frames(answer, context)) >> 1 : Infinity
  response.writeHead(200, { 'content-type': framing.type, 'cache-control': 'no-cache' })
  response.flushHeaders()
  let held = framing.open
  const flush = async (): Promise<void> => {
    const text = held
    held = ''
    if (text !== '' && !response.write(text)) await once(response, 'drain', { signal })
  }
  let sent = 0
  for (const frame of face.frames(answer, context)) {
    if (sent === most) {
      await flush()
      response.socket?.destroySoon()
      return
    }
    if (frame.paced && answer.delay > 0) {
      await flush()
      await sleep(answer.delay, undefined, { signal })
    }
    held += framing.frame(frame, sent++ === 0)
    if (held.length >= heldBack) await flush()
  }
  response.end(held + framing.close)
}

function countOf(items: Iterable<unknown>): number {
  let count = 0
  for (const _ of items) count++
  return count
}
