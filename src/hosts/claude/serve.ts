// A session that a host of Claude Code drives: prompts and control records come on stdin, the dialect's records go to stdout. The end of
// stdin means that no more will come, never that the work is to stop.
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import { claude } from '../../dialects/claude/index.ts'
import { hasCode, systemReason } from '../../files/system-error.ts'
import { openSessionLog } from '../../log/sessions.ts'
import type { Prepared } from '../../run/builtin.ts'
import type { EventSink, RunEnd, RunHandle } from '../../run/contract.ts'
import { RequestError } from '../../run/errors.ts'
import type { Attachment } from '../../supervise/contract.ts'
import { adapt } from './adapt.ts'
import { createChannel } from './channel.ts'
import { answer, type Control, interruption } from './control.ts'
import { type Inbox, openInbox } from './inbox.ts'
import type { HostMessage } from './input.ts'
import { hostSink, resultOut } from './output.ts'
import { isMode, type Mode } from './rules.ts'
import { builtinAgent, prepare, reportNotices } from '../../run/agent.ts'
import { startRun } from '../../run/service.ts'
import type { RunRequest } from '../../run/request.ts'
import type { LineOut } from '../../run/sinks.ts'
import type { Surroundings } from '../../run/surroundings.ts'
import { type Opened, openSession } from '../../run/session.ts'

export type HostOptions = {
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
}

/** The process that the host has started. */
export type HostProcess = {
  around: Surroundings
  stdin: Readable
  /** Its stdout. */
  out: LineOut
  print(text: string): void
  onOutFailed(error: unknown): void
  onLogFailed(error: unknown): void
  /** From now on signals are for the run. */
  onRun(run: RunHandle): Promise<void>
}

/** What `sluice run --format claude --input-format claude` is. */
export const plainHost: HostOptions = {
  output: 'stream-json',
  verbose: true,
  partial: true,
  replay: false,
  readsHost: true,
  hostAnswers: true,
  mode: 'default',
  agents: {},
}

/** How the run ended; undefined: nothing was asked of it. */
export async function serveClaude(request: RunRequest, options: HostOptions, host: HostProcess): Promise<RunEnd | undefined> {
  const { readsHost, prompt } = options
  const inbox = openInbox(readsHost ? host.stdin : undefined, prompt === undefined ? [] : [{ type: 'prompt', ...prompt }])
  try {
    return await serve(request, options, host, inbox)
  } finally {
    inbox.close() // an open stdin would keep the program alive
  }
}

async function serve(request: RunRequest, options: HostOptions, host: HostProcess, inbox: Inbox): Promise<RunEnd | undefined> {
  const { around } = host
  const folder = join(around.dataFolder, 'sessions')
  const preparing = prepare(request, around)
  preparing.catch(() => {}) // told when it is needed
  const out =
    options.output === 'stream-json' ? host.out : resultOut(options.output, options.verbose, { print: host.print, report: around.report })
  let { mode } = options
  let run: RunHandle | undefined
  let stopped = new AbortController()
  let waitsForTurn = false // an interrupt came after a prompt and before its turn

  const setMode = (word: unknown): void => {
    if (!isMode(word) || word === mode) return
    mode = word
    if (run !== undefined) sink.tellMode(mode)
  }
  let isGone = false // the host, or the place for what it is told
  const onGone = (error: unknown): void => {
    if (!isGone) host.onOutFailed(error)
    isGone = true
  }
  const channel = createChannel(out, setMode, onGone)
  const onTurn = (): void => void (waitsForTurn && setImmediate(interrupt))
  const sink = hostSink(claude, out, { ...options, mode: () => mode, channel, onTurn, onGone })

  const first = await inbox.peek()
  const init = first?.type === 'request' && first.subtype === 'initialize' ? first.body : {}
  let prepared: Prepared = adapt(await preparing, options, init, {
    env: around.env,
    ask: channel.ask,
    mode: () => mode,
    signal: () => stopped.signal,
    common: () => ({ session_id: sink.known().session ?? '', transcript_path: '', cwd: request.cwd, permission_mode: mode }),
  })
  reportNotices(prepared, around.report)
  const firstModel = prepared.request.model
  let prompts = 0

  async function start(): Promise<RunHandle> {
    const session = await opened(request, options, folder, prepared.places.cwd)
    const made = await startRun(request, around, {
      agent: builtinAgent(prepared),
      session,
      sinks: [sink, ...(options.sinks ?? [])],
      answerer: options.hostAnswers ? channel.answerer : undefined,
      onLogFailed: host.onLogFailed,
    })
    await host.onRun(made)
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
    env: around.env,
    get prepared() {
      return prepared
    },
    known: sink.known,
    interrupt,
    setMode,
    setModel,
  }

  async function setModel(name: string | undefined): Promise<void> {
    if (run !== undefined) return run.send({ type: 'set', model: name ?? request.model ?? `${firstModel.provider}/${firstModel.id}` })
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
        if (message.why !== '') around.report(`passed over on stdin: ${message.why}`)
    }
  }

  try {
    for await (const message of inbox) await take(message)
  } finally {
    channel.end()
    if (run === undefined) await prepared.request.servers?.close() // nobody else will
  }
  if (run === undefined) return undefined
  await run.send({ type: 'finish' })
  return run.done
}

async function opened(request: RunRequest, { sessionId }: HostOptions, folder: string, cwd: string): Promise<Opened> {
  if (sessionId === undefined || request.session.how !== 'new') return openSession(request.session, folder, cwd)
  try {
    return { id: sessionId, how: 'new', history: [], log: openSessionLog(folder, sessionId) }
  } catch (error) {
    throw new RequestError(
      `the session ${quoted(sessionId)} cannot be begun: ${hasCode(error, 'EEXIST') ? 'there is one already' : systemReason(error)}`,
    )
  }
}
