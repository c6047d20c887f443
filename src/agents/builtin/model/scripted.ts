// The scripted model in process: what a provider's package is to a real model. It fails and breaks off as the script says, in the
// providers' way, so that the same code has to deal with it.
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { setTimeout as sleep } from 'node:timers/promises'
import { scriptProvider } from '../../../model/scripted.ts'
import { type Answer, createEngine, type Part, piecesOf } from '../../../script/engine.ts'
import { conversationOf } from '../../../script/face.ts'
import type { Conversation, Finish, Script, Usage } from '../../../script/script.ts'
import { apiError, brokenOff } from './failure.ts'

/** What the stream is given at a time, when nothing has to be waited for. */
const batch = 256

/** `name`: what the model is called when the script names none. */
export function createScripted(script: Script, name: string): LanguageModelV4 {
  const next = createEngine(script)
  const slash = script.model?.indexOf('/') ?? -1
  const modelId = script.model?.slice(slash + 1) ?? name

  function answerTo(options: LanguageModelV4CallOptions): Answer {
    options.abortSignal?.throwIfAborted()
    const { answer, failure } = next(factsOf(options, modelId))
    if (answer !== undefined) return answer
    const { status, message, retryAfter } = failure
    const headers = retryAfter === undefined ? {} : { 'retry-after-ms': String(retryAfter) }
    throw apiError(status, message, headers)
  }

  return {
    specificationVersion: 'v4',
    provider: scriptProvider,
    modelId,
    supportedUrls: {},
    async doStream(options) {
      return { stream: streamOf(answerTo(options), modelId, options.abortSignal) }
    },
    async doGenerate(options) {
      const answer = answerTo(options)
      if (answer.delay > 0)
        for (const part of partsOf(answer, modelId)) if (isPaced(part)) await sleep(answer.delay, undefined, signalIn(options.abortSignal))
      if (answer.cut) throw brokenOff()
      return {
        content: answer.parts.map(contentOf),
        finishReason: finishes[answer.finish],
        usage: usageOf(answer.usage),
        response: { modelId },
        warnings: [],
      }
    },
  }
}

/** As the faces of the server read a request. */
function factsOf({ prompt, tools }: LanguageModelV4CallOptions, model: string): Conversation {
  const messages = prompt.map((message) => ({ from: froms[message.role], text: textOf(message) }))
  const facts = conversationOf(messages, '', { tools }, model)
  return { ...facts, answers: facts.answers + answersLeftOut(prompt), agent: 'sluice' }
}

const froms = { system: 'system', user: 'user', assistant: 'model', tool: 'tool' } as const

const textOf = ({ content }: LanguageModelV4Prompt[number]): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' && part.providerOptions?.['sluice'] === undefined ? part.text : [])).join('\n')

/** A trimmed conversation says how many answers it once held, so that a script goes on where it was. */
function answersLeftOut(prompt: LanguageModelV4Prompt): number {
  let answers = 0
  for (const { role, content } of prompt)
    if (role === 'user')
      for (const part of content) {
        const count = part.providerOptions?.['sluice']?.['answers']
        if (typeof count === 'number') answers += count
      }
  return answers
}

function streamOf(answer: Answer, modelId: string, signal: AbortSignal | undefined): ReadableStream<LanguageModelV4StreamPart> {
  const parts = partsOf(answer, modelId)
  let left = answer.cut ? countOf(partsOf(answer, modelId)) >> 1 : Infinity
  return new ReadableStream({
    async pull(controller) {
      for (let count = 0; count < batch; count++) {
        signal?.throwIfAborted()
        if (left === 0 && count > 0) return // what was given must arrive before the error that takes it back
        if (left-- === 0) throw brokenOff()
        const { done, value } = parts.next()
        if (done) return controller.close()
        if (answer.delay > 0 && isPaced(value)) await sleep(answer.delay, undefined, signalIn(signal))
        controller.enqueue(value)
        if (answer.delay > 0) return
      }
    },
  })
}

const signalIn = (signal: AbortSignal | undefined): { signal?: AbortSignal } => (signal === undefined ? {} : { signal })

const isPaced = ({ type }: LanguageModelV4StreamPart): boolean =>
  type === 'text-delta' || type === 'reasoning-delta' || type === 'tool-input-delta'

function* partsOf(answer: Answer, modelId: string): Generator<LanguageModelV4StreamPart, undefined> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'response-metadata', id: `script_${answer.serial}`, modelId }
  for (const [index, part] of answer.parts.entries()) {
    const pieces = piecesOf(part, answer.chunk)
    const id = part.type === 'tool' ? part.id : String(index)
    if (part.type === 'tool') {
      yield { type: 'tool-input-start', id, toolName: part.name }
      for (const delta of pieces) yield { type: 'tool-input-delta', id, delta }
      yield { type: 'tool-input-end', id }
      yield callOf(part)
    } else {
      const type = part.type === 'think' ? 'reasoning' : 'text'
      yield { type: `${type}-start`, id }
      for (const delta of pieces) yield type === 'text' ? { type: 'text-delta', id, delta } : { type: 'reasoning-delta', id, delta }
      yield { type: `${type}-end`, id }
    }
  }
  yield { type: 'finish', finishReason: finishes[answer.finish], usage: usageOf(answer.usage) }
}

const contentOf = (part: Part): LanguageModelV4Content =>
  part.type === 'tool' ? callOf(part) : { type: part.type === 'think' ? 'reasoning' : 'text', text: part.text }

const callOf = ({ id, name, json }: Extract<Part, { type: 'tool' }>) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: name,
  input: json,
})

const finishes: Record<Finish, LanguageModelV4FinishReason> = {
  stop: { unified: 'stop', raw: 'stop' },
  'tool-calls': { unified: 'tool-calls', raw: 'tool-calls' },
  length: { unified: 'length', raw: 'length' },
  refusal: { unified: 'content-filter', raw: 'refusal' },
}

const usageOf = ({ input, output, reasoning, cacheRead, cacheWrite }: Usage): LanguageModelV4Usage => ({
  inputTokens: { total: input + cacheRead + cacheWrite, noCache: input, cacheRead, cacheWrite },
  outputTokens: { total: output + reasoning, text: output, reasoning },
})

function countOf(items: Iterable<unknown>): number {
  let count = 0
  for (const _ of items) count++
  return count
}
