// The harness around a program that is an agent: its bytes become events, commands become words of its protocol, and its end, however
// it comes, becomes exactly one end of the session that says what really happened. lifecycle.ts decides what an input does; this file
// has the effects.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Rec, stringifyJson } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import { outcomeOf } from '../model/outcome.ts'
import { toolKindOf } from '../model/tool-kind.ts'
import type { Command } from '../supervise/contract.ts'
import { askFor, isAsk } from './ask.ts'
import { inBatches } from './batching.ts'
import type { Done, Host, Running } from './contract.ts'
import type { Driver, Program, SpawnRequest, Wire } from './driver.ts'
import { createInterruption } from './interruption.ts'
import { type Input, type State, type Step, transition } from './lifecycle.ts'
import { createLink } from './link.ts'
import { createListener } from './listen.ts'
import { type Cancel, endOfRun, forcedReason } from './outcome.ts'
import { createPreSession } from './pre-session.ts'
import { linesOf } from './process/lines.ts'
import { tailNotice } from './process/tail.ts'
import { createProgress } from './progress.ts'
import { createPrompts } from './prompts.ts'
import { createQuestions } from './questions.ts'
import { createSessionView } from './session-view.ts'
import { createShutdown } from './shutdown.ts'
import { timeOf, timeouts, type Timeouts } from './timeouts.ts'
import type { Connection, Exit } from './transport/contract.ts'
import { stdio } from './transport/stdio.ts'

/** States in which nothing more is said to it. */
const closing: ReadonlySet<State> = new Set(['background', 'leaving', 'stopping', 'ending'])
const maxUnread = 32 * 2 ** 20 // bytes that were written to it

export function startSpawned(driver: Driver, request: SpawnRequest, above: Host, times: Timeouts = timeouts): Running {
  const host = inBatches(above)
  const { program, title } = driver
  const cwd = typeof program === 'string' ? '/' : program.cwd
  const began = host.now()
  const progress = createProgress()
  const view = createSessionView(request, host)
  const link = createLink(driver.transport ?? stdio, () => listener.records() > 0)
  const questions = createQuestions({ driver, request, cwd, host, isClosed: link.isClosed })
  const prompts = createPrompts({ title, view, unsent: () => talk.unsent?.() ?? [] })
  const refused = new Set<string>() // calls, before they were made
  let state: State = 'starting'
  let timer: NodeJS.Timeout | undefined // of the state
  let isLast = false // no more prompts will come
  let cancel: Cancel | undefined // of the session
  let cancelledTurn: { command: Cancel; turn: number | undefined } | undefined
  let isFaulty = false // we are
  let over: Done | undefined
  const forced = Promise.withResolvers<Done>()

  // ── its life ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** What an agent that works by prompts alone says after its turn holds up nothing. */
  const isBusy = (): boolean => !talk.isIdle() || (driver.onlyPrompted !== true && progress.isTurnOpen())

  const facts = {
    isBusy,
    isLast: () => isLast,
    isClosed: link.isClosed,
    isUnanswered: questions.isUnanswered,
    isCancelledTurn: () => view.turn() === cancelledTurn?.turn,
    hasTasks: () => progress.openTasks() + progress.openCommands() > 0,
    mayGoOn: () => driver.onlyPrompted !== true && progress.hadTasks(),
    stays: driver.stays === true,
  }

  function apply(input: Input): void {
    const step = transition(state, input, facts)
    if (step !== undefined) enter(step)
  }

  function enter({ to, because }: Step): void {
    clearTimeout(timer)
    const ms = timeOf(to, times, progress)
    if (ms !== undefined) timer = setTimeout(() => apply('timeout'), ms)
    state = to
    if (to === 'stopping') interruption.stopTurn(cancel!)
    else if (because === 'turn-stuck') cancel ??= { ...cancelledTurn!.command, text: stuckText(cancelledTurn!.command) }
    else if (because !== undefined) shutdown.explain(because)
    if (closing.has(to)) link.close()
    if (to === 'ending') void link.connection()?.end(times.termMs)
  }

  const stuckText = ({ text = 'cancelled' }: Cancel): string => `${text}; ${title} did not end its turn, so it was ended`

  const interruption = createInterruption({ progress, isBusy, talk: () => talk })
  const shutdown = createShutdown({
    title,
    isBusy,
    restMs: () => timeOf('leaving', times, progress)!,
    lingerMs: times.lingerMs,
    warn(code, text) {
      begin()
      view.tell('notice', { level: 'warn', code, text })
    },
  })

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
    const text = `sluice could not go on with what ${title} said, which is a fault of sluice: ${String(error)}`
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
      if (preSession.hasAny()) take([])
      apply('activity')
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
    if (preSession.keeps(events)) return
    main() // once it is said which session is ours, its events are known by that name
    for (const one of preSession.before(events)) {
      const event = view.place(one)
      if (event === undefined) continue
      if (isAsk(event)) questions.raise(event)
      else if (!questions.isToldAnswer(event)) tell(event)
    }
    apply('activity')
  }

  const preSession = createPreSession({
    isOpening: () => state !== 'over' && talk.isOpening?.() === true,
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
    questions.onEvent(event)
    if (event.kind === 'turn.end' && event.agent === undefined && state !== 'over') interruption.correct(event)
    // Some agents report what was refused as a failure like any other.
    if (event.kind === 'tool.end' && refused.delete(event.call ?? '') && event.status === 'error') event.status = 'denied'
    progress.onEvent(event)
    host.tell(event)
    talk.onEvent?.(event)
    if (state === 'last-step' && interruption.isStep(event)) apply('cancel')
  }

  // ── to the agent ───────────────────────────────────────────────────────────────────────────────────────────────────────

  function say(saying: (to: Connection) => void): void {
    if (!link.isClosed()) host.release() // what it said before stands in the stream
    link.say(saying)
  }

  const wire: Wire = {
    write: (record) => wire.text(`${stringifyJson(record)}\n`),
    tell(record: Rec) {
      if (cancel !== undefined && link.isClosed()) return // a prompt that waited is dropped, and so is an answer
      wire.write(record)
      listener.said(record)
    },
    text: (text) => say((to) => to.write(text)),
    request(one, then) {
      const onReply: typeof then = (reply) => {
        if (over !== undefined) return
        safely(() => then(reply))
        host.release()
        apply('activity')
      }
      say((to) => to.request?.(one, onReply))
    },
    close: link.close,
    isOpen: () => !link.isClosed(),
    show: prompts.show,
    drop: prompts.drop,
    note: (notice) => over === undefined && view.tell('notice', notice),
    judge({ id, name, input }) {
      const place = { session: request.session, turn: view.turn(), call: id }
      const verdict = host.judge?.(askFor({ id, place, name, toolKind: toolKindOf(name), input }, request.profile, cwd))
      if (typeof verdict === 'object') refused.add(id)
      return verdict
    },
    signal: (name) => link.connection()?.signal(name),
  }
  let talk = driver.talk(wire)

  function send(command: Command): void {
    if (over !== undefined) return
    switch (command.type) {
      case 'prompt':
        if (prompts.take(command, link.isClosed())) talk.prompt(command)
        break
      case 'permission': {
        const ask = questions.answered(command.id)
        if (ask === undefined) return
        if (command.answer.decision !== 'allow') interruption.note()
        if (state === 'last-step' && command.answer.decision === 'cancelled') interruption.breakTurn()
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
    apply('activity')
  }

  /** The first cause wins. */
  function stop(command: Cancel): void {
    const { target, by, text, when, reason } = command
    const isSession = target === 'session'
    if (reason === 'cancelled_forced') return force(command)
    if (cancel?.when === 'step' && isSession && when !== 'step') {
      cancel = { ...cancel, when: 'now' }
      return apply('cancel')
    }
    if (cancel !== undefined || (!isSession && !isBusy())) return
    interruption.note()
    if (isSession) [cancel, isLast] = [command, true]
    begin()
    view.tell('cancel.request', { target, by, ...(text !== undefined && { text }) })
    const isAfterStep = interruption.waits(command)
    if (isSession) return apply(isAfterStep ? 'cancel-after-step' : 'cancel')
    if (isAfterStep) return
    cancelledTurn = { command, turn: view.turn() }
    interruption.stopTurn(command)
    if (progress.isTurnOpen() || talk.isStarting?.() === true) apply('interrupt')
  }

  /** For an agent that has not said so itself. */
  function begin(): void {
    if (view.isStarted()) return
    view.start({ program: driver.name, ...(typeof program !== 'string' && { cwd: program.cwd }) })
    prompts.begin(link.connection() !== undefined)
  }

  // ── its program ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Until it has left, and the last of its output is read. */
  async function live(start: Program): Promise<Exit> {
    const running = await link.start(start, ({ output, stderr, unread }) => {
      output.on('data', (bytes: Buffer) => {
        safely(() => listener.push(bytes))
        host.release()
        if (unread() > maxUnread) apply('unread')
      })
      output.once('end', () => apply('output-end'))
      if (driver.readStderr !== undefined) linesOf(stderr, (line) => safely(() => readStderr(line)))
    })
    if (over !== undefined) void running.end() // nobody waited for its start
    apply('started')
    const exit = await running.exited
    apply('exit')
    await running.drain(times)
    return exit
  }

  async function run(): Promise<Done> {
    await nextTurn() // the first commands come first
    if (over !== undefined) return over
    if (typeof program === 'string') return finish({ noStart: program })
    try {
      const exit = await live(program)
      const second =
        listener.records() === 0 && cancel === undefined ? driver.again?.(program.args, link.stderr()!.text(), wire) : undefined
      if (second !== undefined) {
        apply('again')
        talk = second.talk ?? talk
        return finish({ exit: await live({ ...program, args: second.args }) })
      }
      return finish(exit.code === 127 && listener.records() === 0 ? { exit, noStart: notFound(driver, program) } : { exit })
    } catch (error) {
      if (link.connection() !== undefined) failed(error)
      return finish(link.connection() === undefined ? { noStart: `${title} could not be started: ${(error as Error).message}` } : {})
    }
  }

  /** There is no time to wait for anybody: the stream gets its end now, and nothing after it. */
  function force(command: Cancel): void {
    cancel = { ...(cancel ?? command), reason: forcedReason(cancel?.reason) }
    link.connection()?.kill()
    forced.resolve({ ...finish({}), forced: true })
    void link.connection()?.end()
  }

  function finish({ exit, noStart }: { exit?: Exit; noStart?: string }): Done {
    if (over !== undefined) return over
    const last = exit === undefined ? undefined : talk.atExit?.(exit)
    if (last !== undefined) safely(() => listener.push(Buffer.from(`\n${stringifyJson(last)}\n`)))
    safely(() => listener.flush())
    apply('finished')
    safely(() => take([]))
    const stderr = link.stderr()
    const words = stderr?.text() ?? ''
    const turn = progress.lastTurn()
    const known = { wasStopped: interruption.wasStopped(), isTakenBack: prompts.isTakenBack(), ...shutdown.outcome() }
    const story = { title, exit, noStart, turn, cancel, isUnfinished: isBusy(), stderr: words, ...known }
    const { reason, error } = endOfRun(story)
    const left = known.abandoned === undefined ? exit : undefined // else by us
    const cause = { reason, error, exitCode: left?.code ?? undefined, signal: cancel?.signal ?? left?.signal ?? undefined }
    begin()
    prompts.end(link.connection() !== undefined)
    const isBad = outcomeOf(reason) === 'failed' && cancel === undefined
    if (isBad && words.trim() !== '') view.tell('notice', tailNotice(title, stderr!))
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

  return { send, done: Promise.race([run(), forced.promise]) }
}

const notFound = ({ title }: Driver, { file }: Program): string => `${title} could not be started: there is no program "${file}"`
