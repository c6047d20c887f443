// The digest of made-up streams: who, what, how long, and how it ended.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import { createDigest } from './digest.ts'
import { avenor, call, digestOf, done, end, only, say, start } from './digest-support.test.ts'

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
