// What the pen must know of a kind, as bits: looked up once an event.
import type { Kind } from './event.ts'

export const needsTurn = 1 // belongs to a turn; outside one it opens it
export const loose = 2 // stands outside any session and may follow its end
export const runLevel = 4 // of a run, not of a session
export const keepsBlock = 8 // may stand between the deltas of a block
export const floats = 32 // may be said of no session at all
export const ofCall = 16 // goes on with a call, in the turn of that call, which may be over

const traits = new Map<Kind, number>()
export const traitOf = (kind: Kind): number => traits.get(kind) ?? 0

const mark = (trait: number, kinds: Kind[]): void => {
  for (const kind of kinds) traits.set(kind, (traits.get(kind) ?? 0) | trait)
}
mark(needsTurn, [
  'message.start',
  'message.end',
  'message.drop',
  'text.delta',
  'text.end',
  'thought.delta',
  'thought.end',
  'content.end',
  'tool.start',
  'tool.delta',
  'tool.update',
  'tool.end',
  'permission.request',
  'question.request',
])
mark(loose | keepsBlock, ['raw', 'issue', 'notice', 'usage.update', 'run.start', 'run.end', 'phase.start', 'phase.end'])
mark(runLevel, ['run.start', 'run.end', 'phase.start', 'phase.end'])
mark(keepsBlock, [
  'message.drop',
  'status.update',
  'session.update',
  'catalog.update',
  'task.update',
  'report',
  'hook.start',
  'hook.end',
  'prompt.submit',
  'retry.start',
  'cancel.request',
  'error',
  'file.update',
  'tool.delta',
  'tool.update',
  'tool.end',
  'task.start',
  'task.end',
  'permission.request',
  'permission.answer',
  'question.request',
  'question.answer',
])
mark(floats, ['retry.start'])
mark(ofCall, ['tool.delta', 'tool.update', 'tool.end'])
