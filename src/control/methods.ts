// What can be asked of a run over its socket. Reading is open to whoever reaches the socket; what changes something needs the token.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Rec } from '../base/json.ts'
import { parseJson } from '../base/json.ts'
import { quoted } from '../base/text.ts'
import { optionFor } from '../model/option.ts'
import type { ControlledRun } from './contract.ts'
import { CustomEventError } from './custom.ts'
import type { Feed, Out, Subscription } from './feed.ts'
import { offered, type Questions, type Settled } from './questions.ts'
import { codes, type Handled, type Handler, numberIn, RpcError, textIn, wordIn } from './rpc.ts'

export type Controlled = {
  id: string
  token: string
  feed: Feed
  questions: Questions
  /** Throws an RpcError before the run has begun and after it is over. */
  run(): ControlledRun
  /** Tells a user's own event. Throws a CustomEventError. */
  emit(value: unknown): void
  /** What is known of the run and its sessions. */
  status(): Rec
  /** Whoever may has told it to end: it takes no more prompts, from no connection. */
  isEnding?: boolean
}

/** One connection. `subscribed`: whether it has shown that it may answer questions. */
export type Caller = Out & { subscribed(subscription: Subscription, mayAnswer: boolean): void }

export const shutdownModes = ['graceful', 'immediate'] as const
const longestText = 64 * 1024 // of an answer
export const historyLimit = { usual: 64, most: 256, bytes: 1 << 20 }
const most = Number.MAX_SAFE_INTEGER

export function createMethods(controlled: Controlled, caller: Caller): Handler {
  const { id, feed, questions, run } = controlled
  const secret = digest(controlled.token)
  const isToken = (value: unknown): boolean => typeof value === 'string' && timingSafeEqual(digest(value), secret)
  let isSubscribed = false

  function afterIn(params: Rec): number | undefined {
    const after = numberIn(params, 'after', most)
    if (after !== undefined && after > feed.head())
      throw new RpcError(codes.params, `there is no event ${after} yet: the last is ${feed.head()}`, { head: feed.head() })
    return after
  }

  const reading: Record<string, (params: Rec) => Handled> = {
    status: () => ({ result: { run: id, head: feed.head(), questions: questions.all(), ...controlled.status() } }),
    subscribe(params) {
      if (isSubscribed) throw new RpcError(codes.request, 'this connection is subscribed already; open another one')
      const mayAnswer = params['token'] !== undefined
      if (mayAnswer && !isToken(params['token'])) throw wrongToken()
      const after = afterIn(params) ?? feed.head()
      isSubscribed = true
      return { result: { after, head: feed.head() }, after: () => caller.subscribed(feed.subscribe(after, caller), mayAnswer) }
    },
    history(params) {
      const limit = numberIn(params, 'limit', historyLimit.most) ?? historyLimit.usual
      const after = afterIn(params) ?? Math.max(0, feed.head() - limit)
      const { events, head } = feed.history(after, limit, historyLimit.bytes)
      return { result: { events: events.map(parseJson), after: after + events.length, head } }
    },
  }

  const changing: Record<string, (params: Rec) => unknown> = {
    prompt: (params) => goingOn().send({ type: 'prompt', text: textIn(params, 'text'), by: 'host' }),
    interrupt_and_prompt(params) {
      const text = textIn(params, 'text')
      goingOn().send({ type: 'cancel', target: 'turn', by: 'host', reason: 'cancelled', text: 'interrupted for another prompt' })
      run().send({ type: 'prompt', text, by: 'host', first: true })
    },
    answer_permission: (params) => answer(textIn(params, 'id'), textIn(params, 'option'), params['text']),
    answer_question: (params) => choose(textIn(params, 'id'), params['answers']),
    emit(params) {
      run()
      controlled.emit(params['event'])
    },
    cancel(params) {
      const target = wordIn(params, 'target', ['session', 'turn'])
      run().send({ type: 'cancel', target, by: 'host', reason: 'cancelled', text: 'cancelled over the control socket' })
      if (target === 'session') controlled.isEnding = true
    },
    shutdown(params) {
      if (wordIn(params, 'mode', shutdownModes) === 'immediate') run().force('ended over the control socket')
      else run().send({ type: 'finish' })
      controlled.isEnding = true
    },
  }

  function goingOn(): ControlledRun {
    const found = run()
    if (controlled.isEnding === true) throw new RpcError(codes.notNow, 'the run was told to end: it takes no more prompts')
    return found
  }

  function answer(question: string, word: string, text: unknown): Rec {
    if (text !== undefined && (typeof text !== 'string' || text.length > longestText))
      throw new RpcError(codes.params, `"text" must be a text of no more than ${longestText} characters`)
    const found = questions.find(question)
    if (found === undefined) throw new RpcError(codes.notOpen, `no question ${quoted(question)} is open`)
    if ('settled' in found) throw tooLate(question, found.settled)
    const { options } = found.open
    const option = optionFor(options, word)?.id
    if (option === undefined) throw new RpcError(codes.params, offered(options, word), { options: options.map((one) => one.id) })
    if (!run().answer(question, { option, by: 'control', ...(text !== undefined && { text }) })) throw tooLate(question)
    return { id: question, option }
  }

  /** One answer for each question, in their order: the number of an option, or other words. */
  function choose(question: string, given: unknown): Rec {
    const found = questions.posed(question)
    const former = questions.find(question)
    if (found === undefined && former !== undefined && 'settled' in former) throw tooLate(question, former.settled)
    if (found === undefined) throw new RpcError(codes.notOpen, `no choice ${quoted(question)} is open`)
    const list = Array.isArray(given) ? (given as unknown[]) : []
    const words = found.questions.map(({ options }, index) => answerIn(list[index], options))
    if (list.length !== words.length || words.includes(undefined))
      throw new RpcError(codes.params, `"answers" must be a list of ${words.length}, a text or the number of an option for each question`)
    const answers = Object.fromEntries(found.questions.map(({ text }, index) => [text, words[index]])) as Record<string, string>
    if (!run().choose(question, answers)) throw tooLate(question)
    return { id: question, answers }
  }

  return (method, params) => {
    if (Object.hasOwn(reading, method)) return reading[method]!(params)
    if (!Object.hasOwn(changing, method))
      throw new RpcError(
        codes.method,
        `${quoted(method)} is not a method; known are ${[...Object.keys(reading), ...Object.keys(changing)].join(', ')}`,
      )
    if (!isToken(params['token'])) throw wrongToken()
    try {
      return { result: changing[method]!(params) ?? {} }
    } catch (error) {
      throw error instanceof CustomEventError ? new RpcError(codes.params, error.message) : error
    }
  }
}

/** The number of an option may be written as a text, too; a text that is none is an answer by itself. */
function answerIn(word: unknown, options: readonly { label: string }[]): string | undefined {
  const label = options[Number(word) - 1]?.label
  return typeof word === 'number'
    ? label
    : typeof word === 'string' && word !== '' && word.length <= longestText
      ? (label ?? word)
      : undefined
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const wrongToken = (): RpcError =>
  new RpcError(codes.token, 'this needs the token of the run as "token"; it stands in the .token file beside the socket')

function tooLate(question: string, settled?: Settled): RpcError {
  const how = settled === undefined ? '' : `: ${settled.decision} by ${settled.by}`
  return new RpcError(codes.notOpen, `the question ${quoted(question)} was answered already${how}`, settled && { settled })
}
