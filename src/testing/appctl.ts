// Legal appctl streams, after its AgentEvent document: user_prompt … done, turn after turn.
import type { Rec } from '../base/json.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { piecesOf, textOf, toolOf, valueOf } from './words.ts'

export function appctlSession(random: Random, { turns, deltas, tools, failures }: Plan): Rec[] {
  const records: Rec[] = []
  const put = (kind: string, fields: Rec = {}): void => void records.push({ kind, ...fields })
  const overHttp = random.chance(0.4)
  const sessionId = random.uuid()
  let transcript = 0

  /** The whole comes last; a thought's whole may come after the answer has begun. */
  function say(kind: 'assistant' | 'assistant_thought'): Rec[] {
    const text = textOf(random)
    const parts: Rec[] = deltas ? piecesOf(text, random).map((piece) => ({ kind: `${kind}_delta`, text: piece })) : []
    return [...parts, { kind: kind === 'assistant' ? 'assistant_message' : kind, text }]
  }

  function speak(): void {
    const thought = random.chance(0.4) ? say('assistant_thought') : []
    const answer = say('assistant')
    const late = thought.length > 1 && answer.length > 1 && random.chance(0.3)
    records.push(...(late ? [...thought.slice(0, -1), ...answer.slice(0, -1), thought.at(-1)!, answer.at(-1)!] : [...thought, ...answer]))
  }

  /** One call from start to result, in the three ways a gate may show. */
  function call(id: string): Rec[] {
    const { name, input } = toolOf(random)
    const start = { kind: 'tool_call', id, name, arguments: random.chance(0.9) ? input : valueOf(random) }
    const ok = !failures || random.chance(0.7)
    const end = { kind: 'tool_result', id, result: valueOf(random), status: ok ? 'ok' : 'error', duration_ms: random.int(0, 90_000) }
    const gate = random.int(0, 3)
    if (gate === 0) return [{ kind: 'awaiting_input' }, start, end]
    if (gate === 1) return [start, { kind: 'awaiting_input', id, name, arguments: input }, end]
    return [start, end]
  }

  /** Ids are the provider's; a provider without ids gives the word "tool" to each. */
  function callTools(): void {
    const named = random.chance(0.85)
    const calls = random.some(1, 3, () => call(named ? `call_${random.hex(8)}` : 'tool'))
    records.push(...(named && random.chance(0.5) ? interleaved(calls, random) : calls.flat()))
  }

  for (let turn = 0; turn < turns; turn++) {
    put('user_prompt', { text: random.chance(0.95) ? textOf(random) : '' })
    if (overHttp) put('session_state', { session_id: sessionId, transcript_len: transcript, resumed: transcript > 0 })
    if (random.chance(0.2)) put('context_notice', { message: `Trimmed ${random.int(1, 9)} older message(s) from model context.` })
    for (let step = tools ? random.int(0, 3) : 0; step > 0; step--) {
      if (random.chance(0.5)) speak()
      callTools()
    }
    transcript += 2
    if (failures && random.chance(0.3)) {
      if (tools && random.chance(0.5)) records.push(...call(`call_${random.hex(8)}`).slice(0, 1)) // the loop errs before the result
      put('error', { message: random.pick(['max iterations reached', 'connection error: ECONNRESET', textOf(random)]) })
    } else speak()
    put('done')
  }
  return records
}
