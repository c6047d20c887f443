// What the servers of `sluice model` share: the port, and waiting for the signal that ends them.
import { quoted } from '../base/text.ts'
import { CommandError, exitCodes, hasCode, signalCodes, systemReason, usageError } from './exit.ts'

export function portIn(value: string | undefined): number {
  const port = value === undefined ? 0 : Number(value)
  if (!Number.isInteger(port) || port < 0 || port > 65_535 || value === '')
    throw usageError(`--port ${quoted(value)} is not a port; give a number from 0 to 65535`)
  return port
}

export async function listening<T>(port: number, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    const reason = hasCode(error, 'EADDRINUSE') ? 'something else listens there' : systemReason(error)
    throw new CommandError(`cannot listen on port ${port}: ${reason}`, exitCodes.failed, { cause: error })
  }
}

/** The second signal ends the process at once, as if nobody had heard the first. */
export const firstSignal = (): Promise<keyof typeof signalCodes> =>
  new Promise((resolve) => {
    for (const signal of Object.keys(signalCodes) as (keyof typeof signalCodes)[]) process.once(signal, () => resolve(signal))
  })
