import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { createUsage, type UsageReport } from '../analyze/usage.ts'
import { claude } from '../dialects/claude/index.ts'
import { createReader } from '../stream/read.ts'
import { createTranscripts, type Row, scanTranscript } from './usage-claude.ts'
import { createCopies } from './usage-copies.ts'
import type { Book } from '../analyze/usage-book.ts'

const file = join(mkdtempSync(join(tmpdir(), 'sluice-usage-')), 'session.jsonl')

function enterTranscripts(files: readonly Row[][], book: Book): void {
  const transcripts = createTranscripts(book, createCopies())
  for (const rows of files) transcripts.enter(rows)
  transcripts.end()
}

function fast(text: string): UsageReport | undefined {
  writeFileSync(file, text)
  const rows = scanTranscript(file)
  if (rows === undefined) return undefined
  const usage = createUsage({ utc: true })
  enterTranscripts([rows], usage.book)
  return usage.report()
}

function full(text: string): UsageReport {
  const usage = createUsage({ utc: true })
  const reader = createReader(claude, (events) => {
    for (const event of events) usage.push(event)
  })
  reader.push(new TextEncoder().encode(text))
  reader.end()
  return usage.report()
}

type Told = {
  id: string
  usage: object | null
  model: string
  agent?: string | undefined
  session: string
  minute: number
  content: unknown[]
  extra: object
}
const usage = fc.record(
  {
    input_tokens: fc.nat(1e6),
    output_tokens: fc.nat(1e5),
    cache_read_input_tokens: fc.nat(1e7),
    cache_creation_input_tokens: fc.nat(1e5),
    output_tokens_details: fc.constantFrom({ thinking_tokens: 7 }, {}, { thinking_tokens: 0 }),
    cache_creation: fc.constantFrom({ ephemeral_1h_input_tokens: 5, ephemeral_5m_input_tokens: 2 }, {}),
    iterations: fc.constant([{ input_tokens: 99_999, usage: { output_tokens: 5 } }]),
  },
  { requiredKeys: ['input_tokens'] }, // a usage without any tokens tells nothing, and is not looked for
)
// What a model may write that looks like usage, and is none.
const bait = { usage: { input_tokens: 5, output_tokens: 5 }, message: { id: 'x', usage: { input_tokens: 5 } }, type: 'assistant' }
const content = fc.constantFrom<unknown[]>(
  [{ type: 'text', text: 'plain' }],
  [{ type: 'text', text: `quotes "usage":{"input_tokens":5} and \\ and \u001b[0m ${JSON.stringify(bait)}` }],
  [{ type: 'tool_use', id: 't', name: 'Write', input: bait }],
  [{ type: 'tool_use', id: 't', name: 'Write', input: { deep: [[[{ _tokens: bait }]]] } }],
)
const told: fc.Arbitrary<Told> = fc.record({
  id: fc.constantFrom('msg_1', 'msg_2', 'msg_3', 'msg_4'),
  usage: fc.oneof({ weight: 9, arbitrary: usage }, fc.constant(null)),
  model: fc.constantFrom('claude-sonnet-4-5', 'claude-opus-4-5', '<synthetic>'),
  agent: fc.constantFrom(undefined, undefined, 'a1'),
  session: fc.constantFrom('s1', 's1', 's2'),
  minute: fc.nat(3000),
  content,
  extra: fc.constantFrom({}, { toolUseResult: bait }, { usage: bait.usage }, { 'the "usage"': 1, note: '\\u0075sage' }),
})
const record = ({ id, usage: used, model, agent, session, minute, content: blocks, extra }: Told): object => ({
  parentUuid: null,
  isSidechain: agent !== undefined,
  ...extra,
  message: { id, type: 'message', role: 'assistant', model, content: blocks, stop_reason: 'end_turn', usage: used },
  requestId: `req_${session}_${id}`,
  type: 'assistant',
  timestamp: new Date(Date.UTC(2026, 10, 15) + minute * 60_000).toISOString(),
  cwd: '/home/dev',
  sessionId: session,
  ...(agent !== undefined && { agentId: agent }),
})
const other = fc.constantFrom<object>(
  { type: 'user', sessionId: 's1', uuid: 'u', message: { role: 'user', content: JSON.stringify(bait) }, toolUseResult: bait },
  { type: 'last-prompt', sessionId: 's1', lastPrompt: 'the _tokens" and "cost-state", größer 日本' },
  {
    type: 'cost-state',
    sessionId: 's1',
    totalCostUSD: 0.5,
    modelUsage: { m: { inputTokens: 2e6, outputTokens: 10, cacheReadInputTokens: 5 } },
  },
)
const line: fc.Arbitrary<Told | object> = fc.oneof({ weight: 4, arbitrary: told }, other)

/** Money apart: only the scan knows which cache is kept for an hour. */
const comparable = ({ totals, days, sessions, agents }: UsageReport): unknown => ({ totals, days, sessions, agents })

/** A transcript repeats the final usage on every record of a message. */
function alike(records: readonly (Told | object)[]): object[] {
  const first = new Map<string, Told>()
  return records.map((one) => {
    if (!('minute' in one)) return one
    const key = `${one.session} ${one.id}`
    if (!first.has(key)) first.set(key, one)
    const { usage: used, minute, model, agent } = first.get(key)!
    return record({ ...one, usage: used, minute, model, agent })
  })
}

test('the scan of a transcript finds what the decoder finds', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), fc.boolean(), (told, closed) => {
      const records = alike(told)
      const text = records.map((one) => JSON.stringify(one)).join('\n') + (closed ? '\n' : '')
      const scanned = fast(text)
      assert.notEqual(scanned, undefined)
      assert.deepEqual(comparable(scanned!), comparable(full(text)))
    }),
    { numRuns: 1000 },
  )
})

const one: Told = {
  id: 'msg_1',
  usage: { input_tokens: 3, output_tokens: 4 },
  model: 'm',
  session: 's1',
  minute: 0,
  content: [{ type: 'text', text: 'hi' }],
  extra: {},
}
const plain = JSON.stringify(record(one))

test('keys with escapes, blanks and repeated keys count as they do for the decoder', () => {
  const lines = [
    plain.replace('"usage"', '"\\u0075sage"'),
    plain.replace('input_tokens"', 'input\\u005ftokens"'),
    plain.replace('"type":"assistant"', '"type":"\\u0061ssistant"'),
    plain.replaceAll('":', '" :\t').replaceAll(',"', ' ,\r "'),
    plain.replace('"usage":', '"usage":{"input_tokens":900},"usage":'),
    plain.replace('"type":"assistant"', '"type":"assistant","message":{"id":"msg_9","content":[],"usage":{"input_tokens":8}}'),
    plain.replace('"input_tokens":3', '"input_tokens":3.0'),
    plain.replace('"input_tokens":3', '"input_tokens":1e2'),
    plain.replace('"id":"msg_1"', '"id":"m\\u0073g_1"'),
  ]
  for (const text of lines) {
    const scanned = fast(`${text}\n`)
    assert.notEqual(scanned, undefined, text)
    assert.deepEqual(comparable(scanned!), comparable(full(`${text}\n`)), text)
  }
})

test('a last line that is cut is not counted, wherever the cut is', () => {
  const text = `${plain}\n`
  for (let end = text.length; end < 2 * text.length - 2; end++) {
    const scanned = fast((text + plain.replace('msg_1', 'msg_2')).slice(0, end))
    assert.equal(scanned?.totals.input, 3, `cut at ${end}`)
  }
})

test('a file that is not plain transcript lines is left to the decoder', () => {
  const doubtful = [
    `${plain}{"a":1}\n`, // two records on a line
    `${plain.slice(0, -20)}\n${plain}\n`, // a torn line before others
    JSON.stringify(record(one), null, 2), // pretty-printed
    `${plain.replace('"sessionId"', '"session_id"')}\n`, // the live stream
    `${plain}\n{"type":"result","subtype":"success","usage":{"input_tokens":3}}\n`,
    `${plain.replace('"id":"msg_1",', '')}\n`, // a message without a name
  ]
  for (const text of doubtful) assert.equal(fast(text), undefined, text)
})

test('long lines, of more than the buffer, are whole', () => {
  const long = JSON.stringify(record({ ...one, content: [{ type: 'text', text: 'x"\n'.repeat(1 << 20) }] }))
  assert.equal(fast(`${long}\n${plain.replace('msg_1', 'msg_2')}\n`)?.totals.input, 6)
})

test('the sum of a session comes after the files of its subagents, however they are ordered', () => {
  const sum = { type: 'cost-state', sessionId: 's1', modelUsage: { m: { inputTokens: 6, outputTokens: 8 } } }
  const main = `${plain}\n${JSON.stringify(sum)}\n`
  const agent = `${JSON.stringify(record({ ...one, id: 'msg_2', agent: 'a1' }))}\n`
  for (const files of [
    [main, agent],
    [agent, main],
  ]) {
    const usage = createUsage()
    enterTranscripts(
      files.map((text) => {
        writeFileSync(file, text)
        return scanTranscript(file)!
      }),
      usage.book,
    )
    const { totals, agents } = usage.report()
    assert.equal(totals.input, 6)
    assert.equal(agents[0]?.input, 3)
  }
})

test('copies in other sessions count once: the same message and request, or a replay in the same session', () => {
  const usage = createUsage()
  const rows = (lines: object[]) => {
    writeFileSync(file, `${lines.map((each) => JSON.stringify(each)).join('\n')}\n`)
    return scanTranscript(file)!
  }
  const fork = rows([{ ...record({ ...one, session: 's2' }), requestId: 'req_s1_msg_1' }, record({ ...one, session: 's2', id: 'msg_5' })])
  const replay = rows([{ ...record({ ...one, agent: 'btw', usage: { input_tokens: 50_000 } }), requestId: 'req_other' }])
  const stranger = rows([{ ...record({ ...one, session: 's3' }), requestId: 'req_else' }])
  enterTranscripts([rows([record(one)]), fork, replay, stranger], usage.book)
  assert.equal(usage.report().totals.input, 3 + 3 + 3)
})
