// One live connection to a server, whatever carries it. Two generations of the protocol are spoken: a child is first greeted the old
// way, which some children do not survive otherwise; a remote server is asked which one it speaks.
import type { Client, ClientOptions, FetchLike, Transport } from '@modelcontextprotocol/client'
import { createStdioTransport, type Child } from './stdio.ts'
import { limits, type RemoteSpec } from './spec.ts'

export type Connection = {
  client: Client
  close(): Promise<void>
  /** What a child had to say about its end. */
  lastWords(): string
}

export type ConnectionOptions = {
  /** Ends the attempt. */
  signal: AbortSignal
  timeoutMs: number
  /** It ended by itself, or can no longer be trusted to answer. */
  onGone(connection: Connection, error?: Error): void
  onListChanged(connection: Connection): void
}

type Sdk = typeof import('@modelcontextprotocol/client')
type Mode = 'legacy' | 'auto' | { pin: string }

const loadSdk = (): Promise<Sdk> => import('@modelcontextprotocol/client')

export async function connectChild(child: Child, options: ConnectionOptions): Promise<Connection> {
  const sdk = await loadSdk()
  const attempt = (mode: Mode): Promise<Connection> => {
    const transport = createStdioTransport(child)
    return connect(sdk, transport, mode, options, transport.lastWords)
  }
  try {
    return await attempt('legacy')
  } catch (error) {
    // It answered, but not to the old greeting.
    if (!(error instanceof sdk.ProtocolError) || options.signal.aborted) throw error
    return await attempt({ pin: '2026-07-28' }).catch(() => Promise.reject(error))
  }
}

export async function connectRemote({ url, headers, type }: RemoteSpec, options: ConnectionOptions): Promise<Connection> {
  const sdk = await loadSdk()
  const at = new URL(url)
  const request = { requestInit: { headers: { ...headers } } }
  const streamable = (): Promise<Connection> => {
    let broken: ((error: Error) => void) | undefined
    const transport = new sdk.StreamableHTTPClientTransport(at, { ...request, fetch: watchedFetch((error) => broken?.(error)) })
    const made = connect(sdk, transport as Transport, 'auto', options, undefined, () => transport.terminateSession())
    return made.then((connection) => {
      broken = (error) => options.onGone(connection, error)
      return connection
    })
  }
  const sse = async (): Promise<Connection> => {
    const transport = new sdk.SSEClientTransport(at, { ...request, fetch: watchedFetch(() => {}) })
    const connection = await connect(sdk, transport, 'legacy', options)
    // Calls are answered on one long stream: without it none will be.
    connection.client.onerror = (error) => {
      if (error instanceof sdk.SseError) options.onGone(connection, error)
    }
    return connection
  }
  if (type === 'sse') return sse()
  try {
    return await streamable()
  } catch (error) {
    const refused = error instanceof sdk.SdkHttpError && (error.status === 401 || error.status === 403)
    if (type === 'http' || refused || options.signal.aborted) throw error
    return await sse().catch(() => Promise.reject(error))
  }
}

async function connect(
  sdk: Sdk,
  transport: Transport,
  mode: Mode,
  options: ConnectionOptions,
  lastWords: () => string = () => '',
  farewell: () => Promise<void> = () => Promise.resolve(),
): Promise<Connection> {
  const { signal, timeoutMs } = options
  let closing = false
  const listChanged: NonNullable<ClientOptions['listChanged']> = {
    tools: { autoRefresh: false, debounceMs: 0, onChanged: () => options.onListChanged(connection) },
  }
  const client = new sdk.Client(
    { name: 'sluice', version: '1' },
    { capabilities: {}, versionNegotiation: { mode }, listChanged, jsonSchemaValidator: trusting },
  )
  const connection: Connection = {
    client,
    lastWords,
    async close() {
      closing = true
      await Promise.race([farewell().catch(() => {}), new Promise((resolve) => setTimeout(resolve, 500).unref())])
      await client.close().catch(() => {})
      await transport.close().catch(() => {})
    },
  }
  try {
    await orAborted(client.connect(transport, { signal, timeout: timeoutMs }), signal)
  } catch (error) {
    closing = true
    await transport.close().catch(() => {})
    const words = lastWords()
    if (words === '' || error instanceof sdk.ProtocolError) throw error
    throw new Error(`${error instanceof Error ? error.message : String(error)} (${words})`, { cause: error })
  }
  client.onclose = () => {
    if (!closing) options.onGone(connection)
  }
  return connection
}

/** What a tool returns is for the model, not for us: no schema of a server is compiled. */
const trusting: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

/** Not every step of the SDK listens to its signal. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
    work.catch(() => {})
  }
}

/** An answer that breaks off is told at once, where the SDK would wait for its time to run out; one that does not end is cut. */
const watchedFetch =
  (onBroken: (error: Error) => void): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init)
    if (init?.method !== 'POST' || !response.ok || response.body === null) return response
    let bytes = 0
    const reader = response.body.getReader()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          bytes += value.length
          if (bytes > limits.messageBytes) throw new Error(`the answer was longer than ${limits.messageBytes} bytes`)
          controller.enqueue(value)
        } catch (error) {
          controller.error(error)
          await reader.cancel().catch(() => {})
          if (init.signal?.aborted !== true) onBroken(error instanceof Error ? error : new Error(String(error)))
        }
      },
      cancel: (reason) => reader.cancel(reason),
    })
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
  }
