// What a chat remembers of its session to tell when asked: turns, tokens, money, how full the model is, and what was allowed for good.
import { createScripted } from '../analyze/scripted.ts'
import type { Context, Event, Rule, Usage } from '../model/event.ts'
import { addUsage } from '../model/usage.ts'

export type Book = {
  push(event: Event): void
  turns(): number
  usage(): Usage
  /** Undefined as soon as one turn has no known price. */
  usd(): number | undefined
  /** All answers came from a script: the cost was not paid. */
  scripted(): boolean
  /** Of the last answer. */
  context(): Context | undefined
  granted(): readonly Rule[]
}

export function createBook(history: readonly Event[] = []): Book {
  const scripted = createScripted()
  let turns = 0
  let usage: Usage = {}
  let usd = 0
  let isPriced = true
  let context: Context | undefined
  const granted: Rule[] = []

  function push(event: Event): void {
    scripted.push(event)
    if (event.kind === 'message.end' && event.agent === undefined) context = event.context ?? context
    if (event.kind === 'permission.answer' && event.decision === 'allow' && event.scope === 'session') granted.push(...(event.rules ?? []))
    if (event.kind !== 'turn.end') return
    turns++
    usage = addUsage(usage, event.usage)
    usd += event.cost?.usd ?? 0
    if (event.cost === undefined && Object.keys(event.usage ?? {}).length > 0) isPriced = false
  }

  for (const event of history) push(event)
  granted.length = 0 // an "always" ends with the program that was told it
  return {
    push,
    turns: () => turns,
    usage: () => usage,
    usd: () => (isPriced ? usd : undefined),
    scripted: scripted.session,
    context: () => context,
    granted: () => granted,
  }
}
