import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Event, EventOf, Kind } from '../../model/event.ts'
import { bodyTag } from './body.ts'
import { appctl } from './index.ts'
import { decodeAll, fixture, kindsOf, namesIn, plain, shortly } from './support.test.ts'

const prompt: Rec = { kind: 'user_prompt', text: 'list widgets' }
const done: Rec = { kind: 'done' }
const delta = (text: string): Rec => ({ kind: 'assistant_delta', text })
const message = (text: string): Rec => ({ kind: 'assistant_message', text })
const call = (id: string, name = 'list_widgets'): Rec => ({ kind: 'tool_call', id, name, arguments: { limit: 10 } })
const result = (id: string, status = 'ok', value: unknown = 'x'): Rec => ({
  kind: 'tool_result',
  id,
  result: value,
  status,
  duration_ms: 120,
})
const told = (records: readonly Rec[]): Rec[] =>
  decodeAll(records)
    .filter(({ synthetic }) => synthetic === undefined)
    .map(shortly)
const only = <K extends Kind>(records: readonly Rec[], kind: K): EventOf<K>[] =>
  decodeAll(records)
    .filter((event): event is EventOf<K> => event.kind === kind)
    .map(plain)

// ── the document ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const thought = 'Inspecting available tools...'
const examples: Record<string, Rec[]> = {
  '01-user-prompt': [
    { kind: 'turn.start', turn: 1, trigger: 'prompt' },
    { kind: 'prompt.submit', turn: 1, text: 'list widgets', by: 'user', state: 'sent' },
  ],
  '02-assistant-delta': [{ kind: 'text.delta', turn: 1, text: 'Looking ' }],
  '03-assistant-message': [{ kind: 'text.end', turn: 1, text: 'Here are your widgets.', streamed: false }],
  '04-assistant-thought-delta': [{ kind: 'thought.delta', turn: 1, text: thought }],
  '05-assistant-thought': [{ kind: 'thought.end', turn: 1, text: thought, streamed: false }],
  '06-tool-call': [{ kind: 'tool.start', turn: 1, call: 'call_01HV...', name: 'list_widgets', toolKind: 'other', input: { limit: 10 } }],
  '07-awaiting-input': [{ kind: 'permission.request', turn: 1, id: '~ask-1', options: [] }],
  '08-tool-result': [{ kind: 'tool.end', turn: 1, call: 'call_01HV...', status: 'ok', data: { items: [] }, durationMs: 120 }],
  '09-error': [{ kind: 'error', scope: 'turn', fatal: true, error: { category: 'unknown', text: 'max iterations reached' } }],
  '10-session-state': [{ kind: 'session.update', session: '9f8...', native: '9f8...', length: 4, how: 'resumed' }],
  '11-context-notice': [{ kind: 'context.trim', why: 'trim', text: 'Trimmed 2 older message(s) from model context.' }],
  '12-done': [{ kind: 'turn.end', turn: 1, reason: 'end_turn' }],
}

test('every example of the document, beside what sluice adds', () => {
  assert.deepEqual(
    namesIn('document/', '.json'),
    Object.keys(examples).map((name) => `document/${name}.json`),
  )
  for (const [name, expected] of Object.entries(examples)) assert.deepEqual(told(fixture(`document/${name}.json`)), expected, name)
})

test('a whole turn, event by event', () => {
  const place = { turn: 1, call: 'call_01HV...' }
  const events = decodeAll(fixture('document/turn.ndjson'))
  assert.deepEqual(events.map(shortly), [
    { kind: 'session.start', synthetic: 'implied' },
    { kind: 'turn.start', turn: 1, trigger: 'prompt' },
    { kind: 'prompt.submit', turn: 1, text: 'list widgets', by: 'user', state: 'sent' },
    { kind: 'session.update', turn: 1, native: '9f8...', length: 4, how: 'resumed' },
    { kind: 'context.trim', turn: 1, why: 'trim', text: 'Trimmed 2 older message(s) from model context.' },
    { kind: 'thought.delta', turn: 1, text: thought },
    { kind: 'text.delta', turn: 1, text: 'Looking ' },
    { kind: 'text.delta', turn: 1, text: '— first.' },
    { kind: 'thought.end', turn: 1, text: thought, streamed: true },
    { kind: 'text.end', turn: 1, text: 'Looking — first.', streamed: true },
    { kind: 'tool.start', ...place, name: 'list_widgets', toolKind: 'other', input: { limit: 10 } },
    { kind: 'permission.request', ...place, id: '~ask-1', name: 'list_widgets', input: { limit: 10 }, options: [] },
    { kind: 'permission.answer', ...place, synthetic: 'implied', id: '~ask-1', decision: 'allow', by: 'unknown' },
    { kind: 'tool.end', ...place, status: 'ok', data: { items: [] }, durationMs: 120 },
    { kind: 'text.end', turn: 1, text: 'Here are your widgets.', streamed: false },
    { kind: 'turn.end', turn: 1, reason: 'end_turn' },
    { kind: 'session.end', synthetic: 'implied', reason: 'end_turn' },
  ])
})

test('turn after turn, with an id that comes again', () => {
  const events = decodeAll(fixture('document/two-turns.ndjson'))
  assert.deepEqual(
    events.map(({ kind, turn, call: id }) => [kind, turn, id].filter((part) => part !== undefined).join(' ')),
    [
      'session.start',
      'turn.start 1',
      'prompt.submit 1',
      'text.end 1',
      'turn.end 1',
      'turn.start 2',
      'prompt.submit 2',
      'tool.start 2 tool',
      'tool.end 2 tool',
      'tool.start 2 ~tool#2',
      'tool.end 2 ~tool#2',
      'text.end 2',
      'turn.end 2',
      'session.end',
    ],
  )
  const [, failed] = events.filter((event): event is EventOf<'tool.end'> => event.kind === 'tool.end')
  assert.deepEqual(plain([failed?.status, failed?.text, failed?.error]), [
    'error',
    'operation cancelled',
    { category: 'unknown', text: 'operation cancelled' },
  ])
})

test('the token limit is known by the beginning of its error', () => {
  const reasonOf = (message: string): unknown =>
    decodeAll([{ kind: 'user_prompt', text: 'a' }, { kind: 'error', message }, { kind: 'done' }]).find(({ kind }) => kind === 'turn.end')
  assert.partialDeepStrictEqual(reasonOf('max tokens'), { reason: 'max_tokens' })
  assert.partialDeepStrictEqual(reasonOf('max tokens: the answer was cut'), { reason: 'max_tokens' })
  assert.partialDeepStrictEqual(reasonOf('max tokens are wrong'), { reason: 'error' })
})

test('a turn that fails: the error is told once more by its ends', () => {
  const events = decodeAll(fixture('document/failed.ndjson'))
  assert.deepEqual(kindsOf(events), [
    'session.start*',
    'turn.start',
    'prompt.submit',
    'text.delta',
    'text.end*',
    'tool.start',
    'error',
    'turn.end',
    'tool.end*',
    'session.end*',
  ])
  for (const event of events) {
    if (event.kind === 'turn.end' || event.kind === 'session.end')
      assert.deepEqual([event.reason, event.error?.text], ['max_turns', 'max iterations reached'])
  }
})

test('as the server tells it: the session first, a question before its call', () => {
  const events = decodeAll(fixture('document/http.ndjson'))
  assert.ok(events.every(({ session }) => session === '9f8...'))
  assert.deepEqual(kindsOf(events), [
    'session.start*',
    'session.update',
    'turn.start',
    'prompt.submit',
    'permission.request',
    'permission.answer*',
    'tool.start',
    'tool.end',
    'text.end',
    'turn.end',
    'session.end*',
  ])
})

// ── what the program really does ─────────────────────────────────────────────────────────────────────────────────────────

test('two open calls of one id: results come in the order of the calls', () => {
  const events = decodeAll([prompt, call('tool', 'a'), call('tool', 'b'), result('tool', 'ok', '1'), result('tool', 'ok', '2'), done])
  const tools = events.filter((event) => event.kind === 'tool.start' || event.kind === 'tool.end')
  assert.deepEqual(
    tools.map((event) => [event.call, event.kind === 'tool.start' ? event.name : event.text]),
    [
      ['tool', 'a'],
      ['~tool#2', 'b'],
      ['tool', '1'],
      ['~tool#2', '2'],
    ],
  )
  assert.deepEqual(kindsOf(decodeAll([prompt, result('x'), done])).slice(3, 5), ['tool.start*', 'tool.end'], 'a result without a call')
})

test('a turn that never came to its done is over when the next one begins', () => {
  const ends = only([prompt, delta('a'), prompt, message('b'), done], 'turn.end')
  assert.deepEqual(
    ends.map(({ turn, reason, synthetic }) => [turn, reason, synthetic]),
    [
      [1, 'cut', 'implied'],
      [2, 'end_turn', undefined],
    ],
  )
  const failed = only([prompt, { kind: 'error', message: 'x' }, prompt, done], 'turn.end')
  assert.deepEqual(
    failed.map(({ reason }) => reason),
    ['error', 'end_turn'],
  )
})

test('an error told again after done is not told twice, and spoils no other turn', () => {
  const error = { kind: 'error', message: 'provider failed' }
  const events = decodeAll([prompt, error, done, error, prompt, message('ok'), done, done])
  assert.deepEqual(kindsOf(events).slice(3), [
    'error',
    'turn.end',
    'raw',
    'turn.start',
    'prompt.submit',
    'text.end',
    'turn.end',
    'raw',
    'session.end*',
  ])
  assert.deepEqual(
    events.flatMap((event) => (event.kind === 'turn.end' || event.kind === 'session.end' ? [event.reason] : [])),
    ['error', 'end_turn', 'end_turn'],
  )
})

test('what one turn left behind does not reach into the next', () => {
  const events = decodeAll([
    prompt,
    call('tool', 'a'),
    { kind: 'error', message: 'x' },
    done,
    prompt,
    call('tool', 'b'),
    result('tool', 'ok', 'of b'),
    done,
  ])
  assert.deepEqual(
    events.filter((event) => event.kind === 'tool.end').map((event) => [event.call, event.status, event.text]),
    [
      ['~tool#2', 'ok', 'of b'],
      ['tool', 'abandoned', undefined],
    ],
  )
  const error = { kind: 'error', message: 'x' }
  assert.equal(only([prompt, error, done, prompt, done, error], 'error').length, 2, 'the same words of another turn are told')
})

test('who was asked has answered when the stream goes on', () => {
  const asked: Rec = { kind: 'awaiting_input' }
  const decision = (...rest: Rec[]): unknown => only([prompt, asked, ...rest], 'permission.answer').map((event) => event.decision)
  assert.deepEqual(decision(call('a'), result('a'), done), ['allow'])
  assert.deepEqual(decision({ kind: 'error', message: 'operation cancelled' }, done), ['reject'])
  assert.deepEqual(decision(message('never mind'), done), ['withdrawn'])
  const afterCall = (...rest: Rec[]): unknown =>
    only([prompt, call('a'), asked, ...rest], 'permission.answer').map((event) => event.decision)
  assert.deepEqual(afterCall(result('a'), done), ['allow'])
  assert.deepEqual(afterCall(result('a', 'error'), done), ['withdrawn'], 'a failed call was not refused')
  assert.deepEqual(afterCall({ kind: 'error', message: 'provider failed' }, done), ['withdrawn'])
  assert.deepEqual(decision(asked, call('a'), result('a'), done), ['allow', 'allow'])
  assert.deepEqual(decision(), ['withdrawn'])
})

test('thoughts and text may alternate; each has one end', () => {
  const thinks = (text: string): Rec => ({ kind: 'assistant_thought_delta', text })
  assert.deepEqual(
    kindsOf(
      decodeAll([prompt, thinks('a'), delta('b'), thinks('c'), delta('d'), { kind: 'assistant_thought', text: 'ac' }, message('bd'), done]),
    ).slice(3),
    ['thought.delta', 'text.delta', 'thought.delta', 'text.delta', 'thought.end', 'text.end', 'turn.end', 'session.end*'],
  )
})

test('a stream that is cut says so', () => {
  const events = decodeAll([prompt, delta('a'), call('c')])
  assert.deepEqual(kindsOf(events).slice(4), ['text.end*', 'tool.start', 'tool.end*', 'turn.end*', 'session.end*'])
  assert.deepEqual(
    only([prompt, call('c')], 'tool.end').map(({ status, synthetic }) => [status, synthetic]),
    [['abandoned', 'cut']],
  )
})

test('unknown kinds and keys are kept, wrong bodies are issues', () => {
  assert.deepEqual(
    only([{ kind: 'brand_new', x: 1 }], 'raw').map(({ type, why }) => [type, why]),
    [['brand_new', 'unknown']],
  )
  assert.deepEqual(only([{ ...delta('a'), colour: 'red' }], 'text.delta')[0]?.ext, { appctl: { colour: 'red' } })
  assert.deepEqual(
    only([{ kind: 'assistant_delta', text: 5 }], 'issue').map(({ code }) => code),
    ['bad-body'],
  )
})

test('a body of POST /run is its events, with the session and the result', () => {
  const events = fixture('document/turn.ndjson')
  const alone = decodeAll(events)
  const body = { result: 'Here are your widgets.', events, session_id: 's', tools_called: [] }
  const plainly = (all: readonly Event[]) => all.map(({ kind, call, turn }) => [kind, call, turn]).filter(([kind]) => kind !== 'raw')
  const read = decodeAll([body])
  assert.deepEqual(plainly(read), plainly(alone))
  assert.deepEqual(new Set(read.filter(({ kind }) => kind !== 'raw').map(({ session }) => session)), new Set(['s']))
  assert.deepEqual(only([body], 'turn.end')[0]?.text, 'Here are your widgets.')
  assert.deepEqual(
    only([body], 'raw').map(({ type, why }) => [type, why]),
    [[bodyTag, 'unmapped']],
    'what is told nowhere else is kept',
  )
  assert.deepEqual(only([{ events, session_id: 's', result: { rows: 2 } }], 'turn.end')[0]?.data, { rows: 2 })
  assert.deepEqual(
    decodeAll([
      { ...body, session_id: 'a' },
      { ...body, session_id: 'b' },
    ]).flatMap(({ kind, session }) => (kind === 'session.end' ? session : [])),
    ['a', 'b'],
  )
})

test('a body that failed: its error is told once, and its turn is over', () => {
  const prompt = { kind: 'user_prompt', text: 'x' }
  const failed = (...events: object[]) => only([{ events: [prompt, ...events], error: 'boom', session_id: 's' }], 'turn.end')
  for (const end of [failed(), failed({ kind: 'error', message: 'boom' }, { kind: 'done' })])
    assert.deepEqual(
      end.map(({ reason, error }) => [reason, error?.text]),
      [['error', 'boom']],
    )
  assert.equal(only([{ events: [], error: 'boom', session_id: 's' }], 'error').length, 1)
})

test('the claim', () => {
  for (const tag of Object.keys(appctl.shapes.checks)) if (tag !== bodyTag) assert.equal(appctl.claim({ kind: tag }), 1, tag)
  assert.equal(appctl.claim({ events: [{ kind: 'user_prompt', text: '' }], result: '', session_id: 's' }), 1)
  assert.equal(appctl.claim({ events: [], error: 'boom', session_id: 's' }), 0.9)
  assert.equal(appctl.claim({ events: [{ type: 'text' }], session_id: 's' }), 0)
  assert.equal(appctl.claim({ kind: 'brand_new' }), 0.3)
  assert.equal(appctl.claim({ kind: 'error', seq: 1 }), 0, "sluice's own event")
})
