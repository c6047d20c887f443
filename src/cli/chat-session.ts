// The session behind a chat: prepared at once, begun with the first prompt, so that a chat in which nothing was said leaves nothing.
import { join } from 'node:path'
import type { Event } from '../model/event.ts'
import { modelText, scriptProvider } from '../model/scripted.ts'
import type { Prepared } from '../run/builtin.ts'
import type { Answerer, RunEnd, RunHandle } from '../run/contract.ts'
import { type Book, createBook } from './chat-book.ts'
import { builtinAgent, prepare } from '../run/agent.ts'
import { startRun } from '../run/service.ts'
import { hearSignals } from './run-live.ts'
import type { RunRequest } from '../run/request.ts'
import { type Opened, openSession } from '../run/session.ts'
import { createUnwritten } from './run-unwritten.ts'
import { surroundings } from './surroundings.ts'

export type ChatHooks = {
  answerer: Answerer
  push(event: Event): void
  flush(): void
}

export type ChatSession = {
  flags: RunRequest
  prepared: Prepared
  book: Book
  /** The events that it goes on from. */
  history: readonly Event[]
  /** Undefined until something was said. */
  id(): string | undefined
  /** `provider/model`, or of a script the model that it stands for. */
  model(): string
  /** Resolves when the turn is over; with the end, when that was the last one. */
  prompt(text: string): Promise<RunEnd | undefined>
  /** Ends the turn. The second time everything. */
  stop(): void
  /** Rejects with a sentence for people. */
  setModel(name: string): Promise<void>
  close(): Promise<void>
}

export async function openChatSession(flags: RunRequest, { answerer, push, flush }: ChatHooks): Promise<ChatSession> {
  const around = await surroundings()
  const folder = join(around.dataFolder, 'sessions')
  const prepared = await prepare(flags, around)
  const { request, places } = prepared
  let opened: Opened | undefined = flags.session.how === 'new' ? undefined : await openSession(flags.session, folder, places.cwd)
  void request.servers?.connect() // while the first prompt is typed
  const history = opened?.history ?? []
  const book = createBook(history)
  let chosen = request.model
  let run: RunHandle | undefined
  let end: RunEnd | undefined
  let isReady = false // its first turn has begun
  let isStopping = false
  let turnOver: (() => void) | undefined // the turn has ended, and somebody waits for that
  let isTurnOver = false
  let isEnding = false // the whole session is, and its end is what to wait for

  const sink = {
    push(event: Event): void {
      book.push(event)
      push(event)
      if (event.kind === 'turn.start' && event.agent === undefined) {
        isReady = true
        if (isStopping) queueMicrotask(cancel) // it was stopped before it began
      }
      if (event.kind === 'cancel.request' && event.target === 'session') isEnding = true
      if (event.kind === 'turn.end' && event.agent === undefined) isTurnOver = !isEnding
    },
    flush(): void {
      flush()
      if (!isTurnOver) return
      isTurnOver = false
      turnOver?.()
    },
    end: flush,
  }

  const cancel = (): void =>
    void run?.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled', text: 'stopped by the user' })

  async function begin(): Promise<RunHandle> {
    opened ??= await openSession(flags.session, folder, places.cwd)
    const agent = builtinAgent({ ...prepared, request: { ...request, model: chosen } })
    const started = await startRun(flags, around, {
      agent,
      session: opened,
      sinks: [sink],
      answerer,
      onLogFailed: createUnwritten().by('the session file'),
    })
    const signals = hearSignals(started)
    void started.done.then((done) => {
      end = done
      signals.stop()
      turnOver?.()
    })
    return started
  }

  return {
    flags,
    prepared,
    book,
    history,
    id: () => opened?.id,
    model: () => (chosen.provider === scriptProvider ? modelText(chosen.id, true) : `${chosen.provider}/${chosen.id}`),
    async prompt(text) {
      run ??= await begin()
      if (end !== undefined) return end
      isStopping = false
      const over = new Promise<void>((resolve) => (turnOver = resolve))
      await run.send({ type: 'prompt', text })
      await over
      turnOver = undefined
      return end
    },
    stop() {
      isEnding ||= isStopping // the end of the turn is not the last word then
      if (isStopping) return void run?.stop({ force: true, text: 'stopped by the user' })
      isStopping = true
      if (!isReady) request.servers?.giveUp() // they are what the first turn waits for
      cancel()
    },
    async setModel(name) {
      chosen = await request.chooseModel(name)
      flags.model = name
      await run?.send({ type: 'set', model: name })
    },
    async close() {
      if (run === undefined) {
        opened?.log.close()
        return request.servers?.close()
      }
      await run.send({ type: 'finish' })
      await run.done
    },
  }
}
