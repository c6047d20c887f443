// A session that a host of Claude Code drives: prompts and control records come on stdin, the dialect's records go to stdout. The end of
// stdin means that no more will come, never that the work is to stop.
import { join } from 'node:path'
import type { Rec } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { claude } from '../dialects/claude/index.ts'
import { openSessionLog } from '../log/sessions.ts'
import type { Prepared } from '../run/builtin.ts'
import type { EventSink, RunHandle } from '../run/contract.ts'
import type { Attachment } from '../supervise/contract.ts'
import { adapt } from './claude-adapt.ts'
import { createChannel } from './claude-channel.ts'
import { answer, type Control, interruption } from './claude-control.ts'
import { type Inbox, openInbox } from './claude-inbox.ts'
import type { HostMessage } from './claude-input.ts'
import { hostSink, resultOut } from './claude-output.ts'
import { isMode, type Mode } from './claude-rules.ts'
import { exitCodeOf, exitCodes, hasCode, say, systemReason, usageError } from './exit.ts'
import { builtinAgent, prepare, reportNotices } from '../run/agent.ts'
import { startRun } from '../run/service.ts'
import { hearSignals } from './run-live.ts'
import type { RunRequest } from '../run/request.ts'
import { lineOut } from './run-outputs.ts'
import { type Opened, openSession } from '../run/session.ts'
import { surroundings } from './surroundings.ts'
import { createUnwritten, type Unwritten } from './run-unwritten.ts'

export type DoorOptions = {
  output: 'stream-json' | 'json' | 'text'
  verbose: boolean
  /** Deltas too. */
  partial: boolean
  /** Prompts come back in the stream. */
  replay: boolean
  /** Permission questions go to the host; else what no rule allows is refused. */
  hostAnswers: boolean
  mode: Mode
  /** In place of our own words for the model, and after them. */
  system?: string
  append?: string
  sessionId?: string
  /** As Claude names them. */
  onlyTools?: readonly string[]
  agents: Rec
  /** Comes before all that the host says. */
  prompt?: { text: string; files: Attachment[] }
  /** Prompts and control records come on stdin. */
  readsHost: boolean
  /** Others who read the events. */
  sinks?: readonly EventSink[]
  /** What they cannot write. */
  unwritten?: Unwritten
  /** From when on it hears signals itself. */
  onRun?: () => Promise<void>
}

/** What `sluice run --format claude --input-format claude` is. */
export const plainDoor: DoorOptions = {
  output: 'stream-json',
  verbose: true,
  partial: true,
  replay: false,
  readsHost: true,
  hostAnswers: true,
  mode: 'default',
  agents: {},
}

export async function claudeDoor(flags: RunRequest, options: DoorOptions): Promise<number> {
  const { readsHost, prompt } = options
  const inbox = openInbox(readsHost, prompt === undefined ? [] : [{ type: 'prompt', ...prompt }])
  try {
    return await serve(flags, options, inbox)
  } finally {
    inbox.close() // an open stdin would keep the program alive
  }
}

async function serve(flags: RunRequest, options: DoorOptions, inbox: Inbox): Promise<number> {
  const around = await surroundings()
  const folder = join(around.dataFolder, 'sessions')
  const preparing = prepare(flags, around)
  preparing.catch(() => {}) // told when it is needed
  const out = options.output === 'stream-json' ? lineOut(1) : resultOut(options.output, options.verbose)
  let { mode } = options
  let run: RunHandle | undefined
  let signals: ReturnType<typeof hearSignals> | undefined
  let stopped = new AbortController()
  let waitsForTurn = false // an interrupt came after a prompt and before its turn

  const setMode = (word: unknown): void => {
    if (!isMode(word) || word === mode) return
    mode = word
    if (run !== undefined) sink.tellMode(mode)
  }
  const { unwritten = createUnwritten() } = options
  let isGone = false // the host, or the place for what it is told
  const onGone = (error: unknown): void => {
    if (!isGone) unwritten.byStdout(error)
    isGone = true
  }
  const channel = createChannel(out, setMode, onGone)
  const onTurn = (): void => void (waitsForTurn && setImmediate(interrupt))
  const sink = hostSink(claude, out, { ...options, mode: () => mode, channel, onTurn, onGone })

  const first = await inbox.peek()
  const init = first?.type === 'request' && first.subtype === 'initialize' ? first.body : {}
  let prepared: Prepared = adapt(await preparing, options, init, {
    env: process.env,
    ask: channel.ask,
    mode: () => mode,
    signal: () => stopped.signal,
    common: () => ({ session_id: sink.known().session ?? '', transcript_path: '', cwd: flags.cwd, permission_mode: mode }),
  })
  reportNotices(prepared, around.report)
  const firstModel = prepared.request.model
  let prompts = 0

  async function start(): Promise<RunHandle> {
    const session = await opened(flags, options, folder, prepared.places.cwd)
    const made = await startRun(flags, around, {
      agent: builtinAgent(prepared),
      session,
      sinks: [sink, ...(options.sinks ?? [])],
      answerer: options.hostAnswers ? channel.answerer : undefined,
      onLogFailed: unwritten.by('the session file'),
    })
    signals = hearSignals(made)
    await options.onRun?.()
    void made.done.finally(inbox.close)
    return made
  }

  function interrupt(): void {
    waitsForTurn = prompts > sink.known().turns && !sink.known().isBusy
    if (waitsForTurn) return
    void run?.send(interruption)
    stopped.abort()
    stopped = new AbortController()
  }

  const control: Control = {
    env: process.env,
    get prepared() {
      return prepared
    },
    known: sink.known,
    interrupt,
    setMode,
    setModel,
  }

  async function setModel(name: string | undefined): Promise<void> {
    if (run !== undefined) return run.send({ type: 'set', model: name ?? flags.model ?? `${firstModel.provider}/${firstModel.id}` })
    const model = name === undefined ? firstModel : await prepared.request.chooseModel(name)
    prepared = { ...prepared, request: { ...prepared.request, model } }
  }

  async function take(message: HostMessage): Promise<void> {
    switch (message.type) {
      case 'prompt': {
        run ??= await start()
        prompts++
        const { text, files, id } = message
        return run.send({ type: 'prompt', text, files, by: 'host', ...(id !== undefined && { id }) })
      }
      case 'request': {
        const answered = answer(message.subtype, message.body, control).then(
          (body) => channel.reply(message.id, body),
          (error: Error) => channel.refuse(message.id, error.message),
        )
        // A server of the host gets ready by what we read next, so nothing waits for it here.
        return message.subtype === 'mcp_status' ? undefined : answered
      }
      case 'reply':
        return channel.take(message)
      case 'withdraw':
        return
      case 'nothing':
        if (message.why !== '') say(`sluice: passed over on stdin: ${message.why}`)
    }
  }

  try {
    for await (const message of inbox) await take(message)
  } finally {
    channel.end()
    if (run === undefined) await prepared.request.servers?.close() // nobody else will
  }
  if (run === undefined) return unwritten.code(exitCodes.ok)
  await run.send({ type: 'finish' })
  const done = await run.done
  signals?.stop()
  const signal = signals?.heard()
  return unwritten.code(done.reason === 'cancelled' && signal === undefined ? exitCodes.ok : exitCodeOf(done, signal))
}

async function opened(flags: RunRequest, { sessionId }: DoorOptions, folder: string, cwd: string): Promise<Opened> {
  if (sessionId === undefined || flags.session.how !== 'new') return openSession(flags.session, folder, cwd)
  try {
    return { id: sessionId, how: 'new', history: [], log: openSessionLog(folder, sessionId) }
  } catch (error) {
    throw usageError(
      `the session ${quoted(sessionId)} cannot be begun: ${hasCode(error, 'EEXIST') ? 'there is one already' : systemReason(error)}`,
    )
  }
}
