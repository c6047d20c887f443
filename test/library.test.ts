// The library as a program uses it that is not ours: chunks in one buffer, options that are there and undefined, huge records.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { createDigest, createUsage } from '../src/analyze/index.ts'
import { costs, errorsAndDenials } from '../src/dialects/claude/index.ts'
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
import { createPricer, loadCatalog, usdOf } from '../src/prices/index.ts'
import { legalStream } from '../src/testing/index.ts'

const root = join(import.meta.dirname, '..')
const eventsIn = (fixture: string) => read(readFileSync(join(root, 'fixtures', fixture)))

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
  assert.throws(() => write(5 as never, 'avenor'), /^TypeError: 5 is not a list of events; read gives one$/)

  const noFunction = (name: string): RegExp => new RegExp(`^TypeError: undefined is not a function; give one as ${name}$`)
  assert.throws(() => createReader(dialects.appctl, undefined as never), noFunction('onEvents'))
  assert.throws(() => createValidator(dialects.appctl, undefined as never), noFunction('onFinding'))
  assert.throws(() => createConverter(dialects.appctl, dialects.avenor, undefined as never), noFunction('output\\.text'))
  assert.throws(
    () => createConverter(dialects.appctl, dialects.avenor, { ...output, bytes: undefined as never }),
    noFunction('output\\.bytes'),
  )
  assert.throws(() => legalStream('no_such' as never, 1), /^TypeError: no streams of no_such are made; name one of acp, /)
})

test('options that would be taken for none are told as wrong', () => {
  const output = { line() {}, text() {}, bytes() {} }
  const calls: ((options: never) => unknown)[] = [
    (options) => read(lines, options),
    (options) => validate(lines, options),
    (options) => convert(lines, { to: 'avenor', ...(options as object) }),
    (options) => createReader(dialects.appctl, () => {}, options),
    (options) => createValidator(dialects.appctl, () => {}, options),
    (options) => createConverter(dialects.appctl, dialects.avenor, output, options),
  ]
  for (const call of calls)
    for (const maxLine of ['64MiB', Number.NaN, 0, -1, null])
      assert.throws(() => call({ maxLine } as never), {
        name: 'TypeError',
        message: /is not a number of bytes; for maxLine give 1 or more/,
      })
  for (const maxLine of [1, 2.5, Infinity, undefined]) calls.forEach((call) => call({ maxLine } as never))

  for (const call of [calls[0]!, calls[3]!]) {
    const wrongSide = /^"claude" is not a side that writes; for from name one of agent, host; the dialect is named by dialect$/
    assert.throws(() => call({ from: 'claude' } as never), { name: 'TypeError', message: wrongSide })
    const wrongRaw = /^"bogus" is not a choice of raw; name one of none, unmapped, all$/
    assert.throws(() => call({ raw: 'bogus' } as never), { name: 'TypeError', message: wrongRaw })
    assert.throws(() => call('claude' as never), { name: 'TypeError', message: /^"claude" is not an object of options/ })
    const wrongName = /^"plainNumber" is not an option; did you mean plainNumbers\? \(known: maxLine, raw, /
    assert.throws(() => call({ plainNumber: true } as never), { name: 'TypeError', message: wrongName })
    assert.throws(() => call({ skim: 'yes' } as never), /^TypeError: "yes" is not true or false; skim takes one of them$/)
  }
})

test('the name of a dialect that is told can be given', () => {
  const text = lines.join('')
  const { dialect } = detect(text)
  const { from } = convert(text, { from: dialect, to: 'avenor' })
  assert.equal(validate(text, { dialect: from }).dialect, 'appctl')
  assert.equal(read(text, { dialect: validate(text).dialect }).at(-1)?.kind, 'session.end')
})

test('bytes of another realm are bytes', () => {
  const bytes = runInNewContext('new Uint8Array(source)', { source: [...Buffer.from(lines.join(''))] }) as Uint8Array
  assert.ok(!(bytes instanceof Uint8Array))
  assert.deepEqual(read(bytes), read(lines))
  assert.deepEqual(read([bytes]), read(lines))
})

test('costs of agents whose turns tell none are those of their messages', () => {
  const read1 = costs(eventsIn('opencode/1.18.33/run/b-read.ndjson'))
  assert.deepEqual([read1.usd, read1.by, read1.usage.input, read1.usage.output], [0.000564, 'source', 24, 68])
  const { usd, usage, byModel } = costs(eventsIn('aictrl/document/session.ndjson'))
  assert.deepEqual([usd, usage.input, usage.output], [0.015, 1024, 512])
  assert.deepEqual(byModel, [{ model: 'claude-sonnet-4-20250514', usage, usd }])
})

test('errors and denials of agents that tell them by records of their own', () => {
  const errorsOf = (fixture: string) => errorsAndDenials(eventsIn(fixture)).errors.map(({ category, text }) => `${category}: ${text}`)
  assert.deepEqual(errorsOf('aictrl/document/failed-session.ndjson'), ['rate_limit: Rate limit exceeded'])
  assert.deepEqual(errorsOf('opencode/1.18.33/run/h-400-context.ndjson'), ["context: This model's maximum context length is 128000 tokens"])
  assert.deepEqual(errorsOf('aictrl/document/session.ndjson'), ['unknown: Something went wrong'])
  const { denied } = errorsAndDenials(eventsIn('aictrl/document/session.ndjson'))
  assert.deepEqual(denied, [{ call: 'call_01xyz...', name: 'bash', input: { command: 'rm -rf /' } }])
})

test('what agents tell no cost of can be priced', async () => {
  const price = createPricer(await loadCatalog())
  const tokens = { input: 1_000_000, output: 1_000_000 }
  assert.equal(usdOf(price({ model: 'claude-sonnet-4-5', tokens })!), 18)
  assert.equal(price({ model: 'nobody-knows', tokens }), undefined)
  const events = eventsIn('gemini/a-text.ndjson')
  const usage = createUsage({ price })
  const digest = createDigest({ price })
  for (const event of events) [usage, digest].forEach((fold) => fold.push(event))
  assert.equal(costs(events).usd, 0)
  assert.ok(usage.totals().pricedUsd > 0)
  assert.equal(digest.report().usage.costUsd, usage.totals().pricedUsd)
})

test('the stream without the dialects, and one of these, is a fraction of all', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'sluice-entries-'))
  const sizeOf = async (...entries: string[]): Promise<number> => {
    const input = join(scratch, 'entry.ts')
    writeFileSync(input, entries.map((entry) => `export * from '${join(root, 'src', entry)}'\n`).join(''))
    await using bundle = await rolldown({ input, platform: 'browser', onLog: () => {} })
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    return output[0].code.length
  }
  const all = await sizeOf('index.ts')
  assert.ok((await sizeOf('stream/index.ts')) < all / 10)
  assert.ok((await sizeOf('stream/index.ts', 'dialects/claude/index.ts')) < all / 4)
  assert.ok((await sizeOf('prices/index.ts')) < all / 100, 'the table is loaded when it is asked for')
  rmSync(scratch, { recursive: true })
})
