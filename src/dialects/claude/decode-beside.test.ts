// What stands beside plain messages and calls: prompts, state, declared and unknown records, odd blocks, several sessions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { decodeAll, ended, eventsIn, gave, id, init, kindsOf, only, plain, said, text, told, use } from './support.test.ts'

test('who put a prompt into the conversation', () => {
  const prompts = (path: string) => only(eventsIn(path), 'prompt.submit').map(({ by, state }) => `${by} ${state}`)
  assert.deepEqual(prompts('2.1.325/j-stdin-replay.ndjson'), ['user seen', 'user seen'])
  assert.deepEqual(prompts('2.1.325/j-stdin-multiturn.stdin.ndjson'), ['user sent', 'user sent'])
  assert.deepEqual(prompts('2.1.325/t-stop-hook-block.ndjson'), ['hook seen'])
  assert.deepEqual(prompts('2.1.325/r-sigint.ndjson'), ['system seen'])
  assert.deepEqual(prompts('2.1.325/l-skill.ndjson'), ['system seen'])
  assert.deepEqual(prompts('2.1.325/g-subagent-fg.ndjson'), ['agent seen'])
  assert.deepEqual(prompts('2.0.76/l-compact.ndjson'), ['system seen', 'system seen'])
})

test('compaction, limits, hooks, denials, state, progress', () => {
  const trims = only(eventsIn('1.0.128/l-compact.ndjson'), 'context.trim')
  assert.deepEqual(
    trims.map(({ why, trigger, before }) => [why, trigger, before]),
    [['compact', 'manual', 1246]],
  )
  const limits = only(eventsIn('2.1.325/t-ratelimit-oauth.ndjson'), 'usage.update')[0]?.limits
  assert.deepEqual(plain(limits), [{ name: 'five_hour', state: 'warning', used: 0.91, resetsAt: 1900000000000 }])
  assert.deepEqual(only(eventsIn('2.1.325/t-ratelimit-oauth-rejected.ndjson'), 'usage.update')[0]?.limits?.[0]?.state, 'reached')
  assert.deepEqual(
    only(eventsIn('2.1.325/n-hooks.ndjson'), 'hook.end').map(({ status, exitCode }) => [status, exitCode]),
    [
      ['ok', 0],
      ['ok', 0],
      ['denied', 2],
      ['ok', 0],
    ],
  )
  const denials = only(eventsIn('2.1.325/t-plan-mode.ndjson'), 'permission.answer')
  assert.deepEqual(
    denials.map(({ decision, by, name, call }) => [decision, by, name, call]),
    [['reject', 'mode', 'Write', 'toolu_mock000001']],
  )
  assert.deepEqual(
    only(eventsIn('2.1.325/e-bash-denied.ndjson'), 'turn.end')[0]?.denied?.map(({ name }) => name),
    ['Bash'],
  )
  const phases = only(eventsIn('2.1.325/t-session-state.ndjson'), 'status.update').map(({ phase }) => phase)
  assert.deepEqual(phases, ['working', 'waiting', 'working', 'idle'])
  assert.deepEqual(
    only(eventsIn('2.1.325/t-tool-progress.ndjson'), 'tool.update').map(({ call, elapsedMs }) => [call, elapsedMs]),
    [['toolu_mock000001', 30_000]],
  )
  assert.deepEqual(
    only(eventsIn('2.1.325/t-prompt-suggestion.ndjson'), 'notice').map(({ code, text: words }) => [code, words]),
    [['prompt_suggestion', 'run the tests']],
  )
})
test('records that are only declared are known too', () => {
  const declared: Rec[] = [
    { type: 'auth_status', isAuthenticating: true, output: ['opening'] },
    { type: 'tool_use_summary', summary: 'read three files', preceding_tool_use_ids: ['a'] },
    { type: 'conversation_reset', new_conversation_id: 'c2' },
    { type: 'command_lifecycle', command_uuid: 'x', state: 'done' },
    { type: 'keep_alive' },
    ...[
      { subtype: 'model_fallback', original_model: 'a', fallback_model: 'b' },
      { subtype: 'model_refusal_fallback', original_model: 'a', fallback_model: 'b', content: 'retrying' },
      { subtype: 'local_command_output', content: 'usage' },
      { subtype: 'plugin_install', status: 'installed', name: 'p' },
      { subtype: 'worker_shutting_down', reason: 'host_exit' },
      { subtype: 'commands_changed', commands: [{ name: 'review', description: 'd' }] },
      { subtype: 'files_persisted', files: [{ filename: 'a.ts', file_id: 'f' }], failed: [] },
      { subtype: 'memory_recall', mode: 'select', memories: [] },
      { subtype: 'elicitation_complete', mcp_server_name: 'github', elicitation_id: 'e' },
      { subtype: 'mirror_error', error: 'timed out', key: {} },
      { subtype: 'control_request_progress', request_id: 'r', status: 'api_retry' },
      { subtype: 'code_change_published', url: 'u' },
      { subtype: 'vcs_state_changed', branch: 'b' },
      { subtype: 'hook_progress', hook_id: 'h', output: 'half' },
    ].map((record) => ({ type: 'system', ...record })),
  ].map((record) => ({ ...record, ...id }))
  const events = decodeAll([
    init,
    ...declared,
    ended({ subtype: 'error_max_structured_output_retries', is_error: true, result: undefined, errors: ['gave up'] }),
  ])
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'issue'),
    [],
  )
  assert.deepEqual(
    only(events, 'raw').map(({ type, why }) => [type, why]),
    [
      ['command_lifecycle', 'unmapped'],
      ['keep_alive', 'redundant'],
      ['system/control_request_progress', 'redundant'],
    ],
  )
  assert.deepEqual(
    only(events, 'context.trim').map(({ why }) => why),
    ['clear'],
  )
  assert.deepEqual(only(events, 'file.update')[0]?.changes, [{ path: 'a.ts', change: 'update' }])
  assert.equal(only(events, 'notice').length, 13)
  assert.deepEqual(
    only(events, 'turn.end').map(({ reason, error }) => [reason, error?.text]),
    [['error', 'gave up']],
  )
})

test('what is unknown is kept, what is broken is an issue, and reading goes on', () => {
  const events = decodeAll([
    init,
    { type: 'system', subtype: 'brand_new', ...id },
    { type: 'surprise' },
    { no: 'type' },
    { type: 'assistant', message: { content: 'not blocks' }, ...id },
    said('m', { type: 'tool_use', name: 'no id' }),
    { ...said('m', text('fine')), new_key: { deep: 1 } },
    ended({ subtype: 'error_of_tomorrow' }),
  ])
  assert.deepEqual(
    only(events, 'raw').map(({ type, why }) => [type, why]),
    [
      ['system/brand_new', 'unknown'],
      ['surprise', 'unknown'],
      ['', 'unknown'],
    ],
  )
  assert.deepEqual(
    only(events, 'issue').map(({ code, line }) => [code, line]),
    [
      ['bad-body', 5],
      ['bad-body', 6],
    ],
  )
  assert.deepEqual(plain(only(events, 'text.end')[0]?.ext), { claude: { new_key: { deep: 1 } } })
  assert.deepEqual(
    only(events, 'turn.end').map(({ reason }) => reason),
    ['error'],
  )
})

test('server tools, other content, blocks of several kinds in one record', () => {
  const events = decodeAll([
    init,
    said('m', { type: 'thinking', thinking: 'hm', signature: 's' }, text('a'), {
      type: 'server_tool_use',
      id: 'w',
      name: 'web_search',
      input: { query: 'q' },
    }),
    said(
      'm',
      { type: 'web_search_tool_result', tool_use_id: 'w', content: [{ type: 'web_search_result', url: 'u' }] },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ),
    ended(),
  ])
  assert.deepEqual(kindsOf(events).slice(3, -3), ['message.start*', 'thought.end', 'text.end', 'tool.start', 'tool.end', 'content.end'])
  assert.deepEqual(
    only(events, 'tool.start').map(({ hostedBy, toolKind }) => [hostedBy, toolKind]),
    [['provider', 'fetch']],
  )
  assert.deepEqual(
    only(events, 'content.end').map(({ type, mime, data }) => [type, mime, data]),
    [['image', 'image/png', 'AAAA']],
  )
  assert.deepEqual(
    [0, 1, 2, 3],
    events.flatMap(({ block }) => (block === undefined ? [] : [block])),
  )
})

test("a provider's tool answers with an object: what it says is the result, and whether it failed", () => {
  const called = (type: string, content: unknown): Rec => {
    const call = { type: 'server_tool_use', id: 's1', name: 'run', input: {} }
    const [{ status, text, data, exitCode, error } = {}] = only(
      decodeAll([init, said('m', call, { type, tool_use_id: 's1', content }), ended()]),
      'tool.end',
    )
    return plain({ status, text, data, exitCode, error: error?.text })
  }
  const failed = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }
  assert.deepEqual(called('web_search_tool_result', failed), {
    status: 'error',
    text: 'max_uses_exceeded',
    data: failed,
    error: 'max_uses_exceeded',
  })
  const page = { type: 'web_fetch_result', url: 'u', content: { type: 'document' } }
  assert.deepEqual(called('web_fetch_tool_result', page), { status: 'ok', data: page })
  const code = { type: 'bash_code_execution_result', stdout: 'out', stderr: 'err', return_code: 3, content: [] }
  assert.deepEqual(called('bash_code_execution_tool_result', code), { status: 'ok', text: 'out\nerr', data: code, exitCode: 3 })
})

test('whatever stands as the result of a call is kept', () => {
  const result = (content: unknown, structure?: unknown): Rec => {
    const user = { ...told(gave('c', content)), ...(structure === undefined ? {} : { tool_use_result: structure }) }
    const [{ text, content: parts, data, ext } = {}] = only(decodeAll([init, said('m', use('c')), user, ended()]), 'tool.end')
    return plain({ text, content: parts, data, ext })
  }
  assert.deepEqual(result({ a: 1 }), { data: { a: 1 } })
  assert.deepEqual(result({ a: 1 }, { b: 2 }), { content: [{ a: 1 }], data: { b: 2 } })
  assert.deepEqual(result({ a: 1 }, 'more'), { data: { a: 1 }, ext: { claude: { tool_use_result: 'more' } } })
  assert.deepEqual(result(7), { text: '7' })
  assert.deepEqual(result(null), {})
})

test('the errors of a result are told, whatever else it says', () => {
  const end = (more: Rec): Rec => {
    const [{ reason, text, error, ext } = {}] = only(decodeAll([init, ended(more)]), 'turn.end')
    return plain({ reason, text, error: error?.text, ext })
  }
  const failed = { subtype: 'error_max_turns', is_error: true }
  assert.deepEqual(end({ ...failed, result: 'so far', errors: ['five turns'] }), {
    reason: 'max_turns',
    text: 'so far',
    error: 'five turns',
  })
  assert.deepEqual(end({ ...failed, result: null, errors: ['one', { two: 2 }] }), { reason: 'max_turns', error: 'one\n{"two":2}' })
  assert.deepEqual(end({ errors: ['odd'] }), { reason: 'end_turn', text: 'done', ext: { claude: { errors: ['odd'] } } })
})

test('records without message ids: a result or prompt between them starts a new message', () => {
  const bare = (words: string): Rec => ({ type: 'assistant', message: { content: [text(words)] }, session_id: 's1' })
  const events = decodeAll([init, bare('one'), bare('two'), told(gave('x')), bare('three'), ended()])
  assert.deepEqual(
    only(events, 'text.end').map(({ message, block }) => [message, block]),
    [
      ['~message-1', 0],
      ['~message-1', 1],
      ['~message-2', 0],
    ],
  )
})

test('two sessions in one stream do not mix', () => {
  const other = (record: Rec): Rec => ({ ...record, session_id: 's2' })
  const events = decodeAll([
    init,
    other(init),
    said('m', text('a')),
    other(said('m', text('b'))),
    other(ended()),
    ended({ is_error: true, result: 'bad' }),
  ])
  assert.deepEqual(
    only(events, 'session.end').map(({ session, reason }) => [session, reason]),
    [
      ['s1', 'error'],
      ['s2', 'end_turn'],
    ],
  )
  assert.deepEqual(
    only(events, 'text.end').map(({ session, message }) => [session, message]),
    [
      ['s1', 'm'],
      ['s2', 'm'],
    ],
  )
})

test('how full the context is, as /context tells it; what is more stays in ext', () => {
  const [told, ...more] = only(eventsIn('2.1.325/l-slash-command.ndjson'), 'usage.update')
  assert.deepEqual(more, [])
  assert.deepEqual([told?.scope, told?.cumulative, told?.context], ['session', true, { used: 18529, limit: 200000 }])
  const kept = (told!.ext!['claude'] as Rec)['context_usage'] as Rec
  assert.deepEqual(kept['categories'], [
    { name: 'System prompt', tokens: 7147, kind: 'used' },
    { name: 'System tools', tokens: 9809, kind: 'used' },
    { name: 'System tools (deferred)', tokens: 4397, kind: 'deferred' },
    { name: 'Skills', tokens: 1549, kind: 'used' },
    { name: 'Messages', tokens: 24, kind: 'used' },
    { name: 'Free space', tokens: 181471, kind: 'free' },
  ])
  assert.ok(!('total_tokens' in kept) && !('raw_max_tokens' in kept))
  const odd = { ...said('m', text('a')), context_usage: { total_tokens: 'many' } }
  assert.deepEqual(only(decodeAll([init, odd, ended()]), 'usage.update'), [])
})

test('the model of a task, and what the records of a subagent tell of one that nobody announced', () => {
  const started = { type: 'system', subtype: 'task_started', ...id, task_id: 't', description: 'Count', model: 'haiku' }
  const inside = { ...said('m', text('a')), parent_tool_use_id: 'call', subagent_type: 'Explore', task_description: 'Look' }
  assert.deepEqual(
    only(decodeAll([init, started, inside, ended()]), 'task.start').map(({ task, model, agentType, title }) => [
      task,
      model,
      agentType,
      title,
    ]),
    [
      ['t', 'haiku', undefined, 'Count'],
      ['call', undefined, 'Explore', 'Look'],
    ],
  )
})
