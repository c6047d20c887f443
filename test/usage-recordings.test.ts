// On every recording the totals are the agent's own last numbers, however its dialect tells them: per message, per turn or as a
// running total, with subagents and side calls. What the agent says is read here from the raw records.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { createUsage, type Totals } from '../src/analyze/usage.ts'
import { isRecord, type Rec } from '../src/base/json.ts'
import type { Dialect } from '../src/dialects/contract.ts'
import { aictrl } from '../src/dialects/aictrl/index.ts'
import { claude } from '../src/dialects/claude/index.ts'
import { codex } from '../src/dialects/codex/index.ts'
import { copilot } from '../src/dialects/copilot/index.ts'
import { gemini } from '../src/dialects/gemini/index.ts'
import { opencode } from '../src/dialects/opencode/index.ts'
import { createReader } from '../src/stream/read.ts'
import { root } from './run.ts'

/** All that went in, of that from the cache, and all that came out. */
type Numbers = [context: number, cached: number, output: number]
type Told = (records: Rec[]) => Numbers | undefined

const recordings = (pattern: string): string[] => globSync(pattern, { cwd: root }).map((path) => `${root}/${path}`)

const totalsOf = (dialect: Dialect, files: readonly string[]): Totals =>
  totalsIn(
    dialect,
    files.map((file) => readFileSync(file)),
  )

function totalsIn(dialect: Dialect, streams: readonly Buffer[]): Totals {
  const usage = createUsage()
  for (const [index, bytes] of streams.entries()) {
    usage.source(String(index))
    const reader = createReader(dialect, (events) => {
      for (const event of events) usage.push(event)
    })
    reader.push(bytes)
    reader.end()
  }
  return usage.report().totals
}

const numbersOf = ({ input, output, reasoning, cacheRead, cacheWrite }: Totals): Numbers => [
  input + cacheRead + cacheWrite,
  cacheRead,
  output + reasoning,
]

function recordsIn(file: string): Rec[] {
  const text = readFileSync(file, 'utf8')
  const whole = parsed(text)
  const values = Array.isArray(whole) ? whole : isRecord(whole) ? [whole] : text.split('\n').map(parsed)
  return values.filter(isRecord)
}
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value at the end of a path of keys. */
const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce((inner: unknown, key) => (isRecord(inner) ? inner[key] : undefined), value)
const num = (value: unknown, ...keys: string[]): number => Number(at(value, ...keys) ?? 0)
const total = (list: Numbers[]): Numbers => list.reduce<Numbers>(([a, b, c], [x, y, z]) => [a + x, b + y, c + z], [0, 0, 0])

// ── what each agent says of itself ───────────────────────────────────────────────────────────────────────────────────────

const ofModels = (models: unknown): Numbers =>
  total(
    Object.values(isRecord(models) ? models : {}).map((entry) => [
      num(entry, 'inputTokens') + num(entry, 'cacheReadInputTokens') + num(entry, 'cacheCreationInputTokens'),
      num(entry, 'cacheReadInputTokens'),
      num(entry, 'outputTokens'),
    ]),
  )

/** Newer versions tell each result's share, for a resumed process counts its past too. */
const claudeStream: Told = (records) => {
  const results = records.filter(({ type }) => type === 'result')
  const shares = results.filter((record) => isRecord(record['model_usage_since_last_result']))
  return shares.length > 0
    ? total(shares.map((record) => ofModels(record['model_usage_since_last_result'])))
    : results.length > 0
      ? ofModels(results.at(-1)!['modelUsage'])
      : undefined
}
const claudeTranscript: Told = (records) => ofModels(records.findLast(({ type }) => type === 'cost-state')?.['modelUsage'])

const ofCodex = (usage: unknown): Numbers => [num(usage, 'input_tokens'), num(usage, 'cached_input_tokens'), num(usage, 'output_tokens')]
const codexExec: Told = (records) => ofCodex(records.findLast(({ type }) => type === 'turn.completed')?.['usage'])
const codexRollout: Told = (records) =>
  ofCodex(
    at(
      records.findLast((record) => at(record, 'payload', 'type') === 'token_count' && isRecord(at(record, 'payload', 'info'))),
      'payload',
      'info',
      'total_token_usage',
    ),
  )
const codexServer: Told = (records) => {
  const threads = new Map<unknown, unknown>()
  for (const record of records)
    if (record['method'] === 'thread/tokenUsage/updated')
      threads.set(at(record, 'params', 'threadId'), at(record, 'params', 'tokenUsage', 'total'))
  return total([...threads.values()].map((told) => [num(told, 'inputTokens'), num(told, 'cachedInputTokens'), num(told, 'outputTokens')]))
}

const geminiStream: Told = (records) => {
  const stats = records.find(({ type }) => type === 'result')?.['stats']
  return [num(stats, 'input_tokens'), num(stats, 'cached'), num(stats, 'total_tokens') - num(stats, 'input_tokens')]
}
const geminiChat: Told = (records) => {
  const messages = new Map(records.filter(({ tokens }) => isRecord(tokens)).map(({ id, tokens }) => [id, tokens]))
  return total([...messages.values()].map((told) => [num(told, 'input'), num(told, 'cached'), num(told, 'output') + num(told, 'thoughts')]))
}

const ofOpencode = (tokens: unknown): Numbers => [
  num(tokens, 'input') + num(tokens, 'cache', 'read') + num(tokens, 'cache', 'write'),
  num(tokens, 'cache', 'read'),
  num(tokens, 'output') + num(tokens, 'reasoning'),
]
const opencodeRun: Told = (records) =>
  total(records.filter(({ type }) => type === 'step_finish').map((record) => ofOpencode(at(record, 'part', 'tokens'))))
const opencodeServe: Told = (records) => {
  const messages = new Map<unknown, unknown>()
  for (const record of records) {
    const info = at(record, 'properties', 'info')
    if (record['type'] === 'message.updated' && at(info, 'role') === 'assistant') messages.set(at(info, 'id'), at(info, 'tokens'))
  }
  return total([...messages.values()].map(ofOpencode))
}

const copilotSession: Told = (records) => {
  const models = at(
    records.findLast(({ type }) => type === 'session.shutdown'),
    'data',
    'modelMetrics',
  )
  return total(
    Object.values(isRecord(models) ? models : {}).map((entry) => [
      num(entry, 'usage', 'inputTokens'),
      num(entry, 'usage', 'cacheReadTokens'),
      num(entry, 'usage', 'outputTokens'),
    ]),
  )
}

const kinds: [dialect: Dialect, files: string, told: Told, least: number][] = [
  [claude, 'fixtures/claude/[0-9]*/*.{ndjson,json}', claudeStream, 150],
  [claude, 'fixtures/claude/*/*.session/*.jsonl', claudeTranscript, 20],
  [codex, 'fixtures/codex/exec/*.ndjson', codexExec, 20],
  [codex, 'fixtures/codex/exec/*.rollout.jsonl', codexRollout, 20],
  [codex, 'fixtures/codex/app-server/*.ndjson', codexServer, 5],
  [gemini, 'fixtures/gemini/*.ndjson', geminiStream, 20],
  [gemini, 'fixtures/gemini/*.chat*.jsonl', geminiChat, 20],
  [opencode, 'fixtures/opencode/*/run/*.ndjson', opencodeRun, 20],
  [opencode, 'fixtures/opencode/*/serve/*.sse.ndjson', opencodeServe, 5],
  [copilot, 'fixtures/copilot/*.session*.jsonl', copilotSession, 15],
]

for (const [dialect, pattern, told, least] of kinds) {
  test(`totals are the agent's own: ${pattern}`, () => {
    const files = recordings(pattern).filter((file) => !/\.(stdin|traffic|http)\./.test(file) && !/__subagents__/.test(file))
    assert.ok(files.length >= least, `only ${files.length} recordings`)
    for (const file of files) {
      const expected = told(recordsIn(file))
      const [context] = expected ?? [0]
      // After an interrupt, and in old versions after a retry, the sums are 0 although messages tell what they used: these count.
      if (context > 0) assert.deepEqual([basename(file), ...numbersOf(totalsOf(dialect, [file]))], [basename(file), ...expected!])
    }
  })
}

test('what a step of aictrl used counts once, with or without the message_complete that tells it again', () => {
  const lines = readFileSync(`${root}/fixtures/aictrl/made/newer-program.ndjson`, 'utf8').split('\n')
  const totals = (kept: string[]): Numbers => numbersOf(totalsIn(aictrl, [Buffer.from(kept.join('\n'))]))
  const whole = totals(lines)
  assert.deepEqual(whole, [1212, 1000, 34])
  assert.deepEqual(totals(lines.filter((line) => !line.includes('"message_complete"'))), whole)
  assert.deepEqual(totals(lines.slice(0, 10)), whole, 'cut after the step')
})

test('two processes of a session in one file: each counts from nothing, or goes on with the sums', () => {
  for (const version of ['1.0.128', '2.0.76', '2.1.325']) {
    const files = ['o-first', 'o-resume'].map((name) => `${root}/fixtures/claude/${version}/${name}.ndjson`)
    const usage = createUsage()
    const reader = createReader(claude, (events) => {
      for (const event of events) usage.push(event)
    })
    for (const file of files) reader.push(readFileSync(file))
    reader.end()
    const together = usage.report().totals
    if (version === '2.0.76') assert.deepEqual([together.input, together.costUsd], [36, 0.003724])
    else assert.deepEqual(together, totalsOf(claude, files), version)
    assert.ok(together.costUsd > 0)
  }
})

test('a session with the files of its subagents is what the session says', () => {
  const mains = recordings('fixtures/claude/*/g-subagent*.session/*.jsonl').filter((file) => !file.includes('__subagents__'))
  assert.ok(mains.length > 0)
  for (const main of mains) {
    const agents = recordings(`${main.slice(root.length + 1, -6)}__subagents__*.jsonl`)
    assert.ok(agents.length > 0)
    assert.deepEqual(numbersOf(totalsOf(claude, [...agents, main])), claudeTranscript(recordsIn(main)))
  }
})
