import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { eventsByRecord } from '../../test/fold.ts'
import { holds } from '../../test/properties.ts'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { legalStream, linesOf, streamDialects } from '../testing/index.ts'
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
    ['tool.start', 'working: npm test (avenor)'],
    ['message.end'],
    ['permission.request', 'waiting: Allow bash: npm test? (avenor)'],
    ['permission.answer', 'working: npm test (avenor)'],
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
    [['working: bash (avenor)'], ['waiting: Which one? (avenor)'], [], ['working: a.ts (avenor)']],
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
    [['working: look (avenor)'], [], [], ['waiting: bash (avenor)'], ['working: look (avenor)']],
  )
})

test('another session beside the first is not the agent, but its question holds up the whole; its end is not the end', () => {
  const own = { session: 's1' }
  const other = { session: 's2' }
  const said = follow([
    make('session.start', {}, own),
    make('tool.start', { name: 'bash', toolKind: 'execute', title: 'npm test' }, { ...own, call: 'c1' }),
    make('session.start', {}, other),
    make('message.start', {}, other),
    make('text.delta', { text: '<|status: done|>\n' }, other),
    make('permission.request', { id: 'p1', name: 'edit', question: 'Allow edit?', options: [] }, other),
    make('permission.answer', { id: 'p1', decision: 'allow', by: 'terminal' }, other),
    make('turn.end', { reason: 'end_turn' }, other),
    make('session.end', { reason: 'end_turn' }, other),
    make('tool.end', { status: 'ok' }, { ...own, call: 'c1' }),
    make('message.start', {}, own),
    make('session.end', { reason: 'end_turn' }, own),
    make('session.start', {}, { session: 's3' }),
    make('message.start', {}, { session: 's3' }),
  ])
  assert.deepEqual(
    said.flatMap(([, ...words]) => words),
    [
      'working: npm test (avenor)',
      'waiting: Allow edit? (avenor)',
      'working: npm test (avenor)',
      'thinking (avenor)',
      'done (avenor)',
      'thinking (avenor)',
    ],
  )
  assert.deepEqual(said[8], ['session.end'])
})

test('after an answer the agent works, also when no call is known to run', () => {
  const said = phases([
    make('message.start', {}),
    make('permission.request', { id: 'p1', options: [], name: 'bash' }),
    make('permission.request', { id: 'p2', options: [], name: 'write' }),
    make('permission.answer', { id: 'p2', decision: 'allow', by: 'user' }),
    make('permission.answer', { id: 'p1', decision: 'reject', by: 'user' }),
    make('text.delta', { text: 'so' }),
  ])
  assert.deepEqual(said, [
    ['thinking (avenor)'],
    ['waiting: bash (avenor)'],
    ['waiting: write (avenor)'],
    ['waiting: bash (avenor)'],
    ['working (avenor)'],
    ['thinking (avenor)'],
  ])
})

test('a label is one line of bounded length', () => {
  const [[, label = '']] = follow([make('tool.start', { name: 'bash', toolKind: 'execute', title: `a\n${'b'.repeat(500)}` })]) as [Said]
  assert.ok(label.length < 160 && !label.includes('\n'))
})

const phases = (events: readonly Event[]): string[][] => follow(events).map(([, ...said]) => said)

test('a marker is told in the words of the agent, before the piece that completes it, and stands until something else shows', () => {
  const said = phases([
    make('message.start', {}),
    make('text.delta', { text: '<|status: working | fixing | tests|>' }),
    make('text.delta', { text: '\nNow' }),
    make('text.delta', { text: ' then' }),
    make('tool.start', { name: 'bash', toolKind: 'execute' }, { call: 'c1' }),
    make('message.end', {}),
    make('tool.end', { status: 'ok' }, { call: 'c1' }),
    make('message.start', {}),
  ])
  assert.deepEqual(said, [
    ['thinking (avenor)'],
    [],
    ['working: fixing | tests (agent)'],
    [],
    ['working: bash (avenor)'],
    [],
    [],
    ['thinking (avenor)'],
  ])
})

test('every marker is told in order, the same one once, and done is told again at the end', () => {
  const text = '[status: thinking | a]\n[status: working | b]\n[status: working | b]\n```\n[status: waiting]\n```\n[status: done]'
  assert.deepEqual(phases([make('text.end', { streamed: false, text }), make('session.end', { reason: 'end_turn' })]), [
    ['thinking: a (agent)', 'working: b (agent)', 'done (agent)'],
    ['done (avenor)'],
  ])
})

test('the label of a marker is kept across a question, and the question is not', () => {
  const said = phases([
    make('text.delta', { text: '[status: working | building]\n' }),
    make('permission.request', { id: 'p1', name: 'bash', options: [] }),
    make('text.delta', { text: '[status: working | testing]\n' }),
    make('permission.answer', { id: 'p1', decision: 'allow', by: 'user' }),
  ])
  assert.deepEqual(said, [['working: building (agent)'], ['waiting: bash (avenor)'], [], ['working: testing (avenor)']])
})

suite('the sources of a status', () => {
  const told = (source: string, phase: 'thinking' | 'working' | 'done' = 'working'): Event => make('status.update', { phase, source })
  const sources = ['tmux', 'avenor', 'transcript', 'channel']
  for (const [rank, better] of sources.entries())
    test(`${better} is overruled by better ones alone`, () => {
      for (const [other, source] of sources.entries()) {
        const { step, drops } = createStatus()
        step(told(better))
        assert.equal(drops(told(source)), other < rank)
      }
    })
  test('we do not contradict a better one, but for questions and the end; the next turn begins anew', () => {
    const call = make('tool.start', { name: 'bash', toolKind: 'execute' }, { call: 'c1' })
    const said = phases([
      told('channel', 'thinking'),
      call,
      make('text.delta', { text: '[status: working]\n' }),
      make('permission.request', { id: 'p1', name: 'bash', options: [] }),
      make('permission.answer', { id: 'p1', decision: 'allow', by: 'user' }),
      told('transcript'),
      make('turn.start', { trigger: 'prompt' }),
      call,
      told('channel'),
      make('session.end', { reason: 'end_turn' }),
    ])
    assert.deepEqual(said, [
      [],
      [],
      [],
      ['waiting: bash (avenor)'],
      ['working: bash (avenor)'],
      [],
      [],
      ['working: bash (avenor)'],
      [],
      ['done (avenor)'],
    ])
  })
  test('what the agent has told is not told again', () =>
    assert.deepEqual(phases([told('agent', 'thinking'), make('text.delta', { text: 'a' })]), [[], []]))
  test('after the end nobody is heard until a session begins', () => {
    const { step, drops } = createStatus()
    step(make('session.end', { reason: 'end_turn' }))
    assert.equal(drops(told('channel')), true)
    assert.deepEqual(step(make('text.delta', { text: '[status: working]\n' })), [])
    step(make('session.start', {}))
    assert.equal(drops(told('tmux')), false)
    assert.equal(step(make('message.start', {})).length, 1)
  })
})

test('of any legal stream: told before its event, never the same twice, done once and last', () =>
  holds(20, (seed) => {
    for (const dialect of streamDialects) {
      const events = eventsByRecord(linesOf(legalStream(dialect, seed, { sessions: 1 })), dialect).flat()
      const ends = events.filter(({ kind, agent }) => kind === 'session.end' && agent === undefined)
      if (ends.length !== 1) continue // it was taken up again
      const { step } = createStatus()
      const said = events.filter(({ kind }) => kind !== 'status.update').flatMap((event) => step(event))
      said.forEach((one, index) => assert.notDeepEqual(one, said[index - 1]))
      assert.equal(
        said.findIndex(({ phase }) => phase === 'done'),
        said.length - 1,
      )
    }
  }))
