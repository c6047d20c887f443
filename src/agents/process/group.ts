// Starts a command in a process group of its own and ends the whole group, whatever of it is left, and what has left the group but
// carries its mark. A small shell, the guard, knows every group that runs: it sees our pipe close when we die, even by kill -9, and
// then ends the groups in our place.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { markedPids, markName } from './marked.ts'
import { createPipes } from './pipes.ts'

export type GroupOptions = {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** Without it the command reads an empty input. */
  stdin?: 'pipe'
  /** Letters and digits that nobody else uses: whatever has it in its environment is ended too, also outside the group. */
  mark?: string
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
  /** Both outputs are read to their end, which may be after the exit; never while something else holds one open. */
  drained: Promise<unknown>
  /** Ends all that runs: TERM, and KILL to what is left after the grace (200 ms). True when something still ran. It may be called again. */
  end(graceMs?: number): Promise<boolean>
  /** To the group, if there is still one. */
  signal(name: NodeJS.Signals): void
  /** KILL, now, to all that runs. `end` is still needed. */
  kill(): void
}

const graceMs = 200
const pollMs = 10

// The command waits for a line before it begins, so that the guard knows the group first: there is no moment without it.
const waitForGo = 'read -r go <&3 || exit 1; exec "$@" 3<&-'

const guardScript = `
trap "" HUP INT QUIT TERM
live=
while read -r sign pid mark; do
  rest=
  for one in $live; do [ "\${one%%:*}" = "$pid" ] || rest="$rest $one"; done
  live=$rest
  [ "$sign" = - ] || live="$live $pid:$mark"
done
[ -n "$live" ] || exit 0
signal() {
  for one in $live; do
    kill -s "$1" -- "-\${one%%:*}"
    mark=\${one#*:}
    [ -n "$mark" ] || continue
    for file in $(grep -lsF "${markName}=$mark" /proc/[0-9]*/environ); do
      pid=\${file#/proc/}
      kill -s "$1" "\${pid%/environ}"
    done
  done
}
signal TERM
sleep ${graceMs / 1000}
signal KILL
signal KILL` // once more, for what was just being started

/** Throws when the system cannot start a process at all, or the folder is not there. */
export async function startGroup({ file, args, cwd, env, stdin, mark }: GroupOptions): Promise<Group> {
  const pipes = await createPipes(2)
  const child = spawn('/bin/sh', ['-c', waitForGo, 'sh', file, ...args], {
    cwd,
    env: mark === undefined ? env : { ...env, [markName]: mark },
    detached: true,
    stdio: [stdin ?? 'ignore', ...(pipes?.ends ?? ['pipe' as const, 'pipe' as const]), 'pipe'],
  })
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  try {
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  } catch (error) {
    for (const output of pipes?.outputs ?? []) output.destroy()
    throw error
  } finally {
    pipes?.closeEnds()
  }
  const { pid } = child as typeof child & { pid: number }
  const [stdout, stderr] = (pipes?.outputs ?? [child.stdout, child.stderr]) as [Readable, Readable]
  for (const stream of [stdout, stderr, ...child.stdio]) stream?.on('error', () => {}) // the other side is gone: its exit says so
  const drained = Promise.all([stdout, stderr].map((pipe) => new Promise<void>((resolve) => pipe.once('close', resolve))))
  const release = guardGroup(pid, mark)
  ;(child.stdio[3] as Writable).end('\n')

  const strays = (): number[] => (mark === undefined ? [] : markedPids(mark).filter((one) => Number(statOf(one)[2]) !== pid))
  const isLeft = (): boolean => isRunning(pid) || strays().length > 0
  const signalAll = (signal: NodeJS.Signals): void => {
    signalGroup(pid, signal)
    for (const stray of strays()) signalOne(stray, signal)
  }
  const finish = async (grace: number): Promise<boolean> => {
    const left = isLeft()
    if (left) {
      signalAll('SIGTERM')
      if (!(await isGone(isLeft, grace))) await isGone(() => (signalAll('SIGKILL'), isLeft()), graceMs)
    }
    await release()
    return left
  }
  let ended: Promise<boolean> | undefined
  return {
    pid,
    stdin: child.stdin,
    stdout,
    stderr,
    exited,
    drained,
    end: (grace = graceMs) => (ended ??= finish(grace)),
    signal: (name) => void signalGroup(pid, name),
    kill: () => signalAll('SIGKILL'),
  }
}

/** False when there is no such group any more. */
const signalGroup = (pid: number, signal: NodeJS.Signals | 0): boolean => signalOne(-pid, signal)

function signalOne(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // one that has changed its user still counts
  }
}

async function isGone(isLeft: () => boolean, withinMs: number): Promise<boolean> {
  for (const until = performance.now() + withinMs; performance.now() < until; await sleep(pollMs)) if (!isLeft()) return true
  return !isLeft()
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
function statOf(pid: string | number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return [] // gone meanwhile
  }
}

type Guard = { add(pid: number, mark?: string): void; remove(pid: number): void; close(): Promise<void> }

let guard: Guard | undefined
let guarded = 0

/** The guard is there as long as there are groups. */
function guardGroup(pid: number, mark: string | undefined): () => Promise<void> {
  const own = (guard ??= startGuard())
  guarded++
  own.add(pid, mark)
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
    add: (pid, mark = '') => void child.stdin.write(`+ ${pid} ${mark}\n`),
    remove: (pid) => void child.stdin.write(`- ${pid}\n`),
    async close() {
      child.stdin.end()
      await closed
    },
  }
}
