// One run: an agent, those who decide for it, and the way of its events to everybody who reads. Questions go to the broker first; what
// rules leave open goes to whoever can answer. Every run ends, and ends once.
import type { Done, Host, Running } from '../agents/contract.ts'
import { makeEvent } from '../model/make.ts'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import type { Ask, Command } from '../supervise/contract.ts'
import type { LimitAction, Limits } from '../supervise/limits.ts'
import type { Broker, Question, Reply, Settled } from '../supervise/permission.ts'
import type { Pipeline } from './pipeline.ts'

/** A person, or a program, who can be asked. The signal says that the question is no longer open. */
export type Answerer = (question: Question, signal: AbortSignal) => Promise<Reply | undefined>

export type RunParts = {
  start(host: Host): Running
  broker: Broker
  answerer?: Answerer | undefined
  limits: Limits
  pipeline: Pipeline
  timeoutMs?: number | undefined
  now(): number
}

export type Run = {
  send(command: Command): void
  /** The end, now: for a second signal, or when nothing else helps. */
  force(text: string, signal?: string): void
  done: Promise<Done>
}

const graceMs = 5000
const warnAt = 0.8 // of the time

export function startRun({ start, broker, answerer, limits, pipeline, timeoutMs, now }: RunParts): Run {
  const open = new Map<string, AbortController>()
  const timers = new Set<NodeJS.Timeout>()
  let running: Running | undefined
  let place: Place = {} // of the last event

  const after = (ms: number, act: () => void): void => void timers.add(setTimeout(act, Math.min(ms, 2 ** 31 - 1)))

  function tell<K extends Kind>(kind: K, payload: Payload<K>, place: Place): void {
    pipeline.emit([makeEvent(kind, payload, { ...place, at: now() })])
  }

  function emit(events: readonly Event[]): void {
    pipeline.emit(events)
    const last = events.at(-1)
    if (last !== undefined) place = { session: last.session, turn: last.turn }
    for (const event of events) for (const action of limits.step(event)) limit(action, event)
  }

  function limit(action: LimitAction, { session, turn }: Place): void {
    if (action.type === 'notice') return tell('notice', action.notice, { session, turn, synthetic: 'policy:limits' })
    const { reason, text, code } = action
    send({ type: 'cancel', target: 'session', by: 'policy', reason, text, code, when: reason === 'timeout' ? 'now' : 'step' })
  }

  // ── questions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  function raise(ask: Ask): void {
    const verdict = broker.decide(ask)
    if ('answer' in verdict) return settle(verdict)
    const gone = new AbortController()
    open.set(ask.id, gone)
    tell('permission.request', verdict.request, ask.place)
    void Promise.resolve(answerer?.(verdict, gone.signal)).then(
      (reply) => answer(ask.id, reply),
      () => answer(ask.id, undefined),
    )
  }

  /** The first answer wins. Whoever was asked has nothing to say: it is refused. */
  function answer(id: string, reply: Reply | undefined): void {
    if (!open.has(id)) return
    for (const settled of broker.choose(id, reply ?? { option: 'reject_once', by: 'headless' })) settle(settled)
  }

  function settle({ ask, answer: decided, events }: Settled): void {
    open.get(ask.id)?.abort()
    open.delete(ask.id)
    for (const event of events) tell('permission.answer', event, ask.place)
    running!.send({ type: 'permission', id: ask.id, answer: decided })
  }

  function withdraw(by: 'user' | 'host' | 'policy'): void {
    for (const id of open.keys()) {
      const settled = broker.withdraw(id, 'cancelled', by)
      if (settled !== undefined) settle(settled)
    }
  }

  // ── commands ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  function send(command: Command): void {
    if (command.type === 'permission') return // only this run answers questions
    if (command.type === 'cancel' && command.when !== 'step') {
      withdraw(command.by)
      if (command.target === 'session') after(graceMs, () => force(command.text ?? 'the agent did not stop in time', command.signal))
    }
    running!.send(command)
  }

  function force(text: string, signal?: string): void {
    withdraw('policy')
    running!.send({
      type: 'cancel',
      target: 'session',
      by: 'policy',
      reason: 'cancelled_forced',
      text,
      ...(signal !== undefined && { signal }),
    })
  }

  async function finish(): Promise<Done> {
    const done = await running!.done
    for (const timer of timers) clearTimeout(timer)
    withdraw('policy')
    pipeline.end()
    return done
  }

  const tick = (): void => limits.tick(now()).forEach((action) => limit(action, place))
  if (timeoutMs !== undefined) for (const part of [warnAt, 1]) after(timeoutMs * part, tick)
  running = start({ emit, raise, now })
  return { send, force, done: finish() }
}
