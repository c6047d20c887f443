// The guard of one model turn, and the policy over all lanes of a stream.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { eventsByRecord } from '../../test/fold.ts'
import { assertHolds, holds } from '../../test/properties.ts'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { legalStream, linesOf, streamDialects } from '../testing/index.ts'
import { createDegenerate, createGuard } from './degenerate.ts'

type Trip = NonNullable<ReturnType<ReturnType<typeof createGuard>['see']>>

/** The first trip, and at which piece. */
function feed(pieces: readonly string[]): [at: number, trip: Trip] | undefined {
  const guard = createGuard()
  for (const [at, piece] of pieces.entries()) {
    const trip = guard.see(piece)
    if (trip !== undefined) return [at, trip]
  }
  return undefined
}
const signal = (...pieces: string[]): string | undefined => feed(pieces)?.[1].data.abort_signal
const times = (count: number, piece: string): string[] => Array<string>(count).fill(piece)

const tokens = [
  ...['channel', 'constrain', 'message', 'end', 'start', 'endoftext', 'begin_of_text', 'eot', 'python_tag', '/tool_call'].map(
    (name) => `<|${name}`,
  ),
  '<tool_call',
]

suite('a control token', () => {
  for (const token of tokens)
    test(`${token} trips, however it goes on`, () => {
      for (const end of ['|>', '>', '|', '', 'less']) assert.equal(signal(`so ${token}${end} and`), 'control_token')
    })
  test('trips in whatever pieces it comes', () =>
    assertHolds(500, fc.tuple(fc.constantFrom(...tokens), fc.string(), fc.array(fc.nat(5))), ([token, before, sizes]) => {
      const text = `${before}${token}`
      const pieces: string[] = []
      let at = 0
      for (const size of sizes) pieces.push(text.slice(at, (at += size)))
      assert.equal(signal(...pieces, text.slice(at)), 'control_token')
    }))
  test('is none in other words, in markers, in capitals, or when something stands in between', () =>
    assert.equal(
      signal('<a|href>', '<|status: working|>', '<|workflow: exit|>', '<|CHANNEL|>', 'a < b | channel', '<|', ' end', '<tool', 's'),
      undefined,
    ))
  test('is told with the delta, as the document shows', () =>
    assert.deepEqual(feed(['<|channel>']), [
      0,
      {
        text: 'degenerate reasoning stream: provider control token leakage (<|channel>)',
        data: {
          abort_signal: 'control_token',
          observed_total: 1,
          hex_total: 0,
          hex_in_window: 0,
          window_size: 2048,
          consecutive_hex: 0,
          progress_in_window: 0,
        },
      },
    ]))
  test('is told within 80 bytes and in whole characters', () => {
    const [, { text }] = feed([`<|end${'ä'.repeat(100)}`])!
    assert.equal(text, `degenerate reasoning stream: provider control token leakage (<|end${'ä'.repeat(37)}…)`)
  })
})

suite('hex digits', () => {
  test('trip at the 256th in a row, not before', () => {
    assert.equal(feed(times(255, 'a')), undefined)
    const [at, trip] = feed([...times(10, 'words'), '', ...times(300, 'F')])!
    assert.equal(at, 11 + 255)
    assert.equal(trip.text, 'degenerate reasoning stream: 256 consecutive single-character hex deltas')
    assert.deepEqual(trip.data, {
      abort_signal: 'hex_run',
      observed_total: 266,
      hex_total: 256,
      hex_in_window: 256,
      window_size: 2048,
      consecutive_hex: 256,
      progress_in_window: 10,
    })
  })
  test('begin anew with any other delta, but not with an empty one', () => {
    assert.equal(signal(...Array.from({ length: 50 }, () => [...times(200, '0'), '.']).flat()), undefined)
    assert.equal(signal(...times(200, '0'), '', ...times(56, '1')), 'hex_run')
    assert.equal(signal(...times(200, '0'), 'ab', ...times(56, '1')), undefined)
  })
  test('are counted rightly, also when the window is full', () =>
    assertHolds(
      60,
      fc.tuple(fc.array(fc.tuple(fc.nat(200), fc.nat(40)), { maxLength: 60, size: 'max' }), fc.boolean()),
      ([runs, isToken]) => {
        const pieces = runs.flatMap(([hex, other]) => [...times(hex, 'e'), ...times(other + 1, 'no')])
        const last = isToken ? ['<|end'] : times(256, 'c')
        const [at, { data }] = feed([...pieces, ...last])!
        const seen = [...pieces, ...last].slice(0, isToken ? at : at + 1)
        const isHex = (piece: string): boolean => piece.length === 1
        const inWindow = seen.slice(-2048)
        assert.deepEqual(
          [data.observed_total, data.hex_total, data.hex_in_window, data.progress_in_window],
          [at + 1, seen.filter(isHex).length, inWindow.filter(isHex).length, inWindow.filter((piece) => !isHex(piece)).length],
        )
      },
    ))
})

suite('the policy', () => {
  const make = <K extends Kind>(kind: K, payload: Payload<K>, place: Place = {}): Event =>
    makeEvent(kind, payload, { session: 's', ...place })
  const thought = (text: string, place?: Place): Event => make('thought.delta', { text }, place)
  const kinds = (events: readonly Event[]): string[][] => {
    const { step } = createDegenerate()
    return events.map((event) => step(event).map(({ type }) => type))
  }
  test('drops the delta, tells the error with the model, stops, and lets no thought of the session pass from then on', () => {
    const { step } = createDegenerate()
    step(make('session.start', { model: 'small' }))
    step(make('message.start', { model: 'gpt-oss-120b' }))
    const [drop, error, stop] = step(thought('<|channel|>'))
    assert.equal(drop?.type, 'drop')
    assert.ok(error?.type === 'error' && stop?.type === 'stop')
    assert.deepEqual([error.error.source, error.error.model, error.error.fatal], ['loop', 'gpt-oss-120b', true])
    assert.equal(error.error.error.code, 'degenerate_reasoning_stream')
    assert.deepEqual([stop.reason, stop.text, stop.when], ['degenerate', error.error.error.text, 'now'])
    assert.deepEqual(step(thought('fine', { agent: 'sub-1' })), [{ type: 'drop' }])
    assert.deepEqual(step(thought('fine', { session: 'other' })), [])
    assert.deepEqual(step(make('text.delta', { text: 'fine' })), [])
  })
  test('looks at thoughts alone, streamed or whole, in every lane', () => {
    assert.deepEqual(kinds([make('text.delta', { text: '<|channel|>' })]), [[]])
    assert.deepEqual(kinds([make('thought.end', { streamed: false, text: 'so <|eot|>' }, { agent: 'a' })]), [['drop', 'error', 'stop']])
    assert.deepEqual(kinds([thought('so'), make('thought.end', { streamed: true, text: 'so' })]), [[], []])
  })
  test('keeps lanes, model turns and blocks apart', () => {
    const half = times(200, 'a')
    const [a, b] = [half.map((text) => thought(text)), half.map((text) => thought(text, { agent: 'sub-1' }))]
    assert.ok(kinds([...a, ...b, make('message.end', {}), ...a]).every((said) => said.length === 0))
    assert.ok(kinds([...a, ...b, ...a]).some((said) => said.length > 0))
    assert.ok(kinds([thought('<|'), make('thought.end', { streamed: true }), thought('end')]).every((said) => said.length === 0))
  })
  test('leaves legal streams of every dialect alone', () =>
    holds(20, (seed) => {
      for (const dialect of streamDialects) {
        const { step } = createDegenerate()
        for (const event of eventsByRecord(linesOf(legalStream(dialect, seed)), dialect).flat()) assert.deepEqual(step(event), [])
      }
    }))
})
