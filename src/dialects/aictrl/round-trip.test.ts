// There and back: what the model has no word for comes back to the record that it stood in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { decodeAll, encodeAll, find, fixture, partOf, plain, type Written } from './support.test.ts'

const base = { timestamp: 5, sessionID: 's' }
const start = { type: 'session_start', ...base, schemaVersion: '1', model: 'p/m', agent: 'd', permissions: [] }
const complete = (error: string | null): Rec => ({ type: 'session_complete', ...base, durationMs: 1, error })
const told = (message: string): Rec => ({ type: 'error', ...base, error: { name: 'Unknown', data: { message } }, sourceSessionID: 's' })

const again = (records: readonly Rec[]): Written => encodeAll(plain(decodeAll(records)))

test("a shell's answer is not taken for its preview", () => {
  const use = (state: Rec): Rec => ({
    type: 'tool_use',
    ...base,
    part: { type: 'tool', tool: 'bash', callID: 'c', sessionID: 's', state: { status: 'completed', input: {}, ...state } },
    sequenceNum: 1,
  })
  const stateAgain = (state: Rec): unknown => partOf(find(again([start, use(state), complete(null)]).records, 'tool_use')[0])['state']
  for (const state of [
    { output: 'THE WHOLE ANSWER', metadata: { exit: 0, output: 'PREVIEW...' } },
    { output: 'THE WHOLE ANSWER', metadata: { exit: null, output: 'PREVIEW...' } },
    { metadata: { exit: 0, output: 'whole', truncated: false } },
    { metadata: { exit: 0, output: 'whole' }, attachments: [{ type: 'file', mime: 'image/png', url: 'data:,a' }] },
  ])
    assert.deepEqual(stateAgain(state), { status: 'completed', input: {}, ...state })
})

test('a word outside the list comes back; one of the list is not kept beside the model', () => {
  const message = (finish: string): Rec => ({ type: 'message_complete', ...base, modelID: 'm', providerID: 'p', finish })
  const failed = (reason: string): Rec => ({ type: 'session_error', ...base, reason, message: 'm' })
  const kept = (records: readonly Rec[]): unknown[] => plain(decodeAll(records).flatMap(({ ext }) => ext ?? []))

  const paused = [start, message('pause_turn'), complete(null)]
  assert.deepEqual(kept(paused), [{ aictrl: { finish: 'pause_turn' } }])
  const { records, lost } = again(paused)
  assert.deepEqual([find(records, 'message_complete')[0]?.['finish'], lost], ['pause_turn', []])
  for (const word of ['stop', 'end_turn', 'unknown']) assert.deepEqual(kept([start, message(word), complete(null)]), [])

  for (const word of ['quota_exceeded', 'interrupted', 'terminated']) {
    const stream = [start, { ...failed(word), timestamp: 4 }, complete('m')]
    assert.deepEqual(kept(stream), [{ aictrl: { reason: word } }])
    const [error] = find(again(stream).records, 'session_error')
    assert.deepEqual([error?.['reason'], error?.['timestamp']], [word, 4])
  }
  for (const word of ['auth', 'unknown']) assert.deepEqual(kept([start, failed(word), complete('m')]), [])
  const [interrupted] = find(again(fixture('made/interrupted.ndjson')).records, 'session_error')
  assert.deepEqual([interrupted?.['reason'], interrupted?.['code']], ['interrupted', '130'])
})

test('a reason comes back as it was told, whatever its code says', () => {
  for (const reason of ['rate_limit', 'auth', 'timeout', 'oom', 'provider', 'unknown']) {
    for (const code of ['401', '429', '503', '504', 'ECONNRESET']) {
      const failed = { type: 'session_error', ...base, reason, code, message: 'm' }
      assert.deepEqual(find(again([start, told('m'), failed, complete('m')]).records, 'session_error'), [failed])
    }
  }
})

test('a finish outside the list that only a step tells is kept', () => {
  const step = { type: 'step_finish', ...base, part: { type: 'step-finish', reason: 'pause_turn' } }
  const end = decodeAll([start, step, complete(null)]).find(({ kind }) => kind === 'message.end')
  assert.deepEqual(plain(end?.ext), { aictrl: { part: { reason: 'pause_turn' } } })
})

test('the error that session_complete tells differs from those before it: it is the failure, or kept beside it', () => {
  const endOf = (...records: Rec[]): unknown[] => {
    const stream = [start, ...records]
    const [end] = decodeAll(stream).filter(({ kind }) => kind === 'session.end') as { reason?: string; error?: Rec; ext?: unknown }[]
    return plain([end?.reason, end?.error?.['text'] ?? null, end?.ext ?? null, again(stream).records.at(-1)?.['error'] ?? null])
  }
  const fatal = { type: 'session_error', ...base, reason: 'provider', message: 'down' }
  assert.deepEqual(endOf(told('gateway'), complete('something else')), ['error', 'something else', null, 'something else'])
  assert.deepEqual(endOf(told('a'), told('b'), complete('a\nb')), ['end_turn', null, null, null])
  assert.deepEqual(endOf(told('a'), told('b'), complete('b')), ['end_turn', null, null, null])
  assert.deepEqual(endOf(told('a'), complete('a\nb')), ['error', 'a\nb', null, 'a\nb'])
  assert.deepEqual(endOf(fatal, complete('down')), ['error', 'down', null, 'down'])
  assert.deepEqual(endOf(told('a'), fatal, complete('a\r\ndown')), ['error', 'down', null, 'down'])
  assert.deepEqual(endOf(fatal, complete('moon')), ['error', 'down', { aictrl: { error: 'moon' } }, 'moon'])
})
