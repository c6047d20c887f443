// What all parts of a running session share: the one pen that writes its events, the lanes of its conversation, questions that are
// open, and what it has used so far.
import type { Cost, Kind, Payload, Place, Usage } from '../../model/event.ts'
import { createPen } from '../../model/pen.ts'
import type { Model } from '../../prices/catalog.ts'
import { addUsage } from '../../model/usage.ts'
import type { Reason } from '../../model/vocabulary.ts'
import type { Answer, Ask } from '../../supervise/contract.ts'
import type { Host } from '../contract.ts'
import { newId } from './id.ts'
import type { Conversation } from './model/conversation.ts'
import type { Chosen } from './model/chosen.ts'
import type { BuiltinRequest, Profile } from './request.ts'
import type { Tool } from './tools/tool.ts'

/** One conversation with a model: the main one, or a subagent's. `agent` is absent of the main lane. */
export type Lane = {
  agent?: string
  depth: number
  profile: Profile
  /** The profiles of those who gave the work, the nearest last. */
  above: readonly string[]
  model: Chosen
  system: string
  conversation: Conversation
  /** By this lane alone, in the turn that runs. */
  spent: Spent
  tools(): readonly Tool[]
}

/** Money and tokens of a turn or session; `cost` is absent as soon as one share has no price. */
export type Spent = { usage: Usage; usd: number; priced: boolean; byModel: Map<string, Share> }
type Share = { usage: Usage; usd: number; priced: boolean; limits: Limits | undefined }
type Limits = Pick<Model, 'context' | 'output'>

export const nothingSpent = (): Spent => ({ usage: {}, usd: 0, priced: true, byModel: new Map() })

export function spend(spent: Spent, model: string, usage: Usage | undefined, cost: Cost | undefined, limits?: Limits): void {
  const share = spent.byModel.get(model) ?? { usage: {}, usd: 0, priced: true, limits }
  spent.byModel.set(model, share)
  for (const sum of [spent, share]) {
    sum.usage = addUsage(sum.usage, usage)
    sum.usd += cost?.usd ?? 0
    if (cost === undefined) sum.priced = false
  }
}

/** What no answer has told, such as one that broke off, is not known: that is no zero. */
export const costOfSpent = ({ usage, usd, priced }: Omit<Spent, 'byModel'>): Cost | undefined =>
  priced && Object.keys(usage).length > 0 ? { usd: roundUsd(usd), by: 'priced' } : undefined

/** Sums of prices carry dust behind the ninth digit. */
const roundUsd = (usd: number): number => Math.round(usd * 1e9) / 1e9

export const newTurn = (number: number) => ({
  number,
  spent: nothingSpent(),
  denied: [] as { call?: string; name: string; input?: unknown }[],
  apiMs: 0,
  steps: 0,
  tasks: 0,
})

const turnsIn = (history: readonly { kind: string }[]): number => history.filter(({ kind }) => kind === 'turn.start').length

export type Session = ReturnType<typeof createSession>

export function createSession(request: BuiltinRequest, host: Host) {
  const pen = createPen()
  for (const event of request.history) pen.follow(event)
  const lanes = new Map<string | undefined, Lane>()
  const open = new Map<string, (answer: Answer) => void>()

  let isOver = false

  function tell<K extends Kind>(kind: K, payload: Payload<K>, place: Place = {}): void {
    if (isOver) return
    pen.common({ at: host.now(), session: request.session })
    pen.emit(kind, payload, place)
    const events = pen.take()
    for (const event of events) lanes.get(event.agent)?.conversation.push(event)
    host.emit(events)
  }

  /** Resolves when the answer comes, or with a withdrawal when the signal ends the wait. */
  function permission(ask: Omit<Ask, 'id'>, signal: AbortSignal): Promise<Answer> {
    const id = newId('per', host.now())
    return new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        open.delete(id)
        signal.removeEventListener('abort', withdraw)
        resolve(answer)
      }
      const withdraw = (): void => settle({ decision: 'cancelled', by: 'agent' })
      if (signal.aborted) return withdraw()
      signal.addEventListener('abort', withdraw)
      open.set(id, settle)
      host.raise({ ...ask, id })
    })
  }

  return {
    request,
    host,
    lanes,
    /** What is used up is used up for subagents as well: after their step they end with this. */
    limit: undefined as Reason | undefined,
    /** Subagents that work now. */
    busy: new Set<string>(),
    tell,
    permission,
    /** Whatever still runs is not heard any more. */
    close: (): void => void (isOver = true),
    answer: (id: string, answer: Answer): void => open.get(id)?.(answer),
    turn: newTurn(turnsIn(request.history)),
    spent: nothingSpent(),
  }
}
