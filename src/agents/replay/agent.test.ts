import assert from 'node:assert/strict'
import { createReadStream, readFileSync } from 'node:fs'
import test from 'node:test'
import { claude } from '../../dialects/claude/index.ts'
import { opencode } from '../../dialects/opencode/index.ts'
import type { Dialect } from '../../dialects/contract.ts'
import type { Event, EventOf } from '../../model/event.ts'
import { fixture, hear } from '../support.test.ts'
import { startReplay } from './agent.ts'

const replay = (path: string, dialect: Dialect, speed: number) =>
  hear((host) => startReplay({ session: 'own', dialect, read: () => createReadStream(fixture(path)), speed }, host))

const made = (...records: object[]) => {
  const bytes = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return async function* () {
    yield bytes
  }
}

const decoded = (path: string, dialect: Dialect): Event[] => {
  const decoder = dialect.decoder()
  const lines = readFileSync(fixture(path), 'utf8').trimEnd().split('\n')
  const origin = { dialect: dialect.name, record: 1, offset: 0, length: 0 }
  return [...lines.flatMap((line) => decoder.push(JSON.parse(line) as never, origin)), ...decoder.end()]
}
const kindsOf = (events: readonly Event[]): string => events.map(({ kind }) => kind).join(' ')

for (const [path, dialect] of [
  ['claude/2.1.325/g-subagent.ndjson', claude],
  ['claude/2.1.325/j-permission-allow.ndjson', claude],
  ['opencode/1.18.33/run/b-read.ndjson', opencode],
] as const) {
  test(`at once, all is told as it was recorded: ${path}`, async () => {
    const running = replay(path, dialect, Infinity)
    running.send({ type: 'prompt', text: 'this changes nothing' })
    running.send({ type: 'finish' })
    const { reason } = await running.done
    assert.equal(kindsOf(running.events), kindsOf(decoded(path, dialect)))
    assert.equal(reason, running.of('session.end').at(-1)!.reason)
    assert.deepEqual(running.asks, [])
  })
}

const timed = (...times: number[]) =>
  made(...times.map((ms) => ({ type: 'user', session_id: 's', message: { content: 'x' }, timestamp: new Date(1e12 + ms).toISOString() })))

test('the pace is that of the recording, divided by the speed', async () => {
  const began = Date.now()
  const running = hear((host) => startReplay({ session: 'own', dialect: claude, read: timed(0, 400, 800), speed: 4 }, host))
  await running.done
  const gaps = running.of('prompt.submit').map(({ at }) => at! - began)
  assert.equal(gaps.length, 3)
  assert.ok(gaps[0]! < 90 && gaps[1]! >= 95 && gaps[1]! < 190 && gaps[2]! >= 195, gaps.join())
})

test('a stop ends what was told, and nothing that was not', async () => {
  const call = {
    type: 'assistant',
    session_id: 's',
    message: { id: 'm', content: [{ type: 'tool_use', id: 'c', name: 'Bash', input: {} }] },
  }
  const later = { ...call, timestamp: new Date(1e12 + 60_000).toISOString(), message: { ...call.message, id: 'm2' } }
  const read = made({ ...call, timestamp: new Date(1e12).toISOString() }, later)
  const running = hear((host) => startReplay({ session: 'own', dialect: claude, read, speed: 1 }, host))
  await running.until('tool.start')
  running.send({ type: 'cancel', target: 'session', by: 'user', reason: 'cancelled', text: 'enough', signal: 'SIGINT' })
  const { reason, error } = await running.done
  assert.deepEqual([reason, error!.text], ['cancelled', 'enough'])
  assert.equal(running.kinds(), 'session.start turn.start message.start tool.start tool.end message.end turn.end session.end')
  assert.equal((running.events.at(-1) as EventOf<'session.end'>).signal, 'SIGINT')
})

test('a recording that holds nothing, or cannot be read, is a session that failed', async () => {
  const empty = hear((host) => startReplay({ session: 'own', dialect: claude, read: made(), speed: 1 }, host))
  assert.match((await empty.done).error!.text, /holds no session/)
  assert.equal(empty.kinds(), 'session.start session.end')
  const missing = replay('no-such-file.ndjson', claude, 1)
  assert.match((await missing.done).error!.text, /could not be read: ENOENT/)
  assert.equal(missing.events.at(-1)!.session, 'own')
})
