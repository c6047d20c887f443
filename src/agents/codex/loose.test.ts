// A program that leaves things out: the name of a turn, the thread itself.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { Rec } from '../../base/json.ts'
import { message, play, tells, turn, well } from '../rpc-support.test.ts'
import { whole } from '../support.test.ts'

const [, ...rest] = well.codex['turn/start']
const nameless = { id: '$id', result: {} }
const stopped = [{ id: '$id', result: {} }, tells('turn/completed', turn('t1', 'interrupted'))]
const stop = { type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' } as const

test('a turn is waited for though the answer to its prompt names none, and the next prompt waits for its end', async () => {
  for (const answer of [nameless, { id: '$id', result: { turn: {} } }, { id: '$id', result: { turn: { id: null } } }]) {
    const running = play('codex', { 'turn/start': [answer, ...rest] }, { prompts: ['one', 'two'] })
    assert.deepEqual([(await whole(running)).reason, running.of('turn.end').length], ['end_turn', 2])
    const course = running.events.flatMap((event) =>
      event.kind === 'prompt.submit' ? [event.text] : event.kind === 'turn.end' ? ['end'] : [],
    )
    assert.deepEqual(course, ['one', 'end', 'two', 'end'])
  }
})

test('a program that leaves without a turn has done nothing, whatever it answered', async () => {
  const { reason, error } = await whole(play('codex', { 'turn/start': [nameless, 'exit 0'] }))
  assert.equal(reason, 'cut')
  assert.match(error!.text, /^Codex ended before its turn did/)
})

test('a turn that nothing announced is interrupted by the name that its items give it', async () => {
  for (const lines of [
    [nameless, message('hi')],
    [nameless, tells('turn/started', { turn: {} }), message('hi')],
  ]) {
    const running = play('codex', { 'turn/start': lines, 'turn/interrupt': stopped }, { times: { interruptMs: 2000 } })
    await running.until('text.end')
    running.send(stop)
    assert.equal((await whole(running)).reason, 'cancelled')
    assert.equal(running.of('turn.end')[0]!.synthetic, undefined)
    assert.ok(running.heard().some((line) => line.includes('"turn/interrupt"') && line.includes('"turnId":"t1"')))
  }
})

test('a turn without any name, or one that never begins, is stopped with its program', async () => {
  for (const lines of [[nameless], [nameless, tells('item/completed', { item: { type: 'agentMessage', id: 'i1', text: 'hi' } })]]) {
    const running = play('codex', { 'turn/start': lines, '(eof)': [] })
    await running.until(lines.length === 1 ? 'prompt.submit' : 'text.end')
    running.send(stop)
    const { reason, error } = await whole(running)
    assert.equal(reason, 'cancelled')
    assert.match(error!.text, /Codex did not end its turn, so it was ended/)
  }
})

test('an interrupt of a prompt that is refused does not stop the next one', async () => {
  const refused = [{ id: '$id', error: { code: 1, message: 'no' } }]
  const running = play('codex', { 'turn/start': [refused, well.codex['turn/start']] }, { prompts: ['one', 'two'] })
  running.send(stop)
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.ok(running.heard().every((line) => !line.includes('turn/interrupt')))
})

test('an answer without a thread is a failure that says so, also of a program that stays', async () => {
  for (const result of [{}, null, { thread: {} }, { thread: { id: 5 } }, 'yes']) {
    const running = play('codex', { 'thread/start': [{ id: '$id', result }], '(eof)': [] }, { times: { lingerMs: 60 } })
    const { reason, error } = await whole(running)
    assert.equal(reason, 'error')
    assert.match(error!.text, /^Codex opened no thread: /)
  }
})

test('what Codex refuses between us and it is told, and the run goes on', async () => {
  const running = play('codex', { 'config/read': [{ id: '$id', error: { code: 1, message: 'no such method' } }] })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.deepEqual(
    running.of('notice').map(({ code, text }) => [code, text]),
    [['config/read', 'Codex refused config/read: no such method']],
  )
})

test('that a version cannot tell its settings is no news, and what they forbid stays forbidden', async () => {
  const home = mkdtempSync(join(tmpdir(), 'codex-'))
  writeFileSync(join(home, 'config.toml'), '[profiles.a]\nsandbox_mode = "read-only"\napproval_policy="never"\n')
  const env = { PATH: process.env['PATH'], CODEX_HOME: home }
  for (const error of [
    { code: -32601, message: 'Method not found' },
    { code: -32600, message: 'Invalid request: unknown variant `config/read`, expected one of `initialize`' },
  ]) {
    const running = play('codex', { 'config/read': [{ id: '$id', error }] }, { more: { env } })
    assert.equal((await whole(running)).reason, 'end_turn')
    assert.equal(running.of('notice').length, 0)
    const { params } = running
      .heard()
      .map((line) => JSON.parse(line) as Rec)
      .find(({ method }) => method === 'thread/start')!
    assert.partialDeepStrictEqual(params, { sandbox: 'read-only', approvalPolicy: 'on-request' })
  }
  rmSync(home, { recursive: true })
})

test('a question under the id null is refused', async () => {
  const question = { id: null, ...tells('item/commandExecution/requestApproval', { turnId: 't1', itemId: 'x', command: 'ls' }) }
  const ends = [tells('turn/completed', turn('t1', 'completed'))]
  const running = play('codex', { 'turn/start': [nameless, tells('turn/started', turn('t1')), question], '(reply)': ends })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.equal(running.asks.length, 0)
})

test('of two questions under one name neither is answered; one that is only said again is', async () => {
  const asks = (command: string): Rec => ({
    id: 'q',
    ...tells('item/commandExecution/requestApproval', { turnId: 't1', itemId: 'x', command }),
  })
  const begin = well.codex['turn/start'].slice(0, 2)
  const end = { '(reply)': [tells('turn/completed', turn('t1', 'completed'))] }
  const running = play('codex', { 'turn/start': [...begin, asks('ls'), asks('rm -r x')], ...end })
  await whole(running)
  assert.deepEqual([running.asks.length, running.withdrawn], [1, ['q']])
  const replies = running.heard().filter((line) => line.includes('"q"'))
  assert.deepEqual([replies.length, /"error"/.test(replies[0]!)], [1, true])
  const again = play('codex', { 'turn/start': [...begin, asks('ls'), asks('ls'), message('hi')], ...end })
  await again.until('text.end')
  again.send({ type: 'permission', id: 'q', answer: { decision: 'allow', by: 'user' } })
  await whole(again)
  assert.match(again.heard().at(-1)!, /"accept"/)
})
