// Legal Claude stream-json output, after its document and the order that real versions keep: an init before every turn, messages
// and tools, subagents and background tasks, a result at the end of every turn, and the control channel around it.
import type { Rec } from '../base/json.ts'
import { hostRequest, sideRecord } from './claude-beside.ts'
import { type Channel, createClaudeMessages } from './claude-message.ts'
import { createClaudeRecords, type Lane, mainLane } from './claude-records.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { taskOf, textOf } from './words.ts'

export function claudeSession(random: Random, plan: Plan): Rec[] {
  const { alone, turns, tools, failures, extras } = plan
  const make = createClaudeRecords(random)
  const channel: Channel = extras ? random.pick(alone ? ['none', 'agent', 'both'] : ['none', 'agent']) : 'none'
  const states = extras && random.chance(0.3)
  const { message, working, answering, denials, useOf } = createClaudeMessages(random, plan, make, channel)
  const records: Rec[] = []
  const { system } = make
  const maybe = (odds: number, make: () => Rec): Rec[] => (extras && random.chance(odds) ? [make()] : [])

  // ── subagents and background commands ──────────────────────────────────────────────────────────────────────────────────

  type Task = { task_id: string; tool_use_id: string }
  const newTask = (call: string, prefix: string): Task => ({ task_id: prefix + random.hex(12), tool_use_id: call })
  const finish = (task: Task, status: string, text: string): Rec[] => [
    ...(random.chance(0.6) ? [system('task_updated', { task_id: task.task_id, patch: { status, end_time: make.now() } })] : []),
    system('task_notification', {
      ...task,
      status,
      output_file: '',
      summary: text,
      usage: { total_tokens: random.int(1, 5000), tool_uses: 1, duration_ms: 90 },
    }),
  ]

  /** `home`: the lane that starts it and gets its report. */
  function subagent(home: Lane, depth: number): { use: Rec; run: Rec[] } {
    const input = taskOf(random)
    const call = { id: `toolu_${random.hex(10)}`, name: random.pick(['Agent', 'Task']), input }
    const task = newTask(call.id, 'a')
    const lane: Lane = { parent: call.id, agent: task.task_id }
    const status = failures && random.chance(0.2) ? 'failed' : 'completed'
    const report = textOf(random)
    const inner = random.some(0, 2, () => (depth < 2 && random.chance(0.15) ? nested(lane, depth) : working(lane, 2))).flat()
    const spoken = random.chance(0.5) ? answering(lane, report) : []
    return {
      use: useOf(call),
      run: [
        system('task_started', {
          ...task,
          description: input['description'],
          subagent_type: 'general-purpose',
          is_backgrounded: false,
          spawn_depth: depth,
          task_type: 'local_agent',
          prompt: input['prompt'],
        }),
        make.user([{ type: 'text', text: input['prompt'] }], lane),
        ...(random.chance(0.5)
          ? [
              system('task_progress', {
                ...task,
                description: textOf(random),
                usage: { total_tokens: 9, tool_uses: 1, duration_ms: 5 },
                last_tool_name: 'Read',
              }),
            ]
          : []),
        ...inner,
        ...spoken,
        ...finish(task, status, report),
        make.user(
          [
            {
              tool_use_id: call.id,
              type: 'tool_result',
              content: [{ type: 'text', text: report }],
              ...(status === 'failed' ? { is_error: true } : {}),
            },
          ],
          home,
        ),
      ],
    }
  }

  function nested(lane: Lane, depth: number): Rec[] {
    const { use, run } = subagent(lane, depth + 1)
    return [...message(lane, [use], 'tool_use'), ...run]
  }

  function delegating(): Rec[] {
    const agents = random.some(1, 2, () => subagent(mainLane, 1))
    const said = message(
      mainLane,
      agents.map(({ use }) => use),
      'tool_use',
    )
    return [
      ...said,
      ...interleaved(
        agents.map(({ run }) => run),
        random,
      ),
    ]
  }

  /** The command goes on after the turn; its end brings a turn of its own. */
  function background(): { said: Rec[]; later: Rec[] } {
    const call = { id: `toolu_${random.hex(10)}`, name: 'Bash', input: { command: 'sleep 1', run_in_background: true } }
    const task = newTask(call.id, 'b')
    const listed = { task_id: task.task_id, task_type: 'local_bash', description: 'Sleep' }
    const structure = { stdout: '', stderr: '', interrupted: false, isImage: false, backgroundTaskId: task.task_id }
    return {
      said: [
        ...message(mainLane, [useOf(call)], 'tool_use'),
        system('background_tasks_changed', { tasks: [listed] }),
        system('task_started', { ...task, description: 'Sleep', is_backgrounded: true, task_type: 'local_bash' }),
        make.user(
          [
            {
              tool_use_id: call.id,
              type: 'tool_result',
              content: `Command running in background with ID: ${task.task_id}.`,
              is_error: false,
            },
          ],
          mainLane,
          { tool_use_result: structure },
        ),
      ],
      later: [...finish(task, 'completed', textOf(random)), system('background_tasks_changed', { tasks: [] })],
    }
  }

  // ── the ends of a turn ─────────────────────────────────────────────────────────────────────────────────────────────────

  const success = (text: string, fields: Rec = {}): Rec =>
    make.result('success', {
      result: text,
      stop_reason: 'end_turn',
      terminal_reason: 'completed',
      permission_denials: denials.splice(0),
      ...fields,
    })

  function apiFailure(): Rec[] {
    const text = 'API Error: 429 {"type":"error","error":{"type":"rate_limit_error"}}'
    const told = make.assistant(random.uuid(), mainLane, { type: 'text', text }, make.usage(), 'stop_sequence', {
      error: 'rate_limit',
      is_api_error_message: true,
    })
    ;(told['message'] as Rec)['model'] = '<synthetic>'
    return [told, success(text, { is_error: true, terminal_reason: 'api_error', api_error_status: 429, stop_reason: 'stop_sequence' })]
  }

  function refusal(): Rec[] {
    const text = textOf(random)
    const note = system('model_refusal_no_fallback', { original_model: make.model, request_id: 'req_1', content: '' })
    return [...message(mainLane, [{ type: 'text', text }], 'refusal'), note, success(text, { is_error: true, stop_reason: 'refusal' })]
  }

  const failed = (subtype: string, reason: string, told: string): Rec =>
    make.result(subtype, {
      is_error: true,
      errors: [told],
      stop_reason: null,
      terminal_reason: reason,
      permission_denials: denials.splice(0),
    })

  function ending(): Rec[] {
    if (!failures || random.chance(0.6)) {
      const text = textOf(random)
      return [...answering(mainLane, text), ...(random.chance(0.1) ? make.hook('Stop', 'Stop', false) : []), success(text)]
    }
    switch (random.int(0, 5)) {
      case 0:
        return apiFailure()
      case 1:
        return refusal()
      case 2:
        return [failed('error_max_turns', 'max_turns', 'Reached maximum number of turns (1)')]
      case 3:
        return [
          ...message(mainLane, [useOf({ id: `toolu_${random.hex(10)}`, ...make.tool() })], 'tool_use'),
          failed('error_max_budget_usd', 'budget_exhausted', 'Reached maximum budget'),
        ]
      case 4:
        return [failed('error_max_structured_output_retries', 'completed', 'no valid output after 5 attempts')]
      default:
        return [...interrupt(), failed('error_during_execution', 'aborted_tools', 'Request was aborted.')]
    }
  }

  // ── turns ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  const retries = (): Rec[] =>
    Array.from({ length: random.int(1, 3) }, (_, index) =>
      system('api_retry', {
        attempt: index + 1,
        max_retries: 10,
        retry_delay_ms: 1000 * (index + 1),
        ...random.pick([
          { error_status: 429, error: 'rate_limit' },
          { error_status: null, error: 'unknown' },
        ]),
      }),
    )

  const compaction = (): Rec[] => [
    system('status', { status: 'compacting' }),
    system('status', { status: null }),
    system('compact_boundary', { compact_metadata: { trigger: random.pick(['auto', 'manual']), pre_tokens: random.int(1000, 200_000) } }),
    make.user(`This session is being continued. ${textOf(random)}`, mainLane, { isReplay: false, isSynthetic: true }),
  ]

  const request = (subtype: string, fields: Rec = {}): Rec => ({
    type: 'control_request',
    request_id: `${subtype}-1`,
    request: { subtype, ...fields },
  })
  const reply = (subtype: string, response: Rec): Rec => ({
    type: 'control_response',
    response: { subtype: 'success', request_id: `${subtype}-1`, response },
  })

  const interrupt = (): Rec[] => (channel === 'none' ? [] : [...(channel === 'both' ? [request('interrupt')] : []), reply('interrupt', {})])

  function prompt(text: string): Rec[] {
    if (channel === 'both')
      return [
        { type: 'user', message: { role: 'user', content: [{ type: 'text', text }] }, parent_tool_use_id: null, session_id: make.session },
      ]
    return channel === 'agent' && random.chance(0.5) ? [make.user([{ type: 'text', text }], mainLane, { isReplay: true })] : []
  }

  if (channel === 'both') records.push(request('initialize', { hooks: null }))
  if (channel !== 'none') records.push(reply('initialize', { commands: [] }))
  if (random.chance(0.15)) records.push(...make.hook('SessionStart:startup', 'SessionStart', random.chance(0.3)))
  for (let turn = 0; turn < turns; turn++) {
    let later: Rec[] = []
    if (states) records.push(system('session_state_changed', { state: 'running' }))
    records.push(make.init(), ...prompt(textOf(random)))
    records.push(...maybe(0.3, () => sideRecord(random, make)))
    if (random.chance(0.1)) records.push(...compaction())
    for (let step = tools ? random.int(0, 3) : 0; step > 0; step--) {
      if (failures && random.chance(0.15)) records.push(...retries())
      if (plan.deltas && extras) records.push(system('status', { status: 'requesting' }), ...maybe(0.3, () => sideRecord(random, make)))
      const dice = random.next()
      if (dice < 0.15) records.push(...delegating())
      else if (dice < 0.25 && later.length === 0) {
        const { said, later: after } = background()
        records.push(...said)
        later = after
      } else records.push(...working(mainLane, 3))
    }
    records.push(...ending())
    if (later.length > 0) {
      const text = textOf(random)
      records.push(...later, make.init(), ...answering(mainLane, text), success(text, { origin: { kind: 'task-notification' } }))
    }
    records.push(...maybe(0.1, make.suggestion))
    if (channel !== 'none' && random.chance(0.2)) records.push(...hostRequest(random, make, channel === 'both'))
    if (states) records.push(system('session_state_changed', { state: 'idle' }))
  }
  return records
}
