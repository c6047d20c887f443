// The class of every kind of event, where neither its text nor its fields say more. A new kind does not compile until it has one.
import type { Kind } from '../model/event.ts'

export type Class = 'MILESTONE' | 'FINDING' | 'ACTIVITY'
/** `rule` names what decided; the names do not change. */
export type Verdict = { readonly class: Class; readonly rule: string }

const M = 'MILESTONE'
const A = 'ACTIVITY'

export const classOfKind: Readonly<Record<Kind, typeof M | typeof A>> = {
  // as Avenor's document has it
  'run.start': M,
  'run.end': M,
  'phase.start': A,
  'phase.end': M,
  'session.start': A,
  'session.end': M,
  'prompt.submit': A,
  'text.delta': A,
  'text.end': A,
  'thought.delta': A,
  'thought.end': A,
  'content.end': A,
  'tool.start': A,
  'tool.update': A,
  'tool.end': A,
  'permission.request': M,
  'permission.answer': A,
  'plan.update': A,
  'status.update': A,
  'context.trim': A,
  'retry.start': M,
  report: A,
  error: M,
  raw: A,
  issue: A,
  // Avenor has no record for these
  'session.update': A,
  'turn.start': A,
  'turn.end': M,
  'message.start': A,
  'message.end': A,
  'message.drop': A,
  'tool.delta': A,
  'task.start': A,
  'task.update': A,
  'task.end': M,
  'question.request': M,
  'question.answer': A,
  'hook.start': A,
  'hook.end': A,
  'file.update': A,
  'skill.load': A,
  'catalog.update': A,
  'usage.update': A,
  'cancel.request': M,
  notice: A,
}
