import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event, Fault, Kind, Payload, Place } from '../model/event.ts'
import { faultOf } from '../model/fault.ts'
import { makeEvent } from '../model/make.ts'
import { createQuota, type Limit, type Quota } from './quota.ts'

const now = Date.UTC(2026, 10, 15, 12, 30)
const hour = 3_600_000
const quota = (): Quota => createQuota({ zone: () => 'UTC' })
const event = <K extends Kind>(kind: K, payload: Payload<K>, place: Place = {}): Event => makeEvent(kind, payload, place)
const failed = (fault: Fault, data?: unknown): Event => event('error', { scope: 'turn', fatal: true, error: fault, data })
/** As a reader of this dialect tells it. */
const from = (dialect: string, one: Event): Event => ({ ...one, origin: { dialect, record: 1, offset: 0, length: 1 } })

function limitOf(one: Event, before: readonly Event[] = []): Limit | undefined {
  const policy = quota()
  for (const other of before) policy.step(other, now)
  policy.step(one, now)
  return policy.reached()
}
const inMs = (limit: Limit | undefined): number | undefined => (limit?.resetsAt === undefined ? undefined : limit.resetsAt - now)
const limited = (text: string): Fault => faultOf(text, { http: 429 })

test("each provider's words, whatever agent brings them", () => {
  const said: readonly [string, string, number | undefined][] = [
    ['Claude AI usage limit reached|1794772800', 'anthropic', 1794772800000 - now],
    ['5-hour limit reached ∙ resets 3pm', 'anthropic', 2.5 * hour],
    ["You've hit your 5-hour limit · resets Nov 17, 2026, 5:46pm (UTC)", 'anthropic', Date.UTC(2026, 10, 17, 17, 46) - now],
    ["You've hit your session limit · resets 8:30pm (Asia/Tokyo)", 'anthropic', 23 * hour],
    ["You've hit your limit · resets 1:30pm (UTC)", 'anthropic', hour],
    [
      "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 2 days 3 hours 5 minutes.",
      'openai',
      51 * hour + 300_000,
    ],
    [
      "You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage to purchase more credits or try again at 4:05 PM.",
      'openai',
      3 * hour + 35 * 60_000,
    ],
    ['You have exhausted your capacity on this model. Your quota will reset after 3h20m5s.', 'google', 3 * hour + 1_205_000],
    [
      '[API Error: {"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 34.5s.","status":"RESOURCE_EXHAUSTED"}}]',
      'google',
      34_500,
    ],
    ['You have reached your daily gemini-2.5-pro quota limit.', 'google', undefined],
    [
      "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 58 hours. Please review our Terms of Service",
      'copilot',
      58 * hour,
    ],
    ['You have reached your monthly limit for premium requests', 'copilot', undefined],
    ['Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day', 'openrouter', undefined],
    ['Weekly usage limit reached. It will reset in 5 days 10 hours.', 'unknown', 130 * hour],
    ['The usage limit has been reached', 'unknown', undefined],
  ]
  for (const [text, provider, reset] of said) {
    const limit = limitOf(failed(limited(text)))
    assert.deepEqual([limit?.provider, inMs(limit), limit?.text], [provider, reset, text], text)
    // The same words in the fault of a turn and of a session.
    assert.deepEqual(limitOf(event('turn.end', { reason: 'error', error: limited(text) })), limit)
    assert.deepEqual(limitOf(event('session.end', { reason: 'error', error: limited(text) })), limit)
  }
})

test('without a status the words must come at once', () => {
  const words = 'You have exhausted your capacity on this model. Your quota will reset after 1h.'
  assert.equal(limitOf(failed(faultOf(`[API Error: ${words}]`)))?.provider, 'google')
  assert.equal(limitOf(failed(faultOf(`The agent stopped. Its last message was about a program that says: "${words}"`))), undefined)
})

test('words of others, and what is no failure of this kind, are no limit', () => {
  const words = "You've hit your usage limit. Try again in 2 hours."
  const innocent: readonly Event[] = [
    event('text.delta', { text: words }, { message: 'm' }),
    event('text.end', { text: words, streamed: false }, { message: 'm' }),
    event('thought.end', { text: words, streamed: false }, { message: 'm' }),
    event('prompt.submit', { by: 'user', state: 'sent', text: words }),
    event('tool.end', { status: 'error', error: limited(words), text: words }, { call: 'c' }),
    event('turn.end', { reason: 'end_turn', text: words }),
    event('turn.end', { reason: 'refusal', error: limited(words), text: words }),
    event('turn.end', { reason: 'max_tokens', error: limited(words) }),
    event('notice', { level: 'warn', text: words }),
    failed(faultOf(words, { category: 'auth' })),
    failed(faultOf(words, { category: 'invalid' })),
    failed(faultOf(words, { category: 'cancelled' })),
    failed(limited('API Error: Request rejected (429) · This request would exceed your rate limit.')),
    failed(limited('exceeded retry limit, last status: 429 Too Many Requests')),
    failed(limited('Rate limit reached for gpt-5 in organization org-1 on tokens per min (TPM). Please try again in 1.2s.')),
    failed(limited('rate_limit')),
    failed(faultOf('the iteration limit was reached', { category: 'unknown' })),
    failed(faultOf('Prompt is too long: the limit of 200000 tokens is exceeded', { category: 'context' })),
    event('retry.start', { scope: 'model', attempt: 1, delayMs: 6173, error: faultOf('Your quota will reset after 5s..') }),
    event('usage.update', { scope: 'session', cumulative: true, limits: [{ name: 'five_hour', state: 'warning', used: 0.91 }] }),
  ]
  for (const one of innocent) assert.equal(limitOf(one), undefined, JSON.stringify(one))
})

test('what only money lifts is not waited for', () => {
  const text = 'You exceeded your current quota, please check your plan and billing details.'
  assert.equal(limitOf(failed(faultOf(text, { http: 429, code: 'insufficient_quota' }))), undefined)
  assert.equal(limitOf(failed(limited(text), { responseBody: '{"error":{"code":"insufficient_quota"}}' })), undefined)
  assert.equal(limitOf(failed(faultOf('Quota exceeded. Check your plan and billing details.', { category: 'billing' }))), undefined)
  assert.equal(limitOf(failed(faultOf('Credit balance is too low', { category: 'billing' }))), undefined)
})

test('headers and bodies that came beside the failure', () => {
  const stamp = now / 1000 + 7200
  const beside: readonly [unknown, number | undefined, string][] = [
    [{ responseHeaders: { 'retry-after': '7200' } }, 2 * hour, 'unknown'],
    [{ responseHeaders: { 'Retry-After': new Date(now + hour).toUTCString() } }, hour, 'unknown'],
    [{ responseHeaders: { 'retry-after-ms': '90000' } }, 90_000, 'unknown'],
    [{ responseHeaders: { 'anthropic-ratelimit-unified-reset': String(stamp), 'retry-after': '99' } }, 2 * hour, 'anthropic'],
    [
      {
        responseHeaders: {
          'anthropic-ratelimit-requests-remaining': '4',
          'anthropic-ratelimit-requests-reset': new Date(now + 5 * hour).toISOString(),
          'anthropic-ratelimit-tokens-remaining': '0',
          'anthropic-ratelimit-tokens-reset': new Date(now + hour).toISOString(),
        },
      },
      hour,
      'anthropic',
    ],
    [{ responseHeaders: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' } }, 360_000, 'unknown'],
    [
      {
        responseBody: `{"error":{"message":"Rate limit exceeded: free-models-per-day","metadata":{"headers":{"X-RateLimit-Reset":"${stamp * 1000}"}}}}`,
      },
      2 * hour,
      'openrouter',
    ],
    [{ error: { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '75.5s' }] } }, 75_500, 'unknown'],
    [{ responseBody: `{"error":{"type":"usage_limit_reached","resets_at":${stamp}}}` }, 2 * hour, 'unknown'],
    [{ responseHeaders: { 'retry-after': '1' } }, undefined, ''],
    [{ responseHeaders: { 'retry-after': 'soon', 'x-ratelimit-reset': '-5' } }, undefined, ''],
  ]
  for (const [data, reset, provider] of beside) {
    const limit = limitOf(failed(limited('scripted 429'), data))
    assert.deepEqual([limit?.provider ?? '', inMs(limit)], [provider, reset], JSON.stringify(data))
  }
})

test('an account of limits: what is used up must reset, and what is only named along with it need not', () => {
  const update = (limits: Payload<'usage.update'>['limits']): Event =>
    from('claude', event('usage.update', { scope: 'session', cumulative: true, limits }))
  const reached = { name: 'five_hour', state: 'reached', resetsAt: now + hour } as const
  assert.deepEqual(limitOf(update([reached])), { provider: 'anthropic', resetsAt: now + hour, text: 'limit reached: five_hour' })
  const weekly = { name: 'seven_day', state: 'reached', resetsAt: now + 99 * hour } as const
  assert.equal(inMs(limitOf(update([reached, weekly]))), 99 * hour)
  assert.equal(
    inMs(
      limitOf(
        update([
          { ...reached, used: 1 },
          { ...weekly, used: 0.4 },
        ]),
      ),
    ),
    hour,
  )
})

test('the provider is what the words, the dialect or the session say', () => {
  const plain = failed(limited('The usage limit has been reached'))
  assert.equal(limitOf(from('codex', plain))?.provider, 'openai')
  assert.equal(limitOf(from('gemini', plain))?.provider, 'google')
  assert.equal(limitOf(from('opencode', plain), [event('session.update', { model: 'openrouter/auto' })])?.provider, 'openrouter')
  assert.equal(limitOf(plain, [event('session.start', { provider: 'mistral', model: 'm' })])?.provider, 'mistral')
})

test('an agent that waits for hours by itself is told of, also when its words are few', () => {
  const retry = (text: string, delayMs: number | undefined): Event =>
    event('retry.start', { scope: 'model', attempt: 1, delayMs, error: faultOf(text) })
  assert.deepEqual(limitOf(retry('Free usage exceeded, subscribe to Go', 8 * hour)), {
    provider: 'opencode',
    resetsAt: now + 8 * hour,
    text: 'Free usage exceeded, subscribe to Go',
  })
  assert.equal(inMs(limitOf(retry('Your quota will reset after 2h.. Retrying after 6173ms...', 6173))), 2 * hour)
  assert.equal(limitOf(retry('the model call failed', 8 * hour)), undefined)
})

test('one limit is told once, whoever repeats it, and the next one again', () => {
  const policy = quota()
  const fault = limited("You've hit your 5-hour limit · resets 3pm (UTC)")
  const tell = (one: Event, at = now): number => policy.step(one, at).length
  const [notice] = policy.step(failed(fault), now)
  assert.deepEqual(notice, {
    type: 'notice',
    notice: {
      level: 'warn',
      code: 'usage-limit',
      text: `the usage limit of anthropic is reached; it resets at 2026-11-15T15:00:00.000Z: "You've hit your 5-hour limit · resets 3pm (UTC)"`,
      data: { provider: 'anthropic', resetsAt: now + 2.5 * hour },
    },
  })
  assert.equal(tell(event('turn.end', { reason: 'error', error: fault })), 0)
  assert.equal(tell(event('session.end', { reason: 'error', error: fault }), now + 5000), 0)
  assert.equal(tell(failed(limited('Weekly limit reached. Resets in 3 days'))), 1, 'another limit, which resets much later')
  assert.equal(tell(event('turn.end', { reason: 'end_turn' })), 0)
  assert.equal(policy.reached(), undefined, 'it works again')
  assert.equal(tell(failed(fault)), 1)
})

test('a reset that is told after the failure is learnt without a second word', () => {
  const policy = quota()
  policy.step(failed(limited('The usage limit has been reached')), now)
  assert.equal(policy.reached()?.resetsAt, undefined)
  assert.deepEqual(policy.step(failed(limited('The usage limit has been reached, try again in 2 hours')), now), [])
  assert.equal(policy.reached()?.resetsAt, now + 2 * hour)
})

test('what sluice says itself is no failure of the agent', () => {
  const own = event(
    'error',
    { scope: 'session', fatal: true, error: limited('The usage limit has been reached') },
    { synthetic: 'policy:limits' },
  )
  assert.equal(limitOf(own), undefined)
})

test('hostile data takes no time', () => {
  const began = performance.now()
  let deep: unknown = {}
  for (let i = 0; i < 10_000; i++) deep = { error: deep, again: '{'.repeat(10) }
  const wide = (depth: number): unknown => (depth === 0 ? 1 : Array.from({ length: 20 }, () => wide(depth - 1)))
  limitOf(failed(limited('x'), deep))
  limitOf(failed(limited('x'), wide(4)))
  limitOf(failed(limited('you have hit your '.repeat(100_000)), { body: '[['.repeat(1_000_000) }))
  limitOf(
    failed(
      limited('reached your daily a a a a a a '.repeat(10_000)),
      Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`x-ratelimit-reset-${i}`, '1s'])),
    ),
  )
  assert.ok(performance.now() - began < 20_000, 'it grew with the square of the length')
})
