import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createStatus } from './status.ts'

type Said = [Kind, ...string[]]

/** What is said before each event, as `kind` and the phases with their labels. */
function follow(events: readonly Event[]): Said[] {
  const { step } = createStatus()
  return events.map((event) => [
    event.kind,
    ...step(event).map(({ phase, label, source }) => `${phase}${label === undefined ? '' : `: ${label}`} (${source})`),
  ])
}
const make = <K extends Kind>(kind: K, payload: Payload<K>, place: Place = {}): Event => makeEvent(kind, payload, place)

test('thinking, working, waiting and done are each told once, before what shows them', () => {
  const said = follow([
    make('session.start', {}),
    make('message.start', {}),
    make('thought.delta', { text: 'hm' }),
    make('text.delta', { text: 'a' }),
    make('tool.start', { name: 'bash', toolKind: 'execute', title: 'npm test' }, { call: 'c1' }),
    make('message.end', {}),
    make('permission.request', { id: 'p1', name: 'bash', question: 'Allow bash: npm test?', options: [] }, { call: 'c1' }),
    make('permission.answer', { id: 'p1', decision: 'allow', by: 'terminal' }, { call: 'c1' }),
    make('tool.update', { state: 'running', title: 'npm test' }, { call: 'c1' }),
    make('tool.end', { status: 'ok' }, { call: 'c1' }),
    make('message.start', {}),
    make('message.end', {}),
    make('turn.end', { reason: 'end_turn' }),
    make('session.end', { reason: 'end_turn' }),
    make('text.delta', { text: 'late' }),
  ])
  assert.deepEqual(said, [
    ['session.start'],
    ['message.start', 'thinking (avenor)'],
    ['thought.delta'],
    ['text.delta'],
    ['tool.start', 'working: bash npm test (avenor)'],
    ['message.end'],
    ['permission.request', 'waiting: permission: Allow bash: npm test? (avenor)'],
    ['permission.answer', 'working: bash npm test (avenor)'],
    ['tool.update'],
    ['tool.end'],
    ['message.start', 'thinking (avenor)'],
    ['message.end'],
    ['turn.end'],
    ['session.end', 'done (avenor)'],
    ['text.delta'],
  ])
})

test('an answer that no question was asked for changes nothing', () => {
  assert.deepEqual(follow([make('permission.answer', { decision: 'allow', by: 'rule' })]), [['permission.answer']])
})

test('while a question is open, other calls do not hide it', () => {
  const said = follow([
    make('tool.start', { name: 'bash', toolKind: 'execute' }, { call: 'c1' }),
    make('question.request', { id: 'q1', questions: [{ text: 'Which one?', options: [] }] }),
    make('tool.start', { name: 'read', toolKind: 'read', title: 'a.ts' }, { call: 'c2' }),
    make('question.answer', { id: 'q1', decision: 'allow', by: 'user' }),
  ])
  assert.deepEqual(
    said.map(([, ...phases]) => phases),
    [['working: bash (avenor)'], ['waiting: question: Which one? (avenor)'], [], ['working: read a.ts (avenor)']],
  )
})

test('of calls side by side the latest that still runs is named', () => {
  const said = follow([
    make('tool.start', { name: 'a', toolKind: 'other' }, { call: 'c1' }),
    make('tool.start', { name: 'b', toolKind: 'other' }, { call: 'c2' }),
    make('tool.end', { status: 'ok' }, { call: 'c2' }),
    make('tool.end', { status: 'ok' }, { call: 'c1' }),
  ])
  assert.deepEqual(
    said.map(([, ...phases]) => phases),
    [['working: a (avenor)'], ['working: b (avenor)'], ['working: a (avenor)'], []],
  )
})

test("a subagent's steps are not the agent's, but its question holds up the whole", () => {
  const place = { agent: 'sub-1' }
  const said = follow([
    make('tool.start', { name: 'task', toolKind: 'task', title: 'look' }, { call: 'c1' }),
    make('message.start', {}, place),
    make('tool.start', { name: 'bash', toolKind: 'execute' }, { ...place, call: 'c9' }),
    make('permission.request', { id: 'p1', name: 'bash', options: [] }, place),
    make('permission.answer', { id: 'p1', decision: 'reject', by: 'user' }, place),
  ])
  assert.deepEqual(
    said.map(([, ...phases]) => phases),
    [['working: task look (avenor)'], [], [], ['waiting: permission: bash (avenor)'], ['working: task look (avenor)']],
  )
})

test('a label is one line of bounded length', () => {
  const [[, label = '']] = follow([make('tool.start', { name: 'bash', toolKind: 'execute', title: `a\n${'b'.repeat(500)}` })]) as [Said]
  assert.ok(label.length < 160 && !label.includes('\n'))
})
