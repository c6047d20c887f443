// stdout of `codex exec --json`. One thread a process, one turn a prompt; a resumed thread goes on counting its tokens.
import type { Rec } from '../../base/json.ts'
import { userInput } from './decode-ask.ts'
import { trouble } from './decode-beside.ts'
import { readItem, textDelta } from './decode-item.ts'
import { enter, type Phase, type Reader, threadAt } from './decode-state.ts'
import { endTurn, leaveThread, spend, startSession, startTurn } from './decode-thread.ts'
import { usageOf } from './values.ts'
import type { Wire } from './wire.ts'
import type { Item } from './wire-item.ts'
import { faultFrom, reasonOfFault } from './words.ts'

function threadStarted(on: Reader, { thread_id: id }: Wire<'thread.started'>): void {
  leaveThread(on)
  enter(on, (on.current = threadAt(on, id)))
  startSession(on, {})
}

function turnCompleted(on: Reader, { usage }: Wire<'turn.completed'>): void {
  const total = usageOf(usage)
  if (total !== undefined) spend(on, total)
  endTurn(on, { reason: 'end_turn' })
}

function turnFailed(on: Reader, { error }: Wire<'turn.failed'>): void {
  const fault = faultFrom(error.message)
  endTurn(on, { reason: reasonOfFault(fault), error: fault })
}

export function item(on: Reader, { type, item: told }: Rec): void {
  on.tag = String(type)
  readItem(on, told as Item, on.tag.slice('item.'.length) as Phase)
}

export const readers = {
  'thread.started': threadStarted,
  'turn.started': (on: Reader): void => startTurn(on),
  'turn.completed': turnCompleted,
  'turn.failed': turnFailed,
  'item.plan.delta': (on: Reader, { item_id: id, delta }: Wire<'item.plan.delta'>): void => textDelta(on, id, delta),
  request_user_input: (on: Reader, { call_id: call, questions }: Wire<'request_user_input'>): void => userInput(on, call, questions, call),
  error: (on: Reader, { message }: Wire<'error'>): void => trouble(on, message),
}
