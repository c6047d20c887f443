// The last of a program that has left: some of its output may still be on its way, and what it started may hold its pipes open.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Group } from '../process/group.ts'
import type { Timeouts } from '../timeouts.ts'

/** An open pipe keeps us here by itself. */
const idly = { ref: false }

/** `outputAt`: when output came last. Nothing of the group is left afterwards, and nothing more is read. */
export async function drain(
  group: Group,
  outputAt: () => number,
  { drainMs, termMs }: Pick<Timeouts, 'drainMs' | 'termMs'>,
): Promise<void> {
  const { stdout, stderr, drained } = group
  const exitedAt = performance.now()
  while (!stdout.closed && performance.now() - outputAt() < drainMs && performance.now() - exitedAt < 10 * drainMs)
    await Promise.race([drained, sleep(20, undefined, idly)])
  await group.end(termMs)
  await Promise.race([drained, sleep(drainMs, undefined, idly)]) // why it failed stands on stderr, and may come late
  stdout.destroy()
  stderr.destroy()
}
