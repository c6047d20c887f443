// The course of a session as its events tell it: what is open, how the last turn ended, what was spent. For agents that say it only in pieces.
import type { Cost, Event, Fault, Usage } from '../model/event.ts'
import { addUsage } from '../model/usage.ts'
import type { Reason } from '../model/vocabulary.ts'

export type TurnEnd = { reason: Reason; error?: Fault | undefined; text?: string | undefined }

export type Course = {
  see(event: Event): void
  isTurnOpen(): boolean
  /** Of the main conversation. */
  openCalls(): number
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

export function createCourse(): Course {
  const turns = new Set<number | undefined>()
  const calls = new Set<string | undefined>()
  const tasks = new Set<string>()
  const commands = new Set<string>()
  let hadTasks = false
  let hasMessages = false
  let last: TurnEnd | undefined
  let usage: Usage = {}
  let unsummed: Usage | undefined // of messages, for a turn whose end does not say it
  let dollars: number | undefined
  let answers = 0
  let ended = 0
  let text: string | undefined // of the last answer, for a turn whose end does not repeat it

  function see(event: Event): void {
    const isMain = event.agent === undefined
    switch (event.kind) {
      case 'turn.start':
        turns.add(event.turn)
        text = undefined
        unsummed = undefined
        return
      case 'turn.end':
        turns.delete(event.turn)
        ended++
        last = { reason: event.reason, error: event.error, text: event.text ?? text }
        usage = addUsage(usage, event.usage ?? unsummed)
        unsummed = undefined
        if (event.cost !== undefined) dollars = (dollars ?? 0) + event.cost.usd
        return
      case 'text.end':
        if (isMain) text = event.text
        return
      case 'message.start':
        hasMessages ||= isMain
        return
      case 'message.end':
        unsummed = addUsage(unsummed, event.usage)
        if (isMain) answers++
        return
      case 'tool.start':
        if (isMain) calls.add(event.call)
        return
      case 'tool.end':
        if (isMain) calls.delete(event.call)
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

  return {
    see,
    isTurnOpen: () => turns.size > 0,
    openCalls: () => calls.size,
    openTasks: () => tasks.size,
    openCommands: () => commands.size,
    hadTasks: () => hadTasks,
    lastTurn: () => last,
    hasMessages: () => hasMessages,
    spent: () => ({ usage: addUsage(usage, unsummed), ...(dollars !== undefined && { cost: { usd: dollars, by: 'source' } }) }),
    answers: () => (answers === 0 ? ended : answers),
  }
}
