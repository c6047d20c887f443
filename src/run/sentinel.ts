// The sentinel: a small file that says that a run is over, and how. Programs wait for it and read it line by line, so the order of the
// lines never changes. It appears whole or not at all, and only its owner can read it.
import { rm } from 'node:fs/promises'
import { replaceFile } from '../files/atomic.ts'
import { stopReasonOf } from '../dialects/avenor/words.ts'
import type { Reason } from '../model/vocabulary.ts'

export type SentinelFacts = {
  exitCode: number
  /** Absent when no session began. */
  session?: string | undefined
  reason?: Reason | undefined
  /** Why the agent gave up, if it said so. */
  blockedBy?: string | undefined
  run?: string | undefined
}

type Shape = { status: string; stopReason: string; tellsCode: boolean }

const shapes: Readonly<Record<number, Shape>> = {
  0: { status: 'DONE', stopReason: 'end_turn', tellsCode: false },
  5: { status: 'BLOCKED', stopReason: 'blocked', tellsCode: false },
  124: { status: 'TIMEOUT', stopReason: 'timeout', tellsCode: false },
  130: { status: 'KILLED', stopReason: 'cancelled', tellsCode: true },
  143: { status: 'KILLED', stopReason: 'cancelled', tellsCode: true },
}

export function sentinelText({ exitCode, session = '', reason, blockedBy, run }: SentinelFacts): string {
  const { status, stopReason, tellsCode } = shapes[exitCode] ?? { status: 'FAILED', stopReason: `exit_${exitCode}`, tellsCode: true }
  const isBlocked = status === 'BLOCKED'
  const lines = [
    status,
    `SESSION=${session}`,
    `STOP_REASON=${reason === undefined || isBlocked ? stopReason : stopReasonOf(reason)}`,
    ...(tellsCode ? [`EXIT_CODE=${exitCode}`] : []),
    ...(isBlocked && blockedBy !== undefined ? [`REASON=${blockedBy}`] : []),
    ...(run === undefined ? [] : [`RUN=${run}`]),
  ]
  return lines.map((line) => `${oneLine(line)}\n`).join('')
}

/** Ids and labels come from agents: none of them may add a line of its own. */
const oneLine = (text: string): string => text.replace(/[\r\n]/g, ' ')

/** Rejects when it cannot be written, as when its folder is missing; how the run ended is not changed by that. */
export const writeSentinel = (path: string, facts: SentinelFacts): Promise<void> => replaceFile(path, sentinelText(facts), 0o600)

/** Where questions go by default: beside the sentinel. */
export const permissionBaseOf = (sentinel: string): string => `${sentinel.replace(/\.done$/, '')}.perm`

/** Before a run, and before each retry: what an earlier one left must not be taken for this one's. Throws if something stays. */
export async function clearSentinel(path: string): Promise<void> {
  const base = permissionBaseOf(path)
  for (const left of [path, `${base}.req`, `${base}.req.response`]) await rm(left, { force: true })
}
