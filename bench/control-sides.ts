// The two sides of the bench of the supervisor: `sluice run` around the agent of the bench, with a subscriber at its control socket, and
// the bare programs around the same agent. Each in a folder of its own, with nothing of the machine's in its environment.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { node, sluice } from './child.ts'

const AGENT = join(import.meta.dirname, 'control-agent.mjs')
const BARE = join(import.meta.dirname, 'control-bare.mjs')

/** Milliseconds of its processors, megabytes at most: told by the process itself, when it ends. */
export type Used = { cpu: number; memory: number }

/** `onData`: what comes over the socket. */
export type Side = { pid: number; done: Promise<Used> }

/** The agent under its own name, alone in a folder that can be put on a PATH. */
export function writeAgent(folder: string, orders: readonly (string | number)[]): string {
  const file = join(folder, 'claude')
  writeFileSync(file, `#!/bin/sh\nexec '${node}' '${AGENT}' ${orders.join(' ')} "$@"\n`, { mode: 0o755 })
  return file
}

const PROBE =
  `import{writeFileSync}from"node:fs";process.on("exit",()=>{const{userCPUTime,systemCPUTime,maxRSS}=process.resourceUsage();` +
  `writeFileSync(process.env.SLUICE_BENCH_USED,JSON.stringify({cpu:(userCPUTime+systemCPUTime)/1e3,memory:maxRSS/1024}))})`

function environment(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: `${folder}:${dirname(node)}:/usr/bin:/bin`,
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    SLUICE_BENCH_USED: join(folder, 'used.json'),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PROBE)}`,
  }
}

async function usedBy(child: ChildProcess, folder: string, name: string): Promise<Used> {
  let said = ''
  child.stderr?.on('data', (text: Buffer) => (said += text.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${said.slice(-2000)}`)
  return JSON.parse(readFileSync(join(folder, 'used.json'), 'utf8')) as Used
}

/** The whole supervisor: the log, the control socket with one subscriber, the event file, stdout in our own dialect. */
export async function startSupervised(folder: string, onData: (chunk: Buffer) => void): Promise<Side> {
  const path = join(folder, 'control.sock')
  const outputs = ['--format', 'sluice', '--on-event', join(folder, 'events.ndjson')]
  const [program = '', ...argv] = sluice(['run', 'go', '--agent', 'claude', '--control-socket', path, ...outputs], [])
  const stdout = openSync('/dev/null', 'w')
  const child = spawn(program, argv, { cwd: folder, env: environment(folder), stdio: ['ignore', stdout, 'pipe'] })
  closeSync(stdout)
  const done = usedBy(child, folder, 'sluice run')
  const socket = await Promise.race([connected(path), done.then(() => Promise.reject(new Error('sluice run ended too early')))])
  socket.write('{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"after":0}}\n')
  socket.on('data', onData)
  return { pid: child.pid!, done }
}

export async function startRelay(folder: string, agent: string, onData: (chunk: Buffer) => void): Promise<Side> {
  const path = join(folder, 'relay.sock')
  const child = spawn(node, [BARE, 'relay', agent, path], { cwd: folder, env: environment(folder), stdio: ['ignore', 'ignore', 'pipe'] })
  const done = usedBy(child, folder, 'the relay')
  const socket = await connected(path)
  socket.on('data', onData)
  return { pid: child.pid!, done }
}

export type Parsed = Used & { lines: number; ms: number }

export async function parseBare(folder: string, agent: string): Promise<Parsed> {
  const child = spawn(node, [BARE, 'parse', agent], { cwd: folder, env: environment(folder), stdio: ['ignore', 'pipe', 'pipe'] })
  let told = ''
  child.stdout.on('data', (text: Buffer) => (told += text.toString()))
  const used = await usedBy(child, folder, 'the bare parser')
  return { ...used, ...(JSON.parse(told) as { lines: number; ms: number }) }
}

/** As soon as somebody listens there. */
async function connected(path: string): Promise<Socket> {
  const deadline = performance.now() + 20_000
  for (;;) {
    const socket = connect(path)
    try {
      await once(socket, 'connect')
      return socket
    } catch (error) {
      if (performance.now() > deadline) throw error
      await sleep(5)
    }
  }
}
