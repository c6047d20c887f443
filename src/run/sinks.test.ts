import assert from 'node:assert/strict'
import test from 'node:test'
import { claude } from '../dialects/claude/index.ts'
import { createConverter } from '../stream/convert.ts'
import type { Dialect } from '../dialects/contract.ts'
import { sluice } from '../dialects/sluice/index.ts'
import { createListener } from '../agents/listen.ts'
import { dialectSink } from './sinks.ts'

const long = JSON.stringify({ type: 'brand_new', session_id: 's', text: 'x'.repeat(100_000) })
const bare = JSON.stringify({ session_id: 's', hello: 'x' })

test('an unknown record goes out whole, an object without a type not at all', () => {
  const lines: string[] = []
  const out = { line: (line: string): void => void lines.push(line), flush() {} }
  const sink = dialectSink(claude, out, (error) => {
    throw error
  })
  const listener = createListener({ dialect: claude, onEvents: (events) => events.forEach(sink.push) })
  listener.push(Buffer.from(`${long}\n${bare}\n`))
  listener.flush()
  assert.deepEqual(lines, [long])
})

function converted(text: string, from: Dialect, to: Dialect) {
  const lines: string[] = []
  const output = { line: (line: string): void => void lines.push(line), text() {}, bytes() {} }
  const converter = createConverter(from, to, output)
  converter.push(Buffer.from(text))
  const { losses } = converter.end()
  return { lines, losses }
}

test('the same holds for a log that is converted, and the object is reported as lost', () => {
  const log = converted(`${long}\n${bare}\n`, claude, sluice)
  const { lines, losses } = converted(log.lines.join('\n'), sluice, claude)
  assert.equal(lines.includes(long), true)
  assert.equal(lines.includes(bare), false)
  assert.equal(JSON.stringify(losses).includes('raw'), true)
})
