import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { inBatches } from './batching.ts'

const piece = (text: string): Event => makeEvent('text.delta', { text }, {})
const notice = (text: string): Event => makeEvent('notice', { level: 'info', text }, {})

test('pieces that come together are told together, and before anything else', () => {
  const said: string[] = []
  const host = inBatches({
    emit: (events) => void said.push(events.map((event) => (event as { text?: string }).text).join(' ')),
    raise: ({ id }) => void said.push(`raise ${id}`),
    withdraw: (id) => void said.push(`withdraw ${id}`),
    now: () => 1,
  })
  for (const event of [piece('a'), piece('b'), notice('c'), piece('d'), piece('e')]) host.tell(event)
  host.emit([notice('f')])
  host.tell(piece('g'))
  host.withdraw('h')
  host.tell(piece('i'))
  host.release()
  host.release()
  assert.deepEqual(said, ['a b c', 'd e', 'f', 'g', 'withdraw h', 'i'])
  assert.equal(host.judge, undefined)
})

test('what is said while a batch is told comes after it, and is told once', () => {
  const said: string[] = []
  const host = inBatches({
    emit(events) {
      for (const event of events) said.push((event as { text: string }).text)
      if (said.length === 2) host.emit([notice('answer')])
    },
    raise() {},
    withdraw() {},
    now: () => 1,
  })
  host.tell(piece('a'))
  host.tell(piece('b'))
  host.release()
  assert.deepEqual(said, ['a', 'b', 'answer'])
})

test('a record that says nothing in our words waits for the next event like a piece', () => {
  const said: string[] = []
  const host = inBatches({
    emit: (events) => void said.push(events.map(({ kind }) => kind).join(' ')),
    raise() {},
    withdraw() {},
    now: () => 1,
  })
  for (const event of [piece('a'), makeEvent('raw', { type: 'ping', why: 'redundant' }, {}), piece('b')]) host.tell(event)
  assert.deepEqual(said, [])
  host.release()
  assert.deepEqual(said, ['text.delta raw text.delta'])
})
