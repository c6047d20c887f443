import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiError, brokenOff, failureOf } from './failure.ts'

const noon = Date.parse('2026-01-01T12:00:00Z')
const of = (error: unknown, begun = false) => failureOf(error, begun, () => noon)
const api = (fields: object) => Object.assign(new Error('failed'), { name: 'AI_APICallError' }, fields)

test('the status says what it is and whether to ask again', () => {
  const table: [status: number, category: string, retryable: boolean][] = [
    [400, 'invalid', false],
    [401, 'auth', false],
    [402, 'billing', false],
    [403, 'auth', false],
    [404, 'invalid', false],
    [408, 'timeout', true],
    [409, 'invalid', true],
    [413, 'context', false],
    [429, 'rate_limit', true],
    [500, 'provider', true],
    [503, 'overloaded', true],
    [529, 'overloaded', true],
  ]
  for (const [status, category, retryable] of table) {
    const { error, finish } = of(apiError(status, 'no', {}))
    assert.deepEqual([error.category, error.retryable, error.http, finish], [category, retryable, status, 'error'], String(status))
  }
})

test('the text says what the status does not: a full context, an empty purse', () => {
  assert.equal(of(apiError(400, 'This model has a maximum context length of 8192 tokens', {})).error.category, 'context')
  assert.equal(of(api({ statusCode: 400, responseBody: '{"error":{"code":"context_length_exceeded"}}' })).error.category, 'context')
  const empty = of(api({ statusCode: 429, responseBody: '{"error":{"code":"insufficient_quota"}}' })).error
  assert.deepEqual([empty.category, empty.retryable], ['billing', false])
  assert.equal(of(apiError(429, 'too many tokens per minute', {})).error.category, 'rate_limit')
})

test('the wait is read from milliseconds, seconds, a date, or the body of Gemini', () => {
  const wait = (headers: Record<string, string>) => of(apiError(429, 'slow down', headers)).retryAfterMs
  assert.equal(wait({ 'retry-after-ms': '250', 'retry-after': '1' }), 250)
  assert.equal(wait({ 'retry-after': '1.5' }), 1500)
  assert.equal(wait({ 'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT' }), 30_000)
  assert.equal(wait({ 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }), 0)
  assert.equal(wait({ 'retry-after': 'soon' }), undefined)
  assert.equal(wait({}), undefined)
  assert.equal(of(api({ statusCode: 429, responseBody: '{"details":[{"retryDelay": "34.5s"}]}' })).retryAfterMs, 34_500)
})

test('a provider that wants hours is not waited for, and the text says so', () => {
  const { error } = of(apiError(429, 'limit reached', { 'retry-after': '7200' }))
  assert.equal(error.retryable, false)
  assert.equal(error.text, 'limit reached (the provider asks to wait 120 minutes; that is too long)')
})

test('a broken connection can be tried again; it is a cut when the answer had begun', () => {
  const refused = api({
    message: 'Cannot connect to API',
    isRetryable: true,
    cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
  })
  const terminated = Object.assign(new TypeError('terminated'), {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  })
  for (const error of [refused, terminated, brokenOff(), api({ statusCode: 200, cause: terminated })]) {
    assert.partialDeepStrictEqual(of(error), { finish: 'error', error: { category: 'network', retryable: true } })
    assert.equal(of(error, true).finish, 'cut')
    assert.equal(of(error).error.http, undefined)
  }
})

test('an error inside a stream keeps its status', () => {
  assert.partialDeepStrictEqual(of({ type: 'error', code: 429, message: 'slow' }, true), {
    finish: 'error',
    error: { http: 429, text: 'slow' },
  })
})

test('a mistake of ours is not tried again', () => {
  for (const error of [new TypeError('x is not a function'), 'what?', undefined])
    assert.partialDeepStrictEqual(of(error), { finish: 'error', error: { retryable: false } })
})
