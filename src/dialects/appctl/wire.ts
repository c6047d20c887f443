// appctl's AgentEvent records: one JSON object an event, told apart by `kind`.
import Type, { type Static } from 'typebox'
import type { Rec } from '../../base/json.ts'
import type { Loose } from '../../model/loose.ts'

const kind = <const Kind extends string, Fields extends Record<string, Type.TSchema>>(name: Kind, fields: Fields) =>
  Type.Object({ kind: Type.Literal(name), ...fields })
const text = { text: Type.String() }
const optional = Type.Optional

export const records = {
  user_prompt: kind('user_prompt', text),
  assistant_delta: kind('assistant_delta', text),
  assistant_message: kind('assistant_message', text),
  assistant_thought_delta: kind('assistant_thought_delta', text),
  assistant_thought: kind('assistant_thought', text),
  tool_call: kind('tool_call', { id: Type.String(), name: Type.String(), arguments: Type.Unknown() }),
  // The document's form is bare; the extra keys name the call, so that a client far away can answer.
  awaiting_input: kind('awaiting_input', {
    id: optional(Type.String()),
    name: optional(Type.String()),
    arguments: optional(Type.Unknown()),
  }),
  tool_result: kind('tool_result', {
    id: Type.String(),
    result: Type.Unknown(),
    status: Type.Unsafe<'ok' | 'error'>({ enum: ['ok', 'error'] }),
    duration_ms: optional(Type.Number()),
  }),
  error: kind('error', { message: Type.String() }),
  session_state: kind('session_state', {
    session_id: Type.String(),
    transcript_len: Type.Integer({ minimum: 0 }),
    resumed: optional(Type.Boolean()),
  }),
  context_notice: kind('context_notice', { message: Type.String() }),
  done: kind('done', {}),
  // What `POST /run` answers with: the events of a turn, and what came of it. `run --json` calls the result `answer`.
  'POST /run': Type.Object({
    events: Type.Array(Type.Unsafe<Rec>({ type: 'object' })),
    result: optional(Type.Unknown()),
    answer: optional(Type.Unknown()),
    session_id: optional(Type.String()),
    error: optional(Type.Unknown()),
  }),
}

export type Wire<Tag extends keyof typeof records> = Loose<Static<(typeof records)[Tag]>>
export type AnyWire = { [Tag in keyof typeof records]: Wire<Tag> }[keyof typeof records]
