// What of the dialect's records reaches a host, and when.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { claude } from '../../dialects/claude/index.ts'
import { makeEvent } from '../../model/make.ts'
import type { Kind, Payload, Place } from '../../model/event.ts'
import { hostSink, type HostSinkOptions } from './output.ts'

function sinkWith(options: Partial<HostSinkOptions> = {}) {
  const records: Rec[] = []
  const out = { line: (text: string) => void records.push(JSON.parse(text) as Rec), flush() {} }
  const channel = { wasAnswered: () => true, shown() {} }
  const sink = hostSink(claude, out, {
    partial: false,
    replay: false,
    mode: () => 'default',
    channel,
    onGone: (error) => assert.fail(String(error)),
    ...options,
  })
  const tell = <K extends Kind>(kind: K, payload: Payload<K>, place: Place = {}): void =>
    sink.push(makeEvent(kind, payload, { session: 's', at: 1000, ...place }))
  const open = (): void => {
    tell('session.start', { how: 'new', model: 'm', program: 'sluice' })
    tell('turn.start', { trigger: 'prompt' })
    tell('prompt.submit', { text: 'hi', by: 'host', state: 'sent' })
  }
  return {
    sink,
    records,
    tell,
    open,
    types: () =>
      (records as { type: string; subtype?: string }[]).map(({ type, subtype }) => (subtype === undefined ? type : `${type}/${subtype}`)),
  }
}
type Tell = ReturnType<typeof sinkWith>['tell']

function speak(tell: Tell): void {
  tell('message.start', {}, { message: 'x' })
  tell('text.delta', { text: 'one' }, { message: 'x', block: 0 })
  tell('text.end', { text: 'one', streamed: true }, { message: 'x', block: 0 })
}

test('a prompt is not sent back, and deltas come only when they are wanted', () => {
  const plain = sinkWith()
  plain.open()
  speak(plain.tell)
  plain.tell('message.end', { finish: 'end_turn' }, { message: 'x' })
  plain.tell('turn.end', { reason: 'end_turn' })
  assert.deepEqual(plain.types(), ['system/init', 'assistant', 'result/success'])

  const all = sinkWith({ partial: true, replay: true })
  all.open()
  speak(all.tell)
  all.tell('message.end', { finish: 'end_turn' }, { message: 'x' })
  assert.equal(all.records[1]?.['isReplay'], true)
  assert.ok(all.types().includes('stream_event'))
})

test('each block of a message tells what the message has used', () => {
  for (const partial of [false, true]) {
    const { open, tell, records } = sinkWith({ partial })
    open()
    speak(tell)
    assert.equal(
      records.some(({ type }) => type === 'assistant'),
      false,
    )
    tell('message.end', { finish: 'end_turn', usage: { input: 7, output: 3 } }, { message: 'x' })
    const index = records.findIndex(({ type }) => type === 'assistant')
    const message = records[index]?.['message'] as Rec
    assert.equal((message['usage'] as Rec)['input_tokens'], 7)
    assert.equal(message['stop_reason'], 'end_turn')
    const rest = records.slice(index + 1).map(({ event }) => (event as Rec)['type'])
    assert.deepEqual(rest, partial ? ['content_block_stop', 'message_delta', 'message_stop'] : [])
  }
})

test('a block is not kept back longer than until something else is told', () => {
  const { open, tell, types } = sinkWith()
  open()
  speak(tell)
  tell('tool.start', { name: 'bash', toolKind: 'execute', input: { command: 'ls' } }, { message: 'x', block: 1, call: 'c' })
  assert.deepEqual(types(), ['system/init'])
  tell('turn.end', { reason: 'cancelled' })
  assert.deepEqual(types(), ['system/init', 'assistant', 'assistant', 'user', 'result/error_during_execution'])
})

test('a question goes out with what an "always" would allow; the answer of the host does not come back to it', () => {
  const answered = new Set(['q1'])
  const { open, tell, records } = sinkWith({ channel: { wasAnswered: (id) => answered.has(id), shown() {} } })
  open()
  for (const id of ['q1', 'q2']) {
    const suggestions = [{ permission: 'bash', pattern: 'git push *', action: 'allow' }]
    tell('permission.request', { id, name: 'bash', input: { command: 'git push' }, options: [], suggestions }, { call: 'c' })
    tell('permission.answer', { id, decision: 'allow', by: 'host' }, { call: 'c' })
  }
  const control = records.slice(1)
  assert.deepEqual(
    control.map(({ type, request_id }) => [type, request_id]),
    [
      ['control_request', 'q1'],
      ['control_request', 'q2'],
      ['control_cancel_request', 'q2'], // another answer has decided it
    ],
  )
  assert.deepEqual((control[0]!['request'] as Rec)['permission_suggestions'], [
    { type: 'addRules', rules: [{ toolName: 'bash', ruleContent: 'git push:*' }], behavior: 'allow', destination: 'session' },
  ])
})

test('an interrupt of the host is not sent back, and its result has no errors', () => {
  const { open, tell, records, types } = sinkWith()
  open()
  tell('status.update', { phase: 'thinking' })
  tell('cancel.request', { target: 'turn', by: 'host' })
  tell('turn.end', { reason: 'cancelled', error: { category: 'cancelled', text: 'cancelled' } })
  assert.deepEqual(types(), ['system/init', 'result/error_during_execution'])
  assert.deepEqual(records[1]?.['errors'], [])
})

test('what a host asks about is at hand: mode, model, context, servers', () => {
  const { sink, open, tell, records } = sinkWith({ mode: () => 'plan' })
  open()
  tell('catalog.update', { servers: [{ name: 'calc', status: 'connected' }] })
  speak(tell)
  tell('message.end', { usage: { input: 5 }, context: { used: 5, limit: 100 } }, { message: 'x' })
  assert.equal(records[0]?.['permissionMode'], 'plan')
  assert.deepEqual(sink.known(), {
    isBusy: true,
    turns: 1,
    session: 's',
    model: 'm',
    servers: [{ name: 'calc', status: 'connected' }],
    usage: { input: 5 },
    context: { used: 5, limit: 100 },
  })
  sink.tellMode('default')
  assert.equal(records.at(-1)?.['permissionMode'], 'default')
})
