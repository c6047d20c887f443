import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resetIn } from './quota-times.ts'

const now = Date.UTC(2026, 10, 15, 12, 30) // a Sunday, 12:30 UTC, 13:30 in Berlin
const berlin = (): string => 'Europe/Berlin'
const at = (text: string): string | undefined => {
  const time = resetIn(text, now, berlin)
  return time === undefined
    ? undefined
    : new Date(time)
        .toISOString()
        .replace(/:00\.000Z$/, '')
        .replace('.000Z', '')
}
const inSeconds = (text: string): number | undefined => {
  const time = resetIn(text, now, berlin)
  return time === undefined ? undefined : (time - now) / 1000
}

test('spans in all the ways in which they are written', () => {
  const spans: readonly [string, number][] = [
    ['try again in 2 days 3 hours 5 minutes.', 2 * 86_400 + 3 * 3600 + 5 * 60],
    ['or try again in 3 hours 2 minutes.', 3 * 3600 + 120],
    ['Please try again in 2 hours. Please review our terms.', 7200],
    ['Please try again in 58 hours.', 58 * 3600],
    ['try again in less than a minute', 60],
    ['Your quota will reset after 3h20m5s.', 3 * 3600 + 20 * 60 + 5],
    ['Your quota will reset after 21h53m56s.', 21 * 3600 + 53 * 60 + 56],
    ['Your quota will reset after 5s.. Retrying after 6173ms...', 5],
    ['Please retry in 34.07s.', 34.07],
    ['Please retry in 250ms', 0.25],
    ['Please try again in 6m0s', 360],
    ['It will reset in 5 days 10 hours. To continue', 5 * 86_400 + 10 * 3600],
    ['retrying in 8h 13m attempt #1', 8 * 3600 + 13 * 60],
    ['the provider asks to wait 120 minutes; that is too long', 7200],
    ['{\\"retryDelay\\": \\"34.074824224s\\"}', 34.074824224],
    ['"quotaResetDelay":"1h2m3s"', 3723],
    ['{"error":{"type":"usage_limit_reached","resets_in_seconds":5000}}', 5000],
  ]
  for (const [text, seconds] of spans) assert.ok(Math.abs((inSeconds(text) ?? Number.NaN) - seconds) < 0.002, `${text}: ${inSeconds(text)}`)
})

test('a time of day is the next one, in the zone that is told and else in the local one', () => {
  assert.equal(at('resets 3pm'), '2026-11-15T14:00')
  assert.equal(at('resets at 1pm'), '2026-11-16T12:00')
  assert.equal(at('resets 1:25pm'), '2026-11-15T12:25', 'five minutes ago is not tomorrow')
  assert.equal(at('try again at 4:05 PM.'), '2026-11-15T15:05')
  assert.equal(at('resets 12:50am (America/Los_Angeles)'), '2026-11-16T08:50')
  assert.equal(at('Your limit will reset at 9am (America/Chicago).'), '2026-11-15T15:00')
  assert.equal(at('will reset at 1pm (Etc/GMT+5)'), '2026-11-15T18:00')
  assert.equal(at('resets 12am (UTC)'), '2026-11-16T00:00')
  assert.equal(at('resets 12pm (Asia/Tokyo)'), '2026-11-16T03:00')
  assert.equal(at('resets at 15:00 UTC'), '2026-11-15T15:00')
  assert.equal(at('resets 3pm (Nowhere/Atall)'), '2026-11-15T14:00', 'a zone that nobody knows')
})

test('dates with and without a year', () => {
  assert.equal(at('resets Mar 17, 2027, 5:46pm (UTC)'), '2027-03-17T17:46')
  assert.equal(at('try again at Nov 21st, 2026 1:36 PM.'), '2026-11-21T12:36')
  assert.equal(at('resets Nov 17 at 5pm (UTC)'), '2026-11-17T17:00')
  assert.equal(at('resets Jan 3, 9am (UTC)'), '2027-01-03T09:00')
  assert.equal(at('Try again Nov 18.'), '2026-11-17T23:00')
  assert.equal(at('resets at 2026-11-15T20:00:00Z'), '2026-11-15T20:00')
})

test('a zone that changes its offset between now and then', () => {
  const before = Date.UTC(2026, 9, 24, 22) // the night before summer time ends in Berlin
  assert.equal(resetIn('resets 9am', before, berlin), Date.UTC(2026, 9, 25, 8))
})

test('seconds and milliseconds since the epoch', () => {
  assert.equal(resetIn('Claude AI usage limit reached|1794772800', 1794760000000, berlin), 1794772800000)
  assert.equal(resetIn('{"X-RateLimit-Reset":"1794772800000"}', 1794760000000, berlin), 1794772800000)
  assert.equal(resetIn('"resets_at":1794772800', 1794760000000, berlin), 1794772800000)
})

test('what says no time gives none', () => {
  for (const text of [
    '',
    'or wait for limits to reset (every 5h and every week.)',
    'try again at 10 de jul. de 2026, 11:52.',
    'try again later',
    'resets 3',
    'resets 25:00',
    'resets 13pm',
    'resets at 3:75pm',
    'try again in a bit, 5 seconds were not enough',
    'resets Foo 12, 3pm',
    'resets Mar 17, 1999, 5:46pm (UTC)',
    'limit reached|9999999999999',
    'retry 3 of 5',
  ])
    assert.equal(at(text), undefined, text)
})

test('hostile texts take no time', () => {
  const began = performance.now()
  for (const piece of ['try again ', 'resets 1 ', 'resets 1h', 'retry in in in ', '1d', 'reset|', 'resets Mar 1, '])
    resetIn(piece.repeat(200_000), now, berlin)
  assert.ok(performance.now() - began < 10_000)
})
