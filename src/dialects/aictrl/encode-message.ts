// Model messages as aictrl tells them: step_start, text and reasoning, step_finish, message_complete.
// A source without messages gets one step a turn. A message whose tokens are not final waits: the last of a turn takes what
// the turn's sum leaves over.
import type { Cost, Event, EventOf, Usage } from '../../model/event.ts'
import { addUsage, contextTokens, outputTokens, totalTokens, usageSince } from '../../model/usage.ts'
import { syntheticOf } from '../contract.ts'
import { dropBlocks, keptIn, nextNumber, type Out, type Pending, type Session, write } from './encode-state.ts'
import { finishOf, finishWord } from './words.ts'

/** Characters of one text kept in memory; a longer one becomes several records. */
const mostText = 16 * 2 ** 20

export function openStep(out: Out, session: Session, event: Event): void {
  if (session.step !== undefined) return
  const started = event.kind === 'message.start' ? event : undefined
  session.step = {
    turn: event.turn,
    model: started?.model,
    provider: started?.provider,
    tools: false,
    implied: started === undefined,
  }
  write(
    out,
    session,
    { type: 'step_start', timestamp: out.time(event), sessionID: session.id, part: { type: 'step-start' } },
    started === undefined ? 'required' : syntheticOf(event),
  )
}

/** The calls of a message stand inside its step: its end is written when the last of them has ended, or when something else must follow. */
export function endMessage(out: Out, session: Session, last?: Event): void {
  const { ended, step } = session
  if (ended === undefined) return
  session.ended = undefined
  closeStep(out, session, ended, step?.implied === true ? 'required' : syntheticOf(ended), last)
  if (ended.usageFinal === true) flushMessage(out, session)
}

/** Writes step_finish and prepares message_complete. */
export function closeStep(out: Out, session: Session, event: Event, synthetic: string | undefined, last: Event = event): void {
  const { step } = session
  const ended = event.kind === 'message.end' ? event : undefined
  const timestamp = Math.max(out.time(event), last === event ? 0 : out.time(last))
  if (ended?.finish !== undefined && ended.synthetic === undefined && keptIn(ended, 'finish') === undefined)
    announceFinish(out, ended, finishWord(ended.finish))
  session.step = undefined
  dropBlocks(session)
  flushMessage(out, session)
  if (step !== undefined)
    write(out, session, { type: 'step_finish', timestamp, sessionID: session.id, part: { type: 'step-finish' } }, synthetic)
  session.pending = {
    event: ended,
    timestamp,
    turn: step?.turn ?? event.turn,
    model: ended?.model ?? step?.model,
    provider: ended?.provider ?? step?.provider,
    finish: ended?.finish ?? (step?.tools === true && !isEnd(event) ? 'tool_use' : undefined),
    usage: ended?.usage,
    cost: ended?.cost,
    synthetic,
  }
}

function announceFinish({ sink }: Out, event: EventOf<'message.end'>, word: string | undefined): void {
  if (word === undefined) sink.lost(event, 'finish')
  else if (finishOf(word) !== event.finish) sink.lost(event, 'finish', 'approx')
}

/** A turn may begin before the former has ended. */
export const sameTurn = (a: number | undefined, b: number | undefined): boolean => a === undefined || b === undefined || a === b

const isEnd = ({ kind }: Event): boolean => kind === 'turn.end' || kind === 'session.end'

/** Tokens of subagents, which have no message_complete. */
const hasOthers = ({ own, usage }: EventOf<'turn.end'>): boolean =>
  own !== undefined && usage !== undefined && totalTokens(usage) > totalTokens(own)

/** The turn or the session tells its sum: what no message before has told belongs to the last one. */
export function settle(out: Out, session: Session, event: EventOf<'turn.end' | 'session.end'>): void {
  const { pending } = session
  const isTurn = event.kind === 'turn.end'
  const sum = isTurn ? (event.own ?? event.usage) : event.usage
  const before = isTurn ? session.spent.get(event.turn) : session.spentInAll
  if (isTurn) {
    session.spent.delete(event.turn)
    for (const { model, contextLimit } of event.byModel ?? []) if (contextLimit !== undefined) session.limits.set(model, contextLimit)
  }
  const isTaken = pending !== undefined && (!isTurn || sameTurn(pending.turn, event.turn))
  const left = isTaken || sum === undefined ? undefined : usageSince(sum, before)
  const isLeft = left !== undefined && totalTokens(left) > 0
  if (isLeft && pending !== undefined) carry(out, session, event, left)
  if ((isLeft && pending === undefined) || (isTurn && hasOthers(event))) out.sink.lost(event, 'usage', 'drop')
  if (!isTaken) return
  pending.finish ??= event.reason
  if (sum === undefined) return
  const rest = usageSince(sum, before)
  if (!isTurn) session.carried = undefined // it is in the rest
  if (pending.usage === undefined || totalTokens(rest) !== totalTokens(pending.usage)) out.sink.lost(event, 'usage.attributed', 'approx')
  pending.usage = rest
  pending.cost = costFor(pending.event, rest)
  flushMessage(out, session)
}

/** The messages of a turn were written before its sum came: the next message of another turn has the rest, so that all sums are right. */
function carry(out: Out, session: Session, event: Event, left: Usage): void {
  out.sink.lost(event, 'usage.attributed', 'approx')
  session.carried = addUsage(session.carried, left)
}

export function flushMessage(out: Out, session: Session): void {
  const { pending, carried } = session
  if (pending === undefined) return
  session.pending = undefined
  session.carried = undefined
  const { event, usage } = pending
  const told = carried === undefined ? usage : addUsage(usage, carried)
  if (usage !== undefined) session.spent.set(pending.turn, addUsage(session.spent.get(pending.turn), usage))
  if (told !== undefined) session.spentInAll = addUsage(session.spentInAll, told)
  const { model, provider } = modelOf(out, session, pending)
  session.finish = finishWord(pending.finish ?? 'end_turn')
  write(
    out,
    session,
    {
      type: 'message_complete',
      timestamp: pending.timestamp,
      sessionID: session.id,
      modelID: model,
      providerID: provider,
      agent: event?.agentName ?? session.agent ?? 'default',
      cost: costOf(out, pending),
      tokens: tokensOf(out, told),
      // With tokens of an earlier turn among these, they no longer say how full the context is.
      context: carried === undefined ? contextOf(event, usage, session.limits.get(model)) : null,
      finish: keptIn(event, 'finish') ?? session.finish,
    },
    pending.synthetic,
  )
  if (session.finish === undefined && keptIn(event, 'finish') === undefined && !session.erred) session.unsaid = pending.finish
}

function modelOf(out: Out, session: Session, pending: Pending): { model: string; provider: string } {
  const model = pending.model ?? session.model
  const provider = pending.provider ?? session.provider ?? (model === undefined ? undefined : providerOf(model))
  if (model === undefined) out.sink.added('message_complete.modelID')
  if (provider === undefined) out.sink.added('message_complete.providerID')
  return { model: model ?? 'unknown', provider: provider ?? 'unknown' }
}

/** For sources that name only the model. */
export const providerOf = (model: string): string | undefined =>
  model.startsWith('claude') ? 'anthropic' : model.startsWith('gpt-') ? 'openai' : model.startsWith('gemini') ? 'google' : undefined

function tokensOf(out: Out, usage: Usage | undefined) {
  if (usage === undefined) out.sink.added('message_complete.tokens')
  const { input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0 } = usage ?? {}
  return { input, output, reasoning, cache: { read: cacheRead, write: cacheWrite } }
}

/** The cost of a message whose tokens turned out to be others: each has its price, as far as that is known from those told before. */
function costFor(event: Pending['event'], usage: Usage): Cost | undefined {
  const { usage: told, cost } = event ?? {}
  if (cost?.by !== 'priced' || cost.parts === undefined || told === undefined) return cost
  const scaled = (part = 0, now = 0, before = 0): number => (now === before ? part : before === 0 ? NaN : (part * now) / before)
  const parts = {
    input: scaled(cost.parts.input, usage.input, told.input),
    output: scaled(cost.parts.output, outputTokens(usage), outputTokens(told)),
    cacheRead: scaled(cost.parts.cacheRead, usage.cacheRead, told.cacheRead),
    cacheWrite: scaled(cost.parts.cacheWrite, usage.cacheWrite, told.cacheWrite),
  }
  const usd = parts.input + parts.output + parts.cacheRead + parts.cacheWrite
  return Number.isNaN(usd) ? undefined : { usd, parts, by: cost.by }
}

/** What nobody knows is absent, never zero. A sum without its parts cannot be told: no guess that looks like a price. */
function costOf(out: Out, { event, cost }: Pick<Pending, 'event' | 'cost'>) {
  if (cost === undefined) return undefined
  if (cost.parts === undefined && cost.usd !== 0) {
    out.sink.lost(event!, 'cost', 'drop')
    return undefined
  }
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = cost.parts ?? {}
  return {
    input: Math.max(0, input),
    output: Math.max(0, output),
    cache: { read: Math.max(0, cacheRead), write: Math.max(0, cacheWrite) },
  }
}

/** A turn that stands for its messages fills no window: its tokens are sums. */
function contextOf(event: Pending['event'], usage: Usage | undefined, known: number | undefined) {
  const limit = event?.context?.limit ?? known
  if (event === undefined || usage === undefined || limit === undefined || limit === 0) return null
  const used = contextTokens(usage)
  return { used, limit, ratio: used / limit }
}

// ── text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function joinDelta(out: Out, session: Session, event: EventOf<'text.delta' | 'thought.delta'>): void {
  const block = session.blocks[event.kind === 'text.delta' ? 'text' : 'thought']
  if (block.text === '' && block.spilled === 0) block.startedAt = event.at
  block.text += event.text
  if (block.text.length <= mostText) return
  out.sink.lost(event, 'text', 'approx')
  spoken(out, session, event, block.text, block.startedAt, event.at)
  block.spilled += block.text.length
  block.text = ''
}

export function endBlock(out: Out, session: Session, event: EventOf<'text.end' | 'thought.end'>): void {
  const { text: joined, spilled, startedAt } = session.blocks[event.kind === 'text.end' ? 'text' : 'thought']
  dropBlock(session, event)
  const text = event.text === undefined ? joined : spilled === 0 ? event.text : event.text.slice(spilled)
  if (text === '') {
    if (spilled === 0) out.sink.lost(event) // a redacted thought, or no words at all
    return
  }
  spoken(out, session, event, text, event.startedAt ?? startedAt, event.endedAt)
}

function dropBlock(session: Session, { kind }: EventOf<'text.end' | 'thought.end'>): void {
  const name = kind === 'text.end' ? 'text' : 'thought'
  if (session.blocks[name].text !== '' || session.blocks[name].spilled > 0)
    session.blocks[name] = { text: '', spilled: 0, startedAt: undefined }
}

function spoken(out: Out, session: Session, event: Event, text: string, start: number | undefined, end: number | undefined): void {
  const type = event.kind === 'text.end' || event.kind === 'text.delta' ? 'text' : 'reasoning'
  const timestamp = out.time(event)
  if (start === undefined) out.sink.added(`${type}.part.time`)
  const time = { start: start ?? timestamp, end: end ?? timestamp }
  if (type === 'text') session.spoke = true
  write(out, session, {
    type,
    timestamp,
    sessionID: session.id,
    part: { type, text, sessionID: session.id, time },
    sequenceNum: nextNumber(session, session.id),
  })
}
