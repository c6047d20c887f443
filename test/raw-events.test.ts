// A record that is kept as it came, in the middle of events that have no record behind them: it goes back as it is, and hides nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWritable } from '../src/dialects/contract.ts'
import { convert, dialects } from '../src/index.ts'
import { makeEvent } from '../src/model/make.ts'
import type { Event } from '../src/model/event.ts'
import { dialectSink } from '../src/run/sinks.ts'

const place = { session: 's', at: 1 }
const custom = '{"event":"my.progress","done":3}'
const events: Event[] = [
  makeEvent('session.start', { program: 'sluice' }, place),
  makeEvent('turn.start', { trigger: 'prompt' }, { ...place, turn: 1 }),
  {
    ...makeEvent('raw', { type: 'my.progress', why: 'unknown' }, { ...place, turn: 1 }),
    origin: { dialect: 'avenor', record: 1, offset: 0, length: custom.length },
    raw: custom,
  },
  makeEvent('text.end', { text: 'still here', streamed: false }, { ...place, turn: 1, message: 'm', block: 0 }),
  makeEvent('turn.end', { reason: 'end_turn' }, { ...place, turn: 1 }),
  makeEvent('session.end', { reason: 'end_turn' }, place),
].map((event, index) => ({ ...event, seq: index + 1 }))

test('in a recording', () => {
  const { text } = convert(events.map((event) => `${JSON.stringify(event)}\n`).join(''), { from: 'sluice', to: 'avenor' })
  assert.match(text, /my\.progress/)
  assert.match(text, /still here/)
  assert.match(text, /"stop_reason":"end_turn"/)
})

test('while it happens', () => {
  const lines: string[] = []
  const { avenor } = dialects
  assert.ok(isWritable(avenor))
  const sink = dialectSink(avenor, { line: (line) => void lines.push(line), flush: () => {} }, (error) => assert.fail(String(error)))
  for (const event of events) sink.push({ ...event })
  sink.end()
  assert.ok(lines.includes(custom))
  assert.ok(lines.some((line) => line.includes('still here')))
})

test('one that stood on several lines is one line', () => {
  const spread = '{\n  "type": "text",\n  "text": "as printed"\n}\n'
  const own = convert(spread, { from: 'claude', to: 'sluice' }).text
  assert.equal(convert(own, { from: 'sluice', to: 'claude' }).text, '{"type": "text","text": "as printed"}\n')
})

test('a long one stays whole, and an object without a type is none', () => {
  const long = `{"type":"brand_new","session_id":"s","data":"${'x'.repeat(100_000)}"}`
  const own = convert(`${long}\n{"hello":"${'y'.repeat(70_000)}"}\n`, { from: 'claude', to: 'sluice' }).text
  assert.equal(convert(own, { from: 'sluice', to: 'claude' }).text, `${long}\n`)
})
