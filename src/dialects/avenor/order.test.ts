import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { unmarked } from '../support.test.ts'
import { avenor } from './index.ts'
import { findingsOf as allFindingsOf, fixture, namesIn, repaired } from './support.test.ts'

/** The records here say what their order needs, and leave out the rest. */
const findingsOf = (records: readonly Rec[]) => allFindingsOf(records).filter(({ code }) => code !== 'required-key')
const codesOf = (records: readonly Rec[]): string[] => findingsOf(records).map(({ code }) => code)

const chunk: Rec = { event: 'agent.message_chunk', session_id: 's', content: { type: 'text', text: 'a' } }
const end: Rec = { event: 'session.end', session_id: 's', stop_reason: 'end_turn' }

test('a warning where the program itself does it, an error elsewhere', () => {
  const severities = (name: string): string[] => findingsOf(fixture(`rejected/${name}.ndjson`)).map(({ severity }) => severity)
  assert.deepEqual(severities('text-after-end'), ['error'])
  assert.deepEqual(severities('finish-after-end'), ['warn'])
  assert.deepEqual(severities('waiting-for-nothing'), ['error'])
  assert.deepEqual(severities('idle-called-waiting'), ['warn'])
  assert.deepEqual(severities('status-after-event'), ['warn'])
  assert.deepEqual(severities('done-too-early'), ['error'])
  assert.deepEqual(
    findingsOf([chunk, { ...end, stop_reason: 'cancelled' }, chunk]).map(({ code, severity }) => [code, severity]),
    [['end-last', 'warn']],
  )
  assert.deepEqual(
    findingsOf([{ event: 'avenor.retry', session_id: 's', attempt: 2, max_retries: 3 }]).map(({ severity }) => severity),
    ['warn'],
    'a single run counts from 2',
  )
})

test('an ended session begins again with a start, a prompt, a retry or the next phase', () => {
  const phase = (event: string): Rec => ({ event: `avenor.phase.${event}`, phase: 'p', iteration: 1 })
  const occasions: Rec[][] = [
    [{ event: 'session.start', session_id: 's' }],
    [{ event: 'agent.prompt_submitted', session_id: 's', delivery: 'pty', prompt_length: 1 }],
    [{ event: 'agent.prompt_queued', session_id: 's' }],
    [{ event: 'avenor.retry', session_id: 's', attempt: 1 }],
    [{ event: 'avenor.retry', run_id: 'r', attempt: 1 }],
  ]
  for (const occasion of occasions) assert.deepEqual(codesOf([chunk, end, ...occasion, chunk, end]), [], JSON.stringify(occasion))
  assert.deepEqual(
    codesOf([
      { event: 'avenor.loop.start' },
      phase('start'),
      chunk,
      end,
      phase('end'),
      phase('start'),
      chunk,
      end,
      phase('end'),
      { event: 'avenor.loop.end', exit_reason: 'exit' },
    ]),
    [],
  )
  assert.deepEqual(codesOf([chunk, end, { event: 'agent.prompt_submitted', session_id: 's' }, chunk]), ['missing-end'])
})

test('waiting within a call may be for a choice, which has no record; without a call it is for a permission', () => {
  const status = (phase: string): Rec => ({ event: 'agent.status', session_id: 's', phase, source: 'avenor' })
  const call: Rec = { event: 'tool.call', session_id: 's', toolCallId: 'c', title: 'a', kind: 'other', status: 'pending' }
  const over: Rec = { event: 'tool.call_update', session_id: 's', toolCallId: 'c', status: 'completed' }
  assert.deepEqual(codesOf([call, status('waiting'), status('working'), over, chunk, end]), [])
  assert.deepEqual(codesOf([call, over, status('waiting'), chunk, end]), ['waiting-asks'])
  assert.deepEqual(codesOf([call, status('working'), over, end]), ['status-first'])
})

test('trouble may come between a status and its event', () => {
  const status = (phase: string): Rec => ({ event: 'agent.status', session_id: 's', phase, source: 'avenor' })
  const error: Rec = { event: 'avenor.error', session_id: 's', message: 'x' }
  for (const phase of ['thinking', 'working', 'waiting']) {
    assert.deepEqual(codesOf([status(phase), end]), [], phase)
    assert.deepEqual(codesOf([status(phase), error, end]), [], phase)
  }
})

test('what strays after the end is said once, however much it is', () => {
  assert.deepEqual(codesOf([chunk, end, chunk, chunk, { event: 'tool.call', session_id: 's', toolCallId: 'c' }, end]), ['end-last'])
  assert.deepEqual(codesOf([chunk, end, chunk, end, end]), ['end-last', 'end-once'])
  const late = { ...chunk, run_id: 'r' }
  assert.deepEqual(
    codesOf([
      { event: 'avenor.loop.start', run_id: 'r' },
      late,
      { event: 'avenor.loop.end', run_id: 'r', exit_reason: 'exit' },
      late,
      late,
      end,
    ]),
    ['loop-last'],
  )
})

test('retries are counted anew in each phase', () => {
  const retry = (attempt: number): Rec => ({ event: 'avenor.retry', run_id: 'r', attempt, max_retries: 3 })
  const phase = (event: string, name: string): Rec => ({ event: `avenor.phase.${event}`, run_id: 'r', phase: name, iteration: 1 })
  const loop = (...inside: Rec[]): Rec[] => [
    { event: 'avenor.loop.start', run_id: 'r' },
    ...inside,
    { event: 'avenor.loop.end', run_id: 'r', exit_reason: 'exit' },
  ]
  assert.deepEqual(
    codesOf(loop(phase('start', 'a'), retry(1), retry(2), phase('end', 'a'), phase('start', 'b'), retry(1), phase('end', 'b'))),
    [],
  )
  assert.deepEqual(
    codesOf(loop(phase('start', 'a'), retry(1), retry(2), phase('end', 'a'), phase('start', 'b'), retry(3), phase('end', 'b'))),
    ['retry-count'],
  )
  const other = loop(phase('start', 'a'), phase('end', 'a')).map((record) => ({ ...record, run_id: 'other' }))
  assert.deepEqual(codesOf(loop(phase('start', 'a'), retry(1), ...other, retry(2), retry(3), phase('end', 'a'))), [])
})

test("a user's own events are legal anywhere", () => {
  const own: Rec = { event: 'deploy.checked', session_id: 's', anything: [1] }
  assert.deepEqual(
    codesOf([own, chunk, own, { event: 'agent.status', session_id: 's', phase: 'done', source: 'avenor' }, own, end, own]),
    [],
  )
})

test('one finding for each session and each run without an end, whatever else is open', () => {
  const call: Rec = { event: 'tool.call', session_id: 's', toolCallId: 'c' }
  assert.deepEqual(
    findingsOf([call, { ...call, toolCallId: 'd' }]).map(({ text }) => text),
    ['no session.end of "s", with open calls: "c", "d"'],
  )
  assert.deepEqual(
    codesOf([
      { event: 'avenor.loop.start', run_id: 'r' },
      { ...chunk, run_id: 'r' },
    ]),
    ['missing-end', 'missing-end'],
  )
  assert.deepEqual(
    codesOf([
      { event: 'avenor.error', run_id: 'r', message: 'x' },
      { event: 'agent.channel_ready', run_id: 'q' },
    ]),
    [],
    'a run alone is no session',
  )
})

test('a dialog on a screen goes away without an answer; a request told twice is a warning', () => {
  const request: Rec = { event: 'permission.request', session_id: 's', request_id: '1', options: [{ id: '1', label: 'Yes' }] }
  assert.deepEqual(codesOf([{ ...request, source: 'pty' }, { ...request, source: 'pty', request_id: '2' }, end]), [])
  assert.deepEqual(
    findingsOf([request, request, { ...end, stop_reason: 'cancelled' }]).map(({ code, severity }) => [code, severity]),
    [['one-request', 'warn']],
  )
  assert.deepEqual(
    codesOf([request, { event: 'permission.response', session_id: 's', request_id: 1, option_id: '1' }, end]),
    [],
    'a number and its text are the same id',
  )
})

test('hostile ids are harmless in the text of a finding', () => {
  const [finding] = findingsOf([{ event: 'tool.call_update', session_id: 's', toolCallId: '\u001b[2J', status: 'completed' }, end])
  assert.ok(!finding!.text.includes('\u001b'))
})

// ── repair ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('repair adds what is missing: ends, calls, phases, the start of a loop', () => {
  for (const name of [
    'no-end',
    'no-end-of-two',
    'update-before-call',
    'open-call',
    'phase-before-loop',
    'phases-overlap',
    'loop-ends-inside-phase',
    'no-loop-end',
    'degenerate-without-error',
  ]) {
    assert.deepEqual(codesOf(repaired(fixture(`rejected/${name}.ndjson`))), [], name)
  }
  assert.deepEqual(
    unmarked(
      repaired([
        { ...chunk, ts: 5 },
        { event: 'tool.call', session_id: 's', toolCallId: 'c' },
      ]),
    ).slice(2),
    [
      { event: 'tool.call_update', session_id: 's', toolCallId: 'c', status: 'failed', ts: 5 },
      { event: 'session.end', session_id: 's', stop_reason: 'error', ts: 5 },
    ],
  )
})

test('repair adds the start of a phase and the question of an answer; what comes twice lacks nothing', () => {
  const loop = { event: 'avenor.loop.start', run_id: 'r' }
  const phase = { run_id: 'r', phase: 'p', iteration: 1 }
  const over = { event: 'avenor.phase.end', ...phase }
  const last = { event: 'avenor.loop.end', run_id: 'r', exit_reason: 'end_turn' }
  const begins = { event: 'avenor.phase.start', ...phase, kind: 'loop' }
  assert.deepEqual(unmarked(repaired([over, last])), [loop, begins, over, last])
  const twice = [loop, begins, over, over, last]
  assert.deepEqual(repaired(twice), twice)

  const answer = { event: 'permission.response', session_id: 's', request_id: '1', option_id: 'no', kind: 'reject', source: 'file', ts: 3 }
  const question = { event: 'permission.request', session_id: 's', request_id: '1', options: [{ optionId: 'no', kind: 'reject' }], ts: 3 }
  assert.deepEqual(unmarked(repaired([chunk, answer, end])), [chunk, question, answer, end])
  const again = [chunk, question, answer, answer, end]
  assert.deepEqual(repaired(again), again)
})

test('a session that is open when its loop ends is ended before it', () => {
  const run_id = 'r'
  const begin: Rec[] = [
    { event: 'avenor.loop.start', run_id, max_iterations: 1 },
    { event: 'session.start', session_id: 's', run_id },
    { event: 'tool.call', session_id: 's', run_id, toolCallId: 'c' },
  ]
  const last: Rec = { event: 'avenor.loop.end', run_id, exit_reason: 'end_turn', ts: 4 }
  const whole = repaired([...begin, { ...chunk, session_id: 'other' }, last])
  assert.deepEqual(
    whole.slice(4).map(({ event, session_id, ts }) => [event, session_id, ts]),
    [
      ['tool.call_update', 's', 4],
      ['session.end', 's', 4],
      ['avenor.loop.end', undefined, 4],
      ['session.end', 'other', 4],
    ],
  )
  assert.deepEqual(codesOf(whole), [])
  const added: Rec = { ...end, run_id, synthetic: 'repair: missing before avenor.loop.end' }
  assert.deepEqual(codesOf([...begin.slice(0, 2), added, last, { ...end, run_id }]), ['loop-last'])
})

test('what repair adds is of the run and of the kind of its call, and ends a degenerate stream as its error says', () => {
  assert.deepEqual(unmarked(repaired([{ event: 'tool.call', session_id: 's', run_id: 'r', toolCallId: 'c', kind: 'bash' }])).slice(1), [
    { event: 'tool.call_update', session_id: 's', run_id: 'r', toolCallId: 'c', kind: 'bash', status: 'failed' },
    { event: 'session.end', session_id: 's', run_id: 'r', stop_reason: 'error' },
  ])
  const cut = repaired(fixture('document/degenerate.ndjson').slice(0, 4))
  assert.equal(cut.at(-1)?.['stop_reason'], 'degenerate_reasoning_stream')
  assert.deepEqual(codesOf(cut), [])
})

test('repair changes nothing in a legal stream', () => {
  for (const name of namesIn('document/', '.ndjson')) {
    const records = fixture(name).filter((record) => Object.hasOwn(avenor.shapes.checks, String(record['event'])))
    assert.deepEqual(repaired(records), records, name)
  }
})
