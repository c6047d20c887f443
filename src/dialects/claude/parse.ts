// The document's parsing strategy as calls: the final result, calls with their results, costs, errors and denials. They take
// Claude's own records or events of any dialect.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Cost, Event, EventOf, Fault, Usage } from '../../model/event.ts'
import { outcomeOf, type Outcome, toolFailed } from '../../model/outcome.ts'
import { addUsage } from '../../model/usage.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { claude } from './index.ts'
import { usd } from './values.ts'

export type Input = Iterable<Event> | Iterable<Rec>

/** Events as they are; records decoded. What is no record says nothing. */
export function eventsOf(input: Input): Event[] {
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
    if (event.kind === 'tool.start') {
      const paired: PairedCall = {
        call,
        name: event.name,
        input: event.input,
        agent: event.agent,
        failed: false,
        result: undefined,
      }
      open.set(call, paired)
      calls.push(paired)
      continue
    }
    const paired = open.get(call)
    if (paired === undefined) continue
    if (event.kind === 'tool.update' && event.input !== undefined) paired.input = event.input
    if (event.kind !== 'tool.end') continue
    paired.result = event
    paired.failed = toolFailed(event)
    open.delete(call)
  }
  return calls
}

// ── costs ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type ModelCost = { model: string; usage: Usage; usd: number }
export type Costs = { usd: number; usage: Usage; byModel: ModelCost[]; by: Cost['by'] | undefined }

/** What all turns together used, in all lanes, by model. */
export function costs(input: Input): Costs {
  const total: Costs = { usd: 0, usage: {}, byModel: [], by: undefined }
  const models = new Map<string, ModelCost>()
  for (const event of eventsOf(input)) {
    if (event.kind !== 'turn.end') continue
    total.usd = usd(total.usd + (event.cost?.usd ?? 0))
    total.by ??= event.cost?.by
    total.usage = addUsage(total.usage, event.usage)
    for (const share of event.byModel ?? []) {
      const before = models.get(share.model)
      models.set(share.model, {
        model: share.model,
        usage: addUsage(before?.usage, share.usage),
        usd: usd((before?.usd ?? 0) + (share.cost?.usd ?? 0)),
      })
    }
  }
  return { ...total, byModel: [...models.values()] }
}

// ── errors and denials ───────────────────────────────────────────────────────────────────────────────────────────────────

export type Trouble = {
  errors: Fault[]
  failedCalls: PairedCall[]
  denied: { call: string | undefined; name: string; input: unknown }[]
}

/** Failures of turns, calls that failed, and calls that were not permitted. */
export function errorsAndDenials(input: Input): Trouble {
  const events = eventsOf(input)
  const calls = pairedCalls(events)
  const denied = new Map<string, Trouble['denied'][number]>()
  const errors: Fault[] = []
  for (const event of events) {
    if (event.kind !== 'turn.end') continue
    if (event.error !== undefined) errors.push(event.error)
    for (const { call, name, input: asked } of event.denied ?? []) denied.set(call ?? name, { call, name, input: asked })
  }
  for (const { call, name, input: asked, result } of calls) if (result?.status === 'denied') denied.set(call, { call, name, input: asked })
  return { errors, failedCalls: calls.filter(({ failed }) => failed), denied: [...denied.values()] }
}
