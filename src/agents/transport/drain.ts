// The last of a program that has left: some of its output may still be on its way, and what it started may hold its pipes open.
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Group } from '../process/group.ts'
import type { Connection } from './contract.ts'

/** An open pipe keeps us here by itself. */
const idly = { ref: false }

/** Output is awaited as long as it keeps coming. Nothing of the group is left afterwards, and nothing more is read. */
export async function drain(group: Group, output: Readable, { drainMs, termMs }: Parameters<Connection['drain']>[0]): Promise<void> {
  const exitedAt = performance.now()
  let outputAt = exitedAt
  const closed = new Promise<void>((resolve) => output.once('close', resolve))
  output.on('data', () => (outputAt = performance.now()))
  while (!output.closed && performance.now() - outputAt < drainMs && performance.now() - exitedAt < 10 * drainMs)
    await Promise.race([closed, sleep(20, undefined, idly)])
  await group.end(termMs)
  await Promise.race([group.drained, sleep(drainMs, undefined, idly)]) // why it failed stands on stderr, and may come late
  for (const stream of [group.stdout, group.stderr, output]) stream.destroy()
}
