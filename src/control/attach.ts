// A run and its sockets. The order matters: the sockets exist before the agent, which must find one of them in its environment, and the
// run exists after both; until it does, nothing can be asked of it.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Rec } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import type { Answerer, Chooser, EventSink } from '../run/contract.ts'
import type { ControlledRun } from './contract.ts'
import { customEvent } from './custom.ts'
import { serveEmit } from './emit-socket.ts'
import { createFeed } from './feed.ts'
import type { Controlled } from './methods.ts'
import { emitFolder, socketOf } from './places.ts'
import type { Questions } from './questions.ts'
import type { LogPlace } from './replay.ts'
import { codes, RpcError } from './rpc.ts'
import { type ControlServer, serveControl } from './server.ts'

export type ControlOptions = {
  /** The id of the run. */
  id: string
  env: Readonly<Record<string, string | undefined>>
  /** Where the run's events are kept, and how much the file held before. */
  log: LogPlace
  /** A path of the user's own; false: none. */
  socket?: string | false | undefined
  /** Those that its stream tells of. */
  questions: Questions
  /** The folder it runs in, for those who look for it. */
  cwd: string
  startedAt: number
  now(): number
}

export type Control = {
  /** Comes after the log's in the list of sinks: what it tells of must be there to read. */
  sink: EventSink
  /** For the agent and what it runs. */
  env: { SLUICE_EMIT_SOCKET: string }
  /** Of the control socket. Not for the agent. */
  path: string | undefined
  attach(run: ControlledRun): void
  /** Somebody is there who may answer questions. */
  mayAnswer(): boolean
  /** Keeps a question open as long as somebody is there who may answer it; the answer itself goes to the run. */
  answerer: Answerer
  /** The same of a choice. */
  chooser: Chooser
  /** What comes from now on is kept in another log. */
  follow(log: LogPlace): void
  /** After the run's end. */
  close(): Promise<void>
}

/** Throws a ControlError when a socket cannot be had. */
export async function attachControl({ id, env, log, questions, socket, cwd, startedAt, now }: ControlOptions): Promise<Control> {
  const path = socket === false ? undefined : (socket ?? socketOf(env, id))
  const emitPath = join(emitFolder(env), `${randomBytes(8).toString('hex')}.sock`)
  let last: Event | undefined // that named its session
  let records = 0
  let attached: ControlledRun | undefined
  let isOver = false

  function run(): ControlledRun {
    if (isOver) throw new RpcError(codes.notNow, 'the run is over')
    if (attached === undefined) throw new RpcError(codes.notNow, 'the run has not begun yet; try again')
    return attached
  }
  const emit =
    (from: 'agent' | 'host') =>
    (value: unknown): void =>
      run().emit([customEvent(value, { from, record: ++records, place: { session: last?.session, turn: last?.turn, at: now() } })])

  const feed = path === undefined ? undefined : createFeed(log)
  let control: ControlServer | undefined
  const emitting = await serveEmit({ path: emitPath, emit: emit('agent'), now })
  try {
    if (path !== undefined && feed !== undefined) {
      const status = (): Rec => ({ pid: process.pid, cwd, startedAt, sessions: attached?.sessions() ?? [] })
      const token = randomBytes(32).toString('base64url')
      const controlled: Controlled = { id, token, feed, questions, run, emit: emit('host'), status }
      control = await serveControl({ path, strict: socket === undefined, run: controlled })
    }
  } catch (error) {
    await emitting.close()
    feed?.close()
    throw error
  }

  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    isOver = true
    await Promise.all([emitting.close(), control?.close()])
    feed?.close()
  }

  const push = (event: Event): void => {
    if (event.session !== undefined) last = event
    feed?.sink.push(event)
  }
  return {
    sink: {
      push,
      flush: () => feed?.sink.flush(),
      end() {
        isOver = true
        feed?.sink.end()
      },
    },
    env: { SLUICE_EMIT_SOCKET: emitPath },
    path,
    attach: (made) => void (attached = made),
    mayAnswer: () => control?.mayAnswer() ?? false,
    answerer: (_question, signal) => untilNobody(control, signal),
    chooser: (_ask, signal) => untilNobody(control, signal),
    follow: (next) => feed?.follow(next),
    close: () => (closing ??= close()),
  }
}

function untilNobody(control: ControlServer | undefined, signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (control?.mayAnswer() !== true || signal.aborted) return resolve(undefined)
    const done = (): void => {
      stop()
      signal.removeEventListener('abort', done)
      resolve(undefined)
    }
    const stop = control.onChange(() => (control.mayAnswer() ? undefined : done()))
    signal.addEventListener('abort', done)
  })
}
