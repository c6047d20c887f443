import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { compileRules } from '../analyze/rules.ts'
import type { Event, EventOf, Kind, Payload, Place } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createNotifier, type Notifier, type NotifierParts } from './notify.ts'
import { webhookOf } from './notify-webhook.ts'
import { createPipeline } from './pipeline.ts'

const env = { PATH: process.env['PATH'] }
const place: Place = { session: 's1', run: 'run-1', at: 5 }
const event = <K extends Kind>(kind: K, payload: Payload<K>, more: Place = {}): Event => makeEvent(kind, payload, { ...place, ...more })
const ended = event('session.end', { reason: 'error', error: { category: 'provider', text: 'HTTP 500' } })
/** A phrase that the built-in rules take for a finding, each time in a message of its own. */
const finding = (n: number): Event => event('text.end', { text: `[FINDING] number ${n}`, streamed: false }, { message: `m${n}` })

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-notify-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

type Told = Notifier & { notices: EventOf<'notice'>[] }
function notifier(t: TestContext, parts: Partial<NotifierParts>): Told {
  const notices: EventOf<'notice'>[] = []
  const emit = (one: Event): void => void notices.push(one as EventOf<'notice'>)
  const one = createNotifier({ cwd: '/', env, now: () => 7, emit, ...parts })
  t.after(() => one.settled())
  return { ...one, notices }
}
const linesIn = (path: string): Record<string, unknown>[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : []

test('milestones and findings are told, in order, and activity is not', async (t) => {
  const cwd = folder(t)
  const { push, settled, notices } = notifier(t, { command: 'cat >> log', cwd })
  const events = [
    event('session.start', {}),
    event('text.end', { text: 'hello', streamed: false }, { message: 'm' }),
    event('permission.request', { id: 'p', question: 'May it\nrun make?', options: [] }),
    finding(1),
    ended,
  ]
  for (const one of events) push(one)
  await settled()
  const [asked, found, end, ...more] = linesIn(join(cwd, 'log'))
  assert.deepEqual(more, [])
  assert.deepEqual(asked, {
    class: 'MILESTONE',
    rule: 'permission.request',
    run: 'run-1',
    session: 's1',
    text: 'May it run make?',
    event: JSON.parse(JSON.stringify(events[2])),
  })
  assert.deepEqual([found!['class'], found!['text']], ['FINDING', '[FINDING] number 1'])
  assert.equal(end!['text'], 'session ended: error: HTTP 500')
  assert.deepEqual(notices, [])
})

test('rules of a person decide before the built-in ones', async (t) => {
  const cwd = folder(t)
  const rules = await compileRules(JSON.stringify({ rules: [{ name: 'starts', kind: 'session.start', class: 'MILESTONE' }] }))
  const { push, settled } = notifier(t, { command: 'cat >> log', cwd, rules })
  push(event('session.start', {}))
  await settled()
  assert.equal(linesIn(join(cwd, 'log')).length, 1)
})

test('the webhook gets the same message, at its own pace', async (t) => {
  const cwd = folder(t)
  const bodies: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void (server.closeAllConnections(), server.close()))
  const webhook = webhookOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {})
  const { push, settled } = notifier(t, { command: 'cat >> log', cwd, webhook })
  push(finding(1))
  push(ended)
  await settled()
  assert.equal(readFileSync(join(cwd, 'log'), 'utf8'), bodies.map((body) => `${body}\n`).join(''))
  assert.equal(bodies.length, 2)
})

test('a flood of findings starts few processes, one after another, and holds nobody up', async (t) => {
  const cwd = folder(t)
  const { push, settled, notices } = notifier(t, { command: 'echo "$$" >> started; cat >> log', cwd, times: { settleMs: 300 } })
  const began = performance.now()
  let slowest = 0
  for (let n = 0; n < 20_000; n++) {
    const at = performance.now()
    push(finding(n))
    slowest = Math.max(slowest, performance.now() - at)
    if (n % 500 === 0) await sleep(20)
  }
  const took = performance.now() - began
  const sofar = linesIn(join(cwd, 'log'))
  assert.ok(sofar.length <= took / 100 + 1, `${sofar.length} processes in ${took} ms`)
  assert.ok(slowest < 100, `a push took ${slowest} ms`)
  await settled()
  const log = linesIn(join(cwd, 'log'))
  assert.ok(log.length < 200)
  const missed = log.reduce((sum, { missed: count = 0 }) => sum + (count as number), 0)
  assert.ok(missed > 0)
  const last = notices.at(-1)
  assert.match(
    last!.text,
    /^--on-milestone: \d+ messages? of 20000 arrived; .*gave way to newer ones, \d+ still waited when the run was over$/,
  )
  const tally = last!.data as { delivered: number; failed: number; dropped: number; late: number }
  assert.equal(tally.delivered + tally.failed + tally.dropped + tally.late, 20_000)
})

test('failures come back as a few notices, and are never told themselves', async (t) => {
  const cwd = folder(t)
  const rules = await compileRules(JSON.stringify({ rules: [{ name: 'all', kind: 'notice', class: 'MILESTONE' }] }))
  const told: Event[] = []
  const sinks: Notifier[] = []
  const pipeline = createPipeline([], [{ push: (one) => sinks[0]!.push(one), flush() {}, end() {} }], 'run-9')
  const emit = (one: Event): void => {
    told.push(one)
    pipeline.emit([one])
  }
  sinks.push(
    createNotifier({ command: 'echo x >> ran; echo "no: $(cat)" >&2; exit 1', cwd, env, rules, now: () => 7, emit, times: { gapMs: 0 } }),
  )
  for (let n = 0; n < 8; n++) pipeline.emit([finding(n)])
  while (told.length < 3) await sleep(5)
  await sinks[0]!.settled()
  assert.equal(readFileSync(join(cwd, 'ran'), 'utf8').length, 16)
  assert.equal(told.length, 4)
  const [first, , third, last] = told as EventOf<'notice'>[]
  assert.deepEqual(
    [first!.level, first!.code, first!.synthetic, first!.session, first!.at],
    ['warn', 'hook-failed', 'policy:notify', 's1', 7],
  )
  assert.match(first!.text, /^--on-milestone: the command ended with code 1: "/)
  assert.ok(first!.text.length < 600)
  assert.match(third!.text, /further failures are told at the end$/)
  assert.match(last!.text, /0 messages of 8 arrived; 8 failed/)
})

test('a command that hangs is ended a while after the run, and so is the notifier', async (t) => {
  const { push, settled, notices } = notifier(t, { command: 'sleep 1000', times: { settleMs: 100 } })
  push(finding(1))
  push(ended)
  const began = performance.now()
  await settled()
  assert.ok(performance.now() - began < 10_000)
  assert.deepEqual(
    notices.map(({ text: words }) => words),
    [
      '--on-milestone: the run was over before the command was',
      '--on-milestone: 0 messages of 2 arrived; 1 failed, 1 still waited when the run was over',
    ],
  )
  push(finding(2))
  await settled()
  assert.equal(notices.length, 2)
})

test('the end of the pipeline is the end of the notifier', async (t) => {
  const cwd = folder(t)
  const one = notifier(t, { command: 'cat >> log', cwd })
  const pipeline = createPipeline([], [one], 'run-2')
  pipeline.emit([ended])
  pipeline.end()
  await one.settled()
  assert.equal(linesIn(join(cwd, 'log'))[0]!['run'], 'run-2')
})

test('an event that is very large goes without what it carries', async (t) => {
  const cwd = folder(t)
  const { push, settled } = notifier(t, { command: 'cat >> log', cwd })
  push(event('permission.request', { id: 'p', question: 'Write?', options: [], input: { text: 'x'.repeat(2 << 20) } }))
  await settled()
  const [message] = linesIn(join(cwd, 'log'))
  assert.deepEqual(message, {
    class: 'MILESTONE',
    rule: 'permission.request',
    run: 'run-1',
    session: 's1',
    text: 'Write?',
    cut: true,
    event: { v: 1, seq: 0, at: 5, kind: 'permission.request', run: 'run-1', session: 's1' },
  })
})

test('that a session is done is told by its end alone, which says how', async (t) => {
  const cwd = folder(t)
  const { push, settled } = notifier(t, { command: 'cat >> log', cwd })
  push(event('status.update', { phase: 'done', source: 'avenor' }))
  push(event('session.end', { reason: 'timeout', error: { category: 'timeout', text: 'timed out after 1s' } }))
  await settled()
  assert.deepEqual(
    linesIn(join(cwd, 'log')).map(({ text: said }) => said),
    ['session ended: timeout: timed out after 1s'],
  )
})
