// The other end of a run's sockets: calls, one after another, and the events of a subscription. Reads no faster than whoever asks.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { once } from 'node:events'
import { isRecord, parseJson, type Rec, stringifyJson } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { createLines } from './lines.ts'
import { checkFolder, ControlError, controlFolder, socketOf, tokenOf } from './places.ts'
import { RpcError } from './rpc.ts'

type Env = Readonly<Record<string, string | undefined>>

/** `method` is event, gap or end. */
export type Notice = { method: string; params: Rec }

export type Client = {
  /** Rejects with an RpcError when the other side says no. */
  call(method: string, params?: Rec): Promise<unknown>
  /** What is told after a subscription, until the other side closes. */
  notices(): AsyncGenerator<Notice, void, void>
  [Symbol.dispose](): void
}

const longestMessage = 1 << 30 // an event may be large, and the run is trusted
const patienceMs = 1000

/** Throws a ControlError when nobody listens there. */
export async function connectTo(path: string): Promise<Client> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const reason = code === 'ECONNREFUSED' || code === 'ENOENT' ? 'no run listens there' : (error as Error).message
    throw new ControlError(`cannot reach ${quoted(path, 200)}: ${reason}`)
  }
  const messages = messagesOf(socket)
  let calls = 0
  return {
    async call(method, params = {}) {
      const id = ++calls
      socket.write(`${stringifyJson({ jsonrpc: '2.0', id, method, params })}\n`)
      for (;;) {
        const { done, value } = await messages.next()
        if (done === true) throw new ControlError(`the run closed the connection before it answered ${quoted(method)}`)
        if (value['id'] !== id && value['id'] !== null) continue
        const { error } = value
        if (!isRecord(error)) return value['result']
        throw new RpcError(Number(error['code']), String(error['message'] as string), isRecord(error['data']) ? error['data'] : undefined)
      }
    },
    async *notices() {
      for await (const { method, params } of messages)
        if (typeof method === 'string') yield { method, params: isRecord(params) ? params : {} }
    },
    [Symbol.dispose]: () => void socket.destroy(),
  }
}

async function* messagesOf(socket: Socket): AsyncGenerator<Rec, void, void> {
  let lines: string[] = []
  const push = createLines(
    longestMessage,
    (line) => lines.push(line),
    () => socket.destroy(),
  )
  try {
    for await (const chunk of socket) {
      push(chunk as Uint8Array)
      const whole = lines
      lines = []
      for (const line of whole) {
        const message = parseJson(line)
        if (isRecord(message)) yield message
      }
    }
  } catch {
    // the other side has gone: the end of what it says
  }
}

/** The token of the run that listens there. Throws a ControlError. */
export function readToken(path: string): string {
  try {
    return readFileSync(tokenOf(path), 'utf8').trim()
  } catch (error) {
    throw new ControlError(`the token of the run cannot be read: ${(error as Error).message}`)
  }
}

// ── finding a run ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `status`: what the run says of itself. */
export type Found = { run: string; path: string; cwd: string; status: Rec }

/** The socket of a run, of the only one that runs when none is named. Throws a ControlError. */
export async function findSocket(env: Env, run: string | undefined): Promise<string> {
  if (run !== undefined) {
    if (existsSync(controlFolder(env))) checkFolder(controlFolder(env), true) // nobody else's run is spoken to
    const path = socketOf(env, run)
    return existsSync(path) ? path : (fromShort(env, run) ?? path)
  }
  const found = await findRuns(env)
  const [first] = found
  if (found.length === 1) return first!.path
  if (first === undefined)
    throw new ControlError(
      `no run can be reached: no run listens in ${quoted(controlFolder(env), 200)}; for a run with a socket elsewhere give --control-socket PATH`,
    )
  throw new ControlError(`several runs are there, choose one:${found.map(({ run: id, cwd }) => `\n  ${id}  ${cwd}`).join('')}`)
}

/** The socket of the run whose id begins or ends so. */
function fromShort(env: Env, run: string): string | undefined {
  const ids = socketsIn(controlFolder(env)).map((name) => basename(name, '.sock'))
  const meant = ids.filter((id) => id.startsWith(run) || id.endsWith(run))
  if (meant.length > 1)
    throw new ControlError(`${quoted(run)} is the short form of several runs:${meant.map((id) => `\n  ${id}`).join('')}`)
  return meant[0] === undefined ? undefined : socketOf(env, meant[0])
}

/** All that answer. */
export async function findRuns(env: Env): Promise<Found[]> {
  const folder = controlFolder(env)
  const found = await Promise.all(socketsIn(folder).map((name) => lookAt(join(folder, name))))
  return found.filter((one) => one !== undefined)
}

function socketsIn(folder: string): string[] {
  try {
    checkFolder(folder, true)
    return readdirSync(folder).filter((name) => name.endsWith('.sock'))
  } catch (error) {
    if (error instanceof ControlError) throw error
    return [] // there has never been one
  }
}

/** Undefined: a run that was killed has left it behind, or it does not answer. */
async function lookAt(path: string): Promise<Found | undefined> {
  try {
    using client = await connectTo(path)
    const timer = setTimeout(() => client[Symbol.dispose](), patienceMs)
    const status = await client.call('status').finally(() => clearTimeout(timer))
    if (!isRecord(status)) return undefined
    const cwd = typeof status['cwd'] === 'string' ? status['cwd'] : dirname(path)
    return { run: basename(path, '.sock'), path, cwd, status }
  } catch {
    return undefined
  }
}
