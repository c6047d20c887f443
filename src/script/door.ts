// What the servers on loopback share: who is let in, how a request is read, and how it is refused in the words of the API it asked.
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isRecord, type Rec } from '../base/json.ts'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import { BadRequest, type Face } from './face.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'
import type { Failure } from './script.ts'
import { sendJson } from './send.ts'

export type Served = { url: string; close(): Promise<void> }

const faces: readonly Face[] = [anthropic, responses, chat, gemini]
const largestBody = 64 * 2 ** 20

export class Refusal extends Error implements Failure {
  override readonly name = 'Refusal'
  readonly status: number
  readonly retryAfter = undefined
  readonly headers: Record<string, string>
  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** `path`: without the version in front. `isCount`: tokens are to be counted. */
export type Asked = { pathname: string; search: string; query: URLSearchParams; path: string; face: Face | undefined; isCount: boolean }

/** A page in a browser cannot come in by a name of its own: only the names of this machine are answered. */
export function askedIn({ headers, url = '/' }: IncomingMessage): Asked {
  if (!isOurName(headers.host)) throw new Refusal(403, `the host "${headers.host ?? ''}" is not this machine; use http://127.0.0.1`)
  const parsed = URL.parse(url, 'http://localhost')
  if (parsed === null) throw new Refusal(400, 'the path cannot be read')
  const { pathname, search, searchParams: query } = parsed
  const path = pathname.replace(/^\/v\d\w*(?=\/)/, '')
  const isCount = faces.some(({ count }) => count?.path.test(path))
  return { pathname, search, query, path, isCount, face: faces.find((one) => one.path.test(path) || one.count?.path.test(path)) }
}

const isOurName = (host = ''): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host)

export async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    size += (part as Buffer).length
    if (size > largestBody) throw new Refusal(413, `the request is larger than ${largestBody} bytes`)
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts)
}

export function bodyIn(text: string): Rec {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw new BadRequest(`the request is not JSON: ${(error as Error).message}`)
  }
  if (!isRecord(body)) throw new BadRequest('the request must be a JSON object')
  return body
}

/** Of a path that no face knows, the one whose refusal the client will understand. */
export function faceFor({ url = '', headers }: IncomingMessage): Face {
  if (url.includes('/v1beta')) return gemini
  return headers['anthropic-version'] === undefined && !url.includes('/messages') ? chat : anthropic
}

export function refuse(response: ServerResponse, face: Face, failure: Failure): void {
  const { status, retryAfter } = failure
  sendJson(response, status, face.failure(failure), {
    ...(failure instanceof Refusal && failure.headers),
    ...(retryAfter !== undefined && { 'retry-after': String(Math.ceil(retryAfter / 1000)), 'retry-after-ms': String(retryAfter) }),
  })
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) return error
  const status = error instanceof BadRequest ? 400 : 500
  return { status, message: error instanceof Error ? error.message : String(error), retryAfter: undefined }
}

/** Rejects with the system's error when the port cannot be had. */
export async function listenOn(server: Server, port: number): Promise<Served> {
  server.keepAliveTimeout = 60_000
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
