// The questions of a run, as its stream tells them: what is open, and how the last ones were settled, so that who comes
// too late hears what was decided.
import { quoted } from '../base/text.ts'
import type { Event, EventOf, Option } from '../model/event.ts'
import { optionFor } from '../model/option.ts'

type Asked = EventOf<'permission.request'>
type Posed = EventOf<'question.request'>
export type Settled = Pick<EventOf<'permission.answer'>, 'decision' | 'option' | 'by'>

export type Questions = {
  observe(event: Event): void
  find(id: string): { open: Asked } | { settled: Settled } | undefined
  /** A choice that is open. */
  posed(id: string): Posed | undefined
  all(): (Asked | Posed)[]
}

const mostSettled = 256

export function createQuestions(): Questions {
  const open = new Map<string, Asked>()
  const settled = new Map<string, Settled>()
  const posed = new Map<string, Posed>()
  return {
    observe(event) {
      if (event.kind === 'permission.request') open.set(event.id, event)
      else if (event.kind === 'question.request') posed.set(event.id, event)
      else if ((event.kind === 'permission.answer' || event.kind === 'question.answer') && event.id !== undefined) {
        const { id, decision, by } = event
        open.delete(id)
        posed.delete(id)
        settled.set(id, { decision, option: event.kind === 'permission.answer' ? event.option : undefined, by })
        if (settled.size > mostSettled) settled.delete(settled.keys().next().value!)
      }
    },
    find(id) {
      const asked = open.get(id)
      if (asked !== undefined) return { open: asked }
      const answer = settled.get(id)
      return answer === undefined ? undefined : { settled: answer }
    },
    posed: (id) => posed.get(id),
    all: () => [...open.values(), ...posed.values()],
  }
}

/** For whoever chose what is not there. */
export function offered(options: readonly Option[], word: string): string {
  const ids = options.map(({ id }) => id)
  const short = ['allow', 'reject'].filter((one) => !ids.includes(one) && optionFor(options, one) !== undefined)
  const also = short.length === 0 ? '' : `; ${short.join(' and ')} are understood too`
  return `${quoted(word)} is not an option of this question; offered are ${ids.join(', ')}${also}`
}
