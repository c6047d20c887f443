// What every transport must do, whatever it speaks: the program of fixtures/agents/transport.mjs is started, told words, and ended.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rec } from '../../base/json.ts'
import { createFramer } from '../../framing/framer.ts'
import type { Program } from '../driver.ts'
import { fixture } from '../support.test.ts'
import type { Connection, Transport } from './contract.ts'

const times = { drainMs: 100, termMs: 100 }
const onlyLinux = { skip: process.platform !== 'linux' }

export const programOf = (way: string, ...more: string[]): Program => ({
  file: process.execPath,
  args: [fixture('agents/transport.mjs'), way, ...more],
  cwd: '/',
  env: { PATH: process.env['PATH'] ?? '' },
})

export type Reached = Awaited<ReturnType<typeof reach>>

export async function reach(transport: Transport, program: Program) {
  const records: Rec[] = []
  let stderr = ''
  let wake = (): void => {}
  const framer = createFramer({ record: (record) => void records.push(structuredClone(record)), bad() {} })
  const connection = await transport.start(program)
  connection.output.on('data', (bytes: Buffer) => {
    framer.push(bytes)
    wake()
  })
  connection.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes.toString()
    wake()
  })
  /** When it holds. */
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (wake = resolve))
  }
  return {
    connection,
    records,
    stderr: () => stderr,
    until,
    next: async (count = records.length + 1): Promise<Rec> => (await until(() => records.length >= count), records.at(-1)!),
    async end(): Promise<void> {
      await connection.end()
      await connection.drain(times)
    },
  }
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

async function untilGone(pids: readonly number[]): Promise<void> {
  for (let i = 0; i < 300 && pids.some(isAlive); i++) await sleep(10)
  assert.deepEqual(pids.filter(isAlive), [])
}

/** `module`: an expression that is the transport, for a program of its own. */
export type Parts = { way: string; transport: Transport; say(to: Connection, word: string): void; module: string }

export function testTransport({ way, transport, say, module }: Parts): void {
  const start = (...more: string[]): Promise<Reached> => reach(transport, programOf(way, ...more))

  test(`${way}: what is said at once waits for the program`, async () => {
    const reached = await start()
    for (const word of ['one', 'two', 'three']) say(reached.connection, word)
    await reached.next(3)
    assert.deepEqual(new Set(reached.records.map(({ said }) => said)), new Set(['one', 'two', 'three']))
    await reached.end()
  })

  test(`${way}: a long record arrives whole`, async () => {
    const reached = await start()
    say(reached.connection, 'big')
    assert.equal(((await reached.next()) as { said: string }).said.length, 2 ** 20)
    await reached.end()
  })

  test(`${way}: what it writes for people arrives`, async () => {
    const reached = await start()
    say(reached.connection, 'complain')
    await reached.until(() => reached.stderr().includes('it hurts\n'))
    await reached.end()
  })

  test(`${way}: how it left is known: by a code, by a signal, or because its input was closed`, async () => {
    const failed = await start()
    say(failed.connection, 'exit')
    assert.deepEqual(await failed.connection.exited, { code: 7, signal: null })
    await failed.end()

    const killed = await start()
    say(killed.connection, 'hello')
    await killed.next()
    killed.connection.kill()
    assert.deepEqual(await killed.connection.exited, { code: null, signal: 'SIGKILL' })
    await killed.end()

    const closed = await start()
    say(closed.connection, 'hello')
    await closed.next()
    closed.connection.close()
    closed.connection.close()
    assert.deepEqual(await closed.connection.exited, { code: 0, signal: null })
    await closed.end()
  })

  test(`${way}: its last words arrive after its exit`, async () => {
    const reached = await start()
    say(reached.connection, 'last-words')
    await reached.connection.exited
    await reached.connection.drain(times)
    assert.deepEqual(reached.records.at(-1), { said: 'the last' })
  })

  test(`${way}: a signal reaches it`, async () => {
    const reached = await start()
    say(reached.connection, 'interrupt')
    await reached.next()
    reached.connection.signal('SIGINT')
    assert.deepEqual(await reached.next(2), { said: 'interrupted' })
    await reached.end()
  })

  test(`${way}: one that ignores TERM is killed`, async () => {
    const reached = await start()
    say(reached.connection, 'die-hard')
    await reached.next()
    await reached.connection.end(50)
    assert.equal((await reached.connection.exited).signal, 'SIGKILL')
    await reached.end()
  })

  test(`${way}: nothing that it started is left, and what holds its streams does not hold us`, onlyLinux, async () => {
    for (const ends of [true, false]) {
      const reached = await start()
      say(reached.connection, 'children')
      const { pids } = (await reached.next()) as { pids: number[] }
      assert.equal(pids.filter(isAlive).length, 3)
      if (ends) await reached.connection.end(50)
      else process.kill(pids[0]!, 'SIGKILL')
      await reached.connection.exited
      await reached.connection.drain(times)
      await untilGone(pids)
    }
  })

  test(`${way}: nothing is left when the process that started it is killed`, onlyLinux, async () => {
    const source = `
      import { ${way} } from ${JSON.stringify(new URL(`${way}.ts`, import.meta.url).href)}
      import { setInterval } from 'node:timers'
      let told = ''
      const connection = await (${module}).start(${JSON.stringify(programOf(way))})
      connection.output.on('data', (bytes) => {
        told += bytes
        const pids = /"pids":(\\[.*?\\])/.exec(told)
        if (pids !== null) process.stdout.write(pids[1] + '\\n')
      })
      const say = ${say.toString()}
      say(connection, 'children')
      setInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
    const pids = JSON.parse(line) as number[]
    assert.equal(pids.filter(isAlive).length, 3)
    parent.kill('SIGKILL')
    await untilGone(pids)
  })

  test(`${way}: a program that is not there leaves with 127; a folder that is not there is an error`, async () => {
    const reached = await reach(transport, { ...programOf(way), file: '/no/such/program' })
    assert.equal((await reached.connection.exited).code, 127)
    await reached.end()
    await assert.rejects(reach(transport, { ...programOf(way), cwd: '/no/such/folder' }), /ENOENT/)
  })

  test(`${way}: what is said to one that has left is lost`, async () => {
    const reached = await start()
    say(reached.connection, 'exit')
    await reached.connection.exited
    say(reached.connection, 'hello')
    await reached.end()
    assert.deepEqual(reached.records, [])
  })
}
