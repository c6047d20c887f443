// Legal streams of Gemini CLI, after its recordings: a run on stdout, the one object of a run, or a chat file, old or new.
import type { Rec } from '../base/json.ts'
import { geminiChat } from './gemini-chat.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { clockOf, piecesOf, textOf, toolOf, valueOf } from './words.ts'

const model = 'gemini-2.5-flash'

export function geminiSession(random: Random, plan: Plan): Rec[] {
  const now = clockOf(random)
  const time = (): string => new Date(now()).toISOString()
  const dice = random.next()
  if (dice < 0.1) return [output(random, plan)]
  return dice < 0.5 ? geminiChat(random, plan, time) : run(random, plan, time)
}

// ── events on stdout ─────────────────────────────────────────────────────────────────────────────────────────────────────

function run(random: Random, { turns, deltas, tools, failures, extras }: Plan, time: () => string): Rec[] {
  const event = (type: string, fields: Rec): Rec => ({ type, timestamp: time(), ...fields })
  const records: Rec[] = []

  function say(): void {
    const text = textOf(random)
    const pieces = deltas ? piecesOf(text, random) : [text]
    for (const piece of pieces) records.push(event('message', { role: 'assistant', content: piece, delta: true }))
  }

  function call(): Rec[] {
    const { name, input } = toolOf(random, true)
    const tool_id = `${name}__${name}_${random.int(1e6, 1e9)}_${random.hex(4)}`
    const message = textOf(random)
    const fails = failures && random.chance(0.3)
    const type = random.pick(['file_not_found', 'policy_violation', 'tool_not_registered'])
    const output = random.pick([{ output: textOf(random) }, { output: '' }, { output: 'Command exited with code: 3' }, {}])
    const end = fails ? { status: 'error', output: message, error: { type, message } } : { status: 'success', ...output }
    return [event('tool_use', { tool_name: name, tool_id, parameters: input }), event('tool_result', { tool_id, ...end })]
  }

  const counts = (): Rec => {
    const [input, output, cached, thoughts] = [random.int(0, 9000), random.int(0, 900), random.int(0, 5000), random.int(0, 50)]
    const input_tokens = input + cached
    return { total_tokens: input_tokens + output + thoughts, input_tokens, output_tokens: output, cached, input }
  }

  records.push(event('init', { session_id: random.uuid(), model }))
  if (extras && random.chance(0.2)) records.push(event('error', { severity: 'warning', message: textOf(random) }))
  records.push(event('message', { role: 'user', content: random.chance(0.95) ? textOf(random) : '' }))
  for (let step = tools ? random.int(0, turns + 1) : 0; step > 0; step--) {
    if (random.chance(0.5)) say()
    const calls = random.some(1, 3, call)
    records.push(...(random.chance(0.5) ? interleaved(calls, random) : calls.flat()))
  }
  const fails = failures && random.chance(0.5)
  if (!fails || random.chance(0.3)) say()
  const stats = { ...counts(), duration_ms: random.int(0, 9e4), tool_calls: 0, models: { [model]: counts() } }
  if (!fails) return [...records, event('result', { status: 'success', stats })]
  const trouble = random.pick(['loop', 'limit', 'blocked', 'stream', 'api', 'cut'])
  if (trouble === 'loop') records.push(event('error', { severity: 'warning', message: 'Loop detected, stopping execution' }))
  if (trouble === 'limit') records.push(event('error', { severity: 'error', message: 'Maximum session turns exceeded' }))
  if (trouble === 'blocked') records.push(event('error', { severity: 'warning', message: `Agent execution blocked: ${textOf(random)}` }))
  if (trouble === 'stream') records.push(event('error', { severity: 'error', message: textOf(random) }))
  if (tools && trouble === 'cut') records.push(call()[0]!) // a call that nobody waited for
  const error = random.pick([
    { type: 'FatalTurnLimitedError', message: 'Reached max session turns for this session.' },
    { type: 'unknown', message: '[API Error: {"error":{"code":429,"message":"Quota"}}]' },
    { type: 'Error', message: textOf(random) },
  ])
  const end = trouble === 'api' || trouble === 'cut' ? { status: 'error', error } : { status: trouble === 'stream' ? 'error' : 'success' }
  return [...records, event('result', { ...end, stats })]
}

// ── the one object ───────────────────────────────────────────────────────────────────────────────────────────────────────

function output(random: Random, { failures, extras }: Plan): Rec {
  const session_id = random.uuid()
  if (failures && random.chance(0.3)) {
    const code = random.pick([53, 400, 401, '429'])
    return {
      session_id,
      error: { type: random.pick(['FatalTurnLimitedError', 'FatalInputError', 'Error']), message: textOf(random), code },
    }
  }
  const [input, cached] = [random.int(0, 9000), random.int(0, 5000)]
  const tokens = { input, prompt: input + cached, candidates: random.int(0, 900), cached, thoughts: random.int(0, 50), tool: 0 }
  const api = { totalRequests: random.int(1, 9), totalErrors: 0, totalLatencyMs: random.int(0, 9e4) }
  const stats = { models: { [model]: { api, tokens } }, tools: valueOf(random), files: { totalLinesAdded: 0, totalLinesRemoved: 0 } }
  const warnings = random.some(0, 2, () => random.pick(['Loop detected, stopping execution', textOf(random)]))
  return { session_id, response: random.chance(0.9) ? textOf(random) : '', stats, ...(extras ? { warnings } : {}) }
}
