// One pass over the events of a stream: who did what, for how long, what went wrong, what it cost and how it ended.
import type { Rec } from '../base/json.ts'
import type { Event, Kind } from '../model/event.ts'
import { outcomeOf } from '../model/outcome.ts'
import type { Pricer } from '../prices/price.ts'
import { type ClassifierOptions, createClassifier, type Piece, type Verdict } from './classify.ts'
import { createSessionFold, type SessionFold } from './digest-session.ts'
import { type Digest, keeper, type Keeper, type RunDigest } from './digest-shape.ts'
import { ownCopy } from './excerpt.ts'
import { between, known } from './snapshot.ts'
import { createStallFinder, type StallOptions } from './stall.ts'
import type { RunEvent } from './track.ts'
import { createUsage } from './usage.ts'

export type { Digest, List, SessionDigest } from './digest-shape.ts'

export type DigestOptions = ClassifierOptions &
  StallOptions & {
    /** For what the source tells no cost of. */
    price?: Pricer | undefined
  }

/** `messages`: of one stream a copy comes soon or not at all. */
const most = { sessions: 1000, crowd: 1 << 14, runs: 100, phases: 100, issues: 20, messages: 512 }

type Phase = RunDigest['phases']['items'][number]
type Run = Omit<RunDigest, 'phases'> & { phases: Keeper<Phase>; phaseAt: number | undefined }

export function createDigest({ rules, nameOf, price, ...limits }: DigestOptions = {}) {
  const classifier = createClassifier({ rules, nameOf })
  const stalls = createStallFinder(limits)
  const usage = createUsage({ price, remember: most.messages })
  const sessions = new Map<string | undefined, SessionFold>()
  const runs = new Map<string | undefined, Run>()
  const issues = keeper<Digest['issues']['items'][number]>(most.issues)
  let milestones = 0
  let findings = 0
  const beside = createSessionFold(undefined) // what belongs to no session, or to one too many
  let events = 0
  let recent: SessionFold | undefined
  let recentId: string | undefined
  const crowd = new Set<string>() // sessions too many, as far as they are known apart
  let starts = 0 // of others

  function sessionOf(id: string | undefined, kind: Kind): SessionFold {
    if (recent !== undefined && recentId === id) return recent
    recentId = id
    recent = sessions.get(id)
    if (recent !== undefined) return recent
    if (id === undefined && kind !== 'session.start') return beside
    if (sessions.size < most.sessions) sessions.set(id, (recent = createSessionFold(id)))
    else if (id !== undefined && !crowd.has(id)) meet(id, kind)
    return recent ?? beside
  }

  function meet(id: string, kind: Kind): void {
    if (crowd.size < most.crowd) crowd.add(ownCopy(id))
    else if (kind === 'session.start') starts++
  }

  function ofRun(event: RunEvent): void {
    let run = runs.get(event.run)
    if (run === undefined) {
      if (runs.size >= most.runs) return
      runs.set(event.run, (run = { ...known({ run: event.run }), phases: keeper(most.phases), phaseAt: undefined }))
    }
    if (event.kind === 'run.start') Object.assign(run, known({ label: event.label }))
    else if (event.kind === 'phase.start') run.phaseAt = event.at
    else if (event.kind === 'phase.end') {
      const durationMs = between(run.phaseAt, event.at)
      run.phases.add(() => ({ name: event.name, iteration: event.iteration, reason: event.reason, ...known({ durationMs }) }))
    } else {
      Object.assign(run, known({ reason: event.reason, iterations: event.iterations }))
      if (outcomeOf(event.reason) === 'failed') beside.trouble.errors++
    }
  }

  function tally({ class: its }: Verdict): void {
    events++
    if (its === 'MILESTONE') milestones++
    else if (its === 'FINDING') findings++
  }

  /** Most events of a source that streams. A function of their own: the engine knows their shape here, and no other. */
  function piece(event: Piece, record: Rec | undefined): Verdict {
    const verdict = classifier.piece(event, record)
    tally(verdict)
    const session = sessionOf(event.session, event.kind)
    const found = stalls.piece(event)
    if (found.length > 0) found.forEach(session.stall)
    session.piece(event, verdict)
    return verdict
  }

  /** The event's class, too. */
  function push(event: Event, record?: Rec): Verdict {
    if (event.kind === 'text.delta' || event.kind === 'thought.delta') return piece(event, record)
    const verdict = classifier.push(event, record)
    tally(verdict)
    const session = sessionOf(event.session, event.kind)
    const found = stalls.push(event)
    if (found.length > 0) found.forEach(session.stall)
    session.push(event, verdict)
    switch (event.kind) {
      case 'run.start':
      case 'run.end':
      case 'phase.start':
      case 'phase.end':
        ofRun(event)
        break
      case 'issue':
        issues.add(() => ({ line: event.line, code: event.code, text: event.text }))
        break
      default:
        usage.push(event, record)
    }
    return verdict
  }

  return {
    push,
    report(): Digest {
      const used = usage.report()
      const totals = new Map(used.sessions.map(({ key, ...sums }) => [key, sums]))
      const none = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0, reportedUsd: 0, pricedUsd: 0 }
      const unnamed = sessions.get(undefined)
      const isNone = unnamed !== undefined && sessions.size > 1 && unnamed.isIdle() // a supervisor's word, of no session
      const shown = [...sessions].filter(([, session]) => !isNone || session !== unnamed)
      const digests = shown.map(([id, session]) => session.digest(totals.get(id ?? '') ?? none))
      const others = isNone ? [beside, unnamed] : [beside]
      const all = [beside, ...sessions.values()].map((session) => session.counts())
      const sum = (what: keyof Digest['counts']): number => all.reduce((so, counts) => so + counts[what], 0)
      return {
        events,
        classes: { MILESTONE: milestones, FINDING: findings, ACTIVITY: events - milestones - findings },
        sessions: digests,
        moreSessions: crowd.size + starts,
        runs: [...runs.values()].map(({ phaseAt: _, phases, ...run }) => ({ ...run, phases: phases.list() })),
        errors: { items: others.flatMap((one) => one.errors().items), more: others.reduce((so, one) => so + one.errors().more, 0) },
        retries: others.reduce((so, one) => so + one.retries(), 0),
        issues: issues.list(),
        usage: { ...used.totals, unpriced: used.unpriced },
        counts: { findings: sum('findings'), errors: sum('errors'), denied: sum('denied') },
      }
    },
  }
}
