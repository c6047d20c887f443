// What a run prints, and the parts that it shares with a server. The recordings show the usual; here is the rest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { decodeAll, kindsOf, line, only, part, said, stepFinish, stepStart, toolUse } from './support.test.ts'

const error = (name: string, data: Rec = {}): Rec => line('error', { error: { name, data: { message: 'no', ...data } } })
const reasonsOf = (records: readonly Rec[]): unknown[] =>
  only(decodeAll(records), 'turn.end').map(({ reason, synthetic }) => [reason, synthetic])

test('thoughts are told with their times', () => {
  const [, thought] = said([stepStart(), line('reasoning', { part: part('reasoning', { text: 'Hm.', time: { start: 1, end: 5 } }) })])
  assert.deepEqual(thought, { kind: 'thought.end', message: 'm', block: 0, text: 'Hm.', streamed: false, startedAt: 1, endedAt: 5 })
})

test('texts of one message are numbered; a part without a step begins its message', () => {
  const text = (words: string): Rec => line('text', { part: part('text', { text: words }) })
  const events = decodeAll([text('a'), text('b'), stepFinish('stop')])
  assert.deepEqual(kindsOf(events), [
    'session.start*',
    'turn.start*',
    'message.start*',
    'text.end',
    'text.end',
    'message.end',
    'turn.end*',
    'session.end*',
  ])
  assert.deepEqual(
    only(events, 'text.end').map(({ block }) => block),
    [0, 1],
  )
})

test('the last words tell how a run ended', () => {
  const steps: Record<string, unknown> = {
    stop: ['end_turn', 'implied'],
    other: ['end_turn', 'implied'],
    length: ['max_tokens', 'implied'],
    'content-filter': ['refusal', 'implied'],
    error: ['error', 'implied'],
    'tool-calls': ['cut', 'cut'],
    unknown: ['cut', 'cut'],
  }
  for (const [reason, end] of Object.entries(steps)) assert.deepEqual(reasonsOf([stepStart(), stepFinish(reason)]), [end], reason)
  assert.deepEqual(reasonsOf([stepStart()]), [['cut', 'cut']])
  assert.deepEqual(reasonsOf([error('APIError')]), [['error', 'implied']])
  assert.deepEqual(reasonsOf([error('MessageAbortedError')]), [['cancelled', 'implied']])
  assert.deepEqual(reasonsOf([error('ContextOverflowError')]), [['context', 'implied']])
  assert.deepEqual(reasonsOf([error('MessageOutputLengthError')]), [['max_tokens', 'implied']])
  assert.deepEqual(reasonsOf([error('ContentFilterError')]), [['refusal', 'implied']])
})

test('the summary after an overflow is not the end, the answer after it is', () => {
  const summary = [error('ContextOverflowError'), stepStart('m1'), stepFinish('stop', 'm1')]
  const proceed = line('text', {
    part: part('text', { messageID: 'u', text: 'Go on.', synthetic: true, metadata: { compaction_continue: true } }),
  })
  assert.deepEqual(reasonsOf(summary), [['cut', 'cut']])
  assert.deepEqual(reasonsOf([...summary, proceed]), [['cut', 'cut']])
  assert.deepEqual(reasonsOf([...summary, proceed, stepStart('m2'), stepFinish('stop', 'm2')]), [['end_turn', 'implied']])
  assert.deepEqual(said([proceed]), [
    { kind: 'context.trim', why: 'compact', trigger: 'auto' },
    { kind: 'prompt.submit', message: 'u', text: 'Go on.', by: 'system', state: 'seen' },
  ])
})

test('a host that knows better says why the run ended', () => {
  const events = decodeAll([stepStart()], { reason: 'timeout', exitCode: 124 })
  assert.deepEqual([only(events, 'turn.end')[0]?.reason, only(events, 'session.end')[0]?.exitCode], ['timeout', 124])
})

const endOf = (tool: string, state: Rec): Rec => said([stepStart(), toolUse(tool, state)])[1] ?? {}

test('a call that somebody refused, that a rule forbids, that was aborted, that failed', () => {
  const failed = (text: string): unknown[] => {
    const { status, permitted, error: fault } = endOf('bash', { status: 'error', input: {}, error: text })
    return [status, permitted, (fault as Rec | undefined)?.['category']]
  }
  const headless = { allow: false, by: 'headless' }
  assert.deepEqual(failed('The user rejected permission to use this specific tool call.'), ['denied', headless, undefined])
  assert.deepEqual(failed('The user dismissed this question'), ['denied', headless, undefined])
  assert.deepEqual(failed('Error: The user has specified a rule which prevents you from using this'), [
    'denied',
    { allow: false, by: 'rule' },
    undefined,
  ])
  assert.deepEqual(failed('Tool execution aborted'), ['cancelled', undefined, undefined])
  assert.deepEqual(failed('connect ECONNREFUSED'), ['error', undefined, 'network'])
})

test("only a person's no stops the run; a rule's is told to the model", () => {
  const refused = (text: string): Rec => toolUse('bash', { status: 'error', input: {}, error: text })
  const step = (text: string): Rec[] => [stepStart(), refused(text), stepFinish('tool-calls')]
  assert.deepEqual(reasonsOf(step('The user rejected permission to use this')), [['blocked', 'implied']])
  assert.deepEqual(reasonsOf(step('The user rejected permission to use this').slice(0, 2)), [['cut', 'cut']], 'the step goes on')
  assert.deepEqual(reasonsOf(step('The user has specified a rule which prevents you')), [['cut', 'cut']])
  assert.deepEqual(reasonsOf([...step('The user rejected permission to use this'), stepStart('m2'), stepFinish('stop', 'm2')]), [
    ['end_turn', 'implied'],
  ])
})

test('a command without an exit code was stopped, and says by what', () => {
  const stopped = (output: string): unknown[] => {
    const { status, exitCode, error: fault } = endOf('bash', { status: 'completed', input: {}, output, metadata: { exit: null } })
    return [status, exitCode, (fault as Rec | undefined)?.['category']]
  }
  assert.deepEqual(stopped('…\nbash tool terminated command after exceeding timeout 1000 ms.'), ['error', undefined, 'timeout'])
  assert.deepEqual(stopped('…\nUser aborted the command'), ['cancelled', undefined, undefined])
  assert.deepEqual(stopped('fine'), ['ok', undefined, undefined])
})

test('a tool that is always there and yet unavailable was taken away by a rule', () => {
  const invalid = (tool: string, offered: string): unknown =>
    endOf('invalid', {
      status: 'completed',
      input: { tool, error: `Model tried to call unavailable tool '${tool}'. Available tools: ${offered}.` },
      output: 'x',
    })['status']
  assert.equal(invalid('write', 'bash, read'), 'denied')
  assert.equal(invalid('write', 'bash, apply_patch'), 'error', 'its place is taken by another')
  assert.equal(invalid('moon', 'bash'), 'error')
  assert.equal(
    endOf('invalid', { status: 'completed', input: { tool: 'read', error: 'JSON parsing failed' }, output: 'x' })['status'],
    'error',
  )
  assert.equal(endOf('invalid', { status: 'completed', input: 'x', output: 'y' })['status'], 'error')
})

test('what a call leaves beside its output', () => {
  const files = [{ type: 'file', mime: 'image/png', url: 'data:' }]
  assert.deepEqual(
    endOf('read', {
      status: 'completed',
      input: {},
      output: 'x',
      title: 'T',
      metadata: { preview: 'p' },
      attachments: files,
      time: { start: 10, end: 30 },
    }),
    {
      kind: 'tool.end',
      message: 'm',
      call: 'c',
      status: 'ok',
      text: 'x',
      content: files,
      title: 'T',
      startedAt: 10,
      endedAt: 30,
      durationMs: 20,
    },
  )
  assert.deepEqual(endOf('x', { status: 'completed', metadata: { rows: 2 } })['data'], { rows: 2 })
})

test('a call is told once: not again when its output is cleared', () => {
  const state = { status: 'completed', input: {}, output: 'x' }
  const events = decodeAll([
    stepStart(),
    toolUse('read', state),
    toolUse('read', state),
    stepFinish('tool-calls'),
    stepStart('m2'),
    toolUse('read', { ...state, time: { compacted: 5 } }),
  ])
  assert.equal(only(events, 'tool.end').length, 1)
  assert.equal(only(events, 'raw').filter(({ why }) => why === 'redundant').length, 2)
})

test('the next message may use the id of a call again', () => {
  const state = { status: 'completed', input: {}, output: 'x' }
  const step = (id: string): Rec[] => [stepStart(id), toolUse('read', state, { messageID: id }), stepFinish('tool-calls', id)]
  assert.equal(only(decodeAll([...step('m1'), ...step('m2')]), 'tool.end').length, 2)
})

test('reasoning that a provider counts as output is taken out of it where the total shows it', () => {
  const usage = (tokens: Rec): unknown =>
    said([stepStart(), line('step_finish', { part: part('step-finish', { tokens, cost: null }) })])[1]?.['usage']
  const cache = { read: 3, write: null }
  assert.deepEqual(usage({ total: 18, input: 5, output: 10, reasoning: 4, cache }), { input: 5, output: 6, reasoning: 4, cacheRead: 3 })
  assert.deepEqual(usage({ total: 22, input: 5, output: 10, reasoning: 4, cache }), { input: 5, output: 10, reasoning: 4, cacheRead: 3 })
  assert.deepEqual(usage({ input: -1, output: 2.6 }), { output: 3 })
})

test('errors of any form are told', () => {
  const faults = only(
    decodeAll([
      line('error', { error: 'boom' }),
      line('error', { error: { message: 'm' } }),
      line('error', { error: null }),
      error('APIError', { statusCode: 503, responseBody: 'b' }),
    ]),
    'error',
  )
  assert.deepEqual(
    faults.map(({ error: { category, text, http } }) => [category, text, http]),
    [
      ['unknown', 'boom', undefined],
      ['unknown', 'm', undefined],
      ['unknown', 'null', undefined],
      ['overloaded', 'no', 503],
    ],
  )
  assert.equal((faults[3]!.data as Rec)['responseBody'], 'b')
})

test('an unknown record survives, a bad one is an issue', () => {
  const [unknown] = decodeAll([{ type: 'done', sessionID: 's', timestamp: 5 }])
  assert.deepEqual([unknown?.kind, unknown?.session, unknown?.at], ['raw', 's', 5])
  for (const bad of [line('text', {}), line('tool_use', { part: part('tool', { tool: 'x' }) }), line('step_start', { part: 7 })])
    assert.equal(decodeAll([bad])[0]?.kind, 'issue', JSON.stringify(bad))
})
