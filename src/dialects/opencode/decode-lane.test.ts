// Subagents: a session with a parent is a lane of its root.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { child, decodeAll, grown, only, status, told, userMessage } from './support.test.ts'

const toolPart = (state: Rec, fields: Rec = {}): Rec => grown('tool', { tool: 'bash', callID: 'c', state, ...fields })
const createdChild = told('session.created', { sessionID: 'k', info: { id: 'k', parentID: 's', title: 'Count', agent: 'general' } })

const task = (callID: string, state: Rec): Rec => grown('tool', { id: callID, tool: 'task', callID, state })
const running = (child: string): Rec => ({ status: 'running', input: {}, metadata: { sessionId: child } })

test('with two calls at once, a child belongs to the one that names it', () => {
  const events = decodeAll([
    userMessage(),
    grown('step-start'),
    task('c1', { status: 'pending', input: {} }),
    task('c2', { status: 'pending', input: {} }),
    createdChild,
    task('c2', running('k')),
  ])
  assert.deepEqual(
    only(events, 'task.start').map(({ task: id, call, title, synthetic }) => [id, call, title, synthetic]),
    [['k', 'c2', 'Count', undefined]],
  )
})

test('a child that a later call goes on with starts its task again', () => {
  const events = decodeAll([
    userMessage(),
    grown('step-start'),
    task('c1', running('k')),
    child(status('idle')),
    task('c1', { status: 'completed', output: '' }),
    task('c2', running('k')),
    child(status('idle')),
  ])
  assert.deepEqual(
    only(events, 'task.start').map(({ call }) => call),
    ['c1', 'c2'],
  )
  assert.equal(only(events, 'task.end').length, 2)
})

test('a child that begins before a call names it belongs to the only call there can be', () => {
  const pending = { status: 'pending', input: {} }
  const starts = (...calls: string[]): unknown[] =>
    only(
      decodeAll([userMessage(), grown('step-start'), ...calls.map((id) => task(id, pending)), createdChild, child(status('busy'))]),
      'task.start',
    ).map(({ call, synthetic }) => [call, synthetic])
  assert.deepEqual(starts('c1'), [['c1', 'implied']])
  assert.deepEqual(starts('c1', 'c2'), [[undefined, 'implied']])
})

test('a call that is open when its lane ends is abandoned, whatever comes late', () => {
  const call = (state: string): Rec => child(toolPart({ status: state, error: 'Tool execution aborted' }))
  const events = decodeAll([createdChild, call('running'), child(status('idle')), call('error')])
  assert.deepEqual(
    only(events, 'tool.end').map(({ status: how, synthetic }) => [how, synthetic]),
    [['abandoned', 'cut']],
  )
})

test('a call that names its child only when it has ended starts nothing', () => {
  const pending = ['c1', 'c2'].map((id) => task(id, { status: 'pending', input: {} }))
  const late = task('c1', { status: 'completed', output: '', metadata: { sessionId: 'k' } })
  const events = decodeAll([userMessage(), grown('step-start'), ...pending, createdChild, child(status('idle')), late])
  assert.equal(only(events, 'task.start').length, 1)
})

test('how a child ended', () => {
  const statusOf = (...records: Rec[]): unknown =>
    only(decodeAll([createdChild, ...records.map((record) => child(record)), child(status('idle'))]), 'task.end')[0]?.status
  const error = (name: string): Rec => told('session.error', { error: { name, data: {} } })
  assert.equal(statusOf(grown('step-start'), grown('step-finish', { reason: 'stop' })), 'ok')
  assert.equal(statusOf(error('APIError')), 'error')
  assert.equal(statusOf(error('MessageAbortedError')), 'cancelled')
  const refused = toolPart({ status: 'error', error: 'The user rejected permission' })
  assert.equal(statusOf(grown('step-start'), refused, grown('step-finish', { reason: 'tool-calls' })), 'denied')
})

test('a child of a child is a lane of the same session, and calls of the same id stay apart', () => {
  const grandchild = told('session.created', { sessionID: 'g', info: { id: 'g', parentID: 'k' } })
  const call = toolPart({ status: 'running', input: {} })
  const events = decodeAll([createdChild, grandchild, child(call), child(call, 'g')])
  assert.deepEqual(
    only(events, 'task.start').map(({ task: id, agent, session }) => [id, agent, session]),
    [
      ['k', undefined, 's'],
      ['g', 'k', 's'],
    ],
  )
  assert.deepEqual(
    only(events, 'tool.start').map(({ call: id, agent }) => [id, agent]),
    [
      ['c', 'k'],
      ['~c#1', 'g'],
    ],
  )
})
