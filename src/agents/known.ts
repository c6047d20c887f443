// What another agent does not tell of its session, and we know: the rules and the profile that hold for it, the model that was asked for, and
// what its messages cost and how much a context holds, by the table of prices.
import type { Event, EventOf } from '../model/event.ts'
import { contextTokens } from '../model/usage.ts'
import type { Catalog } from '../prices/catalog.ts'
import type { PermissionRule } from '../supervise/contract.ts'
import { costOf } from './builtin/price.ts'

export type Known = {
  rules: readonly PermissionRule[]
  profile: string
  model?: string | undefined
  prices: Pick<Catalog, 'find'>
}

export const withKnown =
  (known: Known, now: () => number) =>
  (event: Event): Event =>
    event.kind === 'session.start' ? started(event, known) : event.kind === 'message.end' ? priced(event, known, now) : event

function started(event: EventOf<'session.start'>, { rules, profile, model }: Known): Event {
  return {
    ...event,
    model: event.model ?? model,
    agentName: event.agentName ?? profile,
    rules: event.rules ?? rules.map(({ permission, pattern, action }) => ({ permission, pattern, action })),
  }
}

function priced(event: EventOf<'message.end'>, { prices }: Known, now: () => number): Event {
  const { usage, model, provider, cost, context } = event
  if (usage === undefined || model === undefined) return event
  const found = (provider === undefined ? undefined : prices.find(`${provider}/${model}`)) ?? prices.find(model)
  if (found === undefined) return event
  const limit = context?.limit ?? found.context
  return {
    ...event,
    cost: cost ?? costOf(found, usage, event.at ?? now()),
    context: limit === undefined ? context : { used: context?.used ?? contextTokens(usage), limit },
  }
}
