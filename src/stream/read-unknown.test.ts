import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../base/json.ts'
import { claude } from '../dialects/claude/index.ts'
import type { Event } from '../model/event.ts'
import { createReader } from './read.ts'

test('a record keeps keys that are unknown deep in it, however many like it came before', () => {
  const usage = { input_tokens: 1, output_tokens: 2 }
  const line = (n: number, more: Rec = {}, block: Rec = {}): string => {
    const message = { id: `m${n}`, role: 'assistant', content: [{ type: 'text', text: `t${n}`, ...block }], usage: { ...usage, ...more } }
    return `${JSON.stringify({ type: 'assistant', message, session_id: 's' })}\n`
  }
  const lines = Array.from({ length: 600 }, (_, n) => line(n, n % 100 === 99 ? { new_tokens: n } : {}, n > 500 ? { mood: { of: n } } : {}))
  const kept: unknown[] = []
  const take = (events: readonly Event[]): void => {
    for (const { ext } of events) if (ext !== undefined) kept.push(JSON.parse(JSON.stringify(ext['claude'])))
  }
  const reader = createReader(claude, take)
  reader.push(Buffer.from(lines.slice(0, 300).join('')))
  reader.push(Buffer.from(lines.slice(300).join('')))
  reader.end()
  const counted = [99, 199, 299, 399, 499].map((n) => ({ message: { usage: { new_tokens: n } } }))
  const mooded = Array.from({ length: 99 }, (_, at) => at + 501).map((n) => ({
    message: { content: { 0: { mood: { of: n } } }, ...(n === 599 && { usage: { new_tokens: n } }) },
  }))
  assert.deepEqual(kept, [...counted, ...mooded])
})
