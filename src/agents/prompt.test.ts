// What became of each prompt is told once: the agent got it, or it did not.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Event } from '../model/event.ts'
import type { Driver } from './driver.ts'
import { headlessTalk } from './headless.ts'
import { fails, type Kind, play, says, type Table } from './rpc-support.test.ts'
import { acp } from '../dialects/acp/index.ts'
import { timeouts } from './timeouts.ts'
import { startSpawned } from './spawned.ts'
import { hear, session, whole } from './support.test.ts'

const stop = { type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' } as const
const end = { type: 'cancel', target: 'session', by: 'user', reason: 'cancelled' } as const
const prompts = ['one', 'two']
const told = ({ events }: { events: readonly Event[] }): string[] =>
  events.flatMap((event) => (event.kind === 'prompt.submit' ? [`${event.text} ${event.state}`] : []))
/** Those that the program got. */
const got = ({ heard }: { heard(): string[] }): string[] =>
  heard().flatMap((line) => (/session\/prompt|turn\/start/.test(line) ? [...(/"text":"(\w+)"/.exec(line) ?? [])].slice(1) : []))
const dropped = ({ of }: Pick<ReturnType<typeof play>, 'of'>): string[] =>
  of('notice').flatMap(({ code, text }) => (code === 'dropped' ? [text] : []))

test('a prompt that is taken back before there is a session is told as not sent, and those after it once', async () => {
  const one = play('acp', {})
  one.send(stop)
  assert.equal((await whole(one)).reason, 'cancelled')
  assert.deepEqual([told(one), got(one)], [['one queued'], []])
  assert.deepEqual(dropped(one), ['rpc.mjs never got this prompt: "one"'])

  const two = play('acp', {}, { prompts })
  two.send(stop)
  assert.equal((await whole(two)).reason, 'end_turn')
  assert.deepEqual([told(two), got(two)], [['one queued', 'two sent'], ['two']])
})

test('with its only prompt taken back, an agent that never opens its session is not waited for', async () => {
  const running = play('acp', { initialize: [] })
  await new Promise((resolve) => setTimeout(resolve, 100)) // it runs, and says nothing
  running.send(stop)
  assert.equal((await whole(running)).reason, 'cancelled')
  assert.deepEqual(told(running), ['one queued'])
})

test('prompts that still wait when the session is over were not sent', async () => {
  const cases: readonly [Kind, Table, string[]][] = [
    ['acp', { initialize: ['exit 3'] }, ['one queued', 'two queued']],
    ['acp', { 'session/new': [fails('$id', 1, 'no')] }, ['one queued', 'two queued']],
    ['acp', { 'session/prompt': ['exit 3'] }, ['one sent', 'two queued']],
    ['codex', { 'thread/start': ['exit 3'] }, ['one queued', 'two queued']],
    ['codex', { 'thread/start': [fails('$id', 1, 'no')] }, ['one queued', 'two queued']],
    ['codex', { 'turn/start': ['exit 3'] }, ['one sent', 'two queued']],
  ]
  for (const [kind, table, expected] of cases) {
    const running = play(kind, table, { prompts })
    assert.equal((await whole(running)).reason, 'error')
    assert.deepEqual(told(running), expected, JSON.stringify(table))
    assert.equal(got(running).length, expected.filter((one) => one.endsWith('sent')).length)
  }
})

test('a prompt that waits while the session is cancelled is not sent, though its turn would come', async () => {
  const late = [says(3, { stopReason: 'cancelled' })]
  for (const isEarly of [true, false]) {
    const running = play('acp', { 'session/prompt': [], 'session/cancel': late }, { prompts })
    if (!isEarly) await running.until('turn.start')
    running.send(end)
    assert.equal((await whole(running)).reason, 'cancelled')
    assert.deepEqual(told(running), [isEarly ? 'one queued' : 'one sent', 'two queued'])
    assert.deepEqual(got(running), isEarly ? [] : ['one'])
  }
})

test('a prompt that comes when the input is closed is told as not sent', async () => {
  for (const kind of ['acp', 'codex'] as const) {
    const running = play(kind, { '(eof)': [] }, { times: { lingerMs: 300 } })
    await running.until('turn.end')
    await new Promise((resolve) => setTimeout(resolve, 20))
    running.send({ type: 'prompt', text: 'late' })
    assert.equal((await whole(running)).reason, 'end_turn')
    assert.deepEqual([told(running), got(running)], [['one sent', 'late queued'], ['one']])
  }
  const lost = play('acp', { 'session/new': [fails('$id', 1, 'no')], '(eof)': [] }, { isOpen: true })
  await lost.until('turn.end')
  lost.send({ type: 'prompt', text: 'late' })
  lost.send(end)
  await whole(lost)
  assert.deepEqual(told(lost), ['one queued', 'late queued'])
})

test('what a program that takes one prompt was given is told once; a second is not sent, nor is any to a program that does not start', async () => {
  const request = { session, how: 'new', profile: 'default' } as const
  const times = { ...timeouts, drainMs: 60, termMs: 100 }
  const program = { file: '/bin/sh', args: ['-c', 'cat >/dev/null'], cwd: '/', env: { PATH: process.env['PATH'] ?? '' } }
  const driver: Driver = { title: 'It', name: 'it', dialect: acp, program, talk: headlessTalk }
  const running = hear((host) => startSpawned(driver, request, host, times))
  for (const text of prompts) running.send({ type: 'prompt', text })
  running.send({ type: 'finish' })
  await whole(running)
  assert.deepEqual(told(running).toSorted(), ['one sent', 'two queued'])

  const missing = hear((host) => startSpawned({ ...driver, program: 'it is not installed' }, request, host, times))
  missing.send({ type: 'prompt', text: 'one' })
  missing.send({ type: 'finish' })
  assert.equal((await whole(missing)).error!.code, 'not-started')
  assert.deepEqual(told(missing), ['one queued'])
})
