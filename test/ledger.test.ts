// Losses as a conversion tells them: of an event lost whole, and of one that came across in other words.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { convert, type WritableName } from '../src/index.ts'

const fixture = (name: string): Uint8Array => readFileSync(new URL(`../fixtures/claude/2.1.325/${name}.ndjson`, import.meta.url))

const lossesOf = (name: string, to: WritableName, kind: string): string[] =>
  convert(fixture(name), { from: 'claude', to }).losses.flatMap(({ code, how, count }) =>
    code === kind || code.startsWith(`${kind}.`) ? [`${code} ${how} ${count}`] : [],
  )

test('an event of which nothing is written counts as dropped, not as told in other words', () => {
  assert.deepEqual(lossesOf('h-429-then-ok', 'avenor', 'retry.start'), ['retry.start drop 2'])
  assert.deepEqual(lossesOf('g-bash-bg', 'aictrl', 'task.start'), ['task.start drop 1'])
  assert.deepEqual(lossesOf('g-bash-bg', 'aictrl', 'task.end'), ['task.end drop 1'])
})

test('one kind may be lost whole here and told in other words there', () => {
  const record = (body: object): string => `${JSON.stringify({ v: 1, kind: 'retry.start', session: 's', attempt: 1, ...body })}\n`
  const log = record({ seq: 1, scope: 'model', delayMs: 5 }) + record({ seq: 2, scope: 'run', delayMs: 5 })
  const { losses } = convert(new TextEncoder().encode(log), { from: 'sluice', to: 'avenor' })
  assert.deepEqual(
    losses.filter(({ code }) => code.startsWith('retry')),
    [
      { code: 'retry.start', how: 'drop', count: 1, first: 1 },
      { code: 'retry.start', how: 'approx', count: 1, first: 2 },
      { code: 'retry.start.delayMs', how: 'drop', count: 1, first: 2 },
    ],
  )
})

test('what is lost whole travels along like all else that is lost', () => {
  const said = { v: 1, seq: 1, kind: 'text.end', session: 's', agent: 'a', text: 'of a subagent', streamed: false }
  const { text } = convert(new TextEncoder().encode(`${JSON.stringify(said)}\n`), { from: 'sluice', to: 'avenor', carry: true })
  assert(text.includes('of a subagent'))
})
