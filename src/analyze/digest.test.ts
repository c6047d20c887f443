// The digest of made-up streams: who, what, how long, what went wrong, and that nothing in it grows with the stream.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { eventsByRecord } from '../../test/fold.ts'
import { holds, scrambled } from '../../test/properties.ts'
import type { Rec } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import { cutStream, legalStream, linesOf, streamDialects } from '../testing/index.ts'
import { createDigest, type Digest, type SessionDigest } from './digest.ts'

type Dialect = (typeof streamDialects)[number]

function digestOf(records: string | readonly Rec[], dialect: Dialect = 'avenor'): Digest {
  const digest = createDigest()
  for (const events of eventsByRecord(records, dialect)) for (const event of events) digest.push(event)
  return digest.report()
}
const avenor = (...records: Rec[]): Digest =>
  digestOf(records.map((record, index) => ({ session_id: 's', ts: 1000 * (index + 1), ...record })))
const only = ({ sessions }: Digest): SessionDigest => {
  assert.equal(sessions.length, 1)
  return sessions[0]!
}

const start = { event: 'session.start', backend: 'claude', dir: '/home/dev' }
const end = { event: 'session.end', stop_reason: 'end_turn', usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 } }
const call = (id: string, more: Rec = {}): Rec => ({
  event: 'tool.call',
  toolCallId: id,
  title: 'Bash',
  kind: 'bash',
  status: 'pending',
  ...more,
})
const done = (id: string, status = 'completed', more: Rec = {}): Rec => ({ event: 'tool.call_update', toolCallId: id, status, ...more })
const say = (text: string): Rec => ({ event: 'agent.message_chunk', content: { text } })

test('what a subagent works with is not what its session works with', () => {
  const digest = createDigest()
  const place = { v: 1 as const, session: 's' }
  digest.push({ ...place, seq: 1, kind: 'session.start', cwd: '/home/dev', model: 'large' })
  digest.push({ ...place, seq: 2, kind: 'session.update', agent: 'a', cwd: '/elsewhere', model: 'small', title: 'part' })
  const { cwd, model, title } = only(digest.report())
  assert.deepEqual([cwd, model, title], ['/home/dev', 'large', undefined])
})

test('a subagent without a name is told by what its call is about, or by its prompt', () => {
  const digest = createDigest()
  const place = { v: 1 as const, session: 's' }
  const push = (event: Rec): unknown => digest.push({ ...place, seq: 1, ...event } as unknown as Event)
  push({ kind: 'tool.start', call: 'c', name: 'Task', toolKind: 'task', input: { description: 'Count lines', prompt: 'Read it' } })
  const begun: Rec[] = [
    { task: 'a', call: 'c' },
    { task: 'b', prompt: 'Look\nthere' },
    { task: 'd' },
    { task: 'e', call: 'c', title: 'own' },
  ]
  for (const task of begun) push({ kind: 'task.start', type: 'agent', ...task })
  for (const { task } of begun) push({ kind: 'task.end', task, status: 'ok' })
  const titles = only(digest.report()).subagents.items.map(({ title }) => title)
  assert.deepEqual(titles, ['Count lines', 'Look there', undefined, 'own'])
})

test('who ran, where, what was asked, for how long, and how it ended', () => {
  const {
    program,
    cwd,
    prompt,
    prompts,
    turns,
    start: from,
    durationMs,
    ended,
    answer,
    usage,
  } = only(
    avenor(
      start,
      { event: 'user.message_chunk', delta: 'Fix the' },
      { event: 'user.message_chunk', delta: '\n  test' },
      say('Done'),
      say('.'),
      end,
    ),
  )
  assert.deepEqual(
    [program, cwd, prompt, prompts, turns, from, durationMs, answer],
    ['claude', '/home/dev', 'Fix the test', 1, 1, 1000, 5000, 'Done.'],
  )
  assert.deepEqual(ended, { reason: 'end_turn', outcome: 'ok', cut: false })
  assert.deepEqual([usage.input, usage.output], [100, 20])
})

test('a stream that stops is cut, and what was open is not counted as done', () => {
  const { ended, tools, commands } = only(avenor(start, call('1', { rawInput: { command: 'sleep 9' } })))
  assert.deepEqual(ended, { reason: 'cut', outcome: 'failed', cut: true })
  assert.deepEqual([tools[0]!.calls, tools[0]!.abandoned, tools[0]!.failed], [1, 1, 0])
  assert.deepEqual(commands.items, [{ seq: 3, command: 'sleep 9', status: 'abandoned', failed: true }])
})

test('tools by name, with failures and times; commands; files', () => {
  const { tools, commands, files } = only(
    avenor(
      call('1', { rawInput: { command: 'npm test' } }),
      done('1', 'failed'),
      call('2', { rawInput: { command: 'npm  test\n--all' } }),
      say('…'),
      done('2'),
      call('3', { title: 'Edit', kind: 'edit', rawInput: { file_path: 'a.ts' }, locations: [{ path: '/home/dev/a.ts' }] }),
      done('3'),
      call('4', { title: 'Edit', kind: 'edit', locations: [{ path: 'b.ts' }] }),
      done('4', 'failed'),
      call('5', { title: 'Read', kind: 'read', rawInput: { file_path: '/home/dev/c.ts' } }),
      done('5'),
      end,
    ),
  )
  assert.deepEqual(
    tools.map(({ name, calls, failed, totalMs, longestMs }) => [name, calls, failed, totalMs, longestMs]),
    [
      ['Bash', 2, 1, 3000, 2000],
      ['Edit', 2, 1, 2000, 1000],
      ['Read', 1, 0, 1000, 1000],
    ],
  )
  assert.deepEqual(
    commands.items.map(({ command, failed, durationMs }) => [command, failed, durationMs]),
    [
      ['npm test', true, 1000],
      ['npm test --all', false, 2000],
    ],
  )
  assert.deepEqual(files.items, [
    { path: '/home/dev/a.ts', read: 0, changed: 1 },
    { path: '/home/dev/c.ts', read: 1, changed: 0 },
  ])
})

test('the answer is the last text of its turn, also where texts come in pieces', () => {
  const chunk = (delta: string, messageId: string): Rec => ({ event: 'agent.message_chunk', delta, messageId })
  const around = avenor(
    start,
    chunk('I read', '1'),
    chunk(' it.', '1'),
    call('c'),
    done('c'),
    chunk('Three', '2'),
    chunk(' lines.', '2'),
    end,
  )
  assert.equal(only(around).answer, 'Three lines.')
  assert.equal(only(avenor(start, chunk('All', '1'), chunk(' done.', '1'), call('c'), done('c'), end)).answer, 'All done.')
})

test('permissions asked and answered, and what was denied', () => {
  const ask = (id: string): Rec => ({ event: 'permission.request', request_id: id, tool: 'bash', question: 'Run it?', options: [] })
  const answer = (id: string, kind: string): Rec => ({ event: 'permission.response', request_id: id, kind, source: 'control' })
  const digest = avenor(ask('1'), answer('1', 'allow'), ask('2'), answer('2', 'reject'), ask('3'), end)
  const { permissions } = only(digest)
  assert.deepEqual([permissions.asked, permissions.allowed, permissions.refused, permissions.unanswered], [3, 1, 1, 1])
  assert.deepEqual(permissions.items[1], { name: 'bash', question: 'Run it?', decision: 'reject', by: 'control', waitedMs: 1000 })
  assert.equal(digest.counts.denied, 1)
})

test('a call that failed and that the end of the turn says was not allowed is denied, once', () => {
  const place = { v: 1, session: 's' }
  const run = (id: string, status: string): Rec[] => [
    { ...place, kind: 'tool.start', call: id, name: 'Bash', toolKind: 'execute', input: { command: `run ${id}` } },
    { ...place, kind: 'tool.end', call: id, status },
  ]
  const ended = { ...place, kind: 'turn.end', reason: 'end_turn', denied: ['a', 'b', 'stranger'].map((id) => ({ call: id, name: 'Bash' })) }
  const turn = { ...place, kind: 'turn.start' }
  const records = [
    { ...place, kind: 'session.start' },
    turn,
    ...run('a', 'error'),
    ...run('b', 'denied'),
    ...run('c', 'error'),
    ended,
    turn,
    ended,
    { ...place, kind: 'session.end', reason: 'end_turn' },
  ].map((record, index) => ({ seq: index + 1, ...record }))
  const digest = digestOf(records, 'sluice')
  const { tools, commands } = only(digest)
  assert.deepEqual([tools[0]!.calls, tools[0]!.failed, tools[0]!.denied], [3, 1, 2])
  assert.deepEqual([commands.items.map(({ command }) => command), commands.more], [['run c'], 0])
  assert.equal(digest.counts.denied, 3, 'also one that nothing else was told of')
})

test('what nobody was asked is not counted as asked, and a refusal says of what', () => {
  const request = { event: 'permission.request', request_id: '1', tool: 'bash', options: [], synthetic: 'required' }
  const { permissions } = only(avenor(request, { event: 'permission.response', request_id: '1', kind: 'allow', source: 'avenor' }, end))
  assert.deepEqual([permissions.asked, permissions.allowed, permissions.items], [0, 1, []])
  const refused = digestOf(
    [
      { kind: 'session.start', seq: 1 },
      { kind: 'permission.answer', seq: 2, decision: 'reject', by: 'rule', name: 'bash', toolKind: 'execute', input: { command: 'rm x' } },
    ].map((event) => ({ v: 1, session: 's', ...event })),
    'sluice',
  )
  assert.deepEqual(only(refused).permissions.items, [{ name: 'bash', question: 'rm x', decision: 'reject', by: 'rule' }])
})

test('a change that is told beside its call counts once; one that no call names counts as told', () => {
  const update = (path: string): Rec => ({ kind: 'file.update', call: 'c', changes: [{ path, change: 'update' }] })
  const { files } = only(
    digestOf(
      [
        { kind: 'session.start' },
        { kind: 'tool.start', call: 'c', name: 'edit', toolKind: 'edit', paths: ['/a'] },
        update('/a'),
        update('/b'),
        { kind: 'tool.end', call: 'c', status: 'ok' },
        update('/a'),
        update('/b'),
      ].map((event, index) => ({ v: 1, seq: index + 1, session: 's', ...event })),
      'sluice',
    ),
  )
  assert.deepEqual(files.items, [
    { path: '/a', read: 0, changed: 1 },
    { path: '/b', read: 0, changed: 2 },
  ])
})

test('a file under two names is one file', () => {
  const read = (id: string, path: string): Rec[] => [call(id, { title: 'Read', kind: 'read', rawInput: { file_path: path } }), done(id)]
  const edit = call('3', { title: 'Edit', kind: 'edit', locations: [{ path: './src/a.ts' }] })
  const { files } = only(avenor(start, ...read('1', 'src/a.ts'), ...read('2', '/home/dev/src/a.ts'), edit, done('3'), end))
  assert.deepEqual([files.items, files.changed], [[{ path: 'src/a.ts', read: 2, changed: 1 }], 1])
})

test('a prompt in pieces ends where something else is said', () => {
  const ask = (text: string): Rec => ({ event: 'user.message_chunk', delta: text })
  const { prompt, prompts } = only(avenor(ask('fir'), ask('st'), say('a'), ask('sec'), ask('ond'), say('b'), end))
  assert.deepEqual([prompt, prompts], ['first', 2])
})

test('sessions that tell no end last until their own last word, not until that of another', () => {
  const word = (session: string, at: string): Rec => ({
    type: 'assistant',
    session_id: session,
    timestamp: `2026-11-15T20:00:${at}Z`,
    message: { id: `m${session}${at}`, role: 'assistant', model: 'm', content: [{ type: 'text', text: 'a' }] },
  })
  const { sessions } = digestOf([word('a', '00'), word('b', '01'), word('a', '02'), word('b', '59')], 'claude')
  assert.deepEqual(
    sessions.map(({ session, durationMs }) => [session, durationMs]),
    [
      ['a', 2000],
      ['b', 58_000],
    ],
  )
})

suite('trouble', () => {
  test('findings, with the words around them', () => {
    const digest = avenor(say('all is well. The review'), say('er flagged this'), say(' and more'), end)
    assert.deepEqual(
      only(digest).findings.items.map(({ seq, rule, text }) => [seq, rule, text]),
      [[4, 'text.reviewer-flagged', 'all is well. The reviewer flagged this']],
    )
    assert.deepEqual(digest.classes, { MILESTONE: 2, FINDING: 1, ACTIVITY: 5 })
  })
  test('a finding in a whole text is shown with what is around it', () => {
    const text = `${'word '.repeat(100)}[finding] here ${'more '.repeat(100)}`
    const [finding] = only(
      digestOf(
        [{ type: 'assistant', session_id: 's', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }] } }],
        'claude',
      ),
    ).findings.items
    assert.match(finding!.text, /^…(word )+\[finding\] here (more )+more…$/)
  })
  test('errors are told once, with how often they came; an end that repeats one adds none', () => {
    const broken = { event: 'avenor.error', source: 'backend', message: 'connection lost' }
    const digest = avenor(say('a'), broken, broken, { ...end, stop_reason: 'error' })
    const { errors, ended } = only(digest)
    assert.deepEqual(
      errors.items.map(({ text, times }) => [text, times]),
      [['connection lost', 2]],
    )
    assert.equal(ended.error?.text, 'connection lost')
    assert.ok(digest.counts.errors >= 2)
  })
  test('an error that a retry follows is a retry; a cancel is no error', () => {
    const fault = (text: string, category = 'provider'): object => ({ category, text })
    const events: object[] = [
      { kind: 'session.start' },
      { kind: 'turn.start' },
      { kind: 'error', scope: 'message', fatal: false, error: fault('overloaded') },
      { kind: 'retry.start', scope: 'model', attempt: 1 },
      { kind: 'error', scope: 'message', fatal: false, error: fault('overloaded') },
      { kind: 'error', scope: 'message', fatal: false, error: fault('no quota'), agent: 'a' },
      { kind: 'retry.start', scope: 'model', attempt: 2 },
      { kind: 'retry.start', scope: 'model', attempt: 3 },
      { kind: 'error', scope: 'session', fatal: false, error: fault('Aborted', 'cancelled') },
      { kind: 'turn.end', reason: 'cancelled', error: fault('Aborted', 'cancelled') },
      { kind: 'session.end', reason: 'cancelled', error: fault('Aborted', 'cancelled') },
    ]
    const digest = createDigest()
    for (const [index, event] of events.entries()) digest.push({ v: 1, seq: index + 1, session: 's', ...event } as Event)
    const report = digest.report()
    const { errors, retries, ended } = only(report)
    assert.deepEqual([errors.items.map(({ text, times }) => [text, times]), errors.more, retries], [[['no quota', 1]], 0, 3])
    assert.deepEqual([report.counts.errors, ended.outcome], [1, 'cancelled'])
  })
  test('an end that is no success is an error for CI, even if no error was told', () =>
    assert.equal(avenor(say('a'), { ...end, stop_reason: 'max_tokens' }).counts.errors, 1))
  test('all went well', () => assert.deepEqual(avenor(say('a'), end).counts, { findings: 0, errors: 0, denied: 0 }))
  test('the longest silence, and what it waited for', () =>
    assert.deepEqual(only(avenor(say('a'), call('1'), { ...done('1'), ts: 9000 }, { ...end, ts: 9500 })).longestSilence, {
      ms: 7000,
      from: 2000,
      to: 9000,
      seq: 5,
      during: 'Bash',
    }))
  test('a clock that is set back makes no time negative', () => {
    const digest = createDigest()
    const events: object[] = [
      { kind: 'run.start' },
      { kind: 'phase.start', name: 'build', iteration: 1, stage: 'loop', at: 9000 },
      { kind: 'phase.end', name: 'build', iteration: 1, reason: 'end_turn', at: 1 },
      { kind: 'permission.request', session: 's', id: '1', options: [], at: 9000 },
      { kind: 'permission.answer', session: 's', id: '1', decision: 'allow', by: 'user', at: 1 },
      { kind: 'task.start', session: 's', task: 't', type: 'agent', at: 9000 },
      { kind: 'task.end', session: 's', task: 't', status: 'ok', at: 1 },
    ]
    for (const [index, event] of events.entries()) digest.push({ v: 1, seq: index + 1, ...event } as Event)
    const report = digest.report()
    assert.deepEqual(report.runs[0]!.phases.items, [{ name: 'build', iteration: 1, reason: 'end_turn' }])
    assert.deepEqual(only(report).permissions.items, [{ decision: 'allow', by: 'user' }])
    assert.deepEqual(only(report).subagents.items, [{ task: 't', type: 'agent', status: 'ok' }])
  })
  test('between turns it waited for a prompt, or for a command in the background, also where turns tell no time', () => {
    const waited = (...between: object[]) => {
      const turn = (at: number): object[] => [
        { kind: 'turn.start', trigger: 'prompt' },
        { kind: 'message.start', at },
        { kind: 'message.end' },
        { kind: 'turn.end', reason: 'end_turn' },
      ]
      const digest = createDigest()
      const events = [...turn(1000), ...between, ...turn(601_000)]
      for (const [index, event] of events.entries()) digest.push({ v: 1, seq: index + 1, session: 's', ...event } as Event)
      return only(digest.report())
    }
    const during = (...between: object[]) => waited(...between).longestSilence?.during
    assert.equal(during(), 'a prompt')
    assert.equal(during({ kind: 'prompt.submit', by: 'user', state: 'sent', at: 2000 }), 'the model')
    assert.equal(during({ kind: 'turn.start', trigger: 'prompt', at: 2000 }), 'the model')
    const [start, end] = [
      { kind: 'task.start', task: 'b', type: 'command' },
      { kind: 'task.end', task: 'b', status: 'ok' },
    ]
    const { longestSilence, subagents } = waited(
      { kind: 'turn.start', trigger: 'task' },
      start,
      { kind: 'turn.end', reason: 'end_turn' },
      end,
    )
    assert.deepEqual([longestSilence?.during, subagents.commands], ['a background command', 1])
  })
  test('a silence between two pieces of a text is a stall', () => {
    const { stalls } = only(avenor(say('a'), say('b'), { ...say('c'), ts: 400_000 }, { ...say('d'), ts: 400_001 }, { ...end, ts: 400_002 }))
    assert.deepEqual(
      stalls.items.map((stall) => stall.type === 'silence' && [stall.forMs, stall.from]),
      [[398_000, 2000]],
    )
  })
  test('a loop and a stall have their evidence', () => {
    const again = Array.from({ length: 6 }, (_, id) => [call(`${id}`, { rawInput: { command: 'ls' } }), done(`${id}`)]).flat()
    const { stalls } = only(avenor(...again, call('x'), { ...done('x'), ts: 1e6 }, { ...end, ts: 1e6 }))
    assert.deepEqual(
      stalls.items.map((stall) => [stall.type, 'times' in stall ? stall.times : stall.forMs]),
      [
        ['loop', 6],
        ['silence', 987_000],
      ],
    )
  })
})

test('several sessions in one stream are told apart, a loop with its phases beside them', () => {
  const of =
    (session: string) =>
    (record: Rec): Rec => ({ ...record, session_id: session, run_id: 'r' })
  const run = (record: Rec): Rec => ({ ...record, session_id: undefined, run_id: 'r' })
  const digest = avenor(
    run({ event: 'avenor.loop.start', max_iterations: 2 }),
    run({ event: 'avenor.phase.start', phase: 'plan', iteration: 0, kind: 'pre' }),
    ...[start, say('one'), end].map(of('a')),
    run({ event: 'avenor.phase.end', phase: 'plan', iteration: 0, stop_reason: 'end_turn' }),
    ...[start, say('two'), end].map(of('b')),
    run({ event: 'avenor.error', source: 'loop', message: 'too slow' }),
    run({ event: 'avenor.retry', attempt: 1 }),
    run({ event: 'avenor.loop.end', exit_reason: 'max_iterations', iterations_completed: 2 }),
  )
  assert.deepEqual(
    digest.sessions.map(({ session, answer, usage }) => [session, answer, usage.input]),
    [
      ['a', 'one', 100],
      ['b', 'two', 100],
    ],
  )
  assert.equal(digest.usage.input, 200)
  assert.deepEqual(digest.runs, [
    {
      run: 'r',
      reason: 'max_iterations',
      iterations: 2,
      phases: { items: [{ name: 'plan', iteration: 0, reason: 'end_turn', durationMs: 4000 }], more: 0 },
    },
  ])
  assert.deepEqual([digest.errors.items.map(({ text }) => text), digest.retries], [['too slow'], 1])
})

test('other JSON, broken lines, CRLF and a last line without its end are no harm', () => {
  const text = [
    JSON.stringify({ event: 'agent.message_chunk', session_id: 's', delta: 'a failed' }),
    '{"no":"event"}',
    '',
    'not json',
    '{"event":"agent.message_chunk","session_id":"s","delta":" test"}',
    '{"event":"session.end","session_id":"s","stop_reason":"end_turn"}',
  ].join('\r\n')
  const digest = digestOf(text)
  assert.equal(digest.counts.findings, 1)
  assert.deepEqual(
    digest.issues.items.map(({ line, code }) => [line, code]),
    [[4, 'noise']],
  )
  assert.equal(only(digest).ended.reason, 'end_turn')
})

test('lists are bounded, and say how many more there were', () => {
  const many = Array.from({ length: 700 }, (_, id) => [
    call(`${id}`, { rawInput: { command: `echo ${id}` } }),
    done(`${id}`),
    call(`r${id}`, { title: 'Read', kind: 'read', locations: [{ path: `${id}.ts` }] }),
    done(`r${id}`),
  ]).flat()
  const { commands, files, tools } = only(avenor(...many, end))
  assert.deepEqual([commands.items.length, commands.more, files.items.length, files.more], [100, 600, 500, 200])
  assert.equal(tools[0]!.calls, 700)
})

test('all sessions are counted, however many', () => {
  const digest = createDigest()
  for (let id = 0; id < 20_000; id++) {
    digest.push({ v: 1, seq: 2 * id, session: `${id}`, kind: 'session.start' })
    digest.push({ v: 1, seq: 2 * id + 1, session: `${id}`, kind: 'session.end', reason: 'end_turn' })
  }
  const { sessions, moreSessions } = digest.report()
  assert.deepEqual([sessions.length, moreSessions], [1000, 19_000])
})

test('what is counted is counted in all, not only of the first ones', () => {
  const edit = (id: string, path: string): Rec[] => [call(id, { title: 'Edit', kind: 'edit', locations: [{ path }] }), done(id)]
  const read = (id: string, path: string): Rec[] => [call(id, { title: 'Read', kind: 'read', locations: [{ path }] }), done(id)]
  const many = Array.from({ length: 600 }, (_, id) => [
    call(`${id}`, { rawInput: { command: 'x' } }),
    done(`${id}`),
    ...edit(`e${id}`, `${id}`),
  ])
  const last = [call('c', { rawInput: { command: 'x' } }), done('c', 'failed')]
  const again = Array.from({ length: 101 }, (_, id) => [...read(`r${id}`, '600'), ...edit(`a${id}`, '601'), ...read(`b${id}`, '601')])
  const { commands, files } = only(avenor(...many.flat(), ...last, ...again.flat(), end))
  assert.deepEqual([commands.items.length, commands.more, commands.failed], [100, 501, 1])
  assert.deepEqual([files.items.length, files.more, files.changed, files.atLeast], [500, 102, 601, undefined])
})

test('files beyond those that are known apart are said to be there', () => {
  const locations = Array.from({ length: 5001 }, (_, id) => ({ path: `${id}.ts` }))
  const { files } = only(avenor(call('a', { title: 'Edit', kind: 'edit', locations }), done('a'), end))
  assert.deepEqual([files.items.length, files.more, files.changed, files.atLeast], [500, 4500, 5000, true])
})

test('a digest of any stream, legal, cut or scrambled, is JSON and adds up', () =>
  holds(60, (seed, random) => {
    for (const dialect of streamDialects) {
      const records = legalStream(dialect, seed)
      const digest = digestOf(linesOf(random.pick([records, cutStream(records, random), scrambled(records, random)])), dialect)
      assert.deepEqual(JSON.parse(JSON.stringify(digest)), digest)
      const { MILESTONE, FINDING, ACTIVITY } = digest.classes
      assert.deepEqual([MILESTONE + FINDING + ACTIVITY, FINDING], [digest.events, digest.counts.findings])
      for (const { ended, turns, tools } of digest.sessions) {
        assert.ok(turns >= 0 && ['ok', 'failed', 'cancelled'].includes(ended.outcome))
        for (const { calls, failed, denied, abandoned } of tools) assert.ok(calls >= failed + denied + abandoned)
      }
    }
  }))

test('a context that was cleared, or a step back, is no compaction', () => {
  const trim = (more: Rec): Rec => ({ v: 1, kind: 'context.trim', session: 's', turn: 1, ...more })
  const records: Rec[] = [
    { v: 1, kind: 'session.start', session: 's' },
    { v: 1, kind: 'turn.start', session: 's', turn: 1, trigger: 'prompt' },
    trim({ why: 'clear' }),
    trim({ why: 'trim', trigger: 'manual' }),
    trim({ why: 'trim', trigger: 'auto' }),
    trim({ why: 'compact', trigger: 'manual' }),
  ]
  assert.equal(
    only(
      digestOf(
        records.map((record, index) => ({ ...record, seq: index + 1 })),
        'sluice',
      ),
    ).compactions,
    2,
  )
})

test('a session that was resumed took as long as all its runs; if one does not tell, from its first word to its last', () => {
  const run = (at: number, how: string, durationMs?: number): Rec[] => [
    { v: 1, kind: 'session.start', session: 's', at, how },
    { v: 1, kind: 'session.end', session: 's', at: at + 6000, reason: 'end_turn', ...(durationMs !== undefined && { durationMs }) },
  ]
  const took = (...records: Rec[]) =>
    only(
      digestOf(
        records.map((record, index) => ({ ...record, seq: index + 1 })),
        'sluice',
      ),
    ).durationMs
  assert.equal(took(...run(1000, 'new', 6000)), 6000)
  assert.equal(took(...run(1000, 'new', 6000), ...run(90_000, 'resumed', 6500)), 12_500)
  assert.equal(took(...run(1000, 'new', 6000), ...run(90_000, 'resumed', 95_000)), 95_000, 'told of both')
  assert.equal(took(...run(1000, 'new'), ...run(90_000, 'resumed', 6000)), 95_000)
  assert.equal(took(...run(1000, 'new', 6000), ...run(90_000, 'resumed')), 95_000)
})
