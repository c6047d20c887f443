// One call of a model. Parts are pushed as they come, synchronously, one after another; the promise says how it ended and never
// rejects. A failed call may have given parts already: whoever asks again withdraws them first.
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Fault, Usage } from '../../../model/event.ts'
import { type Blocks, createBlocks } from './blocks.ts'
import type { Chosen } from './chosen.ts'
import { brokenOff, failureOf } from './failure.ts'
import { type Finish, finishOf, usageOf } from './finish.ts'
import { type ModelPart, warningNotice } from './part.ts'

export type { ModelPart } from './part.ts'

export type ModelCall = {
  /** With the system message in front. */
  prompt: LanguageModelV4Prompt
  tools: readonly LanguageModelV4FunctionTool[]
  signal: AbortSignal
  onPart(part: ModelPart): void
  /** False: the answer is asked for in one piece, and there are no deltas. */
  stream?: boolean
  maxOutputTokens?: number
  /** Milliseconds since any moment. */
  now?: () => number
}

export type CallResult = {
  /** `cancelled`: the signal ended it; `error`: it failed; `cut`: it broke off half-way. The latter two come with `error`. */
  finish: Finish
  /** Absent buckets were not reported. */
  usage?: Usage
  /** As the answer names it. */
  model?: string
  /** Until the first part came. */
  ttftMs?: number
  error?: Fault
  /** How long the provider asks us to wait. */
  retryAfterMs?: number
}

type Progress = Omit<CallResult, 'finish'> & { finish?: Finish; hasCalls: boolean }

export async function callModel(chosen: Chosen, call: ModelCall): Promise<CallResult> {
  const { signal, now = () => performance.now() } = call
  const started = now()
  const progress: Progress = { hasCalls: false }
  const blocks = createBlocks((part) => {
    if (part.type !== 'notice') progress.ttftMs ??= now() - started
    if (part.type === 'tool.call') progress.hasCalls = true
    call.onPart(part)
  })
  try {
    signal.throwIfAborted()
    await (call.stream === false ? ask(chosen, call, blocks, progress) : listen(chosen, call, blocks, progress))
  } catch (error) {
    Object.assign(progress, signal.aborted ? { finish: 'cancelled' } : failureOf(error, progress.ttftMs !== undefined))
  }
  blocks.close()
  const { hasCalls: _hasCalls, finish = 'unknown', ...rest } = progress
  return { finish, ...rest }
}

/** Characters of one answer, of whatever kind: whoever sends more than this does not mean well, and it all has to be kept. */
const longestAnswer = 64 * 1024 * 1024

async function listen(chosen: Chosen, call: ModelCall, blocks: Blocks, progress: Progress): Promise<void> {
  let size = 0
  const { stream } = await chosen.model.doStream(optionsOf(chosen, call))
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      call.signal.throwIfAborted()
      if (value.type === 'error') throw value.error
      if ('delta' in value) size += value.delta.length
      else if (value.type === 'tool-call') size += value.input.length
      if (size > longestAnswer)
        throw Object.assign(new Error(`the answer of the model is longer than ${longestAnswer} characters`), { isRetryable: false })
      if (value.type === 'finish') end(value, progress)
      else if (value.type !== 'response-metadata') blocks.take(value)
      else if (value.modelId !== undefined) progress.model = value.modelId
    }
  } catch (error) {
    reader.cancel(error).catch(() => {}) // it has failed already
    throw error
  }
  if (progress.finish === undefined) throw brokenOff()
}

async function ask(chosen: Chosen, call: ModelCall, blocks: Blocks, progress: Progress): Promise<void> {
  const answer = await chosen.model.doGenerate(optionsOf(chosen, call))
  call.signal.throwIfAborted()
  if (answer.response?.modelId !== undefined) progress.model = answer.response.modelId
  for (const warning of answer.warnings) call.onPart(warningNotice(warning))
  for (const part of answer.content) blocks.takeWhole(part)
  end(answer, progress)
}

type End = { finishReason: Parameters<typeof finishOf>[0]; usage: Parameters<typeof usageOf>[0] }

function end({ finishReason, usage }: End, progress: Progress): void {
  const used = usageOf(usage)
  if (used !== undefined) progress.usage = used
  const finish = finishOf(finishReason, progress.hasCalls)
  if (finish === 'cut') throw brokenOff()
  if (finish === 'error') throw Object.assign(new Error(errorText(finishReason.raw)), { isRetryable: true })
  progress.finish = finish
}

const errorText = (raw: string | undefined): string => `the model ended its answer with an error${raw === undefined ? '' : `: ${raw}`}`

function optionsOf({ callOptions, prepare }: Chosen, { prompt, tools, signal, maxOutputTokens }: ModelCall): LanguageModelV4CallOptions {
  return {
    ...callOptions,
    prompt: prepare?.(prompt) ?? prompt,
    abortSignal: signal,
    ...(tools.length > 0 && { tools: [...tools], toolChoice: { type: 'auto' } }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  }
}
