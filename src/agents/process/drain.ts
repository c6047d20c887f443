// The last of a program that has left: what it said may still be on its way, and what it started may hold its pipes open, silent or not.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Timeouts } from '../timeouts.ts'
import type { Group } from './group.ts'

/** An open pipe keeps us here by itself. */
const idly = { ref: false }

/** `heardAt`: when something came last on stdout. Nothing of the group is left then, and nothing more is read. */
export async function drain(group: Group, heardAt: () => number, { drainMs, termMs }: Timeouts): Promise<void> {
  const { stdout, stderr, drained } = group
  const exitedAt = performance.now()
  while (!stdout.closed && performance.now() - heardAt() < drainMs && performance.now() - exitedAt < 10 * drainMs)
    await Promise.race([drained, sleep(20, undefined, idly)])
  await group.end(termMs)
  await Promise.race([drained, sleep(drainMs, undefined, idly)]) // why it failed stands on stderr, and may come late
  stdout.destroy()
  stderr.destroy()
}
