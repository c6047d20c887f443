// Pieces of a text that come together are taken as one where they are read, and written each for itself: nobody can tell that from a
// run that takes them one by one.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { inBursts } from '../src/agents/burst.ts'
import type { Host } from '../src/agents/contract.ts'
import { createListener } from '../src/agents/listen.ts'
import { createFeed } from '../src/control/feed.ts'
import { aictrl } from '../src/dialects/aictrl/index.ts'
import { avenor } from '../src/dialects/avenor/index.ts'
import { claude } from '../src/dialects/claude/index.ts'
import { sluice } from '../src/dialects/sluice/index.ts'
import { createLineBlock } from '../src/files/line-block.ts'
import { openSessionLog } from '../src/log/sessions.ts'
import type { Event } from '../src/model/event.ts'
import { createPipeline, type EventSink } from '../src/run/pipeline.ts'
import { startRun } from '../src/run/run.ts'
import { dialectSink, type LineOut, logSink } from '../src/run/sinks.ts'
import { stagesOf } from '../src/run/supervisors.ts'
import { createDirectives } from '../src/supervise/directives.ts'
import { createLimits } from '../src/supervise/limits.ts'
import { combine } from '../src/supervise/policy.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-pieces-'))
after(() => rmSync(folder, { recursive: true }))
let logs = 0

const fail = (error: unknown): never => assert.fail(String(error))
const secret = 'hunter2-and-more'
const key = `sk-ant-api03-${'abcdefghij'.repeat(9)}`

function textOut(): { out: LineOut; text(): string } {
  let text = ''
  const { add, addBytes, addLines, flush } = createLineBlock((bytes) => void (text += Buffer.from(bytes).toString()))
  return { out: { line: add, encoded: addBytes, lines: addLines, flush }, text: () => text }
}

/** All that a run writes about these chunks. `joins`: pieces may come together. */
async function written(
  chunks: readonly Uint8Array[],
  joins: boolean,
  earlier = 0,
  run = 'run_1',
): Promise<{ texts: Record<string, string>; joined: number }> {
  const path = join(folder, String(++logs))
  const log = openSessionLog(path, 's', 0)
  for (let count = 0; count < earlier; count++) log.append({ v: 1, seq: 0, kind: 'notice', level: 'info', text: '-' } as Event)
  log.flush()
  if (earlier > 0) log.close()
  const own = earlier > 0 ? openSessionLog(path, 's', earlier) : log
  const feed = createFeed({ path: own.path, start: readFileSync(own.path).length })
  let told = ''
  feed.subscribe(0, { write: (text) => ((told += Buffer.from(text).toString()), true), isReading: () => false })
  const outs = { sluice: textOut(), avenor: textOut(), aictrl: textOut() }
  const kinds: string[] = []
  const plain: EventSink = { push: ({ seq, kind }) => void kinds.push(`${seq} ${kind}`), flush() {}, end() {} }
  const sinks = [
    logSink(own, fail),
    feed.sink,
    plain,
    dialectSink(sluice, outs.sluice.out, fail),
    dialectSink(avenor, outs.avenor.out, fail),
    dialectSink(aictrl, outs.aictrl.out, fail),
  ]
  const pipeline = createPipeline(stagesOf({ values: [secret], patterns: [] }, 'label'), sinks, run)
  let joined = 0
  let host!: Host
  startRun({
    start(given) {
      host = given
      return { send() {}, done: new Promise(() => {}) }
    },
    broker: undefined as never, // nobody asks
    guard: combine({}),
    policies: combine({ limits: createLimits({ startedAt: 0 }), directives: createDirectives() }),
    pipeline,
    now: () => 1000,
  })
  const bursts = inBursts(host)
  const place = (event: Event): void => {
    event.session = 'ses_1'
    event.at = 1000
    event.clock = 'arrival'
  }
  const listener = createListener({
    dialect: claude,
    onEvents(events) {
      for (const event of events) {
        place(event)
        bursts.tell(event)
      }
    },
    ...(joins && {
      onPieces(pieces) {
        joined += pieces.count
        place(pieces.joined)
        bursts.pieces!(pieces)
      },
    }),
  })
  for (const chunk of chunks) {
    listener.push(chunk)
    bursts.release()
    await new Promise(setImmediate)
  }
  listener.flush()
  listener.end()
  bursts.release()
  pipeline.end()
  feed.close()
  const texts = {
    log: readFileSync(own.path, 'utf8'),
    feed: told,
    kinds: kinds.join('\n'),
    ...Object.fromEntries(Object.entries(outs).map(([name, { text }]) => [name, text()])),
  }
  return { texts, joined }
}

async function holds(chunks: readonly Uint8Array[], earlier?: number, run?: string): Promise<number> {
  const [one, other] = [await written(chunks, false, earlier, run), await written(chunks, true, earlier, run)]
  for (const [name, text] of Object.entries(one.texts)) assert.equal(other.texts[name], text, name)
  return other.joined
}

// ── streams ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

const base = { session_id: '00000000-0000-4000-8000-000000000001', parent_tool_use_id: null as string | null }
let made = 0
const line = (record: object): string => `${JSON.stringify({ ...record, uuid: `u-${++made}` })}\n`
const streamed = (event: object, more: object = {}): string => line({ type: 'stream_event', event, ...base, ...more })
const begin = (id: string): string =>
  streamed({ type: 'message_start', message: { id, type: 'message', role: 'assistant', model: 'm', content: [] } })
const piece = (text: string, index = 0, more: object = {}): string =>
  streamed({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }, more)
const input = (text: string): string =>
  streamed({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: text } })
const call = (id: string): string =>
  streamed({ type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id, name: 'Read', input: {} } })
const opening = line({
  type: 'system',
  subtype: 'init',
  cwd: '/w',
  tools: ['Read'],
  mcp_servers: [],
  model: 'm',
  permissionMode: 'default',
  ...base,
})
const result = (id: string): string =>
  line({ type: 'user', message: { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content: 'ok' }] }, ...base })

/** So many records come before lines are looked at that are alike. */
const warmUp = [
  opening,
  begin('m0'),
  ...Array.from({ length: 60 }, (_, index) => piece(`word ${index} `)),
  call('c0'),
  ...Array.from({ length: 50 }, () => input('{"a')),
  result('c0'),
]

const answer = (id: string, texts: readonly string[], inputs: readonly string[]): string[] => [
  begin(id),
  ...texts.map((text) => piece(text)),
  call(`c-${id}`),
  ...inputs.map(input),
  result(`c-${id}`),
]

function cut(text: string, sizes: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text)
  const chunks: Uint8Array[] = []
  let at = 0
  for (let index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length]!
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

const words = ['The ', 'handler ', 'reads', ' the wh', 'ole file', ', so', ' a', ' s', ' \\ ', '"', 'e', 'sk-', '.']

test('plain pieces come together, and are told like others', async () => {
  const texts = Array.from({ length: 200 }, (_, index) => words[index % 8]!)
  const stream = answer('m1', texts, ['{"file', '_path":', '"/a', '/b.ts"}']).join('')
  const chunks = [...cut(warmUp.join(''), [1 << 15]), ...cut(stream, [1 << 15])]
  assert.ok((await holds(chunks)) > 180)
  assert.ok((await holds(chunks, 7)) > 180, 'the log of a session that goes on has numbers of its own')
})

test('whatever stands in them, and however they are cut', async () => {
  const token = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...words) },
    { weight: 2, arbitrary: fc.constantFrom('\n<|status: working | build|>\n', '\n<|status: waiting|>\n', 'two\nlines', '\n') },
    // A key behind a letter is none, and one may be cut anywhere.
    { weight: 3, arbitrary: fc.constantFrom('z', key, key, secret, secret.slice(0, 9), secret.slice(9), key.slice(0, 20), key.slice(20)) },
    fc.constantFrom('', '\t', '\u0001', 'ü', '→', '😀', '```\n', 'x'.repeat(300)),
    fc.string({ maxLength: 20 }),
  )
  const texts = fc.array(token, { maxLength: 40 })
  const stray = fc.constantFrom(
    piece('elsewhere', 0, { parent_tool_use_id: 'toolu_9' }),
    piece('of another block', 3),
    '\r\n',
    'noise\n',
    '{"broken":\n',
  )
  const part = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.uuid(), texts, texts).map(([id, said, given]) => answer(id, said, given).join('')) },
    stray,
  )
  let joined = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.array(fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(1 << 16)), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      async (parts, sizes, isWindows) => {
        const stream = parts.join('')
        joined += await holds([...cut(warmUp.join(''), [1 << 14]), ...cut(isWindows ? stream.replaceAll('\n', '\r\n') : stream, sizes)])
      },
    ),
    { numRuns: 150 },
  )
  assert.ok(joined > 1000, `only ${joined} pieces came together`)
})

test('a key that is cut between two that came together is found, and one that is a part of a word is none', async () => {
  const said = (...texts: string[]): Uint8Array => Buffer.from(texts.map((text) => piece(text)).join(''))
  const pairs = [
    ['z', key],
    [key.slice(0, 20), key.slice(20)],
    [key.slice(0, 20), `${key.slice(20)} and s`],
    [secret.slice(0, 3), secret.slice(3)],
  ] as const
  for (const [one, other] of pairs) {
    const chunks = [said('one ', 'two ', one), said(other), said(' and ', 'so ', 'on ')]
    assert.ok((await holds([...cut(warmUp.join('') + begin('m1'), [1 << 14]), ...chunks])) > 2)
  }
})

test('names and numbers that look like the marks of a template are told as they are', async () => {
  const most = Number.MAX_SAFE_INTEGER
  const texts = Array.from({ length: 20 }, (_, index) => `word ${index} `)
  const named = begin('-- text --') + texts.map((text) => piece(text)).join('')
  const numbered = [most, most - 1, most - 2, most - 3, most - 4].map((block) => texts.map((text) => piece(text, block)).join('')).join('')
  const plain = begin('msg_345678') + texts.map((text) => piece(text)).join('')
  const stream = cut(named + numbered + plain + named, [1 << 15])
  assert.ok((await holds([...cut(warmUp.join(''), [1 << 14]), ...stream])) > 100)
  assert.ok((await holds([...cut(`\n${warmUp.join('')}`, [1 << 14]), ...stream])) > 100, 'and the numbers of lines')
})

test('the name of the run is ours: that it holds a secret is nothing to tell of', async () => {
  const stream = answer('m1', words.slice(0, 8), ['{"file', '_path":', '"/a"}']).join('')
  assert.ok((await holds([...cut(warmUp.join(''), [1 << 14]), ...cut(stream, [1 << 15])], 0, `run-${secret}`)) > 5)
})

test('a secret that is the name of a message is counted once for each piece', async () => {
  const end = line({ type: 'result', subtype: 'success', is_error: false, duration_ms: 1, num_turns: 1, result: 'done', ...base })
  const said =
    begin(secret) +
    words
      .slice(0, 8)
      .map((text) => piece(text))
      .join('')
  assert.ok((await holds([...cut(warmUp.join(''), [1 << 14]), ...cut(said + end, [1 << 15])])) > 5)
})

test('pieces come together also where the number of a record is not that of its line', async () => {
  const before = [...cut(warmUp.join(''), [1 << 14]), Buffer.from('\n')]
  const stream = answer('m1', Array<string>(200).fill('The '), ['{"file', '_path":', '"/a"}']).join('')
  assert.ok((await holds([...before, ...cut(stream, [1 << 15])])) > (await holds(before)) + 180)
})
