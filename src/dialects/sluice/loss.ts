// Nothing is lost: the dialect is the model.
import type { LossTable } from '../contract.ts'

const exact = { how: 'exact' } as const

export const loss: LossTable = {
  'run.start': exact, 'run.end': exact, 'phase.start': exact, 'phase.end': exact,
  'session.start': exact, 'session.update': exact, 'session.end': exact, 'turn.start': exact, 'turn.end': exact,
  'message.start': exact, 'message.end': exact, 'message.drop': exact,
  'text.delta': exact, 'text.end': exact, 'thought.delta': exact, 'thought.end': exact, 'content.end': exact, 'prompt.submit': exact,
  'tool.start': exact, 'tool.delta': exact, 'tool.update': exact, 'tool.end': exact,
  'task.start': exact, 'task.update': exact, 'task.end': exact,
  'permission.request': exact, 'permission.answer': exact, 'question.request': exact, 'question.answer': exact,
  'hook.start': exact, 'hook.end': exact,
  'plan.update': exact, 'file.update': exact, 'skill.load': exact, 'catalog.update': exact, 'status.update': exact,
  'usage.update': exact, 'context.trim': exact, 'retry.start': exact, 'cancel.request': exact, report: exact,
  error: exact, notice: exact, issue: exact, raw: exact,
}
