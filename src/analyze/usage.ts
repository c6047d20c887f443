// How many tokens a stream used and what they cost: a fold over canonical events of any dialect. Nothing is counted twice; which
// report counts is said in usage-book.ts.
import type { Rec } from '../base/json.ts'
import type { Cost, Event, EventOf, Usage } from '../model/event.ts'
import { type Book, type BookOptions, type Claim, type Counted, createBook, type Session, toldNanos } from './usage-book.ts'
import type { Group, Totals, Unpriced } from './usage-ledger.ts'
import { tokensIn } from './usage-sums.ts'

export type { Grouping, Group, Totals, Unpriced } from './usage-ledger.ts'
export type UsageOptions = BookOptions

export type UsageReport = {
  totals: Totals
  days: Group[]
  models: Group[]
  sessions: Group[]
  projects: Group[]
  /** What subagents used; it is part of the totals. */
  agents: AgentUsage[]
  /** Models whose tokens are in the totals, but not in the costs. */
  unpriced: Unpriced[]
}
export type AgentUsage = Usage & { session: string; agent: string }

export type UsageFold = {
  /** `record`: what the event came from. Claude tells there the request, by which a copy in another session is known, and of a sum whether it is this turn's. */
  push(event: Event, record?: Rec): void
  /** Events that name no session are of this one: two files without names are two sessions. */
  source(name: string): void
  report(): UsageReport
  /** The report's. */
  totals(): Totals
}

/** A message that has begun. `start` is counted until its end tells more, `told` are the calls of it that were told since. */
type Open = {
  at: number | undefined
  model: string | undefined
  provider: string | undefined
  request: string | undefined
  start: Counted | undefined
  told: Counted[]
}

const mostOpen = 1024

/** `book`: where who reads logs of other forms enters them. */
export function createUsage(options: UsageOptions = {}): UsageFold & { book: Book } {
  const book = createBook(options)
  const open = new Map<string, Map<string, Open>>()
  let unnamed = ''

  const openIn = (session: Session): Map<string, Open> => {
    let messages = open.get(session.id)
    if (messages === undefined) open.set(session.id, (messages = new Map()))
    return messages
  }
  const sessionOf = (event: Event): Session => book.sessionOf(event.session ?? unnamed)

  function begin(session: Session, { how }: EventOf<'session.start'>): void {
    const { running, seen } = session
    if (running !== undefined) running.inRun = false
    session.goesOn = (how === 'resumed' || how === 'forked') && running === undefined && tokensIn(seen) === 0
  }

  function setting(session: Session, { model, provider, cwd }: EventOf<'session.start'> | EventOf<'session.update'>): void {
    session.model = model ?? session.model
    session.provider = provider ?? session.provider
    session.project = cwd ?? session.project
  }

  function messageStart(session: Session, event: EventOf<'message.start'>, request: string | undefined): void {
    const messages = openIn(session)
    const { at, model, provider, agent, message, usage } = event
    const start = usage && book.begin(session, { agent, message, request, model, provider, at, tokens: usage, oneRequest: true })
    messages.set(keyOf(event), { at, model, provider, request, start, told: [] })
    if (messages.size > mostOpen) messages.delete(messages.keys().next().value!)
  }

  function messageEnd(session: Session, event: EventOf<'message.end'>): void {
    const key = keyOf(event)
    const messages = openIn(session)
    const begun = messages.get(key)
    messages.delete(key)
    session.model ??= event.model
    const { start, told: calls = [] } = begun ?? {}
    const known = calls.length === 0 ? start : calls.length === 1 ? calls[0] : undefined
    const usage = event.usage ?? known?.claim.tokens
    if (usage === undefined) return calls.length > 0 && start !== undefined ? book.uncount(start) : undefined
    const claim: Claim = {
      agent: event.agent,
      message: event.message,
      request: begun?.request,
      model: event.model ?? begun?.model,
      provider: event.provider ?? begun?.provider,
      at: begun?.at ?? event.at, // the end of a message is often told with the next record, which may be of the next day
      oneRequest: true,
      tokens: usage,
      nanos: toldNanos(event.cost?.usd, usage) ?? (event.usage === undefined ? known?.claim.nanos : undefined),
    }
    book.message(session, claim, key, start === undefined ? calls : [start, ...calls])
  }

  function usageUpdate(session: Session, event: EventOf<'usage.update'>): void {
    const { scope, cumulative, usage, cost, at, agent, message } = event
    if (scope === 'session' && cumulative) {
      if (usage === undefined && cost === undefined) return
      if (agent !== undefined && usage !== undefined) return book.runningApart(session, { at, agent }, usage)
      return book.running(session, { at, nanos: toldNanos(cost?.usd, usage) }, usage, new Set(openIn(session).keys()))
    }
    if (cumulative || usage === undefined) return // an estimate; the end of the message or turn tells it
    const counted = book.count(session, { agent, at, oneRequest: scope === 'message', ...told(usage, cost) })
    if (message !== undefined) openIn(session).get(keyOf(event))?.told.push(counted)
  }

  function turnEnd(session: Session, { usage, own, byModel, cost, at }: EventOf<'turn.end'>, isShare: boolean): void {
    const parts: Claim[] = []
    for (const { model, usage: part, cost: price } of byModel ?? []) parts.push({ model, at, ...told(part, price) })
    if (parts.length === 0 && usage !== undefined) parts.push({ at, ...told(usage, cost) })
    else if (parts.length > 0) share(parts, toldNanos(cost?.usd, usage))
    book.turn(session, parts, own, isShare)
  }

  function sessionEnd(session: Session, { usage, cost, at }: EventOf<'session.end'>): void {
    const nanos = toldNanos(cost?.usd, usage)
    if (usage !== undefined || nanos !== undefined) book.ran(session, { at, nanos }, usage, new Set(openIn(session).keys()))
    open.delete(session.id)
  }

  return {
    push(event, record) {
      switch (event.kind) {
        case 'session.start':
          begin(sessionOf(event), event)
          return setting(sessionOf(event), event)
        case 'session.update':
          return setting(sessionOf(event), event)
        case 'message.start':
          return messageStart(sessionOf(event), event, requestIn(record))
        case 'message.end':
          return messageEnd(sessionOf(event), event)
        case 'usage.update':
          return usageUpdate(sessionOf(event), event)
        case 'turn.start':
          sessionOf(event).inTurn = true
          return
        case 'turn.end':
          return turnEnd(sessionOf(event), event, record?.['model_usage_since_last_result'] !== undefined)
        case 'session.end':
          return sessionEnd(sessionOf(event), event)
      }
    },
    source(name) {
      unnamed = name
    },
    book,
    report: () => settled(book, () => reportOf(book)),
    totals: () => settled(book, () => book.ledger.totals()),
  }
}

function requestIn(record: Rec | undefined): string | undefined {
  const request = record?.['requestId']
  return typeof request === 'string' ? request : undefined
}

/** Most messages are of no subagent, and to make one text of two for each would take longer than to look it up. */
const keyOf = ({ agent, message = '' }: Event): string => (agent ? `${agent}\0${message}` : message)

const told = (usage: Usage | undefined, cost: Cost | undefined): { tokens: Usage; nanos?: number | undefined } => ({
  tokens: usage ?? {},
  nanos: toldNanos(cost?.usd, usage),
})

/** The models of a turn cost what the turn cost; a source may tell a part of it with a later turn. */
function share(parts: Claim[], nanos: number | undefined): void {
  if (nanos === undefined) return
  const [first, ...rest] = parts.toSorted((a, b) => (b.nanos ?? 0) - (a.nanos ?? 0))
  for (const part of rest) part.nanos ??= 0
  first!.nanos = nanos - rest.reduce((sum, part) => sum + part.nanos!, 0)
}

/** With what running totals add. More may come: what they add is found anew then. */
function settled<T>(book: Book, read: () => T): T {
  const sessions = [...book.sessions()]
  const before = sessions.map(({ running }) => running)
  const added = sessions.map((session) => book.settle(session))
  const result = read()
  for (const [index, session] of sessions.entries()) {
    if (added[index] !== undefined) book.uncount(added[index])
    session.running = before[index]
  }
  return result
}

function reportOf(book: Book): UsageReport {
  const { ledger } = book
  const agents = [...book.lanes()]
    .filter(({ tokens }) => tokensIn(tokens) > 0)
    .toSorted((a, b) => tokensIn(b.tokens) - tokensIn(a.tokens) || (`${a.session}\0${a.agent}` < `${b.session}\0${b.agent}` ? -1 : 1))
    .map(({ session, agent, tokens }) => ({ session, agent, ...tokens }))
  return {
    totals: ledger.totals(),
    days: ledger.group('day'),
    models: ledger.group('model'),
    sessions: ledger.group('session'),
    projects: ledger.group('project'),
    agents,
    unpriced: ledger.unpriced(),
  }
}
