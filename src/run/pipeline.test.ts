import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import type { Delta, Pieces } from '../model/pieces.ts'
import { createPipeline, type EventSink, type Stage } from './pipeline.ts'

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
    passes: () => 0,
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

const pieces = (...texts: string[]): Pieces => {
  const all = (text: string): Delta => makeEvent('text.delta', { text }, {}) as Delta
  const joined = all(texts.join(''))
  return {
    count: texts.length,
    joined,
    end: (index) => texts.slice(0, index + 1).join('').length,
    first: (count) => pieces(...texts.slice(0, count)),
    events: (from = 0) => texts.slice(from).map((text, index) => ({ ...all(text), seq: joined.seq + from + index })),
    write: () => undefined,
  }
}

test('of pieces those pass together that every stage lets pass; the others come one by one, and all are numbered', () => {
  const lines: string[] = []
  const tell = ({ seq, kind }: Event, more: unknown): number => lines.push(`${seq} ${kind} ${String(more)}`)
  const joining: EventSink = {
    push: (event) => void tell(event, 1),
    pieces: ({ joined, count }) => void tell(joined, count),
    flush() {},
    end() {},
  }
  const single = collector()
  const seen: string[] = []
  const stage = (most: number): Stage => ({
    push(events, pass) {
      for (const event of events) seen.push(`${most}:${(event as Delta).text}`)
      pass(events)
    },
    passes({ count, joined }) {
      if (most > 0) seen.push(`${most}:${joined.text.slice(0, most)}`)
      return Math.min(most, count)
    },
  })
  const pipeline = createPipeline([stage(9), stage(3), stage(4)], [joining, single], 'run_1')
  pipeline.pieces(pieces('a', 'b', 'c', 'd', 'e'))
  assert.deepEqual(seen, ['9:abcde', '3:abc', '4:abc', '3:d', '3:e', '4:d', '4:e'], 'each stage sees each once, in order')
  pipeline.pieces(pieces('f', 'g'))
  assert.deepEqual(lines, ['1 text.delta 3', '4 text.delta 1', '5 text.delta 1', '6 text.delta 2'])
  assert.deepEqual(
    single.lines,
    [1, 2, 3, 4, 5, 6, 7].map((seq) => `${seq} text.delta`),
  )
  createPipeline([stage(3), stage(0)], [joining]).pieces(pieces('a', 'b'))
  assert.deepEqual(lines.slice(4), ['1 text.delta 1', '2 text.delta 1'])
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
