import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { claude } from '../dialects/claude/index.ts'
import type { Dialect } from '../dialects/contract.ts'
import type { Driver } from './driver.ts'
import { headlessTalk } from './headless.ts'
import { timeouts } from './timeouts.ts'
import { startSpawned } from './spawned.ts'
import { fixture, hear, session, whole } from './support.test.ts'

const driver = (mode: string, ...more: string[]): Driver => ({
  title: 'The program',
  name: 'fault',
  dialect: claude,
  program: {
    file: process.execPath,
    args: [fixture('agents/fault.mjs'), mode, ...more],
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
  },
  talk: headlessTalk,
})
const request = { session, how: 'new', profile: 'default' } as const
const times = { ...timeouts, interruptMs: 150, termMs: 100, lingerMs: 150, drainMs: 60 }

function start(mode: string | Driver, ...more: string[]) {
  const running = hear((host) => startSpawned(typeof mode === 'string' ? driver(mode, ...more) : mode, request, host, times))
  running.send({ type: 'prompt', text: 'go' })
  running.send({ type: 'finish' })
  return running
}

function tempFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return join(folder, 'pid')
}

/** Not counting the dead that nobody has buried. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

async function isGone(file: string): Promise<boolean> {
  const pid = Number(readFileSync(file, 'utf8'))
  assert.ok(pid > 0)
  for (let i = 0; i < 100 && isAlive(pid); i++) await sleep(10)
  return !isAlive(pid)
}

// ── ends ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('a last line without its end counts', async () => {
  const running = start('no-newline')
  const done = await whole(running)
  assert.equal(done.reason, 'end_turn')
  assert.equal(done.text, 'done')
  assert.equal(running.kinds(), 'session.start catalog.update turn.start prompt.submit turn.end session.end')
  assert.equal(running.of('session.start')[0]!.native, '11111111-2222-4333-8444-555555555555')
})

test('a result of another session does not decide the run', async () => {
  const cut = start('foreign-result')
  const done = await whole(cut)
  assert.equal(done.reason, 'cut')
  assert.equal(done.text, undefined)
  assert.equal(done.cost, undefined)
  assert.deepEqual(done.usage, {})
  assert.equal(
    cut.of('turn.end').some(({ text, session: of }) => text === 'foreign' && of !== session),
    true,
  )
  const failed = await whole(start('foreign-result', 'failed'))
  assert.equal(failed.reason, 'error')
  assert.equal(failed.text, 'it failed')
})

test('an unknown record is kept whole, however long', async () => {
  const running = start('unknown-records')
  assert.equal((await whole(running)).reason, 'end_turn')
  const [long, bare] = running.of('raw').filter(({ why }) => why === 'unknown')
  assert.equal((JSON.parse(long!.raw!) as { text: string }).text.length, 100_000)
  assert.equal(bare!.type, '')
})

test('nothing is waited for when it is over', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  const running = hear((host) => startSpawned(driver('no-newline'), request, host, { ...times, drainMs: 60_000 }))
  running.send({ type: 'prompt', text: 'go' })
  running.send({ type: 'finish' })
  await running.done
  assert.equal(timers(), before)
})

test('the turns of a session that goes on are counted on', async () => {
  const running = hear((host) => startSpawned(driver('no-newline'), { ...request, how: 'resumed', turns: 2 }, host, times))
  running.send({ type: 'prompt', text: 'go' })
  running.send({ type: 'finish' })
  await running.done
  assert.deepEqual([...new Set(running.events.map(({ turn }) => turn))], [undefined, 3])
})

test('a stream that is cut in the middle of a record is told, also when the exit code is 0', async () => {
  const running = start('half')
  const { reason, error } = await whole(running)
  assert.equal(reason, 'cut')
  assert.match(error!.text, /ended before its turn did, with exit code 0/)
  assert.equal(running.of('issue')[0]!.code, 'cut')
  assert.equal(running.of('session.end')[0]!.exitCode, 0)
})

test('an exit code other than 0 is a failure, with what the program said last', async () => {
  const running = start('exit', '7')
  const { reason, error } = await whole(running)
  assert.equal(reason, 'error')
  assert.equal(error!.code, '7')
  assert.equal(error!.text, 'The program ended with exit code 7: first words\nlast words')
  assert.equal(running.of('session.end')[0]!.exitCode, 7)
  assert.equal(running.of('tool.end')[0]!.status, 'abandoned')
  assert.deepEqual(running.of('notice')[0]!.data, { bytes: 23, text: 'first words\nlast words\n' })
  assert.equal(running.of('error')[0]!.fatal, true)
})

test('an exit code after a good result is believed more than the result', async () => {
  const { reason, error } = await whole(start('exit-after-result', '3'))
  assert.equal(reason, 'error')
  assert.match(error!.text, /said that it was done, and then ended with exit code 3/)
})

test('a program that was killed, or ran out of memory, has failed', async () => {
  const killed = start('killed')
  assert.match((await whole(killed)).error!.text, /ended by SIGKILL/)
  assert.equal(killed.of('session.end')[0]!.signal, 'SIGKILL')
  assert.equal((await whole(start('out-of-memory'))).error!.category, 'oom')
})

test('a program that says nothing leaves a session with its prompt and a reason', async () => {
  const running = start('silent')
  assert.equal((await whole(running)).reason, 'cut')
  assert.equal(running.kinds(), 'session.start prompt.submit error session.end')
})

test('a program that is not there is told, with what to do', async () => {
  const missing = { ...driver('x'), program: 'it is not installed; install it with: npm i' }
  const running = start(missing)
  assert.equal((await whole(running)).error!.text, 'it is not installed; install it with: npm i')
  assert.equal(running.kinds(), 'session.start prompt.submit error session.end')

  const { program } = driver('x')
  const unknown = start({ ...driver('x'), program: { ...(program as object), file: '/no/such/program' } as never })
  assert.match((await whole(unknown)).error!.text, /there is no program "\/no\/such\/program"/)
  const nowhere = start({ ...driver('x'), program: { ...(program as object), cwd: '/no/such/folder' } as never })
  assert.match((await whole(nowhere)).error!.text, /could not be started: .*ENOENT/)
})

// ── floods ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('lines that are no records are told, and a flood of them by its number', async () => {
  const few = start('noise')
  assert.equal((await whole(few)).reason, 'end_turn')
  assert.deepEqual(
    few.of('issue').map(({ code, raw }) => [code, raw]),
    [
      ['noise', 'Welcome!'],
      ['bad-json', '{"type": nonsense}'],
    ],
  )
  const many = start('flood-noise')
  assert.equal((await whole(many)).reason, 'end_turn')
  assert.equal(many.of('issue').length, 200)
  const count = (many.of('notice')[0]!.data as { count: number }).count
  assert.ok(count > 1_000_000)
})

test('one endless line is left out, and memory stays bounded', async () => {
  const before = process.memoryUsage().rss
  const running = start('flood-line')
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.equal(running.of('issue')[0]!.code, 'too-long')
  assert.ok(process.memoryUsage().rss - before < 200 * 2 ** 20)
})

test('of a flood on stderr the end is kept', async () => {
  const running = start('flood-stderr')
  const { error } = await whole(running)
  assert.ok(error!.text.endsWith('the last word'))
  assert.ok(error!.text.length < 1000)
  const { bytes, text } = running.of('notice')[0]!.data as { bytes: number; text: string }
  assert.ok(bytes > 100 * 2 ** 20)
  assert.ok(text.length <= 64 * 1024 && text.endsWith('the last word\n'))
})

// ── what does not end by itself ──────────────────────────────────────────────────────────────────────────────────────────

test('a program that lives on after its work is ended, and its result counts', async () => {
  const running = start('lingers')
  const { reason, text } = await whole(running)
  assert.deepEqual([reason, text], ['end_turn', 'done'])
  assert.equal(running.of('notice')[0]!.code, 'lingering')
})

test('one that is known to stay is not waited for, and nothing is told of it', async () => {
  const running = start({ ...driver('lingers'), stays: true })
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.equal(running.of('notice').length, 0)
})

test('a program that closes its output and stays is ended, and has failed', async () => {
  const running = start('closes-stdout')
  const { reason, error } = await whole(running)
  assert.deepEqual([reason, error!.code], ['error', 'silent'])
  assert.deepEqual([running.of('notice')[0]!.code, running.of('notice')[0]!.text], ['silent', error!.text])
  const { signal, exitCode } = running.of('session.end')[0]!
  assert.deepEqual([signal, exitCode], [undefined, undefined]) // it did not end by itself
})

test('a program that asks when its input is closed can only be refused, and is not waited for', async () => {
  const running = start('asks-late')
  const { reason, error } = await whole(running)
  assert.deepEqual([reason, error!.code], ['error', 'unheard'])
  assert.deepEqual(
    running.asks.map(({ id, onlyNo }) => [id, onlyNo]),
    [['q1', 'The input of the agent is closed: no answer can reach it.']],
  )
})

test('a program that lives on after its work is ended however much it talks', async () => {
  const running = start('talks-on')
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.equal(running.of('notice')[0]!.code, 'lingering')
  for (const what of ['turn', 'question']) {
    const { reason, error } = await whole(start('talks-on', what))
    assert.deepEqual([reason, error!.code], ['error', 'lingering'])
    assert.match(error!.text, /went on unasked after all that it was given was done; it was ended after/)
  }
})

test('what is used up is used up for a subagent as well: it is stopped after its step', async () => {
  const running = start('subagent')
  await running.until('task.start')
  running.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'budget', when: 'step', text: 'cap', code: 'max_tokens' })
  assert.equal((await whole(running)).reason, 'budget')
  const calls = running.of('tool.end').filter(({ agent }) => agent !== undefined)
  assert.equal(calls[0]!.status, 'ok')
  assert.ok(calls.length < 5, `${calls.length} calls were made`)
})

test('who cannot wait for the end of a step is heeded, and the first cause stays', async () => {
  const running = start('calls-for-ever')
  await running.until('tool.start')
  const cap = { type: 'cancel', target: 'session', by: 'policy', reason: 'budget', text: 'cap', code: 'max_tokens' } as const
  running.send({ ...cap, when: 'step' })
  running.send({ type: 'cancel', target: 'session', by: 'user', reason: 'cancelled', signal: 'SIGINT' })
  const { reason, error } = await whole(running)
  assert.deepEqual([reason, error!.code], ['budget', 'max_tokens'])
})

test('a cancelled program that ignores TERM is killed', async () => {
  const running = start('ignores-term')
  await running.until('turn.start')
  const began = Date.now()
  running.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'timeout', text: 'it took too long', code: '1s' })
  const { reason, error } = await whole(running)
  assert.equal(reason, 'timeout')
  assert.deepEqual(error, { category: 'timeout', text: 'it took too long', code: '1s', http: undefined, retryable: undefined })
  assert.ok(Date.now() - began < 2000)
  assert.equal(running.of('cancel.request')[0]!.by, 'policy')
  assert.equal(running.of('turn.end')[0]!.reason, 'timeout')
})

test('a turn that does not let itself be interrupted takes the session with it', async () => {
  const running = start('ignores-term')
  await running.until('turn.start')
  running.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' })
  const { reason, error } = await whole(running)
  assert.equal(reason, 'cancelled')
  assert.match(error!.text, /did not end its turn, so it was ended/)
})

test('a forced end waits for nobody', async () => {
  const running = start('ignores-term')
  await running.until('turn.start')
  running.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'cancelled_forced', text: 'now', signal: 'SIGINT' })
  const count = running.events.length
  assert.equal(running.events.at(-1)!.kind, 'session.end')
  const { reason, forced } = await whole(running)
  assert.deepEqual([reason, forced], ['cancelled_forced', true])
  await sleep(50)
  assert.equal(running.events.length, count)
})

test('an end that must be forced says why it had to end', async () => {
  const running = start('ignores-term')
  await running.until('turn.start')
  running.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'timeout', text: 'the time is up', code: 'timeout' })
  running.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'cancelled_forced', text: 'the time is up' })
  const { reason, error, forced } = await whole(running)
  assert.deepEqual([reason, error?.category, forced], ['timeout', 'timeout', true])
})

test('a cancel before the program has said anything still makes a whole session', async () => {
  const program = { file: '/bin/sh', args: ['-c', 'trap "" TERM; sleep 30'], cwd: '/', env: { PATH: process.env['PATH'] ?? '' } }
  const running = start({ ...driver(''), program })
  running.send({ type: 'cancel', target: 'session', by: 'user', reason: 'cancelled', text: 'stopped by SIGINT', signal: 'SIGINT' })
  assert.equal((await whole(running)).reason, 'cancelled')
  assert.equal(running.kinds(), 'session.start cancel.request prompt.submit session.end')
  assert.equal(running.of('session.end')[0]!.signal, 'SIGINT')
})

// ── what is left behind ──────────────────────────────────────────────────────────────────────────────────────────────────

for (const mode of ['holds-pipe', 'holds-pipe-talking', 'setsid']) {
  test(`nothing is left: ${mode}`, { skip: mode === 'setsid' && process.platform !== 'linux' }, async (t) => {
    const file = tempFile(t)
    const running = start(mode, file)
    assert.equal((await whole(running)).reason, 'end_turn')
    assert.ok(await isGone(file))
  })
}

test('a fault of ours in what a record leads to ends the session once, with its reason, and no process is left', async () => {
  for (const when of ['record', 'end'] as const) {
    const faulty: Dialect = {
      ...claude,
      decoder() {
        const decoder = claude.decoder()
        return {
          ...decoder,
          push(record, origin, shape) {
            if (when === 'record' && record['type'] === 'assistant') throw new TypeError('x is not a function')
            return decoder.push(record, origin, shape)
          },
          end(cause) {
            if (when === 'end') throw new TypeError('x is not a function')
            return decoder.end(cause)
          },
        }
      },
    }
    const running = start({ ...driver('exit', '0'), dialect: faulty })
    const done = await running.done
    assert.equal(running.of('session.end').length, 1)
    assert.equal(running.events.at(-1)!.kind, 'session.end')
    if (when === 'record') assert.deepEqual([done.reason, done.error?.code], ['error', 'internal'])
    assert.equal(done.reason === 'end_turn', false)
  }
})
