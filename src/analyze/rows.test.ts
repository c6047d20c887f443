import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../model/event.ts'
import type { Row } from './row.ts'
import { createTimeline } from './rows.ts'

/** Events of one session, numbered; only what a test is about is given. */
function rowsOf(...events: readonly Record<string, unknown>[]): Row[] {
  const timeline = createTimeline()
  return events.flatMap((event, index) => timeline.push({ v: 1, seq: index + 1, session: 's', ...event } as unknown as Event))
}
const brief = (rows: readonly Row[], ...keys: string[]): unknown[] =>
  rows.map((row) => keys.map((key) => (row as unknown as Record<string, unknown>)[key]))

test('streamed text is one row when its block ends, told once', () => {
  const rows = rowsOf(
    { kind: 'text.delta', text: 'Hel' },
    { kind: 'thought.delta', text: 'hm' },
    { kind: 'text.delta', text: 'lo' },
    { kind: 'text.end', streamed: true },
    { kind: 'thought.end', streamed: true, text: 'hmm' },
    { kind: 'text.end', streamed: false, text: ' ' },
  )
  assert.deepEqual(brief(rows, 'type', 'text'), [
    ['text', 'Hello'],
    ['thought', 'hmm'],
  ])
})

test('text that was withdrawn is not shown, and it is said', () => {
  const rows = rowsOf(
    { kind: 'text.delta', text: 'wrong' },
    { kind: 'message.drop', fromBlock: 0, why: 'stream_error' },
    { kind: 'text.end', streamed: true, text: 'right' },
  )
  assert.deepEqual(brief(rows, 'type', 'label', 'text'), [
    ['note', 'withdrawn', 'the answer so far does not count: stream_error'],
    ['text', undefined, 'right'],
  ])
})

test('a call comes open and again with what became of it, whatever the agent called that', () => {
  const rows = rowsOf(
    { kind: 'tool.start', call: 'c', name: 'Bash', toolKind: 'execute', input: { command: 'false' }, at: 1000 },
    { kind: 'tool.end', call: 'c', status: 'ok', exitCode: 3, text: 'no', at: 1250 },
  )
  assert.deepEqual(brief(rows, 'id', 'open', 'subject', 'status', 'failed', 'exitCode', 'durationMs', 'output'), [
    ['c', true, 'false', undefined, undefined, undefined, undefined, undefined],
    ['c', undefined, 'false', 'ok', true, 3, 250, 'no'],
  ])
})

test('a result may hold anything: its texts are the output', () => {
  const outputs = (content: unknown[]): unknown =>
    brief(
      rowsOf(
        { kind: 'tool.start', call: 'c', name: 'Bash', toolKind: 'edit' },
        { kind: 'tool.update', call: 'c', state: 'running', content },
        { kind: 'tool.end', call: 'c', status: 'ok', content },
      ),
      'output',
    ).at(-1)
  const odd = [null, 1, 'a', true, [], [null], {}, { text: null }, { content: null }, { content: 'b' }, { content: [null] }]
  assert.deepEqual(outputs(odd), [undefined])
  assert.deepEqual(outputs([...odd, { text: 'c' }, { content: { text: 'd' } }]), ['c\nd'])
})

test('a call announced without its input tells what it is about when that is known', () => {
  const rows = rowsOf(
    { kind: 'tool.start', call: 'c', name: 'x', toolKind: 'read' },
    { kind: 'tool.update', call: 'c', state: 'running', input: { path: '/a' } },
    { kind: 'tool.update', call: 'c', state: 'running', elapsedMs: 5 },
  )
  assert.deepEqual(brief(rows, 'id', 'subject'), [
    ['c', ''],
    ['c', '/a'],
  ])
})

test('what is still open when the session ends is abandoned', () => {
  const rows = rowsOf(
    { kind: 'tool.start', call: 'c', name: 'x', toolKind: 'other' },
    { kind: 'session.end', reason: 'cut', synthetic: 'cut' },
  )
  assert.deepEqual(brief(rows, 'type', 'status', 'outcome'), [
    ['call', undefined, undefined],
    ['call', 'abandoned', undefined],
    ['end', undefined, 'failed'],
  ])
})

test('subagents lie under the lane that began them; one that outlives its call is told at its end', () => {
  const rows = rowsOf(
    { kind: 'tool.start', call: 'c', name: 'Agent', toolKind: 'task', input: { description: 'look' } },
    { kind: 'task.start', task: 'a', call: 'c', type: 'agent', title: 'look' },
    { kind: 'task.start', task: 'b', agent: 'a', type: 'agent', title: 'deeper' },
    { kind: 'text.end', agent: 'b', streamed: false, text: 'deep' },
    { kind: 'tool.end', call: 'c', status: 'ok', task: 'a' },
    { kind: 'task.end', task: 'a', status: 'ok', text: 'seen' },
  )
  assert.deepEqual(
    rows.slice(1, 3).map(({ lane }) => [lane?.title, lane?.call]),
    [
      ['Agent look', 'c'],
      ['task deeper', undefined],
    ],
  )
  assert.deepEqual(brief(rows, 'type', 'depth', 'text'), [
    ['call', 0, undefined],
    ['task', 1, undefined],
    ['text', 2, 'deep'],
    ['call', 0, undefined],
    ['task', 0, 'seen'],
  ])
})

test('a question and its answer are one row that comes twice; an answer alone stands for itself', () => {
  const rows = rowsOf(
    { kind: 'permission.request', id: '1', name: 'Bash', toolKind: 'execute', input: { command: 'rm x' }, options: [] },
    { kind: 'permission.answer', id: '1', decision: 'reject', by: 'user' },
    { kind: 'permission.answer', decision: 'reject', by: 'rule', name: 'Write', input: { file_path: '/x' } },
    { kind: 'question.request', id: '2', questions: [{ text: 'Which?', options: [] }] },
    { kind: 'question.answer', id: '2', decision: 'allow', by: 'user', answers: { 'Which?': 'Red' } },
  )
  assert.deepEqual(brief(rows, 'about', 'open', 'name', 'question', 'decision', 'by', 'answer'), [
    ['permission', true, 'Bash', 'rm x', undefined, undefined, undefined],
    ['permission', undefined, 'Bash', 'rm x', 'reject', 'user', undefined],
    ['permission', undefined, 'Write', '/x', 'reject', 'rule', undefined],
    ['question', true, undefined, 'Which?', undefined, undefined, undefined],
    ['question', undefined, undefined, 'Which?', 'allow', 'user', 'Red'],
  ])
})

test('a prompt is shown once, though it is sent and then seen, and joined when it comes in pieces', () => {
  const rows = rowsOf(
    { kind: 'prompt.submit', by: 'user', state: 'sent', id: 'p', text: 'go' },
    { kind: 'prompt.submit', by: 'user', state: 'seen', id: 'p', text: 'go' },
    { kind: 'prompt.submit', by: 'user', state: 'seen', text: 'on ', partial: true },
    { kind: 'prompt.submit', by: 'user', state: 'seen', text: 'now', partial: true },
    { kind: 'turn.start', trigger: 'prompt' },
  )
  assert.deepEqual(brief(rows, 'type', 'text'), [
    ['prompt', 'go'],
    ['prompt', 'on now'],
  ])
})

test('changes of files are taken from whatever form the agent tells them in', () => {
  const edit = (start: object, end: object): unknown =>
    brief(
      rowsOf(
        { kind: 'tool.start', call: 'c', name: 'e', toolKind: 'edit', ...start },
        { kind: 'tool.end', call: 'c', status: 'ok', ...end },
      ),
      'changes',
    )[1]
  assert.deepEqual(edit({ input: { file_path: 'f', old_string: 'a', new_string: 'b' } }, {}), [[{ path: 'f', before: 'a', after: 'b' }]])
  assert.deepEqual(edit({}, { content: [{ type: 'diff', path: 'f', oldText: null, newText: 'b' }] }), [
    [{ path: 'f', before: '', after: 'b' }],
  ])
  assert.deepEqual(edit({ input: { filePath: 'f', content: 'x' } }, {}), [[{ path: 'f', before: '', after: 'x' }]])
  assert.deepEqual(edit({ paths: ['f'] }, { data: { diff: '@@ -1 +1 @@\n-a\n+b' } }), [[{ path: 'f', patch: '@@ -1 +1 @@\n-a\n+b' }]])
  const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] }
  assert.deepEqual(edit({}, { data: { filePath: 'f', structuredPatch: [hunk] } }), [[{ path: 'f', patch: '@@ -1,1 +1,1 @@\n-a\n+b' }]])
  assert.deepEqual(edit({ input: '*** Begin Patch\n+x' }, {}), [[{ patch: '*** Begin Patch\n+x' }]])
  const changes = [
    { path: 'f', kind: { type: 'add' }, diff: 'b\n' },
    { path: 'g', kind: { type: 'delete' }, diff: 'a\n' },
    { path: 'h', kind: { type: 'update', move_path: null }, diff: '@@ -1 +1 @@\n-a\n+b' },
    { path: 'i', kind: 'update' },
  ]
  assert.deepEqual(edit({ input: { changes } }, {}), [
    [
      { path: 'f', before: '', after: 'b\n' },
      { path: 'g', before: 'a\n', after: '' },
      { path: 'h', patch: '@@ -1 +1 @@\n-a\n+b' },
    ],
  ])
})

test('a diff that a call showed while it ran is its change, unless its end tells it better', () => {
  const content = [{ type: 'diff', path: 'f', oldText: null, newText: 'b' }]
  const changes = (end: object): unknown =>
    brief(
      rowsOf(
        { kind: 'tool.start', call: 'c', name: 'e', toolKind: 'edit', input: { file_path: 'f', content: 'other' } },
        { kind: 'tool.update', call: 'c', state: 'running', content },
        { kind: 'tool.update', call: 'c', state: 'running', content: [{ type: 'text', text: 'x' }] },
        { kind: 'tool.end', call: 'c', status: 'ok', ...end },
      ),
      'changes',
    ).at(-1)
  assert.deepEqual(changes({}), [[{ path: 'f', before: '', after: 'b' }]])
  assert.deepEqual(changes({ data: { diff: '@@ -1 +1 @@' } }), [[{ path: 'f', patch: '@@ -1 +1 @@' }]])
})

test('the patch of a whole turn is no row: the calls have shown it', () => {
  assert.deepEqual(rowsOf({ kind: 'file.update', diff: '--- a' }), [])
})

test('who is asked about a patch is told its files', () => {
  const input = { changes: [{ path: '/a' }, { path: '/b' }] }
  const rows = rowsOf(
    { kind: 'tool.start', call: 'c', name: 'fileChange', toolKind: 'edit', input, paths: ['/a', '/b'] },
    { kind: 'permission.request', call: 'c', id: '1', name: 'fileChange', toolKind: 'edit', input, options: [] },
  )
  assert.deepEqual(brief(rows, 'subject', 'question')[1], [undefined, '/a /b'])
})

test('trouble is a note with its weight', () => {
  const rows = rowsOf(
    { kind: 'retry.start', scope: 'model', attempt: 1, max: 4, delayMs: 500, error: { category: 'rate_limit', text: '429' } },
    { kind: 'error', scope: 'turn', fatal: true, error: { category: 'auth', text: 'no key' } },
    { kind: 'context.trim', why: 'compact', trigger: 'auto', before: 9, after: 2 },
    { kind: 'issue', code: 'noise', severity: 'error', line: 3, byte: 9, text: 'not JSON', goesOn: true },
    { kind: 'raw', type: 'x', why: 'redundant' },
  )
  assert.deepEqual(brief(rows, 'level', 'label', 'text'), [
    ['warn', 'retry', '1 of 4, after 500 ms: 429'],
    ['error', 'error', 'no key'],
    ['warn', 'compacted', 'auto, 9 → 2 tokens'],
    ['error', 'unreadable', 'line 3, byte 9: not JSON'],
  ])
})

test('sessions do not mix, and an ended one leaves nothing behind', () => {
  const rows = rowsOf(
    { kind: 'text.delta', text: 'a', session: 'one' },
    { kind: 'text.delta', text: 'b', session: 'two' },
    { kind: 'text.end', streamed: true, session: 'one' },
    { kind: 'text.end', streamed: true, session: 'two' },
    { kind: 'turn.start', session: 'one', trigger: 'prompt', turn: 1 },
    { kind: 'session.end', reason: 'end_turn', session: 'one' },
    { kind: 'session.end', reason: 'end_turn', session: 'two' },
  )
  assert.deepEqual(brief(rows, 'text', 'turns'), [
    ['a', undefined],
    ['b', undefined],
    [undefined, 1],
    [undefined, 0],
  ])
})

test('a plan is told once, by the call that writes it or by the agent, and again when it is another', () => {
  const todos = [{ content: 'one', status: 'in_progress' }]
  const rows = rowsOf(
    { kind: 'tool.start', call: 'c', name: 'todowrite', toolKind: 'plan', input: { todos } },
    { kind: 'plan.update', call: 'c', entries: [{ text: 'one', status: 'active' }] },
    { kind: 'plan.update', entries: [{ text: 'one', status: 'done' }] },
  )
  assert.deepEqual(brief(rows, 'id', 'type'), [
    ['c', 'call'],
    ['c plan', 'plan'],
    ['e3', 'plan'],
  ])
})

test('what a call changes or loads is told by the call alone; what a command changes is a note', () => {
  const update = { kind: 'file.update', call: 'c', changes: [{ path: '/a', change: 'update' }] }
  const types = (start: object, event: Record<string, unknown>): unknown[] =>
    rowsOf({ kind: 'tool.start', call: 'c', name: 't', ...start }, event).map(({ type }) => type)
  assert.deepEqual(types({ toolKind: 'edit' }, update), ['call'])
  assert.deepEqual(types({ toolKind: 'skill' }, { kind: 'skill.load', call: 'c', level: 'loaded', name: 's' }), ['call'])
  assert.deepEqual(types({ toolKind: 'execute' }, update), ['call', 'note'])
  assert.deepEqual(types({ toolKind: 'edit' }, { ...update, call: 'another' }), ['call', 'note'])
})

test('a refusal without a question is said by its call, with the reason where the result has none', () => {
  const rows = rowsOf(
    { kind: 'tool.start', call: 'c', name: 'bash', toolKind: 'execute', input: { command: 'x' } },
    { kind: 'permission.answer', call: 'c', decision: 'reject', by: 'headless', name: 'bash', text: 'nobody is here' },
    { kind: 'tool.end', call: 'c', status: 'denied' },
  )
  assert.deepEqual(brief(rows, 'type', 'unasked', 'call', 'refusedBy', 'output'), [
    ['call', undefined, undefined, undefined, undefined],
    ['ask', true, 'c', undefined, undefined],
    ['call', undefined, undefined, 'headless', 'nobody is here'],
  ])
})

test('a request that a dialect had to add was asked of nobody', () => {
  const rows = rowsOf(
    { kind: 'permission.request', id: '1', name: 'bash', options: [], synthetic: 'required' },
    { kind: 'permission.answer', id: '1', decision: 'allow', by: 'policy' },
    { kind: 'permission.request', id: '2', name: 'bash', options: [] },
  )
  assert.deepEqual(brief(rows, 'unasked'), [[true], [true], [undefined]])
})
