import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { parseJson } from './json.ts'
import { borrowMoulds, createMoulds, mostChunk, type Moulds } from './moulds.ts'

const encoder = new TextEncoder()

/** Reads lines as the framer does, and holds each value to JSON.parse. Returns how many fitted a mould. */
function readAll(lines: Iterable<string | Uint8Array>, plain = true, moulds: Moulds = createMoulds({ plainNumbers: plain })!): number {
  let fitted = 0
  const parse = plain ? JSON.parse : parseJson
  for (const line of lines) {
    const bytes = typeof line === 'string' ? encoder.encode(line) : line
    let expected: unknown
    try {
      expected = parse(Buffer.from(bytes).toString())
    } catch {
      assert.equal(moulds.read(bytes, 0, bytes.length), undefined, `taken for JSON: ${String(line)}`)
      for (const value of amongOthers(moulds, bytes)) assert.equal(value, undefined, `taken for JSON in a chunk: ${String(line)}`)
      continue
    }
    const value = moulds.read(bytes, 0, bytes.length)
    if (value === undefined) moulds.learn(expected, bytes, 0, bytes.length)
    else {
      fitted++
      for (const again of amongOthers(moulds, bytes)) assert.equal(JSON.stringify(again), JSON.stringify(expected))
      assert.deepEqual(value, expected)
      assert.equal(JSON.stringify(value), JSON.stringify(expected)) // the order of the keys too
    }
  }
  moulds.free()
  return fitted
}

/** The same line as it stands in a chunk, before either line break. */
function* amongOthers(moulds: Moulds, line: Uint8Array): Generator<unknown> {
  if (line.includes(10) || line.includes(13) || line.length + 20 > mostChunk) return
  for (const end of ['\n', '\r\n', '\n{"a":1}\n']) {
    moulds.hold(Buffer.concat([encoder.encode('\n'), line, encoder.encode(end)]))
    const value = moulds.readLine(1)
    if (value !== undefined) assert.equal(moulds.lineEnd(), 1 + line.length)
    yield value
  }
}

suite('what a mould makes is what JSON.parse makes', () => {
  test('of numbers in every spelling', () => {
    const texts =
      '0 -0 1 -1 0.5 -0.25 0.1 0.002127 123456789012345 1234567890.12345 -9.99999999999999 0.000000000000001 0.07521323529411765'.split(' ')
    texts.push(
      ...'1e5 1E-7 2.5e+300 1e400 -1e-400 9007199254740993 12345678901234.56 0.0000000000000001 999999999999999 9999999999999999'.split(
        ' ',
      ),
    )
    for (const plain of [true, false])
      assert.equal(
        readAll(
          ['1', '2', ...texts].map((text) => `{"n":${text}}`),
          plain,
        ),
        texts.length,
      )
    const decimal = fc.tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 17 })).map(([n, at]) => {
      const digits = String(Math.abs(n)).padStart(at + 1, '0')
      return `${n < 0 ? '-' : ''}${digits.slice(0, digits.length - at)}${at === 0 ? '' : `.${digits.slice(digits.length - at)}`}`
    })
    fc.assert(fc.property(fc.array(decimal, { minLength: 20 }), (some) => void readAll(['1', '2', ...some].map((text) => `{"n":${text}}`))))
  })

  test('of texts that come again, in lines of other forms too', () => {
    const ids = Array.from({ length: 400 }, (_, n) => `${'id-'.repeat((n % 19) + 2)}${n}`) // more than are kept in mind, of all lengths
    const id = fc.constantFrom(...ids)
    const line = fc.oneof(
      fc.record({ type: fc.constant('a'), id, other: id }),
      fc.record({ type: fc.constant('b'), other: id, id, more: fc.record({ id, name: fc.string() }) }),
    )
    fc.assert(
      fc.property(fc.array(line, { minLength: 50, maxLength: 300 }), (lines) =>
        assert.ok(readAll(lines.map((one) => JSON.stringify(one))) > lines.length / 2),
      ),
    )
  })

  test('of texts, numbers and arrays that change', () => {
    const lines = [
      '{"type":"a","text":"one","n":1,"tags":["x"],"in":{"deep":[{"id":"1","at":1.5}]},"no":null,"yes":true}',
      '{"type":"a","text":"two","n":2,"tags":[],"in":{"deep":[{"id":"2","at":-0}]},"no":null,"yes":true}',
      '{"type":"a","text":"","n":1e3,"tags":[1,null,true,false,"\\n",-2.5e-3],"in":{"deep":[{"id":"3","at":12345678901234567}]},"no":null,"yes":true}',
      '{"type":"a","text":"a \\"b\\" \\\\ \\/ \\b\\f\\n\\r\\t","n":1234567890123,"tags":["é"],"in":{"deep":[{"id":"→","at":0}]},"no":null,"yes":true}',
      '{"type":"a","text":"\\u00e9 \\ud83d\\ude00 \\ud83d \\u0000","n":-7,"tags":[],"in":{"deep":[{"id":"😀\\n","at":9e99}]},"no":null,"yes":true}',
      `{"type":"a","text":"${'long \\n text→'.repeat(100)}","n":0,"tags":[],"in":{"deep":[{"id":"${'x'.repeat(70)}","at":1}]},"no":null,"yes":true}`,
      `{"type":"a","text":"${'plain '.repeat(100)}","n":0,"tags":[],"in":{"deep":[{"id":"${'x'.repeat(70)}","at":1}]},"no":null,"yes":true}`,
      `{"type":"a","text":"${'\\t'.repeat(300)}","n":0,"tags":[],"in":{"deep":[{"id":"${'y'.repeat(64)}","at":1}]},"no":null,"yes":true}`,
    ]
    assert.equal(readAll(lines), 6) // the first two are parsed: a form is learned when it comes again
    assert.equal(readAll([...lines, ...lines.toReversed()]), 14)
  })

  test('whatever the lines are', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    )
    const { form } = fc.letrec((tie) => ({
      form: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('form'), { maxLength: 4 }),
        fc.dictionary(
          fc.oneof(fc.constantFrom('type', 'kind', 'text', '__proto__', '1', 'a b', 'ключ'), fc.string({ maxLength: 4 })),
          tie('form'),
          { maxKeys: 5 },
        ),
      ),
    }))
    const vary = (value: unknown, with_: unknown[]): unknown => {
      if (Array.isArray(value)) return value.map((item) => vary(item, with_))
      if (value === null || typeof value !== 'object') return typeof value === 'boolean' || value === null ? value : (with_.pop() ?? value)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, vary(item, with_)]))
    }
    const lines = fc.tuple(
      fc.array(form, { minLength: 1, maxLength: 3 }),
      fc.array(fc.array(leaf, { maxLength: 6 }), { minLength: 8, maxLength: 12 }),
    )
    fc.assert(
      fc.property(lines, ([forms, values]) => {
        readAll(values.map((some, index) => JSON.stringify({ type: 'x', form: vary(forms[index % forms.length], [...some]) })))
      }),
      { numRuns: 300 },
    )
  })

  test('of keys that stand twice, in odd order, or are not plain words', () => {
    for (const line of [
      '{"a":null,"b":1,"a":1}',
      '{"b":"x","1":"x"}',
      '{"__proto__":{"a":"x"},"b":"x"}',
      '{"a b":"x"}',
      '{"\\u0061":"x","a":"x"}',
      '{"a":[ "x" ],"b":[1 , 2]}',
      '{ "a" : "x" , "b" : [ { "c" : 1 } ] }',
      '{"type":["a",{"type":"b"}],"kind":{"type":1},"role":null,"event":"x"}',
      '{"a":"x","constructor":"y","toString":1}',
    ])
      readAll([line, line, line, line.replaceAll('x', 'y'), line.replaceAll('1', '2')])
  })

  test('of integers past 2^53 too, which keep their text unless numbers are plain', () => {
    const lines = [
      '{"n":1}',
      '{"n":2}',
      '{"n":12345678901234567890}',
      '{"n":[12345678901234567890]}',
      '{"n":[1]}',
      '{"n":[98765432109876543210]}',
      '{"n":1e400}',
      '{"n":[-1E+999]}',
    ]
    assert.equal(readAll(lines, false), 4)
    assert.equal(readAll(lines, true), 4)
    const moulds = createMoulds()!
    readAll(lines.slice(0, 2), false, moulds)
    for (const line of [lines[2]!, lines[6]!]) {
      const bytes = encoder.encode(line)
      assert.equal(JSON.stringify(moulds.read(bytes, 0, bytes.length)), line)
    }
  })
})

test('nothing that JSON.parse refuses fits a mould, and no change of one byte is overlooked', () => {
  const lines = [
    '{"type":"delta","text":"abc \\u00e9 \\" x","n":-12.5e+7,"list":["a",1,true,false,null],"in":{"id":"i","ok":true}}',
    `{"type":"delta","text":"${'long \\\\ text '.repeat(30)}","n":0,"list":[],"in":{"id":"i","ok":true}}`,
  ]
  for (const line of lines) {
    const bytes = encoder.encode(line)
    const bad = [0x22, 0x5c, 0x2c, 0x7d, 0x5d, 0x5b, 0x30, 0x2e, 0x65, 0x2d, 0x0a, 0x1f, 0x00, 0x75, 0x20, 0x61]
    const broken = [...bytes.keys()].flatMap((at) => [
      ...bad.map((byte) => bytes.with(at, byte)),
      new Uint8Array([...bytes.subarray(0, at), ...bytes.subarray(at + 1)]),
      bytes.subarray(0, at),
    ])
    const moulds = createMoulds({ plainNumbers: true })!
    assert.equal(readAll([line, line, line, ...broken, line], true, moulds) > bytes.length / 2, true)
  }
})

test('a line is read where it lies in a chunk that is held, and never beyond its end', () => {
  const moulds = createMoulds({ plainNumbers: true })!
  const lines = ['{"a":"x"}', '{"a":"y"}', '{"a":"z', '","b":"c"}', '{"a":"w"}']
  const bytes = moulds.hold(encoder.encode(lines.join('\n')))
  let start = 0
  const values = lines.map((line) => {
    const end = start + line.length
    assert.equal(moulds.breakAt(bytes, start), line === lines.at(-1) ? -1 : end)
    const value = moulds.read(bytes, start, end)
    if (value === undefined && line.endsWith('}') && line.startsWith('{')) moulds.learn(JSON.parse(line), bytes, start, end)
    start = end + 1
    return value
  })
  assert.deepEqual(values, [undefined, undefined, undefined, undefined, { a: 'w' }])
  assert.equal(moulds.hold(new Uint8Array(mostChunk)).length, mostChunk)
})

test('a line in a chunk ends at its line break, never behind it', () => {
  const moulds = createMoulds({ plainNumbers: true })!
  const learn = (text: string): void => {
    const bytes = encoder.encode(text)
    for (let times = 0; times < 2; times++) moulds.learn(JSON.parse(text), bytes, 0, bytes.length)
  }
  learn('{"a":"x"}')
  learn('{\n"a":"x",\n"b":1}') // an element of an array, or a record over several lines
  const read = (chunk: string, start = 0): unknown => (moulds.hold(encoder.encode(chunk)), moulds.readLine(start))
  assert.deepEqual(read('{"a":"y"}\n'), { a: 'y' })
  assert.deepEqual(read('-\n{"a":"z"}\r\n', 2), { a: 'z' })
  for (const cut of [
    '{"a":"y"}',
    '{"a":"y"',
    '{"a":"y"}\r',
    '{"a":"y"} \n',
    '{"a":"y"}{"a":"y"}\n',
    '{\n"a":"y",\n"b":2}\n',
    '{"a":"y\n"}\n',
    '',
  ])
    assert.equal(read(cut), undefined, JSON.stringify(cut))
  moulds.hold(encoder.encode('{"a":"long"}\n'))
  assert.equal(read('{"a":"y"'), undefined, 'what a longer chunk has left behind')
  const bytes = encoder.encode('{\n"a":"y",\n"b":2}')
  assert.deepEqual(moulds.read(bytes, 0, bytes.length), { a: 'y', b: 2 })
})

test('a text with escapes is what JSON.parse makes of it, wherever they stand', () => {
  const parts = [
    '\\\\',
    '\\\\',
    '\\"',
    '\\n',
    '\\t',
    '\\/',
    '\\b',
    '\\u00e9',
    '\\ud83d\\ude42',
    'a',
    'words ',
    'ä',
    '→',
    '🙂',
    'x'.repeat(15),
  ]
  const wrong = ['\\q', '\\u12g4', '\\', '"', '\t', '\u0001']
  const legal = fc.array(fc.constantFrom(...parts), { maxLength: 60 })
  const texts = fc.tuple(legal, fc.option(fc.constantFrom(...wrong), { nil: '' }), legal)
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 6 }), (all) => {
      const lines = all.map(([one, odd, other]) => `{"id":1,"text":"${one.join('')}${odd}${other.join('')}","end":true}`)
      readAll(['{"id":1,"text":"a","end":true}', '{"id":1,"text":"b","end":true}', ...lines])
    }),
    { numRuns: 500 },
  )
})

test('more forms than there is room for: those that serve most stay', () => {
  const often = (n: number): string => `{"often":"${n}"}`
  const lines = Array.from({ length: 4000 }, (_, n) => (n % 2 === 0 ? often(n) : `{"rare${(n >> 1) % 200}":"${n}"}`))
  assert.equal(readAll(lines) >= 1990, true)
})

test('every recording in the project, read twice over', () => {
  const folder = join(import.meta.dirname, '../../fixtures')
  let fitted = 0
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(ndjson|jsonl)$/.test(name)) continue
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    fitted += readAll([...lines, ...lines], false)
  }
  assert.equal(fitted > 1000, true)
})

test('what one stream has taught serves the next one', () => {
  const lines = (name: string): string[] =>
    Array.from({ length: 50 }, (_, n) => `{"type":"a","id":"${name}-${n % 7}","text":"${name.repeat(n)}","list":[${n}]}`)
  assert.equal(readAll(lines('one'), true, borrowMoulds({ plainNumbers: true })), 48)
  assert.equal(readAll(lines('other'), true, borrowMoulds({ plainNumbers: true })), 50)
  assert.equal(readAll(lines('third'), false, borrowMoulds({ plainNumbers: false })), 48, 'numbers are not the same to it')
})

suite('a text that is only skimmed', () => {
  const skimmed = new Set(['a.*.out'])
  const lineOf = (out: string, told = 'x'): string => JSON.stringify({ told, a: [{ out, kept: out }] })
  type Read = { a: [{ out: string; kept: string }] }

  function read(out: string): Read['a'][0] {
    const moulds = createMoulds({ plainNumbers: true, skimmed })!
    for (const line of [lineOf('one'), lineOf('two')]) {
      const bytes = encoder.encode(line)
      if (moulds.read(bytes, 0, bytes.length) === undefined) moulds.learn(JSON.parse(line), bytes, 0, bytes.length)
    }
    const bytes = encoder.encode(lineOf(out, 'y'))
    const record = moulds.read(bytes, 0, bytes.length) as unknown as Read
    moulds.free()
    return record.a[0]
  }

  test('keeps its beginning and its end, whatever it is made of; the texts beside it are whole', () => {
    const word = fc.oneof(
      fc.constantFrom('plain words ', 'Zeile\n', 'ü → 日本語 ', '\\ "quoted" \t', '\u0001 ', '😀 ', 'nospacesatall', '\ud800 '),
      fc.string({ minLength: 1, unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 1, max: 400 }), (words, times) => {
        const text = words.join('').repeat(times)
        const { out, kept } = read(text)
        assert.equal(kept, text)
        if (out === text) return
        const cut = [...out.matchAll(/\0/g)].map(({ index }) => index)
        assert.ok(
          cut.some((at) => text.startsWith(out.slice(0, at)) && text.endsWith(out.slice(at + 1)) && at >= 200 && out.length - at > 200),
        )
      }),
    )
  })

  test('is cut when it is long, and only then', () => {
    for (const unit of ['x', 'line after line ', 'ü → \n', 'a "b" '])
      assert.ok(read(unit.repeat(5000)).out.length <= 1025, `${unit} was not cut`)
    for (const text of ['x'.repeat(640), 'short', '']) assert.equal(read(text).out, text)
    const unspaced = '\n'.repeat(5000) // where it could be cut is not known
    assert.equal(read(unspaced).out, unspaced)
  })
})
