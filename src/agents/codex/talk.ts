// Codex's app-server: JSON-RPC over lines, without the `jsonrpc` key. A thread is opened first; each prompt is a turn of it, and a prompt
// that comes while a turn runs waits for its end.
import { randomUUID } from 'node:crypto'
import { isRecord, type Rec, stringifyJson } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Attachment } from '../../supervise/contract.ts'
import { type AgentRequest, type Prompt, queue, sameName, type Talk, type Wire } from '../driver.ts'
import { createRpc, isId, nameOf, type RpcAnswer, type RpcCall, type RpcId } from '../rpc.ts'
import { strictIn } from './environment.ts'
import { guarded, type Mode, modeOf, stricter, threadSettings, turnSettings } from './mode.ts'
import { isQuestion, replyTo } from './reply.ts'

/** Between us and the program: the stream says nothing of these, nor of their answers. The wish to cancel is told by who has it. */
const quiet: ReadonlySet<unknown> = new Set(['initialize', 'initialized', 'config/read', 'turn/interrupt'])

export function serverTalk(wire: Wire, request: AgentRequest, mode: Mode): Talk {
  const rpc = createRpc({ ...wire, tell: say }, {})
  const unheard = new Map<unknown, string>() // quiet requests by their id
  const waiting: Prompt[] = []
  const questions = new Map<string, Required<RpcCall>>()
  let settings: Rec = {} // for the next turn and those after it
  const known = request.how === 'forked' ? undefined : request.native // a fork is another thread
  let thread: string | undefined
  let isStarting = false // a turn was asked for, and has not begun
  let turn: string | undefined // the one that runs; '' while nothing has named it
  let lastTurn: string | undefined
  let isStopping = false // the turn that has to be interrupted is not known yet
  let opening: number | undefined // the request for the thread
  let isLost = false // there will be no thread
  let isUnreadable = false // the record at hand
  let isClash = false // it asks for something else under the name of an open question

  function say(message: Rec): void {
    const { id, method } = message
    if (!quiet.has(method)) return wire.tell(message)
    unheard.set(id, String(method))
    wire.write(message)
  }

  rpc.request(
    'initialize',
    { clientInfo: { name: 'sluice', title: 'sluice', version: '1' }, capabilities: capabilitiesOf(request) },
    () => {
      rpc.notify('initialized')
      rpc.request('config/read', { cwd: request.cwd }, open)
    },
  )

  /** What the settings of the person forbid stays forbidden, unless a mode is named. Nobody is asked when nobody can answer. */
  function open(told: RpcAnswer): void {
    const config = 'result' in told && isRecord(told.result['config']) ? told.result['config'] : strictIn(request.env)
    const { native, how, cwd, model, headless } = request
    const allowed = request.mode === undefined ? stricter(mode, config) : mode
    const settled: Mode = headless === true ? { ...allowed, approval: 'never' } : allowed
    const about = { ...threadSettings(settled), ...(model !== undefined && { model }) }
    const method = native === undefined ? 'thread/start' : how === 'forked' ? 'thread/fork' : 'thread/resume'
    // A new thread that is told its folder would write into the person's settings that the project is trusted: it knows it without.
    const params =
      native === undefined ? { ...about, experimentalRawEvents: true } : { ...about, threadId: native, cwd, excludeTurns: true }
    opening = rpc.request(method, params, () => {
      if (isLost) wire.close() // the stream has told why
    })
  }

  /** A thread that has no name is none. */
  function readOpening(record: Rec): Rec {
    const { method, result, ...rest } = record
    if (method !== undefined) return record
    thread = threadIn(result)
    isLost = thread === undefined
    if (!isLost || result === undefined) return record
    return { ...rest, error: { code: 0, message: `Codex opened no thread: ${quoted(stringifyJson(result), 200)}` } }
  }

  function next(): void {
    if (thread === undefined || turn !== undefined || isStarting || !wire.isOpen()) return
    const prompt = waiting.shift()
    if (prompt === undefined) return
    isStarting = true
    const params = { threadId: thread, input: inputOf(prompt), clientUserMessageId: prompt.id ?? randomUUID(), ...settings }
    settings = {}
    rpc.request('turn/start', params, (answer) => {
      const started = 'result' in answer && isRecord(answer.result['turn']) ? answer.result['turn']['id'] : undefined
      // Refused, or taken up by a turn that ran already. An answer that names no turn says nothing of when it begins.
      if ('error' in answer || (started !== undefined && started === lastTurn)) isStarting = false
    })
  }

  function interrupt(): void {
    isStopping = turn === undefined ? isStarting || waiting.length > 0 : turn === ''
    if (turn) rpc.request('turn/interrupt', { threadId: thread, turnId: turn })
  }

  /** What is told of a turn names it, too. */
  function learnTurn({ params }: Rec): void {
    if (turn !== '' || !isRecord(params) || params['threadId'] !== thread || typeof params['turnId'] !== 'string') return
    lastTurn = turn = params['turnId']
    if (isStopping) interrupt()
  }

  /** The stream knows nothing of what was asked. That an older version cannot tell its settings is no news. */
  function noteFailure(method: string, { error }: Rec): void {
    const { code, message } = isRecord(error) ? error : {}
    const words = typeof message === 'string' ? message : stringifyJson(error)
    if (method === 'config/read' && (code === -32601 || words.includes('unknown variant'))) return
    wire.note({ level: 'warn', code: method, text: `Codex refused ${method}: ${words}`, data: error })
  }

  /** What nobody will be asked. Of two open questions with one name the stream tells the first, and so nothing of this one. */
  function refuse(id: RpcId, method: string): void {
    const message = `sluice does not answer ${method}`
    const question = questions.get(nameOf(id))
    if (question !== undefined && question.id !== id) return wire.write({ id, error: { code: -32601, message } })
    if (!isUnreadable && isQuestion(method)) return
    questions.delete(nameOf(id))
    rpc.refuse(id, message)
  }

  return {
    prompt(prompt) {
      queue(waiting, prompt)
      next()
    },
    answer(ask, answer) {
      const question = questions.get(ask.id)
      if (question === undefined) return
      questions.delete(ask.id)
      const { result, stops } = replyTo(question.method, question.params, ask, answer)
      rpc.reply(question.id, result)
      if (stops === true) interrupt()
    },
    interrupt,
    set({ model, mode: words }) {
      const changed = words === undefined ? undefined : modeOf(words)
      settings = {
        ...settings,
        ...(model !== undefined && { model }),
        ...(changed !== undefined && typeof changed !== 'string' && turnSettings(guarded(changed, request.guard))),
      }
    },
    normalize(record) {
      const normalized = rpc.normalize(record)
      return opening !== undefined && normalized?.['id'] === opening ? readOpening(normalized) : normalized
    },
    consume(record) {
      const { id, method, params } = record
      isUnreadable = isClash = false
      if (typeof method !== 'string') {
        const asked = unheard.get(id)
        if (asked === undefined) return false
        unheard.delete(id)
        if ('error' in record) noteFailure(asked, record)
        rpc.consume(record)
        return true
      }
      const body = isRecord(params) ? params : {}
      const { requestId } = body
      const former = isId(id) && isQuestion(method) ? questions.get(nameOf(id)) : undefined
      isClash = former?.id === id && stringifyJson(former) !== stringifyJson({ id, method, params: body })
      if (isId(id) && isQuestion(method) && former === undefined) questions.set(nameOf(id), { id, method, params: body })
      if (method === 'serverRequest/resolved' && isId(requestId)) questions.delete(nameOf(requestId))
      return isEcho(method, body)
    },
    afterRecord(record) {
      const { method } = rpc.consume(record) ?? {}
      const { id } = record
      if (isClash && isId(id) && questions.delete(nameOf(id))) rpc.refuse(id, sameName)
      else if (method !== undefined && isId(id, isQuestion(method))) refuse(id, method)
      learnTurn(record)
      next()
    },
    session: () => thread ?? known,
    isOpening: () => thread === undefined && known === undefined && !isLost,
    onEvent(event) {
      if (event.kind === 'issue') isUnreadable = true
      if (event.agent !== undefined) return
      if (event.kind === 'turn.end') [turn, isStopping] = [undefined, false]
      if (event.kind !== 'turn.start') return
      isStarting = false
      lastTurn = turn = event.native ?? ''
      if (isLost) for (const prompt of waiting.splice(0)) wire.show(prompt, 'queued') // nothing will come of them
      if (isStopping) interrupt()
    },
    unsent: () => waiting,
    isStarting: () => isStarting,
    isIdle: () => waiting.length === 0 && !isStarting,
  }

  /** Our own words, which the stream has told when we said them. */
  function isEcho(method: string, { item, threadId }: Rec): boolean {
    const isItem = method === 'item/started' || method === 'item/completed'
    return isItem && threadId === thread && isRecord(item) && item['type'] === 'userMessage'
  }
}

/** The experimental part tells of calls that leave no item. What nobody wants to hear is not sent at all. */
const capabilitiesOf = ({ stream }: AgentRequest): Rec => ({
  experimentalApi: true,
  requestAttestation: false,
  optOutNotificationMethods: stream ? noise : [...noise, ...deltas],
})
const noise = ['remoteControl/status/changed', 'thread/readState/changed', 'rawResponse/completed']
const deltas = [
  'item/agentMessage/delta',
  'item/plan/delta',
  'item/reasoning/summaryTextDelta',
  'item/reasoning/summaryPartAdded',
  'item/reasoning/textDelta',
  'item/commandExecution/outputDelta',
  'item/fileChange/outputDelta',
]

function threadIn(result: unknown): string | undefined {
  const { id } = isRecord(result) && isRecord(result['thread']) ? result['thread'] : {}
  return typeof id === 'string' ? id : undefined
}

const inputOf = ({ text, files = [] }: Prompt): Rec[] => [...files.map(fileInput), textInput(text)]

const textInput = (text: string): Rec => ({ type: 'text', text, text_elements: [] })

function fileInput({ path, mime, data }: Attachment): Rec {
  if (mime.startsWith('image/')) return { type: 'image', url: `data:${mime};base64,${data}` }
  return textInput(`The file ${path}:\n${Buffer.from(data, 'base64').toString()}`)
}
