// Markers in single lines, in texts that come in any pieces, and in streams.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { assertHolds } from '../../test/properties.ts'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createMarkerReader, createMarkers, type Marker, readMarker, stronger, type WorkflowMarker } from './markers.ts'

const read = (...pieces: string[]): Marker[] => {
  const reader = createMarkerReader()
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}
const types = (...pieces: string[]): string[] => read(...pieces).map((marker) => (marker.type === 'status' ? marker.phase : marker.type))

suite('a line', () => {
  const lines: [string, Marker | undefined][] = [
    ['<|workflow: exit|>', { type: 'exit' }],
    ['<|workflow: abort | no network|>', { type: 'abort', label: 'no network' }],
    ['  <|WorkFlow:Continue|no |> end | of it |>\r', { type: 'continue', label: 'no |> end | of it' }],
    ['<|workflow: exit | |>', { type: 'exit' }],
    ['[loop: exit]', { type: 'exit' }],
    ['[loop: continue | once more]', { type: 'continue', label: 'once more' }],
    ['[exit]', { type: 'exit' }],
    ['[ Abort | no key ]', { type: 'abort', label: 'no key' }],
    ['<|status: working | reading files|>', { type: 'status', phase: 'working', label: 'reading files' }],
    ['<|status: done|>', { type: 'status', phase: 'done' }],
    ['[status: waiting | for CI]', { type: 'status', phase: 'waiting', label: 'for CI' }],
    ['[STATUS: Thinking]', { type: 'status', phase: 'thinking' }],
    ['<|workflow: pause|>', undefined],
    ['<|workflow exit|>', undefined],
    ['<|workflow: exit', undefined],
    ['<|>', undefined],
    ['<||>', undefined],
    ['[workflow: exit]', undefined],
    ['<|loop: exit|>', undefined],
    ['<|exit|>', undefined],
    ['[continue]', undefined],
    ['[loop: exit | a] b]', undefined],
    ['[exit] and more', undefined],
    ['I would say <|workflow: exit|>', undefined],
    ['<|status: idle|>', undefined],
    ['<|status: working reading|>', undefined],
    ['- [exit]', undefined],
    ['[exit](https://example.com)', undefined],
    ['', undefined],
  ]
  for (const [line, marker] of lines)
    test(`${JSON.stringify(line)} is ${marker === undefined ? 'none' : 'one'}`, () => assert.deepEqual(readMarker(line), marker))
})

suite('a text', () => {
  test('tells its markers in order, also the last line that has no end', () =>
    assert.deepEqual(types('a\n[status: working]\nb\n<|status: thinking|>\n[exit]'), ['working', 'thinking', 'exit']))
  test('counts a line only when it is whole', () => {
    const reader = createMarkerReader()
    assert.deepEqual(reader.push('[loop: exit]'), [])
    assert.deepEqual(reader.push(' is what I would print\n'), [])
    assert.deepEqual(reader.end(), [])
    assert.deepEqual(types('[loop:', ' exit]', '\n'), ['exit'])
  })
  test('hides what stands in fences, however long ago they were opened', () => {
    assert.deepEqual(types('```\n[exit]\n```\n[abort]\n'), ['abort'])
    assert.deepEqual(types(`~~~ts\n${'x\n'.repeat(5000)}[exit]\n`), [])
    assert.deepEqual(types('  ````\n```\n[exit]\n````\n[abort]'), ['abort'])
    assert.deepEqual(types('```\n~~~\n[exit]\n```\n[abort]'), ['abort'])
    assert.deepEqual(types('```js```\n[exit]'), ['exit'])
    assert.deepEqual(types('```\n``` not the end\n[exit]'), [])
  })
  test('leaves its fence behind when it ends', () => {
    const reader = createMarkerReader()
    reader.push('```\n')
    reader.end()
    assert.deepEqual(reader.push('[exit]\n'), [{ type: 'exit' }])
  })
  test('keeps little of a line without an end', () => {
    const reader = createMarkerReader()
    for (let count = 0; count < 2000; count++) reader.push(`[exit | ${'x'.repeat(1000)}`)
    assert.deepEqual(reader.push(']\n[exit]\n'), [{ type: 'exit' }])
    assert.deepEqual(read(`[exit | ${'x'.repeat(990)}]`, '\n[abort]'), [{ type: 'exit', label: 'x'.repeat(990) }, { type: 'abort' }])
    assert.deepEqual(read(`[exit | ${'x'.repeat(992)}]`), [])
  })
  test('gives the same markers in whatever pieces it comes', () => {
    const parts = ['\n[exit]\n', '\n[abort | no]\r\n', '\n<|status: working | a|>', '\n', '\n', '```', '~~~', ' ', 'x', '<', '|', ']', '`']
    const made = fc.tuple(fc.array(fc.constantFrom(...parts), { maxLength: 30 }), fc.array(fc.nat(40), { maxLength: 40 }))
    let seen = 0
    assertHolds(2000, made, ([words, sizes]) => {
      const text = words.join('')
      const pieces: string[] = []
      let at = 0
      for (const size of sizes) pieces.push(text.slice(at, (at += size)))
      const whole = read(text)
      seen += whole.length
      assert.deepEqual(read(...pieces, text.slice(at)), whole)
    })
    assert.ok(seen > 500)
  })
})

test('abort beats exit, exit beats continue, and of two alike the first counts', () => {
  const all: WorkflowMarker[] = [{ type: 'continue' }, { type: 'exit', label: 'a' }, { type: 'exit', label: 'b' }, { type: 'abort' }]
  const best = (markers: readonly WorkflowMarker[]): WorkflowMarker | undefined =>
    markers.reduce<WorkflowMarker | undefined>(stronger, undefined)
  assert.deepEqual(best(all), { type: 'abort' })
  assert.deepEqual(best(all.toReversed()), { type: 'abort' })
  assert.deepEqual(best(all.slice(0, 3)), { type: 'exit', label: 'a' })
})

suite('a stream', () => {
  const make = <K extends Kind>(kind: K, payload: Payload<K>, place: Place = {}): Event => makeEvent(kind, payload, place)
  const follow = (events: readonly Event[], thoughts?: boolean): Marker[] => {
    const markers = createMarkers({ thoughts })
    return events.flatMap((event) => markers.step(event))
  }
  test('tells markers of the answer, and of thoughts only when asked to', () => {
    const events = [
      make('thought.delta', { text: '[abort' }),
      make('text.delta', { text: '[ex' }),
      make('thought.delta', { text: ']\n' }),
      make('text.delta', { text: 'it]' }),
      make('text.end', { streamed: true, text: '[exit]' }),
    ]
    assert.deepEqual(follow(events), [{ type: 'exit' }])
    assert.deepEqual(follow(events, true), [{ type: 'abort' }, { type: 'exit' }])
  })
  test('tells those of a text that comes whole', () =>
    assert.deepEqual(follow([make('text.end', { streamed: false, text: 'a\n[exit]' })]), [{ type: 'exit' }]))
  test('takes the end of a message for the end of its last line', () =>
    assert.deepEqual(follow([make('text.delta', { text: '[exit]' }), make('message.end', {})]), [{ type: 'exit' }]))
  test('hears neither subagents nor prompts nor tools, nor what was withdrawn', () =>
    assert.deepEqual(
      follow([
        make('text.delta', { text: '[abort]\n' }, { agent: 'sub-1' }),
        make('prompt.submit', { text: '[abort]', by: 'user', state: 'sent' }),
        make('tool.end', { status: 'ok', text: '[abort]' }, { call: 'c' }),
        make('text.delta', { text: '[abort]' }),
        make('message.drop', { fromBlock: 0, why: 'stream_error' }),
        make('message.end', {}),
      ]),
      [],
    ))
})
