// The document's parsing strategy as calls: the final result, calls with their results, costs, errors and denials. They take
// Claude's own records or events of any dialect.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Cost, Event, EventOf, Fault, Usage } from '../../model/event.ts'
import { outcomeOf, type Outcome, toolFailed } from '../../model/outcome.ts'
import { addUsage, totalTokens, usageOfTurn, usageSince } from '../../model/usage.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { claude } from './index.ts'
import { usd } from './values.ts'

export type Input = Iterable<Event> | Iterable<Rec>

/** Events as they are; records decoded. What is no record says nothing. */
export function eventsOf(input: Input): Event[] {
  // A text is an iterable of its letters, and bytes one of numbers: they would say nothing, without a word.
  if (typeof input !== 'object' || typeof input?.[Symbol.iterator] !== 'function' || ArrayBuffer.isView(input))
    throw new TypeError('the input must be records or events, as an array; those of a text or of bytes are read(input), of sluice')
  const items = [...(input as Iterable<Event | Rec>)].filter(isRecord) as (Event | Rec)[]
  if (items.every(isEvent)) return items
  const decoder = claude.decoder()
  const events = items.flatMap((record, index) =>
    decoder.push(record as Rec, {
      dialect: claude.name,
      from: 'agent',
      record: index + 1,
      line: index + 1,
      offset: 0,
      length: 0,
    }),
  )
  return [...events, ...decoder.end()]
}

const isEvent = (item: Event | Rec): item is Event => isRecord(item) && typeof item['kind'] === 'string' && typeof item['seq'] === 'number'

// ── the final result ─────────────────────────────────────────────────────────────────────────────────────────────────────

export type FinalResult = {
  outcome: Outcome
  reason: Reason
  text: string | undefined
  data: unknown
  error: Fault | undefined
  usage: Usage | undefined
  durationMs: number | undefined
  steps: number | undefined
}

/**
 * How the last turn ended. Its outcome is decided by `is_error` and the reason, never by the subtype alone; a turn whose result never came
 * has failed, with the reason `cut`: the result of a turn before it would say that all went well.
 */
export function finalResult(input: Input): FinalResult | undefined {
  const end = eventsOf(input).findLast((event) => event.kind === 'turn.end')
  if (end === undefined) return undefined
  const { reason, text, data, error, usage, durationMs, steps } = end
  return { outcome: outcomeOf(reason), reason, text, data, error, usage, durationMs, steps }
}

// ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type PairedCall = {
  call: string
  name: string
  input: unknown
  agent: string | undefined
  failed: boolean
  result: EventOf<'tool.end'> | undefined
}

/** Every call with its result, in order of the calls; results may come in any order, and several in one record. */
export function pairedCalls(input: Input): PairedCall[] {
  const open = new Map<string, PairedCall>()
  const calls: PairedCall[] = []
  for (const event of eventsOf(input)) {
    const { call } = event
    if (call === undefined) continue
    const key = keyIn(event.session, call)
    if (event.kind === 'tool.start') {
      const paired: PairedCall = {
        call,
        name: event.name,
        input: event.input,
        agent: event.agent,
        failed: false,
        result: undefined,
      }
      open.set(key, paired)
      calls.push(paired)
      continue
    }
    const paired = open.get(key)
    if (paired === undefined) continue
    if (event.kind === 'tool.update' && event.input !== undefined) paired.input = event.input
    if (event.kind !== 'tool.end') continue
    paired.result = event
    paired.failed = toolFailed(event)
    open.delete(key)
  }
  return calls
}

/** Ids are those of their session: another one may use the same. */
const keyIn = (session: string | undefined, id: string): string => `${session ?? ''}\0${id}`

// ── costs ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type ModelCost = { model: string; usage: Usage; usd: number }
export type Costs = { usd: number; usage: Usage; byModel: ModelCost[]; by: Cost['by'] | undefined }

/**
 * What all turns together used, in all lanes, by model. A turn whose end tells nothing, or that has no end, used what its messages tell; a
 * session used no less than it says in all. Money is what the agent told, never what a price list says: for that give `createUsage` of
 * `sluice/analyze` a pricer.
 */
export function costs(input: Input): Costs {
  const total: Costs = { usd: 0, usage: {}, byModel: [], by: undefined }
  const models = new Map<string, ModelCost>()
  const sessions = new Map<string | undefined, Spending>()

  function sessionOf(id: string | undefined): Spending {
    let session = sessions.get(id)
    if (session === undefined) sessions.set(id, (session = { models: new Map(), open: [], usage: {}, usd: 0, inAll: {} }))
    return session
  }

  function endTurn(session: Spending, end?: EventOf<'turn.end'>): void {
    const { usage, cost, byModel } = spentIn(session, end)
    session.usage = addUsage(session.usage, usage)
    session.usd += cost?.usd ?? 0
    total.by ??= cost?.by
    for (const share of byModel) {
      const before = models.get(share.model)
      models.set(share.model, {
        model: share.model,
        usage: addUsage(before?.usage, share.usage),
        usd: usd((before?.usd ?? 0) + (share.cost?.usd ?? 0)),
      })
    }
    session.models.clear()
    session.open = []
  }

  for (const event of eventsOf(input)) {
    const session = sessionOf(event.session)
    const key = `${event.agent ?? ''}\0${event.message ?? ''}`
    if (event.kind === 'message.start') session.models.set(key, event.model)
    else if (event.kind === 'message.end') session.open.push({ ...toldIn(event), model: event.model ?? session.models.get(key) })
    else if (event.kind === 'turn.end') endTurn(session, event)
    else if (event.kind === 'session.end' || isOfSession(event)) session.inAll = { ...session.inAll, ...toldIn(event) }
  }
  for (const session of sessions.values()) {
    endTurn(session)
    const { usage, cost } = session.inAll
    total.usage = addUsage(total.usage, addUsage(session.usage, usageSince(usage ?? {}, session.usage)))
    total.usd = usd(total.usd + Math.max(session.usd, cost?.usd ?? 0))
    total.by ??= cost?.by
  }
  return { ...total, byModel: [...models.values()] }
}

type Told = { usage?: Usage | undefined; cost?: Cost | undefined }
type Share = Told & { model: string }

type Spending = {
  /** By lane and message, as its start told. */
  models: Map<string, string | undefined>
  /** Messages since the last end of a turn. */
  open: (Told & { model: string | undefined })[]
  /** What the turns before used. */
  usage: Usage
  usd: number
  /** As the session itself says. */
  inAll: Told
}

const isOfSession = (event: Event): event is EventOf<'usage.update'> =>
  event.kind === 'usage.update' && event.scope === 'session' && event.cumulative && event.agent === undefined

const toldIn = ({ usage, cost }: Told): Told => ({ ...(usage && { usage }), ...(cost && { cost }) })

/** The end of a turn knows calls that no message shows; but that of a turn that was broken off may count nothing. */
function spentIn({ open }: Spending, end: EventOf<'turn.end'> | undefined): Told & { byModel: readonly Share[] } {
  let usage: Usage | undefined
  let cost: Cost | undefined
  const shares: Share[] = []
  for (const { model, ...told } of open) {
    if (totalTokens(told.usage ?? {}) === 0 && !told.cost?.usd) continue // the program's own words are messages of no model
    if (told.usage !== undefined) usage = addUsage(usage, told.usage)
    if (told.cost !== undefined) cost = { usd: (cost?.usd ?? 0) + told.cost.usd, by: cost?.by ?? told.cost.by }
    if (model !== undefined) shares.push({ model, ...told })
  }
  const used = usageOfTurn(end?.usage, usage)
  return {
    usage: used,
    cost: end?.cost?.usd ? end.cost : (cost ?? end?.cost),
    byModel: used === end?.usage && end?.byModel?.length ? end.byModel : shares,
  }
}

// ── errors and denials ───────────────────────────────────────────────────────────────────────────────────────────────────

export type Denial = { call: string | undefined; name: string; input: unknown }
export type Trouble = { errors: Fault[]; failedCalls: PairedCall[]; denied: Denial[] }

/** What went wrong, wherever it is told, each fault of a session once; calls that failed; and calls that were not permitted. */
export function errorsAndDenials(input: Input): Trouble {
  const events = eventsOf(input)
  const errors = new Map<string, Fault>()
  const denied = new Map<string, Denial>()
  const requests = new Map<string, EventOf<'permission.request'>>()
  function deny(session: string | undefined, { call, name, input: asked }: Denial): void {
    const key = keyIn(session, call ?? name)
    denied.set(key, { call, name, input: asked ?? denied.get(key)?.input })
  }

  for (const event of events) {
    const { session } = event
    const error = faultIn(event)
    if (error !== undefined) {
      const key = keyIn(session, `${error.category}\0${error.text}`)
      if (!errors.has(key)) errors.set(key, error)
    }
    if (event.kind === 'permission.request') requests.set(keyIn(session, event.id), event)
    else if (event.kind === 'permission.answer' && event.decision !== 'allow' && event.decision !== 'withdrawn')
      deny(session, refusalOf(event, requests.get(keyIn(session, event.id ?? ''))))
    else if (event.kind === 'turn.end')
      for (const { call, name, input: asked } of event.denied ?? []) deny(session, { call, name, input: asked })
  }
  const calls = pairedCalls(events)
  for (const { call, name, input: asked, result } of calls)
    if (result?.status === 'denied') deny(result.session, { call, name, input: asked })
  return { errors: [...errors.values()], failedCalls: calls.filter(({ failed }) => failed), denied: [...denied.values()] }
}

function faultIn(event: Event): Fault | undefined {
  switch (event.kind) {
    case 'error':
    case 'message.end':
    case 'turn.end':
    case 'session.end':
      return event.error
  }
  return undefined
}

/** An answer may say no more than which request it is to. */
function refusalOf(answer: EventOf<'permission.answer'>, request: EventOf<'permission.request'> | undefined): Denial {
  const told = <K extends 'call' | 'name' | 'input' | 'permission'>(key: K) => answer[key] ?? request?.[key]
  return { call: told('call'), name: told('name') ?? told('permission') ?? '', input: told('input') }
}
