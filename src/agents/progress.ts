// What is open in a session, how its last turn ended and what was spent, as its events report it.
import type { Cost, Event, EventOf, Fault, Usage } from '../model/event.ts'
import { addUsage, usageOfTurn } from '../model/usage.ts'
import type { Reason } from '../model/vocabulary.ts'

export type TurnEnd = { reason: Reason; error?: Fault | undefined; text?: string | undefined }

export type Progress = {
  onEvent(event: Event): void
  isTurnOpen(): boolean
  /** Of the lane, the main conversation if none is named. Those that a subagent works for are not among them: its own are. */
  openCalls(lane?: string): number
  /** Subagents that work on after their turn. */
  openTasks(): number
  /** Commands run on in the background. */
  openCommands(): number
  /** Some task ended, and may have woken the agent up: its next turn comes by itself. */
  hadTasks(): boolean
  lastTurn(): TurnEnd | undefined
  /** It tells the answers of the model in the main conversation one by one. */
  hasMessages(): boolean
  spent(): { usage: Usage; cost?: Cost }
  /** Answers of the model in the main conversation; where the agent does not tell them apart, one for each turn. */
  answers(): number
}

export function createProgress(): Progress {
  const turns = new Set<number | undefined>()
  const calls = new Map<string | undefined, string | undefined>() // to their lanes
  const tasks = new Set<string>()
  const commands = new Set<string>()
  let hadTasks = false
  let hasMessages = false
  let last: TurnEnd | undefined
  let usage: Usage = {}
  let unsummed: Usage | undefined // of messages, for a turn whose end does not say it
  let dollars: number | undefined
  let unpaid: number | undefined // the same of their cost
  let bill: number | undefined // of the whole session, as last told
  let paid: number | undefined // how much of it is in `dollars`, or was there before
  let answers = 0
  let ended = 0
  let text: string | undefined // of the last answer, for a turn whose end does not repeat it

  function onEvent(event: Event): void {
    const isMain = event.agent === undefined
    switch (event.kind) {
      case 'turn.start':
        turns.add(event.turn)
        text = undefined
        unsummed = unpaid = undefined
        return
      case 'session.start':
        if (isMain && event.how === 'new') paid ??= 0
        return
      case 'usage.update':
        if (isMain && event.scope === 'session' && event.cumulative && event.cost !== undefined) bill = event.cost.usd
        return
      case 'turn.end':
        turns.delete(event.turn)
        ended++
        last = { reason: event.reason, error: event.error, text: event.text ?? text }
        dollars = plus(dollars, costOf(event))
        usage = addUsage(usage, usageOfTurn(event.usage, unsummed))
        unsummed = unpaid = undefined
        paid = bill ?? paid
        return
      case 'text.end':
        if (isMain) text = event.text
        return
      case 'message.start':
        hasMessages ||= isMain
        return
      case 'message.end':
        if (event.usage !== undefined) unsummed = addUsage(unsummed, event.usage)
        unpaid = plus(unpaid, event.cost?.usd)
        if (isMain) answers++
        return
      case 'tool.start':
        if (event.toolKind !== 'task') calls.set(event.call, event.agent)
        return
      case 'tool.end':
        calls.delete(event.call)
        return
      case 'task.start':
        hadTasks = true
        ;(event.type === 'agent' ? tasks : commands).add(event.task)
        return
      case 'task.end':
        tasks.delete(event.task)
        commands.delete(event.task)
    }
  }

  /** A turn that was broken off tells no cost, or 0: then what its messages told counts, or what the session's bill has grown by. */
  function costOf({ usage: told, cost }: EventOf<'turn.end'>): number | undefined {
    const isUncounted = cost?.usd === 0 && usageOfTurn(told, unsummed) !== told
    return cost === undefined || isUncounted ? (unpaid ?? grown()) : cost.usd
  }

  const grown = (): number | undefined => (bill !== undefined && paid !== undefined && bill > paid ? bill - paid : undefined)

  return {
    onEvent,
    isTurnOpen: () => turns.size > 0,
    openCalls: (lane) => [...calls.values()].filter((of) => of === lane).length,
    openTasks: () => tasks.size,
    openCommands: () => commands.size,
    hadTasks: () => hadTasks,
    lastTurn: () => last,
    hasMessages: () => hasMessages,
    spent() {
      const usd = plus(dollars, unpaid ?? grown())
      return { usage: addUsage(usage, unsummed), ...(usd !== undefined && { cost: { usd, by: 'source' } }) }
    },
    answers: () => (answers === 0 ? ended : answers),
  }
}

const plus = (a: number | undefined, b: number | undefined): number | undefined => (a === undefined ? b : b === undefined ? a : a + b)
