// The Chat Completions API of OpenAI, as the many compatible servers speak it too: thoughts come as `reasoning_content`.
import { isRecord, type Rec } from '../base/json.ts'
import { type Answer, piecesOf } from './engine.ts'
import { callsIn, type Context, conversationOf, type Face, type Frame, listOf, saidIn, seconds, textOf } from './face.ts'
import { cachedIn, failure, inputOf, outputOf } from './openai.ts'
import type { Usage } from './script.ts'

const finishReasons = { stop: 'stop', 'tool-calls': 'tool_calls', length: 'length', refusal: 'content_filter' }
const roles = { assistant: 'model', system: 'system', developer: 'system', tool: 'tool', function: 'tool', user: 'user' } as const

export const chat: Face = {
  name: 'chat',
  path: /^\/chat\/completions$/,
  read(body) {
    const messages = listOf(body, 'messages').map(({ role, content }) => ({
      from: roles[role as keyof typeof roles] ?? 'user',
      text: textOf(content),
    }))
    return conversationOf(messages, '', body, body['model'])
  },
  isStream: ({ stream }) => stream === true,
  plain(answer, context) {
    const think = saidIn(answer, 'think')
    const calls = callsIn(answer).map(({ id, name, json }) => ({ id, type: 'function', function: { name, arguments: json } }))
    const message = {
      role: 'assistant',
      content: saidIn(answer, 'text') ?? null,
      refusal: null,
      ...(think !== undefined && { reasoning_content: think }),
      ...(calls.length > 0 && { tool_calls: calls }),
    }
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReasons[answer.finish] }
    return { ...headOf(answer, context, 'chat.completion'), choices: [choice], usage: usageOf(answer.usage) }
  },
  frames,
  failure,
}

const headOf = ({ serial }: Answer, { model, now }: Context, object: string): Rec => ({
  id: `chatcmpl-${serial}`,
  object,
  created: seconds(now),
  model,
})

const usageOf = (usage: Usage): Rec => ({
  prompt_tokens: inputOf(usage),
  completion_tokens: outputOf(usage),
  total_tokens: inputOf(usage) + outputOf(usage),
  prompt_tokens_details: cachedIn(usage),
  completion_tokens_details: { reasoning_tokens: usage.reasoning },
})

function* frames(answer: Answer, context: Context): Generator<Frame> {
  const options = context.body['stream_options']
  const wantsUsage = isRecord(options) && options['include_usage'] === true
  const head = { ...headOf(answer, context, 'chat.completion.chunk'), ...(wantsUsage && { usage: null }) }
  const frame = (delta: Rec, finish: string | null = null): Frame => ({
    data: { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] },
  })
  yield frame({ role: 'assistant', content: '' })
  let index = 0
  for (const part of answer.parts) {
    if (part.type === 'tool')
      yield frame({ tool_calls: [{ index, id: part.id, type: 'function', function: { name: part.name, arguments: '' } }] })
    for (const piece of piecesOf(part, answer.chunk)) {
      const delta =
        part.type === 'tool'
          ? { tool_calls: [{ index, function: { arguments: piece } }] }
          : { [part.type === 'think' ? 'reasoning_content' : 'content']: piece }
      yield { ...frame(delta), paced: true }
    }
    if (part.type === 'tool') index++
  }
  yield frame({}, finishReasons[answer.finish])
  if (wantsUsage) yield { data: { ...head, choices: [], usage: usageOf(answer.usage) } }
  yield { data: '[DONE]' }
}
