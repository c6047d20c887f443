// Starts a command in a process group of its own and ends the whole group, whatever of it is left. A small shell, the guard, knows
// every group that runs: it sees our pipe close when we die, even by kill -9, and then ends the groups in our place.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

export type GroupOptions = {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** Without it the command reads an empty input. */
  stdin?: 'pipe'
}

export type Exit = { code: number | null; signal: NodeJS.Signals | null }

export type Group = {
  /** Of the command, and of its group. */
  pid: number
  /** Null unless asked for. */
  stdin: Writable | null
  stdout: Readable
  stderr: Readable
  /** The command itself has ended; what it started may still run. Never rejects: a command that is not found ends with code 127. */
  exited: Promise<Exit>
  /** Ends all that runs: TERM, and KILL to what is left 200 ms later. True when something still ran. It may be called again. */
  end(): Promise<boolean>
}

const graceMs = 200
const pollMs = 10

// The command waits for a line before it begins, so that the guard knows the group first: there is no moment without it.
const waitForGo = 'read -r go <&3 || exit 1; exec "$@" 3<&-'

const guardScript = `
trap "" HUP INT QUIT TERM
live=
while read -r sign pid; do
  rest=
  for one in $live; do [ "$one" = "$pid" ] || rest="$rest $one"; done
  live=$rest
  [ "$sign" = - ] || live="$live $pid"
done
[ -n "$live" ] || exit 0
for one in $live; do kill -s TERM -- "-$one"; done
sleep ${graceMs / 1000}
for one in $live; do kill -s KILL -- "-$one"; done`

/** Throws when the system cannot start a process at all, or the folder is not there. */
export async function startGroup({ file, args, cwd, env, stdin }: GroupOptions): Promise<Group> {
  const child = spawn('/bin/sh', ['-c', waitForGo, 'sh', file, ...args], {
    cwd,
    env,
    detached: true,
    stdio: [stdin ?? 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  const { pid, stdout, stderr } = child as typeof child & { pid: number; stdout: Readable; stderr: Readable }
  for (const stream of child.stdio) stream?.on('error', () => {}) // the other side is gone: its exit says so
  const release = guardGroup(pid)
  ;(child.stdio[3] as Writable).end('\n')

  const finish = async (): Promise<boolean> => {
    const left = isRunning(pid)
    if (left) {
      signalGroup(pid, 'SIGTERM')
      if (!(await isGone(pid, graceMs))) signalGroup(pid, 'SIGKILL')
      await isGone(pid, graceMs)
    }
    await release()
    return left
  }
  let ended: Promise<boolean> | undefined
  return { pid, stdin: child.stdin, stdout, stderr, exited, end: () => (ended ??= finish()) }
}

/** False when there is no such group any more. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // one that has changed its user still counts
  }
}

async function isGone(pid: number, withinMs: number): Promise<boolean> {
  for (let waited = 0; waited < withinMs; waited += pollMs) {
    if (!isRunning(pid)) return true
    await sleep(pollMs)
  }
  return !isRunning(pid)
}

/** The dead that nobody has buried still count for `kill`; in a container they may stay for ever. Linux can tell them apart. */
function isRunning(group: number): boolean {
  if (!signalGroup(group, 0)) return false
  if (process.platform !== 'linux') return true
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false
    const [state, , owner] = statOf(name)
    return Number(owner) === group && state !== 'Z' && state !== 'X'
  })
}

/** State, parent, group … of a process: what follows its name, which may itself hold spaces and brackets. */
function statOf(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return [] // gone meanwhile
  }
}

type Guard = { add(pid: number): void; remove(pid: number): void; close(): Promise<void> }

let guard: Guard | undefined
let guarded = 0

/** The guard is there as long as there are groups. */
function guardGroup(pid: number): () => Promise<void> {
  const own = (guard ??= startGuard())
  guarded++
  own.add(pid)
  return async () => {
    own.remove(pid)
    guarded--
    if (guarded > 0) return
    guard = undefined
    await own.close()
  }
}

function startGuard(): Guard {
  const child = spawn('/bin/sh', ['-c', guardScript], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const closed = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()))
  child.stdin.on('error', () => {}) // someone has killed it: the groups still end with their calls
  return {
    add: (pid) => void child.stdin.write(`+ ${pid}\n`),
    remove: (pid) => void child.stdin.write(`- ${pid}\n`),
    async close() {
      child.stdin.end()
      await closed
    },
  }
}
