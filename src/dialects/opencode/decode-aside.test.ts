// Questions, plans, files, and what a server says of itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { child, decodeAll, grown, only, said, shortly, status, told } from './support.test.ts'

test('a permission in the older form, and answers that say no', () => {
  const events = said([
    told('permission.updated', { id: 'p', type: 'bash', pattern: 'ls', title: 'Run ls?', metadata: { a: 1 } }),
    told('permission.replied', { permissionID: 'p', response: 'always' }),
  ])
  assert.deepEqual(events[0], {
    kind: 'permission.request',
    id: 'p',
    permission: 'bash',
    patterns: ['ls'],
    input: { a: 1 },
    question: 'Run ls?',
    options: [
      { id: 'once', kind: 'allow_once' },
      { id: 'always', kind: 'allow_always' },
      { id: 'reject', kind: 'reject_once' },
    ],
  })
  assert.deepEqual(events[1], { kind: 'permission.answer', id: 'p', decision: 'allow', option: 'always', scope: 'always', by: 'host' })
  const decision = (reply: string): unknown =>
    said([told('permission.asked', { id: 'p' }), told('permission.replied', { requestID: 'p', reply })])[1]?.['decision']
  assert.deepEqual(['once', 'reject', 'maybe'].map(decision), ['allow', 'reject', 'reject'])
  assert.deepEqual(said([told('permission.replied', { requestID: 'x', reply: 'once' })]), [
    { kind: 'raw', type: 'permission.replied', why: 'unmapped' },
  ])
})

test('a permission in the older form tells its time as an object; what is no time is none', () => {
  const at = (time: unknown): unknown =>
    only(decodeAll([told('permission.updated', { id: 'p', type: 'bash', time })]), 'permission.request')[0]?.at
  assert.deepEqual([{ created: 7 }, 8, {}, 'x', null].map(at), [7, 8, undefined, undefined, undefined])
})

test('a question and its answers, by the text of the question', () => {
  const asked = told('question.asked', {
    id: 'q',
    questions: [{ question: 'Which?', header: 'W', options: [{ label: 'a', description: 'A' }], multiple: true }],
  })
  const [request, answer] = said([asked, told('question.replied', { requestID: 'q', answers: [['a', 'b', 7]] })])
  assert.deepEqual(request?.['questions'], [{ text: 'Which?', header: 'W', options: [{ label: 'a', description: 'A' }], many: true }])
  assert.deepEqual(answer, { kind: 'question.answer', id: 'q', decision: 'allow', answers: { 'Which?': 'a, b' }, by: 'host' })
  assert.deepEqual(said([asked, asked, told('question.rejected', { requestID: 'q' })]).slice(1), [
    { kind: 'raw', type: 'question.asked', why: 'redundant' },
    { kind: 'question.answer', id: 'q', decision: 'reject', by: 'host' },
  ])
})

test('plans, diffs and commands', () => {
  const todos = ['pending', 'in_progress', 'completed', 'cancelled'].map((state) => ({ content: state, status: state, priority: 'high' }))
  const [plan, diff, nothing, command] = said([
    told('todo.updated', { todos }),
    told('session.diff', { diff: [{ file: 'a', status: 'added', patch: 'P' }, { path: 'b' }] }),
    told('session.diff', { diff: [] }),
    told('command.executed', { name: 'init', arguments: 'x' }),
  ])
  assert.deepEqual(
    (plan!['entries'] as Rec[]).map(({ status: state }) => state),
    ['pending', 'active', 'done', 'done'],
  )
  assert.deepEqual(diff, {
    kind: 'file.update',
    changes: [
      { path: 'a', change: 'add' },
      { path: 'b', change: 'update' },
    ],
    diff: 'P',
  })
  assert.equal(nothing?.['why'], 'redundant')
  assert.equal(command?.['text'], '/init x')
})

test('files belong to the only session there is; of two nobody can tell', () => {
  const watched = { type: 'file.watcher.updated', properties: { file: 'a', event: 'unlink' } }
  assert.deepEqual(said([status('busy'), watched])[1], { kind: 'file.update', changes: [{ path: 'a', change: 'delete' }] })
  assert.equal(said([status('busy'), child(status('busy'), 'other'), watched]).at(-1)?.['why'], 'unmapped')
  assert.equal(said([watched])[0]?.['why'], 'unmapped')
})

test('what the server says of itself', () => {
  const toast = (variant: string): Rec => ({ type: 'tui.toast.show', properties: { message: 'm', variant } })
  const failed = { type: 'worktree.failed', properties: { message: 'm' } }
  assert.deepEqual(
    said([toast('info'), toast('error'), failed]).map(({ level, code }) => [level, code]),
    [
      ['info', 'tui.toast.show'],
      ['warn', 'tui.toast.show'],
      ['warn', 'worktree.failed'],
    ],
  )
  const quiet = [
    { type: 'server.heartbeat', properties: {} },
    { type: 'pty.exited', properties: { id: 'p', exitCode: 1 } },
    told('message.removed', { messageID: 'm' }),
  ]
  assert.deepEqual(
    said(quiet).map(({ why }) => why),
    ['redundant', 'unmapped', 'unmapped'],
  )
})

test('an unknown event or part survives, a bad one is an issue', () => {
  const [event, unknown] = decodeAll([told('session.moon'), grown('hologram')])
  assert.deepEqual([event?.kind, event?.session], ['raw', 's'])
  assert.deepEqual(shortly(unknown), { kind: 'raw', type: 'message.part.updated/hologram', why: 'unknown' })
  for (const bad of [
    told('session.status', { status: 7 }),
    told('message.part.updated'),
    grown('tool', { tool: 'x' }),
    { type: 'session.idle' },
  ])
    assert.equal(decodeAll([bad])[0]?.kind, 'issue', JSON.stringify(bad))
})

test('a server that lives long keeps only so many sessions: the oldest that rests ends', () => {
  const names = Array.from({ length: 1100 }, (_, index) => `s${index}`)
  const events = decodeAll(names.flatMap((name) => [child(status('busy'), name), child(status('idle'), name)]))
  const ended = only(events, 'session.end')
  assert.equal(ended.length, 1100)
  assert.equal(ended.filter(({ origin }) => origin !== undefined).length, 76)
  assert.deepEqual([ended[0]?.session, ended[0]?.reason, ended[0]?.synthetic], ['s0', 'end_turn', 'implied'])
})
