// The numbers of a message_complete: nothing below zero, and a context that fits its tokens.
import { doubleOf, isRecord } from '../../base/json.ts'
import type { Wire } from './wire.ts'

export function checkNumbers(
  { tokens, cost, context }: Wire<'message_complete'>,
  breaks: (code: 'counts' | 'context', text: string) => void,
): void {
  const price = isRecord(cost) ? [cost.input, cost.output, cost.cache?.read, cost.cache?.write] : [doubleOf(cost)]
  const amounts = [tokens?.input, tokens?.output, tokens?.reasoning, tokens?.cache?.read, tokens?.cache?.write, ...price]
  if (amounts.some((amount) => amount !== undefined && amount < 0)) breaks('counts', 'message_complete has a negative number')
  if (context === null || context === undefined) return
  const { used, limit, ratio } = context
  const sum = (tokens?.input ?? 0) + (tokens?.cache?.read ?? 0) + (tokens?.cache?.write ?? 0)
  if (tokens !== null && tokens !== undefined && used !== sum) breaks('context', `context.used is ${used}, the tokens say ${sum}`)
  if (!(limit > 0)) breaks('context', `context.limit is ${limit}`)
  else if (ratio !== undefined && Math.abs(ratio - used / limit) > 1e-4)
    breaks('context', `context.ratio is ${ratio}, not ${used}/${limit}`)
}
