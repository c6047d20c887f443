// A no with a reason: what the agent is told, and what a person is told that it was.
import type { Option } from '../model/event.ts'
import { isAllowing } from '../model/option.ts'

/** One that says no to the call, and lets the agent go on. */
export const isRefusal = (option: Option): boolean => !isAllowing(option) && option.kind !== 'cancel'

/** The words of the refusal, for an agent that can take them. */
export const refusalText = (reason: string): string => `The user did not allow this call, and says: ${reason}`

export const refusedText = (reason: string): string => (reason === '' ? 'refused' : `refused: ${reason}`)
