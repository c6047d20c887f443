// The tracker on Avenor's records: the life of a session behind the channel, and the edge cases of its reference.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { eventsByRecord } from '../../test/fold.ts'
import { holds } from '../../test/properties.ts'
import type { Rec } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import { legalStream, linesOf, streamDialects } from '../testing/index.ts'
import { createTracker, type Tracker } from './track.ts'

/** For each record, whether one of its events changed the snapshot. */
function feed(tracker: Tracker, records: readonly Rec[]): boolean[] {
  return eventsByRecord(
    records.map((record) => ({ session_id: 's', ...record })),
    'avenor',
  )
    .slice(0, records.length)
    .map((events) => events.map((event) => tracker.observe(event)).includes(true))
}
const after = (...records: Rec[]): ReturnType<Tracker['snapshot']> => {
  const tracker = createTracker()
  feed(tracker, records)
  return tracker.snapshot()
}

const request = { event: 'permission.request', request_id: '7', tool: 'bash', question: 'Run it?', options: [] }
const end = { event: 'session.end', stop_reason: 'end_turn' }

test('what a subagent works with is not what its session works with', () => {
  const tracker = createTracker()
  const place = { v: 1 as const, session: 's' }
  tracker.observe({ ...place, seq: 1, kind: 'session.start', cwd: '/home/dev', model: 'large' })
  tracker.observe({ ...place, seq: 2, kind: 'session.update', agent: 'a', cwd: '/elsewhere', model: 'small', title: 'part' })
  const { cwd, model, title } = tracker.snapshot()
  assert.deepEqual([cwd, model, title], ['/home/dev', 'large', undefined])
})

test('every step of a life behind the channel changes the snapshot', () => {
  const life: [Rec, Rec][] = [
    [
      { event: 'session.start', backend: 'claude-channel', run_id: 'r' },
      { backend: 'claude-channel', run: 'r', phase: 'starting' },
    ],
    [
      { event: 'agent.channel_ready', server_name: 'x', source: 'channel' },
      { channelReady: true, lastEvent: 'report' },
    ],
    [{ event: 'agent.prompt_queued', control_id: '1' }, { promptQueued: true }],
    [
      { event: 'agent.prompt_submitted', delivery: 'tmux' },
      { promptSubmitted: true, turn: 1, phase: 'working' },
    ],
    [{ event: 'agent.status', phase: 'thinking', source: 'transcript' }, { phase: 'thinking' }],
    [request, { waitingPermission: true, phase: 'waiting' }],
    [
      { event: 'permission.response', request_id: '7', option_id: 'allow', kind: 'allow' },
      { waitingPermission: undefined, phase: 'thinking' },
    ],
    [{ event: 'agent.report', state: 'checkpoint', source: 'channel' }, { lastReportState: 'checkpoint' }],
    [{ event: 'agent.reply', to: 'lead', source: 'channel' }, { lastReplyTo: 'lead' }],
    [
      { event: 'agent.finish', status: 'done', summary: 'all green', files_changed: ['a.ts', 'b.ts'] },
      { finishStatus: 'done', finishSummary: 'all green', filesChanged: ['a.ts', 'b.ts'] },
    ],
    [end, { ended: true, stopReason: 'end_turn', phase: 'done', waitingPermission: undefined }],
  ]
  const tracker = createTracker('s')
  const records = life.map(([record]) => ({ session_id: 's', ...record }))
  for (const [index, events] of eventsByRecord(records, 'avenor').slice(0, life.length).entries()) {
    const [record, expected] = life[index]!
    assert.ok(events.map((event) => tracker.observe(event)).includes(true), JSON.stringify(record))
    const snapshot = tracker.snapshot() as Rec
    for (const [key, value] of Object.entries(expected)) assert.deepEqual(snapshot[key], value, `${key} after ${JSON.stringify(record)}`)
  }
})

test('a new tracker knows nothing', () => assert.deepEqual(createTracker().snapshot(), { openTools: [], openRequests: [], agents: [] }))

test('the first session that is named is taken, others change nothing', () => {
  const tracker = createTracker('')
  assert.deepEqual(feed(tracker, [{ event: 'avenor.retry', attempt: 1, session_id: undefined }]), [true])
  assert.equal(tracker.snapshot().session, undefined)
  assert.deepEqual(feed(tracker, [{ event: 'session.start' }, { event: 'agent.report', state: 'x', session_id: 'other' }]), [true, false])
  assert.equal(tracker.snapshot().session, 's')
  assert.equal(tracker.snapshot().lastReportState, undefined)
})

test('the same event again changes nothing', () => {
  const ready = { event: 'agent.channel_ready' }
  const files = { event: 'agent.finish', status: 'ok', files_changed: ['a', 'b'] }
  const swapped = { ...files, files_changed: ['b', 'a'] }
  assert.deepEqual(feed(createTracker(), [ready, ready, files, files, swapped]), [true, false, true, false, true])
})

test('files that are not all texts are not taken', () =>
  assert.equal(after({ event: 'agent.finish', status: 'ok', files_changed: ['a', 1] }).filesChanged, undefined))

test('sums that are made late are the same', () =>
  holds(20, (seed) => {
    for (const dialect of streamDialects) {
      const [late, early] = [createTracker(undefined, { late: true }), createTracker()]
      for (const [index, event] of eventsByRecord(linesOf(legalStream(dialect, seed)), dialect)
        .flat()
        .entries()) {
        late.observe(event)
        early.observe(event)
        if (index % 7 === seed % 7) assert.deepEqual(late.snapshot(), early.snapshot())
      }
      assert.deepEqual(late.snapshot(), early.snapshot())
    }
  }))

test('a snapshot is a copy', () => {
  const tracker = createTracker()
  feed(tracker, [
    { event: 'agent.finish', files_changed: ['a'] },
    { event: 'tool.call', toolCallId: 'c', title: 'ls', kind: 'bash' },
  ])
  const first = tracker.snapshot()
  first.filesChanged!.push('b')
  first.openTools[0]!.name = 'x'
  assert.deepEqual(tracker.snapshot().filesChanged, ['a'])
  assert.equal(tracker.snapshot().openTools[0]!.name, 'ls')
})

suite('after the end', () => {
  test('nothing changes', () => {
    const late = [
      { event: 'agent.status', phase: 'working', source: 'channel' },
      { event: 'agent.status', phase: 'done' },
      { event: 'agent.report', state: 'late' },
      { event: 'permission.response', request_id: '7', kind: 'allow' },
      end,
    ]
    const tracker = createTracker()
    feed(tracker, [end])
    assert.equal(tracker.snapshot().phase, 'done')
    const before = tracker.snapshot()
    const events = eventsByRecord(
      [end, ...late].map((record) => ({ session_id: 's', ...record })),
      'avenor',
    ).slice(1, late.length + 1)
    assert.deepEqual(
      events.map((some) => some.map((event) => tracker.observe(event)).includes(true)),
      late.map(() => false),
    )
    assert.deepEqual(tracker.snapshot(), before)
  })
  test('a session that works again is not over', () => {
    const { ended, phase, stopReason, turn } = after({ event: 'agent.message_chunk', content: { text: 'a' } }, end, {
      event: 'agent.message_chunk',
      content: { text: 'b' },
    })
    assert.deepEqual([ended, phase, stopReason, turn], [undefined, 'working', undefined, 2])
  })
})

suite('waiting means that somebody must answer', () => {
  const status = (phase: string, source: string): Rec => ({ event: 'agent.status', phase, source })
  test('a terminal that waits for input is idle', () => {
    const { phase, waitingPermission } = after(status('waiting', 'tmux'))
    assert.deepEqual([phase, waitingPermission], ['idle', undefined])
  })
  test('a dialog on the screen is waited for until the agent works on', () => {
    const dialog = { ...request, source: 'tmux' }
    assert.equal(after(dialog, status('waiting', 'tmux')).waitingPermission, true)
    const { phase, openRequests } = after(dialog, status('working', 'transcript'))
    assert.deepEqual([phase, openRequests], ['working', []])
  })
  test('a supervisor says it before the request', () => {
    assert.equal(after(status('waiting', 'avenor')).waitingPermission, true)
    const answered = after(status('waiting', 'avenor'), request, { event: 'permission.response', request_id: '7', kind: 'allow' })
    assert.deepEqual([answered.phase, answered.waitingPermission], ['working', undefined])
    const inTurn = after({ event: 'agent.prompt_submitted' }, status('waiting', 'avenor'), request, {
      event: 'permission.response',
      request_id: '7',
      kind: 'allow',
    })
    assert.deepEqual([inTurn.phase, inTurn.waitingPermission], ['working', undefined])
  })
  test('two requests need two answers', () => {
    const second = { ...request, request_id: '8' }
    const answer = { event: 'permission.response', request_id: '7', kind: 'allow' }
    const { phase, openRequests } = after(request, second, answer)
    assert.deepEqual([phase, openRequests.map(({ id }) => id)], ['waiting', ['8']])
  })
  test('a call that ended was decided on', () => {
    const events = (kind: string, more: Rec): Event => ({ v: 1, seq: 1, kind, session: 's', call: 'c', ...more }) as unknown as Event
    const tracker = createTracker()
    tracker.observe(events('tool.start', { name: 'Write', toolKind: 'edit' }))
    tracker.observe(events('permission.request', { id: 'p', options: [] }))
    assert.equal(tracker.snapshot().phase, 'waiting')
    assert.equal(tracker.observe(events('tool.end', { status: 'ok' })), true)
    assert.deepEqual([tracker.snapshot().phase, tracker.snapshot().openRequests], ['working', []])
  })
})

suite('a better source is not overruled in the same turn', () => {
  const status = (phase: string, source: string): Rec => ({ event: 'agent.status', phase, source })
  const chunk = { event: 'agent.thought_chunk', content: { text: 'hm' } }
  const phaseAfter = (...records: Rec[]): string | undefined => after({ event: 'agent.prompt_submitted' }, ...records).phase
  const ladder = ['tmux', 'avenor', 'transcript', 'channel']
  for (const [index, source] of ladder.entries()) {
    test(`${source} overrules ${ladder.slice(0, index).join(', ') || 'nothing'}`, () => {
      for (const [other, lesser] of ladder.entries())
        assert.equal(phaseAfter(status('thinking', lesser), status('working', source)), other <= index ? 'working' : 'thinking')
    })
  }
  test('what is seen counts as much as the supervisor says', () => {
    assert.equal(phaseAfter(status('working', 'tmux'), chunk), 'thinking')
    assert.equal(phaseAfter(status('working', 'avenor'), chunk), 'thinking')
    assert.equal(phaseAfter(status('working', 'channel'), chunk), 'working')
  })
  test('and so does a source that nobody knows, whatever it is called', () => {
    for (const source of ['x', 'constructor', 'toString', '__proto__']) {
      assert.equal(phaseAfter(status('thinking', source), status('working', 'tmux')), 'thinking')
      assert.equal(phaseAfter(status('thinking', 'channel'), status('working', source)), 'thinking')
    }
  })
  test('the next turn begins anew', () =>
    assert.equal(phaseAfter(status('thinking', 'channel'), end, { event: 'agent.prompt_submitted' }, status('working', 'tmux')), 'working'))
})
