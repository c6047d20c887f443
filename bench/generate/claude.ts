/**
 * Claude Code 2.1.325 stream-json, after the recordings: init before every turn, one content block a record, usage as the
 * message_start snapshot, cumulative `modelUsage`, `type` near the end of a result.
 */
import { createCalls, type Call } from './claude-tools.ts'
import { WIDE, type Emit, type Generator } from './contract.ts'
import { init, result, type Tally } from './claude-frames.ts'
import type { Random } from './random.ts'
import type { Text } from './text.ts'

const MODEL = 'claude-sonnet-4-5-20250929'
const ROOT = '/home/dev/work/project'

/** The lane of a subagent: its records carry the call that started it. */
interface Lane {
  call: string
  agent: string
  title: string
}

export function createClaude(random: Random, text: Text): Generator {
  const { int, spread, chance, hex, base62, uuid } = random
  const drawCall = createCalls(random, text, ROOT)
  let clock = Date.parse('2026-11-15T08:00:00.000Z')
  let emit: Emit = () => {}
  let session = ''
  let tally: Tally

  const stamp = (): string => new Date((clock += int(3, 900))).toISOString()
  const laneKeys = (lane: Lane | undefined): object => (lane ? { subagent_type: 'general-purpose', task_description: lane.title } : {})
  const system = (subtype: string, keys: object): void => emit({ type: 'system', subtype, ...keys, session_id: session, uuid: uuid() })

  /** Starts a message: the function it returns writes one block of it. */
  const startMessage = (lane?: Lane): ((block: object, extra?: object) => void) => {
    const id = `msg_01${base62(22)}`
    const request = `req_01${base62(22)}`
    const usage = {
      input_tokens: int(2, 40),
      cache_creation_input_tokens: int(0, 4000),
      cache_read_input_tokens: int(9000, 140_000),
    }
    tally.add(usage, int(30, 900), lane !== undefined)
    const written = usage.cache_creation_input_tokens
    const snapshot = {
      ...usage,
      cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
      output_tokens: 1,
      service_tier: 'standard',
    }
    const head = { id, type: 'message', role: 'assistant', model: MODEL }
    return (block, extra = {}) =>
      emit({
        type: 'assistant',
        message: {
          ...head,
          content: [block],
          stop_reason: null,
          stop_sequence: null,
          usage: snapshot,
          context_management: null,
        },
        parent_tool_use_id: lane?.call ?? null,
        ...(lane && { agent_id: lane.agent }),
        session_id: session,
        uuid: uuid(),
        timestamp: stamp(),
        request_id: request,
        ...extra,
        ...laneKeys(lane),
      })
  }

  const user = (content: object[], extra: object, lane?: Lane): void =>
    emit({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: lane?.call ?? null,
      ...(lane && { agent_id: lane.agent }),
      session_id: session,
      uuid: uuid(),
      timestamp: stamp(),
      ...extra,
      ...laneKeys(lane),
    })

  const answer = (id: string, call: Call, lane?: Lane): void => {
    const block = { tool_use_id: id, type: 'tool_result', content: call.content }
    const decision = { decision: 'accept', source: 'config', reason_type: 'mode' }
    const meta = { tool_result_meta: [{ id, permission_decision: decision }] }
    const told = call.isError === undefined ? block : { ...block, is_error: call.isError }
    user([told], lane ? meta : { tool_use_result: call.result, ...meta }, lane) // lanes have no tool_use_result
  }

  const delegate = (say: (block: object) => void): void => {
    const lane: Lane = { call: `toolu_01${base62(22)}`, agent: `a${hex(16)}`, title: text.sentence() }
    const prompt = text.prose(300, chance(WIDE))
    const input = { description: lane.title, prompt, subagent_type: 'general-purpose', run_in_background: false }
    const task = { task_id: lane.agent, run_id: `0mwi9dvbg-${hex(8)}` }
    say({ type: 'tool_use', id: lane.call, name: 'Agent', input })
    system('task_started', {
      ...task,
      tool_use_id: lane.call,
      description: lane.title,
      subagent_type: 'general-purpose',
      is_backgrounded: false,
      spawn_depth: 1,
      task_type: 'local_agent',
      prompt,
    })
    user([{ type: 'text', text: prompt }], {}, lane)
    const steps = int(1, 5)
    for (let step = 0; step < steps; step++) tools(1, lane)
    const report = text.prose(spread(200, 3000))
    system('task_updated', { ...task, patch: { status: 'completed', end_time: clock } })
    const usage = { total_tokens: int(1000, 90_000), tool_uses: steps, duration_ms: int(500, 90_000) }
    system('task_notification', { ...task, tool_use_id: lane.call, status: 'completed', summary: report, usage })
    const content = [{ type: 'text', text: report }]
    user([{ tool_use_id: lane.call, type: 'tool_result', content }], {
      tool_use_result: { status: 'completed', prompt, agentId: lane.agent, agentType: 'general-purpose', content },
    })
  }

  /** One model call that asks for `count` tools; results come in the order of completion. */
  const tools = (count: number, lane?: Lane): void => {
    const say = startMessage(lane)
    if (!lane && chance(0.35)) {
      let total = 0
      for (let left = int(1, 3); left > 0; left--) {
        const delta = int(1, 60)
        total += delta
        system('thinking_tokens', { estimated_tokens: total, estimated_tokens_delta: delta })
      }
      const thinking = text.prose(spread(80, 3000), chance(WIDE))
      say({ type: 'thinking', thinking, signature: base62(200) }, { thinking_duration_ms: int(80, 9000) })
    }
    if (!lane && chance(0.6)) say({ type: 'text', text: text.prose(spread(30, 1200), chance(WIDE)) })
    if (!lane && chance(0.02)) return delegate(say)
    const open = Array.from({ length: count }, () => ({ id: `toolu_01${base62(22)}`, call: drawCall() }))
    for (const { id, call } of open) say({ type: 'tool_use', id, name: call.name, input: call.input })
    if (chance(0.5)) open.reverse()
    for (const { id, call } of open) answer(id, call, lane)
  }

  return {
    session(write) {
      emit = write
      session = uuid()
      tally = result.tally()
      const turns = int(2, 6)
      for (let turn = 0; turn < turns; turn++) {
        const began = clock
        emit(init(session, ROOT, MODEL, uuid()))
        for (let step = int(4, 30); step > 0; step--) tools(chance(0.15) ? int(2, 4) : 1)
        const final = text.prose(spread(60, 4000), chance(WIDE))
        startMessage()({ type: 'text', text: final })
        emit(result.record({ session, model: MODEL, text: final, turn, durationMs: clock - began, uuid: uuid() }, tally))
      }
    },
  }
}
