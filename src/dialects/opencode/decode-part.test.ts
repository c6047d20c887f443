// Parts of a message as a server tells them: growing text, prompts, calls.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { decodeAll, grown, only, part, said, shortly, status, told, userMessage } from './support.test.ts'

const delta = (text: string, partID = 'p-text'): Rec => told('message.part.delta', { messageID: 'm', partID, field: 'text', delta: text })
const toolPart = (state: Rec, fields: Rec = {}): Rec => grown('tool', { tool: 'bash', callID: 'c', state, ...fields })

test('text that is told whole each time comes as what was added; text that shrinks is withdrawn', () => {
  const text = (words: string, time: Rec = { start: 1 }): Rec => grown('text', { text: words, time })
  const events = said([grown('step-start'), text('ab'), text('abc'), text('x'), text('x'), text('xy ', { start: 1, end: 2 })])
  const place = { message: 'm', block: 0 }
  assert.deepEqual(events.slice(1), [
    { kind: 'text.delta', ...place, text: 'ab' },
    { kind: 'text.delta', ...place, text: 'c' },
    { kind: 'message.drop', ...place, fromBlock: 0, why: 'superseded' },
    { kind: 'text.delta', ...place, text: 'x' },
    { kind: 'raw', ...place, type: 'message.part.updated/text', why: 'redundant' },
    { kind: 'text.end', ...place, text: 'xy ', streamed: true, startedAt: 1, endedAt: 2 },
  ])
})

test('text and thoughts may be streamed side by side; a stream that begins anew ends what came before', () => {
  const open = (type: string, id: string): Rec => grown(type, { id, text: '', time: { start: 1 } })
  const ended = (type: string, id: string, text: string): Rec => grown(type, { id, text, time: { start: 1, end: 2 } })
  const events = decodeAll([
    grown('step-start'),
    open('reasoning', 'r'),
    delta('th', 'r'),
    open('text', 'a'),
    delta('one', 'a'),
    delta('ought', 'r'),
    ended('reasoning', 'r', 'thought'),
    grown('step-start'),
    open('text', 'b'),
    delta('two', 'b'),
    ended('text', 'b', 'two'),
  ])
  const ends = events.filter(({ kind }) => kind === 'text.end' || kind === 'thought.end').map(shortly)
  assert.deepEqual(
    ends.map(({ kind, block, text, synthetic }) => [kind, block, text, synthetic]),
    [
      ['thought.end', 0, 'thought', undefined],
      ['text.end', 1, undefined, 'implied'],
      ['text.end', 2, 'two', undefined],
    ],
  )
  const whole = decodeAll([grown('step-start'), open('text', 'a'), delta('one', 'a'), ended('text', 'b', 'two')])
  assert.deepEqual(
    only(whole, 'text.end').map(({ block, streamed }) => [block, streamed]),
    [
      [0, true],
      [1, false],
    ],
  )
})

test("a user's parts are prompts, those of the program the program's", () => {
  const of = (type: string, fields: Rec): Rec => told('message.part.updated', { part: { ...part(type, fields), messageID: 'u' } })
  const prompts = decodeAll([
    userMessage(),
    of('text', { text: 'Hi' }),
    of('text', { text: 'Hi' }),
    of('text', { id: 'p2', text: 'Called the Read tool', synthetic: true }),
    of('file', { mime: 'text/plain', url: 'file:///a' }),
    of('agent', { name: 'explore' }),
    of('subtask', { prompt: 'Look', description: 'd', agent: 'general' }),
    of('compaction', { auto: true }),
    told('session.compacted'),
  ])
  assert.deepEqual(
    only(prompts, 'prompt.submit').map(({ by, text, content }) => [by, text, (content?.[0] as Rec | undefined)?.['type']]),
    [
      ['user', 'Hi', undefined],
      ['system', 'Called the Read tool', undefined],
      ['user', undefined, 'file'],
      ['user', undefined, 'agent'],
      ['user', 'Look', undefined],
      ['system', undefined, 'compaction'],
    ],
  )
  assert.deepEqual(shortly(only(prompts, 'context.trim')[0]), { kind: 'context.trim', why: 'compact', trigger: 'auto' })
})

test("the model's files, patches and snapshots", () => {
  assert.deepEqual(
    said([
      grown('step-start'),
      grown('file', { mime: 'image/png', url: 'data:x' }),
      grown('patch', { hash: 'h', files: ['a'] }),
      grown('snapshot', { snapshot: 'h' }),
    ]).slice(1),
    [
      { kind: 'content.end', message: 'm', type: 'file', mime: 'image/png', uri: 'data:x' },
      { kind: 'file.update', changes: [{ path: 'a', change: 'update' }] },
      { kind: 'raw', type: 'message.part.updated/snapshot', why: 'unmapped' },
    ],
  )
})

test('the input of a call is told once, when it is whole', () => {
  const inputs = (states: Rec[]): unknown[] =>
    said([grown('step-start'), ...states.map((state) => toolPart(state))]).flatMap(({ kind, input }) =>
      input === undefined ? [] : [[kind, input]],
    )
  const pending = { status: 'pending', input: {} }
  assert.deepEqual(inputs([pending, { status: 'running', input: {} }, { status: 'running', input: {} }]), [['tool.update', {}]])
  assert.deepEqual(inputs([pending, { status: 'completed', input: { a: 1 }, output: '' }]), [['tool.update', { a: 1 }]])
  assert.deepEqual(
    inputs([
      { status: 'running', input: { a: 1 } },
      { status: 'completed', input: { a: 1 }, output: '' },
    ]),
    [['tool.start', { a: 1 }]],
  )
})

test('an abort may end a call after the session is idle: the call is cancelled, in its turn', () => {
  const events = decodeAll([
    userMessage(),
    grown('step-start'),
    toolPart({ status: 'running', input: {} }),
    status('idle'),
    toolPart({ status: 'error', error: 'Tool execution aborted' }),
    grown('step-finish'),
  ])
  const [end] = only(events, 'tool.end')
  assert.deepEqual([end?.status, end?.turn, only(events, 'turn.start').length], ['cancelled', 1, 1])
})

test('unknown keys are kept, however deep they stand', () => {
  const state = { status: 'completed', input: { any: 1 }, output: 'x', metadata: { any: 1 }, time: { start: 1, end: 2, moon: 3 } }
  const [end] = only(decodeAll([grown('step-start'), toolPart(state, { weather: 'fine' })]), 'tool.end')
  assert.deepEqual(JSON.parse(JSON.stringify(end?.ext)), {
    opencode: { properties: { part: { weather: 'fine', state: { time: { moon: 3 } } } } },
  })
})
