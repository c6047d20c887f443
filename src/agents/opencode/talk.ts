// opencode's server as a host speaks with it: a session, prompts one after another, questions by their id.
import { isRecord, type Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Fault } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import type { Answer, Ask, Attachment } from '../../supervise/contract.ts'
import type { Line } from '../acp/live.ts'
import { type AgentRequest, type Prompt, queue, type Talk, type Wire } from '../driver.ts'
import type { Request } from '../transport/contract.ts'

type Then = (body: unknown) => void

/** Events that say nothing of a session, often. */
const noise = /^(server\.(connected|heartbeat)|plugin\.|catalog\.|reference\.|integration\.|models-dev\.|lsp\.|installation\.|project\.)/

export const opencodeTalk =
  (request: Pick<AgentRequest, 'how' | 'native' | 'model' | 'mode'>, line: Line) =>
  (wire: Wire): Talk => {
    const waiting: Prompt[] = []
    let { model, mode } = request
    let session: string | undefined
    let running: Prompt | undefined
    let isLost = false
    let refusal: Fault | undefined

    queueMicrotask(open) // the harness is not ready before

    /** Without `then` a failure is passed over: the events tell what became of it. */
    function call(method: Request['method'], path: string, body?: Rec, then?: Then): void {
      wire.request({ method, path, ...(body !== undefined && { body }) }, ({ status, body: reply }) => {
        if (then === undefined) return
        if (status >= 200 && status < 300) then(reply)
        else lose(faultOf(status === 0 ? String(reply) : wordsIn(reply), { code: String(status) }))
      })
    }

    function open(): void {
      const { native, how } = request
      const opened: Then = (body) => {
        const known = how === 'forked' ? undefined : native // a fork is another session
        session = isRecord(body) && typeof body['id'] === 'string' ? body['id'] : known
        if (session === undefined) lose(faultOf(`opencode opened no session: ${quoted(JSON.stringify(body), 200)}`))
        else {
          line.session = session
          next()
        }
      }
      if (native === undefined) call('POST', '/session', {}, opened)
      else if (how === 'forked') call('POST', `/session/${encodeURIComponent(native)}/fork`, {}, opened)
      else call('GET', `/session/${encodeURIComponent(native)}`, undefined, opened)
    }

    function next(): void {
      if (session === undefined || running !== undefined || !wire.isOpen()) return
      running = line.saying = waiting.shift()
      if (running === undefined) return
      const body = { parts: partsOf(running), ...modelOf(model), ...(mode !== undefined && { agent: mode }) }
      call('POST', `/session/${session}/prompt_async`, body, () => {})
    }

    /** What was asked for cannot be had. */
    function lose(error: Fault, isTold = false): void {
      if (isLost) return
      isLost = true
      running = undefined
      wire.close()
      line.lost = { record: { type: 'lost' }, error, said: line.saying, waiting: waiting.splice(0), isTold }
      wire.tell(line.lost.record)
    }

    const abort = (): void => call('POST', `/session/${session}/abort`, {})

    return {
      prompt(prompt) {
        queue(waiting, prompt)
        next()
      },
      answer(ask, answer) {
        if (ask.questions !== undefined) answerQuestion(call, ask, answer)
        else call('POST', `/permission/${encodeURIComponent(ask.id)}/reply`, decisionOf(answer))
        if (answer.stop === true) abort()
      },
      interrupt() {
        if (running !== undefined) return abort()
        const prompt = waiting.shift() // its session is not there yet
        if (prompt !== undefined) wire.drop(prompt)
      },
      set(setting) {
        model = setting.model ?? model
        mode = setting.mode ?? mode
      },
      consume: ({ type }) => typeof type === 'string' && noise.test(type),
      afterRecord() {
        if (refusal !== undefined) lose(refusal, true)
        refusal = undefined
      },
      onEvent(event) {
        if (event.agent !== undefined) return
        // It takes every prompt, and says only then that it cannot work with it.
        if (event.kind === 'error' && event.fatal && line.saying !== undefined) refusal ??= event.error
        if (event.kind !== 'turn.end') return
        running = line.saying = undefined
        next()
      },
      session: () => session,
      isOpening: () => session === undefined && !isLost,
      unsent: () => waiting,
      isStarting: () => running !== undefined,
      isIdle: () => running === undefined && waiting.length === 0,
    }
  }

/** With words the model is told and goes on; without them opencode ends its turn. */
function decisionOf({ decision, option = 'once', input, instead, stop, text }: Answer): Rec {
  if (decision === 'allow' && input === undefined && instead === undefined) return { reply: option }
  const result = instead === undefined ? text : `The call was not made. Its result: ${JSON.stringify(instead)}`
  return { reply: 'reject', ...(stop !== true && { message: result ?? 'The call was not allowed.' }) }
}

function answerQuestion(call: (method: 'POST', path: string, body: Rec) => void, { id, questions = [] }: Ask, answer: Answer): void {
  const path = `/question/${encodeURIComponent(id)}`
  const answers: unknown = answer.input?.['answers']
  if (answer.decision !== 'allow' || !isRecord(answers)) return call('POST', `${path}/reject`, {})
  const chosen = questions.map(({ text, many }) => {
    const said = answers[text]
    return typeof said !== 'string' ? [] : many === true ? said.split(', ') : [said]
  })
  call('POST', `${path}/reply`, { answers: chosen })
}

/** `provider/model`; what has no provider is left to opencode. */
function modelOf(model: string | undefined): { model?: Rec } {
  const at = model?.indexOf('/') ?? -1
  return model === undefined || at === -1 ? {} : { model: { providerID: model.slice(0, at), modelID: model.slice(at + 1) } }
}

const partsOf = ({ text, files = [] }: Prompt): Rec[] => [...files.map(partOf), { type: 'text', text }]

const partOf = ({ path, mime, data }: Attachment): Rec => ({ type: 'file', mime, filename: path, url: `data:${mime};base64,${data}` })

function wordsIn(body: unknown): string {
  const inner = isRecord(body) ? (isRecord(body['data']) ? body['data']['message'] : body['message']) : undefined
  return typeof inner === 'string' ? inner : `opencode refused: ${JSON.stringify(body).slice(0, 500)}`
}
