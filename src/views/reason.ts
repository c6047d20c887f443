// Why a turn or session ended, in the words of the glossary.
import type { Reason } from '../model/vocabulary.ts'

const words: Partial<Record<Reason, string>> = {
  end_turn: 'done',
  max_tokens: 'token limit',
  budget: 'budget used up',
}

export const reasonText = (reason: Reason): string => words[reason] ?? reason.replaceAll('_', ' ')
