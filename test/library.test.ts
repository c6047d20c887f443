// The library as a program uses it that is not ours: chunks in one buffer, options that are there and undefined, huge records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import {
  convert,
  createConverter,
  createReader,
  createSniffer,
  createValidator,
  detect,
  dialects,
  read,
  validate,
  write,
} from '../src/index.ts'

const lines = ['{"kind":"user_prompt","text":"a question"}\n', '{"kind":"assistant_message","text":"hi"}\n', '{"kind":"done"}\n']

/** As whoever reads a file by `readSync` gives it: one buffer for all chunks. */
function* inOneBuffer(): Generator<Uint8Array> {
  const buffer = Buffer.alloc(64)
  for (const line of lines) yield buffer.subarray(0, buffer.write(line))
}

test('chunks that come in one buffer are read as if each had its own', () => {
  assert.deepEqual(read(inOneBuffer()), read(lines))
  assert.deepEqual(validate(inOneBuffer()), validate(lines))
  assert.deepEqual(convert(inOneBuffer(), { to: 'avenor' }), convert(lines, { to: 'avenor' }))
  assert.deepEqual(detect(inOneBuffer()), detect(lines))
})

test('one record may tell more events than a function takes arguments', () => {
  const content = Array.from({ length: 200_000 }, (_, index) => ({ type: 'tool_result', tool_use_id: `t${index}`, content: '' }))
  const events = read(JSON.stringify({ type: 'user', session_id: 's', message: { role: 'user', content } }), { dialect: 'claude' })
  assert.equal(events.filter(({ kind }) => kind === 'tool.end').length, content.length)
})

test('an option that is undefined is one that is not given', () => {
  const mixed = `${lines.join('')}{"event":"session.end","session_id":"s","stop_reason":"end_turn"}\n`
  assert.deepEqual(read(mixed, { dialect: undefined, others: undefined, raw: undefined, maxLine: undefined }), read(mixed))
  assert.deepEqual(validate(mixed, { dialect: undefined, maxLine: undefined, repair: undefined }), validate(mixed))
  assert.equal(convert(mixed, { to: 'avenor', from: undefined, others: undefined }).issues, 1)
})

test('what a sniffer chooses can read the stream', () => {
  const sniffer = createSniffer(Object.values(dialects))
  sniffer.push(Buffer.from(lines[0]!))
  const kinds: string[] = []
  const reader = createReader(sniffer.choice()!, (events) => void kinds.push(...events.map(({ kind }) => kind)))
  reader.push(Buffer.from(lines.join('')))
  reader.end()
  assert.equal(kinds.at(-1), 'session.end')
})

test('calls out of turn throw; to end again changes nothing', () => {
  const bytes = Buffer.from(lines.join(''))
  const nested = createReader(dialects.appctl, () => nested.push(bytes))
  assert.throws(() => nested.push(bytes), /push was called inside a callback/)
  assert.throws(() => nested.push(bytes), /push was called after a callback has thrown/)
  const early = createReader(dialects.appctl, () => early.end())
  assert.throws(() => early.push(bytes), /end was called inside a callback/)

  const findings: string[] = []
  const validator = createValidator(dialects.appctl, ({ code }) => void findings.push(code))
  validator.push(Buffer.from(lines[0]!))
  assert.deepEqual(validator.end(), { records: 1, errors: 1, warnings: 0 })
  assert.deepEqual(validator.end(), { records: 1, errors: 1, warnings: 0 })
  assert.deepEqual(findings, ['missing-end'])
  assert.throws(() => validator.push(bytes), /push was called after end/)

  let text = ''
  const output = { line: (line: string) => void (text += `${line}\n`), text: (part: string) => void (text += part), bytes: () => undefined }
  const converter = createConverter(dialects.appctl, dialects.avenor, output, { array: true })
  converter.push(bytes)
  assert.equal(converter.end(), converter.end())
  assert.ok(Array.isArray(JSON.parse(text)))
})

test('what JavaScript gives by mistake is told as that, not by what breaks because of it', () => {
  const wrongInput = { name: 'TypeError', message: /^the input must be a string, a Uint8Array or an iterable of these; .*createReader/ }
  const inputs = [
    undefined,
    null,
    5,
    {},
    [1],
    [null],
    new ArrayBuffer(3),
    new Uint16Array(2),
    Promise.resolve(''),
    (async function* () {})(),
  ]
  for (const input of inputs)
    for (const call of [detect, read, validate, (given: never) => convert(given, { to: 'avenor' })])
      assert.throws(() => call(input as never), wrongInput)

  const wrongDialect = { name: 'TypeError', message: /^"claude" is not a dialect; give one of dialects, such as dialects\.claude$/ }
  const output = { line() {}, text() {}, bytes() {} }
  assert.throws(() => createReader('claude' as never, () => {}), wrongDialect)
  assert.throws(() => createValidator('claude' as never, () => {}), wrongDialect)
  assert.throws(() => createConverter(dialects.appctl, 'claude' as never, output), wrongDialect)
  assert.throws(() => createSniffer(['claude'] as never), wrongDialect)
  assert.throws(
    () => read(lines, { dialect: dialects.appctl as never }),
    /^TypeError: an object is not the name of a dialect; name one of sluice, /,
  )
  assert.throws(() => write([], undefined as never), /^TypeError: undefined is not the name of a dialect/)

  const reader = createReader(dialects.appctl, () => {})
  assert.throws(() => reader.push(lines[0] as never), { name: 'TypeError', message: /^push takes bytes, a Uint8Array; .*TextEncoder/ })
  reader.push(Buffer.from(lines[0]!)) // nothing of the other was taken
  assert.throws(() => write([{ kind: 'tool.begin' } as never], 'avenor'), /^TypeError: "tool\.begin" is not a kind of event$/)
  assert.throws(() => write([null as never], 'avenor'), /^TypeError: null is not an event$/)
})

test('bytes of another realm are bytes', () => {
  const bytes = runInNewContext('new Uint8Array(source)', { source: [...Buffer.from(lines.join(''))] }) as Uint8Array
  assert.ok(!(bytes instanceof Uint8Array))
  assert.deepEqual(read(bytes), read(lines))
  assert.deepEqual(read([bytes]), read(lines))
})
