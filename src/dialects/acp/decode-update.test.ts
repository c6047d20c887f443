import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Kind } from '../../model/event.ts'
import {
  allOf,
  answer,
  ask,
  decodeAll,
  done,
  kindsOf,
  oneOf,
  opening,
  plain,
  prompt,
  says,
  shortly,
  turn,
  update,
  within,
} from './support.test.ts'

/** The one event that an update becomes. */
const told = (sessionUpdate: string, fields: Rec): Rec => {
  const [event, ...more] = within(update(sessionUpdate, fields)).map(shortly)
  assert.deepEqual(more, [])
  return event!
}
const text = (value: string): Rec => ({ type: 'text', text: value })

test('thoughts, and content that is no text', () => {
  assert.deepEqual(told('agent_thought_chunk', { content: text('hm') }), { kind: 'thought.delta', turn: 1, text: 'hm' })
  assert.deepEqual(told('agent_message_chunk', { content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } }), {
    kind: 'content.end',
    turn: 1,
    type: 'image',
    mime: 'image/png',
    data: 'aGk=',
  })
  const resource = { uri: 'file:///home/dev/a', mimeType: 'text/plain', text: 'a' }
  assert.deepEqual(told('agent_message_chunk', { content: { type: 'resource', resource } }), {
    kind: 'content.end',
    turn: 1,
    type: 'resource',
    mime: 'text/plain',
    uri: 'file:///home/dev/a',
    data: resource,
  })
})

test('an empty chunk says nothing', () => {
  assert.deepEqual(kindsOf(within(says(''))), ['raw'])
})

test("the user's words as the agent tells them", () => {
  assert.deepEqual(told('user_message_chunk', { content: text('go'), messageId: 'u' }), {
    kind: 'prompt.submit',
    turn: 1,
    message: 'u',
    text: 'go',
    by: 'user',
    state: 'seen',
    partial: true,
  })
})

test('plans of all forms', () => {
  const entries = [
    { content: 'One', status: 'in_progress', priority: 'high' },
    { content: 'Two', status: 'completed' },
    { content: 'Three' },
  ]
  const read = [
    { text: 'One', status: 'active', priority: 'high' },
    { text: 'Two', status: 'done' },
    { text: 'Three', status: 'pending' },
  ]
  assert.deepEqual(told('plan', { entries }), { kind: 'plan.update', turn: 1, entries: read })
  assert.deepEqual(told('plan_update', { plan: { type: 'items', id: 'p', entries } }), { kind: 'plan.update', turn: 1, entries: read })
  assert.deepEqual(told('plan_removed', { id: 'p' }), { kind: 'plan.update', turn: 1, entries: [] })
  assert.deepEqual(told('plan_update', { plan: { type: 'markdown', content: '# Do it' } }), {
    kind: 'notice',
    level: 'info',
    code: 'plan',
    text: '# Do it',
  })
})

test('what a session is called and set to', () => {
  assert.deepEqual(told('session_info_update', { title: 'T', updatedAt: '2026-11-15T20:12:22.786Z' }), {
    kind: 'session.update',
    turn: 1,
    title: 'T',
    by: 'agent',
  })
  assert.deepEqual(told('current_mode_update', { currentModeId: 'plan' }), { kind: 'session.update', turn: 1, mode: 'plan', by: 'agent' })
  const grouped = [{ group: 'all', name: 'All', options: [{ value: 'big', name: 'Big' }] }]
  const events = within(
    update('config_option_update', { configOptions: [{ id: 'm', category: 'model', currentValue: 'big', options: grouped }] }),
    update('config_option_update', { configOptions: [{ id: 'effort', currentValue: 'low' }] }),
  )
  assert.deepEqual(events.map(shortly), [
    { kind: 'session.update', turn: 1, model: 'big', by: 'agent' },
    { kind: 'catalog.update', turn: 1, models: [{ name: 'big' }] },
    { kind: 'raw', type: 'session/update/config_option_update', why: 'unmapped' },
  ])
})

test('commands that there are', () => {
  assert.deepEqual(
    told('available_commands_update', { availableCommands: [{ name: 'plan', description: 'Plan.', input: null }, { name: 'x' }] }),
    {
      kind: 'catalog.update',
      turn: 1,
      commands: [{ name: 'plan', description: 'Plan.' }, { name: 'x' }],
    },
  )
})

test('what Codex says of its thread is its status', () => {
  const status = (threadStatus: Rec): unknown => told('session_info_update', { _meta: { codex: { threadStatus } } })['phase'] ?? 'none'
  assert.deepEqual(
    [
      { type: 'active', activeFlags: [] },
      { type: 'active', activeFlags: ['waitingOnApproval'] },
      { type: 'idle' },
      { type: 'systemError' },
    ].map(status),
    ['working', 'waiting', 'idle', 'none'],
  )
})

test('notices and compactions', () => {
  assert.deepEqual(told('notice', { severity: 'warning', title: 'MCP down', description: 'try later' }), {
    kind: 'notice',
    level: 'warn',
    text: 'MCP down: try later',
  })
  const kinds = (fields: Rec): string[] => kindsOf(within(update('compaction_update', { compactionId: 'c', ...fields })))
  assert.deepEqual(kinds({ status: 'in_progress' }), ['status.update'])
  assert.deepEqual(kinds({ status: 'failed', error: 'x' }), ['error'])
  assert.deepEqual(told('compaction_update', { status: 'completed', summary: [text('short')] }), {
    kind: 'context.trim',
    turn: 1,
    why: 'compact',
    text: 'short',
  })
})

test('a child session is a lane of its parent', () => {
  const child = (...records: Rec[]): ReturnType<typeof within> =>
    within(update('subagent_update', { sessionId: 'kid', title: 'Count', state: { state: 'running' } }), ...records)
  const words = update('agent_message_chunk', { content: text('three') }, 'kid')
  const idle = update('subagent_update', { sessionId: 'kid', state: { state: 'idle', stopReason: 'refusal' } })
  const events = child(words, update('subagent_update', { sessionId: 'kid', description: 'still' }), idle, idle)
  assert.deepEqual(
    events.map(({ kind, session, agent }) => [kind, session, agent]),
    [
      ['task.start', 's', undefined],
      ['text.delta', 's', 'kid'],
      ['task.update', 's', undefined],
      ['text.end', 's', 'kid'],
      ['task.end', 's', undefined],
      ['raw', 's', undefined],
    ],
  )
  assert.equal(oneOf(events, 'task.end').status, 'error')
})

test('messages between sessions are prompts to the one that gets them', () => {
  const sent = (to: string, enclosing: string): Rec =>
    update('session_message', { messageId: 'm', senderSessionId: 's', recipientSessionId: to, content: [text('count')] }, enclosing)
  const events = within(update('subagent_update', { sessionId: 'kid' }), sent('kid', 's'), sent('kid', 'kid'))
  assert.deepEqual(
    events.slice(1).map(({ kind, agent }) => [kind, agent]),
    [
      ['raw', undefined],
      ['prompt.submit', 'kid'],
    ],
  )
  assert.deepEqual(plain(oneOf(events, 'prompt.submit').by), 'agent')
})

test('a file that the host wrote for the agent has changed', () => {
  const events = within(ask('a0', 'fs/write_text_file', { sessionId: 's', path: '/home/dev/a', content: 'x' }), answer('a0', {}))
  assert.deepEqual(plain(oneOf(events, 'file.update').changes), [{ path: '/home/dev/a', change: 'update' }])
})

test('what an agent says of its login is a notice', () => {
  const [event] = decodeAll([{ jsonrpc: '2.0', method: '_auth/status_update', params: { authStatus: { label: 'API key' } } }])
  assert.deepEqual([event?.kind satisfies Kind | undefined, event?.kind === 'notice' && event.text], ['notice', 'API key'])
})

test('unknown keys are kept, however deep they stand, alone and in traffic', () => {
  const news = { weather: 'fine' }
  const chunk = update('agent_message_chunk', { ...news, content: { type: 'text', text: 'a', annotations: news } })
  const kept = { params: { update: { ...news, content: { annotations: news } } } }
  const [alone, wrapped] = allOf(decodeAll([...turn(chunk, { t: 5, from: 'agent', message: chunk })]), 'text.delta')
  assert.deepEqual(plain([alone?.ext, wrapped?.ext]), [{ acp: kept }, { acp: { message: kept } }])
  const ended = oneOf(decodeAll([...opening, prompt(), done(2, { usage: { totalTokens: 3, moonTokens: 1 } })]), 'turn.end')
  assert.deepEqual(plain(ended.ext), { acp: { result: { usage: { moonTokens: 1 } } } })
})
