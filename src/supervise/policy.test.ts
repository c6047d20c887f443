// Policies side by side, and what they say about any stream.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsByRecord } from '../../test/fold.ts'
import { holds } from '../../test/properties.ts'
import { makeEvent } from '../model/make.ts'
import { legalStream, linesOf, streamDialects } from '../testing/index.ts'
import { createDeadlines } from './deadline.ts'
import { createDegenerate } from './degenerate.ts'
import { createDirectives } from './directives.ts'
import { createLimits } from './limits.ts'
import { createLoops } from './loops.ts'
import { combine, spanText } from './policy.ts'

test('many policies speak as one, in their order and under their names', () => {
  const seen: unknown[] = []
  const { step, tick, due } = combine({
    a: { step: (_, now) => (seen.push(now), [{ type: 'drop' }]), due: () => 9 },
    b: { step: () => [], tick: (now) => [{ type: 'close', text: String(now), code: 'b' }], due: () => 7 },
    c: { step: () => [{ type: 'drop' }] },
  })
  const event = makeEvent('text.delta', { text: 'a' }, { at: 3 })
  assert.deepEqual(step(event), [
    { policy: 'a', action: { type: 'drop' } },
    { policy: 'c', action: { type: 'drop' } },
  ])
  step(event, 4)
  assert.deepEqual(seen, [3, 4])
  assert.deepEqual(tick(5), [{ policy: 'b', action: { type: 'close', text: '5', code: 'b' } }])
  assert.equal(due(), 7)
  assert.equal(combine({}).due(), undefined)
})

test('a span is told as the command line takes it', () =>
  assert.deepEqual([600_000, 90_000, 3_600_000, 1500, 0].map(spanText), ['10m', '90s', '1h', '1500ms', '0ms']))

test('legal streams of every dialect make no policy throw, and none speaks after the clock stops asking', () =>
  holds(20, (seed) => {
    for (const dialect of streamDialects) {
      const policies = combine({
        limits: createLimits({
          startedAt: 0,
          timeoutMs: 1e15,
          progressTimeoutMs: 1000,
          maxTokens: 1,
          maxCost: 1,
          maxToolCalls: 1,
          maxTurns: 1,
        }),
        deadlines: createDeadlines({ timeoutMs: 1000 }),
        degenerate: createDegenerate(),
        directives: createDirectives({ thoughts: true }),
        loops: createLoops({ lingerMs: 1000 }),
      })
      let now = 0
      for (const event of eventsByRecord(linesOf(legalStream(dialect, seed)), dialect).flat()) {
        policies.step(event, (now += 1))
        const due = policies.due()
        if (due !== undefined && seed % 2 === 0) policies.tick(Math.max(now, due))
      }
      const late = policies.tick(1e9)
      assert.deepEqual(policies.tick(1e9), [], JSON.stringify(late))
    }
  }))
