// The Agent Client Protocol as a host speaks it: a session is opened, prompts follow one after another, questions are answered, and what
// a host could do for the agent (files, terminals) is refused at once: it has its own.
import { isRecord, type Rec } from '../../base/json.ts'
import { acp } from '../../dialects/acp/index.ts'
import { authCode, faultFrom } from '../../dialects/acp/words.ts'
import type { Answer } from '../../supervise/contract.ts'
import { type Prompt, queue, type SpawnRequest, type Talk, type Wire } from '../driver.ts'
import { createRpc, isId, nameOf, type RpcFailure, type RpcId } from '../rpc.ts'
import { cancelledOutcome, outcomeFor } from './answer.ts'
import { blocksOf, type Reads } from './blocks.ts'
import type { Line } from './live.ts'
import { authMethodFor, settingsIn, settingRequest, type Settings } from './offers.ts'

export type TalkRequest = Pick<SpawnRequest, 'how'> & {
  cwd: string
  native?: string | undefined
  model?: string | undefined
  mode?: string | undefined
  /** What the agent gets: a login by a key needs the key. */
  env: Readonly<Record<string, string>>
  title: string
}

/** How long a history that is told again must have been silent: some agents go on with it after they have said that it is loaded. */
const quietMs = 200

type Question = { id: RpcId; options: unknown }

export const acpTalk =
  (request: TalkRequest, line: Line) =>
  (wire: Wire): Talk => {
    const rpc = createRpc(wire)
    const waiting: Prompt[] = []
    const questions = new Map<string, Question>()
    let phase: 'opening' | 'replaying' | 'open' | 'lost' = 'opening'
    let session = ''
    let settings: Settings = {}
    let reads: Reads = { image: false, audio: false, embeddedContext: false }
    let running: Prompt | undefined
    let wasAuthenticated = false
    let quiet: NodeJS.Timeout | undefined

    queueMicrotask(connect) // the harness is not ready before

    // ── a session ──────────────────────────────────────────────────────────────────────────────────────────────────────────

    function connect(): void {
      const params = {
        protocolVersion: 1,
        clientInfo: { name: 'sluice', version: '1' },
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      }
      rpc.request('initialize', params, (answer) => {
        if ('error' in answer) return lose(answer.error)
        if (answer.result['protocolVersion'] !== 1)
          return lose({ code: 0, message: `${request.title} speaks another version of the protocol than 1` })
        const capabilities = recordIn(answer.result, 'agentCapabilities')
        const can = recordIn(capabilities, 'promptCapabilities')
        reads = { image: can['image'] === true, audio: can['audio'] === true, embeddedContext: can['embeddedContext'] === true }
        open(capabilities, answer.result['authMethods'])
      })
    }

    function open(capabilities: Rec, methods: unknown): void {
      const { cwd, native, how } = request
      const place = { cwd, mcpServers: [] }
      const params = native === undefined ? place : { sessionId: native, ...place }
      const offers = recordIn(capabilities, 'sessionCapabilities')
      const has = (offer: string): boolean => offers[offer] !== undefined && offers[offer] !== null
      const method =
        native === undefined
          ? 'session/new'
          : how === 'forked'
            ? has('fork') && 'session/fork'
            : has('resume')
              ? 'session/resume'
              : capabilities['loadSession'] === true && 'session/load'
      if (method === false)
        return lose({ code: 0, message: `${request.title} cannot ${how === 'forked' ? 'fork' : 'go on with'} a session: start a new one` })
      if (method === 'session/load') phase = 'replaying'
      if (method !== 'session/fork') line.session = native // a fork is another session
      rpc.request(method, params, (answer) => {
        if ('error' in answer) return method === 'session/load' ? lose(answer.error, true) : failed(answer.error, capabilities, methods)
        const { sessionId } = answer.result
        const opened = typeof sessionId === 'string' && sessionId !== '' ? sessionId : line.session
        if (opened === undefined) return lose({ code: 0, message: `${request.title} opened no session: its answer names none` })
        session = line.session = opened
        settings = settingsIn(answer.result)
        set(request, () => (phase === 'replaying' ? waitForQuiet() : begin()))
      })
    }

    /** A login that needs no person is tried once. */
    function failed(error: RpcFailure, capabilities: Rec, methods: unknown): void {
      const methodId = error.code === authCode && !wasAuthenticated ? authMethodFor(methods, request.env) : undefined
      if (methodId === undefined) return lose(error)
      wasAuthenticated = true
      rpc.request('authenticate', { methodId }, (answer) => ('error' in answer ? lose(answer.error) : open(capabilities, methods)))
    }

    function waitForQuiet(): void {
      clearTimeout(quiet)
      quiet = setTimeout(begin, quietMs)
    }

    function begin(): void {
      if (phase === 'lost') return
      phase = 'open'
      next()
    }

    /** There will be no session: the agent may leave, and the stream says why. */
    function lose(failure: RpcFailure, isTold = false): void {
      if (phase === 'lost') return
      phase = 'lost'
      wire.close()
      line.lost = { record: { jsonrpc: '2.0', method: '_lost' }, error: faultFrom(failure), waiting: waiting.splice(0), isTold }
      wire.tell(line.lost.record)
    }

    /** `then` comes when all is set; what cannot be set at the beginning is a failure, for nobody wanted another mode or model. */
    function set({ model, mode }: { model?: string | undefined; mode?: string | undefined }, then?: () => void): void {
      const wanted = Object.entries({ mode, model }).filter((entry): entry is [keyof Settings, string] => entry[1] !== undefined)
      const one = ([first, ...rest]: typeof wanted): void => {
        if (first === undefined) return then?.()
        const [method, params] = settingRequest(settings, session, first[0], first[1])
        rpc.request(method, params, (answer) => ('error' in answer && then !== undefined ? lose(answer.error, true) : one(rest)))
      }
      one(wanted)
    }

    // ── turns ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

    function next(): void {
      if (phase !== 'open' || running !== undefined || !wire.isOpen()) return
      running = line.saying = waiting.shift()
      if (running === undefined) return
      line.isStopping = false
      rpc.request('session/prompt', { sessionId: session, prompt: blocksOf(running, reads) }, () => {
        running = undefined
        next()
      })
      line.saying = undefined
    }

    function answerQuestion(key: string, answer?: Answer): void {
      const question = questions.get(key)
      if (question === undefined) return
      questions.delete(key)
      rpc.reply(question.id, answer === undefined ? cancelledOutcome : outcomeFor(question.options, answer))
    }

    /** Said beside the stream, which tells of it already. */
    function cancel(): void {
      line.isStopping = true
      wire.write({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: session } })
      for (const key of questions.keys()) answerQuestion(key)
    }

    return {
      prompt(prompt) {
        queue(waiting, prompt)
        next()
      },
      answer(ask, answer) {
        answerQuestion(ask.id, answer)
        if (answer.stop === true && running !== undefined) cancel()
      },
      interrupt() {
        if (running !== undefined) return cancel()
        const prompt = waiting.shift() // its session is not there yet
        if (prompt !== undefined) wire.drop(prompt)
      },
      set: (setting) => (phase === 'open' ? set(setting) : Object.assign(request, setting)),
      normalize: rpc.normalize,
      consume(record) {
        const { method, id, params } = record
        if (method === 'session/request_permission' && isId(id, true)) {
          if (questions.get(keyOf(id))?.id !== id) answerQuestion(keyOf(id)) // the stream asks one question of a name
          questions.set(keyOf(id), { id, options: isRecord(params) ? params['options'] : undefined })
        }
        if (method === 'elicitation/create' && isId(id)) {
          rpc.refuse(id, 'sluice fills in no forms')
          return true
        }
        if (phase !== 'replaying' || method !== 'session/update' || !isHistory(params)) return false
        if (quiet !== undefined) waitForQuiet()
        return true
      },
      afterRecord(record) {
        const { method, id } = rpc.consume(record) ?? {}
        if (method !== 'session/request_permission')
          return id === undefined ? undefined : rpc.refuse(id, `sluice does not do ${method} for an agent`)
        const asked = record['id']
        if (!isId(asked, true)) return
        if (!isReadable(record)) {
          questions.delete(keyOf(asked)) // nobody was asked, so the stream is told of no answer
          wire.write({ jsonrpc: '2.0', id: asked, result: cancelledOutcome })
        } else if (line.isStopping === true) answerQuestion(keyOf(asked))
      },
      session: () => line.session,
      isOpening: () => line.session === undefined && phase !== 'lost',
      unsent: () => waiting,
      isIdle: () => running === undefined && waiting.length === 0,
    }
  }

/** As the dialect names the question. */
const keyOf = (id: RpcId): string => nameOf(id) || '""'
const recordIn = (record: Rec, key: string): Rec => (isRecord(record[key]) ? record[key] : {})
const isReadable = (record: Rec): boolean => acp.shapes.checks['session/request_permission']!(record)

/** What was said and done in a session, as against what it is set to. */
const history: ReadonlySet<unknown> = new Set([
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'plan_update',
  'compaction_update',
  'compaction_summary_chunk',
])
const isHistory = (params: unknown): boolean =>
  isRecord(params) && isRecord(params['update']) && history.has(params['update']['sessionUpdate'])
