// A session that a host of Claude Code drives: prompts and control records come on stdin, the dialect's records go to stdout. The end of
// stdin means that no more will come, never that the work is to stop.
import { dirname } from 'node:path'
import type { Rec } from '../base/json.ts'
import type { ServerSpec } from '../config/shape.ts'
import { claude } from '../dialects/claude/index.ts'
import { createFramer } from '../framing/framer.ts'
import { openSessionLog, sessionsFolder } from '../log/sessions.ts'
import type { Prepared } from '../run/builtin.ts'
import type { EventSink } from '../run/pipeline.ts'
import type { Run } from '../run/run.ts'
import { logSink } from '../run/sinks.ts'
import { adapt } from './claude-adapt.ts'
import { createChannel } from './claude-channel.ts'
import { answer, type Control, interruption } from './claude-control.ts'
import { hostMessage, type HostMessage } from './claude-input.ts'
import { hostSink, resultOut } from './claude-output.ts'
import { isMode, type Mode } from './claude-rules.ts'
import { exitCodeOf, exitCodes, say, systemReason } from './exit.ts'
import { compose, hearSignals, type Opened, prepare, sessionOf } from './run-live.ts'
import type { AgentFlags } from './run-options.ts'
import { lineOut } from './run-outputs.ts'

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
  servers: Readonly<Record<string, ServerSpec>>
  onlyTheseServers: boolean
  /** The one prompt: stdin is not read then. */
  prompt?: string
  /** Others who read the events. */
  sinks?: readonly EventSink[]
}

/** What `sluice run --format claude --input-format claude` is. */
export const plainDoor: DoorOptions = {
  output: 'stream-json',
  verbose: true,
  partial: false,
  replay: false,
  hostAnswers: true,
  mode: 'default',
  agents: {},
  servers: {},
  onlyTheseServers: false,
}

export async function claudeDoor(flags: AgentFlags, options: DoorOptions): Promise<number> {
  const { prompt } = options
  const inbox = prompt === undefined ? hostMessages() : given({ type: 'prompt', text: prompt, files: [] })
  try {
    return await serve(flags, options, inbox)
  } finally {
    inbox.close() // an open stdin would keep the program alive
  }
}

async function serve(flags: AgentFlags, options: DoorOptions, inbox: Inbox): Promise<number> {
  const folder = sessionsFolder(process.env)
  const preparing = prepare(flags, dirname(folder))
  preparing.catch(() => {}) // told when it is needed
  const out = options.output === 'stream-json' ? lineOut(1) : resultOut(options.output, options.verbose)
  let { mode } = options
  let run: Run | undefined
  let signals: ReturnType<typeof hearSignals> | undefined
  let stopped = new AbortController()
  let waitsForTurn = false // an interrupt came after a prompt and before its turn

  const setMode = (word: unknown): void => {
    if (!isMode(word) || word === mode) return
    mode = word
    if (run !== undefined) sink.tellMode(mode)
  }
  const channel = createChannel(out, setMode)
  const sink = hostSink(claude, out, { ...options, mode: () => mode, channel, onTurn: () => waitsForTurn && setImmediate(interrupt) })

  const first = await inbox.peek()
  const init = first?.type === 'request' && first.subtype === 'initialize' ? first.body : {}
  let prepared: Prepared = adapt(await preparing, options, init, {
    env: process.env,
    ask: channel.ask,
    mode: () => mode,
    signal: () => stopped.signal,
    common: () => ({ session_id: sink.known().session ?? '', transcript_path: '', cwd: flags.cwd, permission_mode: mode }),
  })
  const firstModel = prepared.request.model
  let prompts = 0
  let turns = 0

  async function start(): Promise<Run> {
    const session = await opened(flags, options, folder, prepared.places.cwd)
    const log = logSink(session.log, (error) =>
      say(`sluice: the session file cannot be written any more (${systemReason(error)}); the run goes on`),
    )
    const count: EventSink = { push: ({ kind }) => void (kind === 'turn.start' && turns++), flush() {}, end() {} }
    const made = await compose(
      flags,
      prepared,
      session,
      [log, count, sink, ...(options.sinks ?? [])],
      options.hostAnswers ? channel.answerer : undefined,
    )
    signals = hearSignals(made)
    void made.done.finally(inbox.close)
    return made
  }

  function interrupt(): void {
    waitsForTurn = prompts > turns && !sink.known().isBusy
    if (waitsForTurn) return
    run?.send(interruption)
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
    setModel: (name) => void setModel(name),
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
      case 'request':
        return void answer(message.subtype, message.body, control).then(
          (body) => channel.reply(message.id, body),
          (error: Error) => channel.refuse(message.id, error.message),
        )
      case 'reply':
        return channel.take(message)
      case 'withdraw':
        return
      case 'nothing':
        if (message.why !== '') say(`sluice: passed over on stdin: ${message.why}`)
    }
  }

  for await (const message of inbox) await take(message)
  channel.end()
  if (run === undefined) {
    await (await prepared.request.servers)?.close()
    return exitCodes.ok
  }
  run.send({ type: 'finish' })
  const { reason } = await run.done
  signals?.stop()
  const signal = signals?.heard()
  return reason === 'cancelled' && signal === undefined ? exitCodes.ok : exitCodeOf(reason, signal)
}

async function opened(flags: AgentFlags, { sessionId }: DoorOptions, folder: string, cwd: string): Promise<Opened> {
  if (sessionId === undefined || flags.session.how !== 'new') return sessionOf(flags, folder, cwd)
  return { id: sessionId, how: 'new', history: [], log: openSessionLog(folder, sessionId) }
}

// ── stdin ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

type Inbox = AsyncIterable<HostMessage> & {
  /** The next message, which stays; undefined when there is none. */
  peek(): Promise<HostMessage | undefined>
  close(): void
}

/** Messages as they come; closed, it gives what it has and ends. */
function createInbox(onClose: () => void): Inbox & { push(message: HostMessage): void } {
  const queue: HostMessage[] = []
  let isOver = false
  let wake = (): void => {}
  const some = async (): Promise<boolean> => {
    while (queue.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve))
    return queue.length > 0
  }
  return {
    push(message) {
      queue.push(message)
      wake()
    },
    peek: async () => ((await some()) ? queue[0] : undefined),
    close() {
      isOver = true
      onClose()
      wake()
    },
    async *[Symbol.asyncIterator]() {
      while (await some()) yield queue.shift()!
    },
  }
}

function hostMessages(): Inbox {
  const stdin = process.stdin
  const inbox = createInbox(() => void stdin.destroy())
  const framer = createFramer({
    record: (record) => inbox.push(hostMessage(record)),
    bad: (code, text) => code !== 'utf8' && inbox.push({ type: 'nothing', why: `a line that is no JSON object (${text})` }),
  })
  const end = (): void => {
    framer.end()
    inbox.close()
  }
  stdin.on('data', (block: Buffer) => framer.push(block))
  stdin.once('end', end)
  stdin.once('error', end)
  return inbox
}

function given(message: HostMessage): Inbox {
  const inbox = createInbox(() => {})
  inbox.push(message)
  inbox.close()
  return inbox
}
