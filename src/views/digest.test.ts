// The page of a digest: aligned, within its width, and harmless whatever the stream says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsByRecord } from '../../test/fold.ts'
import { holds } from '../../test/properties.ts'
import { createDigest, type Digest } from '../analyze/digest.ts'
import type { Rec } from '../base/json.ts'
import { legalStream, linesOf, streamDialects } from '../testing/index.ts'
import { digestLines } from './digest.ts'
import { widthOf } from './layout.ts'

type Dialect = (typeof streamDialects)[number]
function digestOf(input: string | readonly Rec[], dialect: Dialect): Digest {
  const digest = createDigest()
  for (const events of eventsByRecord(input, dialect)) for (const event of events) digest.push(event)
  return digest.report()
}
const page = (digest: Digest, width = 80, colour = false): string[] => [...digestLines(digest, { width, colour })]

const evil = '\u001b]8;;http://evil\u0007click\u001b[2J\u202e\r\nEVIL'

test('nothing of a stream can act on a terminal', () => {
  const place = { session_id: evil, run_id: evil, ts: 1 }
  const records: Rec[] = [
    { event: 'session.start', backend: evil, dir: evil },
    { event: 'user.message_chunk', delta: evil },
    { event: 'agent.message_chunk', delta: `${evil} [finding] ${evil}` },
    { event: 'tool.call', toolCallId: 'a', title: evil, kind: 'bash', rawInput: { command: evil } },
    { event: 'tool.call_update', toolCallId: 'a', status: 'failed' },
    { event: 'tool.call', toolCallId: 'b', title: evil, kind: 'edit', locations: [{ path: evil }] },
    { event: 'tool.call_update', toolCallId: 'b', status: 'completed' },
    { event: 'permission.request', request_id: '1', tool: evil, question: evil },
    { event: 'permission.response', request_id: '1', kind: 'reject' },
    { event: 'avenor.error', source: evil, message: evil },
    { event: 'avenor.loop.start', run_label: evil },
    { event: 'avenor.phase.end', phase: evil, iteration: 1, stop_reason: 'error' },
    { event: 'session.end', stop_reason: 'error' },
  ].map((record) => ({ ...place, ...record }))
  for (const line of page(digestOf(records, 'avenor'))) assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/, line)
  for (const line of page(digestOf(records, 'avenor'), 80, true))
    assert.doesNotMatch(line.replace(/\u001b\[\d+m/g, ''), /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/, line)
})

test('lines keep within their width, whatever there is to tell', () =>
  holds(40, (seed, random) => {
    for (const dialect of streamDialects) {
      const width = random.pick([30, 40, 60, 80, 120])
      for (const line of page(digestOf(linesOf(legalStream(dialect, seed)), dialect), width))
        assert.ok(widthOf(line) <= width, `${width}: ${line}`)
    }
  }))

test('numbers are those of all, not only of what is listed', () => {
  const call = (id: string, more: Rec, status = 'completed'): Rec[] => [
    { event: 'tool.call', session_id: 's', toolCallId: id, ...more },
    { event: 'tool.call_update', session_id: 's', toolCallId: id, status },
  ]
  const locations = Array.from({ length: 600 }, (_, id) => ({ path: `${id}.ts` }))
  const commands = Array.from({ length: 101 }, (_, id) =>
    call(`${id}`, { title: 'Bash', kind: 'bash', rawInput: { command: 'x' } }, id === 100 ? 'failed' : undefined),
  )
  const lines = page(digestOf([...call('edit', { title: 'Edit', kind: 'edit', locations }), ...commands.flat()], 'avenor'))
  assert.ok(lines.includes('files       600 changed, 0 only read'))
  assert.ok(lines.includes('            … and 588 more'))
  assert.ok(lines.includes('commands    101, 1 failed'))
})

test('a command in the background is no subagent', () => {
  const tasks = Array.from({ length: 101 }, (_, index): Rec[] => [
    { v: 1, seq: 2 * index + 1, session: 's', kind: 'task.start', task: `t${index}`, type: index % 2 === 0 ? 'command' : 'agent' },
    { v: 1, seq: 2 * index + 2, session: 's', kind: 'task.end', task: `t${index}`, status: 'ok' },
  ])
  const lines = page(digestOf(tasks.flat(), 'sluice'))
  assert.ok(lines.includes('subagents   50') && lines.includes('background  51'), lines.join('\n'))
})

test('every line is within a narrow terminal, too', () => {
  for (const width of [20, 24, 27, 28, 30, 36])
    for (const dialect of streamDialects)
      for (const seed of [1, 2, 3]) {
        const lines = page(digestOf(linesOf(legalStream(dialect, seed)), dialect), width)
        assert.deepEqual(
          lines.filter((line) => widthOf(line) > width),
          [],
          `${dialect} ${seed} in ${width} columns`,
        )
      }
  assert.deepEqual(page(digestOf('', 'avenor'), 24), ['There is no session in', 'this stream.'])
})

test('colour changes the colours only', () => {
  const digest = digestOf(linesOf(legalStream('claude', 3)), 'claude')
  assert.deepEqual(
    page(digest, 80, true).map((line) => line.replace(/\u001b\[\d+m/g, '')),
    page(digest, 80, false),
  )
})

test('an empty stream has a page, too', () => assert.deepEqual(page(digestOf('', 'avenor')), ['There is no session in this stream.']))

test('a refusal that only the end of a turn tells of is on the page; one that is told elsewhere is not told again', () => {
  const place = { v: 1, session: 's' }
  const lines = (...between: Rec[]): string[] => {
    const denied = [{ call: 'a', name: 'Bash', input: { command: 'rm x' } }]
    const records: Rec[] = [
      { kind: 'session.start' },
      { kind: 'turn.start', turn: 1, trigger: 'prompt' },
      ...between,
      { kind: 'turn.end', turn: 1, reason: 'end_turn', denied },
    ]
    return page(
      digestOf(
        records.map((record, index) => ({ ...place, seq: index + 1, ...record })),
        'sluice',
      ),
    ).map((line) => line.trim())
  }
  const told = lines()
  assert.deepEqual(told.slice(told.indexOf('not allowed 1 call')).slice(0, 2), ['not allowed 1 call', 'Bash rm x'])
  const called = { call: 'a', turn: 1, name: 'Bash', toolKind: 'execute' }
  const other = lines({ kind: 'tool.start', ...called }, { kind: 'tool.end', ...called, status: 'denied' })
  assert.ok(!other.some((line) => line.startsWith('not allowed')))
})
