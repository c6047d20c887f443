// `system` records by subtype: everything the program tells beside the conversation. The transcript file writes some of
// the same subtypes, so its camelCase keys are allowed on those.
import Type, { type TSchema } from 'typebox'
import { named } from '../wire-named.ts'
import { any, flag, line, number, optional, orNull, stamp, text, texts } from './wire-shared.ts'

const system = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object({ type: Type.Literal('system'), subtype: text, ...stamp, ...fields })

const task = { task_id: text, tool_use_id: optional(text), ...named(['run_id']) }
const taskUsage = orNull(Type.Object({ total_tokens: optional(number), tool_uses: optional(number), duration_ms: optional(number) }))
const hook = { hook_id: text, hook_name: optional(text), hook_event: optional(text) }
const hookOutput = { output: optional(text), stdout: optional(text), stderr: optional(text) }
const refusal = {
  original_model: optional(text),
  fallback_model: optional(text),
  content: optional(text),
  request_id: optional(text),
  ...named([
    'api_refusal_category',
    'api_refusal_explanation',
    'refused_user_message_uuid',
    'trigger',
    'direction',
    'scope',
    'fallback_targets',
    'retracted_message_uuids',
    'reason',
  ]),
}

export const systemRecords = {
  'system/init': system({
    cwd: optional(text),
    model: optional(text),
    tools: optional(texts),
    mcp_servers: optional(Type.Array(Type.Object({ name: text, status: optional(text), error: optional(text) }))),
    permissionMode: optional(text),
    slash_commands: optional(texts),
    agents: optional(texts),
    skills: optional(texts),
    plugins: optional(Type.Array(Type.Object({ name: text, path: optional(text), source: optional(text) }))),
    claude_code_version: optional(text),
    ...named([
      'apiKeySource',
      'output_style',
      'terminal_slash_commands',
      'capabilities',
      'betas',
      'analytics_disabled',
      'product_feedback_disabled',
      'memory_paths',
      'original_cwd',
      'additional_directories',
      'messaging_socket_path',
      'fast_mode_state',
      'fast_mode_disabled_reason',
      'per_turn_effort_active',
      'ultrathink_available',
      'ultrathink_typed_raises',
      'view_mode',
      'effort',
      'mcp_server_errors',
      'plugin_errors',
      'timestamp',
    ]),
  }),
  'system/api_retry': system({
    attempt: number,
    max_retries: optional(number),
    retry_delay_ms: optional(number),
    error_status: orNull(number),
    error: orNull(text),
    ...named(['agent_id']),
  }),
  'system/permission_denied': system({
    tool_name: text,
    tool_use_id: optional(text),
    message: optional(text),
    decision_reason_type: optional(text),
    decision_reason: optional(text),
    agent_id: optional(text),
  }),
  'system/thinking_tokens': system({
    estimated_tokens: number,
    ...named(['estimated_tokens_delta', 'user_message_uuid', 'user_message_uuids']),
  }),
  'system/status': system({
    status: orNull(text),
    permissionMode: optional(text),
    ...named(['compact_result', 'compact_error']),
  }),
  'system/session_state_changed': system({ state: text, ...named(['sdk_host_only']) }),

  'system/task_started': system({
    ...task,
    description: optional(text),
    task_type: optional(text),
    subagent_type: optional(text),
    prompt: optional(text),
    is_backgrounded: optional(flag),
    spawn_depth: optional(number),
    ...named(['workflow_name', 'agent_name', 'model']),
  }),
  'system/task_progress': system({
    ...task,
    description: optional(text),
    last_tool_name: optional(text),
    summary: optional(text),
    usage: taskUsage,
    ...named(['subagent_type', 'workflow_progress']),
  }),
  'system/task_updated': system({
    ...task,
    patch: Type.Object({
      status: optional(text),
      description: optional(text),
      error: optional(any),
      is_backgrounded: optional(flag),
      end_time: optional(number),
    }),
  }),
  'system/task_notification': system({
    ...task,
    status: text,
    summary: optional(text),
    output_file: orNull(text),
    usage: taskUsage,
    ...named(['skip_transcript']),
  }),
  'system/background_tasks_changed': system({ tasks: optional(Type.Array(any)) }),

  'system/compact_boundary': system({
    ...line,
    compact_metadata: orNull(Type.Object({ trigger: optional(text), pre_tokens: optional(number), post_tokens: optional(number) })),
    compactMetadata: orNull(Type.Object({ trigger: optional(text), preTokens: optional(number), postTokens: optional(number) })),
    content: optional(text),
    ...named(['level']),
  }),
  'system/hook_started': system(hook),
  'system/hook_progress': system({ ...hook, ...hookOutput }),
  'system/hook_response': system({ ...hook, ...hookOutput, exit_code: orNull(number), outcome: optional(text) }),

  'system/informational': system({
    ...line,
    content: optional(text),
    level: optional(text),
    ...named(['tool_use_id', 'toolUseID', 'prevent_continuation', 'preventContinuation']),
  }),
  'system/notification': system({ key: optional(text), text, ...named(['priority', 'color', 'timeout_ms']) }),
  'system/model_fallback': system(refusal),
  'system/model_refusal_fallback': system(refusal),
  'system/model_refusal_no_fallback': system(refusal),
  'system/local_command_output': system({ content: optional(text) }),
  'system/memory_recall': system({ mode: optional(text), memories: optional(any) }),
  'system/mirror_error': system({ error: optional(text), ...named(['key']) }),
  'system/worker_shutting_down': system({ reason: optional(text) }),
  'system/elicitation_complete': system({ mcp_server_name: optional(text), elicitation_id: optional(text) }),
  'system/control_request_progress': system({
    request_id: optional(text),
    ...named(['status', 'attempt', 'max_retries', 'retry_delay_ms', 'error', 'error_status']),
  }),
  'system/files_persisted': system({
    files: optional(Type.Array(Type.Object({ filename: text, file_id: optional(text) }))),
    failed: optional(Type.Array(any)),
    ...named(['processed_at']),
  }),
  'system/code_change_published': system({
    ...named(['url', 'provider', 'repository', 'number', 'branch', 'kind', 'title', 'commit']),
  }),
  'system/vcs_state_changed': system({ ...named(['branch', 'commit', 'head', 'dirty', 'repository', 'cwd', 'state']) }),
  'system/plugin_install': system({ status: optional(text), name: optional(text), error: optional(text) }),
  'system/commands_changed': system({ commands: optional(Type.Array(any)) }),
}
