// The conversation itself: assistant and user messages (one content block a record as a rule), their raw stream, and the
// results. The transcript file uses the same `assistant` and `user` types with camelCase keys; both sets are here.
import Type from 'typebox'
import { any, block, blocks, flag, line, models, named, number, optional, orNull, stamp, text, usage } from './wire-shared.ts'

/** `id`, `model` and `usage` repeat on every record of one message; `usage` is mostly the snapshot of its start. */
export const message = Type.Object({
  content: blocks,
  id: optional(text),
  model: optional(text),
  stop_reason: orNull(text),
  usage: orNull(usage),
  ...named(['type', 'role', 'stop_sequence', 'container', 'context_management', 'diagnostics', 'stop_details']),
})

/** What a stream_event wraps: one server event of the Messages API. */
const streamed = Type.Object({
  type: text,
  index: optional(number),
  message: optional(Type.Object({ id: optional(text), model: optional(text), usage: optional(any) })),
  content_block: optional(block),
  delta: optional(Type.Object({
    type: optional(text),
    text: optional(text),
    thinking: optional(text),
    partial_json: optional(text),
    stop_reason: orNull(text),
  })),
  usage: orNull(usage),
})

const result = Type.Object({
  type: Type.Literal('result'),
  subtype: optional(text),
  ...stamp,
  is_error: optional(flag),
  result: orNull(text),
  errors: optional(Type.Array(any)),
  stop_reason: orNull(text),
  terminal_reason: orNull(text),
  api_error_status: orNull(number),
  api_error_type: orNull(text),
  api_error: orNull(text),
  num_turns: optional(number),
  duration_ms: optional(number),
  duration_api_ms: optional(number),
  total_cost_usd: optional(number),
  usage: orNull(usage),
  modelUsage: orNull(models),
  model_usage_since_last_result: orNull(models),
  permission_denials: orNull(Type.Array(Type.Object({ tool_name: text, tool_use_id: optional(text), tool_input: optional(any) }))),
  result_index: optional(number),
  origin: orNull(Type.Object({ kind: optional(text) })),
  local_command: orNull(text),
  ...named([
    'structured_output', 'deferred_tool_use', 'startup_failure_reason', 'resume_reason', 'queued_turn_count', 'subagent_stats', 'safety_stops',
    'fast_mode_state', 'fast_mode_disabled_reason', 'ttft_ms', 'ttft_stream_ms', 'time_to_request_ms', 'request_sent_wall_ms',
    'first_content_frame_ms', 'user_message_uuid', 'user_message_uuids',
  ]),
})

export const messageRecords = {
  assistant: Type.Object({
    type: Type.Literal('assistant'),
    message,
    ...stamp,
    ...line,
    parent_tool_use_id: orNull(text),
    agent_id: optional(text),
    aborted: optional(flag),
    error: orNull(text),
    is_api_error_message: optional(flag),
    isApiErrorMessage: optional(flag),
    api_error_status: orNull(number),
    api_error_type: orNull(text),
    api_error: orNull(text),
    refused_message_id: optional(text),
    tool_use_meta: optional(Type.Array(any)),
    ...named([
      'subagent_type', 'task_description', 'request_id', 'thinking_duration_ms', 'thinking_display', 'api_error_params', 'context_usage', 'usage_report', 'local_command_source',
      'local_command_run', 'supersedes', 'user_message_uuid', 'user_message_uuids', 'resume_reason',
      'requestId', 'requestRef', 'requestedModel', 'promptCacheRequested', 'apiBlockIndex', 'perTurnEffort', 'madeBy', 'toolInputStreamMs',
      'thinkingDurationMs', 'thinkingDisplay', 'attributionAgent', 'attributionMcpServer', 'attributionMcpTool', 'apiError', 'apiErrorStatus',
      'apiErrorType', 'aborted_reason',
    ]),
  }),
  user: Type.Object({
    type: Type.Literal('user'),
    message: Type.Object({ content: Type.Union([blocks, text]), ...named(['role']) }),
    ...stamp,
    ...line,
    parent_tool_use_id: orNull(text),
    agent_id: optional(text),
    isSynthetic: optional(flag),
    isReplay: optional(flag),
    refused_message_id: optional(text),
    tool_result_meta: optional(Type.Array(any)),
    tool_use_result: optional(any),
    toolUseResult: optional(any),
    permissionDecision: optional(any),
    origin: orNull(Type.Object({ kind: optional(text) })),
    ...named([
      'subagent_type', 'task_description', 'permissionMode', 'promptId', 'toolDenialKind', 'is_compact_summary', 'priority', 'shouldQuery', 'client_composed', 'pasted_content', 'inline_pastes', 'promptSource', 'turnOrigin',
      'turnPosition', 'sourceToolAssistantUUID', 'sourceToolUseID', 'sandboxed', 'turnCompanion', 'queueSkipAttachments', 'mcpMeta',
      'thinkingMetadata', 'todos', 'imagePasteIds',
    ]),
  }),
  stream_event: Type.Object({
    type: Type.Literal('stream_event'),
    event: streamed,
    ...stamp,
    parent_tool_use_id: orNull(text),
    agent_id: optional(text),
    api_message_id: optional(text),
    ttft_ms: optional(number),
    abandoned_blocks: orNull(Type.Object({ from_block_index: number, api_message_id: optional(text) })),
    ...named(['thinking_display', 'user_message_uuid', 'user_message_uuids', 'resume_reason', 'timestamp']),
  }),
  result,
  'result/success': result,
  'result/error_during_execution': result,
  'result/error_max_turns': result,
  'result/error_max_budget_usd': result,
  'result/error_max_structured_output_retries': result,
}
