// The questions of an agent that are open, or answered and not yet forgotten. The host tells a question itself, if it asks anybody: what an
// agent asks looks the same for all agents.
import type { Event } from '../model/event.ts'
import { isAllowing } from '../model/option.ts'
import type { Ask } from '../supervise/contract.ts'
import { type Asking, askOf } from './ask.ts'
import type { Host } from './contract.ts'
import type { Driver, SpawnRequest } from './driver.ts'
import { offeredIn } from './options.ts'

export type QuestionParts = {
  driver: Pick<Driver, 'seesAll' | 'refusal'>
  request: Pick<SpawnRequest, 'guard' | 'profile'>
  cwd: string
  host: Pick<Host, 'raise' | 'withdraw'>
  /** No answer can reach the agent any more. */
  isClosed(): boolean
}

export function createQuestions({ driver, request, cwd, host, isClosed }: QuestionParts) {
  const isHeld = request.guard !== undefined && driver.seesAll !== true
  const asks = new Map<string, Ask | 'answered'>()
  let unheard: Ask | undefined // asked all the same; it has not gone on since

  return {
    raise(event: Asking): void {
      const ask = askOf(event, request.profile, cwd)
      if (isClosed()) {
        ask.onlyNo = unheardText
        unheard = ask
      }
      const options = event.kind === 'permission.request' ? offeredIn(event, isHeld, driver.refusal) : undefined
      if (options?.some(isAllowing) === false) ask.onlyNo ??= onlyNoText
      if (options !== undefined) ask.options = options
      asks.set(ask.id, ask)
      host.raise(ask)
    },
    /** An answer to what was raised is told by the host, who knows who gave it. One that the agent gives itself ends the question. */
    isToldAnswer(event: Event): boolean {
      if (event.kind !== 'permission.answer' && event.kind !== 'question.answer') return false
      const ask = event.id === undefined ? undefined : asks.get(event.id)
      if (ask === undefined) return false
      asks.delete(event.id!)
      if (ask !== 'answered') host.withdraw(ask.id)
      return true
    },
    /** The open question that is answered now; undefined when there is none. */
    answered(id: string): Ask | undefined {
      const ask = asks.get(id)
      if (ask === undefined || ask === 'answered') return undefined
      asks.set(id, 'answered')
      return ask
    },
    /** The agent goes on, if this is not of another call than the one that it asked about. */
    onEvent(event: Event): void {
      const about = unheard?.place.call
      if (about === undefined || event.call === undefined || event.call === about) unheard = undefined
    },
    /** It asked something that nobody can answer, and waits. */
    isUnanswered: (): boolean => unheard !== undefined,
    withdrawAll(): void {
      for (const ask of asks.values()) if (ask !== 'answered') host.withdraw(ask.id)
    },
  }
}

const onlyNoText = 'The agent does not offer that this call alone is allowed. The call was not made.'
const unheardText = 'The input of the agent is closed: no answer can reach it.'
