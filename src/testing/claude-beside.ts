// Records of a Claude stream that stand beside the conversation, and what a host may ask of the agent.
import type { Rec } from '../base/json.ts'
import type { ClaudeRecords } from './claude-records.ts'
import type { Random } from './random.ts'
import { objectOf, textOf } from './words.ts'

/** One that may stand anywhere inside a turn. */
export function sideRecord(random: Random, make: ClaudeRecords): Rec {
  const { system } = make
  const stamped = (type: string, fields: Rec): Rec => ({ type, ...fields, session_id: make.session, uuid: random.uuid() })
  return random.pick<() => Rec>([
    () =>
      stamped('rate_limit_event', {
        rate_limit_info: {
          status: random.pick(['allowed', 'allowed_warning', 'rejected']),
          resetsAt: 1_794_780_000,
          rateLimitType: 'five_hour',
          utilization: 0.91,
        },
      }),
    () => stamped('auth_status', { isAuthenticating: false, output: [textOf(random)] }),
    () => stamped('tool_use_summary', { summary: textOf(random), preceding_tool_use_ids: [] }),
    () => ({ type: 'keep_alive' }),
    () => system('informational', { content: textOf(random), level: 'notice' }),
    () => system('notification', { key: 'k', text: textOf(random), priority: 'low' }),
    () => system('model_fallback', { original_model: make.model, fallback_model: 'claude-haiku-4-5', content: textOf(random) }),
    () => system('model_refusal_fallback', { original_model: make.model, fallback_model: 'claude-haiku-4-5', content: textOf(random) }),
    () => system('local_command_output', { content: textOf(random) }),
    () => system('memory_recall', { mode: 'auto', memories: [objectOf(random)] }),
    () => system('mirror_error', { error: textOf(random) }),
    () => system('files_persisted', { files: [{ filename: 'a b.ts', file_id: 'f-1' }], failed: [] }),
    () => system('plugin_install', { status: 'installed', name: 'extra' }),
    () => system('commands_changed', { commands: [{ name: 'deploy', description: textOf(random) }] }),
    () => system('elicitation_complete', { mcp_server_name: 'echo', elicitation_id: 'e-1' }),
    () => system('thinking_tokens', { estimated_tokens: random.int(1, 900) }),
  ])()
}

/** Something the host asks between turns, and the agent's answer. In a recording of the agent's side alone the question is not there. */
export function hostRequest(random: Random, make: ClaudeRecords, both: boolean): Rec[] {
  const request_id = `host-${random.hex(6)}`
  const [request, response] = random.pick<[Rec, Rec]>([
    [{ subtype: 'set_model', model: 'claude-haiku-4-5' }, { model: 'claude-haiku-4-5' }],
    [{ subtype: 'set_permission_mode', mode: 'plan' }, { mode: 'plan' }],
    [{ subtype: 'mcp_status' }, { mcpServers: [] }],
    [{ subtype: 'set_max_thinking_tokens', max_thinking_tokens: 4000 }, {}],
    [{ subtype: 'no_such_thing' }, {}],
  ])
  const failed = request['subtype'] === 'no_such_thing'
  const answer = failed
    ? { subtype: 'error', request_id, error: 'Unsupported control request subtype', error_code: 'unsupported_request' }
    : { subtype: 'success', request_id, response }
  const status = request['subtype'] === 'set_permission_mode' ? [make.system('status', { status: null, permissionMode: 'plan' })] : []
  return [...(both ? [{ type: 'control_request', request_id, request }] : []), { type: 'control_response', response: answer }, ...status]
}

/** The agent lets a hook of the host's judge a call. */
export function hookCallback(random: Random, call: string, name: string, input: Rec, both: boolean): Rec[] {
  const request_id = random.uuid()
  const request = {
    subtype: 'hook_callback',
    callback_id: 'pre-1',
    input: { hook_event_name: 'PreToolUse', tool_name: name, tool_input: input },
    tool_use_id: call,
  }
  return [
    { type: 'control_request', request_id, request },
    ...(both ? [{ type: 'control_response', response: { subtype: 'success', request_id, response: { continue: true } } }] : []),
  ]
}
