// One precedence for all that a stream says about usage, from the narrowest report to the widest:
//  · a message counts once by its id; what was told of it before its end is replaced by its end;
//  · the sum of a turn replaces the messages since the turn before, for it knows calls that no message shows; where a log without turns
//    told more of them than the stream with the sum, those from the first to the last that the stream tells;
//  · a running total of the session adds only what it knows more than all that was counted in the session until then.
import { nanosOf, type Tokens } from '../prices/price.ts'
import { type Claim, type Counted, createAccount, met, type Running, type Session } from './usage-account.ts'
import type { LedgerOptions } from './usage-ledger.ts'
import { createMemory } from './usage-memory.ts'
import { add, beyond, buckets, plus, severalAgents, tokensIn, zero } from './usage-sums.ts'

export type { Claim, Counted, Session }

type Kept = Counted & { serial: number }

/** `remember`: of how many messages it is known that they were counted. In one stream a copy comes soon or not at all. */
export type BookOptions = LedgerOptions & { remember?: number | undefined }

export type Book = ReturnType<typeof createBook>

export function createBook({ remember: mostMessages = 1 << 14, ...options }: BookOptions) {
  const account = createAccount(options, (session) => void settle(session))
  const { count, uncount, lane, ledger } = account
  const most = Math.max(1, Math.ceil(mostMessages))
  const messages = createMemory(most)

  /**
   * A message has ended, of which `before` was counted when it began; `open` is the key under which it was open, in a stream that tells
   * turns. A running total that came while it was knew it: what its end adds was seen by then.
   */
  function message(session: Session, claim: Claim, open?: string, before: readonly Counted[] = []): void {
    const told = session.running
    const seen = open !== undefined && told?.open.delete(open) === true ? { ...session.seen } : undefined
    for (const counted of before) uncount(counted)
    met(session, claim.at)
    if (tokensIn(claim.tokens) > 0 || claim.nanos) once(session, claim, open === undefined)
    if (seen === undefined) return
    add(told!.seen, session.seen, 1)
    add(told!.seen, seen, -1)
  }

  /** A message has begun; this is what it used so far. */
  const begin = (session: Session, claim: Claim): Counted | undefined =>
    claim.message !== undefined && messages.find(session, claim.message, claim.request) !== 0 ? undefined : count(session, claim)

  /** A later report of the same message counts if it says more. */
  function once(session: Session, claim: Claim, isKept: boolean): void {
    const { message: id, request } = claim
    if (id === undefined || id.startsWith('~')) return void count(session, claim)
    const serial = messages.find(session, id, request)
    if (serial === 0) {
      const added = messages.add(id, request, count(session, claim))
      if (isKept && session.kept.push(added) > 2 * most) session.kept = session.kept.filter(messages.isKnown) // the others are forgotten
      return
    }
    const before = messages.read(serial)
    if (!isKept && before.session === session) retell(session, before.claim.at)
    if (before.session !== session && before.copies?.includes(session.id) !== true) {
      before.copies = [...(before.copies ?? []), session.id]
      messages.write(serial, before)
      add(session.seen, ledger.weigh(before.claim), 1) // the running totals of a copy may know it
    }
    const better = isBetter(claim, before)
    // A turn that was cut in another copy is told here as a whole: its sum has to find the message among its own.
    const isWhole = before.turn.broken === true && before.session === session
    if (before.turn.replaced || (!better && !isWhole)) return
    uncount(before)
    const { tokens, nanos, agent } = better ? claim : before.claim
    messages.write(serial, { ...count(before.session, { ...before.claim, tokens, nanos, agent }), copies: before.copies })
  }

  /**
   * What a log without turns told is not in the sum of a turn where it comes after the last message of the turn. Where it comes before
   * the first, it is in the sum if that goes on with the sums of the session (no `isShare`) and holds it.
   */
  function setAside(session: Session, parts: readonly Claim[], isShare: boolean): { earlier: Kept[]; later: Kept[] } {
    const { kept, retold, turn: now } = session
    const pending = kept.map((serial): Kept => ({ serial, ...messages.read(serial) })).filter((one) => one.turn === now)
    const later = pending.filter(({ claim }) => claim.at! > retold.to!)
    for (const one of later) uncount(one)
    const sum = parts.reduce<Tokens>((all, { tokens }) => plus(all, tokens, 1), {})
    const holdsAll = !isShare && tokensIn(beyond(session.pendingSums, sum)) === 0
    const earlier = holdsAll ? [] : pending.filter(({ claim }) => claim.at! < (retold.from ?? Infinity) && !(claim.at! > retold.to!))
    for (const one of earlier) uncount(one)
    if (retold.from !== undefined) for (const part of parts) part.at ??= retold.to
    return { earlier, later }
  }

  const recount = (all: readonly Kept[]): void =>
    all.forEach(({ serial, session, claim, copies }) => messages.write(serial, { ...count(session, claim), copies }))

  /** The sum of a turn, by model where that is told; `own` is the main conversation's part of it. */
  function turn(session: Session, parts: readonly Claim[], own?: Tokens, isShare = false): void {
    session.kept = session.kept.filter(messages.isKnown)
    if (session.kept.length === 0) return replace(session, parts, own)
    const { earlier, later } = setAside(session, parts, isShare)
    const seen = { ...session.seen }
    const told = session.retold.from === undefined ? undefined : session.running
    replace(session, parts, own)
    if (told !== undefined) {
      add(told.seen, session.seen, 1) // the running total came later, and knew what the sum of the turn knows
      add(told.seen, seen, -1)
    }
    recount(earlier)
    breakOff(session)
    recount(later)
    session.kept = later.map(({ serial }) => serial)
  }

  function replace(session: Session, parts: readonly Claim[], own: Tokens | undefined): void {
    const told = parts.some(({ tokens }) => tokensIn(tokens) > 0)
    // A sum of nothing, after messages that used something, is a sum that the program did not make.
    if (told || (parts.length > 0 && tokensIn(session.pendingSums) === 0)) {
      for (const [cell, sums] of session.pending) add(cell, sums, -1)
      add(session.seen, session.pendingSums, -1)
      add(session.seen, session.pendingApart, 1)
      const agents = [...session.pendingLanes]
      for (const [agent, tokens] of agents) lane(session.id, agent, tokens, -1)
      let sum: Tokens = {}
      let isAskedFor = false // its time
      for (const part of parts) {
        isAskedFor = count(session, part).cell !== undefined || isAskedFor
        sum = plus(sum, part.tokens, 1)
      }
      const others = own === undefined ? {} : beyond(sum, own)
      const shares = sharesOf(others, agents)
      for (const [agent, tokens] of shares) if (isAskedFor && tokensIn(tokens) > 0) lane(session.id, agent, tokens, 1)
      if (session.apart.size > 0) known(session, others, -1)
      if (session.running?.inTurn === true) session.running.seen = { ...session.seen } // it came before the turn was over
      session.turn.replaced = told
    }
    if (session.running !== undefined) session.running.inTurn = false
    session.inTurn = false
    nextTurn(session)
  }

  /** A stream ends within a turn: what was told of it counts, until another stream tells the same messages and then the sum. */
  function breakOff(session: Session): void {
    session.turn.broken = true
    nextTurn(session)
  }

  /** All that the session used until now, of which much may be counted already. `open` are messages whose end is still to come. */
  function running(session: Session, claim: Omit<Claim, 'tokens'>, told: Tokens | undefined, open: Set<string>): void {
    if (session.goesOn) inheritPast(session, claim.nanos, told)
    const before = session.running
    const more = settle(session)
    if (before !== undefined && isLess(told, claim.nanos, before)) {
      session.base = { ...before.seen }
      if (more !== undefined) add(session.base, ledger.weigh(more.claim), 1)
    }
    session.running = {
      claim: { ...claim, at: claim.at ?? session.at, tokens: {} },
      told,
      seen: { ...session.seen },
      open,
      inTurn: session.inTurn,
      inRun: true,
    }
  }

  /** All that one run of the session used. A total that was told in that run, and is more, is of earlier runs too: it knows all of this. */
  function ran(session: Session, claim: Omit<Claim, 'tokens'>, told: Tokens | undefined, open: Set<string>): void {
    const before = session.running
    session.goesOn = false
    if (before?.inRun === true && isLess(told, claim.nanos, before)) return told === undefined ? undefined : takeBack(session, claim, told)
    running(session, claim, told, open)
    // The end of a run knows its subagents, too; the session's own total does not.
    for (const tokens of session.apart.values()) for (const bucket of buckets) session.running!.seen[bucket] += tokens[bucket] ?? 0
  }

  /** All that the session used in its whole life, whichever program tells it: one that knows less tells nothing new. */
  function lifetime(session: Session, claim: Omit<Claim, 'tokens'>, told: Tokens): void {
    settle(session)
    const tokens = beyond(told, session.seen)
    if (tokensIn(tokens) > 0) count(session, { ...claim, tokens })
  }

  /** All that one subagent used until now. */
  function runningApart(session: Session, claim: Omit<Claim, 'tokens'> & { agent: string }, told: Tokens): void {
    const before = session.apart.get(claim.agent)
    session.apart.set(claim.agent, told)
    const counted = count(session, { ...claim, tokens: beyond(told, before ?? {}) })
    const sums = ledger.weigh(counted.claim)
    add(session.seen, sums, -1)
    add(session.pendingApart, sums, 1)
  }

  /** What the running totals of a session contain, but another session has used: a fork goes on with the sums of its parent. */
  const inherit = (session: Session, tokens: Tokens): void => known(session, tokens, 1)

  /** The first total of a run that goes on with a session of which nothing else was read: what it knows more was used before. */
  function inheritPast(session: Session, nanos: number | undefined, told: Tokens | undefined): void {
    session.goesOn = false
    const { seen } = session
    session.past = told === undefined ? {} : beyond(told, seen)
    inherit(session, session.past)
    if (nanos !== undefined) seen.reported += Math.max(0, nanos - seen.reported - seen.priced)
  }

  /** The run used more than was counted of it: what was taken for the past was its own. */
  function takeBack(session: Session, claim: Omit<Claim, 'tokens'>, told: Tokens): void {
    if (session.past === undefined) return
    const own = { ...session.seen }
    for (const bucket of buckets) own[bucket] -= session.past[bucket] ?? 0
    const tokens = beyond(told, own)
    if (tokensIn(tokens) === 0) return
    known(session, tokens, -1)
    session.past = plus(session.past, tokens, -1)
    count(session, { ...claim, tokens })
    if (session.running !== undefined) session.running.seen = { ...session.seen }
  }

  /** Counts what the running total knows more. */
  function settle(session: Session): Counted | undefined {
    if (session.running === undefined) return undefined
    const { claim, told, seen: all } = session.running
    session.running = undefined
    const seen = { ...all }
    add(seen, session.base, -1)
    const tokens = told === undefined ? {} : beyond(told, seen)
    const nanos = claim.nanos === undefined ? undefined : Math.max(0, claim.nanos - seen.reported - seen.priced)
    if (tokensIn(tokens) === 0 && !nanos) return undefined
    return count(session, { ...claim, tokens, nanos })
  }

  return { ...account, begin, message, turn, breakOff, running, ran, lifetime, runningApart, inherit, settle }
}

function retell({ kept, retold }: Session, at: number | undefined): void {
  if (kept.length === 0 || at === undefined) return
  retold.from = Math.min(at, retold.from ?? at)
  retold.to = Math.max(at, retold.to ?? at)
}

function nextTurn(session: Session): void {
  session.retold.from = undefined
  session.turn = { replaced: false }
  session.pending.clear()
  session.pendingLanes.clear()
  session.pendingSums = zero()
  session.pendingApart = zero()
}

function known({ seen }: Session, tokens: Tokens, sign: 1 | -1): void {
  for (const bucket of buckets) seen[bucket] += sign * (tokens[bucket] ?? 0)
}

/** The main conversation knows best; among equals, whoever says more. */
function isBetter(claim: Claim, { claim: before }: Counted): boolean {
  if ((claim.agent === undefined) !== (before.agent === undefined)) return claim.agent === undefined
  return tokensIn(claim.tokens) > tokensIn(before.tokens)
}

const isLess = (told: Tokens | undefined, nanos: number | undefined, before: Running): boolean =>
  told !== undefined && before.told !== undefined ? tokensIn(told) < tokensIn(before.told) : (nanos ?? 0) < (before.claim.nanos ?? 0)

/** Nothing is no price: programs write 0 when they know none. */
export const toldNanos = (usd: number | undefined, tokens: Tokens | undefined): number | undefined =>
  usd === undefined || !Number.isFinite(usd) || usd < 0 || (usd === 0 && tokens !== undefined && tokensIn(tokens) > 0)
    ? undefined
    : nanosOf(usd)

/** Whose the tokens of subagents are: known where there is one, or where their messages tell all of it. */
function sharesOf(all: Tokens, agents: readonly [string, Tokens][]): readonly [string, Tokens][] {
  if (agents.length === 1) return [[agents[0]![0], all]]
  const told = agents.reduce<Tokens>((sum, [, tokens]) => plus(sum, tokens, 1), {})
  return tokensIn(beyond(all, told)) + tokensIn(beyond(told, all)) === 0 ? agents : [[severalAgents, all]]
}
