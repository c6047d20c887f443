// A conversation in pieces that are never taken apart: what the user said, or what the model said with the results of its calls.
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { EventOf } from '../../../model/event.ts'
import { type CallPart, type SpokenPart, toolMessage, type UserMessage } from './message.ts'
import { tokensIn } from './size.ts'

export type Exchange = Question | Answer
type Question = { from: 'user'; message: UserMessage }
export type Answer = { from: 'model'; id: string | undefined; parts: AnswerPart[]; ends: Map<string, EventOf<'tool.end'>> }
export type AnswerPart = { block: number | undefined; part: SpokenPart | CallPart }

/** What was left out: how many answers, and what stands for them. */
export type Left = { answers: number; summary: string | undefined }

/** What a conversation has to fit in. */
export type Room = { maxTokens?: number; maxMessages?: number }

export const callsIn = (answer: Answer | undefined): CallPart[] =>
  answer === undefined ? [] : answer.parts.flatMap(({ part }) => (part.type === 'tool-call' ? part : []))

export function messagesOf(exchange: Exchange): LanguageModelV4Prompt {
  if (exchange.from === 'user') return [exchange.message]
  const content = exchange.parts.map(({ part }) => (part.type === 'tool-call' ? { ...part, input: part.input ?? {} } : part))
  // Thoughts that led to nothing are refused by some providers.
  if (content.every(({ type }) => type === 'reasoning')) return []
  const calls = callsIn(exchange)
  return [{ role: 'assistant', content }, ...(calls.length === 0 ? [] : [toolMessage(calls, exchange.ends)])]
}

export function promptOf(exchanges: readonly Exchange[], left: Left | undefined): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = []
  for (const message of exchanges.flatMap(messagesOf)) {
    const last = prompt.at(-1)
    // An answer that was broken off and went on is one answer.
    if (message.role === 'assistant' && last?.role === 'assistant')
      prompt[prompt.length - 1] = { ...last, content: [...last.content, ...message.content] }
    else prompt.push(message)
  }
  if (left === undefined) return prompt
  const first = prompt[0]
  const content = first?.role === 'user' ? first.content : []
  return [{ role: 'user', content: [...content, noteOf(left)] }, ...(first?.role === 'user' ? prompt.slice(1) : prompt)]
}

/** The number is for scripts, which go by the number of answers; no provider looks at it. */
const noteOf = ({ answers, summary }: Left) => ({
  type: 'text' as const,
  text:
    summary === undefined
      ? '[The messages that followed were left out to save room.]'
      : `[The messages that followed were left out to save room. What they said, in short:]\n${summary}`,
  providerOptions: { sluice: { answers } },
})

/** The first exchanges that hold at most so many messages, but for the first and the last prompt: the task is never forgotten. */
export function leadingIn(exchanges: readonly Exchange[], most: number): Set<Exchange> {
  const leading = new Set<Exchange>()
  let room = most
  for (const exchange of droppableIn(exchanges)) {
    room -= messagesOf(exchange).length
    if (room < 0) break
    leading.add(exchange)
  }
  return leading
}

function droppableIn(exchanges: readonly Exchange[]): Exchange[] {
  const isQuestion = ({ from }: Exchange): boolean => from === 'user'
  const first = exchanges.find(isQuestion)
  const last = exchanges.findLast(isQuestion)
  return exchanges.filter((exchange) => exchange !== first && exchange !== last)
}

/** How many messages to drop; the newest answer stays. `overhead`: tokens that no message takes. */
export function planTrim(exchanges: readonly Exchange[], { maxTokens = Infinity, maxMessages = Infinity }: Room, overhead: number): number {
  const newest = exchanges.findLast(({ from }) => from === 'model')
  const all = exchanges.flatMap(messagesOf)
  let size = overhead + tokensIn(all)
  let count = all.length
  let dropped = 0
  for (const exchange of droppableIn(exchanges)) {
    if ((size <= maxTokens && count <= maxMessages) || exchange === newest) break
    const gone = messagesOf(exchange)
    size -= tokensIn(gone)
    count -= gone.length
    dropped += gone.length
  }
  return dropped
}
