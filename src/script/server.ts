// The scripted model as an HTTP server on loopback. Every refusal has the form of the API that was asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Rec } from '../base/json.ts'
import { askedIn, bodyIn, bytesOf, faceFor, failureOf, listenOn, Refusal, refuse, type Served } from './door.ts'
import { createEngine } from './engine.ts'
import { serverSentEvents } from './face.ts'
import type { Script } from './script.ts'
import { sendJson, sendPlain, sendStream } from './send.ts'

export type { Served } from './door.ts'

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

const charactersPerToken = 4

/** Rejects with the system's error when the port cannot be had. */
export async function serveScript(script: Script, port: number, onEntry: (entry: Entry) => void, now = Date.now): Promise<Served> {
  const next = createEngine(script)
  const modelName = script.model?.slice(script.model.indexOf('/') + 1)

  async function handle(request: IncomingMessage, response: ServerResponse, entry: Entry, signal: AbortSignal): Promise<void> {
    const { pathname, query, path, face, isCount } = askedIn(request)
    entry.path = pathname
    if (face === undefined) return sendJson(response, 200, aboutPath(request, path, pathname, modelName ?? 'script'))
    if (request.method !== 'POST') throw new Refusal(405, `${request.method} ${pathname}: only POST is answered here`, { allow: 'POST' })
    entry.api = face.name
    const text = (await bytesOf(request)).toString()
    const body = (entry.body = bodyIn(text))
    if (isCount) return sendJson(response, 200, face.count!.reply(Math.ceil(text.length / charactersPerToken)))
    const agent = (entry.agent = request.headers['user-agent'] ?? '')
    const conversation = { ...face.read(body, face.path.exec(path)!), agent }
    const { answer, failure, ...place } = next(conversation)
    Object.assign(entry, place, { answers: conversation.answers, stream: face.isStream(body, path) })
    if (failure !== undefined) return refuse(response, face, failure)
    const context = { model: modelName ?? (conversation.model || 'script'), now: now(), body }
    if (answer.cut) entry.end = 'cut'
    if (entry.stream !== true) return sendPlain(response, face, answer, context, signal)
    return sendStream(response, face, answer, context, face.framing?.(query) ?? serverSentEvents, signal)
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
  return listenOn(server, port)
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
