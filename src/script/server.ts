// The scripted model as an HTTP server on loopback. Every refusal has the form of the API that was asked. A page in a browser cannot
// reach it by a name of its own: only the names of this machine are answered.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isRecord, type Rec } from '../base/json.ts'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import { createEngine } from './engine.ts'
import { BadRequest, type Face, serverSentEvents } from './face.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'
import type { Failure, Script } from './script.ts'
import { sendJson, sendPlain, sendStream } from './send.ts'

/** A request as the log has it: no header and no query, so no key. `end`: how the answer went out. */
export type Entry = {
  at: number
  method: string
  path: string
  status: number
  end: 'whole' | 'cut' | 'closed'
  api?: string
  stream?: boolean
  agent?: string
  lane?: string
  turn?: number
  answers?: number
  body?: Rec
}

export type Served = { url: string; close(): Promise<void> }

const faces: readonly Face[] = [anthropic, responses, chat, gemini]
const largestBody = 64 * 2 ** 20
const charactersPerToken = 4

class Refusal extends Error implements Failure {
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

/** Rejects with the system's error when the port cannot be had. */
export async function serveScript(script: Script, port: number, onEntry: (entry: Entry) => void, now = Date.now): Promise<Served> {
  const next = createEngine(script)
  const modelName = script.model?.slice(script.model.indexOf('/') + 1)

  async function handle(request: IncomingMessage, response: ServerResponse, entry: Entry, signal: AbortSignal): Promise<void> {
    if (!isOurName(request.headers.host))
      throw new Refusal(403, `the host "${request.headers.host ?? ''}" is not this machine; use http://127.0.0.1`)
    const url = URL.parse(request.url ?? '/', 'http://localhost')
    if (url === null) throw new Refusal(400, 'the path cannot be read')
    const { pathname, searchParams } = url
    const path = pathname.replace(/^\/v\d\w*(?=\/)/, '')
    entry.path = pathname
    const face = faces.find((one) => one.path.test(path) || one.count?.path.test(path))
    if (face === undefined) return sendJson(response, 200, aboutPath(request, path, pathname, modelName ?? 'script'))
    if (request.method !== 'POST') throw new Refusal(405, `${request.method} ${pathname}: only POST is answered here`, { allow: 'POST' })
    entry.api = face.name
    const text = await textOf(request)
    const body = (entry.body = bodyIn(text))
    if (face.count?.path.test(path)) return sendJson(response, 200, face.count.reply(Math.ceil(text.length / charactersPerToken)))
    const agent = (entry.agent = request.headers['user-agent'] ?? '')
    const conversation = { ...face.read(body, face.path.exec(path)!), agent }
    const { answer, failure, ...place } = next(conversation)
    Object.assign(entry, place, { answers: conversation.answers, stream: face.isStream(body, path) })
    if (failure !== undefined) return refuse(response, face, failure)
    const context = { model: modelName ?? (conversation.model || 'script'), now: now(), body }
    if (answer.cut) entry.end = 'cut'
    if (entry.stream !== true) return sendPlain(response, face, answer, context, signal)
    return sendStream(response, face, answer, context, face.framing?.(searchParams) ?? serverSentEvents, signal)
  }

  const server = createServer((request, response) => {
    const entry: Entry = { at: now(), method: request.method ?? '', path: '', status: 0, end: 'closed' }
    const gone = new AbortController()
    response.on('close', () => {
      gone.abort()
      const { body, ...rest } = entry
      const end = response.writableFinished ? 'whole' : entry.end
      onEntry({ ...rest, status: response.statusCode, end, ...(body !== undefined && { body }) })
    })
    handle(request, response, entry, gone.signal).catch((error: unknown) => {
      if (response.headersSent || gone.signal.aborted) response.destroy()
      else refuse(response, faceFor(request), failureOf(error))
    })
  })
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

const isOurName = (host = ''): boolean => /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host)

/** Of a path that no face knows, the one whose refusal the client will understand. */
function faceFor({ url = '', headers }: IncomingMessage): Face {
  if (url.includes('/v1beta')) return gemini
  return headers['anthropic-version'] === undefined && !url.includes('/messages') ? chat : anthropic
}

function refuse(response: ServerResponse, face: Face, failure: Failure): void {
  const { status, retryAfter } = failure
  sendJson(response, status, face.failure(failure), {
    ...(failure instanceof Refusal && failure.headers),
    ...(retryAfter !== undefined && { 'retry-after': String(Math.ceil(retryAfter / 1000)), 'retry-after-ms': String(retryAfter) }),
  })
}

function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) return error
  const status = error instanceof BadRequest ? 400 : 500
  return { status, message: error instanceof Error ? error.message : String(error), retryAfter: undefined }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    size += (part as Buffer).length
    if (size > largestBody) throw new Refusal(413, `the request is larger than ${largestBody} bytes`)
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts).toString()
}

function bodyIn(text: string): Rec {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw new BadRequest(`the request is not JSON: ${(error as Error).message}`)
  }
  if (!isRecord(body)) throw new BadRequest('the request must be a JSON object')
  return body
}

/** What agents ask at their start: whether someone is there, and which models there are, in the words of all APIs at once. */
function aboutPath({ method }: IncomingMessage, path: string, pathname: string, model: string): Rec {
  const isModels = /^\/models(\/|$)/.test(path)
  if (!isModels && path !== '/') throw new Refusal(404, `${method} ${pathname}: there is nothing here`)
  if (method !== 'GET' && method !== 'HEAD')
    throw new Refusal(405, `${method} ${pathname}: only GET is answered here`, { allow: 'GET, HEAD' })
  if (!isModels) return { name: 'sluice model' }
  const one = {
    id: model,
    object: 'model',
    type: 'model',
    display_name: model,
    created: 0,
    created_at: '1970-01-01T00:00:00Z',
    owned_by: 'sluice',
  }
  const ofGemini = { name: `models/${model}`, displayName: model, supportedGenerationMethods: ['generateContent', 'countTokens'] }
  if (pathname.startsWith('/v1beta')) return path === '/models' ? { models: [ofGemini] } : ofGemini
  return path === '/models' ? { object: 'list', data: [one], has_more: false, first_id: model, last_id: model } : one
}
