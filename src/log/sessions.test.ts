import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { after, test } from 'node:test'
import { makeEvent } from '../model/make.ts'
import { SessionTaken } from './claim.ts'
import { claim, listSessions, openSessionLog, readSession, SessionNotFound, sessionsFolder, startOf } from './sessions.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-log-'))
after(() => rmSync(folder, { recursive: true }))
let made = 0
const place = (): string => join(folder, String(++made), 'sessions')
const delta = (seq: number, text: string) => ({ ...makeEvent('text.delta', { text }, { session: 's' }), seq })

test('what is appended is read back, in order, by nobody else', async () => {
  const at = place()
  const log = openSessionLog(at, 's')
  log.append(delta(1, 'a'))
  log.append(delta(2, 'b\n'))
  log.close()
  const events = await readSession(at, 's')
  assert.deepEqual(
    events.map((event) => [event.seq, event.kind === 'text.delta' && event.text]),
    [
      [1, 'a'],
      [2, 'b\n'],
    ],
  )
  assert.equal(statSync(log.path).mode & 0o777, 0o600)
  assert.equal(statSync(at).mode & 0o777, 0o700)
})

test('appended events are in the file after a flush, whole', () => {
  const log = openSessionLog(place(), 's')
  log.append(delta(1, 'a'))
  assert.equal(readFileSync(log.path, 'utf8'), '')
  log.flush()
  assert.match(readFileSync(log.path, 'utf8'), /^\{.*"text":"a"\}\n$/)
  log.close()
})

test('a session that goes on keeps counting, and cuts off a line that was never finished', async () => {
  const at = place()
  const log = openSessionLog(at, 's')
  log.append(delta(1, 'a'))
  log.close()
  appendFileSync(log.path, '{"v":1,"seq":2,"ki')
  const again = openSessionLog(at, 's', 1)
  again.append(delta(1, 'b'))
  again.close()
  assert.deepEqual(
    (await readSession(at, 's')).map(({ seq }) => seq),
    [1, 2],
  )
})

test('a new session never writes into an existing file, and no id leads out of the folder', async () => {
  const at = place()
  openSessionLog(at, 's').close()
  assert.throws(() => openSessionLog(at, 's'), { code: 'EEXIST' })
  assert.throws(() => openSessionLog(at, '../s'), /cannot be the id/)
  await assert.rejects(readSession(at, '../s'), SessionNotFound)
  writeFileSync(join(folder, 'other'), '')
  symlinkSync(join(folder, 'other'), join(at, 'linked.ndjson'))
  assert.throws(() => openSessionLog(at, 'linked', 1), { code: 'ELOOP' })
})

test('sessions are listed with the last one first', async () => {
  const at = place()
  for (const id of ['a', 'b']) openSessionLog(at, id).close()
  utimesSync(join(at, 'a.ndjson'), 2_000_000_000, 2_000_000_000)
  assert.deepEqual(await listSessions(at), ['a', 'b'])
  assert.deepEqual(await listSessions(join(at, 'none')), [])
})

test('sessions lie where the user keeps data', () => {
  assert.equal(sessionsFolder({ XDG_DATA_HOME: '/d' }), '/d/sluice/sessions')
  assert.equal(sessionsFolder({ HOME: '/h' }), '/h/.local/share/sluice/sessions')
  assert.equal(sessionsFolder({ HOME: '/h', XDG_DATA_HOME: 'here' }), '/h/.local/share/sluice/sessions')
  for (const HOME of ['here', '']) assert.ok(isAbsolute(sessionsFolder({ HOME })), `HOME=${HOME}`)
})

test('a folder that others may look into is closed, and what is no file of ours is not read', async () => {
  const at = place()
  mkdirSync(at, { recursive: true, mode: 0o777 })
  chmodSync(at, 0o777)
  openSessionLog(at, 's').close()
  assert.equal(statSync(at).mode & 0o777, 0o700)
  execFileSync('mkfifo', [join(at, 'pipe.ndjson')])
  await assert.rejects(readSession(at, 'pipe'), /is not a file/)
  assert.equal(await startOf(at, 'pipe'), undefined)
  if (process.getuid?.() !== 0) return
  chownSync(join(at, 's.ndjson'), 65534, 65534)
  await assert.rejects(readSession(at, 's'), /belongs to somebody else/)
})

test('one process at a time writes to a session', () => {
  const at = place()
  openSessionLog(at, 's').close()
  const lock = join(at, 's.lock')
  const began = readFileSync(`/proc/${process.ppid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[19]
  writeFileSync(lock, `${process.ppid} ${began}`)
  assert.throws(() => claim(at, 's'), SessionTaken)
  assert.throws(() => openSessionLog(at, 's', 1), /process \d+\); wait for its end, or add --fork/)
  openSessionLog(at, 'another').close()
  rmSync(lock)
  const [first, second] = [claim(at, 's'), claim(at, 's')] // a run may go on with its own
  openSessionLog(at, 's', 1, first).close()
  assert.ok(readdirSync(at).includes('s.lock'))
  second.release()
  assert.deepEqual(readdirSync(at).toSorted(), ['another.ndjson', 's.ndjson'])
})

test('what a killed run has left behind holds nobody up', () => {
  const at = place()
  openSessionLog(at, 's').close()
  const gone = String(execFileSync('/bin/sh', ['-c', 'echo $$'])).trim()
  for (const left of [`${gone} 123`, `${process.pid} 123`, '', 'garbage', `${process.pid}`]) {
    writeFileSync(join(at, 's.lock'), left)
    openSessionLog(at, 's', 1).close()
  }
  assert.deepEqual(readdirSync(at), ['s.ndjson'])
})
