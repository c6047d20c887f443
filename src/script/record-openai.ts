// Reads what both APIs of OpenAI count: the cache is a part of the input, thoughts are a part of the output.
import type { Rec } from '../base/json.ts'
import { countIn } from './record-answer.ts'
import type { Usage } from './script.ts'

export function usageIn(input: number, inputDetails: Rec, output: number, outputDetails: Rec): Usage {
  const reasoning = countIn(outputDetails, 'reasoning_tokens')
  const cacheRead = countIn(inputDetails, 'cached_tokens')
  const cacheWrite = countIn(inputDetails, 'cache_write_tokens')
  return { input: Math.max(0, input - cacheRead - cacheWrite), output: Math.max(0, output - reasoning), reasoning, cacheRead, cacheWrite }
}
