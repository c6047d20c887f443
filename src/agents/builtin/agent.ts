// The built-in agent: a session that takes prompts one after another and ends exactly once, with everything closed that it opened.
import type { Fault, Payload } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import type { Command } from '../../supervise/contract.ts'
import type { Done, Host, Running } from '../contract.ts'
import { type Cancel, forcedReason } from '../outcome.ts'
import { createConversation } from './model/conversation.ts'
import { type BuiltinRequest, type Servers, systemFor } from './request.ts'
import { costOfSpent, createSession, type Lane, newTurn, nothingSpent, type Session } from './session.ts'
import { skillTool } from './skill.ts'
import { taskTool } from './task.ts'
import { work, type WorkEnd } from './work.ts'

type Prompt = Extract<Command, { type: 'prompt' }>

export function startBuiltin(request: BuiltinRequest, host: Host): Running {
  const session = createSession(request, host)
  const began = host.now()
  const queue: Prompt[] = []
  let servers: Servers | undefined
  let toldCatalog = ''
  let wake = (): void => {}
  let isLast = false // no more prompts will come
  let cancelled: Cancel | undefined // what the running turn, or the session, is to end with
  let turnSignal: AbortController | undefined
  let turns = 0
  let last: WorkEnd = { reason: 'end_turn' }
  let forced: (done: Done) => void
  const forcedEnd = new Promise<Done>((resolve) => (forced = resolve))

  function send(command: Command): void {
    switch (command.type) {
      case 'prompt':
        if (command.first === true) queue.unshift(command)
        else queue.push(command)
        return wake()
      case 'permission':
        return session.answer(command.id, command.answer)
      case 'cancel':
        return cancel(command)
      case 'finish':
        isLast = true
        return wake()
      case 'set':
        return void setModel(command.model)
    }
  }

  /** The first cause wins. */
  function cancel(command: Cancel): void {
    if (command.target === 'session') {
      isLast = true
      if (servers === undefined) request.servers?.giveUp()
    }
    if (command.reason === 'cancelled_forced') return force(command)
    const { target, by, text } = command
    if (cancelled === undefined && (turnSignal !== undefined || target === 'session')) {
      cancelled = command
      if (command.reason === 'budget') session.limit = command.reason
      session.tell('cancel.request', { target, by, ...(text !== undefined && { text }) })
    }
    if (command.when !== 'step') turnSignal?.abort()
    wake()
  }

  /** There is no time to wait for anybody: the stream gets its end now, and nothing after it. */
  function force(command: Cancel): void {
    cancelled ??= command
    const end: WorkEnd = turnSignal === undefined ? last : { reason: 'cancelled' }
    last = cancelledEnd(end, { ...cancelled, reason: forcedReason(cancelled.reason) })
    forced({ ...endSession(), forced: true })
    turnSignal?.abort()
  }

  async function setModel(name: string | undefined): Promise<void> {
    if (name === undefined) return
    try {
      main.model = await request.chooseModel(name)
      session.tell('session.update', { model: main.model.id, provider: main.model.provider, by: 'host' })
    } catch (error) {
      session.tell('notice', { level: 'warn', code: 'model', text: `the model was not changed: ${(error as Error).message}` })
    }
  }

  // ── lanes and their tools ──────────────────────────────────────────────────────────────────────────────────────────────

  const main: Lane = {
    depth: 0,
    profile: request.profile,
    above: [],
    model: request.model,
    system: systemFor(request, request.profile),
    conversation: createConversation(),
    spent: nothingSpent(),
    tools: () => [],
  }
  for (const event of request.history) main.conversation.push(event)
  open(main)

  function open(lane: Lane): void {
    const own = request.tools.filter(({ name }) => lane.depth === 0 || name !== 'todowrite')
    if (request.skills.length > 0) own.push(skillTool(request))
    if (request.profiles.length > 0) own.push(taskTool(session, lane, open))
    lane.tools = () => [...own, ...(servers?.tools() ?? [])].filter((tool) => request.isOffered(tool, lane.profile))
    session.lanes.set(lane.agent, lane)
  }

  // ── the frame ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  async function start(): Promise<void> {
    const { version, how, forkedFrom, model, profile, context, rules } = request
    session.tell('session.start', {
      how,
      ...(forkedFrom !== undefined && { forkedFrom }),
      program: 'sluice',
      version,
      model: model.id,
      provider: model.provider,
      agentName: profile.name,
      cwd: context.cwd,
      rules: rules.map((rule) => ({ ...rule })),
    })
    servers = await request.servers?.connect()
    session.tell('catalog.update', {
      ...catalog(),
      skills: (main.tools().some(({ name }) => name === 'skill') ? request.skills : []).map(({ name, version: skillVersion, path }) => ({
        name,
        path,
        ...(skillVersion !== undefined && { version: skillVersion }),
      })),
      agents: request.profiles.map(({ name, description }) => ({ name, description })),
    })
    toldCatalog = JSON.stringify(catalog())
    for (const notice of request.notices ?? []) session.tell('notice', { ...notice })
  }

  const catalog = (): Pick<Payload<'catalog.update'>, 'tools' | 'servers'> => ({
    tools: main.tools().map(({ name, source, server }) => ({ name, source, ...(server !== undefined && { server }) })),
    servers: (servers?.status() ?? []).map(({ name, status, error }) => ({ name, status, ...(error !== undefined && { error }) })),
  })

  /** A server may have changed its tools, or be gone, since they were last told. */
  async function tellChanges(): Promise<void> {
    await servers?.settle()
    const now = catalog()
    if (JSON.stringify(now) !== toldCatalog) session.tell('catalog.update', now)
    toldCatalog = JSON.stringify(now)
  }

  async function turn(prompt: Prompt): Promise<void> {
    const signal = (turnSignal = new AbortController())
    const turnBegan = host.now()
    session.turn = newTurn(session.turn.number + 1)
    main.spent = nothingSpent()
    await tellChanges()
    session.tell('turn.start', { trigger: 'prompt' })
    session.tell('prompt.submit', promptOf(prompt))
    last = await work(session, main, signal.signal, () => cancelled?.reason, tellChanges).catch((error: unknown): WorkEnd => ({
      reason: 'error',
      error: faultOf(`internal error: ${error instanceof Error ? error.message : String(error)}`),
    }))
    if (cancelled !== undefined) last = cancelledEnd(last, cancelled)
    turnSignal = undefined
    if (cancelled?.target === 'turn') cancelled = undefined
    turns += session.turn.steps
    endTurn(session, main, last, host.now() - turnBegan)
  }

  async function run(): Promise<Done> {
    try {
      await start()
      while (cancelled === undefined) {
        const prompt = queue.shift()
        if (prompt !== undefined) await turn(prompt)
        else if (isLast) break
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } catch (error) {
      last = { reason: 'error', error: faultOf(error instanceof Error ? error.message : String(error)) }
    }
    if (cancelled?.target === 'session' && last.reason !== cancelled.reason) last = cancelledEnd(last, cancelled, queue.length === 0)
    await servers?.close()
    return endSession()
  }

  function endSession(): Done {
    const { reason, error, text } = last
    for (const prompt of queue.splice(0)) session.tell('prompt.submit', { ...promptOf(prompt), state: 'queued' }) // it never got its turn
    const cost = costOfSpent(session.spent)
    const durationMs = host.now() - began
    const { usage } = session.spent
    const said = { ...(error !== undefined && { error }), ...(text !== undefined && { text }), ...(cost !== undefined && { cost }) }
    const signal = cancelled?.signal
    session.tell('session.end', { reason, ...said, durationMs, usage, ...(signal !== undefined && { signal }) })
    session.close()
    return { reason, ...said, durationMs, turns, usage }
  }

  return { send, done: Promise.race([run(), forcedEnd]) }
}

/** The end of what was stopped from outside says why; its code is what a log is searched for. `isAll`: no prompt waits for its turn. */
function cancelledEnd(end: WorkEnd, { reason, text, code }: Cancel, isAll = true): WorkEnd {
  if (end.error !== undefined && end.reason === 'error') return end // it had failed already
  if (end.reason === 'end_turn' && isAll && reason !== 'cancelled' && reason !== 'blocked') return end // it was done before the limit could stop it
  const error: Fault = {
    category: reason === 'timeout' || reason === 'stall' ? 'timeout' : reason === 'degenerate' ? 'provider' : 'cancelled',
    text: text ?? 'cancelled',
    ...(code !== undefined && { code }),
  }
  return { ...end, reason, error }
}

function promptOf({ text, files = [], id, by = 'user' }: Prompt): Payload<'prompt.submit'> {
  const content = files.map(({ path, mime, data }) => ({ type: 'file', path, mime, data }))
  return { text, by, state: 'sent', ...(content.length > 0 && { content }), ...(id !== undefined && { id }) }
}

function endTurn({ tell, turn }: Session, { spent: own }: Lane, { reason, error, text }: WorkEnd, durationMs: number): void {
  if (error !== undefined && reason === 'error') tell('error', { scope: 'turn', fatal: true, error })
  const { spent, denied, apiMs, steps } = turn
  const cost = costOfSpent(spent)
  const byModel = [...spent.byModel].map(([model, share]) => {
    const price = costOfSpent(share)
    const { context: contextLimit, output: outputLimit } = share.limits ?? {}
    return { model, usage: share.usage, contextLimit, outputLimit, ...(price !== undefined && { cost: price }) }
  })
  tell('turn.end', {
    reason,
    ...(error !== undefined && { error }),
    ...(text !== undefined && { text }),
    usage: spent.usage,
    own: own.usage,
    byModel,
    ...(cost !== undefined && { cost }),
    durationMs,
    apiMs,
    steps,
    ...(denied.length > 0 && { denied }),
    failed: error !== undefined,
  })
}
