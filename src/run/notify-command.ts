// --on-milestone: a shell command that reads one message. Nothing of the message is in its arguments or its environment, what it
// prints is thrown away, and nothing that it starts outlives it.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ending } from '../analyze/excerpt.ts'
import { childEnvironment } from '../agents/process/environment.ts'
import { type Exit, type Group, startGroup } from '../agents/process/group.ts'
import { type Tail, tailOf } from '../agents/process/tail.ts'
import { quoted } from '../base/text.ts'
import { spanText } from '../supervise/policy.ts'
import type { Deliver } from './notify-queue.ts'

export type CommandParts = {
  command: string
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  timeoutMs?: number | undefined
}

// Its stdout leads nowhere: then a flood of it costs us nothing.
const quietly = 'exec /bin/sh -c "$1" >/dev/null'
const mostStderr = 1 << 20 // one that complains more than that waits for a reader who does not come
const shown = 200
const drainMs = 100

export function createCommand({ command, cwd, env, timeoutMs = 30_000 }: CommandParts): Deliver {
  const mark = randomBytes(16).toString('hex')
  const given = childEnvironment(env)

  return async (message, signal) => {
    const file = '/bin/sh'
    const group = await startGroup({ file, args: ['-c', quietly, 'sh', command], cwd, env: given, stdin: 'pipe', mark }).catch(codeOf)
    if (typeof group === 'string') return `the command cannot be started in ${quoted(cwd, 500)} (${group})`
    const stderr = tailOf(group.stderr, 4096)
    group.stderr.on('data', () => stderr.bytes() > mostStderr && group.stderr.pause())
    group.stdout.resume()
    group.stdin?.end(`${message}\n`)
    const ended = await endOf(group.exited, timeoutMs, signal)
    await group.end()
    const why = await failureOf(ended, group, stderr, timeoutMs)
    for (const stream of [group.stdin, group.stdout, group.stderr]) stream?.destroy()
    return why
  }
}

const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? 'unknown error'

type Ended = Exit | 'late' | 'over'

async function endOf(exited: Promise<Exit>, timeoutMs: number, signal: AbortSignal): Promise<Ended> {
  if (signal.aborted) return 'over'
  const done = new AbortController()
  const late = sleep(timeoutMs, 'late' as const, { signal: done.signal })
  const over = once(signal, 'abort', { signal: done.signal }).then(() => 'over' as const)
  try {
    return await Promise.race([exited, late, over])
  } finally {
    done.abort()
    await Promise.allSettled([late, over])
  }
}

async function failureOf(ended: Ended, { stderr }: Group, tail: Tail, timeoutMs: number): Promise<string | undefined> {
  if (ended === 'over') return 'the run was over before the command was'
  if (ended === 'late') return `the command did not end within ${spanText(timeoutMs)}`
  if (ended.code === 0) return undefined
  if (!stderr.closed && !stderr.isPaused()) await Promise.race([once(stderr, 'close'), sleep(drainMs)])
  const words = ending(tail.text(), shown)
  const how = ended.code === null ? `the command was ended by ${ended.signal}` : `the command ended with code ${ended.code}`
  return words === '' ? how : `${how}: ${quoted(words, 2 * shown)}`
}
