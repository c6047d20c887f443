import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event, EventOf } from '../model/event.ts'
import { createWaiting } from './waiting.ts'

type Told = Partial<Event> & { kind: Event['kind'] }

const start = (at: number): Told => ({ kind: 'tool.start', call: 'c', at, name: 'bash', toolKind: 'execute', input: {} }) as Told
const asks = (at: number, id = 'p'): Told => ({ kind: 'permission.request', call: 'c', id, at, options: [] }) as Told
const answers = (at: number, id = 'p'): Told => ({ kind: 'permission.answer', id, at, decision: 'allow', by: 'user' }) as Told
const end = (at: number | undefined, more: Partial<EventOf<'tool.end'>> = {}): Partial<Event> =>
  ({ call: 'c', at, status: 'ok', ...more }) as Partial<Event>

function took(events: readonly Told[], last: Partial<Event>): number | undefined {
  const waiting = createWaiting()
  for (const event of events) waiting.push(event as Event)
  return waiting.took(last as EventOf<'tool.end'>)
}

test('the time in which a question was open is not the time of the call', () => {
  assert.equal(took([start(0)], end(9000)), 9000)
  assert.equal(took([start(0), asks(100), answers(8100)], end(9000)), 1000)
  assert.equal(took([start(0), asks(100, 'a'), asks(200, 'b'), answers(300, 'a'), answers(8100, 'b')], end(9000)), 1000)
  assert.equal(took([start(0), asks(0), answers(4000), asks(5000, 'q'), answers(8000, 'q')], end(9000)), 2000)
})

test('an agent that tells a time may have counted the waiting or not', () => {
  const asked = [start(0), asks(0), answers(8000)]
  assert.equal(took(asked, end(9000, { durationMs: 9000 })), 1000)
  assert.equal(took(asked, end(9000, { durationMs: 700 })), 700)
  assert.equal(took([start(0)], end(9000, { durationMs: 700 })), 700)
  assert.equal(took([start(0)], end(9000, { startedAt: 1000, endedAt: 3000 })), 2000)
})

test('a question that was open when the call began or ended counts from there', () => {
  assert.equal(took([asks(0), start(5000), answers(6000)], end(9000)), 3000)
  assert.equal(took([start(0), asks(1000)], end(9000, { status: 'cancelled' })), 1000)
})

test('a call that was asked about and denied took no time', () => {
  assert.equal(took([start(0), asks(0), answers(8000)], end(8001, { status: 'denied', durationMs: 8001 })), undefined)
})

test('without times there is none', () => {
  assert.equal(took([{ ...start(0), at: undefined }], end(undefined)), undefined)
  assert.equal(took([{ ...start(0), at: undefined }, asks(0), answers(500)], end(undefined, { durationMs: 900 })), 900)
})
