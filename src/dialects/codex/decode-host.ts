// What the host tells the app-server, and the answers of either side. A host's words recorded alone still tell the prompts.
import { isRecord, type Rec } from '../../base/json.ts'
import { unreadableEnd } from '../../model/fault.ts'
import { str } from '../values.ts'
import { answered, askOf, refused } from './decode-ask.ts'
import { opened } from './decode-server.ts'
import { echo, enter, here, most, newThread, put, type Reader, type Thread, threadAt } from './decode-state.ts'
import { endTurn, startSession, startTurn, updateSetting } from './decode-thread.ts'
import { otherBlocks, settingOf, textIn } from './values.ts'
import type { Params, Wire } from './wire.ts'
import { faultFrom } from './words.ts'

// ── requests ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Remembered until the answer comes, which does not say what it answers. */
export function called(on: Reader, { id, method }: Rec): void {
  if (typeof id === 'string' || typeof id === 'number') put(on.calls, String(id), { method: String(method), thread: on.thread }, most.calls)
}

function wants(on: Reader, params: Params<'thread/start'>): void {
  on.wanted = settingOf(params)
  enter(on, newThread(undefined)) // a thread that is forked is not spoken of
  on.pen.raw(on.tag, 'redundant') // the answer tells what became of it
}

function prompt(on: Reader, params: Params<'turn/steer'>, delivery?: string): void {
  const { input } = params
  const id = str((params as Rec)['clientUserMessageId'])
  if (!on.pen.isStarted() && on.thread.lane === undefined) {
    startSession(on, on.wanted, 'implied')
    on.wanted = {}
  }
  on.thread.unseen = on.thread.turn === undefined ? 1 : on.thread.unseen + 1
  on.pen.emit('prompt.submit', { text: textIn(input), content: otherBlocks(input), by: 'user', state: 'sent', id, delivery }, here(on))
}

function turnStart(on: Reader, params: Params<'turn/start'>): void {
  prompt(on, params)
  const setting = settingOf(params)
  if (Object.values(setting).some((value) => value !== undefined)) updateSetting(on, setting, 'host')
}

// ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Only what a host answers has one of these. */
const isAnswer = (result: unknown): boolean =>
  isRecord(result) &&
  ('decision' in result || 'answers' in result || 'action' in result || 'permissions' in result || 'contentItems' in result)

export function response(on: Reader, record: Wire<'response'>): void {
  const id = String(record.id)
  const { result } = record
  const ask = askOf(on, id)
  if (on.from === 'host' || (on.from === undefined && isAnswer(result))) {
    if (ask === undefined) return on.pen.raw(on.tag, 'unmapped') // also a host's words, recorded without the questions
    enter(on, ask.thread)
    return answered(on, id, ask, result)
  }
  const { method } = on.calls.get(id) ?? {}
  on.calls.delete(id)
  const wire = isRecord(result) ? result['thread'] : undefined
  // Only a start tells the settings beside the thread; others read it.
  if (!isThread(wire) || !isRecord(result) || !('model' in result))
    return on.pen.raw(on.tag, isRecord(result) && 'turn' in result ? 'redundant' : 'unmapped')
  enter(on, threadAt(on, wire.id))
  const how = hows.get(method ?? '')
  on.thread.hasAnswers ||= how === 'resumed' || how === 'forked'
  opened(on, wire, result, how)
}

const hows = new Map<string, 'new' | 'resumed' | 'forked'>([
  ['thread/start', 'new'],
  ['thread/resume', 'resumed'],
  ['thread/fork', 'forked'],
])

/** No check has seen what a response holds. */
const isThread = (wire: unknown): wire is Params<'thread/started'>['thread'] =>
  isRecord(wire) && typeof wire['id'] === 'string' && threadTexts.every((key) => typeof (wire[key] ?? '') === 'string')
const threadTexts = ['parentThreadId', 'forkedFromId', 'agentRole', 'agentNickname', 'model', 'modelProvider', 'cwd', 'cliVersion', 'name']

export function responseError(on: Reader, { id: wireId, error }: Wire<'response/error'>): void {
  const id = String(wireId)
  const ask = askOf(on, id)
  if (on.from !== 'agent' && ask !== undefined && (on.from === 'host' || !on.calls.has(id))) {
    enter(on, ask.thread)
    return refused(on, id, ask, error)
  }
  const { method, thread } = on.calls.get(id) ?? {}
  on.calls.delete(id)
  if (method === 'turn/start' || method === 'turn/steer') thread!.unseen--
  if (method === 'turn/start' || hows.has(method ?? '')) return notBegun(on, method === 'turn/start' ? thread! : on.thread, error.message)
  on.pen.emit('notice', { level: 'warn', code: method ?? on.tag, text: error.message, data: error })
}

/** An error of the wrong shape is a no all the same. */
export function unreadableError(on: Reader, record: Rec): void {
  const { id } = record
  const { text } = unreadableEnd(record)
  if (typeof id === 'string' || typeof id === 'number') responseError(on, { id, error: { message: text } })
}

/** A turn, or the whole thread, that the program will not begin: for who asked, a turn that failed. */
function notBegun(on: Reader, thread: Thread, text: string): void {
  enter(on, thread)
  if (thread.turn !== undefined) return on.pen.emit('error', { scope: 'turn', fatal: false, error: faultFrom(text) }, here(on))
  if (!on.pen.isStarted()) startSession(on, on.wanted, 'implied')
  startTurn(on, undefined, 'implied')
  endTurn(on, { reason: 'error', error: faultFrom(text) }, 'implied')
}

export const readers = {
  'thread/start': wants,
  'thread/resume': wants,
  'thread/fork': wants,
  'thread/name/set': (on: Reader, { name }: Params<'thread/name/set'>): void =>
    on.pen.isStarted() ? on.pen.emit('session.update', { by: 'host', title: name }) : echo(on),
  'turn/start': turnStart,
  'turn/steer': (on: Reader, params: Params<'turn/steer'>): void => prompt(on, params, 'steer'),
  'turn/interrupt': (on: Reader, _params: Params<'turn/interrupt'>, record: Rec): void =>
    on.pen.emit('cancel.request', { target: 'turn', by: 'host', id: String(record['id']) }, here(on)),
}
