// stdout of a made-up `codex exec --json`: a process a turn; the next one resumes the thread.
import type { Rec } from '../base/json.ts'
import { countTokens, snakeTokens } from './codex-tokens.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { objectOf, piecesOf, textOf, valueOf } from './words.ts'

export function codexExec(random: Random, { turns, deltas, tools, failures, extras }: Plan): Rec[] {
  const thread_id = random.uuid()
  const tokens = countTokens(random)
  const records: Rec[] = []
  let count = random.int(0, 1e6) // a process counts from 0; calls of one stream are to be told apart here

  const item = (phase: string, id: string, type: string, fields: Rec): Rec => ({ type: `item.${phase}`, item: { id, type, ...fields } })
  const next = (): string => `item_${count++}`
  const ended = (): string => (failures && random.chance(0.3) ? 'failed' : 'completed')
  const whole = (type: string, fields: Rec): Rec => item('completed', next(), type, fields)

  function command(): Rec[] {
    const id = next()
    const line = `/bin/bash -lc '${random.pick(['ls -la', 'npm test', 'echo partial; exit 3'])}'`
    const status = failures && random.chance(0.1) ? 'declined' : ended()
    const exit_code = status === 'completed' ? 0 : status === 'failed' ? random.int(1, 255) : null
    const start = item('started', id, 'command_execution', { command: line, aggregated_output: '', exit_code: null, status: 'in_progress' })
    if (failures && random.chance(0.1)) return [start] // it outlives the turn
    const more = { command: line, aggregated_output: textOf(random), exit_code, status }
    const going =
      extras && random.chance(0.2) ? [item('updated', id, 'command_execution', { ...more, exit_code: null, status: 'in_progress' })] : []
    return [start, ...going, item('completed', id, 'command_execution', more)]
  }

  function fileChange(): Rec[] {
    const id = next()
    const changes = random.some(1, 2, () => ({ path: `/home/dev/a b/${random.hex(4)}.ts`, kind: random.pick(['add', 'update', 'delete']) }))
    const end = item('completed', id, 'file_change', { changes, status: ended() })
    return random.chance(0.5) ? [end] : [item('started', id, 'file_change', { changes, status: 'in_progress' }), end]
  }

  function mcp(): Rec[] {
    const id = next()
    const call = { server: 'echo', tool: random.pick(['say', 'search']), arguments: objectOf(random) }
    const status = ended()
    const result = { content: [{ type: 'text', text: textOf(random) }], structured_content: random.chance(0.5) ? valueOf(random) : null }
    const end = status === 'completed' ? { result, error: null } : { result: null, error: { message: textOf(random) } }
    return [
      item('started', id, 'mcp_tool_call', { ...call, result: null, error: null, status: 'in_progress' }),
      item('completed', id, 'mcp_tool_call', { ...call, ...end, status }),
    ]
  }

  function search(): Rec[] {
    const id = next()
    const query = textOf(random)
    return [
      item('started', id, 'web_search', { query: '', action: { type: 'other' } }),
      item('completed', id, 'web_search', { query, action: { type: 'search', query } }),
    ]
  }

  function agent(): Rec[] {
    const child = random.uuid()
    const [spawn, wait] = [next(), next()]
    const call = { sender_thread_id: thread_id, prompt: textOf(random) }
    const state = failures && random.chance(0.3) ? { status: 'errored', message: textOf(random) } : { status: 'completed', message: 'Done' }
    const waits = { sender_thread_id: thread_id, receiver_thread_ids: [child], prompt: null }
    return [
      item('started', spawn, 'collab_tool_call', {
        tool: 'spawn_agent',
        ...call,
        receiver_thread_ids: [],
        agents_states: {},
        status: 'in_progress',
      }),
      item('completed', spawn, 'collab_tool_call', {
        tool: 'spawn_agent',
        ...call,
        receiver_thread_ids: [child],
        agents_states: { [child]: { status: 'pending_init', message: null } },
        status: 'completed',
      }),
      item('started', wait, 'collab_tool_call', { tool: 'wait', ...waits, agents_states: {}, status: 'in_progress' }),
      item('completed', wait, 'collab_tool_call', { tool: 'wait', ...waits, agents_states: { [child]: state }, status: 'completed' }),
    ]
  }

  function todo(): Rec[] {
    const id = next()
    const texts = random.some(1, 3, () => textOf(random))
    return ['started', 'updated', 'completed'].map((phase, done) =>
      item(phase, id, 'todo_list', { items: texts.map((text, index) => ({ text, completed: index < done })) }),
    )
  }

  function plan(): void {
    const id = next()
    const text = textOf(random)
    for (const piece of deltas ? piecesOf(text, random) : []) records.push({ type: 'item.plan.delta', item_id: id, delta: piece })
    records.push(item('completed', id, 'plan', { text }))
  }

  function fail(): void {
    const message = random.pick([
      'exceeded retry limit, last status: 429 Too Many Requests',
      'stream disconnected before completion: x',
      textOf(random),
    ])
    for (let attempt = 1; attempt <= random.int(0, 2); attempt++)
      records.push({ type: 'error', message: `Reconnecting... ${attempt}/2 (${message})` })
    records.push({ type: 'error', message }, { type: 'turn.failed', error: { message } })
  }

  for (let turn = 0; turn < turns; turn++) {
    records.push({ type: 'thread.started', thread_id })
    if (extras && random.chance(0.2)) records.push(whole('error', { message: textOf(random) }))
    records.push({ type: 'turn.started' })
    if (random.chance(0.4)) records.push(whole('reasoning', { text: textOf(random) }))
    if (extras && random.chance(0.2)) records.push(...todo())
    if (extras && random.chance(0.1)) plan()
    for (let step = tools ? random.int(0, 2) : 0; step > 0; step--) {
      if (random.chance(0.5)) records.push(whole('agent_message', { text: textOf(random) }))
      const calls = random.some(1, 3, () => random.pick([command, command, fileChange, mcp, search, agent])())
      records.push(...(random.chance(0.5) ? interleaved(calls, random) : calls.flat()))
    }
    if (extras && random.chance(0.1))
      records.push({
        type: 'request_user_input',
        id: random.uuid(),
        call_id: `call_${random.hex(8)}`,
        questions: [{ id: 'q', header: 'Which', question: textOf(random), options: [{ label: 'A', description: '' }] }],
      })
    if (failures && random.chance(0.4)) fail()
    else {
      records.push(whole('agent_message', { text: textOf(random) }))
      const { total_tokens: _total, ...usage } = snakeTokens(tokens().sum)
      records.push({ type: 'turn.completed', usage })
    }
  }
  return records
}
