// Silence, loops and compactions that repeat: on made-up events, and on recordings of agents that were caught in them.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { readFileSync } from 'node:fs'
import { eventsByRecord } from '../../test/fold.ts'
import { holds } from '../../test/properties.ts'
import type { Event, Kind } from '../model/event.ts'
import { legalStream, linesOf, streamDialects } from '../testing/index.ts'
import { createStallFinder, type Stall, type StallOptions } from './stall.ts'

/** Events that name only what matters; each a second after the one before. */
function storyOf(steps: readonly [Kind, Record<string, unknown>?][]): Event[] {
  return steps.map(
    ([kind, more], index) => ({ v: 1, seq: index + 1, at: (index + 1) * 1000, session: 's', kind, ...more }) as unknown as Event,
  )
}
const find = (events: readonly Event[], options?: StallOptions): Stall[] => {
  const finder = createStallFinder(options)
  return events.flatMap((event) => finder.push(event))
}
const begin: [Kind, Record<string, unknown>?] = ['turn.start', { turn: 1 }]
const call = (id: number, input: unknown, name = 'Read'): [Kind, Record<string, unknown>?][] => [
  ['tool.start', { call: `c${id}`, name, toolKind: 'read', input }],
  ['tool.end', { call: `c${id}`, status: 'ok' }],
]
const calls = (inputs: readonly unknown[]): Event[] =>
  storyOf([begin, ...inputs.flatMap((input, index) => call(index, input)), ['turn.end', { turn: 1 }]])

suite('silence', () => {
  const asked = storyOf([
    begin,
    ['tool.start', { call: 'c', name: 'Write', toolKind: 'edit', input: {} }],
    ['permission.request', { id: 'p', name: 'Write' }],
  ])
  test('is told by the clock, once, with what is open', () => {
    const finder = createStallFinder({ silenceMs: 60_000 })
    for (const event of asked) finder.push(event)
    assert.deepEqual(finder.tick(62_999), [])
    assert.deepEqual(finder.tick(63_000), [
      {
        type: 'silence',
        id: 'silence-3',
        session: 's',
        over: false,
        forMs: 60_000,
        from: 3000,
        to: 63_000,
        seq: 3,
        open: [
          { what: 'turn', id: '1' },
          { what: 'tool', id: 'c', name: 'Write' },
          { what: 'permission', id: 'p', name: 'Write' },
        ],
      },
    ])
    assert.deepEqual(finder.tick(99_000), [])
    const [over] = finder.push({ ...asked[2]!, seq: 4, at: 203_000 })
    assert.ok(over?.type === 'silence' && over.over && over.id === 'silence-3')
    assert.equal(over.forMs, 200_000)
  })
  test('is found in a recording by the times of its events', () => {
    const late = { ...asked[2]!, seq: 4, at: 400_000, kind: 'permission.answer' } as unknown as Event
    assert.deepEqual(
      find([...asked, late]).map(({ type, over }) => [type, over]),
      [['silence', true]],
    )
  })
  test('is none when nothing is open', () => {
    const finder = createStallFinder({ silenceMs: 1000 })
    for (const event of storyOf([begin, ['turn.end', { turn: 1 }]])) finder.push(event)
    assert.deepEqual(finder.tick(1e9), [])
  })
  test('goes by the arrival of events that tell no time', () => {
    const finder = createStallFinder({ silenceMs: 1000 })
    finder.push({ ...asked[0]!, at: undefined }, 5000)
    assert.equal(finder.tick(6000).length, 1)
  })
  test('of one session is not broken by another', () => {
    const finder = createStallFinder({ silenceMs: 1000 })
    finder.push(asked[0]!)
    finder.push({ ...asked[0]!, session: 'other', at: 1900 })
    assert.deepEqual(
      finder.tick(2000).map(({ session }) => session),
      ['s'],
    )
  })
})

suite('a loop', () => {
  const numbers = (found: readonly Stall[]): unknown[] =>
    found.map((one) => (one.type === 'loop' ? [one.times, one.calls.map(({ subject }) => subject).join(), one.seqs, one.over] : one))
  const path = (name: string): object => ({ file_path: name })
  test('is the same call with the same input again and again, told when found and when over', () =>
    assert.deepEqual(numbers(find(calls(Array(7).fill(path('a'))))), [
      [5, 'a', [2, 10], false],
      [7, 'a', [2, 14], true],
    ]))
  test('is none with one time less, or with other input', () => {
    assert.deepEqual(find(calls(Array(4).fill(path('a')))), [])
    assert.deepEqual(find(calls([1, 2, 3, 4, 5, 6, 7].map((line) => ({ file_path: 'a', line })))), [])
  })
  test('may be calls that take turns', () => {
    assert.deepEqual(
      numbers(
        find(
          calls(
            Array(6)
              .fill([path('a'), path('b'), path('c')])
              .flat(),
          ),
        ),
      ).at(-1),
      [6, 'a,b,c', [2, 36], true],
    )
    assert.equal(find(calls(['a', 'b', 'a', 'c', 'a', 'b', 'a', 'c'].map(path))).length, 0)
  })
  test('is over with another call', () =>
    assert.deepEqual(numbers(find(calls([...Array(5).fill(path('a')), path('b'), path('a')]))), [
      [5, 'a', [2, 10], false],
      [5, 'a', [2, 10], true],
    ]))
  test('is no loop when it tests, edits and tests again', () =>
    assert.deepEqual(
      find(calls(Array.from({ length: 20 }, (_, index) => (index % 2 ? path('test') : { file_path: 'a', edit: index })))),
      [],
    ))
  test('is found in input that comes after the start', () => {
    const steps = Array.from({ length: 5 }, (_, id): [Kind, Record<string, unknown>?][] => [
      ['tool.start', { call: `c${id}`, name: 'Bash', toolKind: 'execute' }],
      ['tool.update', { call: `c${id}`, state: 'running', input: { command: 'ls' } }],
      ['tool.end', { call: `c${id}`, status: 'ok' }],
    ]).flat()
    assert.deepEqual(numbers(find(storyOf([begin, ...steps]))), [[5, 'ls', [2, 14], false]])
  })
  test('of one lane is not broken by another', () => {
    const steps = Array.from({ length: 5 }, (_, id) => [
      ...call(id, path('a')),
      ...call(id + 100, { id }).map(([kind, more]): [Kind, object] => [kind, { ...more, agent: 'x' }]),
    ]).flat()
    assert.equal(find(storyOf([begin, ...steps] as [Kind, Record<string, unknown>?][])).length, 1)
  })
})

suite('a compaction that repeats', () => {
  const trim: [Kind, Record<string, unknown>?] = ['context.trim', { why: 'compact' }]
  test('is told with its events', () => {
    const found = find(storyOf([begin, trim, ['error'], trim, ...call(1, 1), trim, trim, ['turn.end', { turn: 1 }]]))
    assert.deepEqual(
      found.map((one) => (one.type === 'compaction' ? [one.times, one.seqs, one.over] : one)),
      [
        [3, [2, 4, 7], false],
        [4, [2, 4, 7, 8], true],
      ],
    )
  })
  test('is none when somebody clears the context or goes back', () => {
    const asked = (more: object): [Kind, Record<string, unknown>?] => ['context.trim', { ...more }]
    const [clear, rewind] = [asked({ why: 'clear' }), asked({ why: 'trim', trigger: 'manual' })]
    assert.deepEqual(find(storyOf([begin, clear, clear, clear, rewind, rewind, rewind])), [])
    assert.equal(find(storyOf([begin, trim, asked({ why: 'trim', trigger: 'auto' }), asked({ why: 'trim' })])).length, 1)
  })
  test('is none when work was done in between', () => {
    const work = Array.from({ length: 5 }, (_, id) => call(id, { id })).flat()
    assert.deepEqual(find(storyOf([begin, trim, ...work, trim, ...work, trim, ...work, trim])), [])
  })
})

suite('recordings', () => {
  const recorded = (path: string, dialect: 'claude' | 'opencode'): Stall[] =>
    find(eventsByRecord(readFileSync(new URL(`../../fixtures/${dialect}/${path}`, import.meta.url), 'utf8'), dialect).flat()).filter(
      ({ over }) => over,
    )
  test('of Claude, which reads one file again and again', () => {
    const found = recorded('2.1.325/t-loop.ndjson', 'claude')
    assert.deepEqual(
      found.map((one) => (one.type === 'loop' ? [one.calls[0]!.name, one.times] : one)),
      [['Read', 12]],
    )
  })
  test('of opencode, which makes its context smaller for ever', () => {
    const found = recorded('1.18.33/run/h-400-context.ndjson', 'opencode')
    assert.deepEqual(
      found.map(({ type, ...one }) => [type, 'times' in one && one.times]),
      [['compaction', 314]],
    )
  })
})

test('legal streams of every dialect give verdicts that hold together', () =>
  holds(60, (seed) => {
    for (const dialect of streamDialects)
      for (const one of find(eventsByRecord(linesOf(legalStream(dialect, seed)), dialect).flat(), {
        repeats: 2,
        silenceMs: 1,
        compactions: 1,
      })) {
        if (one.type === 'silence') assert.ok(one.forMs >= 1 && one.open.length > 0)
        else assert.ok(one.times >= (one.type === 'loop' ? 2 : 1) && one.seqs[0]! <= one.seqs.at(-1)!)
      }
  }))
