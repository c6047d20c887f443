// Whole runs whose sockets and files are attacked from outside and from inside: garbage, floods, false tokens, forged events, and things
// that lie where the run's own should be.
import assert from 'node:assert/strict'
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rec } from '../src/base/json.ts'
import { all, at, eventually, linesOf, type Live, model, one, type Place, place, sluice, start } from './run-support.ts'

const user = process.geteuid!()
const slow = { text: 'word '.repeat(2000), chunk: 5, delay: '20ms' }
const long = { text: 'word '.repeat(100_000), chunk: 20, tools: [{ name: 'glob', input: { pattern: '*' } }] }

async function began(t: TestContext, turns: readonly Rec[], here = place(t)): Promise<{ here: Place; run: Live; args: string[] }> {
  const { args: named } = await model(t, here, 'script', JSON.stringify({ turns }))
  const args = ['run', 'go', '--format', 'sluice', '--run-id', 'r1', ...named]
  const run = start(here, args)
  await run.until('text.delta')
  return { here, run, args }
}
const folder = (here: Place): string => join(here.top, `sluice-${user}`)
const control = (here: Place): string => join(folder(here), 'r1.sock')
const token = (here: Place): string => readFileSync(join(folder(here), 'r1.token'), 'utf8').trim()
function inside(here: Place): string {
  const emit = join(here.top, `sluice-emit-${user}`)
  return join(emit, readdirSync(emit)[0]!)
}

type Talk = { socket: Socket; heard(): Rec[]; until(count: number): Promise<Rec[]>; isClosed(): boolean }

function reach(path: string): Promise<Talk> {
  return new Promise((resolve, reject) => {
    let text = ''
    let isClosed = false
    const socket = connect(path)
    const heard = (): Rec[] => linesOf(text.slice(0, text.lastIndexOf('\n') + 1))
    const until = async (count: number): Promise<Rec[]> => {
      await eventually(() => text.split('\n').length > count || isClosed, `${count} answers`)
      return heard()
    }
    socket.setEncoding('utf8').on('data', (data: string) => (text += data))
    socket.on('error', reject).on('close', () => (isClosed = true))
    socket.on('connect', () => resolve({ socket, heard, until, isClosed: () => isClosed }))
  })
}
const call = (id: number, method: string, params: Rec = {}): string => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const codes = (answers: readonly Rec[]): unknown[] => [...new Set(answers.map((answer) => at(answer, 'error', 'code')))]

/** Until nothing more can be written, or all of it was. */
async function flood({ socket, isClosed }: Talk, bytes: number): Promise<void> {
  const piece = Buffer.alloc(2 ** 20, 'x')
  for (let sent = 0; sent < bytes && !isClosed(); sent += piece.length)
    if (!socket.write(piece)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), sleep(50)])
}

test('floods and garbage at both sockets neither end the run nor hold it up', async (t) => {
  const { here, run } = await began(t, [long, slow])
  await run.until('"kind":"tool.end"')
  let last = performance.now()
  let longest = 0
  run.child.stdout!.on('data', () => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  })
  const many = await reach(control(here))
  many.socket.write(call(1, 'history', { after: 0, limit: 256 }).repeat(800)) // and nothing is read
  many.socket.pause()
  const guess = await reach(control(here))
  for (let n = 0; n < 5000; n++) guess.socket.write(call(n, 'cancel', { token: `guess-${n}` }))
  assert.deepEqual(codes(await guess.until(5000)), [-32010])
  for (const path of [control(here), inside(here)]) {
    const noise = await reach(path)
    noise.socket.write(`{"half\n\u0000\n[]\n${'['.repeat(50_000)}\n{"jsonrpc":"2.0","method":5}\n`)
    assert.deepEqual(codes(await noise.until(5)), [-32700, -32600])
    await flood(noise, 100 * 2 ** 20)
    await eventually(noise.isClosed, 'the connection is closed')
  }
  const crowd = await Promise.all(Array.from({ length: 500 }, () => reach(control(here)).catch(() => undefined)))
  await eventually(() => crowd.filter((one) => one?.isClosed() === false).length <= 32, 'all but a few are turned away')
  for (const one of [...crowd, many, guess]) one?.socket.destroy()
  await sleep(50)
  const sure = await reach(control(here))
  sure.socket.write(call(1, 'cancel', { token: token(here) }))
  assert.deepEqual(at(await sure.until(1), 0, 'result'), {})
  const { stdout, stderr } = await run.ended
  assert.equal(one(linesOf(stdout), 'session.end')['reason'], 'cancelled')
  assert.doesNotMatch(stderr, /warning|fault/i)
  assert.ok(longest < 1500, `the run stood still for ${longest} ms`)
})

test('a reader that was stopped does not slow the run', async (t) => {
  const { here, run } = await began(t, [{ ...slow, text: 'word '.repeat(100), tools: long.tools }, long, { text: 'Done.' }])
  const reader = start(here, ['control', '--run', 'r1', 'tail', '--after', '0'])
  await reader.until('session.start')
  process.kill(reader.pid, 'SIGSTOP')
  t.after(() => reader.child.kill('SIGKILL'))
  const from = performance.now()
  assert.equal((await run.ended).code, 0)
  assert.ok(performance.now() - from < 10_000)
})

test('from inside come only events of no meaning, few and small', async (t) => {
  const { here, run } = await began(t, [slow])
  const emit = await reach(inside(here))
  const event = (name: string, more: Rec = {}): string => call(1, 'emit', { event: { event: name, ...more } })
  emit.socket.write(['session.end', 'permission.response', 'avenor.error', 'tool.call', '\u001b[2J'].map((name) => event(name)).join(''))
  assert.deepEqual(codes(await emit.until(5)), [-32602])
  let nested: Rec = {}
  for (let depth = 0; depth < 2000; depth++) nested = { nested }
  emit.socket.write(event('my.deep', nested) + event('my.large', { text: 'x'.repeat(65_000) }) + call(1, 'cancel') + call(1, 'status'))
  assert.deepEqual(codes((await emit.until(9)).slice(5)), [-32602, undefined, -32601])
  emit.socket.write(event('my.many').repeat(10_000))
  const taken = (await emit.until(10_009)).slice(9).filter((answer) => 'result' in answer)
  assert.ok(taken.length > 20 && taken.length < 1000, `${taken.length} were taken`)
  process.kill(run.pid, 'SIGINT')
  const told = linesOf((await run.ended).stdout)
  assert.ok(all(told, 'raw').every(({ type, origin }) => /^my\.(large|many)$/.test(String(type)) && at(origin, 'from') === 'agent'))
  assert.equal(all(told, 'session.end').length, 1)
})

suite('what lies where the files of a run should be', () => {
  const quick = JSON.stringify({ turns: [{ tools: [{ name: 'bash', input: { command: 'touch made' } }] }, { text: 'Done.' }] })

  test('links are replaced, and what they lead to stays as it was', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', quick)
    const victim = join(here.top, 'victim')
    writeFileSync(victim, 'precious')
    mkdirSync(folder(here), { mode: 0o700 })
    for (const name of ['job.perm.req', 'job.perm.req.response', 'job.done']) symlinkSync(victim, join(here.root, name))
    symlinkSync(victim, join(folder(here), 'r1.token'))
    const run = start(here, ['run', 'go', '--format', 'sluice', '--run-id', 'r1', '--sentinel-file', 'job.done', ...args])
    await run.until('permission.request')
    assert.ok(lstatSync(join(here.root, 'job.perm.req')).isFile() && lstatSync(join(folder(here), 'r1.token')).isFile())
    symlinkSync(victim, join(here.root, 'job.perm.req.response'))
    await eventually(() => !existsSync(join(here.root, 'job.perm.req.response')), 'the link is no answer, and removed')
    assert.equal((await sluice(here, ['answer', 'job.perm', '--option', 'reject_once'])).code, 0)
    const { code, stderr } = await run.ended
    assert.equal(code, 0, stderr)
    assert.match(stderr, /refused: it is a link/)
    assert.equal(existsSync(join(here.root, 'made')), false)
    assert.equal(readFileSync(victim, 'utf8'), 'precious')
    assert.match(readFileSync(join(here.root, 'job.done'), 'utf8'), /^DONE/)
  })

  test('a name that is in use keeps its run; one of a dead run is free', async (t) => {
    const { here, run, args } = await began(t, [slow])
    const second = start(here, args)
    await second.until('text.delta')
    assert.equal(at(JSON.parse((await sluice(here, ['control', '--run', 'r1', 'status'])).stdout), 'pid'), run.pid)
    process.kill(second.pid, 'SIGINT')
    assert.match((await second.ended).stderr, /another run listens at ".*r1\.sock"; choose another --run-id/)
    process.kill(run.pid, 'SIGKILL')
    await run.ended
    assert.ok(existsSync(control(here)))
    const third = start(here, args)
    await third.until('text.delta')
    assert.equal(at(JSON.parse((await sluice(here, ['control', '--run', 'r1', 'status'])).stdout), 'pid'), third.pid)
    process.kill(third.pid, 'SIGINT')
    await third.ended
    assert.deepEqual(readdirSync(folder(here)), [])
  })

  test('a folder that others can change is not used: the run takes another, or goes on without a socket', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', JSON.stringify({ turns: [{ text: 'Done, and done.', chunk: 2, delay: '50ms' }] }))
    const open = join(here.top, 'open')
    mkdirSync(open)
    chmodSync(open, 0o777)
    const theirs = join(here.top, 'theirs')
    mkdirSync(theirs)
    if (user === 0) chownSync(theirs, 12_345, 12_345)
    const usual = [open, ...(user === 0 ? [theirs] : [])].map((path) => ({ XDG_RUNTIME_DIR: path }))
    for (const env of usual) {
      const run = start(here, ['run', 'go', '--format', 'sluice', '--run-id', 'r1', ...args], { env })
      await run.until('text.delta')
      assert.ok(existsSync(control(here)))
      assert.equal((await run.ended).stderr.match(/socket/), null)
      assert.deepEqual(readdirSync(env.XDG_RUNTIME_DIR), [])
    }
    const none = [
      [{ TMPDIR: open }, /others can write into the folder/],
      [{ XDG_RUNTIME_DIR: join(here.top, 'x'.repeat(100)) }, /too long for a socket/],
    ] as const
    for (const [env, why] of none) {
      const { code, stderr } = await sluice(here, ['run', 'go', ...args], { env })
      assert.equal(code, 0, stderr)
      assert.match(stderr, why)
    }
  })
})
