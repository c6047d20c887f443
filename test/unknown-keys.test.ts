import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { convert, read, write, type WritableName } from '../src/index.ts'

const said = {
  role: 'assistant',
  id: 'm1',
  content: [{ type: 'text', text: 'Hello', mood: 'new' }],
  usage: { input_tokens: 1, output_tokens: 2, new_tokens: 3 },
}
const streams: Partial<Record<WritableName, readonly Rec[]>> = {
  claude: [
    { type: 'system', subtype: 'init', session_id: 's', cwd: '/w', model: 'm', tools: ['Read'], weather: { wind: [1] } },
    { type: 'assistant', message: said, session_id: 's', depth: null },
    {
      type: 'assistant',
      message: { role: 'assistant', id: 'm2', content: [{ type: 'tool_use', id: 't', name: 'Read', input: {}, cost: 9 }] },
      session_id: 's',
    },
    {
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }], seen: true },
      session_id: 's',
    },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      num_turns: 2,
      result: 'Hello',
      session_id: 's',
      usage: { input_tokens: 1, output_tokens: 2, new_tokens: 3 },
      verdict: 'fine',
    },
  ],
  avenor: [
    { event: 'session.start', session_id: 's', dangerously_load: false, host: 'h' },
    { event: 'agent.message_chunk', session_id: 's', content: { type: 'text', text: 'a', lang: 'en' }, ts: 5 },
    {
      event: 'tool.call',
      session_id: 's',
      toolCallId: 'c',
      title: 'ls',
      kind: 'bash',
      rawInput: { command: 'ls' },
      status: 'pending',
      lane: 1,
    },
    { event: 'tool.call_update', session_id: 's', toolCallId: 'c', status: 'completed', took: 7 },
    {
      event: 'session.end',
      session_id: 's',
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      mood: {},
    },
  ],
  aictrl: [
    { type: 'session_start', timestamp: 1, sessionID: 's', schemaVersion: '1', model: 'a/b', agent: 'd', permissions: [], region: 'eu' },
    { type: 'tool_catalog', timestamp: 1, sessionID: 's', tools: [{ name: 'bash', source: 'builtin' }], skills: [] },
    { type: 'step_start', timestamp: 2, sessionID: 's', part: { type: 'step-start', hint: 1 } },
    {
      type: 'tool_use',
      timestamp: 3,
      sessionID: 's',
      sequenceNum: 1,
      part: {
        type: 'tool',
        tool: 'bash',
        callID: 'c',
        sessionID: 's',
        state: { status: 'completed', input: { command: 'ls' }, output: 'x', title: '', metadata: { exit: 0 }, queue: 4 },
      },
    },
    { type: 'session_complete', timestamp: 9, sessionID: 's', durationMs: 8, error: null, host: 'h' },
  ],
  appctl: [
    { kind: 'user_prompt', text: 'go', client: 'web' },
    { kind: 'tool_call', id: 'tool', name: 'f', arguments: {}, lane: 1 },
    { kind: 'tool_result', id: 'tool', result: 1, status: 'ok', duration_ms: 2, cached: false },
    { kind: 'tool_call', id: 'tool', name: 'f', arguments: {}, lane: 2 },
    { kind: 'tool_result', id: 'tool', result: 1, status: 'ok', duration_ms: 2, cached: true },
    { kind: 'done', ['__proto__']: 1 },
  ],
}

const textOf = (records: readonly Rec[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('')
const recordsIn = (text: string): Rec[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Rec)

/** `dialect` read, kept as events, and written again. */
const thereAndBack = (records: readonly Rec[], dialect: WritableName): ReturnType<typeof convert> =>
  convert(convert(textOf(records), { from: dialect, to: 'sluice' }).text, { from: 'sluice', to: dialect })

const extsIn = (text: string, dialect: WritableName): unknown[] => read(text, { dialect }).flatMap(({ ext }) => ext ?? [])

const lostExts = ({ losses }: Pick<ReturnType<typeof convert>, 'losses'>): string[] =>
  losses.flatMap(({ code, count }) => (code.endsWith('.ext') ? [`${code} ${count}`] : []))

for (const [name, records] of Object.entries(streams)) {
  const dialect = name as WritableName
  test(`${name}: keys that nobody knows come back to where they stood`, () => {
    const back = thereAndBack(records, dialect)
    assert.deepEqual(lostExts(back), [])
    assert.ok(extsIn(back.text, dialect).length >= 4)
    assert.deepEqual(extsIn(back.text, dialect), extsIn(textOf(records), dialect))
  })

  test(`${name}: so they do in the library`, () => {
    const back = write(read(textOf(records), { dialect }), dialect)
    assert.deepEqual(lostExts(back), [])
    assert.deepEqual(extsIn(back.text, dialect), extsIn(textOf(records), dialect))
  })
}

test('what stood in a part of a record that is now a record of its own is told as lost', () => {
  const results = ['a', 'b'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: id, [`of_${id}`]: 1 }))
  const back = thereAndBack([{ type: 'user', message: { role: 'user', content: results }, session_id: 's' }], 'claude')
  assert.deepEqual(lostExts(back), ['tool.end.ext 1'])
  assert.deepEqual(
    recordsIn(back.text).filter(({ message }) => JSON.stringify(message)?.includes('of_b')),
    [],
  )
})

test('they come back to the type of record that they stood in, or are told as lost', () => {
  const failed = {
    type: 'result',
    subtype: 'success',
    is_error: true,
    num_turns: 1,
    result: 'API Error: 500',
    session_id: 's',
    verdict: 'fine',
  }
  const back = thereAndBack([streams.claude![0]!, failed], 'claude')
  assert.deepEqual(
    recordsIn(back.text).map(({ subtype }) => subtype),
    ['init', 'error_during_execution'],
  )
  assert.deepEqual(lostExts(back), ['turn.end.ext 1'])
  assert.doesNotMatch(back.text, /verdict/)
})

test('another dialect gets none of them, and says so', () => {
  const lost = convert(convert(textOf(streams.appctl!), { to: 'sluice' }).text, { to: 'avenor' })
  assert.doesNotMatch(lost.text, /lane|cached|client/)
  assert.equal(lostExts(lost).length, 4)
})

test('with carry they come back once, and what finds no place travels along', () => {
  const kept = convert(textOf(streams.appctl!), { to: 'sluice' }).text
  const back = convert(kept, { to: 'appctl', carry: true })
  assert.deepEqual(lostExts(back), [])
  assert.equal(back.text.split('"lane":1').length, 2)
})
