import assert from 'node:assert/strict'
import { test } from 'node:test'
import { legalStream } from '../../testing/index.ts'
import type { Rec } from '../../base/json.ts'
import { codesOf, decodeAll, encodeAll, findingsOf, fixture, namesIn, plain, tellAll, type Told } from './support.test.ts'

/** What is written must be legal. */
function written(told: readonly Told[]): Rec[] {
  const { records } = encodeAll(tellAll(told))
  assert.deepEqual(findingsOf(records), [])
  return records
}
const words = (...parts: unknown[]): string => parts.filter((part) => typeof part === 'string' && part !== '').join(' ')
const brief = (told: readonly Told[]): unknown[] =>
  written(told).map(({ kind, text, message, id, synthetic }) => words(kind, text ?? message ?? id, synthetic))
const ask: Told = ['prompt.submit', { text: 'hi', by: 'user', state: 'sent' }]
const end: Told = ['turn.end', { reason: 'end_turn' }]
const at = (session: string) => ({ session })

// ── the document ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const reusesIds = new Set(['document/two-turns.ndjson']) // the second call of an id gets its own

test('every document fixture comes back by value', () => {
  for (const name of [...namesIn('document/', '.json'), ...namesIn('document/', '.ndjson')]) {
    const records = fixture(name)
    const told = decodeAll(records).filter(({ synthetic }) => synthetic === undefined)
    const again = encodeAll(told)
      .records.filter(({ synthetic }) => synthetic === undefined)
      .map((record) => (reusesIds.has(name) && record['id'] === 'tool#2' ? { ...record, id: 'tool' } : record))
    assert.deepEqual(again, name.endsWith('08-tool-result.json') ? [] : records, name) // a result without its call cannot be written
  }
})

test('all events written again are legal and tell the same', () => {
  for (let seed = 0; seed < 60; seed++) {
    const { records } = encodeAll(decodeAll(plain(legalStream('appctl', seed))))
    assert.deepEqual(findingsOf(records), [], `seed ${seed}`)
    const bare = records.map(({ synthetic: _synthetic, ...rest }) => rest)
    assert.deepEqual(encodeAll(decodeAll(bare)).records, bare, `seed ${seed}`)
  }
})

// ── turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('a turn begins with its prompt, known or not', () => {
  assert.deepEqual(brief([ask, end]), ['user_prompt hi', 'done'])
  assert.deepEqual(brief([['text.end', { text: 'a', streamed: false }], end]), ['user_prompt required', 'assistant_message a', 'done'])
  assert.deepEqual(encodeAll(tellAll([['prompt.submit', { by: 'host', state: 'sent', bytes: 3 }], end])).added, ['user_prompt.text'])
  const part = (text: string): Told => ['prompt.submit', { text, by: 'user', state: 'seen', partial: true }]
  assert.deepEqual(brief([part('list '), part('widgets'), ['text.end', { text: 'a', streamed: false }], end]), [
    'user_prompt list widgets',
    'assistant_message a',
    'done',
  ])
  assert.deepEqual(brief([part('cut')]), ['user_prompt cut', 'done cut'])
})

test('trouble that ends nothing begins no turn', () => {
  const hiccup: Told = ['error', { scope: 'session', fatal: false, error: { category: 'network', text: 'x' } }]
  assert.deepEqual(brief([hiccup, ask, hiccup, end]), ['user_prompt hi', 'done'])
})

test('a failure stands before done, once', () => {
  const error = { category: 'unknown', text: 'boo' } as const
  assert.deepEqual(
    brief([
      ask,
      ['error', { scope: 'turn', fatal: true, error }],
      ['text.end', { text: 'a', streamed: false }],
      ['turn.end', { reason: 'error', error }],
    ]),
    ['user_prompt hi', 'assistant_message a', 'error boo', 'done'],
  )
  assert.deepEqual(brief([ask, ['turn.end', { reason: 'error', error }]]), ['user_prompt hi', 'error boo', 'done'])
  assert.deepEqual(brief([ask, ['turn.end', { reason: 'max_turns' }]]), ['user_prompt hi', 'error max iterations reached', 'done'])
  const limit: Told = ['turn.end', { reason: 'max_tokens', error }]
  for (const told of [
    [ask, limit],
    [ask, ['error', { scope: 'turn', fatal: true, error }] as Told, limit],
  ])
    assert.deepEqual(brief(told), ['user_prompt hi', 'error max tokens: boo', 'done'])
  assert.deepEqual(
    brief([['error', { scope: 'connection', fatal: true, error }, { session: undefined }]]).slice(0, 3),
    ['user_prompt required', 'error boo', 'done'],
    'trouble before any session is a turn of its own',
  )
})

test('streamed text ends in a whole, told or joined', () => {
  const piece = (text: string): Told => ['text.delta', { text }]
  assert.deepEqual(brief([ask, piece('a'), piece('b'), ['text.end', { text: 'ab', streamed: true }], piece('c'), end]), [
    'user_prompt hi',
    'assistant_delta a',
    'assistant_delta b',
    'assistant_message ab',
    'assistant_delta c',
    'assistant_message c',
    'done',
  ])
})

test('a second session waits for the end of the turn, and nothing of it is lost or out of order', () => {
  const say = (text: string, session: string): Told => ['text.end', { text, streamed: false }, at(session)]
  const prompt = (session: string): Told => ['prompt.submit', { text: session, by: 'user', state: 'sent' }, at(session)]
  const over = (session: string): Told => ['turn.end', { reason: 'end_turn' }, at(session)]
  assert.deepEqual(brief([prompt('a'), prompt('b'), say('b1', 'b'), say('a1', 'a'), over('a'), say('b2', 'b'), over('b')]), [
    'user_prompt a',
    'assistant_message a1',
    'done',
    'user_prompt b',
    'assistant_message b1',
    'assistant_message b2',
    'done',
  ])
  assert.deepEqual(
    brief([prompt('a'), prompt('b'), prompt('c'), say('c1', 'c'), say('b1', 'b'), over('c'), over('b'), prompt('b'), over('b'), over('a')]),
    [
      'user_prompt a',
      'done',
      'user_prompt b',
      'assistant_message b1',
      'done',
      'user_prompt b',
      'done',
      'user_prompt c',
      'assistant_message c1',
      'done',
    ],
  )
  const many: Told[] = [
    prompt('a'),
    ...Array.from({ length: 20_000 }, (_, index): Told => ['session.start', {}, at(`s${index}`)]),
    over('a'),
  ]
  assert.equal(written(many).length, 2, 'and no stack grows with their number')
})

// ── tools ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('a call and its result', () => {
  const place = { call: 'c' }
  const tool = (ended: Told[1]): Rec | undefined =>
    written([
      ask,
      ['tool.start', { name: 'bash', toolKind: 'execute', input: { a: 1 } }, { ...place, at: 5 }],
      ['tool.end', ended, { ...place, at: 12 }] as Told,
      end,
    ])[2]
  assert.deepEqual(tool({ status: 'ok', text: 'out', data: { rows: 1 } }), {
    kind: 'tool_result',
    id: 'c',
    result: { output: 'out', rows: 1 },
    status: 'ok',
    duration_ms: 7,
  })
  assert.deepEqual(tool({ status: 'ok', exitCode: 2, text: 'out' }), {
    kind: 'tool_result',
    id: 'c',
    result: 'out',
    status: 'error',
    duration_ms: 7,
  })
  assert.deepEqual(tool({ status: 'denied', durationMs: 3 }), {
    kind: 'tool_result',
    id: 'c',
    result: 'denied',
    status: 'error',
    duration_ms: 3,
  })
})

test('the one result value holds all that the tool returned: text, structure, blocks and error', () => {
  const told = (ended: Told[1]): [unknown, string[]] => {
    const { records, lost } = encodeAll(
      tellAll([
        ask,
        ['tool.start', { name: 'bash', toolKind: 'execute', input: {} }, { call: 'c' }],
        ['tool.end', ended, { call: 'c' }] as Told,
        end,
      ]),
    )
    return [records[2]?.['result'], lost.filter((code) => code.startsWith('tool.end'))]
  }
  const fault = (text: string) => ({ category: 'unknown' as const, text })
  const image = { type: 'image', data: 'AA==' }
  const blocks = [{ type: 'text', text: 'out' }, { type: 'content', content: { type: 'text', text: 'put' } }, 'bare']
  const results: [ended: Told[1], result: unknown][] = [
    [
      { status: 'ok', text: 'a.ts', data: { count: 1, truncated: false } },
      { output: 'a.ts', count: 1, truncated: false },
    ],
    [
      { status: 'ok', text: '1', data: { count: 1, path: 'src/1' } },
      { output: '1', count: 1, path: 'src/1' },
    ],
    [
      { status: 'ok', text: 'out', data: { stdout: 'out\n', stderr: '' } },
      { stdout: 'out\n', stderr: '' },
    ],
    [
      { status: 'error', text: 'out\n[exit code 3]', data: { output: 'out\n', exit: 3 } },
      { output: 'out\n[exit code 3]', exit: 3 },
    ],
    [
      { status: 'ok', text: 'new', data: { output: 'other' } },
      { output: 'new', data: { output: 'other' } },
    ],
    [
      { status: 'ok', text: 'two rows', data: [1, 2] },
      { output: 'two rows', data: [1, 2] },
    ],
    [{ status: 'ok', text: '{ "a": [1] }', data: { a: [1] } }, { a: [1] }],
    [
      { status: 'ok', text: '{ "a": ', data: { a: [1] } },
      { output: '{ "a": ', a: [1] },
    ],
    [{ status: 'ok', text: '', data: { count: 0 } }, { count: 0 }],
    [{ status: 'ok', text: '' }, ''],
    [{ status: 'ok', text: 'out', data: null }, 'out'],
    [{ status: 'ok', data: null }, null],
    [{ status: 'ok', text: 'out', data: { exit_code: 0 }, exitCode: 0 }, 'out'],
    [{ status: 'ok', data: { exit_code: 0 }, exitCode: 0 }, { exit_code: 0 }],
    [{ status: 'error', text: 'out', error: fault('out') }, 'out'],
    [{ status: 'error', error: fault('why') }, 'why'],
    [
      { status: 'error', text: 'out', error: fault('why') },
      { output: 'out', error: 'why' },
    ],
    [
      { status: 'error', data: { error: { code: 7 } }, error: fault('why') },
      { error: 'why', data: { error: { code: 7 } } },
    ],
    [{ status: 'ok', text: 'output', content: blocks }, 'output'],
    [{ status: 'ok', content: blocks }, blocks],
    [
      { status: 'ok', text: 'out', content: [image] },
      { output: 'out', content: [image] },
    ],
    [
      { status: 'ok', text: 'out', content: [image], data: { size: 2 } },
      { output: 'out', content: [image], size: 2 },
    ],
    [{ status: 'ok', content: [image] }, [image]],
  ]
  for (const [ended, result] of results) assert.deepEqual(told(ended), [result, []])
})

test('a result that nobody told is empty, and counts as added', () => {
  const added = (ended: Told[1]): string[] =>
    encodeAll(
      tellAll([
        ask,
        ['tool.start', { name: 'bash', toolKind: 'execute', input: {} }, { call: 'c' }],
        ['tool.end', ended, { call: 'c' }] as Told,
        end,
      ]),
    ).added
  assert.deepEqual(added({ status: 'ok', durationMs: 1 }), ['tool_result.result'])
  assert.deepEqual(added({ status: 'ok', durationMs: 1, text: '' }), [])
})

test('null that the source told is null', () => {
  const nothing: Told[] = [
    ['tool.start', { name: 'ls', toolKind: 'search', input: null }, { call: 'c' }],
    ['tool.end', { status: 'error', data: null, error: { category: 'unknown', text: 'null' }, durationMs: 1 }, { call: 'c' }],
  ]
  const { records, added } = encodeAll(tellAll([ask, ...nothing, end]))
  assert.deepEqual([records[1]?.['arguments'], records[2]?.['result'], added], [null, null, []])
})

test('a call that tells its arguments later is told with them', () => {
  const place = { call: 'c' }
  const begun: Told = ['tool.start', { name: 'bash', toolKind: 'execute' }, place]
  const full: Told = ['tool.update', { state: 'pending', input: { a: 1 } }, place]
  const ended: Told = ['tool.end', { status: 'ok', text: '' }, place]
  assert.deepEqual(written([ask, begun, full, ended, end])[1]?.['arguments'], { a: 1 })
  assert.deepEqual(written([ask, begun, ended, end])[1]?.['arguments'], {})
  const { records } = encodeAll(tellAll([ask, begun]).slice(0, -3)) // the source stops right after it
  assert.deepEqual(
    records.map(({ kind }) => kind),
    ['user_prompt', 'tool_call', 'tool_result', 'done'],
  )
  assert.deepEqual(brief([ask, begun, end]), ['user_prompt hi', 'tool_call c', 'tool_result c cut', 'done'])
})

test('a question names its call while that is open', () => {
  const request: Told = ['permission.request', { id: '1', name: 'bash', input: { a: 1 }, options: [] }, { call: 'c' }]
  const [, , asked] = written([
    ask,
    ['tool.start', { name: 'bash', toolKind: 'execute', input: {} }, { call: 'c' }],
    request,
    ['tool.end', { status: 'ok' }, { call: 'c' }],
    end,
  ])
  assert.deepEqual(asked, { kind: 'awaiting_input', id: 'c', name: 'bash', arguments: { a: 1 } })
  assert.deepEqual(codesOf(encodeAll(tellAll([ask, request, end])).records), [])
})

test('a lane: its tools are told, its text is not', () => {
  const lane = { agent: 'task', call: 'c' }
  assert.deepEqual(
    brief([
      ask,
      ['text.delta', { text: 'x' }, { agent: 'task' }],
      ['tool.start', { name: 'bash', toolKind: 'execute', input: {} }, lane],
      ['tool.end', { status: 'ok' }, lane],
      end,
    ]),
    ['user_prompt hi', 'tool_call c', 'tool_result c', 'done'],
  )
})

test('session state and reduced context', () => {
  const told: Told[] = [
    ['session.update', { native: 'n', length: 2, how: 'resumed' }],
    ask,
    ['context.trim', { why: 'compact', before: 9, after: 3 }],
    ['session.update', { model: 'm' }],
    end,
  ]
  assert.deepEqual(written(told), [
    { kind: 'session_state', session_id: 'n', transcript_len: 2, resumed: true },
    { kind: 'user_prompt', text: 'hi' },
    { kind: 'context_notice', message: 'context was reduced (compact) from 9 to 3 tokens' },
    { kind: 'done' },
  ])
})

test('the prompt is what the user said, not what the agent was told before', () => {
  const told: Told[] = [['prompt.submit', { text: 'be brief', by: 'system', state: 'seen' }], ask, end]
  assert.deepEqual(brief(told), ['user_prompt hi', 'done'])
})

test('an answer that only the end of the turn tells is told as lost', () => {
  const answered = (told: Told[], text: string): string[] =>
    encodeAll(tellAll([...told, ['turn.end', { reason: 'end_turn', text }]])).lost.filter((code) => code.startsWith('turn.end'))
  assert.deepEqual(answered([ask], 'three lines'), ['turn.end.text drop'])
  assert.deepEqual(answered([ask, ['text.end', { text: 'three lines', streamed: false }]], 'three lines'), [])
  assert.deepEqual(answered([ask, ['error', { scope: 'turn', fatal: true, error: { category: 'auth', text: 'no key' } }]], 'no key'), [])
})

test('an answer that was withdrawn is told again, empty, and is not part of the next', () => {
  const withdrawn: Told[] = [
    ask,
    ['text.delta', { text: 'One mo' }],
    ['message.drop', { fromBlock: 0, why: 'superseded' }],
    ['text.delta', { text: 'Two' }],
    ['text.end', { streamed: true }],
    end,
  ]
  assert.deepEqual(brief(withdrawn), [
    'user_prompt hi',
    'assistant_delta One mo',
    'assistant_message',
    'assistant_delta Two',
    'assistant_message Two',
    'done',
  ])
})
