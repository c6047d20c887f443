// What `sluice schema` prints, read by a validator of JSON Schema, accepts what our checks accept and nothing else.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { isRecord, type Rec } from '../src/base/json.ts'
import { dialects } from '../src/index.ts'
import { createRandom, legalStream } from '../src/testing/index.ts'
import { holds } from './properties.ts'

const plain = (record: Rec): Rec => JSON.parse(JSON.stringify(record)) as Rec

/** One value somewhere in it is another, or gone. */
function harmed(record: Rec, random: ReturnType<typeof createRandom>): Rec {
  const copy = plain(record)
  let place = copy
  for (;;) {
    const key = random.pick(Object.keys(place).concat('subtype'))
    const inner = place[key]
    if (isRecord(inner) && Object.keys(inner).length > 0 && random.chance(0.7)) place = inner
    else {
      if (random.chance(0.3)) delete place[key]
      else place[key] = random.pick([42, 'no_such', {}, null, '_own', []])
      return copy
    }
  }
}

const { acp, avenor, codex } = dialects

const bodies: Record<string, Rec[]> = {
  claude: [
    { type: 'system', subtype: 'init', tools: 42 },
    { type: 'system', subtype: 'no_such' },
    { type: 'result', subtype: 'no_such' },
    { type: 'result', subtype: 'success', num_turns: 'x' },
    { type: 'control_request', request_id: 'r', request: { subtype: 'can_use_tool' } },
    { type: 'control_request', request_id: 'r', request: { subtype: 'no_such' } },
  ],
  codex: [
    { method: 'thread/started', params: { thread: null } },
    { method: 'no/such', params: {} },
    { method: 'thread/archive', params: {} },
    { method: 'codex/event/no_such' },
    { method: 'thread/archive', type: 'thread.started' },
    { id: 1, method: 'turn/start', params: true, result: {} },
    { id: 1, result: {}, error: { message: 'x' } },
    { id: null, result: {}, error: { message: 'x' } },
    { type: 'response_item', payload: { type: 'no_such' } },
    { type: 'response_item', payload: { type: 'message', role: 5 } },
    { type: 'response_item', payload: { type: 'ghost_snapshot' } },
    { type: 'event_msg', payload: { type: 'plan_update' } },
    { type: 'event_msg', payload: {} },
    { t: 1, from: 5, message: { method: 'thread/archive' } },
    { from: 'client', message: { type: 'turn.started' } },
    { from: 'client', message: { method: 'thread/archive' }, id: 1, result: {} },
    { from: 'client', message: { method: 'thread/archive' }, id: 1 },
  ],
  acp: [
    { jsonrpc: '2.0', method: 'session/update', params: {} },
    { jsonrpc: '2.0', method: 'session/prompt', params: {} },
    { jsonrpc: '2.0', method: '_own/thing' },
    { jsonrpc: '2.0', method: 'mcp/connect' },
    { jsonrpc: '2.0', method: 'no/such' },
    { jsonrpc: '2.0', id: 1, result: { stopReason: 5 } },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, result: null },
    { jsonrpc: '2.0', id: 1, error: { code: 'x' } },
  ],
}

const schemaOf = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../dist/schema/${name}.json`, import.meta.url), 'utf8')) as object

test('a strict validator takes every schema', () => {
  for (const name of Object.keys(dialects)) {
    const said: unknown[] = []
    const log = (...words: unknown[]): unknown => said.push(words)
    assert.doesNotThrow(() => new Ajv2020({ strict: true, logger: { log, warn: log, error: log } }).compile(schemaOf(name)), name)
    assert.deepEqual(said, [], name)
  }
})

suite('the schema of a dialect judges a record as its checks do', () => {
  for (const dialect of Object.values(dialects)) {
    const validate = new Ajv2020({ strict: true }).compile(schemaOf(dialect.name))
    const alike = (record: Rec): void => {
      const tag = dialect.tag(record)
      const check = dialect.shapes.checks[tag ?? '']
      const fits = tag !== undefined && (check === undefined ? dialect === avenor : check(record))
      assert.equal(validate(record), fits, JSON.stringify(record))
    }
    test(dialect.name, () =>
      holds(40, (seed, random) => {
        for (const record of legalStream(dialect.name as keyof typeof dialects, seed)) {
          alike(plain(record))
          alike(harmed(record, random))
          if (dialect === acp || dialect === codex) alike({ t: 1, from: 'agent', message: harmed(record, random) })
        }
      }),
    )
    const others = bodies[dialect.name]
    if (others !== undefined) test(`${dialect.name}: a record of a type with a body of another`, () => others.forEach(alike))
  }
})
