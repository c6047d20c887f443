/**
 * Avenor's flat event log: about nine lines in ten are chunks. A status comes before the event that causes it, and only
 * when phase or label change, as the program does it.
 */
import { WIDE, type Emit, type Generator } from './contract.ts'
import type { Random } from './random.ts'
import type { Text } from './text.ts'

const KINDS = ['bash', 'bash', 'read', 'read', 'edit', 'write', 'search', 'fetch']

export function createAvenor(random: Random, text: Text): Generator {
  const { int, spread, chance, pick, base62 } = random
  let clock = Date.parse('2026-11-15T08:00:00.000Z')
  let emit: Emit = () => {}
  let base = { session_id: '', run_id: '' }
  let message = ''
  let status = ''

  const turnTo = (phase: string, label?: string): void => {
    const now = `${phase} ${label ?? ''}`
    if (now === status) return
    status = now
    clock += int(5, 4000)
    emit({ event: 'agent.status', ...base, phase, ...(label && { label }), source: 'avenor', ts: clock })
  }

  const chunks = (event: string, update: string, count: number): void => {
    for (let left = count; left > 0; left--) {
      const wide = chance(WIDE / 2)
      const whole = text.sentence(wide)
      // Wide text is not cut: a half of a surrogate pair is no legal text.
      const piece = wide || chance(0.2) ? `${whole}\n` : whole.slice(0, spread(20, whole.length))
      emit({ event, ...base, content: { type: 'text', text: piece }, messageId: message, session_update: update })
    }
  }

  const input = (kind: string): object => {
    if (kind === 'bash') return { command: text.command(), description: text.sentence() }
    if (kind === 'edit') return { file_path: text.path(), old_string: text.code(80), new_string: text.code(80) }
    if (kind === 'write') return { file_path: text.path(), content: text.code(spread(60, 600)) }
    return kind === 'search' ? { pattern: text.identifier() } : { file_path: text.path() }
  }

  const tool = (): void => {
    const kind = pick(KINDS)
    const toolCallId = `call_${base62(20)}`
    const title = `${kind} ${text.path()}`
    turnTo('working', title)
    emit({ event: 'tool.call', ...base, toolCallId, title, kind, status: 'pending', rawInput: input(kind) })
    if (chance(0.3)) chunks('agent.message_chunk', 'agent_message_chunk', int(1, 3))
    emit({ event: 'tool.call_update', ...base, toolCallId, kind, status: chance(0.08) ? 'failed' : 'completed' })
  }

  return {
    session(write) {
      emit = write
      base = { session_id: `ses_${base62(16)}`, run_id: `run_${base62(12)}` }
      status = ''
      emit({
        event: 'session.start',
        ...base,
        backend: 'claude',
        dir: '/home/dev/work/project',
        dangerously_load: false,
      })
      for (let step = int(20, 60); step > 0; step--) {
        message = `msg_${base62(20)}`
        if (chance(0.6)) {
          turnTo('thinking')
          chunks('agent.thought_chunk', 'agent_thought_chunk', int(4, 25))
        }
        chunks('agent.message_chunk', 'agent_message_chunk', int(6, 40))
        if (step > 1) tool()
      }
      turnTo('done')
      const usage = { input_tokens: int(9000, 90_000), output_tokens: int(500, 9000), cached_read_tokens: int(0, 9000) }
      const total = { ...usage, total_tokens: usage.input_tokens + usage.output_tokens }
      emit({ event: 'session.end', ...base, stop_reason: 'end_turn', usage: total })
    },
  }
}
