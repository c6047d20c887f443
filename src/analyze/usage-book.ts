// One precedence for all that a stream says about usage, from the narrowest report to the widest:
//  · a message counts once by its id; what was told of it before its end is replaced by its end;
//  · the sum of a turn replaces the messages since the turn before, for it knows calls that no message shows; where a log without turns
//    told more of them than the stream with the sum, those from the first to the last that the stream tells;
//  · a running total of the session adds only what it knows more than all that was counted in the session until then.
import { nanosOf, type Tokens } from '../prices/price.ts'
import { type Claim, type Counted, createAccount, met, type Running, type Session } from './usage-account.ts'
import type { LedgerOptions } from './usage-ledger.ts'
import { add, beyond, buckets, plus, severalAgents, tokensIn, zero } from './usage-sums.ts'

export type { Claim, Counted, Session }

/** `remember`: of how many messages it is known that they were counted. In one stream a copy comes soon or not at all. */
export type BookOptions = LedgerOptions & { remember?: number | undefined }

/** Some gateways give the same few ids to all messages. */
const mostOfOneId = 8

export type Book = ReturnType<typeof createBook>

export function createBook({ remember: mostMessages = 1 << 14, ...options }: BookOptions) {
  const account = createAccount(options, (session) => void settle(session))
  const { count, uncount, lane, ledger } = account
  const messages = new Map<string, Counted>()
  const ids: string[] = [] // of the messages, in a ring: a Map finds its oldest key only behind all that were deleted before it
  let oldest = 0

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
    claim.message !== undefined && find(session, claim.message, claim.request) !== undefined ? undefined : count(session, claim)

  function find(session: Session, id: string, request: string | undefined): Counted | undefined {
    let known = messages.get(id)
    while (known !== undefined && !isSame(known, session, request)) known = known.next
    return known
  }

  /** A later report of the same message counts if it says more. */
  function once(session: Session, claim: Claim, isKept: boolean): void {
    const { message: id, request } = claim
    if (id === undefined || id.startsWith('~')) return void count(session, claim)
    const before = find(session, id, request)
    if (before === undefined) {
      const counted = count(session, claim)
      if (isKept) session.kept.add(counted)
      return remember(id, messages.get(id), counted)
    }
    if (!isKept && before.session === session) retell(session, before.claim.at)
    if (before.session !== session && before.copies?.includes(session.id) !== true) {
      before.copies = [...(before.copies ?? []), session.id]
      add(session.seen, ledger.weigh(before.claim), 1) // the running totals of a copy may know it
    }
    const better = isBetter(claim, before)
    // A turn that was cut in another copy is told here as a whole: its sum has to find the message among its own.
    const isWhole = before.turn.broken === true && before.session === session
    if (before.turn.replaced || (!better && !isWhole)) return
    uncount(before)
    const { tokens, nanos, agent } = better ? claim : before.claim
    const { next, copies } = before
    Object.assign(before, count(before.session, { ...before.claim, tokens, nanos, agent }), { next, copies })
  }

  function remember(id: string, known: Counted | undefined, counted: Counted): void {
    counted.next = known
    messages.set(id, counted)
    if (known !== undefined) return cut(counted)
    if (ids.length >= mostMessages) forget(ids[oldest]!)
    ids[oldest] = id
    oldest = (oldest + 1) % mostMessages
  }

  function forget(id: string): void {
    for (let one = messages.get(id); one !== undefined; one = one.next) one.session.kept.delete(one)
    messages.delete(id)
  }

  /**
   * What a log without turns told is not in the sum of a turn where it comes after the last message of the turn. Where it comes before
   * the first, it is in the sum if that goes on with the sums of the session (no `isShare`) and holds it.
   */
  function setAside(session: Session, parts: readonly Claim[], isShare: boolean): { earlier: Counted[]; later: Counted[] } {
    const { kept, retold, turn: now } = session
    const pending = [...kept].filter((one) => one.turn === now)
    const later = pending.filter(({ claim }) => claim.at! > retold.to!)
    for (const one of later) uncount(one)
    const sum = parts.reduce<Tokens>((all, { tokens }) => plus(all, tokens, 1), {})
    const holdsAll = !isShare && tokensIn(beyond(session.pendingSums, sum)) === 0
    const earlier = holdsAll ? [] : pending.filter(({ claim }) => claim.at! < (retold.from ?? Infinity) && !(claim.at! > retold.to!))
    for (const one of earlier) uncount(one)
    if (retold.from !== undefined) for (const part of parts) part.at ??= retold.to
    return { earlier, later }
  }

  const recount = (all: readonly Counted[]): void => all.forEach((one) => Object.assign(one, count(one.session, one.claim)))

  /** The sum of a turn, by model where that is told; `own` is the main conversation's part of it. */
  function turn(session: Session, parts: readonly Claim[], own?: Tokens, isShare = false): void {
    if (session.kept.size === 0) return replace(session, parts, own)
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
    session.kept = new Set(later)
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
      for (const part of parts) {
        count(session, part)
        sum = plus(sum, part.tokens, 1)
      }
      const others = own === undefined ? {} : beyond(sum, own)
      const shares = sharesOf(others, agents)
      for (const [agent, tokens] of shares) if (tokensIn(tokens) > 0) lane(session.id, agent, tokens, 1)
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
    }
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

  return { ...account, begin, message, turn, breakOff, running, lifetime, runningApart, inherit, settle }
}

function retell({ kept, retold }: Session, at: number | undefined): void {
  if (kept.size === 0 || at === undefined) return
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

const isSame = ({ session, copies, claim }: Counted, other: Session, request: string | undefined): boolean =>
  session === other || copies?.includes(other.id) === true || (request !== undefined && claim.request === request)

/** Forgets the oldest of the messages with one id. */
function cut(newest: Counted): void {
  let one: Counted | undefined = newest
  for (let left = mostOfOneId; left > 1 && one !== undefined; left--) one = one.next
  if (one?.next === undefined) return
  one.next.session.kept.delete(one.next)
  one.next = undefined
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
