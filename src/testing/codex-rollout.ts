// A made-up rollout file: the head, then turns of messages, calls with their output, and events beside them.
import type { Rec } from '../base/json.ts'
import { countTokens, snakeTokens } from './codex-tokens.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { clockOf, objectOf, textOf } from './words.ts'

export function codexRollout(random: Random, { turns, tools, failures, extras }: Plan): Rec[] {
  const now = clockOf(random)
  const thread_id = random.uuid()
  const tokens = countTokens(random)
  const numbered = random.chance(0.7)
  const setting = { cwd: '/home/dev/a b', approval_policy: random.pick(['never', 'on-request']), model: 'gpt-5.5' }
  const records: Rec[] = []

  const line = (type: string, payload: Rec): Rec => ({ timestamp: new Date(now()).toISOString(), type, payload })
  const event = (type: string, fields: Rec = {}): Rec => line('event_msg', { type, ...fields })
  const response = (type: string, fields: Rec): Rec => line('response_item', { type, ...fields })
  const message = (role: string, text: string): Rec =>
    response('message', {
      id: `msg_${random.hex(8)}`,
      role,
      content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
    })

  // ── calls ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function shell(): Rec[] {
    const call_id = `call_${random.hex(8)}`
    const fails = failures && random.chance(0.3)
    const code = fails ? random.int(1, 255) : 0
    const said = `Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code ${code}\nOriginal token count: 2\nOutput:\n${textOf(random)}`
    const call = random.chance(0.8)
      ? response('function_call', { name: 'exec_command', arguments: JSON.stringify({ cmd: 'ls -la' }), call_id })
      : response('local_shell_call', { call_id, status: 'completed', action: { type: 'exec', command: ['ls', '-la'] } })
    const end = { call_id, exit_code: code, status: fails ? 'failed' : 'completed', duration: { secs: 0, nanos: 5e6 } }
    const item = { type: 'CommandExecution', id: call_id, ...end }
    const told = random.pick([
      [],
      [event('item_completed', { thread_id, item })],
      [event('exec_command_end', { ...end, aggregated_output: '' })],
    ])
    return [call, ...told, response('function_call_output', { call_id, output: said })]
  }

  function background(): Rec[] {
    const call_id = `call_${random.hex(8)}`
    const process_id = String(random.int(1e4, 1e9))
    const item = { type: 'CommandExecution', id: call_id, process_id, status: 'failed', exit_code: -1, aggregated_output: 'x' }
    return [
      response('function_call', { name: 'exec_command', arguments: '{"cmd":"sleep 9"}', call_id }),
      response('function_call_output', {
        call_id,
        output: `Wall time: 1 seconds\nProcess running with session ID ${process_id}\nOutput:\n`,
      }),
      event('item_completed', { thread_id, item }),
    ]
  }

  function patch(): Rec[] {
    const call_id = `call_${random.hex(8)}`
    const output = failures && random.chance(0.4) ? 'patch rejected: by the user' : 'Exit code: 0\nWall time: 0 seconds\nOutput:\nDone'
    const ends = random.chance(0.5) ? [event('patch_apply_end', { call_id, success: true, status: 'completed' })] : []
    return [
      response('custom_tool_call', { call_id, name: 'apply_patch', input: '*** Begin Patch\n*** End Patch\n', status: 'completed' }),
      ...(output.startsWith('Exit') ? ends : []),
      response('custom_tool_call_output', { call_id, output }),
    ]
  }

  function mcp(): Rec[] {
    const call_id = `call_${random.hex(8)}`
    const output = random.pick([textOf(random), [{ type: 'input_text', text: textOf(random) }], { content: 'no', success: false }])
    return [
      response('function_call', { name: 'say', namespace: 'mcp__echo', arguments: JSON.stringify({ text: textOf(random) }), call_id }),
      event('mcp_tool_call_end', { call_id, duration: { secs: 1, nanos: 0 } }),
      response('function_call_output', { call_id, output }),
    ]
  }

  function agent(): Rec[] {
    const [call_id, wait, child] = [`call_${random.hex(8)}`, `call_${random.hex(8)}`, random.uuid()]
    const call = (name: string, id: string, input: Rec): Rec =>
      response('function_call', { name, namespace: 'multi_agent_v1', arguments: JSON.stringify(input), call_id: id })
    const end = random.pick([
      event('collab_waiting_end', { call_id: wait, statuses: { [child]: { completed: 'Done' } } }),
      event('collab_close_end', { receiver_thread_id: child, status: 'running' }),
    ])
    return [
      call('spawn_agent', call_id, { message: textOf(random) }),
      line('event_msg', {
        type: 'collab_agent_spawn_end',
        call_id,
        new_thread_id: child,
        prompt: 'p',
        model: 'gpt-5.5',
        status: 'running',
      }),
      response('function_call_output', { call_id, output: JSON.stringify({ agent_id: child }) }),
      call('wait', wait, { ids: [child] }),
      end,
      response('function_call_output', { call_id: wait, output: '{}' }),
    ]
  }

  const hosted = (): Rec[] => [
    random.pick([
      response('web_search_call', { id: `ws_${random.hex(8)}`, status: 'completed', action: { type: 'search', query: 'q' } }),
      response('image_generation_call', { id: `ig_${random.hex(8)}`, status: 'completed', revised_prompt: 'a cat', result: 'AAAA' }),
    ]),
  ]

  function toolSearch(): Rec[] {
    const call_id = `call_${random.hex(8)}`
    return [
      response('tool_search_call', { call_id, status: 'completed', execution: 'client', arguments: { query: textOf(random) } }),
      response('tool_search_output', { call_id, status: 'completed', execution: 'client', tools: [] }),
    ]
  }

  // ── the file ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  const spend = (): void => {
    const { last, sum } = tokens()
    const usage = { thread_token_usage: snakeTokens(sum), usage: snakeTokens(last), turn_token_usage: snakeTokens(last) }
    if (random.chance(0.7)) records.push(line('token_usage_record', { thread_id, ...usage }))
    const limits = { primary: random.chance(0.3) ? { used_percent: random.int(0, 100), window_minutes: 300, resets_at: 1741500000 } : null }
    const info = { total_token_usage: snakeTokens(sum), last_token_usage: snakeTokens(last), model_context_window: 258400 }
    records.push(event('token_count', { info: random.chance(0.9) ? info : null, rate_limits: limits }))
  }

  function beside(): void {
    records.push(
      random.pick([
        line('world_state', { full: true, state: objectOf(random) }),
        line('compacted', { message: textOf(random) }),
        event('context_compacted'),
        line('inter_agent_communication', { author: '/root', recipient: '/root/a', content: textOf(random) }),
        line('inter_agent_communication_metadata', { trigger_turn: true }),
        response('agent_message', { author: 'a', recipient: 'b', content: [{ type: 'input_text', text: 'x' }] }),
        response('ghost_snapshot', { ghost_commit: {} }),
        event('thread_settings_applied', { thread_id, thread_settings: { ...setting, model: random.pick(['gpt-5.5', 'gpt-6']) } }),
        event('thread_name_updated', { thread_name: textOf(random) }),
        event('item_started', { item: { type: 'UserMessage', id: 'x' } }),
        event('plan_update', { plan: [{ step: textOf(random), status: 'in_progress' }], explanation: null }),
        event('turn_diff', { unified_diff: '--- a\n' }),
        event('thread_rolled_back', { num_turns: 1 }),
        event('error', { message: textOf(random), codex_error_info: 'other' }),
        event('stream_error', {
          message: 'Reconnecting... 1/5',
          codex_error_info: { response_stream_disconnected: { http_status_code: 503 } },
        }),
        event(random.pick(['warning', 'guardian_warning', 'background_event']), { message: textOf(random) }),
        event('deprecation_notice', { summary: textOf(random), details: null }),
        event(random.pick(['entered_review_mode', 'exited_review_mode'])),
        event('user_message', { message: textOf(random) }),
      ]),
    )
  }

  records.push(
    line('session_meta', {
      id: thread_id,
      session_id: thread_id,
      cwd: setting.cwd,
      cli_version: '0.166.0',
      model_provider: 'openai',
      source: 'exec',
    }),
  )
  for (let turn = 0; turn < turns; turn++) {
    const turn_id = random.uuid()
    const old = random.chance(0.2)
    records.push(event(old ? 'turn_started' : 'task_started', { turn_id, model_context_window: 258400 }))
    records.push(message('developer', '<permissions instructions>'), message('user', '<environment_context>'))
    records.push(line('turn_context', { turn_id, ...setting }))
    records.push(message('user', textOf(random)))
    for (let step = tools ? random.int(0, 2) : 0; step > 0; step--) {
      if (random.chance(0.4))
        records.push(
          response('reasoning', {
            id: `rs_${random.hex(8)}`,
            summary: random.some(0, 2, () => ({ type: 'summary_text', text: textOf(random) })),
            content: random.chance(0.2) ? [{ type: 'reasoning_text', text: textOf(random) }] : null,
            encrypted_content: 'gAAAA',
          }),
        )
      const calls = random.some(1, 3, () => random.pick([shell, shell, background, patch, mcp, agent, hosted, toolSearch])())
      records.push(...(random.chance(0.5) ? interleaved(calls, random) : calls.flat()))
      spend()
      if (extras && random.chance(0.4)) beside()
    }
    const end = { turn_id, duration_ms: random.int(0, 9e4) }
    if (failures && random.chance(0.2)) {
      records.push(event('turn_aborted', { ...end, reason: 'interrupted' }))
      continue
    }
    const text = textOf(random)
    const error =
      failures && random.chance(0.2) ? { message: 'exceeded retry limit, last status: 429', codex_error_info: 'other' } : undefined
    if (error === undefined) records.push(message('assistant', text))
    if (error === undefined) spend()
    records.push(
      event(old ? 'turn_complete' : 'task_complete', {
        ...end,
        last_agent_message: error === undefined ? text : null,
        ...(error === undefined ? {} : { error }),
      }),
    )
  }
  return numbered ? records.map(({ timestamp, ...rest }, ordinal) => ({ timestamp, ordinal, ...rest })) : records
}
