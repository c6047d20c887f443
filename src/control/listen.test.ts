import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveEmit } from './emit-socket.ts'
import { listenOn, type Listening, sweep } from './listen.ts'
import { controlFolder, emitFolder, prepareFolder, socketOf, tokenOf } from './places.ts'
import { fakeRun, newFolder } from './support.test.ts'

const listen = (path: string, strict = false): Promise<Listening> =>
  listenOn({ path, strict, most: 4, full: '', onSocket: (socket) => socket.on('error', () => {}).end('hello') })

function hear(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    connect(path)
      .on('data', (chunk) => (text += String(chunk)))
      .on('end', () => resolve(text))
      .on('error', reject)
  })
}

/** As a run leaves it that was killed: the file is there, and nobody listens. */
function leaveSocket(path: string): void {
  const program = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', program])
  assert.ok(lstatSync(path).isSocket())
}

test('a socket that a killed run left behind is replaced', async () => {
  const path = join(newFolder(), 'a.sock')
  leaveSocket(path)
  const listening = await listen(path)
  assert.equal(await hear(path), 'hello')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  await listening.close()
  assert.equal(existsSync(path), false)
})

test('a socket that somebody listens on is left alone', async () => {
  const path = join(newFolder(), 'a.sock')
  const listening = await listen(path)
  await assert.rejects(listen(path), /another run listens at/)
  assert.equal(await hear(path), 'hello')
  await listening.close()
})

test('of the sockets that agents are told of, those of killed runs go when the next run begins', async () => {
  const folder = newFolder()
  const [dead, young, alive, file] = ['dead', 'young', 'alive', 'file'].map((name) => join(folder, `${name}.sock`)) as [
    string,
    string,
    string,
    string,
  ]
  leaveSocket(dead)
  leaveSocket(young)
  writeFileSync(file, 'mine')
  const other = await listen(alive)
  for (const path of [dead, alive, file]) utimesSync(path, 0, 0)
  const emitting = await serveEmit({ path: join(folder, 'own.sock'), emit: () => {}, now: Date.now })
  while (existsSync(dead)) await sleep(5)
  await sweep(folder)
  assert.deepEqual(readdirSync(folder).sort(), ['alive.sock', 'file.sock', 'own.sock', 'young.sock'])
  await Promise.all([emitting.close(), other.close()])
})

test('sockets and tokens of killed runs go when the next run begins; those of a run that lives stay', async () => {
  await using alive = await fakeRun()
  const folder = dirname(alive.control.path!)
  const paths = (name: string): string[] => [join(folder, `${name}.sock`), join(folder, `${name}.token`)]
  for (const name of ['dead', 'young']) {
    leaveSocket(paths(name)[0]!)
    writeFileSync(paths(name)[1]!, 'token')
  }
  writeFileSync(join(folder, 'orphan.token'), 'token')
  writeFileSync(join(folder, 'mine.txt'), 'mine')
  for (const path of [...paths('dead'), ...paths('run_1'), join(folder, 'orphan.token'), join(folder, 'mine.txt')]) utimesSync(path, 0, 0)
  await using next = await fakeRun({ id: 'run_2', env: alive.env })
  while ([...paths('dead'), join(folder, 'orphan.token')].some((path) => existsSync(path))) await sleep(5)
  const left = ['run_1', 'run_2', 'young'].flatMap((name) => [`${name}.sock`, `${name}.token`])
  assert.deepEqual(readdirSync(folder).sort(), [...left, 'mine.txt'].sort())
  assert.ok(next.control.path !== undefined)
})

test('a file of that name is not removed, and nobody is told to remove a folder', async () => {
  const folder = newFolder()
  await assert.rejects(listen(folder), /" is a folder, not a socket; choose another/)
  const path = join(folder, 'a.sock')
  writeFileSync(path, 'mine')
  await assert.rejects(listen(path), /is a file, not a socket/)
  assert.ok(existsSync(path))
})

test('a token that was left behind, or a link in its place, is not written into', async () => {
  const folder = newFolder()
  const socket = join(folder, 'a.sock')
  writeFileSync(join(folder, 'precious'), 'mine', { mode: 0o644 })
  symlinkSync(join(folder, 'precious'), tokenOf(socket))
  await using _run = await fakeRun({ socket })
  assert.ok(lstatSync(tokenOf(socket)).isFile())
  assert.equal(statSync(tokenOf(socket)).mode & 0o777, 0o600)
  assert.equal(statSync(join(folder, 'precious')).size, 4)
})

test('the folder of the sockets is made private, and must be a folder of our own', () => {
  const folder = newFolder()
  const open = join(folder, 'open')
  mkdirSync(open)
  chmodSync(open, 0o755)
  prepareFolder(join(open, 'a.sock'), true)
  assert.equal(statSync(open).mode & 0o777, 0o700)
  symlinkSync(open, join(folder, 'linked'))
  assert.throws(() => prepareFolder(join(folder, 'linked', 'a.sock'), true), /is not a folder/)
  prepareFolder(join(folder, 'new', 'deep', 'a.sock'), true)
  assert.equal(statSync(join(folder, 'new', 'deep')).mode & 0o777, 0o700)
})

test('a folder of the user may be any that others cannot change', () => {
  const folder = newFolder()
  chmodSync(folder, 0o755)
  prepareFolder(join(folder, 'a.sock'), false)
  assert.equal(statSync(folder).mode & 0o777, 0o755)
  chmodSync(folder, 0o777)
  assert.throws(() => prepareFolder(join(folder, 'a.sock'), false), /others can write into/)
  chmodSync(folder, 0o1777)
  prepareFolder(join(folder, 'a.sock'), false)
  chmodSync(folder, 0o700)
})

test('a path that the system would cut is refused', async () => {
  const path = join(newFolder(), `${'x'.repeat(100)}.sock`)
  await assert.rejects(listen(path), /too long for a socket/)
})

test('sockets lie in the runtime folder, or else in one of the user', () => {
  assert.equal(socketOf({ XDG_RUNTIME_DIR: '/run/user/1' }, 'run_1'), '/run/user/1/sluice/run_1.sock')
  assert.equal(tokenOf('/run/user/1/sluice/run_1.sock'), '/run/user/1/sluice/run_1.token')
  assert.equal(emitFolder({ XDG_RUNTIME_DIR: '/run/user/1' }), '/run/user/1/sluice-emit')
  assert.equal(controlFolder({ XDG_RUNTIME_DIR: 'relative' }), join(tmpdir(), `sluice-${process.geteuid!()}`))
  for (const id of ['../x', 'a/b', '', 'x'.repeat(65)]) assert.throws(() => socketOf({}, id), /cannot be the id of a run/)
})

test('a run that leaves in a hurry takes its sockets and its token along', () => {
  const folder = newFolder()
  const program = `
    import { writeFileSync, readdirSync } from 'node:fs'
    import { attachControl } from ${JSON.stringify(join(import.meta.dirname, 'attach.ts'))}
    const folder = ${JSON.stringify(folder)}
    writeFileSync(folder + '/log', '')
    const env = { XDG_RUNTIME_DIR: folder }
    await attachControl({ id: 'r', env, log: { path: folder + '/log', start: 0 }, questions: { observe() {} }, cwd: '/', startedAt: 0, now: Date.now })
    console.log(readdirSync(folder, { recursive: true }).sort().join())
    process.exit(3)`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  assert.equal(status, 3, stderr)
  assert.match(stdout, /^log,sluice,sluice-emit,sluice-emit\/\w+\.sock,sluice\/r\.sock,sluice\/r\.token\n$/)
  assert.equal(existsSync(join(folder, 'sluice', 'r.sock')), false)
  assert.equal(existsSync(join(folder, 'sluice', 'r.token')), false)
})
