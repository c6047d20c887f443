// A turn as it goes on, for agents that end it without a word of what was answered, or with one that is not true.
import type { Decoder, Dialect } from '../../dialects/contract.ts'
import type { Event, EventOf, Fault } from '../../model/event.ts'

export type TurnSoFar = {
  /** The last message since the last call: one that was broken off may be said again in another. */
  answer: string
  message?: string | undefined
  calls: number
  denied: number
  /** The last trouble that was told, if nothing was said after it. */
  fault?: Fault | undefined
}

/** How a turn really ended. Undefined: as the agent tells it. */
export type Judge = (end: EventOf<'turn.end'>, turn: TurnSoFar) => Partial<Pick<EventOf<'turn.end'>, 'reason' | 'error'>> | undefined

const longestAnswer = 2 ** 20
const begun = (): TurnSoFar => ({ answer: '', calls: 0, denied: 0 })

export function createTurn(judge: Judge | undefined) {
  let so = begun()
  let number: number | undefined
  let last = 0
  return {
    /** The turn that runs. */
    number: (): number | undefined => number,
    /** The newest. */
    last: (): number => last,
    onEvent(event: Event): void {
      if (event.agent !== undefined) return
      switch (event.kind) {
        case 'text.delta':
          so.fault = undefined
          if (event.message !== so.message) so = { ...so, answer: '', message: event.message }
          if (so.answer.length < longestAnswer) so.answer += event.text
          return
        case 'text.end':
          if (event.text !== undefined && event.streamed !== true) so.answer = event.text
          return
        case 'turn.start':
          number = event.turn
          last = number ?? last + 1
          so = begun()
          return
        case 'tool.start':
          so = { ...so, answer: '', calls: so.calls + 1 }
          return
        case 'tool.end':
          if (event.status === 'denied') so.denied++
          return
        case 'error':
          so.fault = event.error
          return
        case 'retry.start': // it begins again
        case 'message.start':
          so.answer = ''
          return
        case 'turn.end':
          number = undefined
          Object.assign(event, judge?.(event, so))
          if (so.answer !== '') event.text ??= so.answer
      }
    },
  }
}

/** A dialect whose turns end with their answer. */
export const withAnswers = (dialect: Dialect, judge?: Judge): Dialect => ({
  ...dialect,
  decoder(): Decoder {
    const inner = dialect.decoder()
    const turn = createTurn(judge)
    const watched = (events: Event[]): Event[] => {
      for (const event of events) turn.onEvent(event)
      return events
    }
    return { ...inner, push: (record, origin) => watched(inner.push(record, origin)), end: (cause) => watched(inner.end(cause)) }
  },
})
