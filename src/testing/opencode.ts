// Legal opencode streams, after its recordings and the types of its client: what a run prints, or what a server tells.
import type { Rec } from '../base/json.ts'
import { callOf, contextError, endState, errorOf, idOf, stepFinish } from './opencode-parts.ts'
import { serverSession } from './opencode-serve.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'
import { clockOf, textOf } from './words.ts'

export const opencodeSession = (random: Random, plan: Plan): Rec[] =>
  random.chance(0.6) ? serverSession(random, plan) : runSession(random, plan)

/** A run prints each part when it has ended, and no end of its own. */
function runSession(random: Random, { turns, tools, failures, extras }: Plan): Rec[] {
  const now = clockOf(random)
  const records: Rec[] = []
  const sessionID = idOf('ses', now(), random)
  let messageID = ''
  const put = (type: string, fields: Rec): void => void records.push({ type, timestamp: now(), sessionID, ...fields })
  const part = (type: string, tag: string, fields: Rec): void =>
    put(type, { part: { id: idOf('prt', now(), random), messageID, sessionID, type: tag, ...fields } })
  const time = (): Rec => ({ start: now(), end: now() })

  function call(refused: boolean): void {
    const made = callOf(random, failures && !refused)
    part('tool_use', 'tool', {
      tool: made.name,
      callID: `call_${random.hex(8)}`,
      state: endState(made, now(), failures, refused, random),
    })
  }

  function step(reason: string, refused = false): void {
    messageID = idOf('msg', now(), random)
    const snapshot = extras && random.chance(0.3) ? { snapshot: random.hex(40) } : {}
    part('step_start', 'step-start', snapshot)
    if (random.chance(0.3)) part('reasoning', 'reasoning', { text: textOf(random), time: time() })
    if (reason !== 'tool-calls' || random.chance(0.5)) part('text', 'text', { text: textOf(random), time: time() })
    if (reason === 'tool-calls') for (let calls = random.int(1, 3); calls > 0; calls--) call(refused && calls === 1)
    part('step_finish', 'step-finish', { ...stepFinish(reason, random), ...snapshot })
  }

  /** The context was full: a summary, and the program tells itself to go on. */
  function compaction(): void {
    put('error', { error: contextError })
    step('stop')
    messageID = idOf('msg', now(), random)
    part('text', 'text', { metadata: { compaction_continue: true }, synthetic: true, text: textOf(random), time: time() })
  }

  for (let turn = 1; turn <= turns; turn++) {
    if (failures && random.chance(0.2)) compaction()
    if (tools) step('tool-calls')
  }
  const end = failures ? random.int(0, 3) : 3
  if (end === 0) put('error', { error: errorOf(random) })
  else if (end === 1 && tools) step('tool-calls', true)
  else step(random.chance(0.8) ? 'stop' : random.pick(['length', 'content-filter', 'other']))
  return records
}
