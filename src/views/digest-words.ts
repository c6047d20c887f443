// The words that every page of a digest has in common: the terminal's, the Markdown summary, the reports for CI. Not yet harmless.
import type { Digest, SessionDigest } from '../analyze/digest.ts'
import type { Stall } from '../analyze/stall.ts'
import type { Totals } from '../analyze/usage.ts'
import { plural } from '../base/text.ts'
import type { Decision } from '../model/vocabulary.ts'
import { countText, durationText, noRealCost, paidText } from './amounts.ts'
import { deciderText } from './decider.ts'

type Ask = SessionDigest['permissions']['items'][number]

/** Why it ended, in brackets. A good end needs no reason. */
export function whyText({ reason, cut, exitCode, signal }: SessionDigest['ended']): string {
  const why = [cut || reason === 'end_turn' ? undefined : reason, exitCode === undefined ? undefined : `exit code ${exitCode}`, signal]
  const known = why.filter((part) => part !== undefined)
  return known.length === 0 ? '' : ` (${known.join(', ')})`
}

export function sumsText({ turns, steps, durationMs }: SessionDigest): string {
  const sums = [
    plural(turns, 'turn'),
    steps === 0 ? '' : plural(steps, 'model call'),
    durationMs === undefined ? '' : durationText(durationMs),
  ]
  return sums.filter((part) => part !== '').join(', ')
}

const decided: Record<Decision, string> = {
  allow: 'allowed',
  reject: 'refused',
  cancelled: 'cancelled',
  withdrawn: 'not answered',
  expired: 'answered too late',
}

export function answerText({ decision, by, waitedMs }: Ask): string {
  return `${decided[decision]}${deciderText(by)}${waitedMs === undefined ? '' : `, after ${durationText(waitedMs)}`}`
}

/** Calls that only the end of a turn reports as not allowed. 0: they are among the permissions and calls already. */
export function refusedElsewhere({ notAllowed, permissions, tools }: SessionDigest): number {
  const refusals = notAllowed.items.length + notAllowed.more
  const denied = tools.reduce((so, tool) => so + tool.denied, 0)
  return refusals > Math.max(permissions.refused, denied) ? refusals : 0
}

/** The one error is the one that it ended with. */
export const isToldAbove = ({ errors: { items, more }, ended }: SessionDigest): boolean =>
  items.length === 1 && more === 0 && items[0]!.times === 1 && items[0]!.text === ended.error?.text

export const errorText = ({ category, text, times }: Digest['errors']['items'][number]): string =>
  `${category}: ${text}${times > 1 ? ` (${times} times)` : ''}`

export function stallText(stall: Stall): string {
  if (stall.type === 'silence')
    return `nothing for ${durationText(stall.forMs)} while ${stall.open.map(({ what, name, id }) => `${what} ${name ?? id}`).join(', ')} was open`
  const seqs = `events ${stall.seqs[0]}–${stall.seqs.at(-1)}`
  if (stall.type === 'compaction') return `the context was made smaller ${stall.times} times without work in between (${seqs})`
  return `${stall.calls.map(({ name, subject }) => `${name} ${subject}`.trim()).join(', then ')}: ${stall.times} times (${seqs})`
}

/** Nobody paid what all of them cost. */
export const areScripted = (sessions: readonly Pick<SessionDigest, 'scripted'>[]): boolean => sessions.every(({ scripted }) => scripted)

export function tokensAndCost(totals: Totals, scripted?: boolean): string {
  const names = [
    ['input', totals.input],
    ['output', totals.output],
    ['thinking', totals.reasoning],
    ['cache read', totals.cacheRead],
    ['cache write', totals.cacheWrite],
  ] as const
  const parts = names.filter(([, count]) => count > 0).map(([name, count]) => `${countText(count)} ${name}`)
  if (parts.length === 0) return 'not told'
  const unknown = scripted === true ? noRealCost : 'no known price'
  const cost = totals.costUsd === 0 ? unknown : `${paidText(totals.costUsd, scripted)}${totals.pricedUsd > 0 ? ' by price list' : ''}`
  return `${parts.join(' · ')} · ${cost}`
}
