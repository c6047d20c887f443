// What Copilot CLI says in its own name: it puts notes and failures into the answer, as if the model had said them, and then ends its turn
// as if all were well. Each comes as a piece of its own.
import { type Fault, type Payload } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import type { Aside } from '../acp/live.ts'
import type { Judge } from '../acp/turn.ts'

/** A new reader for each session. */
export function copilotAsides(): (text: string, turn: number) => Aside | undefined {
  let retries = { turn: 0, count: 0 }
  return (text, turn) => {
    const [, sort, words = ''] = /^(Info|Warning|Error): (.+)$/s.exec(text) ?? []
    if (sort === undefined) return undefined
    if (retries.turn !== turn) retries = { turn, count: 0 }
    if (sort === 'Error') return { kind: 'error', payload: { scope: 'turn', fatal: true, error: faultIn(words), source: 'copilot' } }
    if (/\bcompacting\b/i.test(words)) return { kind: 'context.trim', payload: { why: 'compact', trigger: 'auto' } }
    if (/\bretrying\b/i.test(words)) return { kind: 'retry.start', payload: retry(++retries.count, words) }
    return { kind: 'notice', payload: { level: sort === 'Info' ? 'info' : 'warn', code: 'copilot', text: words } }
  }
}

const retry = (attempt: number, words: string): Payload<'retry.start'> => ({ scope: 'model', attempt, error: faultOf(words) })

/** `… (HTTP 401) …`, `… Last error: 500 broken` */
function faultIn(words: string): Fault {
  const http = /\(HTTP ([45]\d\d)\)|Last error: ([45]\d\d)\b/.exec(words)
  const status = http?.[1] ?? http?.[2]
  if (status !== undefined) return faultOf(words, { http: Number(status) })
  if (/\b(prompt|context)\b.*\btoo (long|large)\b|context limit/i.test(words)) return faultOf(words, { category: 'context' })
  if (/unexpected EOF|connection|network/i.test(words)) return faultOf(words, { category: 'network' })
  return faultOf(words)
}

/** Where nothing was said after its failure, the turn has failed. */
export const judgeCopilot: Judge = ({ reason }, { fault }) =>
  reason === 'end_turn' && fault !== undefined ? { reason: 'error', error: fault } : undefined
