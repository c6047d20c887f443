// The conversation as a fold over canonical events, the same for a running session and for one that is read back from its file.
//
// What it reads, of events whose `agent` is its lane (all else is passed over):
//
//   prompt.submit   state "sent": text, content [{type "text", text} | {type "file", mime, data (base64), path?}]  → user message
//   message.start   message: where the answer stands, should a prompt come in between
//   thought.end     message, block, text, ext.builtin.metadata                                                    → thought
//   text.end        message, block, text, ext.builtin.metadata                                                    → text
//   text.delta, thought.delta   message, block, text: stand in for an end that has no text; need not be pushed in a running session
//   tool.start      message, block, call, name, input, ext.builtin {metadata, bad}                                → call
//   tool.update     call, input: of a call that was started without
//   tool.end        call, status, text, content [{type "file", mime, data}], error.text                           → result
//   message.drop    message, fromBlock: withdraws the message's blocks from that one on
//   message.end     usage: how large the prompt really was
//   context.trim    ext.builtin {dropped?: messages, summary?: text}: as planTrim says; a summary stands for what was dropped, and for
//                   everything when `dropped` is absent
//
// `message` is required on what the model says, `call` on what tools do; parts of a message stand in the order of `block`. A call whose
// input could not be read has it as text in ext.builtin.bad. Calls hosted by the provider are none of ours. A message that holds neither
// text nor a call is left out, for providers refuse it; so is an empty prompt.
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Event, EventOf } from '../../../model/event.ts'
import {
  type Answer,
  type AnswerPart,
  callsIn,
  type Exchange,
  leadingIn,
  type Left,
  messagesOf,
  planTrim,
  promptOf,
  type Room,
} from './exchange.ts'
import { builtinIn, callPart, type SpokenPart, spokenPart, userMessage } from './message.ts'
import { tokensIn } from './size.ts'

export type Conversation = {
  push(event: Event): void
  /** Without a system message. Each call has exactly one result, "interrupted" when there is none yet. */
  messages(): LanguageModelV4Prompt
  /** About how many tokens the next request takes, the system message and the tools included once a request has told its size. */
  tokens(): number
  /**
   * How many messages to leave out so that what is left fits; 0 when it does already. The first and the last prompt stay, and so does
   * the newest answer with its results, even if that is too much. Say it in a context.trim and push that.
   */
  planTrim(room: Room): number
}

export function createConversation(lane?: string): Conversation {
  let exchanges: Exchange[] = []
  let left: Left | undefined
  /** Calls without a result yet. */
  const open = new Map<string, Answer>()
  /** Blocks that have not ended. */
  let drafts: Draft[] = []
  /** What a request takes beside its messages. */
  let overhead = 0

  function answerOf(id: string | undefined): Answer {
    const known = id === undefined ? exchanges.at(-1) : exchanges.findLast((exchange) => exchange.from === 'model' && exchange.id === id)
    if (known?.from === 'model') return known
    const answer: Answer = { from: 'model', id, parts: [], ends: new Map() }
    exchanges.push(answer)
    return answer
  }

  function say(event: EventOf<'text.end' | 'thought.end'>): void {
    const draft = drafts.find((one) => isOf(one, event))
    if (draft !== undefined) drafts = drafts.filter((one) => one !== draft)
    const part = spokenPart(typeOf(event), event.text ?? draft?.text ?? '', event)
    if (part !== undefined) insert(answerOf(event.message).parts, { block: event.block, part })
  }

  function startCall(event: EventOf<'tool.start'>): void {
    if (event.call === undefined || event.hostedBy === 'provider') return
    const answer = answerOf(event.message)
    if (callsIn(answer).some(({ toolCallId }) => toolCallId === event.call)) return
    insert(answer.parts, { block: event.block, part: callPart(event) })
    open.set(event.call, answer)
  }

  function drop({ message, fromBlock }: EventOf<'message.drop'>): void {
    const answer = exchanges.find((exchange) => exchange.from === 'model' && exchange.id === message) as Answer | undefined
    if (answer === undefined) return
    for (const { block = 0, part } of answer.parts) {
      if (block < fromBlock || part.type !== 'tool-call') continue
      answer.ends.delete(part.toolCallId)
      if (open.get(part.toolCallId) === answer) open.delete(part.toolCallId)
    }
    answer.parts = answer.parts.filter(({ block = 0 }) => block < fromBlock)
    drafts = drafts.filter((draft) => draft.message !== message)
  }

  function measure({ message, usage }: EventOf<'message.end'>): void {
    if (usage?.input === undefined) return
    const before = exchanges.filter((exchange) => exchange.from === 'user' || exchange.id !== message)
    const { input, cacheRead = 0, cacheWrite = 0 } = usage
    overhead = Math.max(0, input + cacheRead + cacheWrite - tokensIn(promptOf(before, left)))
  }

  function trim(event: EventOf<'context.trim'>): void {
    const { dropped, summary } = builtinIn(event)
    if (typeof dropped !== 'number' && typeof summary !== 'string') return
    const gone = leadingIn(exchanges, typeof dropped === 'number' ? dropped : Infinity)
    exchanges = exchanges.filter((exchange) => !gone.has(exchange))
    const answers = [...gone].filter((exchange) => exchange.from === 'model' && messagesOf(exchange).length > 0).length
    left = { answers: answers + (left?.answers ?? 0), summary: typeof summary === 'string' ? summary : left?.summary }
  }

  return {
    push(event) {
      if (event.agent !== lane) return
      switch (event.kind) {
        case 'text.delta':
        case 'thought.delta': {
          const draft = drafts.find((one) => isOf(one, event))
          if (draft === undefined) drafts.push({ type: typeOf(event), message: event.message, block: event.block, text: event.text })
          else draft.text += event.text
          return
        }
        case 'prompt.submit': {
          const message = event.state === 'sent' ? userMessage(event) : undefined
          if (message !== undefined) exchanges.push({ from: 'user', message })
          return
        }
        case 'message.start':
          return void answerOf(event.message)
        case 'text.end':
        case 'thought.end':
          return say(event)
        case 'tool.start':
          return startCall(event)
        case 'tool.update': {
          const part =
            event.call === undefined ? undefined : callsIn(open.get(event.call)).find(({ toolCallId }) => toolCallId === event.call)
          if (part !== undefined) part.input ??= event.input
          return
        }
        case 'tool.end':
          if (event.call === undefined) return
          open.get(event.call)?.ends.set(event.call, event)
          open.delete(event.call)
          return
        case 'message.drop':
          return drop(event)
        case 'message.end':
          return measure(event)
        case 'context.trim':
          return trim(event)
      }
    },
    messages: () => promptOf(exchanges, left),
    tokens: () => overhead + tokensIn(promptOf(exchanges, left)),
    planTrim: (room) => planTrim(exchanges, room, overhead),
  }
}

type Draft = { type: SpokenPart['type']; message: string | undefined; block: number | undefined; text: string }

const typeOf = ({ kind }: Event): Draft['type'] => (kind === 'text.delta' || kind === 'text.end' ? 'text' : 'reasoning')

const isOf = (draft: Draft, event: Event): boolean =>
  draft.message === event.message && draft.block === event.block && draft.type === typeOf(event)

/** Keeps the order of the blocks; one without a number goes to the end. */
function insert(parts: AnswerPart[], part: AnswerPart): void {
  let at = parts.length
  if (part.block !== undefined) while (at > 0 && (parts[at - 1]!.block ?? -1) > part.block) at--
  parts.splice(at, 0, part)
}
