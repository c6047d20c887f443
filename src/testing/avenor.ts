// Legal Avenor logs, after its event document: single runs of four kinds of backend, and loops of phases with retries.
// A status of Avenor's own stands directly before the event that caused it.
import type { Rec } from '../base/json.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { clockOf, models, objectOf, piecesOf, textOf, toolOf, valueOf } from './words.ts'

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

export function avenorRun(random: Random, plan: Plan): Rec[] {
  const { turns, tools, failures, extras } = plan
  const now = clockOf(random)
  const records: Rec[] = []
  const run: Rec = random.chance(0.6) ? { run_id: random.hex(16), ...(random.chance(0.3) ? { run_label: textOf(random) } : {}) } : {}
  const backend: Backend = random.pick(['acp', 'acp', 'claude', 'claude-channel', 'pony'])
  const statuses = random.chance(0.6)
  const stamped = random.chance(0.7)

  const stamp = (): Rec => (stamped ? { ts: now() } : {})
  const runId = (): Rec => (run['run_id'] === undefined ? {} : { run_id: run['run_id'] })

  /** Returns how the session stopped. */
  function session(id: string): string {
    const made: Rec[] = records
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
      const update = (word: string): Rec => event('tool.call_update', { toolCallId, kind, status: word, ...stamp() })
      const end = update(failures && random.chance(0.3) ? 'failed' : 'completed')
      const going = extras && random.chance(0.3) ? [update('in_progress')] : []
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
        going,
        [end],
      ]
      return units.filter((unit) => unit.length > 0)
    }

    // ── the opening ──────────────────────────────────────────────────────────────────────────────────────────────────────

    const ofClaude = backend === 'claude' || backend === 'claude-channel'
    if (ofClaude || random.chance(0.3))
      put('session.start', { backend: ofClaude ? backend : 'opencode-acp', dir: '/home/dev/a b', dangerously_load: false, ...runId() })
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
    put('session.end', { stop_reason: stop, ...(backend !== 'claude' && random.chance(0.7) ? { usage } : {}), ...runId() })
    return stop
  }

  // ── loops ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function loop(): void {
    const maxIterations = random.int(1, 2)
    const pre = random.some(0, 1, () => 'build')
    const phases = random.some(1, 2, (index) => ['code_review', 'fix ü'][index]!)
    const put = (name: string, fields: Rec): void => void records.push({ event: name, ...runId(), ...fields, ts: now() })
    put('avenor.loop.start', { max_iterations: maxIterations, pre_phase_count: pre.length, loop_phase_count: phases.length })
    const planned = [
      ...pre.map((phase) => ({ phase, iteration: 0, kind: 'pre' })),
      ...Array.from({ length: maxIterations }, (_, index) => phases.map((phase) => ({ phase, iteration: index + 1, kind: 'loop' }))).flat(),
    ]
    let exit: string = 'max_iterations'
    let label: Rec = {}
    let completed = 0
    for (const { phase, iteration, kind } of planned) {
      put('avenor.phase.start', { phase, iteration, kind })
      let stop = session(`ses_${random.hex(8)}`)
      for (let attempt = 1; stop === 'error' && attempt <= 2; attempt++) {
        put('avenor.retry', { attempt, max_retries: 2 })
        stop = session(`ses_${random.hex(8)}`)
      }
      const marker = random.chance(0.2) ? random.pick(['exit', 'abort']) : undefined
      const markerLabel = random.chance(0.5) ? textOf(random) : undefined
      const marked =
        marker === undefined
          ? {}
          : { [`${marker}_marker`]: true, ...(markerLabel === undefined ? {} : { [`${marker}_marker_label`]: markerLabel }) }
      put('avenor.phase.end', { phase, iteration, stop_reason: stop, ...marked })
      if (marker === 'abort' || (marker === 'exit' && kind === 'loop')) {
        exit = marker
        label = markerLabel === undefined ? {} : { exit_label: markerLabel }
        break
      }
      if (stop !== 'end_turn') {
        exit = stop === 'timeout' || stop === 'cancelled' ? stop : 'phase_failure'
        break
      }
      if (kind === 'loop' && phase === phases.at(-1)) completed = iteration
    }
    put('avenor.loop.end', { exit_reason: exit, ...label, iterations_completed: completed })
  }

  if (random.chance(0.35)) loop()
  else {
    const id = `ses_${random.hex(8)}`
    const stop = session(id)
    // A single run tries again in the same session.
    if (stop === 'error' && random.chance(0.6)) {
      records.push({ event: 'avenor.retry', session_id: id, ...run, attempt: 1, max_retries: 1, ts: now() })
      session(id)
    }
  }
  return records
}
