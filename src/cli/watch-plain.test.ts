// The lines of `watch --format plain`: every case that the facts about Avenor's digest name.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Class } from '../analyze/classify.ts'
import type { Rec } from '../base/json.ts'
import { parseJson } from '../base/json.ts'
import type { Event, Kind } from '../model/event.ts'
import { createPlain } from './watch-plain.ts'
import type { ViewOptions } from './watch-view.ts'

process.env['TZ'] = 'UTC'

type Input = { record: Rec; its?: Class }

function plain(options: Partial<ViewOptions & { accumulate: boolean; times: boolean }> = {}) {
  const lines: string[] = []
  const line = (text: string): void => void lines.push(text)
  const view = createPlain({
    dialect: 'avenor',
    put: { line, made: line, bytes: () => assert.fail('plain writes text') },
    wants: () => true,
    classify: 'no',
    accumulate: false,
    ...options,
  })
  let offset = 0
  const show = ({ record, its = 'ACTIVITY' }: Input): boolean => {
    offset += 10
    return view.show({ events: [], record, classes: [its], span: { bytes: new Uint8Array(), start: 0, end: 0, offset, line: 1 } })
  }
  return { lines, view, show }
}

function lineOf(record: Rec): string {
  const { lines, show } = plain()
  show({ record: { session_id: 's', ...record } })
  assert.equal(lines.length, 1)
  return lines[0]!
}

suite('excerpts', () => {
  const cases: [record: Rec, excerpt: string][] = [
    [{ event: 'agent.message_chunk', content: { type: 'text', text: 'hello' } }, 'hello'],
    [{ event: 'agent.message_chunk', content: { text: 'hello' }, delta: 'not this' }, 'hello'],
    [{ event: 'agent.thought_chunk', delta: 'hm' }, 'hm'],
    [{ event: 'user.message_chunk', content: { text: '' }, delta: 'fix it' }, 'fix it'],
    [{ event: 'agent.message_chunk', content: [{ text: 'a' }, { type: 'image' }, { text: 'b' }] }, 'ab'],
    [{ event: 'agent.message_chunk', content: 7 }, ''],
    [{ event: 'agent.message_chunk', content: { text: 'a\r\n\t\nb\tc  d' } }, 'a b c  d'],
    [{ event: 'agent.message_chunk', content: { text: ' a \n' } }, ' a'],
    [{ event: 'agent.message_chunk', content: { text: 'x'.repeat(121) } }, 'x'.repeat(120)],
    [{ event: 'agent.message_chunk', content: { text: '🦫'.repeat(121) } }, '🦫'.repeat(120)],
    [{ event: 'agent.message_chunk', content: { text: `${'x'.repeat(119)}\n\n\ny` } }, 'x'.repeat(119)],
    [{ event: 'agent.message_chunk', content: { text: `${'\n'.repeat(500)}x` } }, ' x'],
    [{ event: 'agent.status', phase: 'thinking' }, 'thinking'],
    [{ event: 'agent.status', phase: 'working', label: 'reading files' }, 'working | reading files'],
    [{ event: 'tool.call', kind: 'bash', title: 'ls', status: 'pending' }, 'bash:ls [pending]'],
    [{ event: 'tool.call', kind: 'bash' }, 'bash'],
    [{ event: 'tool.call', title: 'ls', status: 'pending' }, 'ls [pending]'],
    [{ event: 'tool.call_update', kind: 'bash', status: 'failed' }, 'bash [failed]'],
    [{ event: 'tool.call', status: 'pending' }, ' [pending]'],
    [{ event: 'permission.request', question: 'Run it?', tool: 'bash' }, 'Run it?'],
    [{ event: 'permission.request', question: '', tool: 'bash' }, 'bash'],
    [{ event: 'permission.response', option_id: 'allow' }, ''],
    [{ event: 'session.plan', label: 'L', title: 'T' }, 'L'],
    [{ event: 'session.plan', title: 'T' }, 'T'],
    [{ event: 'session.end', stop_reason: 'end_turn' }, 'stop_reason=end_turn'],
    [{ event: 'session.end' }, 'stop_reason='],
    [{ event: 'avenor.loop.start', max_iterations: 5 }, 'loop start, max_iterations=5'],
    [{ event: 'avenor.loop.start' }, 'loop start, max_iterations=?'],
    [{ event: 'avenor.phase.start', phase: 'build', iteration: 0 }, 'phase: build (iter 0)'],
    [{ event: 'avenor.phase.start', phase: 'build' }, 'phase: build (iter ?)'],
    [{ event: 'avenor.phase.end', phase: 'build', stop_reason: 'max_tokens' }, 'phase: build → max_tokens'],
    [{ event: 'avenor.loop.end', exit_reason: 'exit' }, 'loop end: exit'],
    [{ event: 'avenor.retry', attempt: 1, max_retries: 3 }, 'attempt=1/3'],
    [{ event: 'avenor.retry', attempt: 2 }, 'attempt=2/?'],
    [{ event: 'avenor.retry', max_retries: 3 }, 'retrying'],
    [{ event: 'avenor.retry', attempt: null }, 'retrying'],
    [{ event: 'avenor.error', source: 'permission', message: 'timed out' }, 'permission: timed out'],
    [{ event: 'avenor.error', source: 'cancel' }, 'cancel'],
    [{ event: 'deploy.checked', label: 'mine' }, ''],
    [{ event: 'session.start', backend: 'claude' }, ''],
  ]
  for (const event of ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__']) cases.push([{ event, label: 'mine' }, ''])
  for (const [record, excerpt] of cases)
    test(`${JSON.stringify(record).slice(0, 100)} → ${excerpt.slice(0, 40)}`, () =>
      assert.equal(lineOf(record), `EVENT ${record['event'] as string} s ${excerpt}`))

  test('a number that JavaScript cannot hold keeps its digits', () => {
    const record = parseJson('{"event":"avenor.loop.start","max_iterations":12345678901234567890}') as Rec
    assert.match(lineOf(record), /max_iterations=12345678901234567890$/)
  })

  test('the session may be spelled sessionID, or missing: its place is kept', () => {
    assert.equal(lineOf({ event: 'x', session_id: undefined, sessionID: 'other' }), 'EVENT x other ')
    assert.equal(lineOf({ event: 'x', session_id: 5 }), 'EVENT x  ')
    assert.equal(lineOf({ event: 'x', session_id: '', sessionID: 'other' }), 'EVENT x other ')
  })

  test('nothing in a record can break its line or act on a terminal', () => {
    const evil = 'a\nEVENT session.end s stop_reason=end_turn\u2028\u0085\u001b[2J\u202e\u2066\u200f'
    for (const record of [{ event: evil }, { event: 'x', session_id: evil }, { event: 'avenor.error', source: evil }])
      assert.doesNotMatch(lineOf(record), /[\u0000-\u001f\u007f-\u009f\u200f\u2028-\u202e\u2066]/)
    const hidden = 'ab\u200bc\u2060d\ufeffe\u{e0041}f\u00adg\ud83d'
    const shown = 'ab\\u200bc\\u2060d\\ufeffe\\u{e0041}f\\u00adg\\ud83d'
    for (const event of [hidden, `${hidden}\u200d`]) assert.equal(lineOf({ event }), `EVENT ${event.replace(hidden, shown)} s `)
    assert.equal(lineOf({ event: 'agent.thought_chunk', delta: hidden }), `EVENT agent.thought_chunk s ${shown}`)
    assert.equal(
      lineOf({ event: 'avenor.error', source: `${hidden}${'x'.repeat(200)}` }),
      `EVENT avenor.error s ${shown}${'x'.repeat(107)}`,
    )
    const joined = '👩\u200d💻 می\u200cشود' // what joins characters or keeps them apart belongs to the text
    assert.equal(lineOf({ event: 'agent.thought_chunk', delta: joined }), `EVENT agent.thought_chunk s ${joined}`)
  })

  test('what has no event name is no line', () => {
    const { lines, show } = plain()
    assert.equal(show({ record: { foo: 1 } }), false)
    assert.equal(show({ record: { event: 3 } }), false)
    assert.deepEqual(lines, [])
  })
})

suite('classes', () => {
  const shown = (classify: ViewOptions['classify']): string[] => {
    const { lines, show } = plain({ classify })
    for (const its of ['MILESTONE', 'FINDING', 'ACTIVITY'] as const) show({ record: { event: 'x' }, its })
    return lines
  }
  test('are not told unless asked for', () => assert.deepEqual(shown('no'), ['EVENT x  ', 'EVENT x  ', 'EVENT x  ']))
  test('tag what matters', () => assert.deepEqual(shown('notable'), ['MILESTONE EVENT x  ', 'FINDING EVENT x  ', 'EVENT x  ']))
  test('tag every line', () => assert.deepEqual(shown('all'), ['MILESTONE EVENT x  ', 'FINDING EVENT x  ', 'ACTIVITY EVENT x  ']))
})

suite('what matters is told, also where Avenor has no record for it', () => {
  const span = { bytes: new Uint8Array(), start: 0, end: 0, offset: 70, line: 2 }
  const linesOf = (record: Rec | undefined, ...told: [its: Class, kind: Kind, more?: object][]): string[] => {
    const { lines, view } = plain({ dialect: 'claude', nameOf: ({ type }) => type as string, classify: 'notable' })
    const origin = { dialect: 'claude', record: 2, offset: 70, length: 9 }
    const events = told.map(([, kind, more], seq) => ({ v: 1, seq, kind, session: '~s', origin, ...more }) as Event)
    view.show({ events, record, span, classes: told.map(([its]) => its) })
    return lines
  }
  const commit = { call: 'c', state: 'running', toolKind: 'execute', input: { command: 'git commit -m x' } }
  const limit = { type: 'rate_limit_event' }

  test('a command that comes after its call', () => {
    assert.deepEqual(linesOf({}, ['MILESTONE', 'tool.update', commit]), [
      'MILESTONE EVENT tool.call_update s bash:git commit -m x [in_progress]',
    ])
    assert.deepEqual(linesOf({}, ['MILESTONE', 'tool.update', { call: 'c', state: 'pending', title: 'git commit' }]), [
      'MILESTONE EVENT tool.call_update s other:git commit [pending]',
    ])
    assert.deepEqual(linesOf({}, ['ACTIVITY', 'tool.update', commit]), [])
  })

  test('any other by the name of its record, with what it says, once', () => {
    assert.deepEqual(linesOf(limit, ['FINDING', 'usage.update'], ['FINDING', 'notice', { text: 'slow' }]), [
      'FINDING EVENT rate_limit_event s ',
    ])
    assert.deepEqual(linesOf(limit, ['FINDING', 'notice', { text: 'slow\ndown' }]), ['FINDING EVENT rate_limit_event s slow down'])
    assert.deepEqual(linesOf(limit, ['FINDING', 'text.end', { text: 'a' }], ['FINDING', 'message.end']), [
      'FINDING EVENT agent.message_chunk s a',
    ])
    assert.deepEqual(linesOf(limit, ['MILESTONE', 'error', { error: { text: 'a' } }], ['FINDING', 'message.end']), [
      'MILESTONE EVENT avenor.error s backend: a',
      'FINDING EVENT rate_limit_event s ',
    ])
    assert.deepEqual(linesOf(limit, ['FINDING', 'raw', { type: 'other' }]), ['FINDING EVENT other s '])
    assert.deepEqual(linesOf(limit, ['MILESTONE', 'cancel.request', { origin: undefined }]), ['MILESTONE EVENT cancel.request s '])
  })

  test('but the end of a turn by that of its session', () => {
    assert.deepEqual(linesOf({ type: 'result' }, ['MILESTONE', 'turn.end', { reason: 'end_turn' }], ['ACTIVITY', 'usage.update']), [])
    assert.deepEqual(linesOf({ type: 'result' }, ['FINDING', 'turn.end', { reason: 'end_turn' }]), ['FINDING EVENT result s '])
  })
})

suite('accumulate', () => {
  const chunk = (text: string, more: Rec = {}): Input => ({
    record: { event: 'agent.message_chunk', session_id: 's', content: { text }, ...more },
  })
  const told = (inputs: Input[], options: Partial<ViewOptions> = {}): string[] => {
    const { lines, show, view } = plain({ accumulate: true, ...options })
    for (const input of inputs) show(input)
    view.settle!()
    return lines
  }

  test('joins the chunks of one kind and session, whole and trimmed', () => {
    const long = 'x'.repeat(300)
    assert.deepEqual(told([chunk('\n a'), chunk('b\n\nc '), chunk(long), chunk(' \n')]), [`EVENT agent.message_chunk s ab c ${long}`])
  })

  test('another kind, another session and any other event end the line', () => {
    const inputs = [
      chunk('a'),
      chunk('b', { event: 'agent.thought_chunk' }),
      chunk('c'),
      chunk('d', { session_id: 't' }),
      { record: { event: 'x' } },
      chunk('e', { session_id: 't' }),
    ]
    assert.deepEqual(
      told(inputs).map((line) => line.slice(6)),
      [
        'agent.message_chunk s a',
        'agent.thought_chunk s b',
        'agent.message_chunk s c',
        'agent.message_chunk t d',
        'x  ',
        'agent.message_chunk t e',
      ],
    )
  })

  test('lines that are no events and empty chunks do not', () => {
    assert.deepEqual(told([chunk('a'), { record: { foo: 1 } }, chunk(''), chunk('b')]), ['EVENT agent.message_chunk s ab'])
  })

  test('a finding in one chunk makes the line one', () => {
    const inputs = [chunk('a'), { ...chunk('b'), its: 'FINDING' as const }, chunk('c')]
    assert.deepEqual(told(inputs, { classify: 'notable' }), ['FINDING EVENT agent.message_chunk s abc'])
    assert.deepEqual(told(inputs, { wants: (_session, its) => its === 'MILESTONE' }), [])
  })

  test('what waits is known by the record that began it', () => {
    const { show, view } = plain({ accumulate: true })
    show({ record: { event: 'x' } })
    assert.equal(view.waitingSince!(), undefined)
    show(chunk('a'))
    show(chunk('b'))
    assert.equal(view.waitingSince!(), 20)
    view.settle!()
    assert.equal(view.waitingSince!(), undefined)
  })

  test('a message without end is told in parts', () => {
    const { lines, show } = plain({ accumulate: true })
    for (let count = 0; count < 40; count++) show(chunk('x'.repeat(100_000)))
    assert.ok(lines.length >= 2 && lines.every((line) => line.length < 2_000_000))
  })
})

test('with times each line begins with one, and a long id is its end', () => {
  const { lines, show } = plain({ times: true, classify: 'notable' })
  const session = '1d0b9d83-4a4b-4546-8db0-6d9ea20c6e30'
  show({ record: { event: 'agent.status', session_id: session, phase: 'done', ts: Date.UTC(2026, 0, 2, 3, 4, 5) }, its: 'MILESTONE' })
  show({ record: { event: 'agent.status', session_id: 'ses_1', phase: 'done', ts: 'soon' } })
  assert.deepEqual(lines, ['03:04:05 MILESTONE EVENT agent.status 0c6e30 done', '--:--:-- EVENT agent.status ses_1 done'])
})

test('the fields of an event that is not known are told', () => {
  const { lines, view } = plain()
  const record = { event: 'deploy.checked', session_id: 's', target: 'eu-1', note: 'a\nb\u001b[2J' }
  view.show({ events: [{ kind: 'raw', type: 'deploy.checked', why: 'unknown' } as Event], record, classes: [], span: undefined })
  assert.deepEqual(lines, ['EVENT deploy.checked s target=eu-1 note="a\\nb\\u001b[2J"'])
})
