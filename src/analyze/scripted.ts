// Whether the words of a session, or of its last turn, came from scripts alone: then their price was never paid.
import type { Event } from '../model/event.ts'
import { isScripted } from '../model/scripted.ts'

export type ScriptedFold = { push(event: Event): void; turn(): boolean; session(): boolean }

export function createScripted(): ScriptedFold {
  let current = false // the model that was named last is scripted
  const answers = { all: 0, scripted: 0 }
  let ofTurn = { all: 0, scripted: 0 }

  return {
    push(event) {
      switch (event.kind) {
        case 'session.start':
        case 'session.update':
          if (event.agent === undefined && (event.model ?? event.provider) !== undefined) current = isScripted(event)
          return
        case 'turn.start':
          ofTurn = { all: 0, scripted: 0 }
          return
        case 'message.start': {
          const isOne = event.provider === undefined ? current : isScripted(event)
          for (const sums of [answers, ofTurn]) {
            sums.all++
            if (isOne) sums.scripted++
          }
        }
      }
    },
    turn: () => isAll(ofTurn, current),
    session: () => isAll(answers, current),
  }
}

const isAll = ({ all, scripted }: { all: number; scripted: number }, otherwise: boolean): boolean =>
  all === 0 ? otherwise : all === scripted
