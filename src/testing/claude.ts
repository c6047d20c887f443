// Legal Claude stream-json output, after its document and the order that real versions keep: an init before every turn, messages
// and tools, subagents and background tasks, a result at the end of every turn, and the control channel around it.
import type { Rec } from '../base/json.ts'
import { hostRequest, sideRecord } from './claude-beside.ts'
import { type Channel, createClaudeMessages } from './claude-message.ts'
import { createClaudeRecords, mainLane } from './claude-records.ts'
import { createClaudeTasks } from './claude-task.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'
import { textOf } from './words.ts'

export function claudeSession(random: Random, plan: Plan): Rec[] {
  const { alone, turns, tools, failures, extras } = plan
  const make = createClaudeRecords(random)
  const channel: Channel = extras ? random.pick(alone ? ['none', 'agent', 'both'] : ['none', 'agent']) : 'none'
  const states = extras && random.chance(0.3)
  const messages = createClaudeMessages(random, plan, make, channel)
  const { message, working, answering, denials, useOf } = messages
  const { delegating, background } = createClaudeTasks(random, plan, make, messages)
  const records: Rec[] = []
  const { system } = make
  const maybe = (odds: number, make: () => Rec): Rec[] => (extras && random.chance(odds) ? [make()] : [])

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
