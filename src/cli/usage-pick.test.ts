import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isRecord } from '../base/json.ts'
import { lineFinder } from './usage-lines.ts'
import { createPicker } from './usage-pick.ts'

const wanted = { type: 'type', id: 'message.id', usage: 'message.usage', input: 'message.usage.input_tokens', deep: 'a.b.c', cwd: 'cwd' }
const marks = ['_tokens"', '-state"'] as const
const { at, room, find, pick } = createPicker(wanted, marks)

function picked(line: Buffer, room_ = room): unknown {
  line.copy(room_)
  room_[line.length] = 10
  const values = pick(room_, 0, line.length)
  return values && plain(Object.fromEntries(Object.entries(at).map(([name, slot]) => [name, values[slot]])))
}

function parsed(line: Buffer): unknown {
  let record: unknown
  try {
    record = JSON.parse(line.toString())
  } catch {
    return undefined
  }
  if (!isRecord(record)) return undefined
  const valueAt = (path: string): unknown =>
    path.split('.').reduce<unknown>((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), record)
  return plain(Object.fromEntries(Object.entries(wanted).map(([name, path]) => [name, valueAt(path)])))
}

/** Of an object it is only said that it is one. */
const plain = (values: object): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isRecord(value) ? 'an object' : value]))

const agree = (text: string | Buffer): void => {
  const line = Buffer.from(text as string)
  if (line.includes(10)) return
  assert.deepEqual(picked(line), parsed(line), line.toString())
  assert.deepEqual(picked(line), parsed(line), `again: ${line.toString()}`)
}

const key = fc.constantFrom(
  'type',
  'message',
  'id',
  'usage',
  'input_tokens',
  'a',
  'b',
  'c',
  'cwd',
  'kind',
  'content',
  '__proto__',
  'größe',
  'q"\\',
)
const leaf = fc.oneof(
  fc.string(),
  fc.constantFrom('assistant', 'C:\\work', 'größer 日本', '', 'x'.repeat(300)),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
)
const { value: tree } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 5 }, leaf, tie('object'), fc.array(tie('value'), { maxLength: 4 })),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 7 }).map((entries) => Object.fromEntries(entries) as object),
}))
const record = fc.array(fc.tuple(key, tree), { maxLength: 8 }).map((entries) => JSON.stringify(Object.fromEntries(entries)))

test('what is picked is what JSON.parse finds', () => {
  fc.assert(fc.property(record, agree), { numRuns: 3000 })
})

test('a line that is cut or has other bytes in it is no JSON to both, or the same', () => {
  const bytes = fc.oneof(fc.constantFrom(...Buffer.from('{}[]",:\\ \t0123-+.eEtfnu\r\x00\x7f\x80')), fc.nat(255))
  const broken = fc.tuple(record, fc.nat(), bytes, fc.constantFrom('cut', 'put', 'insert', 'drop')).map(([text, place, byte, how]) => {
    const line = Buffer.from(text)
    const index = place % line.length
    const [before, after] = [line.subarray(0, index), line.subarray(how === 'insert' ? index : index + 1)]
    return how === 'cut' ? before : Buffer.concat(how === 'drop' ? [before, after] : [before, Buffer.of(byte), after])
  })
  fc.assert(fc.property(broken, agree), { numRuns: 5000 })
})

test('keys that stand twice, blanks, escapes and numbers of all forms', () => {
  for (const line of [
    '{"type":"a","type":"b"}',
    '{"message":{"id":"1","usage":{"input_tokens":1}},"message":{"usage":{}}}',
    '{"message":{"id":"1"},"message":null}',
    '{ "type" : "a" , "cwd":\t"b"\r}',
    '{"\\u0074ype":"a","cwd":"C:\\\\w\\u00e9\\n"}',
    '{"type":01}',
    '{"type":-0,"cwd":1e400}',
    '{"type":-0.0e-0,"cwd":1E+2}',
    '{"type":1.}',
    '{"type":.5}',
    '{"type":-}',
    '{"type":12345678901234567890,"cwd":999999999999999}',
    '{"type":[1],"cwd":{}}',
    '{"type":"a"}}',
    '{"type":"a"},',
    '{"type":tru}',
    '{"type":nulls}',
    '{"type":"\u0001"}',
    '{"type":"\\x"}',
    '{"type":"\\u12g4"}',
    '{"type":"a",}',
    '{,}',
    '{}',
    '[]',
    '""',
    '',
    `{"kind":${'['.repeat(100)}${']'.repeat(100)},"type":"deep"}`,
  ])
    agree(line)
})

test('a text is not taken for the last one when a line between failed', () => {
  agree('{"cwd":"/a"}')
  agree('{"cwd":"/b","x":}')
  agree('{"cwd":"/b"}')
})

test('bytes that lie elsewhere are read too', () => {
  const line = Buffer.from('{"cwd":"/a"}')
  assert.deepEqual(picked(line, Buffer.alloc(100)), parsed(line))
})

test('lines with a mark are found, wherever they lie', () => {
  const part = fc.constantFrom('_tokens"', '-state"', '_token', '-s', '_t', '"', '\n', '\n\n', 'x'.repeat(15), 'y'.repeat(40), 'größe')
  const slow = lineFinder(marks)
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), fc.nat(20), (parts, offset) => {
      const text = Buffer.from(parts.join(''))
      room.fill('_tokens"\n-state"\n', 0, 4000) // what lies around is not looked at
      text.copy(room, offset)
      const bytes = room.subarray(offset, offset + text.length)
      const all = (how: typeof find, from: Buffer): object[] => {
        const found: object[] = []
        for (let line = { start: 0, end: 0 }; line.end <= from.length && how(from, line.end, line); found.push({ ...line }));
        return found
      }
      assert.deepEqual(all(find, bytes), all(slow, text))
      assert.deepEqual(all(find, text), all(slow, text))
    }),
    { numRuns: 2000 },
  )
})
