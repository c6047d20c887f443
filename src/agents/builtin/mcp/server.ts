// One configured server over its whole life: it gets ready within its limit or is given up, may die and is then tried once more by
// each call that wants it, and may change its list of tools.
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { Rec } from '../../../base/json.ts'
import { connectChild, connectRemote, orAborted, type Connection } from './connection.ts'
import { listOffers, type Offer } from './listing.ts'
import { tidy } from './names.ts'
import { limits, type McpOptions, type ServerSpec, type ServerStatus } from './spec.ts'

export type McpServer = {
  status(): ServerStatus
  offers(): readonly Offer[]
  /** Never rejects. */
  start(): Promise<void>
  settle(): Promise<void>
  /** Rejects with a text for the model when there is no answer. */
  call(offer: Offer, input: Rec, signal: AbortSignal): Promise<CallToolResult>
  close(): Promise<void>
}

export function createServer(name: string, spec: ServerSpec, options: McpOptions): McpServer {
  const timeoutMs = spec.timeout ?? options.limitMs ?? limits.connectMs
  const callMs = spec.timeout ?? limits.callMs
  const ending = new AbortController()
  const shown = hiding([...(options.secretValues ?? []), ...secretsOf(spec)])
  let state: ServerStatus = { name, status: spec.enabled === false ? 'disabled' : 'failed' }
  let offers: readonly Offer[] = []
  let connection: Connection | undefined
  let opening: Promise<void> | undefined
  let relisting: Promise<void> | undefined
  let again = false
  let relists = 0
  let started = false
  /** Attempts that were given up and still clean up. */
  const late = new Set<Promise<unknown>>()

  const become = (status: ServerStatus['status'], more: { error?: string; note?: string } = {}): void => {
    const said = more.error === undefined ? {} : { error: shown(more.error) }
    state = { name, status, ...said, ...(more.note === undefined ? {} : { note: more.note }) }
    if (started && !ending.signal.aborted) options.onChange?.(state)
  }

  const lose = (lost: Connection, error?: Error): void => {
    if (connection !== lost) return
    connection = undefined
    const why = error === undefined ? lost.lastWords() : messageOf(error)
    become('failed', { error: `the server has gone${why === '' ? '' : `: ${why}`}` })
    void lost.close()
  }

  const connect = (signal: AbortSignal): Promise<Connection> => {
    const shared = { signal, timeoutMs, onGone: lose, onListChanged }
    if ('url' in spec) return connectRemote(spec, shared)
    const env = { ...options.env, ...spec.environment }
    return connectChild({ command: spec.command, cwd: spec.cwd ?? options.cwd, env }, shared)
  }

  const open = async (): Promise<void> => {
    const limit = AbortSignal.timeout(timeoutMs)
    const signal = AbortSignal.any([limit, ending.signal, ...(options.signal === undefined ? [] : [options.signal])])
    let made: Connection | undefined
    try {
      const connecting = closeWhenLate(connect(signal), signal)
      late.add(connecting)
      void connecting.catch(() => {}).finally(() => late.delete(connecting))
      made = await orAborted(connecting, signal)
      const listing = await orAborted(listOffers(made.client, signal, timeoutMs), signal)
      connection = made
      offers = listing.offers
      become('connected', listing.note === undefined ? {} : { note: listing.note })
    } catch (error) {
      void made?.close()
      if (limit.aborted && !ending.signal.aborted) become('timeout', { error: `it was not ready within ${timeoutMs / 1000} s` })
      else become('failed', { error: signal.aborted ? 'it was stopped before it was ready' : messageOf(error) })
    }
  }
  const start = (): Promise<void> => (opening ??= open().finally(() => (opening = undefined)))

  const relist = async (): Promise<void> => {
    do {
      again = false
      const at = connection
      if (at === undefined || ++relists > limits.relists) return
      try {
        const listing = await listOffers(at.client, ending.signal, timeoutMs)
        if (at !== connection) return
        offers = listing.offers
        become('connected', listing.note === undefined ? {} : { note: listing.note })
      } catch {
        // the list we have stays
      }
    } while (again)
  }
  const onListChanged = (at: Connection): void => {
    if (at !== connection) return
    again = true
    relisting ??= relist().finally(() => (relisting = undefined))
  }

  const send = async (offer: Offer, input: Rec, signal: AbortSignal, retried: boolean): Promise<CallToolResult> => {
    const at = connection
    if (at === undefined) {
      if (retried || ending.signal.aborted) throw new Error(`The MCP server "${name}" is not there: ${state.error ?? state.status}`)
      await orAborted(start(), signal)
      return send(offer, input, signal, true)
    }
    const definition = { name: offer.name, inputSchema: { ...offer.parameters, type: 'object' as const } }
    try {
      return await at.client.callTool(
        { name: offer.name, arguments: input },
        {
          signal,
          timeout: callMs,
          maxTotalTimeout: Math.max(limits.callTotalMs, callMs),
          resetTimeoutOnProgress: true,
          onprogress: () => {},
          toolDefinition: definition as NonNullable<Parameters<typeof at.client.callTool>[1]>['toolDefinition'] & {},
        },
      )
    } catch (error) {
      if (signal.aborted) throw error
      const kind = kindOf(error)
      if (kind === 'timeout') throw new Error(`The MCP server "${name}" did not answer within ${callMs / 1000} s.`, { cause: error })
      if (kind === 'answer') throw new Error(shown(messageOf(error)), { cause: error })
      lose(at, kind === 'closed' ? undefined : (error as Error))
      // It has forgotten us and so has done nothing: the call may be made again.
      if (kind === 'forgotten' && !retried) return send(offer, input, signal, false)
      throw new Error(`The MCP server "${name}" failed during the call: ${state.error ?? 'it has gone'}`, { cause: error })
    }
  }

  return {
    status: () => state,
    offers: () => offers,
    async start() {
      if (spec.enabled !== false) await start()
      started = true
    },
    settle: () => relisting ?? Promise.resolve(),
    call: (offer, input, signal) => send(offer, input, signal, false),
    async close() {
      ending.abort(new Error('the session has ended'))
      const at = connection
      connection = undefined
      await Promise.allSettled([opening, at?.close(), ...late])
    },
  }
}

async function closeWhenLate(connecting: Promise<Connection>, signal: AbortSignal): Promise<Connection> {
  const made = await connecting
  if (signal.aborted) await made.close()
  return made
}

/** `answer`: the server is there and has answered, though not with a result. */
function kindOf(error: unknown): 'timeout' | 'closed' | 'forgotten' | 'answer' | 'broken' {
  const { name, code, status } = error as { name?: string; code?: unknown; status?: unknown }
  if (code === 'REQUEST_TIMEOUT') return 'timeout'
  if (code === 'CONNECTION_CLOSED' || code === 'NOT_CONNECTED') return 'closed'
  if (status === 404) return 'forgotten'
  return /^(Sdk|Protocol)/.test(name ?? '') && code !== 'SEND_FAILED' ? 'answer' : 'broken'
}

/** The SDK and fetch put what really happened several causes deep. */
function messageOf(error: unknown): string {
  const parts: string[] = []
  for (let at: unknown = error, depth = 0; at !== undefined && depth < 5; depth++) {
    const { message, code, cause, data } = (at ?? {}) as { message?: string; code?: string; cause?: unknown; data?: { cause?: unknown } }
    const said = [message, code].find((word) => typeof word === 'string' && word !== '') ?? 'unknown error'
    if (!parts.some((part) => part.includes(said))) parts.push(said)
    at = cause ?? data?.cause
  }
  return parts.join(': ')
}

/** What a server is given and may repeat in its errors. */
function secretsOf(spec: ServerSpec): string[] {
  if (!('url' in spec)) return Object.values(spec.environment ?? {})
  const url = URL.parse(spec.url)
  return [...Object.values(spec.headers ?? {}), ...(url === null ? [] : [url.password, ...url.searchParams.values()])]
}

/** One line without secrets. Short values are words, not secrets. */
const hiding = (values: readonly string[]): ((text: string) => string) => {
  const secrets = values.filter((value) => value.length >= 8)
  return (text) => {
    const safe = secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)
    return tidy(safe.replaceAll(/\s+/g, ' ').trim(), 600)
  }
}
