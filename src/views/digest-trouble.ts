// What went wrong in a digest, as lines for reports: for each condition of `--fail-on` how often it was met, and what is known of it.
import type { Digest, SessionDigest } from '../analyze/digest.ts'
import { answerText, errorText, refusedElsewhere, sumsText, whyText } from './digest-words.ts'
import { harmlessLine } from './harmless.ts'

export const conditions = ['error', 'denied', 'finding'] as const
export type Condition = (typeof conditions)[number]

/** `count`: of all. `lines`: harmless, one for each of which more is known than that it was. */
export type Trouble = { count: number; lines: string[] }

export function troubleOf(digest: Digest): Record<Condition, Trouble> {
  const { counts, sessions } = digest
  const all = (linesOf: (session: SessionDigest) => string[]): string[] => sessions.flatMap(linesOf).map(harmlessLine)
  return {
    error: { count: counts.errors, lines: [...all(errorsOf), ...digest.errors.items.map(errorText).map(harmlessLine)] },
    denied: { count: counts.denied, lines: all(refusalsOf) },
    finding: { count: counts.findings, lines: all(({ findings }) => findings.items.map(({ text, rule }) => `${text} (${rule})`)) },
  }
}

/** A failed end without an error has a line of its own. */
function errorsOf(session: SessionDigest): string[] {
  const { errors, ended } = session
  return errors.items.length === 0 && ended.outcome === 'failed' && !ended.cut ? [endText(session)] : errors.items.map(errorText)
}

/** What a rule, a person or the agent itself refused. A refusal may be told as an answer, by its call, or at the end of the turn. */
export function refusalsOf(session: SessionDigest): string[] {
  const { permissions, notAllowed, tools } = session
  const wasRefused = ({ decision }: (typeof permissions.items)[number]): boolean => decision !== 'allow' && decision !== 'withdrawn'
  const unnamed = refusedElsewhere(session) > 0 ? [] : [...notAllowed.items] // the same calls: what they are about may be told only here
  const asks = permissions.items.filter(wasRefused).map((ask) => {
    const at = ask.question === undefined ? unnamed.findIndex(({ name }) => name === ask.name) : -1
    const about = at < 0 ? ask.question : unnamed.splice(at, 1)[0]!.subject
    return `${subject(ask.name, about)}: ${answerText(ask)}`
  })
  const others = refusedElsewhere(session) > 0 ? notAllowed.items.map((call) => `${subject(call.name, call.subject)}: not allowed`) : []
  if (asks.length + others.length > 0) return [...asks, ...others]
  return tools.filter(({ denied }) => denied > 0).map(({ name, denied }) => `${name}: denied${denied > 1 ? ` ${denied} times` : ''}`)
}

const subject = (name: string | undefined, about: string | undefined): string => [name, about].filter(Boolean).join(' ')

export function endText(session: SessionDigest): string {
  const { ended } = session
  const how = ended.cut ? 'the stream stopped before the end' : ended.outcome === 'ok' ? 'done' : ended.outcome
  return `${how}${whyText(ended)}, after ${sumsText(session)}${ended.error === undefined ? '' : `: ${ended.error.text}`}`
}

export const programOf = ({ program, version, model }: SessionDigest): string =>
  [[program, version].filter(Boolean).join(' '), model].filter(Boolean).join(' · ') || 'agent'
