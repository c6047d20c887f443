// A network namespace with loopback and nothing else: what an agent tries to reach in the world is not there.
import { spawnSync } from 'node:child_process'
import { networkInterfaces } from 'node:os'

const up = 'ip link set lo up'

/** Runs this program again in a namespace of its own; its exit code. Undefined where that is not permitted. */
export function runApart(): number | undefined {
  const flags = [['-n'], ['-r', '-n']].find((some) => spawnSync('unshare', [...some, 'sh', '-c', up]).status === 0)
  if (flags === undefined) return undefined
  const words = [process.execPath, ...process.argv.slice(1), '--here']
  return spawnSync('unshare', [...flags, 'sh', '-c', `${up} && exec "$0" "$@"`, ...words], { stdio: 'inherit' }).status ?? 1
}

export const isApart = (): boolean => Object.values(networkInterfaces()).every((addresses) => addresses!.every(({ internal }) => internal))
