// The sentinel of a run from the command line: what an earlier run left goes before anything can fail, and no failure leaves none.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { quoted } from '../base/text.ts'
import { clearSentinel, type SentinelFacts, writeSentinel } from '../run/sentinel.ts'
import { codeOfError, exitCodes, say, signalCodes, systemReason, usageError } from './exit.ts'

/** `begin` leaves the file when it returns. When it throws, nobody else would: whoever waits for the file would wait for ever. */
export async function withSentinel(path: string | undefined, run: string | undefined, begin: () => Promise<number>): Promise<number> {
  if (path === undefined) return begin()
  await clear(path)
  try {
    return await begin()
  } catch (error) {
    await leave(path, { exitCode: codeOfError(error), run })
    throw error
  }
}

/** What an earlier run left must not be taken for this one's. */
async function clear(path: string): Promise<void> {
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw usageError(`--sentinel-file ${quoted(path, 500)}: there is no such folder`)
  try {
    await clearSentinel(path)
  } catch (error) {
    throw usageError(`--sentinel-file ${quoted(path, 500)}: what is there cannot be removed: ${systemReason(error)}`)
  }
}

/** The exit code: somebody may wait for the file in vain, so that it is missing is told by that as well. */
export async function leave(path: string, facts: SentinelFacts): Promise<number> {
  try {
    await writeSentinel(path, facts)
    return facts.exitCode
  } catch (error) {
    say(`sluice: --sentinel-file ${quoted(path, 500)} cannot be written: ${systemReason(error)}`)
    return facts.exitCode || exitCodes.failed
  }
}

/**
 * Until there is a run that can be ended, a signal leaves the file and ends the process. What it returns gives that up; it waits for ever
 * when a signal came first, so that nothing more begins.
 */
export function leaveOnSignal({ sentinel, id }: { sentinel?: string | undefined; id?: string | undefined }): () => Promise<void> {
  let isLeaving = false
  const names = Object.keys(signalCodes) as (keyof typeof signalCodes)[]
  const stop = (): void => {
    for (const name of names) process.off(name, hear)
  }
  const hear = (name: NodeJS.Signals): void => {
    isLeaving = true
    stop() // a second one ends it at once
    const exitCode = signalCodes[name as keyof typeof signalCodes]
    if (sentinel === undefined) process.exit(exitCode)
    void leave(sentinel, { exitCode, run: id }).then((code) => process.exit(code))
  }
  for (const name of names) process.on(name, hear)
  return async () => {
    stop()
    if (isLeaving) await new Promise(() => {})
  }
}
