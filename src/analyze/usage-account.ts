// The sessions of an account: what is counted in each, and can be taken out again when a wider report replaces it.
import { scriptProvider } from '../model/scripted.ts'
import type { Tokens } from '../prices/price.ts'
import { type Cell, createLedger, type LedgerOptions, type Weight } from './usage-ledger.ts'
import { add, plus, type Sums, zero } from './usage-sums.ts'

export type Claim = Weight & {
  project?: string | undefined
  /** The lane of a subagent. */
  agent?: string | undefined
  /** The message's id; the request's, where it is told: together they are the same in copies of a conversation. */
  message?: string | undefined
  request?: string | undefined
}

/** Everything of one session that later reports may replace. */
export type Session = {
  id: string
  model: string | undefined
  provider: string | undefined
  project: string | undefined
  /** The latest time that was told; sums often tell none. */
  at: number | undefined
  /** All that was told of it, also what another session had told before. */
  seen: Sums
  /** Counted since the last turn ended: by cell, by subagent, and in all, also what is of times that are not asked for. */
  pending: Map<Cell, Sums>
  pendingLanes: Map<string, Tokens>
  pendingSums: Sums
  /** Running totals of subagents that count for themselves: the session's own total does not know them. */
  apart: Map<string, Tokens>
  pendingApart: Sums
  turn: Turn
  inTurn: boolean
  /** Messages from a log that does not tell turns, by their numbers in the memory, while no sum has replaced them. */
  kept: number[]
  /** The times of those that a stream has told again: the first in the turn at hand, and the last of all. */
  retold: { from?: number | undefined; to?: number | undefined }
  running: Running | undefined
  /** It was begun before all that was read of it, and no running total was told yet. */
  goesOn: boolean
  /** What was used before, as the first running total told it. */
  past?: Tokens
  /** What had been seen when the running total began: a resumed program may count anew. */
  base: Sums
}

/** `replaced`: its own sum has taken the place of all that was counted in it. `broken`: the stream ended before the turn did. */
type Turn = { replaced: boolean; broken?: boolean }

/** A running total that waits for the messages that were open when it came: they are part of it. `inRun`: the session was not begun anew since. */
export type Running = { claim: Claim; told: Tokens | undefined; seen: Sums; open: Set<string>; inTurn: boolean; inRun: boolean }

/** `copies`: other sessions in which the message was met. */
export type Counted = { session: Session; turn: Turn; claim: Claim; cell: Cell | undefined; copies?: readonly string[] | undefined }

const mostSessions = 1 << 14

/** `forget`: a session leaves the account; what it still has to say must be counted now. */
export function createAccount(options: LedgerOptions, forget: (session: Session) => void) {
  const ledger = createLedger(options)
  const sessions = new Map<string, Session>()
  const lanes = new Map<string, { session: string; agent: string; tokens: Tokens }>()
  let last: Session | undefined

  function sessionOf(id: string): Session {
    if (last?.id === id) return last
    last = sessions.get(id)
    if (last !== undefined) return last
    last = newSession(id)
    sessions.set(id, last)
    if (sessions.size > mostSessions) {
      const [oldest, state] = sessions.entries().next().value!
      forget(state)
      sessions.delete(oldest)
    }
    return last
  }

  function count(session: Session, claim: Claim): Counted {
    claim.model ??= session.model
    claim.provider ??= session.provider
    claim.at ??= session.at
    met(session, claim.at)
    const cell = ledger.cell(session.id, nameOf(claim), claim.project ?? session.project, claim.at)
    const counted: Counted = { session, turn: session.turn, claim, cell }
    apply(counted, 1)
    return counted
  }

  function uncount(counted: Counted): void {
    if (!counted.turn.replaced) apply(counted, -1)
  }

  function apply({ session, turn: when, claim, cell }: Counted, sign: 1 | -1): void {
    const { agent, tokens } = claim
    const sums = ledger.weigh(claim)
    add(session.seen, sums, sign)
    if (cell !== undefined) add(cell, sums, sign)
    if (cell !== undefined && agent !== undefined) lane(session.id, agent, tokens, sign)
    if (when !== session.turn) return
    add(session.pendingSums, sums, sign)
    if (cell === undefined) return
    let pending = session.pending.get(cell)
    if (pending === undefined) session.pending.set(cell, (pending = zero()))
    add(pending, sums, sign)
    if (agent !== undefined) session.pendingLanes.set(agent, plus(session.pendingLanes.get(agent), tokens, sign))
  }

  function lane(session: string, agent: string, tokens: Tokens, sign: 1 | -1): void {
    const key = `${session}\0${agent}`
    const known = lanes.get(key)
    if (known === undefined) lanes.set(key, { session, agent, tokens: plus(undefined, tokens, sign) })
    else known.tokens = plus(known.tokens, tokens, sign)
  }

  return { ledger, sessionOf, count, uncount, lane, sessions: () => sessions.values(), lanes: () => lanes.values() }
}

/** Under its own name a scripted model would be taken for the one that it stands for. */
const nameOf = ({ model, provider }: Claim): string | undefined =>
  model !== undefined && provider === scriptProvider ? `${scriptProvider}/${model}` : model

const newSession = (id: string): Session => ({
  id,
  model: undefined,
  provider: undefined,
  project: undefined,
  at: undefined,
  seen: zero(),
  pending: new Map(),
  pendingLanes: new Map(),
  pendingSums: zero(),
  apart: new Map(),
  pendingApart: zero(),
  turn: { replaced: false },
  inTurn: false,
  kept: [],
  retold: {},
  running: undefined,
  goesOn: false,
  base: zero(),
})

/** Something of that time was told of the session. */
export function met(session: Session, at: number | undefined): void {
  if (at !== undefined && !(session.at! >= at)) session.at = at
}
