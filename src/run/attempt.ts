// One attempt of a run: an agent, those who decide for it, and the way of its events to everybody who reads. Questions go to the broker first; what
// rules leave open goes to whoever can answer. Every attempt ends, and ends once.
import type { Done, Host, Running } from '../agents/contract.ts'
import { sameName } from '../agents/driver.ts'
import { makeEvent } from '../model/make.ts'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import type { Decider } from '../model/vocabulary.ts'
import type { Answer, Ask, Command } from '../supervise/contract.ts'
import type { Broker, Settled } from '../supervise/permission.ts'
import { isQuiet, type Policies, type Said } from '../supervise/policy.ts'
import type { Answerer, Chooser, Chosen, Question, Reply } from './contract.ts'
import type { Pipeline } from './pipeline.ts'

export type AttemptParts = {
  start(host: Host): Running
  broker: Broker
  answerer?: Answerer | undefined
  chooser?: Chooser | undefined
  /** Sees an event before anybody else, and may keep it from them. */
  guard: Policies
  /** See what everybody sees. */
  policies: Policies
  pipeline: Pipeline
  now(): number
}

export type Attempt = {
  send(command: Command): void
  /** The end, now: for a second signal, or when nothing else helps. */
  force(text: string, signal?: string): void
  /** False: no such question is open, or no more. */
  answer(id: string, reply: Reply): boolean
  /** The same of a choice. */
  choose(id: string, chosen: Chosen): boolean
  /** The events are all told; the pipeline is left open. */
  done: Promise<Done>
}

/** `tell`: tells of the question, if that was not done yet. */
type Open = { gone: AbortController; tell?(): void }

const nobodyChose = 'Nobody can be asked in this run. Decide for yourself, and say what you decided.'
const mostOpen = 256 // questions: nobody has that many at once who means well
const tooMany = `Too many questions are open, so this one was not asked. Wait for their answers.`
const stoppingText = 'The run is about to end, so nobody is asked any more. The call was not made.'
const graceMs = 5000
const longestTimer = 2 ** 31 - 1

/** Without the name of a question that the stream does not tell of. */
const unasked = (settled: Settled): Settled => ({ ...settled, events: settled.events.map(({ id: _, ...event }) => event) })

export function startAttempt({ start, broker, answerer, chooser, guard, policies, pipeline, now }: AttemptParts): Attempt {
  const open = new Map<string, Open>()
  const posed = new Map<string, Ask>() // those that are a choice
  const timers = new Set<NodeJS.Timeout>()
  let clock: { timer: NodeJS.Timeout; due: number } | undefined // for the next tick that matters
  let isOver = false
  let isStopping = false // after the step at hand
  let running: Running | undefined
  let last: Event | undefined

  const after = (ms: number, act: () => void): void => void timers.add(setTimeout(act, Math.min(ms, longestTimer)))

  function tell<K extends Kind>(kind: K, payload: Payload<K>, place: Place): void {
    const event = makeEvent(kind, payload, { ...place, at: now() })
    pipeline.emit([event])
    actOn(policies.step(event, now()))
    wind()
  }

  function emit(events: readonly Event[]): void {
    let from = 0
    for (let at = 0; at < events.length; at++) {
      const event = events[at]!
      if (isQuiet(event)) continue
      if (from < at) emitQuiet(events.slice(from, at))
      from = at + 1
      emitOne(event)
    }
    if (from < events.length) emitQuiet(from === 0 ? events : events.slice(from))
    wind()
  }

  function emitOne(event: Event): void {
    const time = now()
    const kept = guard.step(event, time)
    if (!kept.some(({ action }) => action.type === 'drop')) pipeline.emit([event])
    last = event
    actOn(kept)
    actOn(policies.step(event, time))
  }

  /** Nothing can happen between these, so they go together. */
  function emitQuiet(events: readonly Event[]): void {
    pipeline.emit(events)
    last = events.at(-1)
    const time = now()
    for (const event of events) {
      actOn(guard.step(event, time))
      actOn(policies.step(event, time))
    }
  }

  // ── policies ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  function actOn(said: readonly Said[]): void {
    for (const one of said) act(one)
  }

  function act({ policy, action }: Said): void {
    const here = { session: last?.session, turn: last?.turn, synthetic: `policy:${policy}` }
    switch (action.type) {
      case 'notice':
        return tell('notice', action.notice, here)
      case 'error':
        return tell('error', action.error, here)
      case 'stop': {
        const { reason, text, code, when } = action
        return send({ type: 'cancel', target: 'session', by: 'policy', reason, text, code, when })
      }
      case 'close':
        return send({ type: 'cancel', target: 'session', by: 'policy', reason: 'stall', text: action.text, code: action.code })
      case 'expire':
        return withdrawOne(action.id, 'timeout', 'expired', action.text)
      case 'retry':
      case 'drop': // the first is for whoever starts runs, the second was heeded already
    }
  }

  /** One timer, for the earliest moment at which a policy has something to say. */
  function wind(): void {
    const due = isOver ? undefined : policies.due()
    if (due === undefined || (clock !== undefined && clock.due <= due)) return
    clearTimeout(clock?.timer)
    clock = { due, timer: setTimeout(tick, Math.min(Math.max(0, due - now()), longestTimer)) }
  }

  function tick(): void {
    clock = undefined
    actOn(policies.tick(now()))
    wind()
  }

  // ── questions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  function raise(ask: Ask): void {
    if (open.has(ask.id)) return withdrawOne(ask.id, 'policy', 'cancelled', sameName)
    if (ask.questions !== undefined) return pose(ask, ask.questions)
    const verdict = broker.decide(ask)
    if ('answer' in verdict) return settle(verdict)
    const unaskable = isStopping ? stoppingText : open.size >= mostOpen ? tooMany : undefined
    if (unaskable !== undefined) return settle(unasked(broker.withdraw(ask.id, 'cancelled', 'policy', unaskable)!))
    void consult(verdict)
  }

  async function consult(question: Question): Promise<void> {
    const { ask, request } = question
    const gone = new AbortController()
    const one: Open = { gone, tell: () => tell('permission.request', request, ask.place) }
    open.set(ask.id, one)
    if (answerer?.before !== undefined) await answerer.before(question, gone.signal)
    told(one)
    let reply: Reply | undefined
    try {
      reply = gone.signal.aborted ? undefined : await answerer?.(question, gone.signal)
    } catch {
      // it has nothing to say
    }
    answer(ask.id, reply ?? { option: 'reject_once', by: 'headless' })
  }

  function told(one: Open | undefined): void {
    const { tell: first } = one ?? {}
    if (one !== undefined) delete one.tell
    first?.()
  }

  /** The first answer wins. */
  function answer(id: string, reply: Reply): boolean {
    if (!open.has(id) || posed.has(id)) return false
    const settled = broker.choose(id, reply)
    for (const one of settled) settle(one)
    return settled.length > 0
  }

  function close(id: string): void {
    const one = open.get(id)
    open.delete(id)
    told(one)
    one?.gone.abort()
  }

  function settle({ ask, answer: decided, events }: Settled): void {
    close(ask.id)
    for (const event of events) tell('permission.answer', event, ask.place)
    running!.send({ type: 'permission', id: ask.id, answer: decided })
  }

  function judge(ask: Ask): Answer | 'ask' | undefined {
    const verdict = broker.against(ask)
    if (verdict === undefined || verdict === 'ask') return verdict
    for (const event of verdict.events) tell('permission.answer', event, ask.place)
    return verdict.answer
  }

  function pose(ask: Ask, questions: NonNullable<Ask['questions']>): void {
    const gone = new AbortController()
    open.set(ask.id, { gone })
    posed.set(ask.id, ask)
    tell('question.request', { id: ask.id, questions }, ask.place)
    if (ask.onlyNo !== undefined) return settleChoice(ask, { decision: 'reject', by: 'policy', text: ask.onlyNo })
    if (isStopping) return withdrawOne(ask.id, 'policy', 'cancelled', stoppingText)
    void Promise.resolve(chooser?.(ask, gone.signal)).then(
      (chosen) => choose(ask, chosen),
      () => choose(ask, undefined),
    )
  }

  function chooseOpen(id: string, chosen: Chosen): boolean {
    const ask = posed.get(id)
    if (ask === undefined) return false
    choose(ask, chosen)
    return true
  }

  function choose(ask: Ask, chosen: Chosen | undefined): void {
    if (chosen === undefined) return settleChoice(ask, { decision: 'reject', by: 'headless', text: nobodyChose })
    settleChoice(ask, { decision: 'allow', by: chosen.by, input: { answers: chosen.answers } }, chosen.answers)
  }

  function settleChoice(ask: Ask, decided: Answer, answers?: Record<string, string>): void {
    if (!posed.delete(ask.id)) return
    close(ask.id)
    const { decision, by, text } = decided
    tell('question.answer', { id: ask.id, decision, by, answers, text }, ask.place)
    running!.send({ type: 'permission', id: ask.id, answer: decided })
  }

  function withdrawOne(id: string, by: Decider, decision: 'cancelled' | 'expired' = 'cancelled', text?: string): void {
    const ask = posed.get(id)
    if (ask !== undefined) return settleChoice(ask, { decision, by, ...(text !== undefined && { text }) })
    const settled = open.has(id) ? broker.withdraw(id, decision, by, text) : undefined
    if (settled !== undefined) settle(settled)
  }

  function withdraw(by: 'user' | 'host' | 'policy', text?: string): void {
    for (const id of open.keys()) withdrawOne(id, by, 'cancelled', text)
  }

  // ── commands ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  function send(command: Command): void {
    if (command.type === 'permission') return // only this run answers questions
    if (command.type === 'cancel' && command.when !== 'step') {
      withdraw(command.by)
      if (command.target === 'session') after(graceMs, () => force(command.text ?? 'the agent did not stop in time', command.signal))
    }
    running!.send(command)
    if (command.type === 'cancel' && command.when === 'step' && command.reason !== 'max_turns') stopAsking(command.by)
  }

  /** A step that may end must not wait for somebody's answer. Calls of the last message that is allowed are another matter. */
  function stopAsking(by: 'user' | 'host' | 'policy'): void {
    isStopping = true
    withdraw(by, stoppingText)
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
    isOver = true
    clearTimeout(clock?.timer)
    for (const timer of timers) clearTimeout(timer)
    withdraw('policy')
    return done
  }

  wind()
  running = start({ emit, raise, withdraw: (id) => withdrawOne(id, 'agent'), judge, now })
  return { send, force, answer, choose: chooseOpen, done: finish() }
}
