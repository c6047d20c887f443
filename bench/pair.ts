// A case and bare JSON.parse of the same files, in one process and in turns: what is measured is the work itself, without the start of Node and the
// warm-up of its compiler (the first pairs do not count). The times are told on file descriptor 3, as JSON.
import { writeSync } from 'node:fs'
import { parseFile } from './baseline.mjs'
import type { Time } from './child.ts'
import type { Pair } from './report.ts'

export type Order = {
  /** The bundle of the command. */
  module: string
  argv: readonly string[]
  files: readonly string[]
  rounds: number
}

/** Pairs before those that count: in the third the compiler still makes code for a command with much of it. */
const WARM_UP = 3

async function timed(work: () => unknown): Promise<Time> {
  const used = process.cpuUsage()
  const began = performance.now()
  await work()
  const wall = performance.now() - began
  const { user, system } = process.cpuUsage(used)
  return { wall, cpu: (user + system) / 1000 }
}

if (import.meta.main) {
  const { module, argv, files, rounds } = JSON.parse(process.argv[2] ?? '') as Order
  const { run } = (await import(module)) as { run(argv: readonly string[]): Promise<number> }
  const command = async (): Promise<void> => {
    const exitCode = await run([...argv, ...files])
    if (exitCode !== 0) throw new Error(`exit code ${exitCode}`)
  }
  const ours = (): Promise<Time> => timed(command)
  const theirs = (): Promise<Time> => timed(() => files.forEach(parseFile))
  const pairs: Pair[] = []
  for (let round = 0; round < WARM_UP + rounds; round++) {
    const first = await (round % 2 === 0 ? theirs() : ours())
    const second = await (round % 2 === 0 ? ours() : theirs())
    pairs.push(round % 2 === 0 ? { against: first, took: second } : { took: first, against: second })
  }
  writeSync(3, JSON.stringify(pairs.slice(WARM_UP)))
}
