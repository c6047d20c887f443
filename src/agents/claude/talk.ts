// Claude Code's side of stream-json: prompts as user records, questions and interrupts over the control channel. It repeats what we say
// (--replay-user-messages), often late: the repetition tells that a prompt was taken up, and is not told again.
import { randomUUID } from 'node:crypto'
import { isRecord, type Rec, stringifyJson } from '../../base/json.ts'
import type { Answer, Ask, Attachment } from '../../supervise/contract.ts'
import { type Prompt, sameName, type Talk, type Wire } from '../driver.ts'
import { createTrusted, suggestionOf } from './trusted.ts'

/** A prompt that was not repeated. `isTaken`: a turn has begun for it; `isShown`: the stream has told it. */
type Waiting = { prompt: Prompt; isTaken: boolean; isShown: boolean }

/** `isFree`: the user has let it decide by itself what it need not ask for; what our rules deny stays denied. */
export function claudeTalk(wire: Wire, isFree: boolean): Talk {
  const asked = new Set<string>() // requests of ours without a reply
  const answered = new Set<string>() // its questions, until it repeats our answer
  const questions = new Map<string, { words: string; suggestions: readonly unknown[] }>() // that are open
  const trusted = createTrusted(isFree)
  let clash: string | undefined // the name under which something else is asked now
  const waiting: Waiting[] = []
  let repeats = false
  let made = 0

  function request(body: Rec): void {
    const id = `sluice-${++made}`
    asked.add(id)
    wire.write({ type: 'control_request', request_id: id, request: body })
  }
  const response = (body: Rec): Rec => ({ type: 'control_response', response: body })

  // It allows much by itself, reading above all: our rules see every call before it is made.
  request({ subtype: 'initialize', hooks: { PreToolUse: [{ matcher: null, hookCallbackIds: [hookId] }] } })

  return {
    prompt(prompt) {
      waiting.push({ prompt, isTaken: false, isShown: false })
      const message = { role: 'user', content: contentOf(prompt) }
      wire.write({ type: 'user', message, parent_tool_use_id: null, session_id: '', uuid: randomUUID() })
    },
    answer(ask, answer) {
      const chosen = suggestionOf(questions.get(ask.id)?.suggestions, answer)
      if (chosen !== undefined) trusted.add(ask.name, chosen)
      questions.delete(ask.id)
      answered.add(ask.id)
      wire.tell(response({ subtype: 'success', request_id: ask.id, response: decisionOf(ask, answer, chosen) }))
    },
    interrupt: () => request({ subtype: 'interrupt' }),
    set({ model, mode }) {
      if (model !== undefined) request({ subtype: 'set_model', model })
      if (mode !== undefined) request({ subtype: 'set_permission_mode', mode })
    },
    consume(record) {
      const { type } = record
      if (type === 'stream_event') return false // nearly all are
      if (type === 'user') return isRepeated(record)
      if (type === 'control_request' && isHook(record)) return (judge(record), true)
      if (type === 'control_request') refuse(record)
      if (type === 'control_cancel_request') questions.delete(String(record['request_id']))
      const id = type === 'control_response' && isRecord(record['response']) ? record['response']['request_id'] : undefined
      return typeof id === 'string' && (asked.delete(id) || answered.delete(id))
    },
    afterRecord() {
      if (clash !== undefined && questions.delete(clash)) wire.tell(response({ subtype: 'error', request_id: clash, error: sameName }))
      clash = undefined
    },
    onEvent(event) {
      if (event.agent !== undefined) return
      if (event.kind === 'turn.start') {
        const next = event.trigger === 'task' ? undefined : waiting.find(({ isTaken }) => !isTaken)
        if (next !== undefined) next.isTaken = true
        show(next)
      } else if (event.kind === 'turn.end') {
        answered.clear()
        questions.clear()
        // A command such as /cost is worked off without being repeated. A version that repeats nothing may have taken up all.
        const taken = waiting.filter(({ isTaken }) => isTaken)
        const isSilent = !repeats && event.reason === 'end_turn' && taken.some(({ prompt }) => !prompt.text.startsWith('/'))
        for (const one of isSilent ? [...waiting] : taken) forget(one)
      }
    },
    isIdle: () => waiting.length === 0,
  }

  function show(one: Waiting | undefined): void {
    if (one === undefined || one.isShown) return
    one.isShown = true
    wire.show(one.prompt)
  }

  function forget(one: Waiting): void {
    show(one)
    waiting.splice(waiting.indexOf(one), 1)
  }

  /** Several prompts may be taken up in one turn: each is told when it is repeated, if not before. */
  function isRepeated({ message, parent_tool_use_id: parent }: Rec): boolean {
    if (parent !== null && parent !== undefined) return false
    const content: unknown = isRecord(message) ? message['content'] : undefined
    const last: unknown = Array.isArray(content) ? content.at(-1) : { type: 'text', text: content }
    const one = isRecord(last) && last['type'] === 'text' ? waiting.find(({ prompt }) => prompt.text === last['text']) : undefined
    if (one === undefined) return false
    repeats = true
    forget(one)
    return true
  }

  function judge({ request: body, request_id: id }: Rec): void {
    const input = (body as Rec)['input']
    const { tool_name: name, tool_input: given, tool_use_id: call } = isRecord(input) ? input : {}
    const known = typeof name === 'string' && typeof call === 'string' ? wire.judge({ id: call, name, input: given }) : undefined
    const verdict = verdictOf(known, trusted.has(name))
    wire.write(response({ subtype: 'success', request_id: id, response: { continue: true, ...verdict } }))
  }

  function compare(id: string, body: Rec): void {
    const [former, words] = [questions.get(id), stringifyJson(body)]
    const { permission_suggestions: suggestions } = body
    questions.set(id, { words, suggestions: Array.isArray(suggestions) ? suggestions : [] })
    if (former !== undefined && former.words !== words) clash = id
  }

  /** It waits for every answer: what we cannot do is said at once. */
  function refuse({ request: body, request_id: id }: Rec): void {
    const subtype = isRecord(body) ? body['subtype'] : undefined
    if (subtype === 'can_use_tool') return typeof id === 'string' ? compare(id, body as Rec) : undefined
    wire.write(response({ subtype: 'error', request_id: id, error: `sluice does not answer ${String(subtype)}` }))
  }
}

const hookId = 'sluice-rules'
const isHook = ({ request: body }: Rec): boolean => isRecord(body) && body['subtype'] === 'hook_callback' && body['callback_id'] === hookId

function verdictOf(answer: Answer | 'ask' | undefined, isFree: boolean): Rec {
  if (answer === undefined || (answer === 'ask' && isFree)) return {}
  const said =
    answer === 'ask' ? { permissionDecision: 'ask' } : { permissionDecision: 'deny', permissionDecisionReason: refusalOf(answer) }
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...said } }
}

const refusalOf = ({ instead, text }: Answer): string =>
  (instead === undefined ? text : `The call was not made. Its result: ${JSON.stringify(instead)}`) ?? 'The call was not allowed.'

function decisionOf({ input, place, questions }: Ask, answer: Answer, chosen: unknown): Rec {
  const call = place.call === undefined ? {} : { toolUseID: place.call }
  if (answer.decision === 'allow' && answer.instead === undefined) {
    const given = isRecord(input) ? input : {}
    const updatedInput =
      questions === undefined ? (answer.input ?? given) : { ...given, questions: wireQuestions(questions), ...answer.input }
    return { behavior: 'allow', updatedInput, ...(chosen !== undefined && { updatedPermissions: [chosen] }), ...call }
  }
  return { behavior: 'deny', message: refusalOf(answer), interrupt: answer.stop === true, ...call }
}

const wireQuestions = (questions: NonNullable<Ask['questions']>): Rec[] =>
  questions.map(({ text, header, options, many }) => ({ question: text, header, options, multiSelect: many === true }))

function contentOf({ text, files = [] }: Prompt): Rec[] {
  return [...files.map(blockOf), { type: 'text', text }]
}

function blockOf({ path, mime, data }: Attachment): Rec {
  const source = { type: 'base64', media_type: mime, data }
  if (mime.startsWith('image/')) return { type: 'image', source }
  if (mime === 'application/pdf') return { type: 'document', source }
  return { type: 'text', text: `The file ${path}:\n${Buffer.from(data, 'base64').toString()}` }
}
