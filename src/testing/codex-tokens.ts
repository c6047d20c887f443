// Tokens of a made-up Codex thread: told as the sum over its life. Cached tokens are part of the input.
import type { Rec } from '../base/json.ts'
import type { Random } from './random.ts'

type Counts = { input: number; cached: number; written: number; output: number; reasoning: number }

/** Each call of the function is one call of the model; `sum` is what the thread took so far. */
export function countTokens(random: Random): () => { last: Counts; sum: Counts } {
  const sum: Counts = { input: 0, cached: 0, written: 0, output: 0, reasoning: 0 }
  return () => {
    const [cached, written, reasoning] = [random.int(0, 5000), random.int(0, 200), random.int(0, 50)]
    const last: Counts = {
      input: cached + written + random.int(1, 900),
      cached,
      written,
      output: reasoning + random.int(1, 900),
      reasoning,
    }
    for (const key of Object.keys(sum) as (keyof Counts)[]) sum[key] += last[key]
    return { last, sum: { ...sum } }
  }
}

export const snakeTokens = ({ input, cached, written, output, reasoning }: Counts): Rec => ({
  input_tokens: input,
  cached_input_tokens: cached,
  cache_write_input_tokens: written,
  output_tokens: output,
  reasoning_output_tokens: reasoning,
  total_tokens: input + output,
})

export const camelTokens = ({ input, cached, written, output, reasoning }: Counts): Rec => ({
  totalTokens: input + output,
  inputTokens: input,
  cachedInputTokens: cached,
  cacheWriteInputTokens: written,
  outputTokens: output,
  reasoningOutputTokens: reasoning,
})
