import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Event, Usage } from '../model/event.ts'
import { createUsage, type UsageOptions } from './usage.ts'

type Bare = Record<string, unknown> & { kind: Event['kind'] }
let seq = 0
const event = (bare: Bare): Event => ({ v: 1, seq: ++seq, session: 's', ...bare }) as unknown as Event
const fold = (events: readonly Bare[], options: UsageOptions = {}) => {
  const usage = createUsage(options)
  for (const bare of events) usage.push(event(bare))
  return usage.report()
}
const sum = ({ input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0 }: Usage): number[] => [
  input,
  output,
  reasoning,
  cacheRead,
  cacheWrite,
]
const totalsOf = (events: readonly Bare[], options?: UsageOptions): number[] => sum(fold(events, options).totals)
const used = (input: number, output = 0): Usage => ({ input, output, reasoning: 0, cacheRead: 0, cacheWrite: 0 })
const message = (id: string, usage: Usage, more: object = {}): Bare[] => [
  { kind: 'message.start', message: id, at: 1000, ...more },
  { kind: 'message.end', message: id, usage, usageFinal: true, at: 2000, ...more },
]

test('messages add up, and one that is told again counts once', () => {
  const events = [...message('a', used(1, 10)), ...message('b', used(2, 20))]
  assert.deepEqual(totalsOf(events), [3, 30, 0, 0, 0])
  assert.deepEqual(totalsOf([...events, ...events]), [3, 30, 0, 0, 0])
  assert.deepEqual(totalsOf([...message('a', used(1, 1)), ...message('a', used(1, 10))]), [1, 10, 0, 0, 0])
  assert.deepEqual(totalsOf([...message('a', used(1, 10)), ...message('a', used(1, 1))]), [1, 10, 0, 0, 0])
})

test('the sum of a turn replaces its messages, and later messages come on top', () => {
  const turn: Bare = { kind: 'turn.end', reason: 'end_turn', usage: used(5, 50) }
  assert.deepEqual(totalsOf([...message('a', used(1, 1)), turn, ...message('b', used(2, 2))]), [7, 52, 0, 0, 0])
})

test('of what a log without turns tells, the sum of a turn replaces what the stream tells again, and what lies between', () => {
  const day = 86_400_000
  const log: [id: string, at: number, agent?: string][] = [
    ['a', 1],
    ['b', 2],
    ['hidden', 3, 'sub'],
    ['c', 4],
    ['d', day],
  ]
  const totals = (turn: number, record: Record<string, unknown> = {}, running?: number) => {
    const usage = createUsage({ utc: true })
    const { book } = usage
    const session = book.sessionOf('s')
    for (const [id, at, agent] of log) book.message(session, { message: id, at, agent, tokens: used(10) })
    if (running !== undefined) book.running(session, {}, used(running), new Set())
    for (const bare of [...message('b', used(10)), ...message('c', used(10))]) usage.push(event(bare))
    usage.push(event({ kind: 'turn.end', reason: 'end_turn', usage: used(turn) }), record)
    const { totals: all, days, agents } = usage.report()
    return [all.input, ...days.map(({ input }) => input), agents.length]
  }
  assert.deepEqual(totals(31), [51, 41, 10, 0], 'a and d are of other turns, and the sum is of the day of c')
  assert.deepEqual(totals(41), [51, 41, 10, 0], 'a resumed process that goes on with the sums holds a too')
  assert.deepEqual(totals(41, { model_usage_since_last_result: {} }), [61, 51, 10, 0], 'it says that this is one turn')
  assert.deepEqual(totals(0), [50, 40, 10, 1], 'no sum')
  assert.deepEqual(totals(31, {}, 51), [51, 41, 10, 0], 'a total of the session knows what the turn knows')
})

test('a turn that tells nothing leaves its messages', () => {
  for (const usage of [undefined, used(0)])
    assert.deepEqual(totalsOf([...message('a', used(1, 1)), { kind: 'turn.end', reason: 'cancelled', usage }]), [1, 1, 0, 0, 0])
})

test('a message that breaks off counts with what its start told', () => {
  assert.deepEqual(
    totalsOf([
      { kind: 'message.start', message: 'a', usage: used(12, 1) },
      { kind: 'message.end', message: 'a', finish: 'cut' },
    ]),
    [12, 1, 0, 0, 0],
  )
})

test('what is told of a message while it runs is replaced by its end', () => {
  const update: Bare = { kind: 'usage.update', scope: 'message', cumulative: false, message: 'a', usage: used(3, 3) }
  const [start, end] = message('a', used(7, 7))
  assert.deepEqual(totalsOf([start!, update, end!]), [7, 7, 0, 0, 0])
  assert.deepEqual(totalsOf([start!, update, { ...end!, usage: undefined }]), [3, 3, 0, 0, 0])
  assert.deepEqual(totalsOf([{ ...update, message: undefined }]), [3, 3, 0, 0, 0])
  assert.deepEqual(totalsOf([{ kind: 'usage.update', scope: 'message', cumulative: true, usage: { reasoning: 90 } }]), [0, 0, 0, 0, 0])
})

const running = (usage: Usage, more: object = {}): Bare => ({ kind: 'usage.update', scope: 'session', cumulative: true, usage, ...more })

test('of a session that goes on, totals of all its runs and sums of each run are not added up', () => {
  const runs = [100, 120, 150, 190].flatMap((all, index, totals): Bare[] => [
    { kind: 'session.start', how: index === 0 ? 'new' : 'resumed' },
    running(used(all), { cost: { usd: all / 100, by: 'source' } }),
    { kind: 'session.end', reason: 'end_turn', usage: used(all - (totals[index - 1] ?? 0)) },
  ])
  const { totals } = fold(runs)
  assert.deepEqual([totals.input, totals.costUsd], [190, 1.9])
  const costs = runs.map(({ usage: _, ...event }): Bare => (event.kind === 'session.end' ? { ...event, usage: used(1) } : event))
  assert.equal(fold(costs).totals.costUsd, 1.9)
  // A program that counts each run anew.
  const anew = [100, 50].flatMap((own): Bare[] => [
    { kind: 'session.start', how: 'resumed' },
    { kind: 'session.end', reason: 'end_turn', usage: used(own) },
  ])
  assert.deepEqual(totalsOf(anew), [150, 0, 0, 0, 0])
})

test('of a run that goes on, what was used before it is not counted where only that run is read', () => {
  const resumed: Bare = { kind: 'session.start', how: 'resumed' }
  const end = (own: number): Bare => ({ kind: 'session.end', reason: 'end_turn', usage: used(own) })
  // A total before the first message, or only after it.
  assert.deepEqual(totalsOf([resumed, running(used(100)), ...message('a', used(10)), running(used(110)), end(10)]), [10, 0, 0, 0, 0])
  assert.deepEqual(
    totalsOf([resumed, ...message('a', used(10)), running(used(110)), ...message('b', used(5)), running(used(115)), end(15)]),
    [15, 0, 0, 0, 0],
  )
  // Nothing but totals.
  assert.deepEqual(totalsOf([resumed, running(used(110)), end(10)]), [10, 0, 0, 0, 0])
  assert.deepEqual(
    totalsOf([{ ...resumed, how: 'forked' }, running(used(100)), ...message('a', used(10)), running(used(110))]),
    [10, 0, 0, 0, 0],
  )
  // Both runs are read: nothing is missing.
  const first: Bare[] = [{ kind: 'session.start', how: 'new' }, ...message('a', used(100)), running(used(100)), end(100)]
  assert.deepEqual(
    totalsOf([...first, resumed, running(used(100)), ...message('b', used(10)), running(used(110)), end(10)]),
    [110, 0, 0, 0, 0],
  )
})

test('a subagent that counts for itself is not added once more by the end of the run', () => {
  const lane = { agent: 'helper' }
  const helper = message('h', used(40)).map((event): Bare => ({ ...event, ...lane }))
  const events: Bare[] = [
    { kind: 'session.start', how: 'new' },
    { kind: 'turn.start', trigger: 'prompt' },
    ...message('a', used(100)),
    running(used(100)),
    ...helper,
    { ...running(used(40)), ...lane },
    { kind: 'turn.end', reason: 'end_turn', usage: used(140), own: used(100) },
    { kind: 'session.end', reason: 'end_turn', usage: used(140) },
  ]
  assert.deepEqual(totalsOf(events), [140, 0, 0, 0, 0])
})

test('running totals become shares, each at its own time and model', () => {
  const day = Date.parse('2026-11-15T12:00:00Z')
  const report = fold(
    [
      { kind: 'session.start', model: 'one' },
      running(used(10), { at: day }),
      { kind: 'session.update', model: 'two' },
      running(used(15), { at: day + 86_400_000 }),
    ],
    { utc: true },
  )
  assert.deepEqual(
    report.days.map(({ key, input }) => [key, input]),
    [
      ['2026-11-15', 10],
      ['2026-11-16', 5],
    ],
  )
  assert.equal(report.totals.input, 15)
})

test('a running total adds only what the messages do not tell', () => {
  assert.deepEqual(totalsOf([...message('a', used(10)), running(used(15))]), [15, 0, 0, 0, 0])
  assert.deepEqual(totalsOf([...message('a', used(10)), running(used(10))]), [10, 0, 0, 0, 0])
  const [start, end] = message('b', used(4))
  assert.deepEqual(
    totalsOf([...message('a', used(10)), start!, running(used(15)), end!]),
    [15, 0, 0, 0, 0],
    'an open message is part of it',
  )
  assert.deepEqual(totalsOf([...message('a', used(10)), running(used(15)), ...message('c', used(4), { at: 9000 })]), [19, 0, 0, 0, 0])
})

test('a running total that counts thinking as output agrees with messages that do not, and the other way round', () => {
  const split: Usage = { input: 1, output: 20, reasoning: 14 }
  const whole: Usage = { input: 1, output: 34 }
  assert.equal(
    totalsOf([...message('a', split), running(whole)]).reduce((a, b) => a + b),
    35,
  )
  assert.equal(
    totalsOf([...message('a', whole), running(split)]).reduce((a, b) => a + b),
    35,
  )
})

test('counters that start anew are added to the former ones', () => {
  assert.deepEqual(totalsOf([running(used(100)), running(used(30)), running(used(50))]), [150, 0, 0, 0, 0])
  const end: Bare = { kind: 'session.end', reason: 'end_turn', usage: used(50) }
  const turn: Bare = { kind: 'turn.end', reason: 'end_turn', usage: used(50) }
  assert.deepEqual(totalsOf([{ ...turn, usage: used(100) }, { ...end, usage: used(100) }, turn, end]), [150, 0, 0, 0, 0])
})

test('a running total within a turn is not counted beside the sum of the turn', () => {
  const turn: Bare = { kind: 'turn.end', reason: 'end_turn', usage: used(24), cost: { usd: 0.5, by: 'source' } }
  const cost = { usd: 0.5, by: 'source' }
  const report = fold([{ kind: 'turn.start', trigger: 'prompt' }, running(used(12)), running(used(24), { cost }), turn])
  assert.equal(report.totals.input, 24)
  assert.equal(report.totals.costUsd, 0.5)
})

test('subagents are counted once and named', () => {
  const turn: Bare = { kind: 'turn.end', reason: 'end_turn', usage: used(30), own: used(10) }
  const events = [...message('a', used(10)), ...message('b', used(1), { agent: 'lane' })]
  assert.deepEqual(fold(events).agents, [{ session: 's', agent: 'lane', ...used(1) }])
  const { totals, agents } = fold([...events, turn])
  assert.equal(totals.input, 30)
  assert.deepEqual(agents, [{ session: 's', agent: 'lane', ...used(20) }])
})

test('of several subagents each has its own part where their messages tell all of it, else they stand together', () => {
  const turn = (all: number): Bare => ({ kind: 'turn.end', reason: 'end_turn', usage: used(all), own: used(10) })
  const events = [...message('a', used(10)), ...message('b', used(1), { agent: 'one' }), ...message('c', used(4), { agent: 'two' })]
  const parts = (all: number): unknown => Object.fromEntries(fold([...events, turn(all)]).agents.map(({ agent, input }) => [agent, input]))
  assert.deepEqual(parts(15), { one: 1, two: 4 })
  assert.deepEqual(parts(30), { subagents: 20 })
})

test('subagents that count for themselves are part of the turn', () => {
  const turn: Bare = { kind: 'turn.end', reason: 'end_turn', usage: used(60), own: used(36) }
  const events = [
    { kind: 'turn.start', trigger: 'prompt' } as Bare,
    running(used(12)),
    running(used(24), { agent: 'lane' }),
    running(used(36)),
  ]
  assert.equal(fold(events).totals.input, 60)
  assert.equal(fold([...events, turn]).totals.input, 60)
  assert.equal(fold([...events, turn, running(used(48))]).totals.input, 72)
})

const price: UsageOptions['price'] = ({ model, tokens }) => (model === 'known' ? (tokens.input ?? 0) * 1000 : undefined)

test('costs are those the source tells, else worked out; what has no price is listed', () => {
  const { totals, unpriced } = fold(
    [
      ...message('a', used(10), { model: 'known' }),
      ...message('b', used(10), { model: 'known', cost: { usd: 0.25, by: 'source' } }),
      ...message('c', used(10), { model: 'known', cost: { usd: 0, by: 'source' } }),
      ...message('d', used(7), { model: 'strange' }),
    ],
    { price },
  )
  assert.deepEqual([totals.reportedUsd, totals.pricedUsd, totals.costUsd], [0.25, 0.00002, 0.25002])
  assert.deepEqual(unpriced, [{ model: 'strange', tokens: 7 }])
})

test('the models of a turn cost together what the turn cost', () => {
  const { totals, models } = fold([
    {
      kind: 'turn.end',
      reason: 'end_turn',
      usage: used(3),
      cost: { usd: 0.9, by: 'source' },
      byModel: [
        { model: 'one', usage: used(2), cost: { usd: 1, by: 'source' } },
        { model: 'two', usage: used(1), cost: { usd: 0.2, by: 'source' } },
      ],
    },
  ])
  assert.equal(totals.costUsd, 0.9)
  assert.deepEqual(
    models.map(({ key, input, costUsd }) => [key, input, costUsd]),
    [
      ['one', 2, 0.7],
      ['two', 1, 0.2],
    ],
  )
})

test('days are local, or of UTC; the project is where the session started', () => {
  const late = Date.parse('2026-11-15T23:30:00Z')
  const events = [{ kind: 'session.start', cwd: '/home/dev/a' } as Bare, ...message('a', used(1), { at: late })]
  const { days, projects } = fold(events, { utc: true })
  assert.deepEqual([days[0]!.key, projects[0]!.key], ['2026-11-15', '/home/dev/a'])
  const local = new Date(late)
  assert.equal(fold(events).days[0]!.key.endsWith(String(local.getDate()).padStart(2, '0')), true)
})

test('only what is within the times asked for counts, with the same precedence', () => {
  const within = (at: number): boolean => at >= 5000
  const events = [...message('a', used(1), { at: 1000 }), ...message('b', used(2), { at: 6000 }), running(used(4), { at: 7000 })]
  assert.deepEqual(totalsOf(events, { within }), [3, 0, 0, 0, 0])
})

test('what subagents used at other times is not theirs in a report either', () => {
  const turn: Bare = { kind: 'turn.end', reason: 'end_turn', usage: used(30), own: used(10), at: 6000 }
  const events = [...message('a', used(10), { at: 6000 }), ...message('b', used(20), { at: 6000, agent: 'x' }), turn]
  const agents = (from: number): number[] => fold(events, { within: (at) => at >= from }).agents.map(({ input }) => input!)
  assert.deepEqual([agents(5000), agents(7000)], [[20], []])
})

test('a report may be asked for at any time and changes nothing', () => {
  const events = [...message('a', used(10)), running(used(15)), running(used(20)), ...message('b', used(3), { at: 9000 })]
  const usage = createUsage()
  for (const bare of events) {
    usage.push(event(bare))
    assert.deepEqual(usage.report(), usage.report())
  }
  assert.deepEqual(usage.report(), fold(events))
})

// ── against a naive recomputation ────────────────────────────────────────────────────────────────────────────────────────

const counts = fc.record({ input: fc.nat(99), output: fc.nat(99), reasoning: fc.nat(9), cacheRead: fc.nat(999), cacheWrite: fc.nat(99) })
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ id: fc.integer({ min: 0, max: 30 }), usage: counts, session: fc.constantFrom('s', 't') }) },
  { weight: 1, arbitrary: fc.record({ turn: fc.option(counts), session: fc.constantFrom('s', 't') }) },
)
type Step = { id: number; usage: Usage; session: string } | { turn: Usage | null; session: string }

/** Keeps everything, and says at the end what counts. */
function naive(steps: readonly Step[]): number[] {
  const all = [0, 0, 0, 0, 0]
  const plus = (usage: Usage): void => sum(usage).forEach((count, bucket) => (all[bucket]! += count))
  const size = (usage: Usage): number => sum(usage).reduce((a, b) => a + b, 0)
  for (const session of ['s', 't']) {
    const replaced = new Set<number>()
    const kept = new Map<number, Usage>() // of turns that told no sum
    let open = new Map<number, Usage>()
    for (const one of steps.filter((other) => other.session === session)) {
      if ('id' in one) {
        const before = open.get(one.id) ?? kept.get(one.id)
        if (size(one.usage) <= (before === undefined ? 0 : size(before)) || replaced.has(one.id)) continue
        kept.delete(one.id)
        open.set(one.id, one.usage)
      } else if (one.turn !== null && size(one.turn) > 0) {
        plus(one.turn)
        for (const id of open.keys()) replaced.add(id)
        open = new Map()
      } else {
        for (const [id, usage] of open) kept.set(id, usage)
        open = new Map()
      }
    }
    for (const usage of [...kept.values(), ...open.values()]) plus(usage)
  }
  return all
}

test('totals equal a naive recomputation', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const events = steps.flatMap((one): Bare[] =>
        'id' in one
          ? message(`m${one.id}`, one.usage, { session: one.session })
          : [{ kind: 'turn.end', reason: 'end_turn', session: one.session, ...(one.turn !== null && { usage: one.turn }) }],
      )
      assert.deepEqual(totalsOf(events), naive(steps))
    }),
    { numRuns: 500 },
  )
})

test('totals never double when messages are replayed', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), counts), { maxLength: 30 }), fc.array(fc.nat(29), { maxLength: 30 }), (made, again) => {
      const events = made.map(([id, usage]) => message(`m${id}`, usage))
      const replayed = again.flatMap((index) => events[index] ?? [])
      assert.deepEqual(totalsOf([...events.flat(), ...replayed]), totalsOf(events.flat()))
    }),
    { numRuns: 300 },
  )
})

test('the order of costs does not matter: money is whole', () => {
  const rate: UsageOptions['price'] = ({ tokens }) => (tokens.input ?? 0) * 333
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(50), fc.nat(1e6)), { maxLength: 30 }), (made) => {
      const unique = [...new Map(made).entries()]
      const cost = (list: [number, number][]): number =>
        fold(
          list.flatMap(([id, input]) => message(`m${id}`, used(input), { model: 'x' })),
          { price: rate },
        ).totals.costUsd
      assert.equal(cost(unique), cost(unique.toReversed()))
    }),
  )
})
