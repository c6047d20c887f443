/**
 * Made-up streams for tests: legal ones of every dialect, cut ones, broken ones, noisy ones. The same seed gives the same stream.
 * They follow the documents of the dialects, not our writers, so that they can judge them.
 *
 * ```ts
 * import { validate } from 'sluice'
 * import { legalStream, linesOf } from 'sluice/testing'
 *
 * for (let seed = 0; seed < 100; seed++) {
 *   const { errors } = validate(linesOf(legalStream('avenor', seed)), { dialect: 'avenor' })
 *   if (errors > 0) throw new Error(`seed ${seed} is not legal`)
 * }
 * ```
 *
 * @module
 */
import type { Rec } from '../base/json.ts'
import { acpSession } from './acp.ts'
import { aictrlSession } from './aictrl.ts'
import { appctlSession } from './appctl.ts'
import { avenorRun } from './avenor.ts'
import { claudeSession } from './claude.ts'
import { copilotRun } from './copilot.ts'
import { codexSession } from './codex.ts'
import { geminiSession } from './gemini.ts'
import { opencodeSession } from './opencode.ts'
import { type Plan, planOf, type StreamOptions } from './plan.ts'
import { createRandom, interleaved, type Random } from './random.ts'
import { numbered, sluiceSession } from './sluice.ts'

export { breakStream, type Broken } from './break.ts'
export { cutStream, extendStream, linesOf, noisy } from './harm.ts'
export { createRandom, type Random, type Rec, type StreamOptions }

type Maker = {
  session(random: Random, plan: Plan): Rec[]
  /** The key that names a record's session; without it sessions cannot be told apart and follow one another. */
  key?: string
}

const makers = {
  acp: { session: acpSession },
  aictrl: { session: aictrlSession, key: 'sessionID' },
  avenor: { session: avenorRun, key: 'session_id' },
  appctl: { session: appctlSession },
  claude: { session: claudeSession, key: 'session_id' },
  gemini: { session: geminiSession },
  sluice: { session: sluiceSession, key: 'session' },
  copilot: { session: copilotRun },
  codex: { session: codexSession },
  opencode: { session: opencodeSession, key: 'sessionID' },
} as const satisfies Record<string, Maker>

export type StreamDialect = keyof typeof makers

/** The dialects that there are generators for. */
export const streamDialects = Object.keys(makers) as StreamDialect[]

/** A stream that breaks no rule of its dialect. Its numbers past 2^53 are `JSON.rawJSON` values: write it with `linesOf`. */
export function legalStream(dialect: StreamDialect, seed: number, options: StreamOptions = {}): Rec[] {
  if (!Object.hasOwn(makers, dialect))
    throw new TypeError(`no streams of ${String(dialect)} are made; name one of ${streamDialects.join(', ')}`)
  const random = createRandom(seed)
  const { session, key }: Maker = makers[dialect]
  const count = options.sessions ?? (random.chance(0.2) ? 2 : 1)
  const sessions = Array.from({ length: count }, () => session(random, planOf(random, options, count === 1)))
  const apart = key !== undefined && sessions.every((records) => records.every((record) => typeof record[key] === 'string'))
  const records = apart && random.chance(0.5) ? interleaved(sessions, random) : sessions.flat()
  return dialect === 'sluice' ? numbered(records) : records
}
