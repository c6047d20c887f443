import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeEvent } from '../model/make.ts'
import type { EventSink } from './contract.ts'
import { createPipeline, type Stage } from './pipeline.ts'

const notice = (text: string) => makeEvent('notice', { level: 'info', text }, {})

function collector(): EventSink & { lines: string[] } {
  const lines: string[] = []
  return {
    lines,
    push: (event) => void lines.push(`${event.seq} ${event.kind === 'notice' ? event.text : event.kind}`),
    flush: () => void lines.push('flush'),
    end: () => void lines.push('end'),
  }
}

test('stages add before and after, and the numbers have no gap', () => {
  const doubling: Stage = {
    push: (events, pass) => events.forEach((event) => pass([notice('before'), event])),
    end: (pass) => pass([notice('last')]),
  }
  const sink = collector()
  const pipeline = createPipeline([doubling], [sink])
  pipeline.emit([notice('a'), notice('b')])
  pipeline.end()
  pipeline.end()
  assert.deepEqual(sink.lines, ['1 before', '2 a', '3 before', '4 b', '5 last', 'flush', 'end'])
})

test('what is told in one go is flushed in one go, and nothing comes after the end', async () => {
  const sink = collector()
  const pipeline = createPipeline([], [sink])
  pipeline.emit([notice('a')])
  pipeline.emit([notice('b')])
  await new Promise(setImmediate)
  pipeline.end()
  pipeline.emit([notice('late')])
  assert.deepEqual(sink.lines, ['1 a', '2 b', 'flush', 'flush', 'end'])
})

test('a flood is flushed before it ends', () => {
  const sink = collector()
  const pipeline = createPipeline([], [sink])
  for (let count = 0; count < 1100; count++) pipeline.emit([notice('a')])
  assert.equal(sink.lines.filter((line) => line === 'flush').length, 2)
  assert.equal(sink.lines.indexOf('flush'), 512)
})

test('at the end all are flushed before the first ends, and all have ended before the first closes', () => {
  const order: string[] = []
  const named = (name: string): EventSink => ({
    push: () => undefined,
    flush: () => void order.push(`flush ${name}`),
    end: () => void order.push(`end ${name}`),
    close: () => void order.push(`close ${name}`),
  })
  createPipeline([], [named('a'), named('b')]).end()
  assert.deepEqual(order, ['flush a', 'flush b', 'end a', 'end b', 'close a', 'close b'])
})
