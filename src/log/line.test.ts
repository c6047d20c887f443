import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Event } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createPen } from '../model/pen.ts'
import { lineOf } from './line.ts'

const textOf = (event: Event, seq?: number): string => Buffer.from(lineOf(event, seq).text).toString()
const origin = { dialect: 'claude', record: 3, offset: 1234, length: 56, line: undefined, from: undefined }

/** As a decoder's pen makes it. */
function delta(text: string, session = 's'): Event {
  const pen = createPen()
  pen.begin(origin)
  pen.emit('text.delta', { text }, { at: 1_794_826_656_216, session, message: 'm', block: 0 })
  return pen.take().at(-1)!
}

test('the line of an event is its JSON, also when its number has changed or another came between', () => {
  for (const make of [delta, (text: string) => makeEvent('text.delta', { text }, { at: 1, session: 's' })]) {
    const [one, other] = [make('a'), make('b')]
    for (const event of [one, one, other, one]) assert.equal(textOf(event), JSON.stringify(event))
    one.seq = 7
    assert.equal(textOf(one), JSON.stringify(one))
    assert.match(textOf(one), /^{"v":1,"seq":7,/)
    assert.equal(textOf(one, 123_456_789_012), JSON.stringify({ ...one, seq: 123_456_789_012 }))
    assert.equal(textOf(one), JSON.stringify(one))
  }
})

test('whatever an event holds, its line is its JSON', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.string({ maxLength: 400 }),
    fc.constantFrom('"', '\\', '\n', '\u007f', 'ü', '\ud800', '🙂', '\u2028', 'x'.repeat(300_000), '→'.repeat(60_000)),
  )
  const number = fc.oneof(fc.nat(), fc.double(), fc.constantFrom(-0, 999_999_999, 1e9, 1e15, 2 ** 53 - 1, 2 ** 53, 1e21, -1, Number.NaN))
  const parts = {
    at: number,
    session: text,
    turn: number,
    message: text,
    block: number,
    agent: text,
    call: text,
    clock: fc.constant('arrival'),
    synthetic: text,
    ext: fc.dictionary(text, fc.jsonValue()),
    origin: fc.record({ dialect: text, record: number, offset: number, line: number, from: text }, { requiredKeys: [] }),
    of: text,
    data: fc.jsonValue(),
    list: fc.array(fc.option(fc.jsonValue(), { nil: undefined })),
    isSo: fc.boolean(),
    nothing: fc.constant(null),
    raw: text,
    ['an odd "key" ü']: number,
  }
  fc.assert(
    fc.property(fc.record(parts, { requiredKeys: [] }), text, fc.nat(), (more, words, seq) => {
      const events: Event[] = [Object.assign(delta(words), more), { ...more, ...delta(words) } as Event, { ...delta(words), v: 2 as 1 }]
      for (const event of events) {
        event.seq = seq
        assert.equal(textOf(event), JSON.stringify(event))
      }
    }),
  )
})

test('an origin that says nothing', () => assert.ok(textOf(Object.assign(delta('a'), { origin: {} })).includes('"origin":{}')))

test('an event that is nested deeper than the engine can follow is still written', () => {
  let data: unknown = 'deep'
  for (let depth = 0; depth < 100_000; depth++) data = [data]
  const event = Object.assign(delta('a'), { ext: { data } })
  assert.ok(textOf(event).includes(`[[["deep"]]]`))
})

test('a long line leaves no large block behind', () => {
  lineOf(delta('x'.repeat(10_000_000)))
  assert.ok(lineOf(delta('short')).text.buffer.byteLength < 1_000_000)
})
