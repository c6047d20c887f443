// stdout of `codex exec --json`. No times, no model, no directory; only the first record names the thread.
import Type from 'typebox'
import { fault, optional, orNull, questions, text, usage } from './wire-shared.ts'

export const execRecords = {
  'thread.started': Type.Object({ type: Type.Literal('thread.started'), thread_id: text }),
  'turn.started': Type.Object({ type: Type.Literal('turn.started') }),
  'turn.completed': Type.Object({ type: Type.Literal('turn.completed'), usage: orNull(usage) }),
  'turn.failed': Type.Object({ type: Type.Literal('turn.failed'), error: fault }),
  'item.plan.delta': Type.Object({ type: Type.Literal('item.plan.delta'), item_id: text, delta: text }),
  request_user_input: Type.Object({
    type: Type.Literal('request_user_input'),
    id: optional(text),
    call_id: text,
    questions,
  }),
  error: Type.Object({ type: Type.Literal('error'), message: text }),
}
