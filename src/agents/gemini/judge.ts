// What Gemini CLI does not say of the end of a turn.
import { faultOf } from '../../model/fault.ts'
import type { Judge } from '../acp/turn.ts'

/** A stream that was empty, blocked or broken off ends as if all were well; a loop that it found ends like its own limit of turns. */
export const judgeGemini: Judge = ({ reason }, { answer }) => {
  if (reason === 'max_turns')
    return { error: faultOf('Gemini CLI stopped its turn: it found a loop, or its limit of turns was reached', { code: 'max_turns' }) }
  if (reason !== 'end_turn' || answer !== '') return undefined
  return {
    reason: 'error',
    error: faultOf('Gemini CLI ended its turn without an answer: the stream of the model was empty, blocked or broken off', {
      code: 'no-answer',
      category: 'provider',
    }),
  }
}
