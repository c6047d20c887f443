// Claude's records through the model and back: each keeps its id, and what it says of money beside tokens.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { suite, test } from 'node:test'
import { isRecord, type Rec } from '../src/base/json.ts'
import { convert } from '../src/index.ts'
import { at, linesOf } from './run-support.ts'
import { fixture } from './run.ts'

const recordings = globSync('{1,2}*/*.ndjson', { cwd: fixture('claude') })
  .filter((path) => !path.includes('.stdin.'))
  .map((path) => fixture(`claude/${path}`))

const back = (text: string | Uint8Array): Rec[] =>
  linesOf(convert(convert(text, { from: 'claude', to: 'sluice' }).text, { from: 'sluice', to: 'claude' }).text)

/** Pieces of a text, and what says nothing that other records do not say. */
const framing = /^(stream_event|system\/background_tasks_changed)$/
const tagOf = ({ type, subtype }: Rec): string => (type === 'system' ? `${type}/${String(subtype)}` : String(type))

/** By id: the records of a recording as they were, and as they came back. */
function pairs(path: string): [Rec, Rec | undefined][] {
  const bytes = readFileSync(path)
  const there = linesOf(convert(bytes, { from: 'claude', to: 'claude' }).text).filter(({ uuid }) => uuid !== undefined)
  const again = new Map(back(bytes).map((record) => [record['uuid'], record]))
  return there.map((record) => [record, again.get(record['uuid'])])
}

suite('from Claude through the model to Claude', () => {
  test('records keep their ids, each once', () => {
    for (const path of recordings) {
      for (const [record, again] of pairs(path))
        if (!framing.test(tagOf(record))) assert.equal(again?.['type'], record['type'], `${basename(path)} ${tagOf(record)}`)
      const ids = back(readFileSync(path)).flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]))
      assert.equal(new Set(ids).size, ids.length, path)
    }
  })

  test('and what they tell beside tokens', () => {
    for (const path of recordings)
      for (const [record, again] of pairs(path)) {
        if (record['type'] === 'assistant' && at(record, 'message', 'model') !== '<synthetic>')
          same(at(record, 'message', 'usage'), at(again, 'message', 'usage'), ['cache_creation', 'service_tier'], path)
        if (record['type'] !== 'result') continue
        same(record['usage'], again?.['usage'], ['server_tool_use', 'service_tier'], path)
        for (const [model, share] of Object.entries(record['modelUsage'] ?? {}))
          same(share, at(again, 'modelUsage', model), ['webSearchRequests', 'maxOutputTokens', 'contextWindow'], path)
      }
  })

  test('also where it is not what it mostly is', () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 2,
      cache_creation_input_tokens: 9,
      cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 5 },
      server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 },
      service_tier: 'priority',
    }
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [{ type: 'text', text: 'hi' }], usage }
    const share = { inputTokens: 1, outputTokens: 2, webSearchRequests: 3, costUSD: 1, contextWindow: 8, maxOutputTokens: 7 }
    const records = [
      { type: 'system', subtype: 'init', session_id: 's', model: 'x', uuid: 'a' },
      { type: 'assistant', message, session_id: 's', uuid: 'b' },
      { type: 'result', subtype: 'success', is_error: false, result: 'hi', usage, modelUsage: { x: share }, session_id: 's', uuid: 'c' },
    ]
    const [, said, result] = back(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    assert.partialDeepStrictEqual(at(said, 'message', 'usage'), usage)
    assert.partialDeepStrictEqual(result?.['usage'], usage)
    assert.partialDeepStrictEqual(at(result, 'modelUsage', 'x'), share)
  })
})

function same(one: unknown, other: unknown, keys: readonly string[], what: string): void {
  if (!isRecord(one)) return
  for (const key of keys)
    if (one[key] !== undefined && one[key] !== null)
      assert.partialDeepStrictEqual({ it: at(other, key) }, { it: one[key] }, `${what} ${key}`)
}
