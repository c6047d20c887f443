// The recorder as an HTTP server on loopback: it passes each request on and each answer back, byte for byte as they come, and keeps a
// copy of the answer to read. The copy is decompressed; what the client gets is as the provider sent it.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as requestPlain, type ServerResponse } from 'node:http'
import { request as requestSecure } from 'node:https'
import {
  type BrotliOptions,
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateSync,
  type ZlibOptions,
  zstdDecompressSync,
} from 'node:zlib'
import { type Asked, askedIn, bodyIn, bytesOf, faceFor, failureOf, listenOn, Refusal, refuse, type Served } from './door.ts'
import { readAnswer } from './record-read.ts'
import { targetOf, type Upstream } from './record-upstream.ts'
import type { Answered } from './record.ts'
import type { Conversation } from './script.ts'

export type RecorderOptions = {
  port: number
  upstream?: Upstream
  onAnswer(answered: Answered): void
  /** A key that the client sent, so that it can be kept out of what is written. */
  onKey(key: string): void
  /** What could not be passed on, or not be recorded, in a sentence. */
  onTrouble(message: string): void
}

export async function serveRecorder(options: RecorderOptions): Promise<Served> {
  const { port, upstream, onAnswer, onKey, onTrouble } = options

  async function handle(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const asked = askedIn(request)
    const where = `${request.method} ${asked.pathname}`
    const target = targetOf(asked, request.headers, upstream)
    if (target === undefined) throw new Refusal(404, `${where}: it is not clear which provider this is for; name it with --upstream`)
    for (const key of keysIn(request, asked)) onKey(key)
    const sent = await bytesOf(request)
    const answer = await ask(target.url, request, sent, signal).catch((error: unknown) => {
      const message = `${target.url.origin} cannot be reached: ${reasonOf(error)}`
      if (!signal.aborted) onTrouble(message)
      throw new Refusal(502, message)
    })
    const { bytes, end } = await passBack(answer, response, signal)
    if (request.method !== 'POST' || asked.face === undefined || asked.isCount) return
    const status = answer.statusCode ?? 0
    try {
      const conversation = conversationIn(request, asked, sent)
      const text = decoded(bytes, answer.headers['content-encoding'])
      const said = readAnswer({ api: asked.face.name, status, headers: answer.headers, text }, Date.now())
      if (said !== undefined) onAnswer({ conversation, provider: target.provider, said, end })
    } catch (error) {
      if (status < 400) onTrouble(`${where}: this answer is not recorded: ${reasonOf(error)}`)
    }
  }

  const busy = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const work = handle(request, response, gone.signal).catch((error: unknown) => {
      if (response.headersSent || gone.signal.aborted) response.destroy()
      else refuse(response, faceFor(request), failureOf(error))
    })
    busy.add(work)
    void work.then(() => busy.delete(work))
  })
  const { url, close } = await listenOn(server, port)
  return {
    url,
    async close() {
      await close()
      await Promise.all(busy) // what has come of their answers is recorded, too
    },
  }
}

// ── passing on ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** They belong to one connection, and each side has its own. */
const ofConnection = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Names and values in turn, as they came. */
function headersOf({ rawHeaders, headers }: IncomingMessage, without: readonly string[] = []): string[] {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/)
  const dropped = new Set([...ofConnection, ...named, ...without])
  return rawHeaders.filter((_, index) => !dropped.has(rawHeaders[index - (index % 2)]!.toLowerCase()))
}

async function ask(url: URL, request: IncomingMessage, body: Buffer, signal: AbortSignal): Promise<IncomingMessage> {
  const { method = 'GET' } = request
  const hasBody = body.length > 0 || ['POST', 'PUT', 'PATCH'].includes(method)
  const headers = [
    'host',
    url.host,
    ...headersOf(request, ['host', 'expect', 'content-length']),
    ...(hasBody ? ['content-length', String(body.length)] : []),
  ]
  // A connection of its own: one that is used again may have been closed by the other side in the meantime.
  const settings = { method, headers, signal, agent: false as const }
  const asking = url.protocol === 'https:' ? requestSecure(url, { ...settings, rejectUnauthorized: true }) : requestPlain(url, settings)
  asking.on('error', () => {}) // what is awaited tells it, too
  asking.end(body)
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  return answer
}

async function passBack(
  answer: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<{ bytes: Buffer; end: Answered['end'] }> {
  const parts: Buffer[] = []
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headersOf(answer))
  response.flushHeaders()
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      parts.push(part)
      if (!response.write(part)) await once(response, 'drain', { signal })
    }
    response.end()
    return { bytes: Buffer.concat(parts), end: 'whole' }
  } catch {
    response.socket?.destroySoon() // what has come is sent before
    return { bytes: Buffer.concat(parts), end: signal.aborted ? 'left' : 'cut' }
  }
}

// ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

function conversationIn({ headers }: IncomingMessage, { face, path }: Asked, sent: Buffer): Conversation {
  const body = bodyIn(decoded(sent, headers['content-encoding']))
  return { ...face!.read(body, face!.path.exec(path)!), agent: headers['user-agent'] ?? '' }
}

/** What came of a body that was cut is decompressed as far as it goes. */
const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH } satisfies ZlibOptions),
  deflate: (bytes) => inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH } satisfies ZlibOptions),
  br: (bytes) => brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH } satisfies BrotliOptions),
  zstd: (bytes) => zstdDecompressSync(bytes, { finishFlush: constants.ZSTD_e_flush }),
}

function decoded(bytes: Buffer, encoding = 'identity'): string {
  const names = encoding
    .toLowerCase()
    .split(/\s*,\s*/)
    .filter((name) => name !== 'identity' && name !== '')
  return names
    .toReversed()
    .reduce((data, name) => {
      const decode = decoders[name.replace(/^x-/, '')]
      if (decode === undefined) throw new Error(`it is encoded as "${name}", which is not known here`)
      return data.length === 0 ? data : decode(data)
    }, bytes)
    .toString()
}

function keysIn({ headers }: IncomingMessage, { query }: Asked): string[] {
  const given = [
    headers['x-api-key'],
    headers['api-key'],
    headers['x-goog-api-key'],
    headers.authorization?.replace(/^\w+\s+/, ''),
    query.get('key'),
  ]
  return given.filter((key) => typeof key === 'string' && key !== '') as string[] // none of them is a list
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
