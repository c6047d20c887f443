// Questions and answers on the control channel, both directions in one stream: what the agent asks and what its host says.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Event, EventOf } from '../../model/event.ts'
import { syntheticOf, wireId } from '../contract.ts'
import { release } from './encode-message.ts'
import { callId, write, type WriteAsk, type Writer } from './encode-state.ts'
import { denial } from './encode-tool.ts'

/** Control records name no session and have no uuid. */
function send(on: Writer, event: Event, record: Rec): void {
  on.sink.write(record, syntheticOf(event))
}

const request = (id: string, body: Rec): Rec => ({ type: 'control_request', request_id: id, request: body })
const success = (id: string, response: Rec): Rec => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id, response },
})

type Asking = EventOf<'permission.request' | 'question.request' | 'hook.start'>

/** Gives the id on the wire. One that waits there for another session's answer gets a number: records of the channel name no session. */
function open(on: Writer, event: Asking, key: string, ask: Omit<WriteAsk, 'wire'>): string {
  const { asks } = on.session
  const name = wireId(event.id)
  let wire = asks.get(key)?.wire
  if (wire === undefined) {
    wire = name
    for (let n = 2; on.waiting.has(wire); n++) wire = `${name}-${n}`
    if (wire !== name) on.sink.lost(event, 'id', 'approx')
    on.waiting.add(wire)
  }
  asks.set(key, { ...ask, wire })
  return wire
}

function close(on: Writer, key: string): WriteAsk | undefined {
  const ask = on.session.asks.get(key)
  on.session.asks.delete(key)
  if (ask?.wire !== undefined) on.waiting.delete(ask.wire)
  return ask
}

/** The call that a question is about, if the stream has shown it. */
function callOf(on: Writer, event: Event): string | undefined {
  if (event.call === undefined) return undefined
  const call = callId(event)
  const known = on.session.calls.get(call)
  if (known === undefined) return undefined
  release(on, known.lane, call, undefined)
  return call
}

// ── permissions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

export function permissionRequest(on: Writer, event: EventOf<'permission.request'>): void {
  const call = callOf(on, event)
  const known = call === undefined ? undefined : on.session.calls.get(call)
  const name = known?.name || event.name || event.permission || 'unknown'
  const input = isRecord(event.input) ? event.input : isRecord(known?.input) ? known.input : {}
  const id = open(on, event, event.id, { name, input, question: false, call })
  const body: Rec = { subtype: 'can_use_tool', tool_name: name, input }
  if (event.question !== undefined) body['description'] = event.question
  if (event.suggestions !== undefined) body['permission_suggestions'] = event.suggestions
  if (call !== undefined) body['tool_use_id'] = call
  if (event.agent !== undefined) body['agent_id'] = wireId(event.agent)
  if (event.needsUser !== undefined) body['requires_user_interaction'] = event.needsUser
  send(on, event, request(id, body))
}

export function permissionAnswer(on: Writer, event: EventOf<'permission.answer'>): void {
  const { session } = on
  const ask = event.id === undefined ? undefined : close(on, event.id)
  if (ask?.wire === undefined) return unasked(on, event)
  const { wire: id } = ask
  switch (event.decision) {
    case 'allow':
      return send(on, event, success(id, { behavior: 'allow', updatedInput: isRecord(event.input) ? event.input : ask.input }))
    case 'reject': {
      session.turn.denied.set(ask.call ?? id, denial(ask.call ?? '', ask))
      const response: Rec = { behavior: 'deny', message: event.text ?? 'denied' }
      if (event.stop === true) response['interrupt'] = true
      return send(on, event, success(id, response))
    }
    default:
      send(on, event, { type: 'control_cancel_request', request_id: id })
  }
}

/** Decided without a question. Only a refusal has a record of its own; it names its call or cannot be told. */
function unasked(on: Writer, event: EventOf<'permission.answer'>): void {
  const { session } = on
  if (event.decision !== 'reject') return on.sink.lost(event)
  const call = callOf(on, event)
  const known = call === undefined ? undefined : session.calls.get(call)
  const name = known?.name || event.name || event.permission
  if (name === undefined) return on.sink.lost(event)
  const id = call ?? (event.call === undefined ? undefined : wireId(event.call))
  session.turn.denied.set(id ?? name, denial(id ?? '', { name, input: known?.input ?? event.input }))
  const reason = event.by === 'rule' || event.by === 'mode' || event.by === 'hook' ? { decision_reason_type: event.by } : {}
  write(
    on,
    {
      type: 'system',
      subtype: 'permission_denied',
      tool_name: name,
      ...(id === undefined ? {} : { tool_use_id: id }),
      ...reason,
      message: event.text ?? `${name} was not permitted`,
    },
    syntheticOf(event),
    event,
  )
}

// ── questions ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function questionRequest(on: Writer, event: EventOf<'question.request'>): void {
  const questions = event.questions.map(({ text, header, options, many }) => ({
    question: text,
    header: header ?? '',
    options,
    multiSelect: many === true,
  }))
  const call = callOf(on, event)
  const id = open(on, event, event.id, { name: 'AskUserQuestion', input: { questions }, question: true, call })
  const body: Rec = { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: { questions } }
  if (call !== undefined) body['tool_use_id'] = call
  send(on, event, request(id, { ...body, requires_user_interaction: true }))
}

export function questionAnswer(on: Writer, event: EventOf<'question.answer'>): void {
  const ask = close(on, event.id)
  if (ask?.wire === undefined) return on.sink.lost(event)
  const { wire: id } = ask
  if (event.decision === 'allow')
    return send(
      on,
      event,
      success(id, {
        behavior: 'allow',
        updatedInput: { ...(isRecord(ask.input) ? ask.input : {}), answers: event.answers ?? {} },
      }),
    )
  if (event.decision === 'reject') return send(on, event, success(id, { behavior: 'deny', message: event.text ?? 'declined' }))
  send(on, event, { type: 'control_cancel_request', request_id: id })
}

// ── hooks ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function hookStart(on: Writer, event: EventOf<'hook.start'>): void {
  const { id, name, event: hook } = event
  const ask = { name, input: hook, question: event.needsAnswer === true, call: undefined }
  if (event.needsAnswer === true)
    return send(
      on,
      event,
      request(open(on, event, `hook ${id}`, ask), {
        subtype: 'hook_callback',
        callback_id: name,
        input: { hook_event_name: hook },
        ...(event.call === undefined ? {} : { tool_use_id: callId(event) }),
      }),
    )
  on.session.asks.set(`hook ${id}`, { ...ask, wire: undefined })
  write(on, { type: 'system', subtype: 'hook_started', hook_id: wireId(id), hook_name: name, hook_event: hook }, syntheticOf(event), event)
}

export function hookEnd(on: Writer, event: EventOf<'hook.end'>): void {
  const { id, status, text } = event
  const started = close(on, `hook ${id}`)
  if (started?.wire !== undefined) {
    const { wire } = started
    if (status === 'cancelled' || status === 'abandoned') return send(on, event, { type: 'control_cancel_request', request_id: wire })
    if (status === 'error')
      return send(on, event, {
        type: 'control_response',
        response: { subtype: 'error', request_id: wire, error: text ?? 'failed' },
      })
    return send(on, event, success(wire, status === 'denied' ? { decision: 'block', reason: text ?? '' } : { continue: true }))
  }
  const outcome = status === 'ok' ? 'success' : status === 'cancelled' || status === 'abandoned' ? 'cancelled' : 'error'
  const code = event.exitCode ?? (status === 'ok' ? 0 : status === 'denied' ? 2 : undefined)
  write(
    on,
    {
      type: 'system',
      subtype: 'hook_response',
      hook_id: wireId(id),
      hook_name: started?.name ?? '',
      hook_event: typeof started?.input === 'string' ? started.input : '',
      output: text ?? '',
      stdout: status === 'ok' ? (text ?? '') : '',
      stderr: status === 'ok' ? '' : (text ?? ''),
      ...(code === undefined ? {} : { exit_code: code }),
      outcome,
    },
    syntheticOf(event),
    event,
  )
}

export function cancelRequest(on: Writer, event: EventOf<'cancel.request'>): void {
  const id = wireId(event.id ?? `~interrupt-${++on.made}`)
  if (event.target === 'task' && event.task !== undefined)
    return send(on, event, request(id, { subtype: 'stop_task', task_id: wireId(event.task) }))
  send(on, event, request(id, { subtype: 'interrupt' }))
}
