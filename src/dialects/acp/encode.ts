// events → the agent's side of the protocol: updates, questions, and the answers to the prompts. What the host says (the prompts
// themselves, its answers) is not written, so the ids that the answers go by are those of the source or made up.
import type { Rec } from '../../base/json.ts'
import type { Event, EventOf } from '../../model/event.ts'
import { outcomeOf } from '../../model/outcome.ts'
import { addUsage, usageOfTurn } from '../../model/usage.ts'
import { type Encoder, type Sink, syntheticOf, wireId } from '../contract.ts'
import { blockOf, blockOfContent, textBlock } from './encode-content.ts'
import { createSession, type Session } from './encode-state.ts'
import { createTools } from './encode-tool.ts'
import { authCode, internalCode, stopReasonOf, usd, wireUsageOf } from './words.ts'

export function encode(sink: Sink): Encoder {
  const sessions = new Map<string | undefined, Session>()
  let recent: Session | undefined
  let spoken: string | undefined // the session of the last record: an answer that names none is taken for its
  let unnamed = 0
  let prompts = 0
  const tools = createTools(sink, put, write, speak)

  // ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  function sessionOf({ session: key }: Event): Session {
    if (recent !== undefined && recent.key === key) return recent
    recent = sessions.get(key)
    if (recent !== undefined) return recent
    if (key === undefined) sink.added('sessionId')
    sessions.set(key, (recent = createSession(key, key === undefined ? `session-${++unnamed}` : wireId(key))))
    return recent
  }

  /** A record that names its session. */
  function write(session: Session, record: Rec, synthetic: string | undefined): void {
    spoken = session.id
    sink.write(record, synthetic)
  }

  function put(session: Session, event: Event, update: Rec, synthetic = syntheticOf(event)): void {
    write(session, { jsonrpc: '2.0', method: 'session/update', params: { sessionId: session.id, update } }, synthetic)
  }

  function setting(event: EventOf<'session.start' | 'session.update'>): void {
    const session = sessionOf(event)
    const { title, mode, model } = event
    if (event.kind === 'session.update' && (title ?? mode ?? model) === undefined) return sink.lost(event)
    if (title !== undefined) put(session, event, { sessionUpdate: 'session_info_update', title })
    if (mode !== undefined) put(session, event, { sessionUpdate: 'current_mode_update', currentModeId: mode })
    if (model === undefined) return
    const option = { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: model }
    put(session, event, {
      sessionUpdate: 'config_option_update',
      configOptions: [{ ...option, options: [{ value: model, name: model }] }],
    })
  }

  function endSession(event: EventOf<'session.end'>): void {
    const session = sessionOf(event)
    const hasFailed = session.turns.size === 0 && outcomeOf(event.reason) !== 'ok'
    // The prompt was never given to the agent, and whoever gave it waits for an answer.
    if (hasFailed && session.lastReason === undefined) answer(session, undefined, event, 'required')
    else if (hasFailed && session.lastReason !== event.reason) sink.lost(event)
    for (const [turn] of session.turns) answer(session, turn, { reason: event.reason, error: event.error }, 'cut')
    forgetRest(session)
    sessions.delete(session.key)
    recent = undefined
  }

  /** Subagents that made no call have left no trace, nor has a sum of dollars after which no meter came. */
  function forgetRest({ quiet, unsaid }: Session): void {
    for (const task of quiet.values()) sink.lost(task)
    if (unsaid !== undefined) sink.lost(unsaid)
  }

  // ── turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  type Outcome = Pick<EventOf<'turn.end'>, 'reason' | 'error' | 'usage'>

  function answer(session: Session, turn: number | undefined, { reason, error, usage }: Outcome, synthetic: string | undefined): void {
    const stopReason = stopReasonOf(reason)
    const sessionId = spoken === session.id ? undefined : session.id
    const id = idOf(session.turns.get(turn))
    session.turns.delete(turn)
    session.messages = undefined
    session.lastReason = reason
    spoken = session.id
    if (stopReason === undefined) {
      const data = sessionId === undefined && error?.http === undefined ? undefined : { sessionId, statusCode: error?.http }
      const code = error?.category === 'auth' ? authCode : internalCode
      return sink.write({ jsonrpc: '2.0', id, error: { code, message: error?.text ?? `the turn ended: ${reason}`, data } }, synthetic)
    }
    if (usage !== undefined && (usage.input === undefined || usage.output === undefined)) sink.added('session/prompt.usage')
    const _meta = sessionId === undefined ? undefined : { sessionId }
    sink.write(
      { jsonrpc: '2.0', id, result: { stopReason, usage: usage === undefined ? undefined : wireUsageOf(usage), _meta } },
      synthetic,
    )
  }

  function idOf(native: string | undefined): string | number {
    if (native !== undefined) return /^\d{1,15}$/.test(native) ? Number(native) : native
    sink.added('session/prompt.id')
    return ++prompts
  }

  /** What an agent says is part of a turn, whether its source tells of one or not: an answer must follow. */
  function speak(event: Event): Session {
    const session = sessionOf(event)
    if (session.turns.size === 0 && event.agent === undefined) session.turns.set(event.turn, undefined)
    return session
  }

  function turnEnd(event: EventOf<'turn.end'>): void {
    const session = sessionOf(event)
    const { cost, byModel } = event
    session.size ??= byModel?.find(({ contextLimit }) => contextLimit !== undefined)?.contextLimit
    if (cost !== undefined) {
      session.spent.turns += cost.usd
      if (session.spent.told === undefined && !meter(session, event)) sink.lost(event, 'cost')
    }
    const usage = usageOfTurn(event.usage, session.messages)
    const isError = stopReasonOf(event.reason) === undefined
    if (isError && usage !== undefined) sink.lost(event, 'usage')
    if (!isError && event.error !== undefined) sink.lost(event, 'error')
    answer(session, event.turn, { ...event, usage }, syntheticOf(event))
  }

  // ── tokens and money ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** How full the context is, and what the session cost so far; false where the size of the context is not known. */
  function meter(session: Session, event: Event): boolean {
    const { used, size, spent } = session
    if (used === undefined || size === undefined) return false
    const amount = spent.told ?? Math.max(spent.messages, spent.turns)
    const cost = amount === 0 ? undefined : { amount: usd(amount), currency: 'USD' }
    put(session, event, { sessionUpdate: 'usage_update', used, size, cost })
    session.unsaid = undefined
    return true
  }

  function messageEnd(event: EventOf<'message.end'>): void {
    const session = sessionOf(event)
    const { usage, context, cost } = event
    if ((usage ?? context ?? cost) === undefined) return sink.lost(event)
    if (usage !== undefined) session.messages = addUsage(session.messages, usage)
    if (cost !== undefined) session.spent.messages += cost.usd
    if (event.agent !== undefined || context === undefined) return
    session.used = context.used
    session.size = context.limit ?? session.size
    if (context.limit !== undefined) meter(session, event)
  }

  function usageUpdate(event: EventOf<'usage.update'>): void {
    const session = sessionOf(event)
    const { context, cost, scope, cumulative } = event
    if (event.agent !== undefined || (context === undefined && cost === undefined)) return sink.lost(event)
    session.used = context?.used ?? session.used
    session.size = context?.limit ?? session.size
    const isSum = cost !== undefined && scope === 'session' && cumulative
    if (isSum) session.spent.told = cost.usd
    if (!meter(session, event)) {
      if (!isSum) return sink.lost(event)
      if (session.unsaid !== undefined) sink.lost(session.unsaid)
      session.unsaid = event // the next meter tells the sum
      return
    }
    if (cost !== undefined && !isSum) sink.lost(event, 'cost')
  }

  // ── conversation ─────────────────────────────────────────────────────────────────────────────────────────────────────

  type Chunk = 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk'

  function chunk(event: Event, sessionUpdate: Chunk, content: Rec): void {
    if (event.agent !== undefined) return sink.lost(event)
    const messageId = event.message === undefined ? undefined : wireId(event.message)
    put(sessionUpdate === 'user_message_chunk' ? sessionOf(event) : speak(event), event, { sessionUpdate, content, messageId })
  }

  function delta(event: EventOf<'text.delta' | 'thought.delta'>, sessionUpdate: Chunk): void {
    chunk(event, sessionUpdate, textBlock(event.text))
    if (event.agent === undefined) sessionOf(event).streamed.piece(event)
  }

  function whole(event: EventOf<'text.end' | 'thought.end'>, sessionUpdate: Chunk): void {
    if (event.agent !== undefined || (!event.streamed && event.text === undefined)) sink.lost(event)
    else if (!event.streamed) chunk(event, sessionUpdate, textBlock(event.text!))
    else if (sessionOf(event).streamed.isShort(event)) sink.lost(event, 'text')
  }

  function prompt(event: EventOf<'prompt.submit'>): void {
    const { text, content, by, state } = event
    if ((by !== 'user' && by !== 'host') || state === 'queued') return sink.lost(event)
    const blocks = content?.map(blockOf) ?? [text === undefined ? undefined : textBlock(text)]
    if (blocks.every((block) => block === undefined)) return sink.lost(event)
    if (blocks.includes(undefined)) sink.lost(event, 'content')
    for (const block of blocks) if (block !== undefined) chunk(event, 'user_message_chunk', block)
  }

  function other(event: EventOf<'content.end'>): void {
    const block = blockOfContent(event)
    if (block === undefined) sink.lost(event)
    else chunk(event, 'agent_message_chunk', block)
  }

  function plan(event: EventOf<'plan.update'>): void {
    const entries = event.entries.map(({ text: content, status, priority }) => {
      if (!priorities.has(priority)) sink.added('plan.priority')
      return { content, priority: priorities.has(priority) ? priority : 'medium', status: planStates[status] }
    })
    put(sessionOf(event), event, { sessionUpdate: 'plan', entries })
  }

  function catalog(event: EventOf<'catalog.update'>): void {
    if (event.commands === undefined) return sink.lost(event)
    const availableCommands = event.commands.map(({ name, description }) => {
      if (description === undefined) sink.added('available_commands_update.description')
      return { name, description: description ?? '' }
    })
    put(sessionOf(event), event, { sessionUpdate: 'available_commands_update', availableCommands })
  }

  return {
    push(event) {
      switch (event.kind) {
        case 'text.delta':
          return delta(event, 'agent_message_chunk')
        case 'thought.delta':
          return delta(event, 'agent_thought_chunk')
        case 'text.end':
          return whole(event, 'agent_message_chunk')
        case 'thought.end':
          return whole(event, 'agent_thought_chunk')
        case 'content.end':
          return other(event)
        case 'prompt.submit':
          return prompt(event)
        case 'tool.start':
          return tools.start(sessionOf(event), event)
        case 'tool.update':
          return tools.update(sessionOf(event), event)
        case 'tool.end':
          return tools.end(sessionOf(event), event)
        case 'task.start':
          return event.call === undefined || event.type === 'command' ? sink.lost(event) : tools.task(sessionOf(event), event)
        case 'permission.request':
          return tools.request(sessionOf(event), event)
        case 'plan.update':
          return plan(event)
        case 'catalog.update':
          return catalog(event)
        case 'session.start':
        case 'session.update':
          return setting(event)
        case 'session.end':
          return endSession(event)
        case 'turn.start':
          return void sessionOf(event).turns.set(event.turn, event.native)
        case 'turn.end':
          return turnEnd(event)
        case 'message.end':
          return messageEnd(event)
        case 'usage.update':
          return usageUpdate(event)
        case 'error':
          return event.fatal ? undefined : sink.lost(event)
      }
    },
    end() {
      for (const session of sessions.values()) {
        for (const [turn] of session.turns) answer(session, turn, { reason: 'cut' }, 'cut')
        forgetRest(session)
      }
    },
  }
}

const priorities: ReadonlySet<string | undefined> = new Set(['high', 'medium', 'low'])
const planStates = { pending: 'pending', active: 'in_progress', done: 'completed' } as const
