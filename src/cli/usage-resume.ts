// What a resumed Claude tells again. Its sums are those of the process, and many versions go on with those of the session, also in
// another process, whose output may be another file; old ones count anew. What the messages used tells which of the two it is.
import type { Rec } from '../base/json.ts'
import type { Event, EventOf, Usage } from '../model/event.ts'
import { isSum } from './usage-copies.ts'
import { addUsage, outputTokens, usageSince } from '../model/usage.ts'

type Sum = { usage: Usage; usd: number }
/** By model. */
type Sums = ReadonlyMap<string, Sum>
type Result = EventOf<'turn.end'> & { byModel: NonNullable<EventOf<'turn.end'>['byModel']> }

/** Of a session in the stream at hand: what the messages before its first result used, by model. */
type Here = Map<string, Usage>

const most = 1 << 14

export function createResumes() {
  const told = new Map<string, Sums>()

  /** For one stream: gives each event, or what it says without the past; nothing, if its sums are a copy of what was told before. */
  return function begin(): (event: Event, record: Rec | undefined, isCopy: boolean) => Event | undefined {
    const here = new Map<string, Here>()
    const going = new Set<string>()

    function ended({ session, model = '', usage }: EventOf<'message.end'>): void {
      if (session === undefined || usage === undefined || going.has(session) || !told.has(session)) return
      const models = here.get(session) ?? new Map<string, Usage>()
      here.set(session, models.set(model, addUsage(models.get(model), usage)))
    }

    function result(event: Result, session: string, isShare: boolean): Event {
      const past = told.get(session)
      const isFirst = !going.has(session)
      going.add(session)
      const goesOn = isFirst && past !== undefined && !isShare && isWithin(past, event, here.get(session))
      here.delete(session)
      const own = goesOn ? without(past, event) : event
      told.set(session, added(goesOn || !isFirst || isShare ? past : undefined, own))
      if (told.size > most) told.delete(told.keys().next().value!)
      return own
    }

    return (event, record, isCopy) => {
      if (event.kind === 'message.end') ended(event)
      if (isCopy && isSum(event)) {
        if (event.session !== undefined) going.add(event.session)
        return undefined
      }
      if (event.kind !== 'turn.end' || event.session === undefined || event.byModel === undefined) return event
      return result(event as Result, event.session, record?.['model_usage_since_last_result'] !== undefined)
    }
  }
}

/** Whether the sums hold the past and all that was used since. */
function isWithin(past: Sums, { byModel }: Result, here: Here = new Map()): boolean {
  const now = new Map(byModel.map(({ model, usage }) => [model, usage]))
  return [...past].every(([model, { usage }]) => isAtMost(addUsage(usage, here.get(model)), now.get(model) ?? {}))
}

/** Some reports count thinking as output: the two are compared as one. */
const isAtMost = (one: Usage, other: Usage): boolean =>
  outputTokens(one) <= outputTokens(other) &&
  (['input', 'cacheRead', 'cacheWrite'] as const).every((bucket) => (one[bucket] ?? 0) <= (other[bucket] ?? 0))

function without(past: Sums, event: Result): Result {
  const byModel = event.byModel.map((part) => {
    const before = past.get(part.model)
    if (before === undefined) return part
    const cost = part.cost && { ...part.cost, usd: lessUsd(part.cost.usd, before.usd) }
    return { ...part, usage: usageSince(part.usage ?? {}, before.usage), ...(cost && { cost }) }
  })
  const usd = [...past.values()].reduce((sum, one) => sum + one.usd, 0)
  return {
    ...event,
    byModel,
    usage: byModel.reduce<Usage>((all, part) => addUsage(all, part.usage), {}),
    ...(event.cost && { cost: { ...event.cost, usd: lessUsd(event.cost.usd, usd) } }),
  }
}

/** In billionths of a dollar, as money is added here. */
const lessUsd = (usd: number, past: number): number => Math.max(0, Math.round((usd - past) * 1e9) / 1e9)

function added(past: Sums | undefined, { byModel }: Result): Sums {
  const sums = new Map(past)
  for (const { model, usage, cost } of byModel) {
    const before = sums.get(model)
    sums.set(model, { usage: addUsage(before?.usage, usage), usd: (before?.usd ?? 0) + (cost?.usd ?? 0) })
  }
  return sums
}
