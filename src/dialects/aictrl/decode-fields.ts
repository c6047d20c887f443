// Parts of aictrl records as parts of events: tokens, cost, context, times, and what an error or a failed tool says.
import { doubleOf, isRecord, type Rec } from '../../base/json.ts'
import type { Context, Cost, Fault, Payload, Usage } from '../../model/event.ts'
import { codeText, faultOf } from '../../model/fault.ts'
import type { ToolStatus } from '../../model/vocabulary.ts'
import { addUsage, totalTokens } from '../../model/usage.ts'
import { textOf } from '../contract.ts'
import type { Step } from './decode-state.ts'
import type { Wire } from './wire.ts'
import { categoryOfName, finishOf, isFinishWord } from './words.ts'

/** The document's example has part times in seconds; the program writes milliseconds. */
export const millisOf = (time: number | undefined): number | undefined => (time !== undefined && time < 1e11 ? time * 1000 : time)

/**
 * Five buckets that do not overlap. Some providers' reasoning sits in `output` as well, and an old one's cache in `input`:
 * a `total` shows it, and then the smaller bucket is taken out of the larger.
 */
export function usageOf(tokens: Wire<'message_complete'>['tokens']): Usage | undefined {
  if (tokens === undefined || tokens === null) return undefined
  const { total, cache } = tokens
  const input = count(tokens.input)
  const output = count(tokens.output)
  const reasoning = count(tokens.reasoning)
  const cacheRead = count(cache?.read)
  const cacheWrite = count(cache?.write)
  if (total === undefined || input === undefined || output === undefined) return { input, output, reasoning, cacheRead, cacheWrite }
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
  const thought = reasoning ?? 0
  const inside = total !== input + output + cached + thought
  const cacheInside = inside && total === input + output && cached <= input
  const thoughtInside = inside && (cacheInside || total === input + output + cached) && thought <= output
  return {
    input: cacheInside ? input - cached : input,
    output: thoughtInside ? output - thought : output,
    reasoning,
    cacheRead,
    cacheWrite,
  }
}

export function costOf(cost: Wire<'message_complete'>['cost']): Cost | undefined {
  if (cost === undefined || cost === null) return undefined
  if (!isRecord(cost)) {
    const usd = doubleOf(cost)
    return usd === undefined ? undefined : { usd, by: 'source' }
  }
  const parts = { input: cost.input, output: cost.output, cacheRead: cost.cache?.read, cacheWrite: cost.cache?.write }
  return {
    usd: (parts.input ?? 0) + (parts.output ?? 0) + (parts.cacheRead ?? 0) + (parts.cacheWrite ?? 0),
    parts,
    by: 'source',
  }
}

/** What a step says of its message. All zero is no report: so the program writes what the provider has not told. */
export function stepOf({ id, messageID: message, reason, tokens, cost }: Wire<'step_finish'>['part']): Step | undefined {
  const told = usageOf(tokens)
  const usage = told !== undefined && totalTokens(told) > 0 ? told : undefined
  const price = costOf(cost)
  const finish = typeof reason === 'string' ? finishOf(reason) : undefined
  if (usage === undefined && !price?.usd && finish === undefined) return undefined
  const ext = typeof reason === 'string' && !isFinishWord(reason) ? { aictrl: { part: { reason } } } : undefined
  return { id, message, finish, usage, cost: usage === undefined && price?.usd === 0 ? undefined : price, ext }
}

/** Two steps of one message; a part that is told again is one. */
export function bothSteps(one: Step | undefined, other: Step): Step {
  if (one === undefined || (one.id !== undefined && one.id === other.id)) return other
  const usage = one.usage && other.usage ? addUsage(one.usage, other.usage) : (one.usage ?? other.usage)
  const usd = (one.cost?.usd ?? 0) + (other.cost?.usd ?? 0)
  return { ...other, usage, cost: one.cost && other.cost ? { usd, by: 'source' } : (one.cost ?? other.cost) }
}

export function contextOf(context: Wire<'message_complete'>['context']): Context | undefined {
  const used = count(context?.used)
  return used === undefined ? undefined : { used, limit: count(context?.limit) }
}

const count = (value: number | undefined): number | undefined => (value !== undefined && value >= 0 ? Math.round(value) : undefined)

/** `error.error` has a name and data in every program we know, and may be anything in others. */
export function faultOfError(error: unknown): Fault {
  if (!isRecord(error)) return faultOf(textOf(error))
  const data = isRecord(error['data']) ? error['data'] : {}
  const name = typeof error['name'] === 'string' ? error['name'] : undefined
  const text = firstText(data['message'], error['message'], name) ?? textOf(error)
  const http = Number(codeText(data['statusCode'] ?? data['status'] ?? error['statusCode'] ?? error['status']))
  const retryable = data['isRetryable']
  return faultOf(text, {
    category: categoryOfName(name),
    code: name,
    http: Number.isInteger(http) && http >= 0 ? http : undefined,
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
  })
}

const firstText = (...values: unknown[]): string | undefined =>
  values.find((value) => typeof value === 'string' && value !== '') as string | undefined

/** How a call ended; `rejected` when its permission was. */
export function resultOf(
  { state, tool }: Wire<'tool_use'>['part'],
  rejected: boolean,
  startedAt: number | undefined,
  endedAt: number | undefined,
): Payload<'tool.end'> {
  const title = state.title ?? undefined
  const durationMs = startedAt === undefined || endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt)
  if (state.status === 'error') {
    const text = textOf(state.error ?? state.output ?? '')
    const status = rejected ? 'denied' : statusOfError(text)
    return { status, text, error: status === 'error' ? faultOf(text) : undefined, title, startedAt, endedAt, durationMs }
  }
  const { metadata, output, attachments } = state
  const shown = metadata?.['output']
  const exit = metadata?.['exit']
  return {
    // `invalid` takes the calls of unknown tools and of unreadable input.
    status: tool === 'invalid' ? 'error' : 'ok',
    text: output ?? (typeof shown === 'string' ? shown : undefined),
    content: attachments ?? undefined,
    // The document's form has the result nowhere else; beside an output it is a note.
    data: typeof output === 'string' ? undefined : (metadata ?? undefined),
    exitCode: Number.isSafeInteger(exit) ? (exit as number) : undefined,
    title,
    startedAt,
    endedAt,
    durationMs,
  }
}

/** What `metadata` says beside a result that stands elsewhere, and the event does not: kept, as unknown keys are. */
export function notesOf({ status, output, metadata }: Wire<'tool_use'>['part']['state']): Rec | undefined {
  const failed = status === 'error'
  if (!failed && typeof output !== 'string') return undefined
  let notes: Rec | undefined
  for (const key in metadata) {
    if (!failed && ((key === 'exit' && Number.isSafeInteger(metadata[key])) || (key === 'output' && metadata[key] === output))) continue
    notes ??= Object.create(null) as Rec // a key may be __proto__
    notes[key] = metadata[key]
  }
  return notes
}

/** The program has one word, `error`, for all calls that did not complete; its texts tell them apart. */
function statusOfError(text: string): Exclude<ToolStatus, 'ok'> {
  if (text === 'abandoned' || text === 'cancelled' || text === 'denied') return text
  const head = text.slice(0, 200)
  if (head.includes('rejected permission') || head.includes('specified a rule which prevents')) return 'denied'
  return head.includes('Tool execution aborted') ? 'cancelled' : 'error'
}
