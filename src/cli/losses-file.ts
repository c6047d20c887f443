// The file of `--losses`: what a dialect could not say and what had to be added, one JSON object a line.
import { closeSync, openSync } from 'node:fs'
import { quoted } from '../base/text.ts'
import type { Addition, Loss } from '../stream/ledger.ts'
import { CommandError, exitCodes, hasCode, systemReason } from './exit.ts'
import { writeAll } from './write.ts'

/** `where`: keys that say of which output it is the loss. */
type Lost = { where?: Record<string, string>; losses: readonly Loss[]; additions: readonly Addition[] }

export type LossesFile = { write(all: readonly Lost[]): void }

/** Opened before anything is converted: a name that cannot be written is better known early. */
export function openLosses(file: string | undefined): LossesFile | undefined {
  if (file === undefined) return undefined
  const name = quoted(file, 500)
  let fd: number
  try {
    fd = openSync(file, 'w')
  } catch (error) {
    const reason = hasCode(error, 'ENOENT') ? 'its folder does not exist' : systemReason(error)
    throw new CommandError(`cannot write ${name}: ${reason}`, exitCodes.usage, { cause: error })
  }
  return {
    write(all) {
      const records = all.flatMap(({ where, losses, additions }) => [
        ...losses.map((loss) => ({ type: 'loss', ...where, ...loss })),
        ...additions.map((addition) => ({ type: 'addition', ...where, ...addition })),
      ])
      writeAll(fd, Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')), name)
      closeSync(fd)
    },
  }
}
