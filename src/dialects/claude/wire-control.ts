// The two-way channel: requests and answers in both directions (no session_id, no uuid), and the small top-level records
// that stand beside the conversation.
import Type from 'typebox'
import { named } from '../wire-named.ts'
import { any, flag, number, optional, orNull, stamp, text, texts } from './wire-shared.ts'

/** A control request of either side; `fields` are those of the inner `request`. */
const request = <Fields extends Parameters<typeof Type.Object>[0]>(fields: Fields) =>
  Type.Object({
    type: Type.Literal('control_request'),
    request_id: text,
    request: Type.Object({ subtype: text, ...fields }),
    ...stamp,
  })

export const controlRecords = {
  control_request: request({}), // any subtype that has no entry of its own
  'control_request/can_use_tool': request({
    tool_name: text,
    input: optional(any),
    tool_use_id: optional(text),
    agent_id: optional(text),
    display_name: optional(text),
    title: optional(text),
    description: optional(text),
    decision_reason: optional(text),
    blocked_path: optional(text),
    permission_suggestions: orNull(Type.Array(any)),
    requires_user_interaction: optional(flag),
  }),
  'control_request/hook_callback': request({ callback_id: text, input: optional(any), tool_use_id: optional(text) }),
  'control_request/mcp_message': request({ server_name: optional(text), message: optional(any) }),
  'control_request/initialize': request({ hooks: optional(any) }),
  'control_request/interrupt': request({}),
  'control_request/set_permission_mode': request({ mode: text }),
  'control_request/set_model': request({ model: orNull(text) }),
  'control_request/set_max_thinking_tokens': request({ max_thinking_tokens: orNull(number) }),
  'control_request/mcp_status': request({}),
  'control_request/rewind_files': request({ user_message_id: optional(text) }),
  'control_request/stop_task': request({ task_id: optional(text) }),
  control_response: Type.Object({
    type: Type.Literal('control_response'),
    response: Type.Object({
      request_id: text,
      subtype: optional(text),
      response: optional(any),
      error: optional(any),
      error_code: optional(text),
    }),
    ...stamp,
  }),
  control_cancel_request: Type.Object({ type: Type.Literal('control_cancel_request'), request_id: text, ...stamp }),

  tool_progress: Type.Object({
    type: Type.Literal('tool_progress'),
    ...stamp,
    tool_use_id: optional(text),
    tool_name: optional(text),
    parent_tool_use_id: orNull(text),
    elapsed_time_seconds: optional(number),
    subagent_retry: orNull(
      Type.Object({
        attempt: number,
        max_retries: optional(number),
        retry_delay_ms: optional(number),
        error_status: orNull(number),
        error_category: orNull(text),
      }),
    ),
    task_id: optional(text),
    agent_id: optional(text),
    ...named(['heartbeat', 'subagent_type', 'task_description']),
  }),
  rate_limit_event: Type.Object({
    type: Type.Literal('rate_limit_event'),
    ...stamp,
    rate_limit_info: Type.Object({
      status: text,
      resetsAt: orNull(number),
      rateLimitType: orNull(text),
      utilization: orNull(number),
    }),
  }),
  prompt_suggestion: Type.Object({ type: Type.Literal('prompt_suggestion'), ...stamp, suggestion: text }),
  auth_status: Type.Object({
    type: Type.Literal('auth_status'),
    ...stamp,
    isAuthenticating: optional(flag),
    output: optional(texts),
    error: orNull(text),
  }),
  tool_use_summary: Type.Object({
    type: Type.Literal('tool_use_summary'),
    ...stamp,
    summary: text,
    preceding_tool_use_ids: optional(any),
  }),
  conversation_reset: Type.Object({
    type: Type.Literal('conversation_reset'),
    ...stamp,
    new_conversation_id: optional(text),
  }),
  command_lifecycle: Type.Object({
    type: Type.Literal('command_lifecycle'),
    ...stamp,
    ...named(['command_uuid', 'state', 'command', 'request_id']),
  }),
  active_goal: Type.Object({ type: Type.Literal('active_goal'), ...stamp, ...named(['goal', 'state', 'status']) }),
  keep_alive: Type.Object({ type: Type.Literal('keep_alive'), ...stamp }),
  transcript_mirror: Type.Object({
    type: Type.Literal('transcript_mirror'),
    ...stamp,
    ...named(['entries', 'filePath', 'key']),
  }),
}
