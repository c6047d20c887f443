// The order of a Claude stream, as the real programs keep it. Looser than the document's flow: init stands before every
// turn, results come several times, and much may follow the last one. Transcript files and a host's own words (stdin) have
// their place by other rules and are not judged here.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import { isRepair, type Order, type Report } from '../contract.ts'
import { createForgetter } from '../forget.ts'
import { type Channel, newChannel, stepControl } from './order-control.ts'
import { fieldRules, judgeFields } from './order-fields.ts'
import { forgetTurn, laneOf, newSession, type Call, type OrderSession, stepAssistant, stepStream, stepUser } from './order-message.ts'
import { uuidFor } from './uuid.ts'
import { isSilent } from './values.ts'
import type { Wire } from './wire.ts'

export const rules = {
  'init-first': 'A system/init stands before the first message of its session.',
  'unknown-call': 'A tool_result or permission question names a tool_use that came before.',
  'second-result': 'Each tool_use gets one tool_result.',
  'unanswered-call': 'Every tool_use of a turn has its tool_result before a result that says that all went well.',
  'other-lane': 'A tool_result stands in the lane of its tool_use: the same parent_tool_use_id.',
  'split-message': 'The records of one message id in a lane are not interrupted by another id of that lane.',
  'stream-bracket': 'Raw stream events come as message_start, then start, deltas and stop of each block, message_delta, message_stop.',
  'late-block': 'The full record of a streamed block comes before the content_block_stop of that block.',
  'denied-call': 'A call in permission_denials has a tool_result with is_error.',
  'missing-end': 'Every turn ends with a result.',
  'extra-result': 'A result ends a turn that an init began.',
  'result-index': 'result_index rises by one from result to result; a new process counts from 0 again.',
  'silent-result': 'A result says by its subtype or by is_error how its turn ended.',
  'error-result':
    'A result of an error subtype carries no result text: what went wrong is in its errors, which versions before 2.1 leave out.',
  'after-result': 'After its result a turn says no more; a new init begins the next.',
  'unknown-request': 'A control_response or control_cancel_request names a control_request that is open.',
  ...fieldRules,
} as const

export type Rule = keyof typeof rules
export type Breaks = (code: Rule, text: string, severity?: 'error' | 'warn') => void

const mostSessions = 1024
const letterC = 99 // most tags are told from `control_…` by it

export function order(): Order {
  const sessions = new Map<string | undefined, OrderSession>()
  const forgetOne = createForgetter(sessions, ({ openTurns }) => openTurns === 0)
  const channel: Channel = newChannel()
  let made = 0
  let tell: Report // of the record that is being judged
  const breaks: Breaks = (code, text, severity = 'error') => tell({ code, severity, text })
  let recentId: string | undefined
  let recent: OrderSession | undefined // most records are of the session that the last one was of

  function sessionOf(record: Rec): OrderSession {
    const id = idOf(record)
    if (recent !== undefined && recentId === id) return recent
    recentId = id
    recent = sessions.get(id)
    if (recent === undefined) {
      if (sessions.size >= mostSessions) forgetOne()
      sessions.set(id, (recent = newSession()))
    }
    return recent
  }

  /** Of the open calls, the last one first: that of a subagent before the one that it works for. */
  const answers = (id: string | undefined, { calls }: OrderSession, isMeant = (_: Call): boolean => true): Rec[] =>
    [...calls].toReversed().flatMap(([call, one]) => (one.state === 'open' && isMeant(one) ? [abandoned(id, ++made, call, one.lane)] : []))

  /** What ends the open turns of a session. */
  function endOf(id: string | undefined): Rec[] {
    const session = sessions.get(id)
    if (session === undefined || session.openTurns === 0) return []
    return [...answers(id, session), ...Array.from({ length: session.openTurns }, () => emptyResult(id, ++made))]
  }

  return {
    push(record: Rec, tag: string, report: Report) {
      tell = report
      if (typeof record['sessionId'] === 'string') return
      if (tag.charCodeAt(0) === letterC && tag.startsWith('control_')) return stepControl(channel, sessions.values(), record, tag, breaks)
      if (isHosts(record, tag)) return void (channel.host = true)
      judgeFields(record, tag, breaks)
      const session = sessionOf(record)
      if (tag === 'system/init') {
        channel.agent = true
        session.inits++
        session.fresh ||= session.openTurns === 0 || session.late
        if (!session.late) session.openTurns++
        session.late = isRepair(record) // added for messages outside any turn: the init that comes at last is theirs
        session.past.clear()
        return
      }
      switch (tag) {
        case 'assistant':
          return stepAssistant(session, record as unknown as Wire<'assistant'>, breaks)
        case 'user':
          return stepUser(session, record as unknown as Wire<'user'>, breaks)
        case 'stream_event':
          return stepStream(session, record as unknown as Wire<'stream_event'>, breaks)
        default:
          if (tag.startsWith('result')) stepResult(session, record as unknown as Wire<'result'>, breaks)
      }
    },
    end(report) {
      for (const [id, { openTurns }] of sessions) {
        if (openTurns === 0) continue
        const which = id === undefined ? '' : ` of session ${quoted(id)}`
        report({
          code: 'missing-end',
          severity: 'error',
          text: `the stream ends inside ${openTurns === 1 ? 'a turn' : `${openTurns} turns`}${which}: no result`,
        })
      }
    },
    missing(next, tag) {
      if (next === undefined) return [...sessions.keys()].flatMap((id) => endOf(id))
      if (tag === undefined || typeof next['sessionId'] === 'string' || isHosts(next, tag) || next['isReplay'] === true) return []
      const id = idOf(next)
      const session = sessions.get(id)
      if (tag.startsWith('result')) return session?.openTurns === 1 && wentWell(next as Wire<'result'>) ? answers(id, session, isMain) : []
      if (tag !== 'assistant' && tag !== 'user' && tag !== 'stream_event') return []
      const stands = laneOf(next) === undefined ? session?.openTurns : session?.inits
      return stands !== undefined && stands > 0 ? [] : [emptyInit(id, ++made)]
    },
  }
}

const idOf = ({ session_id: id }: Rec): string | undefined => (typeof id === 'string' && id !== '' ? id : undefined)

/** A prompt as hosts write it to stdin: no uuid, and no session yet. */
const isHosts = (record: Rec, tag: string): boolean => tag === 'user' && record['uuid'] === undefined && !record['session_id']

function stepResult(session: OrderSession, record: Wire<'result'>, breaks: Breaks): void {
  const { result_index: index, subtype } = record
  // A lone result is legal (nothing could be resumed); so is one more for each task that ended while the agent was busy.
  if (session.openTurns === 0 && session.inits > 0 && !record.origin) breaks('extra-result', 'a result, but no turn is open', 'warn')
  if (index !== undefined) {
    const isFirst = index === 0 && (session.fresh || session.openTurns === 0) // of its process
    if (session.lastIndex !== undefined && index <= session.lastIndex && !isFirst)
      breaks('result-index', `result_index ${index} after ${session.lastIndex}`)
    else if (session.lastIndex !== undefined && index > session.lastIndex + 1)
      breaks('result-index', `result_index ${index} after ${session.lastIndex}: a result is missing`, 'warn')
    session.lastIndex = index
  }
  for (const { tool_use_id: id } of record.permission_denials ?? []) {
    const call = id === undefined ? undefined : session.calls.get(id)
    if (call?.state === 'answered' && call.failed !== true)
      breaks('denied-call', `the call ${quoted(id!)} was denied, but its tool_result is no error`)
  }
  session.fresh = false
  session.openTurns = Math.max(0, session.openTurns - 1)
  if (session.openTurns === 0) {
    if (wentWell(record))
      for (const [id, call] of session.calls)
        if (call.state === 'open' && isMain(call)) breaks('unanswered-call', `no tool_result for ${quoted(id)} before the result`, 'warn')
    forgetTurn(session)
  }
  if (isSilent(record)) breaks('silent-result', 'a result that says neither by subtype nor by is_error how its turn ended')
  if (subtype?.startsWith('error') === true && typeof record.result === 'string') breaks('error-result', `${subtype} carries a result text`)
}

/** Programs leave calls open when a turn fails: at the end of the money, for one. */
const wentWell = ({ subtype, is_error: failed, terminal_reason: why }: Wire<'result'>): boolean =>
  subtype === 'success' && failed !== true && (why ?? 'completed') === 'completed'

/** A subagent may go on after the result. */
const isMain = ({ lane }: Call): boolean => lane === undefined

// ── what a repair adds ───────────────────────────────────────────────────────────────────────────────────────────────────

const named = (session: string | undefined): Rec => (session === undefined ? {} : { session_id: session })

const emptyInit = (session: string | undefined, count: number): Rec => ({
  type: 'system',
  subtype: 'init',
  ...named(session),
  tools: [],
  mcp_servers: [],
  slash_commands: [],
  agents: [],
  skills: [],
  plugins: [],
  permissionMode: 'default',
  uuid: uuidFor(session ?? '', count, 'repair'),
})

const abandoned = (session: string | undefined, count: number, call: string, lane: string | undefined): Rec => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: 'abandoned', is_error: true }] },
  parent_tool_use_id: lane ?? null,
  ...named(session),
  uuid: uuidFor(session ?? '', count, 'repair'),
})

const emptyResult = (session: string | undefined, count: number): Rec => ({
  type: 'result',
  subtype: 'error_during_execution',
  is_error: true,
  duration_ms: 0,
  duration_api_ms: 0,
  num_turns: 0,
  ...named(session),
  total_cost_usd: 0,
  usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
  modelUsage: {},
  permission_denials: [],
  errors: ['the stream ended before the result'],
  uuid: uuidFor(session ?? '', count, 'repair'),
})
