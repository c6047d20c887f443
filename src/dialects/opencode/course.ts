// How a turn goes and ends, as far as the records show it. A run prints no end, so its last words must tell: the last step's
// reason, an error, or a refused permission, after which opencode stops without a word.
import type { Fault } from '../../model/event.ts'
import type { Reason } from '../../model/vocabulary.ts'

export type Course = {
  finish: Reason | undefined
  fault: Fault | undefined
  /** The context was full: the next step only sums up what was said, and its end is not the turn's. */
  compacting: boolean
  /** Somebody said no to a call of this step; the model is not asked again. */
  refused: boolean
}

export const createCourse = (): Course => ({ finish: undefined, fault: undefined, compacting: false, refused: false })

export function stepStarted(course: Course): void {
  course.finish = course.fault = undefined
  course.refused = false
}

export function stepFinished(course: Course, finish: Reason | undefined): void {
  course.finish = course.compacting ? undefined : finish
  course.compacting = false
}

/** The program tells itself to go on: what was said last was not the end. */
export function goesOn(course: Course): void {
  course.finish = course.fault = undefined
}

export function failed(course: Course, fault: Fault): void {
  course.fault = fault
  course.compacting = fault.category === 'context'
}

/** How the turn ended, if this can be its end. */
export function endOf({ finish, fault, refused }: Course): { reason: Reason; error: Fault | undefined } | undefined {
  if (fault !== undefined) return { reason: reasonOf(fault), error: fault }
  if (refused && finish !== undefined) return { reason: 'blocked', error: undefined }
  return finish === undefined || finish === 'tool_use' || finish === 'unknown' ? undefined : { reason: finish, error: undefined }
}

function reasonOf({ category, code }: Fault): Reason {
  if (code === 'MessageOutputLengthError') return 'max_tokens'
  if (code === 'ContentFilterError') return 'refusal'
  return category === 'context' || category === 'cancelled' ? category : 'error'
}
