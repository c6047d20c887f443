// A digest as a report of tests: one case for the end of each session, one for each condition of `--fail-on`. Their names are the same from
// run to run, so that whoever compares two reports sees what is new.
import type { Digest, SessionDigest } from '../analyze/digest.ts'
import { plural } from '../base/text.ts'
import { type Condition, conditions, endText, programOf, troubleOf } from './digest-trouble.ts'
import { type Case, type Suite } from './junit.ts'

const names: Record<Condition, [name: string, found: string]> = {
  error: ['no error', 'error'],
  denied: ['nothing denied', 'denied call'],
  finding: ['no finding', 'finding'],
}

/** `failOn`: the conditions that fail; all of them when empty. A report then fails where the command would. */
export function digestSuite(digest: Digest, failOn: ReadonlySet<Condition>, file?: string): Suite {
  const { sessions } = digest
  const starts = sessions.flatMap(({ start }) => start ?? [])
  return {
    name: file ?? 'sluice digest',
    file,
    at: starts.length === 0 ? undefined : starts.reduce((first, at) => Math.min(first, at)),
    ms: sessions.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0),
    cases: [...sessionCases(sessions), ...conditionCases(digest, failOn)],
  }
}

function sessionCases(sessions: readonly SessionDigest[]): Case[] {
  if (sessions.length === 0)
    return [{ name: 'a session is there', result: { type: 'failure', kind: 'empty', message: 'There is no session in this stream.' } }]
  return sessions.map((session, index) => ({
    name: `session ${index + 1} ends well`,
    ms: session.durationMs,
    ...resultOf(session),
  }))
}

function resultOf(session: SessionDigest): Pick<Case, 'result'> {
  const { outcome, cut, reason } = session.ended
  if (outcome === 'ok' && !cut) return {}
  const message = `${programOf(session)}: ${endText(session)}`
  return {
    result: outcome === 'cancelled' && !cut ? { type: 'skipped', message } : { type: 'failure', kind: cut ? 'cut' : reason, message },
  }
}

function conditionCases(digest: Digest, failOn: ReadonlySet<Condition>): Case[] {
  const trouble = troubleOf(digest)
  return conditions.map((condition) => {
    const { count, lines } = trouble[condition]
    const [name, found] = names[condition]
    if (count === 0) return { name }
    const message = plural(count, found)
    if (failOn.size > 0 && !failOn.has(condition))
      return { name, result: { type: 'skipped', message: `${message}; --fail-on does not ask for it` } }
    return { name, result: { type: 'failure', kind: condition, message, lines } }
  })
}
