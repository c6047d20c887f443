// Work that does not get on: silence while something is open, the same calls again and again, a compaction that repeats. It gives
// verdicts with their evidence and never acts. Time comes from the events, or from whoever watches them live.
// A verdict comes when the thing is found (`over: false`) and again, with the same id and its whole extent, when it is over.
import type { Event, EventOf } from '../model/event.ts'
import { createRepeats, type Repeats } from './stall-repeats.ts'

export type Stall = Silence | Loop | Compactions
type Common = { id: string; session?: string | undefined; over: boolean }
export type Silence = Common & {
  type: 'silence'
  forMs: number
  from: number
  to: number
  /** The last event before. */
  seq: number
  /** What was open, the outermost first; of many only the first ones. */
  open: Pending[]
}
export type Loop = Common & Repeats & { type: 'loop'; agent?: string | undefined }
export type Compactions = Common & {
  type: 'compaction'
  times: number
  /** The first ones, and the last. */
  seqs: number[]
  from?: number | undefined
  to?: number | undefined
}
export type Pending = { what: 'turn' | 'task' | 'tool' | 'permission' | 'question'; id: string; name?: string | undefined }

export type StallOptions = {
  /** How long nothing may happen; 5 minutes if not told. */
  silenceMs?: number | undefined
  /** How often the same calls may come; 5 if not told. */
  repeats?: number | undefined
  /** How often the context may be made smaller without work in between; 3 if not told. */
  compactions?: number | undefined
}

const mostSessions = 1024
const mostOpen = 4096
const mostShown = 8
/** So many calls that went well between two compactions are work. */
const enoughWork = 5
const none: Stall[] = [] // never changed
const kinds = ['turn', 'task', 'tool', 'permission', 'question'] as const

type Lane = ReturnType<typeof createRepeats>
type Session = {
  id: string | undefined
  at: number | undefined
  seq: number
  open: Record<Pending['what'], Map<string, string | undefined>>
  lanes: Map<string | undefined, Lane>
  /** Calls whose input is still to come. */
  starting: Map<string, EventOf<'tool.start'>>
  silent: boolean
  trims: Pick<Compactions, 'times' | 'seqs' | 'from' | 'to'> & { told: boolean }
  worked: number
}

export function createStallFinder({ silenceMs = 300_000, repeats = 5, compactions = 3 }: StallOptions = {}) {
  const sessions = new Map<string | undefined, Session>()
  let recent: Session | undefined

  function sessionOf(id: string | undefined): Session {
    if (recent !== undefined && recent.id === id) return recent
    recent = sessions.get(id)
    if (recent !== undefined) return recent
    if (sessions.size >= mostSessions) sessions.delete(sessions.keys().next().value)
    sessions.set(id, (recent = createSession(id)))
    return recent
  }

  // ── silence ───────────────────────────────────────────────────────────────

  function silence(session: Session, now: number, over: boolean): Stall[] {
    const { id, at, seq, open } = session
    if (at === undefined || now - at < silenceMs) return []
    const pending = kinds.flatMap((what) =>
      [...open[what]].map(([key, name]): Pending => ({ what, id: key, ...(name !== undefined && { name }) })),
    )
    if (pending.length === 0) return []
    return [
      {
        type: 'silence',
        id: `silence-${seq}`,
        session: id,
        over,
        forMs: now - at,
        from: at,
        to: now,
        seq,
        open: pending.slice(0, mostShown),
      },
    ]
  }

  // ── loops ────────────────────────────────────────────────────────────────

  function called(session: Session, start: EventOf<'tool.start'>, input: unknown, title: string | undefined): Stall[] {
    const { agent, name, seq, at, toolKind, paths } = start
    let lane = session.lanes.get(agent)
    if (lane === undefined) session.lanes.set(agent, (lane = createRepeats(repeats)))
    const found = lane.see({ seq, at, name, toolKind, title, input, paths })
    return found.length === 0 ? none : loops(session, agent, found)
  }

  const loops = (session: Session, agent: string | undefined, found: readonly Repeats[]): Stall[] =>
    found.map((one) => ({ type: 'loop', id: `loop-${one.seqs[0]}`, session: session.id, agent, ...one }))

  function endLane(session: Session, agent: string | undefined): Stall[] {
    const over = loops(session, agent, session.lanes.get(agent)?.end() ?? [])
    session.lanes.delete(agent)
    return over
  }

  // ── compactions ────────────────────────────────────────────────────────────

  function trimmed(session: Session, { seq, at }: Event): Stall[] {
    const over = session.worked >= enoughWork ? endTrims(session) : []
    const { trims } = session
    session.worked = 0
    trims.times++
    if (trims.seqs.length === mostShown) trims.seqs.pop()
    trims.seqs.push(seq)
    trims.from ??= at
    trims.to = at
    if (trims.times < compactions || trims.told) return over
    trims.told = true
    return [...over, compaction(session, false)]
  }

  function endTrims(session: Session): Stall[] {
    const over = session.trims.told ? [compaction(session, true)] : []
    session.trims = noTrims()
    return over
  }

  const compaction = ({ id, trims: { told: _, seqs, ...rest } }: Session, over: boolean): Stall => ({
    type: 'compaction',
    id: `compaction-${seqs[0]}`,
    session: id,
    over,
    ...rest,
    seqs: [...seqs],
  })

  function read(session: Session, event: Event): Stall[] {
    const { open, starting } = session
    switch (event.kind) {
      case 'turn.start':
        hold(open.turn, String(event.turn), undefined)
        break
      case 'turn.end':
        open.turn.delete(String(event.turn))
        return [...endLane(session, undefined), ...endTrims(session)]
      case 'tool.start':
        hold(open.tool, event.call ?? '', event.name)
        if (event.input !== undefined) return called(session, event, event.input, event.title)
        hold(starting, event.call ?? '', event)
        break
      case 'tool.update': {
        const call = event.call ?? ''
        const start = event.input === undefined ? undefined : starting.get(call)
        if (start === undefined) break
        starting.delete(call)
        return called(session, start, event.input, event.title ?? start.title)
      }
      case 'tool.end': {
        const call = event.call ?? ''
        open.tool.delete(call)
        if (event.status === 'ok') session.worked++
        const start = starting.size === 0 ? undefined : starting.get(call)
        if (start === undefined) break
        starting.delete(call)
        return called(session, start, undefined, start.title)
      }
      case 'permission.request':
        hold(open.permission, event.id, event.name)
        break
      case 'question.request':
        hold(open.question, event.id, undefined)
        break
      case 'permission.answer':
        open.permission.delete(event.id ?? '')
        break
      case 'question.answer':
        open.question.delete(event.id)
        break
      case 'task.start':
        hold(open.task, event.task, event.title)
        break
      case 'task.end':
        open.task.delete(event.task)
        return endLane(session, event.task)
      case 'context.trim':
        return isForRoom(event) ? trimmed(session, event) : none
      case 'session.end': {
        const over = [...[...session.lanes.keys()].flatMap((agent) => endLane(session, agent)), ...endTrims(session)]
        sessions.delete(session.id)
        recent = undefined
        return over
      }
    }
    return none
  }

  /** The session is heard of; it may have been silent. */
  function hear(session: Session, seq: number, now: number | undefined): readonly Stall[] {
    const quiet = now !== undefined && now - session.at! >= silenceMs ? silence(session, now, true) : none
    if (now !== undefined && !(session.at! >= now)) session.at = now
    session.seq = seq
    session.silent = false
    return quiet
  }

  return {
    /** `now`: when it came, for events that tell no time, or to go by the clock of whoever watches. */
    push(event: Event, now: number | undefined = event.at): readonly Stall[] {
      const session = sessionOf(event.session)
      const quiet = hear(session, event.seq, now)
      const found = read(session, event)
      return quiet.length === 0 ? found : [...quiet, ...found]
    },
    /** The same for a piece of a text: it breaks the silence, and that is all. */
    piece: ({ session, seq, at }: EventOf<'text.delta'> | EventOf<'thought.delta'>): readonly Stall[] => hear(sessionOf(session), seq, at),
    /** Time goes by. Each silence is told once. */
    tick(now: number): Stall[] {
      return [...sessions.values()].flatMap((session) => {
        if (session.silent) return []
        const found = silence(session, now, false)
        session.silent = found.length > 0
        return found
      })
    },
  }
}

/** What somebody cleared or went back from was in nobody's way. */
export const isForRoom = ({ why, trigger }: EventOf<'context.trim'>): boolean =>
  why === 'compact' || (why === 'trim' && trigger !== 'manual')

const noTrims = (): Session['trims'] => ({ times: 0, seqs: [], from: undefined, to: undefined, told: false })

const createSession = (id: string | undefined): Session => ({
  id,
  at: undefined,
  seq: 0,
  open: { turn: new Map(), task: new Map(), tool: new Map(), permission: new Map(), question: new Map() },
  lanes: new Map(),
  starting: new Map(),
  silent: false,
  trims: noTrims(),
  worked: 0,
})

function hold<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= mostOpen) map.delete(map.keys().next().value!)
  map.set(key, value)
}
