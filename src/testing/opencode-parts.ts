// What opencode's run and server have in common: ids, parts of a message, how calls and sessions fail.
import type { Rec } from '../base/json.ts'
import type { Random } from './random.ts'
import { objectOf, textOf, toolOf } from './words.ts'

/** Ids begin with the time, modulo 2^36 ms, and a counter. */
export const idOf = (prefix: string, now: number, random: Random): string =>
  `${prefix}_${((now % 2 ** 36) * 4096 + random.int(1, 4095)).toString(16).padStart(12, '0')}${random.hex(14)}`

export const tokensOf = (random: Random): Rec => {
  const [input, output, reasoning] = [random.int(0, 5000), random.int(0, 900), random.int(0, 300)]
  const cache = { read: random.int(0, 90_000), write: random.int(0, 4000) }
  const total = input + output + reasoning + cache.read + cache.write
  return { ...(random.chance(0.8) ? { total } : {}), input, output, reasoning, cache }
}

export const stepFinish = (reason: string, random: Random): Rec => ({
  reason,
  tokens: tokensOf(random),
  cost: random.int(0, 1e6) / 1e9,
})

const rejected = 'The user rejected permission to use this specific tool call.'

/** The last state of a call. `refused`: somebody was asked and said no. */
export function endState(
  { name, input }: { name: string; input: unknown },
  start: number,
  failures: boolean,
  refused: boolean,
  random: Random,
): Rec {
  const time = { start, end: start + random.int(0, 5000) }
  const failed = failures && random.chance(0.3)
  if (refused) return { status: 'error', input, error: rejected, time }
  if (failed)
    return {
      status: 'error',
      input,
      error: random.pick([textOf(random), 'Tool execution aborted', 'The user has specified a rule which prevents you from using this']),
      time,
    }
  const exit = name === 'bash' ? { exit: random.pick([0, 0, 3, 127, null]), output: textOf(random) } : objectOf(random, 1)
  return {
    status: 'completed',
    input,
    output: textOf(random),
    metadata: { truncated: false, ...exit },
    title: textOf(random),
    time,
    ...(random.chance(0.1) ? { attachments: [{ type: 'file', mime: 'image/png', url: 'data:image/png;base64,AA==' }] } : {}),
  }
}

/** A call, now and then one that the program cannot make. */
export function callOf(random: Random, failures: boolean): { name: string; input: unknown } {
  if (!failures || !random.chance(0.15)) return toolOf(random, true)
  const tool = random.pick(['write', 'no_such_tool'])
  return {
    name: 'invalid',
    input: { tool, error: `Model tried to call unavailable tool '${tool}'. Available tools: bash, invalid, read.` },
  }
}

export const contextError = { name: 'ContextOverflowError', data: { message: 'too long', responseBody: '{}' } }
export const abortError = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
export const errorOf = (random: Random): Rec =>
  random.pick([
    { name: 'UnknownError', data: { message: textOf(random), ref: 'err_1' } },
    { name: 'APIError', data: { message: 'scripted 429', statusCode: 429, isRetryable: true, responseHeaders: {}, responseBody: '{}' } },
    { name: 'ProviderAuthError', data: { providerID: 'mock', message: 'no key' } },
    { name: 'MessageOutputLengthError', data: {} },
  ])
