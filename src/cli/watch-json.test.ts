import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { Class } from '../analyze/classify.ts'
import { isRecord } from '../base/json.ts'
import { createFramer } from '../framing/framer.ts'
import type { Event } from '../model/event.ts'
import { createJson, createSluice } from './watch-json.ts'
import type { ViewOptions } from './watch-view.ts'

function json(input: string | Uint8Array, classify: ViewOptions['classify'], its: Class = 'FINDING'): string {
  const parts: Uint8Array[] = []
  const view = createJson({
    dialect: 'avenor',
    put: {
      line: () => assert.fail('bytes, not text'),
      made: () => assert.fail(),
      bytes: (bytes) => parts.push(Buffer.from(bytes), Buffer.from('\n')),
    },
    wants: () => true,
    classify,
  })
  const framer = createFramer({
    record: (record, span) => view.show({ events: [], record, span, classes: [its] }),
    bad: (code, text, span) => {
      const issue = { v: 1, seq: 1, kind: 'issue', code, severity: 'error', line: 1, byte: 0, text, goesOn: true } as Event
      view.show({ events: [issue], record: undefined, span, classes: ['ACTIVITY'] })
    },
  })
  framer.push(Buffer.from(input as string))
  framer.end()
  return Buffer.concat(parts).toString('latin1')
}

suite('json', () => {
  test('a record is its own bytes', () => {
    const lines = '{"b": 1.50, "a":12345678901234567890 ,"e":"\\u0041/\\/"}\n{ }\n5\n"text"\n[1, 2]\nnull\n'
    assert.equal(json(lines, 'no'), lines)
  })

  test('also when they are not UTF-8', () => {
    const line = Buffer.from('{"a":"x\xff\xc3y"}\n', 'latin1')
    assert.equal(json(line, 'no'), line.toString('latin1'))
    assert.equal(json(line, 'all'), '{"a":"x\xff\xc3y","classify":"FINDING"}\n')
  })

  test('the class is the last key, and nothing else changes', () => {
    assert.equal(json('{"b": 1.50, "a":1e2 }', 'notable'), '{"b": 1.50, "a":1e2 ,"classify":"FINDING"}\n')
    assert.equal(json('{}', 'all'), '{"classify":"FINDING"}\n')
    assert.equal(json('{ }', 'all'), '{ "classify":"FINDING"}\n')
    assert.equal(json('{"a":{"classify":1}}', 'all', 'ACTIVITY'), '{"a":{"classify":1},"classify":"ACTIVITY"}\n')
  })

  test('a class that stands there already gives way, however it is written', () => {
    for (const [input, output] of [
      ['{"classify":"X"}', '{"classify":"FINDING"}'],
      ['{"classify":"X","a":1}', '{"a":1,"classify":"FINDING"}'],
      ['{"a":"}","classify":{"b":[1,"]"]},"c":2}', '{"a":"}","c":2,"classify":"FINDING"}'],
      ['{"a":1, "classify" : null }', '{"a":1,"classify":"FINDING"}'],
      ['{"\\u0063lassify":1,"a":"\\",\\"classify\\":1"}', '{"a":"\\",\\"classify\\":1","classify":"FINDING"}'],
      ['{"classify":1,"classify":2}', '{"classify":"FINDING"}'],
    ])
      assert.equal(json(input!, 'all'), `${output}\n`)
  })

  test('any object keeps its values, and has one class, at the end', () => {
    const key = fc.oneof(fc.constant('classify'), fc.string())
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), fc.constantFrom(undefined, 2, '\t'), (object, indent) => {
        const line = json(JSON.stringify(object, null, indent), 'all', 'MILESTONE')
        const shown: unknown = JSON.parse(Buffer.from(line, 'latin1').toString())
        assert.ok(isRecord(shown))
        const { classify: _class, ...rest } = JSON.parse(JSON.stringify(object)) as Record<string, unknown>
        assert.deepEqual(shown, { ...rest, classify: 'MILESTONE' })
        assert.equal(line.indexOf('\n'), line.length - 1)
        assert.match(line, /"classify":"MILESTONE"\}\n$/)
      }),
    )
  })

  test('records over several lines come out on one', () => {
    assert.equal(json('{\n  "a": "x  y",\r\n  "b": [\n    1\n  ]\n}\n', 'no'), '{"a": "x  y","b": [1]}\n')
    assert.equal(json('[{"a":1},\n{"a":2}]', 'no'), '{"a":1}\n{"a":2}\n')
  })

  test('what is no JSON is not passed', () => {
    assert.equal(json('hello\n{"a":1\n\n  \n{"b":1}\n', 'no'), '{"b":1}\n')
  })
})

test('sluice: events, with their class as the last key', () => {
  const lines: string[] = []
  const line = (text: string): void => void lines.push(text)
  const event = { v: 1, seq: 1, kind: 'session.start', session: 's', classify: 'OLD', how: 'new' } as Event
  for (const classify of ['no', 'all'] as const) {
    const view = createSluice({
      dialect: 'sluice',
      put: { line, made: line, bytes: () => assert.fail() },
      wants: (session) => session === 's',
      classify,
    })
    view.show({ events: [event, { ...event, session: 't' }], record: {}, span: undefined, classes: ['ACTIVITY', 'ACTIVITY'] })
  }
  assert.deepEqual(lines, [
    '{"v":1,"seq":1,"kind":"session.start","session":"s","classify":"OLD","how":"new"}',
    '{"v":1,"seq":1,"kind":"session.start","session":"s","how":"new","classify":"ACTIVITY"}',
  ])
})
