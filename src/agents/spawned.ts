// The harness around a program that is an agent: its bytes become events, commands become words of its protocol, and its end, however
// it comes, becomes exactly one end of the session that says what really happened.
import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Rec, stringifyJson } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import type { Event, EventOf } from '../model/event.ts'
import { outcomeOf } from '../model/outcome.ts'
import { toolKindOf } from '../model/tool-kind.ts'
import type { Ask, Command } from '../supervise/contract.ts'
import { askFor, isAsk } from './ask.ts'
import { inBursts } from './burst.ts'
import type { Done, Host, Running } from './contract.ts'
import { createProgress } from './progress.ts'
import type { Driver, Program, Prompt, SpawnRequest, Wire } from './driver.ts'
import { createPreSession } from './pre-session.ts'
import { createListener } from './listen.ts'
import { type Cancel, endOfRun, forcedReason } from './outcome.ts'
import { createParting } from './parting.ts'
import { timeouts, type Timeouts } from './timeouts.ts'
import { drain } from './process/drain.ts'
import { type Exit, type Group, startGroup } from './process/group.ts'
import { linesOf } from './process/lines.ts'
import { tailNotice, tailOf, type Tail } from './process/tail.ts'
import { promptOf } from './prompt.ts'
import { createQuestions } from './questions.ts'
import { createSessionView } from './session-view.ts'

const mostUnread = 32 * 2 ** 20 // bytes that were written to it

export function startSpawned(driver: Driver, request: SpawnRequest, above: Host, times: Timeouts = timeouts): Running {
  const host = inBursts(above)
  const { program } = driver
  const cwd = typeof program === 'string' ? '/' : program.cwd
  const began = host.now()
  const progress = createProgress()
  const view = createSessionView(request, host)
  const refused = new Set<string>() // calls, before they were made
  const timers = new Set<NodeJS.Timeout>()
  let group: Group | undefined
  let stderr: Tail | undefined
  let written: string[] = [] // until the first record comes: a second start says it again
  const prompts: Prompt[] = [] // from before the session began
  let given: Prompt[] = [] // those among them that it gets as soon as it runs, where it did not begin the session itself
  const late: Prompt[] = [] // it has its only prompt, and has not begun
  const told = new WeakSet<Prompt>() // by us
  let wasStopped = false // a turn, by somebody
  let isTakenBack = false // a prompt, before the agent got it
  let isLast = false // no more prompts will come
  let isClosed = false // its input
  let isEnding = false
  let isFaulty = false // we are
  let over: Done | undefined
  let cancel: Cancel | undefined
  let broken: Cancel['when'] // we have interrupted the turn; `step`: after its last step
  let forced: (done: Done) => void
  const forcedEnd = new Promise<Done>((resolve) => (forced = resolve))

  const after = (ms: number, act: () => void): NodeJS.Timeout => {
    const timer = setTimeout(act, ms)
    timers.add(timer)
    return timer
  }

  /** A fault of our own must not take the run with it: nothing more is read, and the session ends. */
  function safely(act: () => void, isLastWord = false): void {
    if (isFaulty && !isLastWord) return
    try {
      act()
    } catch (error) {
      failed(error)
    }
  }

  function failed(error: unknown): void {
    isFaulty = true
    const text = `sluice could not go on with what ${driver.title} said, which is a fault of sluice: ${String(error)}`
    stop({ type: 'cancel', target: 'session', by: 'policy', reason: 'error', text, code: 'internal' })
  }

  // ── from the agent ─────────────────────────────────────────────────────────────────────────────────────────────────────

  const listener = createListener({
    dialect: driver.dialect,
    onEvents: take,
    normalize: (record) => (talk.normalize === undefined ? record : talk.normalize(record)),
    isOwn: (record) => talk.consume?.(record) === true,
    onRecord(record) {
      if (over !== undefined) return
      talk.afterRecord?.(record)
      if (early.hasAny()) take([])
      parting.step()
    },
  })

  function readStderr(line: string): void {
    const said = over === undefined ? driver.readStderr?.(line) : undefined
    if (said === undefined) return
    begin()
    view.tell(said.kind, said.payload as never)
  }

  function take(events: readonly Event[]): void {
    if (over !== undefined) return
    if (early.keeps(events)) return
    main() // once it is said which session is ours, its events are known by that name
    for (const one of early.before(events)) {
      const event = view.place(one)
      if (event === undefined) continue
      if (isAsk(event)) questions.raise(event)
      else if (!questions.isToldAnswer(event)) tell(event)
    }
    parting.step()
  }

  const early = createPreSession({
    isOpening: () => !isEnding && talk.isOpening?.() === true,
    main,
    isCalled: view.isCalled,
    beginAlone() {
      begin()
      view.call('')
    },
  })

  /** The session that all prompts go to, where others may stand beside it. */
  function main(): string | undefined {
    const name = talk.session?.()
    return name !== undefined && view.call(name) === name ? name : undefined
  }

  function tell(event: Event): void {
    if (!view.isOwn(event)) return host.tell(event) // what another session does is none of the run's
    parting.onEvent(event)
    if (event.kind === 'turn.end' && event.agent === undefined && !isEnding) asMeant(event)
    // Some agents report what was refused as a failure like any other.
    if (event.kind === 'tool.end' && refused.delete(event.call ?? '') && event.status === 'error') event.status = 'denied'
    progress.onEvent(event)
    host.tell(event)
    talk.onEvent?.(event)
    if (!isEnding && cancel?.when === 'step' && isStep(event)) stopTurn(cancel)
  }

  /**
   * Some agents call it a failure that they were interrupted, others an end like any other, above all when a question of theirs was withdrawn
   * with it. After its last step a turn may well have come to its end.
   */
  function asMeant(end: EventOf<'turn.end'>): void {
    if (broken === 'now' || (broken === 'step' && end.reason === 'error')) end.reason = 'cancelled'
    broken = undefined
  }

  /** The model may be called again after it, or the next prompt be taken up. */
  function isStep({ kind, agent }: Event): boolean {
    if (kind === 'turn.end') return agent === undefined
    return (kind === 'message.end' || kind === 'tool.end') && progress.openCalls(agent) === 0 && progress.openCalls() === 0
  }

  const unheard = (ask: Ask): void => parting.asked(ask)
  const questions = createQuestions({ driver, request, cwd, host, isClosed: () => isClosed, unheard })

  // ── to the agent ───────────────────────────────────────────────────────────────────────────────────────────────────────

  function text(words: string): void {
    if (isClosed) return
    host.release() // what it said before stands in the stream
    if (listener.records() === 0) written.push(words)
    else written = []
    group?.stdin?.write(words)
  }
  const wire: Wire = {
    write: (record) => text(`${stringifyJson(record)}\n`),
    tell(record: Rec) {
      if (cancel !== undefined && isClosed) return // a prompt that waited is dropped, and so is an answer
      wire.write(record)
      listener.said(record)
    },
    text,
    close() {
      isClosed = true
      group?.stdin?.end()
    },
    isOpen: () => !isClosed,
    show(prompt, state = 'sent') {
      if (!told.has(prompt)) view.tell('prompt.submit', promptOf(prompt, state))
      told.add(prompt)
    },
    drop(prompt) {
      isTakenBack = true
      wire.show(prompt, 'queued')
      view.tell('notice', { level: 'warn', code: 'dropped', text: `${driver.title} never got this prompt: ${quoted(prompt.text)}` })
    },
    note: (notice) => over === undefined && view.tell('notice', notice),
    judge({ id, name, input }) {
      const place = { session: request.session, turn: view.turn(), call: id }
      const verdict = host.judge?.(askFor({ id, place, name, toolKind: toolKindOf(name), input }, request.profile, cwd))
      if (typeof verdict === 'object') refused.add(id)
      return verdict
    },
    signal: (name) => group?.signal(name),
  }
  const talk = driver.talk(wire)

  function send(command: Command): void {
    if (over !== undefined) return
    switch (command.type) {
      case 'prompt':
        if (!isClosed) {
          if (!view.isStarted()) prompts.push(command)
          talk.prompt(command)
        } else if (view.isStarted()) wire.drop(command)
        else late.push(command)
        break
      case 'permission': {
        const ask = questions.answered(command.id)
        if (ask === undefined) return
        wasStopped ||= command.answer.decision !== 'allow'
        // A turn that goes on without what it asked for does not come to its own end.
        if (cancel?.when === 'step' && command.answer.decision === 'cancelled') broken = 'now'
        talk.answer(ask, command.answer)
        break
      }
      case 'cancel':
        stop(command)
        break
      case 'set':
        return talk.set?.(command)
      case 'finish':
        isLast = true
    }
    parting.step()
  }

  /** What an agent that works by prompts alone says after its turn holds up nothing. */
  const isBusy = (): boolean => !talk.isIdle() || (driver.onlyPrompted !== true && progress.isTurnOpen())

  /** The first cause wins. */
  function stop(command: Cancel): void {
    const { target, by, text: why } = command
    if (command.reason === 'cancelled_forced') return force(command)
    if (cancel?.when === 'step' && target === 'session' && command.when !== 'step') return stopTurn({ ...cancel, when: 'now' })
    if (cancel !== undefined || (target === 'turn' && !isBusy())) return
    wasStopped = true
    if (target === 'session') [cancel, isLast] = [command, true]
    begin()
    view.tell('cancel.request', { target, by, ...(why !== undefined && { text: why }) })
    if (command.when === 'step' && isBusy() && !isStepless(command)) return
    stopTurn(command)
  }

  /** It does not tell where an answer of the model ends: to wait for that is to pay for all that follow. */
  const isStepless = ({ reason }: Cancel): boolean => reason === 'budget' && !progress.hasMessages() && progress.openCalls() === 0

  function stopTurn(command: Cancel): void {
    const turn = view.turn()
    if (cancel !== undefined) cancel = { ...cancel, when: 'now' }
    if (isBusy()) talk.interrupt()
    // Not of a turn whose end it has told already: that may still be on its way here.
    if (command.target === 'session' || progress.isTurnOpen()) queueMicrotask(() => (broken ??= command.when ?? 'now'))
    if (command.target === 'session') {
      wire.close()
      after(times.interruptMs, end)
    } else if (progress.isTurnOpen() || talk.isStarting?.() === true)
      after(times.interruptMs * 4, () => isBusy() && view.turn() === turn && giveUp(command))
  }

  /** It does not end its turn, so the session ends. */
  function giveUp(command: Cancel): void {
    cancel ??= { ...command, text: `${command.text ?? 'cancelled'}; ${driver.title} did not end its turn, so it was ended` }
    end()
  }

  function end(): void {
    void group?.end(times.termMs)
  }

  /** For an agent that has not said so itself. */
  function begin(): void {
    if (view.isStarted()) return
    view.start({ program: driver.name, ...(typeof program !== 'string' && { cwd: program.cwd }) })
    const unsent = talk.unsent?.() ?? []
    given = prompts.filter((prompt) => !unsent.includes(prompt))
    if (group === undefined) return // nobody knows yet whether it will run
    for (const prompt of given) wire.show(prompt)
  }

  const parting = createParting({
    driver,
    times,
    progress,
    isBusy,
    isLast: () => isLast,
    isClosed: () => isClosed,
    close: wire.close,
    begin,
    note: (notice) => view.tell('notice', notice),
    end,
  })

  // ── its life ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  async function live(start: Program): Promise<Exit> {
    const started = (group = await startGroup({ ...start, stdin: 'pipe', mark: randomBytes(12).toString('hex') }))
    stderr = tailOf(started.stderr)
    if (driver.readStderr !== undefined) linesOf(started.stderr, (line) => safely(() => readStderr(line)))
    let heardAt = performance.now()
    started.stdout.on('data', (chunk: Buffer) => {
      heardAt = performance.now()
      safely(() => listener.push(chunk))
      host.release()
      if (started.stdin!.writableLength > mostUnread) parting.abandon('unread', 'asked more than it read the answers to', 'now')
    })
    let hasExited = false
    const abandonSilent = (): void => (hasExited ? undefined : parting.abandon('silent', 'closed its output and did not leave'))
    started.stdout.once('end', () => after(times.lingerMs, abandonSilent))
    for (const words of written) started.stdin!.write(words)
    if (isClosed) started.stdin!.end()
    if (cancel?.when !== 'step' && cancel !== undefined) end()
    const exit = await started.exited
    hasExited = true
    await drain(started, () => heardAt, times)
    return exit
  }

  async function run(): Promise<Done> {
    await nextTurn() // the first commands come first
    if (typeof program === 'string') return finish({ noStart: program })
    try {
      const exit = await live(program)
      const second = listener.records() === 0 && cancel === undefined ? driver.again?.(program.args, stderr!.text()) : undefined
      if (second !== undefined) return finish({ exit: await live({ ...program, args: second }) })
      return finish(exit.code === 127 && listener.records() === 0 ? { exit, noStart: notFound(driver, program) } : { exit })
    } catch (error) {
      if (group !== undefined) failed(error)
      return finish(group === undefined ? { noStart: `${driver.title} could not be started: ${(error as Error).message}` } : {})
    }
  }

  /** There is no time to wait for anybody: the stream gets its end now, and nothing after it. */
  function force(command: Cancel): void {
    cancel = { ...(cancel ?? command), reason: forcedReason(cancel?.reason) }
    group?.kill()
    forced({ ...finish({}), forced: true })
    void group?.end()
  }

  function finish({ exit, noStart }: { exit?: Exit; noStart?: string }): Done {
    if (over !== undefined) return over
    safely(() => listener.flush())
    isEnding = true
    safely(() => take([]))
    parting.over()
    for (const timer of timers) clearTimeout(timer)
    const said = stderr?.text() ?? ''
    const [{ title }, turn] = [driver, progress.lastTurn()]
    const { reason, error } = endOfRun({
      title,
      exit,
      noStart,
      turn,
      isUnfinished: isBusy(),
      isTakenBack,
      wasStopped,
      wasEnded: parting.wasEnded(),
      abandoned: parting.abandoned(),
      cancel,
      stderr: said,
    })
    const left = parting.abandoned() === undefined ? exit : undefined // else by us
    const cause = { reason, error, exitCode: left?.code ?? undefined, signal: cancel?.signal ?? left?.signal ?? undefined }
    begin()
    for (const prompt of given) wire.show(prompt, group === undefined ? 'queued' : 'sent')
    for (const prompt of [...late, ...(talk.unsent?.() ?? [])]) wire.drop(prompt)
    const isBad = outcomeOf(reason) === 'failed' && cancel === undefined
    if (isBad && said.trim() !== '') view.tell('notice', tailNotice(title, stderr!))
    if (isBad && error !== undefined && error !== turn?.error)
      // before the turn that it cuts short has its end
      view.tell('error', { scope: 'session', fatal: true, error, source: driver.name })
    safely(() => listener.end({ ...cause, session: main() }), true)
    questions.withdrawAll()
    const { usage, cost } = progress.spent()
    const durationMs = host.now() - began
    const rest = { durationMs, ...(turn?.text !== undefined && { text: turn.text }), ...(cost !== undefined && { cost }) }
    view.end({ ...cause, ...rest, usage })
    return (over = { reason, ...(error !== undefined && { error }), ...rest, turns: progress.answers(), usage })
  }

  return { send, done: Promise.race([run(), forcedEnd]) }
}

const notFound = ({ title }: Driver, { file }: Program): string => `${title} could not be started: there is no program "${file}"`
