import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stringifyJson } from '../base/json.ts'
import { createFramer } from './framer.ts'

type Seen = { value?: unknown; bad?: string; line: number; offset: number; raw: string }

const bytesOf = (input: string | Uint8Array): Uint8Array => (typeof input === 'string' ? new TextEncoder().encode(input) : input)

/** Read twice: every line for itself, and by what it has in common with those before it. */
function frame(input: string | Uint8Array, cuts: number[] = [], maxLine?: number): Seen[] {
  const seen = frameBy(Infinity, input, cuts, maxLine)
  assert.deepEqual(frameBy(0, input, cuts, maxLine), seen)
  return seen
}

function frameBy(alikeAfter: number, input: string | Uint8Array, cuts: number[], maxLine?: number): Seen[] {
  const seen: Seen[] = []
  const rawOf = (bytes: Uint8Array, start: number, end: number): string => Buffer.from(bytes.subarray(start, end)).toString('latin1')
  const framer = createFramer(
    {
      record: (value, { bytes, start, end, line, offset }) =>
        seen.push({ value: stringifyJson(value), line, offset, raw: rawOf(bytes, start, end) }),
      bad: (bad, _text, { bytes, start, end, line, offset }) => seen.push({ bad, line, offset, raw: rawOf(bytes, start, end) }),
    },
    { maxLine, alikeAfter },
  )
  const bytes = bytesOf(input)
  const block = Buffer.alloc(bytes.length) // one read buffer for all chunks, as the command has it
  const give = (start: number, end: number): void => {
    block.set(bytes.subarray(start, end))
    framer.push(block.subarray(0, end - start))
    block.fill(0x23)
  }
  let from = 0
  for (const cut of [...new Set(cuts)].sort((a, b) => a - b)) {
    const to = Math.min(bytes.length, cut)
    give(from, Math.max(from, to)) // an empty chunk is a chunk too
    from = Math.max(from, to)
  }
  if (from < bytes.length) give(from, bytes.length)
  framer.end()
  return seen
}

const brief = (input: string | Uint8Array, maxLine?: number): string[] =>
  frame(input, [], maxLine).map(({ value, bad, line }) => `${line}:${bad ?? String(value)}`)

test('one object a line, with what real streams put between', () => {
  assert.deepEqual(brief('{"a":1}\n{"b":2}\n'), ['1:{"a":1}', '2:{"b":2}'])
  assert.deepEqual(brief('\ufeff{"a":1}\r\n\r\n  \n{"b":2}'), ['1:{"a":1}', '4:{"b":2}'])
  assert.deepEqual(brief('npm warn x\n{"a":1}\n[INFO] starting\n{"b":2}\n'), ['1:noise', '2:{"a":1}', '3:noise', '4:{"b":2}'])
  assert.deepEqual(brief('{"a":1}\n42\n"x"\nnull\n'), ['1:{"a":1}', '2:not-object', '3:not-object', '4:not-object'])
  assert.deepEqual(brief('12345678901234567890\n[{},1e400,12345678901234567890]'), ['1:not-object', '2:{}', '2:not-object', '2:not-object'])
})

test('server-sent events: a record is the value of data', () => {
  assert.deepEqual(brief('data: {"a":1}\n\ndata:{"b":2}\n\n'), ['1:{"a":1}', '3:{"b":2}'])
  assert.deepEqual(brief(': ping\r\nevent: message\r\nid: 7\r\ndata: {"a":1}\r\n\r\nretry: 10\r\n: ping\r\n'), ['4:{"a":1}'])
  assert.deepEqual(brief('data: {"a":\ndata: 1}\n\ndata: {"b":2}\n'), ['1:{"a":1}', '4:{"b":2}'])
  assert.deepEqual(brief('data: [DONE]\n'), ['1:noise'])
  assert.deepEqual(
    frame('id: 1\ndata: {"a":1}\n').map(({ offset, raw }) => [offset, raw]),
    [[12, '{"a":1}']],
  )
})

test('a line that looks like a field of an event is noise where no data follows', () => {
  assert.deepEqual(brief('event: boot\n{"a":1}\nid: 3\n'), ['1:noise', '2:{"a":1}', '3:noise'])
  assert.deepEqual(brief('id: x\n'.repeat(10)).length, 10)
})

test('one array, compact or pretty-printed, and objects one after another', () => {
  const records = [{ a: 1 }, { b: ['x]', { c: '"}' }] }, {}]
  const values = ['{"a":1}', '{"b":["x]",{"c":"\\"}"}]}', '{}']
  for (const text of [JSON.stringify(records), JSON.stringify(records, null, 2), `\n ${JSON.stringify(records, null, '\t')}\n`]) {
    assert.deepEqual(
      frame(text).map(({ value }) => value),
      values,
    )
  }
  assert.deepEqual(
    frame(records.map((r) => JSON.stringify(r)).join('')).map(({ value }) => value),
    values,
  )
  assert.deepEqual(
    frame(records.map((r) => JSON.stringify(r, null, 2)).join('\n')).map(({ value }) => value),
    values,
  )
  assert.deepEqual(
    frame(records.map((r) => JSON.stringify(r, null, 2)).join('')).map(({ value }) => value),
    values,
  )
  assert.deepEqual(brief(JSON.stringify(records, null, 2)), ['2:{"a":1}', '5:{"b":["x]",{"c":"\\"}"}]}', '13:{}'])
  assert.deepEqual(brief('[1,{"a":1},"x"]\n{"b":1}'), ['1:not-object', '2:{"b":1}'])
  assert.deepEqual(brief('[{"a":1},2,"x"]\n{"b":1}'), ['1:{"a":1}', '1:not-object', '1:not-object', '2:{"b":1}'])
  assert.deepEqual(brief('[]'), [])
})

test('the span of a record over several lines is its bytes, with either line break', () => {
  for (const lines of ['{|  "a": [|    1|  ]|}|', '  {|"a":1|} {"b":2}|', '{|"a":1|} x|']) {
    const input = lines.replaceAll('|', '\r\n')
    for (const { offset, raw } of frame(input)) assert.equal(raw, input.slice(offset, offset + raw.length))
    const unixes = frame(lines.replaceAll('|', '\n')).map(({ raw, ...rest }) => ({ ...rest, offset: 0, raw: raw.replaceAll('\n', '\r\n') }))
    assert.deepEqual(
      frame(input).map((one) => ({ ...one, offset: 0 })),
      unixes,
    )
  }
})

test('a broken record never takes its neighbours with it', () => {
  assert.deepEqual(brief('{"a":1\n{"b":2}\n{"c":"x\n{"d":4}\n'), ['1:bad-json', '2:{"b":2}', '3:bad-json', '4:{"d":4}'])
  assert.deepEqual(brief('{"a":1} trailing\n{"b":2}\n'), ['1:{"a":1}', '1:noise', '2:{"b":2}'])
  assert.deepEqual(brief('{"a":tru}\n{"b":2}\n'), ['1:bad-json', '2:{"b":2}'])
  assert.deepEqual(brief('{\n  "a": 1,\n{"b":2}\n'), ['1:bad-json', '2:noise', '3:{"b":2}'])
})

test('a broken array gives all its records, and each fault between them is told once', () => {
  const both = ['1:{"a":1}', '1:{"b":2}']
  assert.deepEqual(brief('[{"a":1},{"b":2}'), [...both, '1:array'])
  assert.deepEqual(brief('[{"a":1},{"b":2},\n'), [...both, '2:array'])
  assert.deepEqual(brief('[{"a":1},{"b":2},]'), [...both, '1:array'])
  assert.deepEqual(brief('[{"a":1},{"b":2},,,]'), [...both, '1:array'])
  assert.deepEqual(brief('[{"a":1} {"b":2}]'), ['1:{"a":1}', '1:array', '1:{"b":2}'])
  assert.deepEqual(brief('[{"a":1},\n,,{"b":2}]'), ['1:{"a":1}', '2:array', '2:{"b":2}'])
  assert.deepEqual(brief('[{"a":1} x]\n[{"b":2}]'), ['1:{"a":1}', '1:bad-json', '2:{"b":2}'])
  assert.deepEqual(
    frame('[{"a":1} {"b":2},]').map(({ bad, offset }) => [bad, offset]),
    [
      [undefined, 1],
      ['array', 9],
      [undefined, 9],
      ['array', 17],
    ],
  )
})

test('a stray bracket or a broken array takes no line after it', () => {
  const good = '{"a":1}\n{"b":{"c":[2]}}\n{"d":"]"}\n'
  const lines = (from: number): string[] => [`${from}:{"a":1}`, `${from + 1}:{"b":{"c":[2]}}`, `${from + 2}:{"d":"]"}`]
  assert.deepEqual(brief(`[\n${good}`), ['2:{"a":1}', '3:array', ...lines(2).slice(1)])
  for (const broken of ['[{', '[{"x":', '[{"x":"y', '[{"x":[{"y":{', ' [ {"x":"\\', '[{"x":[1,2'])
    assert.deepEqual(brief(`${broken}\n${good}`), ['1:bad-json', ...lines(2)], broken)
  assert.deepEqual(brief(`[{"x":1}\n${good}`), ['1:{"x":1}', '2:array', ...lines(2)])
  assert.deepEqual(brief(`[{"x":1},\n${good}`), ['1:{"x":1}', '2:{"a":1}', '3:array', ...lines(2).slice(1)])
  assert.deepEqual(brief(`[{"x":1}, 2, y\n${good}`), ['1:{"x":1}', '1:not-object', '1:bad-json', '2:array', ...lines(2)])
  assert.deepEqual(brief(`[{"x":1}, {"y\n${good}`), ['1:{"x":1}', '1:bad-json', ...lines(2)])
  assert.deepEqual(brief(`[{\n  "x": [\n${good}`), ['1:bad-json', ...lines(3)])
  assert.deepEqual(brief(`[{"x":"${'y'.repeat(90)}\n${good}`, 50), ['1:too-long', ...lines(2)])
})

test('a broken array is left in one go, in however many chunks', () => {
  let seen = 0
  const framer = createFramer({ record: () => seen++, bad: () => undefined }, { maxLine: 1 << 16 })
  const started = performance.now()
  const before = process.memoryUsage().arrayBuffers
  for (let count = 0; count < 20_000; count++) framer.push(bytesOf(`[{"x":[${'[{"y":1},'.repeat(20)}\n`))
  framer.push(bytesOf('[{"x":'))
  for (let count = 0; count < 20_000; count++) framer.push(bytesOf(' '.repeat(1000)))
  framer.push(bytesOf('\n{"a":1}\n'))
  framer.end()
  assert.equal(seen, 1)
  assert.ok(performance.now() - started < 5000)
  assert.ok(process.memoryUsage().arrayBuffers - before < 8_000_000)
})

test('a tail cut in a record or in a character is told as cut', () => {
  assert.deepEqual(brief('{"a":1}\n{"b":"x'), ['1:{"a":1}', '2:cut'])
  const cut = bytesOf('{"a":1}\n{"b":"é"}').slice(0, -3)
  assert.deepEqual(
    frame(cut).map(({ bad, line }) => [bad, line]),
    [
      [undefined, 1],
      ['cut', 2],
    ],
  )
  assert.deepEqual(brief('[{"a":1},{"b"'), ['1:{"a":1}', '1:cut'])
  assert.deepEqual(brief('{\n  "a": 1,\n'), ['1:cut'])
})

test('hostile bytes: NUL, bad UTF-8, lone surrogates, __proto__, duplicate keys, big numbers', () => {
  assert.deepEqual(brief('\u0000\u0000\u0000\n{"a":1}\n'), ['1:noise', '2:{"a":1}'])
  assert.deepEqual(brief('{"a":"\u0000"}\n'), ['1:bad-json'])
  const bad = new Uint8Array([...bytesOf('{"a":"'), 0xff, ...bytesOf('"}\n')])
  assert.deepEqual(brief(bad), ['1:utf8', '1:{"a":"\ufffd"}'])
  assert.deepEqual(brief('{"a":"\ufffd"}'), ['1:{"a":"\ufffd"}'])
  assert.deepEqual(brief('{"a":"\\ud800"}'), ['1:{"a":"\\ud800"}'])
  assert.deepEqual(brief('{"__proto__":{"x":1},"a":1,"a":2}'), ['1:{"__proto__":{"x":1},"a":2}'])
  assert.deepEqual(brief('{"n":12345678901234567890,"m":9007199254740993,"f":0.12345678901234566,"s":9007199254740991}'), [
    '1:{"n":12345678901234567890,"m":9007199254740993,"f":0.12345678901234566,"s":9007199254740991}',
  ])
})

test('100,000 levels of nesting come through', () => {
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  assert.deepEqual(
    frame(`${deep}\n`).map(({ value }) => value === deep),
    [true],
  )
})

test('a line over the limit is told and reading goes on at the next line', () => {
  const long = JSON.stringify({ x: 'y'.repeat(100) })
  assert.deepEqual(brief(`{"a":1}\n${long}\n{"b":2}\n`, 50), ['1:{"a":1}', '2:too-long', '3:{"b":2}'])
  assert.deepEqual(brief(`[{"a":1},${long},{"b":2}]`, 50), ['1:{"a":1}', '1:too-long', '1:{"b":2}'])
})

test('an object that stays open over a million lines costs its bytes', () => {
  const framer = createFramer({ record: () => undefined, bad: () => undefined })
  const before = process.memoryUsage().heapUsed
  framer.push(bytesOf(`{\n${'\n'.repeat(1_000_000)}`))
  assert.ok(process.memoryUsage().heapUsed - before < 50_000_000)
  framer.end()
})

test('a long line that begins with a bracket is read in one go, in however many chunks', () => {
  const chunk = bytesOf(' '.repeat(4096))
  for (const [begin, end, expected] of [
    ['[', '{"a":1}]', '{"a":1}'],
    ['[INFO', '\n{"a":1}', 'noise,{"a":1}'],
  ] as const) {
    const seen: string[] = []
    const framer = createFramer({ record: (value) => seen.push(JSON.stringify(value)), bad: (code) => seen.push(code) })
    const started = performance.now()
    framer.push(bytesOf(begin))
    for (let count = 0; count < 5000; count++) framer.push(chunk)
    framer.push(bytesOf(end))
    framer.end()
    assert.equal(seen.join(), expected)
    assert.ok(performance.now() - started < 5000)
  }
})

const soup = fc.oneof(
  fc.constantFrom(
    '{"a":1}\n',
    '{"a":"é→😀"}\r\n',
    '\n',
    '  \n',
    'log line\n',
    '[WARN] x\n',
    '{"a":{"b":[1,2,{"c":"}"}]}}\n',
    '{"a":1',
    '}',
    '{\n  "a": [\n    1\n  ]\n}\n',
    '[{"x":1},{"y":"]"}]\n',
    '[\n  {"x": 1},\n  2\n]\n',
    '[{"x":1},',
    '{"x":1},',
    ',',
    ',]',
    '"',
    '\\',
    '[',
    ']',
    '\ufeff',
    '\ufeff{\n',
    ' \n  [',
    '   ',
    ' '.repeat(9),
    '\u0000',
    '{"n":12345678901234567890}\n',
    'data: {"a":1}\n\n',
    'data: {\r\n',
    'data:',
    'data: ',
    '{"a":[{\n',
    'id: 1\n',
    ': ping\n',
  ),
  fc.json().map((json) => `${json}\n`),
  fc.string(),
)

test('whatever line stands before good lines, all of them come, and the line is told', () => {
  const good = [{ a: 1 }, { b: { c: [2, { d: '}' }] } }, { e: 'x' }]
  const lines = good.map((record) => `${JSON.stringify(record)}\n`)
  const piece = fc.constantFrom('[', ']', '{', '}', '"', ',', ':', 'x', '1', ' ', '\\', '[{', '{"a":1}', '"b"', 'null')
  const garbage = fc.array(piece, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(garbage, fc.array(fc.nat(80), { maxLength: 6 }), (line, cuts) => {
      const seen = frame(`${line}\n${lines.join('')}`, cuts)
      const values = seen.flatMap(({ value }) => (value === undefined ? [] : [value as string]))
      assert.deepEqual(
        values.slice(-3),
        good.map((record) => JSON.stringify(record)),
      )
      if (!isWhole(line)) assert.ok(seen.some(({ bad }) => bad !== undefined))
    }),
    { numRuns: 3000 },
  )
})

/** Records, one after another, in an array, or none at all. */
const isWhole = (line: string): boolean => {
  try {
    const value: unknown = JSON.parse(`[${line.replaceAll(/}\s*{/g, '},{')}]`)
    return Array.isArray(value)
  } catch {
    return false
  }
}

test('any cut of the bytes gives the same records', () => {
  fc.assert(
    fc.property(
      fc.array(soup, { maxLength: 12 }),
      fc.array(fc.nat(400), { maxLength: 12 }),
      fc.constantFrom(undefined, 10, 40),
      (parts, cuts, maxLine) => {
        const input = parts.join('')
        assert.deepEqual(frame(input, cuts, maxLine), frame(input, [], maxLine))
      },
    ),
    { numRuns: 3000 },
  )
})

test('an empty line of an event is empty, whatever stood in its place before', () => {
  for (const input of ['{"a":[{\ndata: ', 'data: {\ndata: ']) assert.deepEqual(frame(input, [1]), frame(input, []))
})

test('random bytes never throw, and every span lies where it says', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(300), { maxLength: 5 }), (bytes, cuts) => {
      for (const { offset, raw, bad } of frame(bytes, cuts)) {
        if (bad !== 'too-long') assert.equal(Buffer.from(bytes.subarray(offset, offset + raw.length)).toString('latin1'), raw)
      }
    }),
    { numRuns: 2000 },
  )
})
