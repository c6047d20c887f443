// The order rules: what breaks each of them, what is legal although it looks odd, and what a repair adds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { claude } from './index.ts'
import { rules } from './order.ts'
import {
  codesOf,
  decodeAll,
  ended,
  findingsOf,
  fixture,
  gave,
  id,
  init,
  isStdin,
  only,
  raw,
  recordings,
  said,
  text,
  told,
  use,
} from './support.test.ts'

const [expected] = fixture('rejected/expected.json') as [Record<string, string[]>]

test('each rejected stream leads to its findings', () => {
  for (const [name, codes] of Object.entries(expected)) {
    assert.deepEqual(
      findingsOf(fixture(`rejected/${name}`)).map(({ code }) => code),
      codes,
      name,
    )
  }
})

test('every rule has a stream that breaks it, and every finding a rule', () => {
  const broken = new Set(Object.values(expected).flat())
  assert.deepEqual(
    Object.keys(rules).filter((code) => !broken.has(code)),
    [],
  )
  assert.deepEqual(
    [...broken].filter((code) => code !== 'shape' && !Object.hasOwn(rules, code)),
    [],
  )
})

test('what real programs do is legal', () => {
  const replay: Rec = { ...told(text('x')), isReplay: true }
  const lane = (record: Rec): Rec => ({ ...record, parent_tool_use_id: 't' })
  const system = (subtype: string, more: Rec = {}): Rec => ({ type: 'system', subtype, ...id, ...more })
  const streams: Record<string, Rec[]> = {
    'a lone result': [ended()],
    'hooks before the init': [system('hook_started', { hook_id: 'h' }), init, ended()],
    'an answer before the init': [{ type: 'control_response', response: { request_id: 'i', subtype: 'success' } }, init, ended()],
    'two inits, two results': [init, init, said('m', text('a')), ended({ result_index: 0 }), ended({ result_index: 1 })],
    'a result for a task that ended while the agent was busy': [init, ended(), ended({ origin: { kind: 'task-notification' } })],
    'a call left open': [init, said('m', use('t')), ended()],
    'a subagent that goes on after the result': [
      init,
      said('m', use('t', 'Agent')),
      told(gave('t')),
      ended(),
      lane(said('n', text('still'))),
      system('task_notification', { task_id: 'x', status: 'completed' }),
    ],
    'a replayed prompt after the result': [
      init,
      ended(),
      replay,
      system('status', { status: null, permissionMode: 'plan' }),
      init,
      ended(),
    ],
    'lanes between the blocks of a message': [
      init,
      said('m', use('t', 'Agent')),
      lane(said('n', text('a'))),
      said('m', use('u', 'Agent')),
      told(gave('t'), gave('u')),
      ended(),
    ],
    'an interrupted stream (2.0)': [
      init,
      raw({ type: 'message_start', message: { id: 'm' } }),
      raw({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      told(text('[Request interrupted by user]')),
      ended(),
      init,
      ended(),
    ],
    'a host alone': [
      { type: 'control_request', request_id: 'i', request: { subtype: 'initialize' } },
      { type: 'user', message: { role: 'user', content: 'go' }, session_id: '' },
      { type: 'control_response', response: { request_id: 'r', response: { behavior: 'allow' } } },
    ],
  }
  for (const [name, records] of Object.entries(streams)) assert.deepEqual(codesOf(records), [], name)
})

test('both sides of a two-way run in one file', () => {
  for (const path of recordings('.stdin.').filter(
    (name) => isStdin(name) && !name.includes('j-control-misc') && !name.includes('never-answered'),
  )) {
    const [host, agent] = [fixture(path), fixture(path.replace('.stdin', ''))]
    const asks = host.filter(({ type }) => type !== 'control_response')
    const answers = new Map(host.map((record) => [(record['response'] as Rec | undefined)?.['request_id'], record]))
    const both = agent.flatMap((record) => [
      record,
      ...(record['request_id'] !== undefined && answers.has(record['request_id']) ? [answers.get(record['request_id'])!] : []),
    ])
    assert.deepEqual(codesOf([...asks, ...both]), [], path)
  }
})

const repaired = (records: readonly Rec[]): Rec[] => {
  const order = claude.order()
  const whole = records.flatMap((record) => {
    const tag = claude.tag(record)!
    const missing = order.missing(record, tag)
    for (const added of missing) order.push(added, claude.tag(added)!, () => undefined)
    order.push(record, tag, () => undefined)
    return [...missing, record]
  })
  return [...whole, ...order.missing(undefined, undefined)]
}

test('a repair adds the init and the results that are missing, and nothing else', () => {
  for (const path of recordings()) {
    const records = fixture(path)
    const whole = repaired(records)
    assert.deepEqual(codesOf(whole), [], path)
    assert.equal(whole.length - records.length, codesOf(records).length, path)
  }
  const bare = repaired([said('m', text('a'))])
  assert.deepEqual(
    bare.map((record) => claude.tag(record)),
    ['system/init', 'assistant', 'result/error_during_execution'],
  )
  assert.deepEqual(
    only(decodeAll(bare), 'turn.end').map(({ reason }) => reason),
    ['error'],
  )
})
