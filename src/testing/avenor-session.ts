// One session of a made-up Avenor log, of one of four kinds of backend. A status of Avenor's own stands directly before the event
// that caused it.
import type { Rec } from '../base/json.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { models, objectOf, piecesOf, textOf, toolOf, valueOf } from './words.ts'

type Backend = 'acp' | 'claude' | 'claude-channel' | 'pony'

const kinds: Readonly<Record<string, string>> = {
  Bash: 'bash',
  Read: 'read',
  Write: 'write',
  Edit: 'edit',
  Grep: 'search',
  Glob: 'search',
  WebFetch: 'fetch',
}

/** A function that adds a whole session to `made` and returns how it stopped. `run` and `runId` are what its records tell of their run. */
export function createAvenorSessions(
  random: Random,
  plan: Plan,
  now: () => number,
  run: Rec,
  runId: Rec,
  made: Rec[],
): (id: string) => string {
  const { turns, tools, failures, extras } = plan
  const backend: Backend = random.pick(['acp', 'acp', 'claude', 'claude-channel', 'pony'])
  const statuses = random.chance(0.6)
  const stamped = random.chance(0.7)
  const stamp = (): Rec => (stamped ? { ts: now() } : {})

  return (id) => {
    const event = (name: string, fields: Rec = {}): Rec => ({ event: name, session_id: id, ...fields })
    const put = (name: string, fields: Rec = {}): void => void made.push(event(name, fields))
    const status = (phase: string, source = 'avenor'): Rec[] =>
      statuses
        ? [event('agent.status', { phase, ...(random.chance(0.4) ? { label: textOf(random) } : {}), source, ...run, ts: now() })]
        : []

    function chunks(name: string, messageId: string): Rec[] {
      const text = textOf(random)
      const pieces = plan.deltas ? piecesOf(text, random) : [text]
      return pieces.map((piece) =>
        event(name, {
          ...(backend === 'pony' ? { delta: piece } : { content: { type: 'text', text: piece } }),
          ...(backend === 'pony' ? {} : { messageId }),
          ...(random.chance(0.1) ? { session_update: objectOf(random, 1) } : {}),
          ...stamp(),
        }),
      )
    }

    function permission(tool: string, answered: boolean): Rec[] {
      const request_id = random.hex(4)
      const kind = failures && random.chance(0.4) ? 'reject' : 'allow'
      const options = [
        { optionId: 'allow', kind: 'allow' },
        ...(random.chance(0.3) ? [{ optionId: 'always', kind: 'allow_always', name: 'Always' }] : []),
        { optionId: 'reject', kind: 'reject' },
      ]
      const request = event('permission.request', { request_id, tool, question: textOf(random), options, ...stamp() })
      const asked = [...status('waiting', backend === 'claude' ? random.pick(['pty', 'tmux']) : 'avenor'), request]
      if (!answered) return asked
      return [
        ...asked,
        event('permission.response', {
          request_id,
          option_id: kind,
          kind,
          source: random.pick(['avenor', 'control', 'file']),
          ts: now(),
          ...run,
        }),
      ]
    }

    /** The call, what may be asked about it, its end. Two calls never ask at the same time, and a status keeps to its event. */
    function call(mayAsk: boolean): Rec[][] {
      const { name, input } = toolOf(random)
      const toolCallId = `call_${random.hex(8)}`
      const kind = kinds[name] ?? 'other'
      const title = random.chance(0.5) ? name : textOf(random)
      const status = failures && random.chance(0.3) ? 'failed' : 'completed'
      const end = event('tool.call_update', { toolCallId, kind, status, ...stamp() })
      const units = [
        [
          event('tool.call', {
            toolCallId,
            title,
            kind,
            status: 'pending',
            rawInput: random.chance(0.9) ? input : JSON.stringify(input),
            ...stamp(),
          }),
        ],
        mayAsk && random.chance(0.4) ? permission(name.toLowerCase(), true) : [],
        [end],
      ]
      return units.filter((unit) => unit.length > 0)
    }

    // ── the opening ──────────────────────────────────────────────────────────────────────────────────────────────────────

    const ofClaude = backend === 'claude' || backend === 'claude-channel'
    if (ofClaude || random.chance(0.3))
      put('session.start', { backend: ofClaude ? backend : 'opencode-acp', dir: '/home/dev/a b', dangerously_load: false, ...runId })
    if (backend === 'claude-channel') {
      put('agent.channel_ready', { run_id: random.hex(16), server_name: 'avenor', source: 'channel' })
      if (random.chance(0.5))
        put('agent.prompt_queued', {
          control_id: random.hex(6),
          message_type: 'continue',
          delivery: 'channel',
          prompt_length: random.int(0, 5000),
        })
    }
    if (ofClaude) put('agent.prompt_submitted', { delivery: random.pick(['tmux', 'pty']), prompt_length: random.int(1, 5000) })
    else if (random.chance(0.2)) made.push(...chunks('user.message_chunk', `msg_${random.hex(6)}`))

    // ── the work ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    for (let turn = turns + random.int(0, 2); turn > 0; turn--) {
      const messageId = `msg_${random.hex(6)}`
      if (backend === 'claude') made.push(...status('working', 'transcript'))
      if (random.chance(0.4)) made.push(...status('thinking'), ...chunks('agent.thought_chunk', messageId))
      if (random.chance(0.15))
        put('session.plan', {
          entries: random.some(0, 3, () => ({
            content: textOf(random),
            status: random.pick(['pending', 'in_progress', 'completed']),
            priority: 'medium',
          })),
        })
      if (turn === 1 || random.chance(0.6)) made.push(...chunks('agent.message_chunk', messageId))
      if (backend === 'claude-channel' && random.chance(0.5)) {
        put('agent.report', { state: random.pick(['thinking', 'working']), payload: valueOf(random), source: 'channel' })
        if (random.chance(0.3)) put('agent.reply', { to: 'controller', payload: valueOf(random), source: 'channel' })
      }
      if (!tools || turn === 1) continue
      const calls = random.some(1, 3, (index) => call(index === 0))
      made.push(...status('working'), ...(random.chance(0.5) ? interleaved(calls, random) : calls.flat()).flat())
      if (extras && random.chance(0.2))
        put(random.pick(['deploy.started', 'my.own/event', 'x']), { note: textOf(random), more: objectOf(random, 1) })
    }

    // ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────────────

    const trouble =
      failures && random.chance(0.5)
        ? random.pick(['timeout', 'cancelled', 'max_tokens', 'error', 'permission', 'degenerate_reasoning_stream', 'refusal'])
        : 'end_turn'
    const stop = trouble === 'permission' ? 'error' : trouble
    if (trouble === 'permission') {
      made.push(...permission('bash', false))
      put('avenor.error', { ...run, source: 'permission', message: 'handler timed out after 10m', ts: now() })
    } else if (stop === 'error')
      put('avenor.error', { ...run, source: random.pick(['backend', 'cancel', 'loop']), message: textOf(random), ts: now() })
    else if (stop === 'degenerate_reasoning_stream') {
      const diagnostics = {
        abort_signal: 'control_token',
        observed_total: 1,
        hex_total: 0,
        hex_in_window: 0,
        window_size: 2048,
        consecutive_hex: 0,
        progress_in_window: 0,
      }
      put('avenor.error', {
        source: 'loop',
        kind: stop,
        stop_reason: stop,
        model: models[1],
        message: `degenerate reasoning stream: ${textOf(random)}`,
        diagnostics,
      })
    } else if (backend === 'claude-channel' && stop === 'end_turn') {
      put('agent.finish', {
        status: 'done',
        summary: textOf(random),
        files_changed: random.some(0, 2, () => 'a/b ü.ts'),
        ...(random.chance(0.5) ? { payload: objectOf(random) } : {}),
        source: 'channel',
      })
    }
    const [input, output, cached] = [random.int(0, 9000), random.int(0, 900), random.int(0, 500)]
    const usage = { input_tokens: input + cached, output_tokens: output, total_tokens: input + cached + output, cached_read_tokens: cached }
    made.push(...status('done'))
    put('session.end', { stop_reason: stop, ...(backend !== 'claude' && random.chance(0.7) ? { usage } : {}), ...runId })
    return stop
  }
}
