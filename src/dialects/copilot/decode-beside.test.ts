// Records beside the conversation, by value; and every type that is known though no recording shows it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breachesOf } from '../../../test/canonical.ts'
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { copilot } from './index.ts'
import { restTypes } from './rest.ts'
import { decodeAll, inRun, live, only, plain, rec } from './support.test.ts'

/** The events of one record inside a model call, without their envelope. */
function eventsOf(record: Rec): Rec[] {
  const envelope = new Set(['v', 'seq', 'at', 'session', 'turn', 'origin'])
  const events = decodeAll(inRun(record)).filter(({ origin, synthetic }) => origin?.record === 3 && synthetic === undefined)
  return events.map((event) => Object.fromEntries(Object.entries(plain(event)).filter(([key]) => !envelope.has(key))))
}

const cases: [record: Rec, event: Rec][] = [
  [rec('session.model_change', { newModel: 'x', previousModel: 'y' }), { kind: 'session.update', by: 'agent', model: 'x' }],
  [rec('session.mode_changed', { newMode: 'plan' }), { kind: 'session.update', by: 'agent', mode: 'plan' }],
  [rec('session.title_changed', { title: 'T' }, live), { kind: 'session.update', by: 'agent', title: 'T' }],
  [rec('session.context_changed', { cwd: '/w' }), { kind: 'session.update', by: 'agent', cwd: '/w' }],
  [rec('session.tools_updated', {}, live), { kind: 'raw', type: 'session.tools_updated', why: 'redundant' }],
  [rec('commands.changed', { commands: [{ name: 'c' }] }, live), { kind: 'catalog.update', commands: [{ name: 'c' }] }],
  [rec('session.info', { infoType: 'note', message: 'hi' }, live), { kind: 'notice', level: 'info', code: 'note', text: 'hi' }],
  [rec('session.warning', { warningType: 'policy', message: 'hm' }), { kind: 'notice', level: 'warn', code: 'policy', text: 'hm' }],
  [
    rec('system.notification', { content: 'over', kind: { type: 'shell_completed', exitCode: 3 } }),
    { kind: 'notice', level: 'info', code: 'shell_completed', text: 'over', data: { type: 'shell_completed', exitCode: 3 } },
  ],
  [rec('hook.progress', { message: 'hi' }, live), { kind: 'notice', level: 'info', code: 'hook.progress', text: 'hi' }],
  [rec('assistant.intent', { intent: 'Reading' }, live), { kind: 'status.update', phase: 'working', label: 'Reading', source: 'agent' }],
  [rec('session.task_complete', { summary: 'Done' }), { kind: 'report', type: 'finish', text: 'Done' }],
  [
    rec('session.workspace_file_changed', { path: 'plan.md', operation: 'create' }),
    { kind: 'file.update', changes: [{ path: 'plan.md', change: 'add' }] },
  ],
  [
    rec('session.usage_info', { tokenLimit: 100, currentTokens: 40 }, live),
    { kind: 'usage.update', scope: 'session', cumulative: true, context: { used: 40, limit: 100 } },
  ],
  [
    rec('session.truncation', { preTruncationTokensInMessages: 90, postTruncationTokensInMessages: 10 }),
    { kind: 'context.trim', why: 'trim', trigger: 'auto', before: 90, after: 10 },
  ],
  [rec('session.compaction_start'), { kind: 'status.update', phase: 'working', label: 'compacting', source: 'agent' }],
  [
    rec('session.compaction_complete', {
      success: true,
      preCompactionTokens: 90,
      postCompactionTokens: 10,
      summaryContent: 'S',
      trigger: 'threshold',
    }),
    { kind: 'context.trim', why: 'compact', trigger: 'auto', before: 90, after: 10, text: 'S' },
  ],
  [
    rec('session.compaction_complete', { success: false, error: 'too long' }),
    { kind: 'notice', level: 'warn', code: 'compaction', text: 'too long' },
  ],
  [rec('session.context_cleared'), { kind: 'context.trim', why: 'clear' }],
  [
    rec('session_limits_exhausted.requested', { requestId: 'r', maxAiCredits: 10, usedAiCredits: 10 }, live),
    { kind: 'usage.update', scope: 'session', cumulative: true, limits: [{ name: 'ai-credits', state: 'reached', used: 1 }] },
  ],
  [rec('system.message', { role: 'system', content: 'You are' }), { kind: 'raw', type: 'system.message', why: 'unmapped' }],
  [rec('session.background_tasks_changed', {}, live), { kind: 'raw', type: 'session.background_tasks_changed', why: 'redundant' }],
]

test('each record says what it says', () => {
  for (const [record, event] of cases) assert.deepEqual(eventsOf(record), [event], String(record['type']))
})

test('news of one server is told with the others', () => {
  const servers = rec(
    'session.mcp_servers_loaded',
    {
      servers: [
        { name: 'a', status: 'pending' },
        { name: 'b', status: 'connected' },
      ],
    },
    live,
  )
  const changed = rec('session.mcp_server_status_changed', { serverName: 'a', status: 'failed', error: 'gone' }, live)
  assert.deepEqual(plain(only(decodeAll([servers, changed]), 'catalog.update')[1]?.servers), [
    { name: 'a', status: 'failed', error: 'gone' },
    { name: 'b', status: 'connected' },
  ])
})

test('agents are listed, and what is wrong with their files is said', () => {
  const record = rec('session.custom_agents_updated', {
    agents: [{ name: 'r', description: 'd' }],
    warnings: ['w'],
    errors: [{ message: 'e' }],
  })
  const events = decodeAll([record])
  assert.deepEqual(only(events, 'catalog.update')[0]?.agents, [{ name: 'r', description: 'd' }])
  assert.deepEqual(
    only(events, 'notice').map(({ text }) => text),
    ['e', 'w'],
  )
})

test('hooks begin and end', () => {
  const start = rec('hook.start', { hookInvocationId: 'h', hookType: 'preToolUse', input: {} })
  const end = rec('hook.end', { hookInvocationId: 'h', hookType: 'preToolUse', success: false, error: { message: 'no' } })
  const told = (events: readonly Event[]) => only(events, 'hook.end').map(({ id, status, text }) => [id, status, text])
  const events = decodeAll(inRun(start, end))
  assert.deepEqual(
    only(events, 'hook.start').map(({ id, name, event }) => [id, name, event]),
    [['h', 'preToolUse', 'preToolUse']],
  )
  assert.deepEqual(told(events), [['h', 'error', 'no']])
  assert.deepEqual(told(decodeAll(inRun(end))), [['h', 'error', 'no']])
  assert.deepEqual(breachesOf(decodeAll(inRun(end))), [])
})

test('questions to the user have answers', () => {
  const events = decodeAll(
    inRun(
      rec('user_input.requested', { requestId: 'q', question: 'Which?', choices: ['a', 'b'] }, live),
      rec('user_input.completed', { requestId: 'q', answer: 'a' }, live),
      rec('elicitation.requested', { requestId: 'e', message: 'Name?' }, live),
      rec('elicitation.completed', { requestId: 'e', action: 'decline' }, live),
      rec('user_input.completed', { requestId: 'never' }, live),
    ),
  )
  assert.deepEqual(plain(only(events, 'question.request').map(({ questions }) => questions)), [
    [{ text: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }],
    [{ text: 'Name?', options: [] }],
  ])
  assert.deepEqual(
    only(events, 'question.answer').map(({ id, decision, text }) => [id, decision, text]),
    [
      ['q', 'allow', 'a'],
      ['e', 'reject', undefined],
    ],
  )
})

test('leaving plan mode is a permission', () => {
  const events = decodeAll(
    inRun(
      rec('exit_plan_mode.requested', { requestId: 'x', summary: 'Plan', planContent: '# P', actions: ['interactive', 'exit_only'] }, live),
      rec('exit_plan_mode.completed', { requestId: 'x', approved: true, selectedAction: 'interactive' }, live),
    ),
  )
  const [request] = only(events, 'permission.request')
  assert.deepEqual(
    [request?.toolKind, request?.question, request?.options.map(({ id }) => id)],
    ['mode', 'Plan', ['interactive', 'exit_only']],
  )
  assert.deepEqual(
    only(events, 'permission.answer').map(({ decision, option }) => [decision, option]),
    [['allow', 'interactive']],
  )
})

test('a type that is known and has no word in the model stays whole; one that is not known is said to be so', () => {
  for (const type of restTypes) {
    const record = rec(type, { anything: [1] })
    assert.ok(copilot.shapes.checks[copilot.tag(record) ?? '']?.(record), type)
    const [event] = eventsOf(record)
    assert.deepEqual([event?.['kind'], event?.['type']], ['raw', type])
    assert.notEqual(event?.['why'], 'unknown')
  }
  const unknown = decodeAll([rec('session.never_heard_of', {})])
  assert.deepEqual(
    unknown.map((event) => [event.kind, event.kind === 'raw' && event.why]),
    [['raw', 'unknown']],
  )
})
