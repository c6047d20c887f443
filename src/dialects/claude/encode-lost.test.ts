// What only Claude Code itself would say, and what its records have no place for: told as lost, never passed over.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Fault, Payload } from '../../model/event.ts'
import { contentOf, decodeAll, encodeAll, eventsIn, only, recordings, tellAll, type Told, written } from './support.test.ts'

const turn = (...inside: readonly Told[]): Told[] => [
  ['turn.start', { trigger: 'prompt' }],
  ...inside,
  ['turn.end', { reason: 'end_turn' }],
]
const lostOf = (...told: readonly Told[]): string[] => written(told).lost

test('another program and its version are lost; those of Claude Code are not', () => {
  const began = (start: Payload<'session.start'>): string[] => lostOf(['session.start', start], ...turn())
  assert.deepEqual(began({ program: 'codex', version: '0.7', model: 'm' }), ['session.start.program drop', 'session.start.version drop'])
  assert.deepEqual(began({ version: '0.7' }), ['session.start.version drop'], 'of whom is not known')
  assert.deepEqual(began({ program: 'claude-code', version: '2.1.0' }), [])
  const changed = (update: Payload<'session.update'>, program: string): string[] =>
    lostOf(['session.start', { program }], ['session.update', update], ...turn()).filter((code) => code.startsWith('session.update'))
  assert.deepEqual(changed({ version: '0.8', model: 'n' }, 'codex'), ['session.update.version drop'])
  assert.deepEqual(changed({ version: '0.8' }, 'codex'), ['session.update drop'])
  assert.deepEqual(changed({ version: '2.2' }, 'claude-code'), [])
  const named: Told = ['session.update', { native: 'x', program: 'codex' }, { session: '~a' }]
  assert.deepEqual(lostOf(named, ['session.end', { reason: 'end_turn' }, { session: '~a' }]), ['session.update.program drop'])
})

test("a retry tells of its error the status and one of Claude's words: text and code are lost", () => {
  const retried = (error: Fault): { lost: string[]; record: Rec | undefined } => {
    const { lost, records } = written(turn(['retry.start', { scope: 'model', attempt: 1, max: 2, delayMs: 5, error }]))
    return { lost, record: records.find(({ subtype }) => subtype === 'api_retry') }
  }
  const refused = retried({ category: 'auth', text: 'unexpected status 401 Unauthorized', code: 'responseStreamDisconnected', http: 401 })
  assert.deepEqual([refused.record?.['error'], refused.record?.['error_status']], ['authentication_failed', 401])
  assert.deepEqual(refused.lost, ['retry.start.error.text drop', 'retry.start.error.code drop'])
  assert.deepEqual(retried({ category: 'timeout', text: '' }).lost, ['retry.start.error.category approx'])
  for (const path of recordings('/h-')) {
    const { lost } = encodeAll(eventsIn(path))
    assert.deepEqual(
      lost.filter((code) => code.startsWith('retry.start')),
      [],
      path,
    )
  }
})

test('of the parts of a result those are written that Claude has; the others are lost, unless the text says them', () => {
  const result = (end: Partial<Payload<'tool.end'>>): [unknown, string[]] => {
    const start: Told = ['tool.start', { name: 'Fetch', toolKind: 'fetch', input: {} }, { call: 'c' }]
    const { records, lost } = written(turn(start, ['tool.end', { status: 'ok', ...end }, { call: 'c' }]))
    return [contentOf(records.find(({ type }) => type === 'user')!)[0]!['content'], lost.filter((code) => code.startsWith('tool.end'))]
  }
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }
  const page = { type: 'web_search_result', url: 'u' }
  const lost = ['tool.end.content drop']
  assert.deepEqual(result({ text: 'a', content: [{ type: 'text', text: 'a' }, image] }), [[{ type: 'text', text: 'a' }, image], []])
  assert.deepEqual(result({ text: 'a', content: [{ type: 'text', text: 'a' }, image, page] }), [[{ type: 'text', text: 'a' }, image], lost])
  assert.deepEqual(result({ text: 'a', content: [page] }), ['a', lost])
  assert.deepEqual(result({ text: 'a b', content: [{ type: 'content', content: { type: 'text', text: 'a b' } }] }), ['a b', []])
  assert.deepEqual(result({ text: 'a', exitCode: 1, content: [{ type: 'text', text: 'a' }, image] }), ['Exit code 1\na', lost])
})

// ── what only the end of a session tells ─────────────────────────────────────────────────────────────────────────────────

const usage = { input: 5, output: 6 }
const ended = (more: Partial<Payload<'session.end'>>): Told => ['session.end', { reason: 'end_turn', ...more }]
const tokensOf = (records: readonly Rec[]): unknown[] => only(decodeAll(records), 'turn.end').map(({ own }) => [own?.input, own?.output])

test('tokens and dollars that only the end of the session tells are lost when its turns have their results', () => {
  const cost = { usd: 2, by: 'source' } as const
  assert.deepEqual(lostOf(...turn(), ended({ usage, cost })), ['session.end.usage drop', 'session.end.cost drop'])
  const counted: Told = ['turn.end', { reason: 'end_turn', usage, cost }]
  const begun: Told = ['turn.start', { trigger: 'prompt' }]
  assert.deepEqual(lostOf(begun, counted, ended({ usage, cost })), [], 'the results say it')
  assert.deepEqual(lostOf(begun, counted, ended({ usage: { input: 50, output: 6 } })), ['session.end.usage drop'], 'there was more')
})

test('a turn that ends with its session has the rest of the tokens, once', () => {
  const begun: Told = ['turn.start', { trigger: 'prompt' }]
  const counted: Told = ['turn.end', { reason: 'end_turn', usage: { input: 1, output: 2 } }]
  const events = tellAll([begun, counted, begun, begun, ended({ usage })])
  const { records, lost } = encodeAll(events.filter(({ kind, synthetic }) => kind !== 'turn.end' || synthetic === undefined))
  assert.deepEqual(tokensOf(records), [
    [1, 2],
    [4, 4],
    [0, 0],
  ])
  assert.deepEqual(lost, [])
})

test('an output that is told in blocks alone stands behind the exit code', () => {
  const blocks: Rec[] = [
    { type: 'text', text: 'one' },
    { type: 'content', content: { type: 'text', text: 'two' } },
  ]
  const call: Told = ['tool.start', { name: 'Bash', toolKind: 'execute', input: {} }, { call: 'c' }]
  const failing = (content: Rec[]): Told => ['tool.end', { status: 'ok', content, exitCode: 3 }, { call: 'c' }]
  const { records, lost } = written(turn(call, failing(blocks)))
  assert.deepEqual(contentOf(records.find(({ type }) => type === 'user')!), [
    { tool_use_id: 'c', type: 'tool_result', content: 'Exit code 3\none\ntwo', is_error: true },
  ])
  assert.deepEqual(lost, [])
  assert.deepEqual(lostOf(...turn(call, failing([...blocks, { type: 'image' }]))), ['tool.end.content drop'])
})

// ── the context, as /context tells it ────────────────────────────────────────────────────────────────────────────────────

test('how full the context is comes back in the record of its message', () => {
  const events = eventsIn('2.1.325/l-slash-command.ndjson')
  const { records, lost } = encodeAll(events)
  assert.deepEqual(
    only(decodeAll(records), 'usage.update').map(({ context, ext }) => [context, ext]),
    only(events, 'usage.update').map(({ context, ext }) => [context, ext]),
  )
  assert.deepEqual(
    lost.filter((code) => code.startsWith('usage.update')),
    [],
  )
  const early = events.filter(({ kind }) => kind !== 'text.end')
  assert.ok(encodeAll(early).lost.includes('usage.update drop'), 'no message of the program follows')
})
