import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Payload } from '../model/event.ts'
import { faultOf } from '../model/fault.ts'
import { createQuota, type Limit } from '../supervise/quota.ts'
import { type DialectName, read } from '../index.ts'
import { createWaits, defaultMaxMs, planWait, type WaitPlan } from './wait-reset.ts'
import { fileURLToPath } from 'node:url'

const now = Date.UTC(2026, 10, 15, 12)
const minute = 60_000
const hour = 60 * minute
const limit: Limit = { provider: 'anthropic', text: 'limit reached' }
const ended = { reason: 'error', error: faultOf('limit reached', { http: 429 }) } as const
const fresh = { ms: 0, blind: 0 }
const plan = (resetsAt: number | undefined, waited = fresh, maxMs = defaultMaxMs): WaitPlan | undefined =>
  planWait(ended, resetsAt === undefined ? limit : { ...limit, resetsAt }, waited, maxMs, now)

test('a known reset is waited for, and a little more', () => {
  assert.deepEqual(plan(now + hour), { type: 'wait', until: now + hour + minute, blind: false })
  assert.deepEqual(plan(now + 34_000), { type: 'wait', until: now + 36_000, blind: false })
  assert.deepEqual(plan(now - 1000), { type: 'wait', until: now + 2000, blind: false }, 'it has just reset')
})

test('an unknown one is tried after 5, 10, 20, 40 and then every 60 minutes, until all the time is used', () => {
  const waited = { ...fresh }
  const pauses: number[] = []
  for (let one = plan(undefined, waited); one?.type === 'wait'; one = plan(undefined, waited)) {
    assert.ok(one.blind)
    pauses.push((one.until - now) / minute)
    waited.ms += one.until - now
    waited.blind++
  }
  assert.deepEqual(pauses, [5, 10, 20, 40, 60, 60, 60, 60])
  assert.match((plan(undefined, waited) as { text: string }).text, /as long as allowed, 6h \(--max-wait\)/)
})

test('a reset that is over and changed nothing counts as unknown', () => {
  assert.deepEqual(plan(now - minute, { ms: hour, blind: 0 }), { type: 'wait', until: now + 5 * minute, blind: true })
})

test('what resets too late is not waited for, and is told at once', () => {
  assert.equal(plan(now + 5.9 * hour)?.type, 'wait')
  const late = plan(now + 7 * hour)
  assert.equal(late?.type, 'give-up')
  assert.match((late as { text: string }).text, /resets at 2026-11-15T19:01:00.000Z; that is more than 6h/)
  assert.equal(plan(now + 7 * hour, fresh, 8 * hour)?.type, 'wait')
  assert.equal(plan(now + 2 * hour, { ms: 5 * hour, blind: 0 })?.type, 'give-up', 'all waits together')
})

test('only a run that the limit ended is waited for', () => {
  assert.equal(planWait(ended, undefined, fresh, defaultMaxMs, now), undefined)
  for (const reason of ['end_turn', 'cancelled', 'budget', 'timeout', 'max_turns', 'refusal', 'blocked'] as const)
    assert.equal(planWait({ reason }, limit, fresh, defaultMaxMs, now), undefined, reason)
  for (const category of ['auth', 'context', 'invalid', 'cancelled'] as const)
    assert.equal(planWait({ reason: 'error', error: { category, text: '' } }, limit, fresh, defaultMaxMs, now), undefined, category)
  assert.equal(planWait({ reason: 'cut' }, limit, fresh, defaultMaxMs, now)?.type, 'wait')
})

test('a wait is told before it begins, and ends when its time has come', async () => {
  const told: Payload<'notice'>[] = []
  const slept: number[] = []
  let time = now
  const sleep = async (ms: number): Promise<void> => void (slept.push(ms), (time += ms))
  const { wait } = createWaits({ now: () => time, sleep, tell: (notice) => told.push(notice) })
  const waiting = wait(ended, { ...limit, resetsAt: now + 60_000 })
  assert.deepEqual(
    told.map(({ code, data }) => [code, data]),
    [['waits-for-reset', { provider: 'anthropic', resetsAt: now + 60_000, until: now + 63_000 }]],
  )
  assert.equal(await waiting, true)
  assert.deepEqual(slept, [30_000, 30_000, 3000])
})

test('a wait that is cancelled ends at once and quietly', async () => {
  const stop = new AbortController()
  const { wait } = createWaits({ now: Date.now, tell: () => {} })
  const waiting = wait(ended, { ...limit, resetsAt: Date.now() + hour }, stop.signal)
  stop.abort()
  assert.equal(await waiting, false)
  assert.equal(await wait(ended, { ...limit, resetsAt: Date.now() + hour }, stop.signal), false, 'cancelled before it began')
})

test('a computer that slept through the wait goes on when it wakes', async () => {
  let time = now
  let sleeps = 0
  const sleep = async (): Promise<void> => void (sleeps++, (time += 2 * hour))
  const { wait } = createWaits({ now: () => time, sleep, tell: () => {} })
  assert.equal(await wait(ended, { ...limit, resetsAt: now + hour }), true)
  assert.equal(sleeps, 1)
})

test('what is too late is told, and not waited for', async () => {
  const told: Payload<'notice'>[] = []
  const { wait } = createWaits({ now: () => now, tell: (notice) => told.push(notice), maxMs: hour })
  assert.equal(await wait(ended, { ...limit, resetsAt: now + 2 * hour }), false)
  assert.equal(told[0]?.code, 'reset-too-late')
})

test('of all recordings only the one that was refused by its subscription has reached a limit', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const files = globSync('fixtures/{claude/[12]*,codex/*,gemini,opencode,copilot,acp}/**/*.ndjson', { cwd: root })
  assert.ok(files.length > 200)
  const limited = files.flatMap((file) => {
    const quota = createQuota({ zone: () => 'UTC' })
    let notices = 0
    const dialect = file.split('/')[1] as DialectName
    for (const event of read(readFileSync(`${root}${file}`), { dialect })) notices += quota.step(event).length
    return notices === 0 ? [] : [[file, notices, quota.reached()]]
  })
  assert.deepEqual(limited, [
    [
      'fixtures/claude/2.1.325/t-ratelimit-oauth-rejected.ndjson',
      1,
      { provider: 'anthropic', resetsAt: 1_900_000_000_000, text: 'limit reached: five_hour' },
    ],
  ])
})
