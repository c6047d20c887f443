import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Group, startGroup } from './group.ts'

const env = { PATH: '/usr/bin:/bin' }
const start = (command: string): Promise<Group> => startGroup({ file: 'bash', args: ['-c', command], cwd: '/', env })

/** Not counting the dead that nobody has buried. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

async function untilGone(pids: readonly number[]): Promise<void> {
  for (let i = 0; i < 300 && pids.some(isAlive); i++) await sleep(10)
  assert.deepEqual(pids.filter(isAlive), [])
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  let all = ''
  for await (const chunk of stream) {
    all += String(chunk)
    if (all.includes('\n')) return all.split('\n')[0]!
  }
  return all
}

test('a command may open its outputs by name', { skip: process.platform !== 'linux' }, async () => {
  const group = await start('echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr; echo four >> /proc/self/fd/2')
  assert.deepEqual(await Promise.all([text(group.stdout), text(group.stderr)]), ['one\nthree\n', 'two\nthree\nfour\n'])
  assert.equal((await group.exited).code, 0)
  await group.end()
})

test('output, exit code and signal are those of the command', async () => {
  const group = await start('echo out; echo err >&2; exit 7')
  assert.deepEqual(await Promise.all([text(group.stdout), text(group.stderr)]), ['out\n', 'err\n'])
  assert.deepEqual(await group.exited, { code: 7, signal: null })
  assert.equal(await group.end(), false)

  const killed = await start('kill -KILL $$')
  assert.deepEqual(await killed.exited, { code: null, signal: 'SIGKILL' })
  await killed.end()
})

test('a command gets no file of ours and an empty input', { skip: process.platform !== 'linux' }, async () => {
  const list = 'cat; ls /proc/self/fd'
  const group = await start(list)
  const plain = spawnSync('bash', ['-c', list], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  assert.equal(await text(group.stdout), plain.stdout)
  await group.end()
})

test('a command that is not there ends with 127; a folder that is not there is an error', async () => {
  const group = await startGroup({ file: 'no-such-program', args: [], cwd: '/', env })
  assert.deepEqual(await group.exited, { code: 127, signal: null })
  await group.end()
  await assert.rejects(startGroup({ file: 'true', args: [], cwd: '/no/such/folder', env }), /ENOENT/)
})

test('input is passed on when asked for', async () => {
  const group = await startGroup({ file: 'cat', args: [], cwd: '/', env, stdin: 'pipe' })
  group.stdin!.end('hello')
  assert.equal(await text(group.stdout), 'hello')
  await group.end()
})

test('the end reaches children in the background, also those that ignore TERM, and says that something ran', async () => {
  const group = await start('(trap "" TERM; sleep 1000 & echo $! $BASHPID; wait) & sleep 1000 & wait')
  const pids = (await firstLine(group.stdout)).split(' ').map(Number)
  assert.equal(await group.end(), true)
  await untilGone([...pids, group.pid])
  assert.deepEqual(await group.exited, { code: null, signal: 'SIGTERM' })
})

test('what is left in the background ends after the command, and the answer stays the same', async () => {
  const group = await start('sleep 1000 >/dev/null 2>&1 & echo $!')
  const pid = Number(await firstLine(group.stdout))
  await group.exited
  assert.equal(isAlive(pid), true)
  assert.equal(await group.end(), true)
  assert.equal(await group.end(), true)
  await untilGone([pid])
})

test('there is one guard for all groups, and none after the last', { skip: process.platform !== 'linux' }, async () => {
  const guards = (): number => {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').trim().split(' ')
    return children.filter((pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('trap "" HUP')).length
  }
  const group = await start('sleep 1000')
  const second = await start('sleep 1000')
  assert.equal(guards(), 1)
  await Promise.all([group.end(), second.end()])
  assert.equal(guards(), 0)
})

const onlyLinux = { skip: process.platform !== 'linux' }

test('the end reaches what has left the group and carries the mark, and nothing else', onlyLinux, async () => {
  const outside = spawn('setsid', ['sleep', '1000'], { env: { ...env, AGENT_RUN_MARK: 'another' }, stdio: 'ignore' })
  const group = await startGroup({
    file: 'bash',
    args: ['-c', 'setsid bash -c \'trap "" TERM; echo $$; while :; do sleep 0.1; done\' & wait'],
    cwd: '/',
    env,
    mark: 'ownmark',
  })
  const stray = Number(await firstLine(group.stdout))
  assert.ok(isAlive(stray))
  assert.equal(await group.end(), true)
  await untilGone([stray, group.pid])
  assert.ok(isAlive(outside.pid!))
  outside.kill('SIGKILL')
})

test('a kill needs no grace', async () => {
  const group = await start('trap "" TERM; echo ready; while :; do sleep 0.1; done')
  await firstLine(group.stdout)
  group.kill()
  assert.deepEqual(await group.exited, { code: null, signal: 'SIGKILL' })
  await group.end()
})

test('what left its group ends as well when the process that started it is killed', onlyLinux, async () => {
  const program = `
    import { startGroup } from ${JSON.stringify(new URL('group.ts', import.meta.url).href)}
    const args = ['-c', 'setsid bash -c \\'trap "" TERM HUP; echo $$; while :; do sleep 0.1; done\\' & wait']
    const group = await startGroup({ file: 'bash', args, cwd: '/', env: process.env, mark: 'killedmark' })
    group.stdout.once('data', (data) => process.stdout.write(group.pid + ' ' + data))
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pids = (await firstLine(parent.stdout)).split(' ').map(Number)
  assert.equal(pids.length, 2)
  assert.ok(pids.every(isAlive))
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  await untilGone(pids)
})

test('nothing survives when the process that started it is killed', async () => {
  const commands = ['sleep 1000', 'trap "" TERM; (trap "" TERM HUP; sleep 1000) & sleep 1000 & echo $! $$; while :; do sleep 1; done']
  const program = `
    import { startGroup } from ${JSON.stringify(new URL('group.ts', import.meta.url).href)}
    for (const command of ${JSON.stringify(commands)}) {
      const group = await startGroup({ file: 'bash', args: ['-c', command], cwd: '/', env: process.env })
      process.stdout.write(group.pid + ' ')
      if (command.includes('echo')) group.stdout.once('data', (data) => process.stdout.write(String(data)))
    }
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pids = (await firstLine(parent.stdout)).split(' ').map(Number)
  assert.equal(pids.length, 4)
  assert.ok(pids.every(isAlive))
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  await untilGone(pids)
})
