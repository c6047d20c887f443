// Pieces of a text that came together may be told as one (`together`): they are the events that each line tells by itself, and a digest
// that takes them so says the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createClassifier } from '../src/analyze/classify.ts'
import { createDigest, type Digest } from '../src/analyze/digest.ts'
import { dialects } from '../src/index.ts'
import type { Event } from '../src/model/event.ts'
import { createReader } from '../src/stream/read.ts'
import { together } from '../src/stream/together.ts'
import { assertHolds } from './properties.ts'

/** What a text may be cut into: halves of phrases that make it a finding, and what no two programs spell alike. */
const words = [
  'confid',
  'ence',
  ': 8',
  '0 %',
  '5',
  '[find',
  'ing]',
  'failed',
  ' test',
  ' ',
  'a',
  'für',
  '🦊',
  '→\n',
  '"',
  '\\',
  'correction ',
  'needed',
]
const lines = {
  avenor: (what: Said, text: string): unknown => ({
    event: what === 'answer' ? 'agent.message_chunk' : 'agent.thought_chunk',
    session_id: 's',
    content: { type: 'text', text },
    messageId: 'm',
  }),
  /** What is in `content` goes before `delta`. */
  both: (what: Said, text: string): unknown => ({
    event: what === 'answer' ? 'agent.message_chunk' : 'agent.thought_chunk',
    session_id: 's',
    content: what === 'answer' ? 'A' : [{ type: 'text', text: 'B' }],
    delta: text,
  }),
  claude: (what: Said, text: string, index: number): unknown => ({
    type: 'stream_event',
    event: {
      type: 'content_block_delta',
      index: 0,
      delta: what === 'answer' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text },
    },
    session_id: 's',
    parent_tool_use_id: null,
    uuid: `u-${index}`,
  }),
}
type Said = 'answer' | 'thought'
type Name = keyof typeof lines

const started = [{ event: 'session.start', session_id: 's', backend: 'claude', dir: '/d' }]
const working = { event: 'agent.status', session_id: 's', phase: 'working', source: 'avenor', ts: 1 }
const before = { avenor: started, both: started, claude: [] }
const between = {
  avenor: working,
  both: working,
  claude: { type: 'system', subtype: 'status', status: null, session_id: 's', uuid: 'u' },
}

const told = fc.record({
  what: fc.constantFrom<Said>('answer', 'answer', 'thought'),
  texts: fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 12 })), { minLength: 1, maxLength: 30 }),
  isCut: fc.boolean(),
})

/** Enough of the same first, so that lines are known by their form. */
function streamOf(name: Name, said: readonly { what: Said; texts: readonly string[]; isCut: boolean }[]): Buffer {
  let index = 0
  const line = lines[name]
  const known = Array.from({ length: 120 }, (_, at) => line(at % 2 === 0 ? 'answer' : 'thought', `w${at} `, index++))
  const rest = said.flatMap(({ what, texts, isCut }) => [
    ...texts.map((text) => line(what, text, index++)),
    ...(isCut ? [between[name]] : []),
  ])
  return Buffer.from([...before[name], ...known, ...rest].map((record) => `${JSON.stringify(record)}\n`).join(''))
}

function readAll(name: Name, bytes: Buffer, chunk: number, isTogether: boolean): { events: Event[]; digest: Digest; joined: number } {
  const dialect = dialects[name === 'both' ? 'avenor' : name]
  const events: Event[] = []
  const fold = createDigest({ nameOf: dialect.tag })
  let joined = 0
  const reader = createReader(
    dialect,
    (some, record) => {
      events.push(...some)
      for (const event of some) fold.push(event, record)
    },
    {
      raw: 'none',
      ...(isTogether && {
        together: together((pieces) => {
          joined += pieces.count
          fold.pieces(pieces)
          events.push(...pieces.events())
        }),
      }),
    },
  )
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk))
  reader.end()
  return { events, digest: fold.report(), joined }
}

for (const [name, least] of [
  ['avenor', 300],
  ['both', 0],
  ['claude', 300],
] as const)
  test(`of ${name}, wherever the bytes are cut`, () => {
    let joined = 0
    const made = fc.record({ said: fc.array(told, { maxLength: 12 }), chunk: fc.integer({ min: 300, max: 70_000 }) })
    assertHolds(150, made, ({ said, chunk }) => {
      const bytes = streamOf(name, said)
      const each = readAll(name, bytes, chunk, false)
      const asOne = readAll(name, bytes, chunk, true)
      joined += asOne.joined
      assert.equal(each.joined, 0)
      assert.deepEqual(asOne.events, each.events)
      assert.deepEqual(asOne.digest, each.digest)
    })
    assert.ok(joined >= least, `${joined} pieces came together`)
  })

test('a long text is a finding for the same phrases, read from its line or given as it is', () => {
  const filler = 'Of the words that are looked for, this "line" has none.\n'
  const phrases = [
    '[finding]',
    'Reviewer flagged',
    'CORRECTION NEEDED',
    'failed test',
    'Confidence: 80 %',
    'confidence: 20 %',
    'conference: 80 %',
  ]
  const recordOf = (text: string, index: number): unknown => ({
    type: 'text',
    timestamp: 1000 + index,
    sessionID: 's',
    sequenceNum: index,
    part: { id: `p${index}`, sessionID: 's', messageID: 'm', type: 'text', text, time: { start: 1, end: 2 } },
  })
  const texts = phrases.flatMap((phrase) => [6, 11, 200].map((at) => filler.repeat(at) + phrase + filler.repeat(12 - Math.min(at, 12))))
  const stream = [...Array.from({ length: 150 }, () => filler.repeat(6)), ...texts].map((text, index) =>
    JSON.stringify(recordOf(text, index)),
  )
  const fresh = createClassifier()
  const rules: { asRead: string; asGiven: string }[] = []
  const classifier = createClassifier()
  const reader = createReader(
    dialects.aictrl,
    (events) => {
      for (const event of events) {
        const asRead = classifier.push(event).rule
        const asGiven = fresh.push(JSON.parse(JSON.stringify(event)) as Event).rule
        if (event.kind === 'text.end') rules.push({ asRead, asGiven })
      }
    },
    { raw: 'none' },
  )
  const bytes = Buffer.from(`${stream.join('\n')}\n`)
  for (let at = 0; at < bytes.length; at += 65_536) reader.push(bytes.subarray(at, at + 65_536))
  assert.equal(rules.length, stream.length)
  assert.deepEqual(
    rules.map(({ asRead }) => asRead),
    rules.map(({ asGiven }) => asGiven),
  )
  assert.deepEqual(
    rules.slice(-texts.length).map(({ asRead }) => asRead),
    [
      'text.finding',
      'text.reviewer-flagged',
      'text.correction-needed',
      'text.failed-test',
      'text.confidence',
      'text.end',
      'text.end',
    ].flatMap((rule) => [rule, rule, rule]),
  )
})
