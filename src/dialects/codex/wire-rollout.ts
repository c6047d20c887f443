// Rollout files, `$CODEX_HOME/sessions/…/rollout-*.jsonl`: {timestamp, ordinal?, type, payload}. The model's own words and calls are
// `response_item`s; `event_msg`s tell turns, tokens and, in some versions, the same once more.
import Type, { type TSchema } from 'typebox'
import { named, withAny } from '../wire-named.ts'
import { any, fault, flag, list, number, objectOrNull, optional, orNull, text, textOrObject, usage } from './wire-shared.ts'

const line = { timestamp: optional(any), ordinal: optional(any), metadata: optional(any) }

const top = <const Name extends string, Fields extends Record<string, TSchema>>(type: Name, payload: Fields) =>
  Type.Object({ type: Type.Literal(type), payload: Type.Object(payload), ...line })
const response = <const Name extends string, Fields extends Record<string, TSchema>>(type: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal('response_item'), payload: Type.Object({ type: Type.Literal(type), ...fields }), ...line })
const event = <const Name extends string, Fields extends Record<string, TSchema>>(type: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal('event_msg'), payload: Type.Object({ type: Type.Literal(type), ...fields }), ...line })

/** Other records tell the same. */
const again = <const Name extends string>(type: Name, fields: Record<string, TSchema> = {}) =>
  Type.Object({ type: Type.Literal(type), payload: Type.Object(fields, withAny), ...line })
const eventAgain = <const Name extends string, Fields extends Record<string, TSchema>>(type: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal('event_msg'), payload: Type.Object({ type: Type.Literal(type), ...fields }, withAny), ...line })

/** Which turn it is of, and when that was. */
const ofTurn = named([
  'turn_id',
  'root_turn_id',
  'thread_id',
  'session_id',
  'started_at',
  'completed_at',
  'started_at_ms',
  'completed_at_ms',
])
const passthrough = named(['internal_chat_message_metadata_passthrough'])
/** How a turn is allowed to work, and what the program tells the model before it. */
const conditions = named([
  ...(['approvals_reviewer', 'permission_profile', 'active_permission_profile', 'runtime_workspace_roots', 'disabled_plugin_ids'] as const),
  ...([
    'sandbox_policy',
    'file_system_sandbox_policy',
    'collaboration_mode',
    'multi_agent_version',
    'realtime_active',
    'comp_hash',
  ] as const),
  ...(['summary', 'effort', 'personality', 'user_instructions', 'developer_instructions', 'truncation_policy', 'network'] as const),
  ...(['current_date', 'timezone', 'final_output_json_schema'] as const),
])

const files = {
  session_meta: top('session_meta', {
    id: text,
    session_id: orNull(text),
    forked_from_id: orNull(text),
    parent_thread_id: orNull(text),
    cwd: orNull(text),
    cli_version: orNull(text),
    model_provider: orNull(text),
    source: optional(any),
    thread_source: optional(any),
    agent_nickname: orNull(text),
    agent_role: orNull(text),
    ...named(['timestamp', 'originator', 'base_instructions', 'instructions', 'dynamic_tools', 'git', 'memory_mode', 'agent_path']),
    ...named(['runtime_workspace_roots', 'history_mode', 'context_window']),
  }),
  turn_context: top('turn_context', {
    cwd: orNull(text),
    approval_policy: optional(textOrObject),
    model: orNull(text),
    ...ofTurn,
    ...conditions,
  }),
  world_state: again('world_state'),
  compacted: top('compacted', { message: orNull(text), ...named(['replacement_history']) }),
  token_usage_record: top('token_usage_record', {
    thread_token_usage: usage,
    usage: orNull(usage),
    ...ofTurn,
    ...named(['response_id', 'turn_token_usage']),
  }),
  inter_agent_communication: top('inter_agent_communication', { content: optional(any) }),
  inter_agent_communication_metadata: again('inter_agent_communication_metadata'),
}

const output = Type.Unsafe<string | unknown[] | { content?: unknown; success?: unknown }>({ type: ['string', 'array', 'object'] })
const content = list(Type.Object({ type: text, text: orNull(text), ...named(['annotations', 'logprobs']) }))
/** Of what the model wrote: an id that only its provider knows. */
const written = { ...named(['id', 'status']), ...passthrough }
const pieces = orNull(list(Type.Object({ text: optional(text), ...named(['type']) })))
const hidden = orNull(text)

const responses = {
  'response_item/message': response('message', {
    id: orNull(text),
    role: text,
    content,
    internal_chat_message_metadata_passthrough: orNull(
      Type.Object({ content_item_kinds: orNull(list(text)), ...named(['turn_id', 'create_time', 'content_item_metadata']) }),
    ),
    ...named(['status', 'phase', 'end_turn']),
  }),
  'response_item/agent_message': response('agent_message', { content: optional(any) }),
  'response_item/reasoning': response('reasoning', {
    id: orNull(text),
    summary: pieces,
    content: pieces,
    encrypted_content: hidden,
    ...named(['status']),
    ...passthrough,
  }),
  'response_item/function_call': response('function_call', {
    call_id: text,
    name: text,
    namespace: orNull(text),
    arguments: optional(any),
    ...written,
  }),
  'response_item/function_call_output': response('function_call_output', { call_id: text, output, ...written }),
  'response_item/custom_tool_call': response('custom_tool_call', { call_id: text, name: text, input: optional(any), ...written }),
  'response_item/custom_tool_call_output': response('custom_tool_call_output', { call_id: text, output, ...written }),
  'response_item/local_shell_call': response('local_shell_call', {
    call_id: orNull(text),
    id: orNull(text),
    action: optional(any),
    ...named(['status']),
    ...passthrough,
  }),
  'response_item/tool_search_call': response('tool_search_call', { call_id: orNull(text), arguments: optional(any) }),
  'response_item/tool_search_output': response('tool_search_output', { call_id: orNull(text), tools: optional(any) }),
  'response_item/web_search_call': response('web_search_call', { id: orNull(text), status: orNull(text), action: optional(any) }),
  'response_item/image_generation_call': response('image_generation_call', {
    id: orNull(text),
    status: orNull(text),
    revised_prompt: orNull(text),
    result: optional(any),
  }),
}

const duration = Type.Unsafe<{ secs?: number; nanos?: number } | string | null>({ type: ['object', 'string', 'null'] })
const callEnd = {
  call_id: text,
  status: orNull(text),
  exit_code: orNull(number),
  duration: optional(duration),
  process_id: orNull(text),
  success: orNull(flag),
  source: orNull(text),
}
const turnEnd = { ...ofTurn, turn_id: orNull(text), duration_ms: orNull(number), ...named(['time_to_first_token_ms']) }

const turnStart = {
  ...ofTurn,
  turn_id: orNull(text),
  ...named(['turn_attribution', 'model_context_window', 'collaboration_mode_kind']),
}

const events = {
  'event_msg/task_started': event('task_started', turnStart),
  'event_msg/turn_started': event('turn_started', turnStart),
  'event_msg/task_complete': event('task_complete', { ...turnEnd, last_agent_message: orNull(text), error: orNull(fault) }),
  'event_msg/turn_complete': event('turn_complete', { ...turnEnd, last_agent_message: orNull(text), error: orNull(fault) }),
  'event_msg/turn_aborted': event('turn_aborted', { ...turnEnd, reason: orNull(text) }),
  'event_msg/token_count': event('token_count', {
    info: orNull(
      Type.Object({
        total_token_usage: orNull(usage),
        last_token_usage: orNull(usage),
        model_context_window: orNull(number),
        ...named(['last_usage_includes_reasoning']),
      }),
    ),
    rate_limits: objectOrNull,
  }),
  'event_msg/thread_settings_applied': event('thread_settings_applied', {
    thread_settings: Type.Object({
      model: orNull(text),
      model_provider_id: orNull(text),
      cwd: orNull(text),
      approval_policy: optional(textOrObject),
      ...conditions,
    }),
    ...ofTurn,
  }),
  'event_msg/thread_name_updated': event('thread_name_updated', { thread_name: orNull(text) }),
  'event_msg/item_started': eventAgain('item_started', { item: Type.Object({ type: text }, withAny) }),
  'event_msg/item_completed': eventAgain('item_completed', { item: Type.Object({ id: text, type: text }, withAny) }),
  'event_msg/exec_command_end': eventAgain('exec_command_end', callEnd),
  'event_msg/patch_apply_end': eventAgain('patch_apply_end', callEnd),
  'event_msg/mcp_tool_call_end': eventAgain('mcp_tool_call_end', callEnd),
  'event_msg/collab_agent_spawn_end': event('collab_agent_spawn_end', {
    call_id: optional(text),
    new_thread_id: orNull(text),
    prompt: orNull(text),
    model: orNull(text),
  }),
  'event_msg/collab_waiting_end': event('collab_waiting_end', { call_id: optional(text), statuses: optional(any) }),
  'event_msg/collab_close_end': event('collab_close_end', { receiver_thread_id: orNull(text), status: optional(any) }),
  'event_msg/plan_update': event('plan_update', {
    explanation: orNull(text),
    plan: list(Type.Object({ step: text, status: orNull(text) })),
  }),
  'event_msg/turn_diff': event('turn_diff', { unified_diff: text }),
  'event_msg/context_compacted': event('context_compacted', {}),
  'event_msg/thread_rolled_back': event('thread_rolled_back', { num_turns: orNull(number) }),
  'event_msg/error': event('error', { message: text, codex_error_info: optional(textOrObject) }),
  'event_msg/stream_error': event('stream_error', {
    message: text,
    codex_error_info: optional(textOrObject),
    additional_details: orNull(text),
  }),
  'event_msg/warning': event('warning', { message: text }),
  'event_msg/guardian_warning': event('guardian_warning', { message: text }),
  'event_msg/background_event': event('background_event', { message: text }),
  'event_msg/deprecation_notice': event('deprecation_notice', { summary: text, details: orNull(text) }),
  'event_msg/entered_review_mode': event('entered_review_mode', {}),
  'event_msg/exited_review_mode': event('exited_review_mode', {}),
}

/** Any other response or event that the program has; the names are in `names.ts`. */
const others = {
  response_item: again('response_item', { type: text }),
  event_msg: again('event_msg', { type: text }),
}

export const rolloutRecords = { ...files, ...responses, ...events, ...others }
