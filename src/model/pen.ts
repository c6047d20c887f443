// The pen writes a decoder's events: it numbers them, places them in their session and turn, and keeps the canonical order.
// The surprise: it adds what a source leaves unsaid (a start, a turn, the end of a streamed block, everything still open when
// the stream ends), always marked `synthetic`. Decoders say only what their records say.
import { type Event, type Fault, type Kind, lineOf, type Origin, type Payload, type Place, placeOf, type Usage } from './event.ts'
import { createCloser, cutsOff, deltaKinds, endOf, isStreaming } from './pen-close.ts'
import { eventOf, own } from './pen-event.ts'
import { createSession, type DeltaKind, type Session } from './pen-state.ts'
import { createTracker, mostOpenCalls } from './pen-track.ts'
import { floats, loose, needsTurn, ofCall, runLevel, traitOf } from './pen-traits.ts'
import { modelVersion, type Reason } from './vocabulary.ts'

/** Why a stream ended, when its host knows better than the stream. */
export type Cause = {
  reason: Reason
  error?: Fault | undefined
  exitCode?: number | undefined
  signal?: string | undefined
  synthetic?: string | undefined
  /** It is known of this session alone; others end as they stand. */
  session?: string | undefined
}

export type Pen = ReturnType<typeof createPen>

const mostPastSessions = 4096

/** `interleaved`: thoughts and answer are streamed side by side, and each is ended by the source. */
export type PenOptions = { interleaved?: boolean }

export function createPen({ interleaved = false }: PenOptions = {}) {
  let out = none
  let seq = 0
  let origin: Origin | undefined
  let base = nowhere
  let knew = true
  let lastAt: number | undefined
  const openRuns = new Map<string | undefined, { name: string; iteration: number } | undefined>() // with the phase that is open
  let ended = false
  const sessions = new Map<string | undefined, Session>()
  const past = new Map<string | undefined, number>() // sessions that ended, with their count of turns
  let recentId: string | undefined
  let recent: Session | undefined // most events are of the session that the last one was of
  const closer = createCloser(put)
  const { endBlock, endMessages, abandon, endOpen } = closer
  const track = createTracker(put, closer, prepare, overflow)

  function sessionOf(id: string | undefined): Session {
    if (recent !== undefined && recentId === id) return recent
    recentId = id
    recent = sessions.get(id)
    if (recent === undefined) sessions.set(id, (recent = createSession(past.get(id))))
    return recent
  }

  const sessionAt = (id: string | undefined): Session | undefined => (recent !== undefined && recentId === id ? recent : sessions.get(id))

  /** Where there are others, the last time of all may be theirs. */
  const lastAtOf = (id: string | undefined): number | undefined => (past.size === 0 && sessions.size === 1 ? lastAt : sessionAt(id)?.lastAt)

  /** An ended session leaves only its number of turns behind, and the oldest of those not even that. */
  function bury(id: string | undefined): void {
    const { turnCount } = sessions.get(id)!
    sessions.delete(id)
    recent = undefined
    past.delete(id)
    past.set(id, turnCount)
    if (past.size > mostPastSessions) past.delete(past.keys().next().value)
  }

  function add(event: Event): void {
    if (out === none) out = [event] // a literal has room for one; the first push makes room for seventeen
    else out.push(event)
  }

  function put<K extends Kind>(kind: K, payload: Payload<K>, place: Place, synthetic: string | undefined, turn = place.turn): void {
    const event = eventOf(++seq, kind, payload, place, base, origin, turn, synthetic ?? place.synthetic)
    if (recent !== undefined && recentId === event.session) meet(recent, event.at)
    add(event)
  }

  /** Starts the session and the turn that an event needs, and ends a streamed block that it cuts off. */
  function prepare(session: Session, kind: Kind, place: Place, trait: number): void {
    if (!session.started) {
      if (trait & loose || (trait & floats && (place.session ?? base.session) === undefined)) return
      session.started = true
      put('session.start', session.again ? { how: 'resumed' } : {}, at(place), 'implied')
    }
    const lane = place.agent
    const noTurn = lane === undefined ? session.turns.length === 0 : session.turnCount === 0
    if (noTurn && trait & needsTurn && !(trait & ofCall && session.calls.has(place.call!)))
      startTurn(session, { trigger: 'unknown' }, place, 'implied')
    if (!isStreaming(session)) return
    for (const delta of deltaKinds) {
      const open = session.blocks[delta].get(lane)
      if (open === undefined || !cutsOff(delta, open, kind, place, trait)) continue
      if (interleaved && (kind in endOf || kind === 'text.end' || kind === 'thought.end')) continue
      endBlock(session, delta, open)
    }
  }

  function startTurn(session: Session, payload: Payload<'turn.start'>, place: Place, synthetic: string | undefined): void {
    session.turns.push(++session.turnCount)
    put('turn.start', payload, at(place), synthetic, session.turnCount)
  }

  function emit<K extends Kind>(kind: K, payload: Payload<K>, place: Place = nowhere): void {
    if ((kind === 'text.delta' || kind === 'thought.delta') && goesOn(kind, own<'text.delta'>(payload).text, place)) return
    const trait = traitOf(kind)
    if (place.at !== undefined && !(lastAt! >= place.at)) lastAt = place.at
    if (trait & runLevel) return emitRun(kind, payload, place)
    const session = sessionOf(place.session ?? base.session)
    if (isAgain(session, kind, payload, place, trait)) return put('raw', { type: kind, why: 'redundant' }, place, undefined)
    switch (kind) {
      case 'session.start':
        if (session.started) return put('session.update', pickUpdate(own<'session.start'>(payload)), place, undefined)
        session.started = true
        return put('session.start', startOf(session, own<'session.start'>(payload)), place, undefined)
      case 'session.end':
        return endSession(session, own<'session.end'>(payload), place, place.synthetic)
      case 'turn.start':
        prepare(session, kind, place, trait)
        return startTurn(session, own<'turn.start'>(payload), place, place.synthetic)
      case 'turn.end':
        prepare(session, kind, place, trait)
        if (session.turns.length === 0) startTurn(session, { trigger: 'unknown' }, place, 'implied')
        if (session.messages.get(undefined)?.turn === session.turns[0]) endMessages(session, undefined, place) // a later turn may have begun
        session.lastReason = own<'turn.end'>(payload).reason
        session.lastError = own<'turn.end'>(payload).error
        return put(kind, payload, place, undefined, session.turns.shift())
      default:
        prepare(session, kind, place, trait)
    }
    track(session, kind, payload, place, trait)
  }

  /** One more delta of the block that is open in the main lane: nearly every event of a source that streams. */
  function goesOn(kind: DeltaKind, text: string, place: Place): boolean {
    const id = place.session ?? base.session
    if (recent === undefined || recentId !== id || place.agent !== undefined || place.turn !== undefined) return false
    const { blocks, turns } = recent
    const open = blocks[kind].main
    if (open === undefined || open.message !== place.message || open.block !== place.block) return false
    if (turns.length === 0 || blocks[kind === 'text.delta' ? 'thought.delta' : 'text.delta'].size !== 0) return false
    if (place.at !== undefined && !(lastAt! >= place.at)) lastAt = place.at
    const event = {
      v: modelVersion,
      seq: ++seq,
      at: place.at ?? base.at,
      kind,
      session: id,
      run: place.run ?? base.run,
      agent: undefined,
      turn: turns[0],
      message: place.message,
      block: place.block,
      call: place.call,
      clock: undefined,
      origin,
      synthetic: place.synthetic,
      ext: place.ext,
      text,
    } as Event
    meet(recent, event.at)
    add(event)
    return true
  }

  /** A second start of what is open, or a piece of a call that is not: the first start stands, the rest is told as it came. */
  function isAgain<K extends Kind>(session: Session, kind: K, payload: Payload<K>, place: Place, trait: number): boolean {
    if (kind === 'task.start') return session.tasks.has(own<'task.start'>(payload).task)
    if (kind === 'hook.start') return session.hooks.has(own<'hook.start'>(payload).id)
    return (trait & ofCall) !== 0 && kind !== 'tool.end' && place.call !== undefined && !session.calls.has(place.call)
  }

  /** Loops and phases stand above the sessions; they name none. */
  function emitRun<K extends Kind>(kind: K, payload: Payload<K>, place: Place): void {
    const run = place.run ?? base.run
    const { name, iteration } = own<'phase.start'>(payload)
    if (kind === 'run.end') openRuns.delete(run)
    else openRuns.set(run, kind === 'phase.start' ? { name, iteration } : undefined)
    base = { at: base.at, run: base.run }
    put(kind, payload, place, undefined)
  }

  function overflow(session: Session): void {
    const [call, where] = session.calls.entries().next().value!
    issue({
      code: 'state-limit',
      severity: 'error',
      line: origin === undefined ? 0 : lineOf(origin),
      byte: origin?.offset ?? 0,
      text: `more than ${mostOpenCalls} tool calls are open; the oldest is taken as abandoned`,
      goesOn: true,
    })
    abandon(session, call, where)
  }

  /** Closes all that is still open, innermost first, then the session. */
  function endSession(session: Session, payload: Payload<'session.end'>, place: Place, synthetic: string | undefined): void {
    if (!session.started && session.again) {
      sessions.delete(place.session ?? base.session)
      recent = undefined
      return put('raw', { type: 'session.end', why: 'redundant' }, place, undefined)
    }
    prepare(session, 'session.end', place, 0)
    endOpen(session)
    for (const turn of session.turns) put('turn.end', { reason: payload.reason, error: payload.error }, at(place), 'cut', turn)
    put('session.end', payload, place, synthetic)
    bury(place.session ?? base.session)
  }

  function issue(payload: Payload<'issue'>): void {
    put('issue', payload, nowhere, undefined)
  }

  return {
    /** The record that the next events come from. */
    begin(from: Origin | undefined): void {
      origin = from
      base = nowhere
      knew = true
    },
    /** What the events of this record have in common: time, session, run. */
    common(place: Place): void {
      base = place
      if (recentId !== undefined && place.session === recentId) place.session = recentId // one text for all: others compare no letters
      if (place.at !== undefined) lastAt = place.at
    },
    emit,
    issue,
    /** A record that says nothing in our vocabulary, or nothing new. */
    raw(type: string, why: Payload<'raw'>['why'], place: Place = nowhere): void {
      if (why === 'unknown') knew = false
      put('raw', { type, why }, place, undefined)
    },
    /** Nothing of this record was unknown so far. */
    knew: (): boolean => knew,
    isOpen: (call: string, session = base.session): boolean => sessionAt(session)?.calls.has(call) ?? false,
    isAsked: (id: string, session = base.session): boolean => sessionAt(session)?.requests.has(id) ?? false,
    hasTask: (task: string, session = base.session): boolean => sessionAt(session)?.tasks.has(task) ?? false,
    isStarted: (session = base.session): boolean => sessionAt(session)?.started ?? false,
    isEnded: (session = base.session): boolean => past.has(session) && !sessions.has(session),
    /** Deltas of this kind were told in the lane, and their block has not ended. */
    isStreaming: (kind: DeltaKind, lane?: string): boolean => sessionAt(base.session)?.blocks[kind].has(lane) ?? false,
    /** What is streamed next in the main lane is another block. */
    endBlocks(): void {
      const session = sessionAt(base.session)
      for (const delta of deltaKinds) {
        const open = session?.blocks[delta].get(undefined)
        if (session !== undefined && open !== undefined) endBlock(session, delta, open)
      }
    },
    openTurns: (session = base.session): number => sessionAt(session)?.turns.length ?? 0,
    openMessage: (lane: string | undefined, session = base.session): Place | undefined => sessionAt(session)?.messages.get(lane),
    lastAt: (): number | undefined => lastAt,
    /** The last that was told of this session. */
    lastAtOf,
    /** When the session last told something: the record at hand, which may be of the next one, does not count. */
    toldAt: (id: string | undefined): number | undefined => sessionAt(id)?.lastAt,
    /** Newer tokens of the lane's open message, whose end may never be told. */
    spent(lane: string | undefined, usage: Usage): void {
      const open = sessionAt(base.session)?.messages.get(lane)
      if (open !== undefined) open.usage = usage
    },
    /** An event that another pen wrote: remembered, not written. */
    follow(event: Event): void {
      const { kind, at, session, run, agent, turn, message, block, call, ...payload } = event
      base = { at, session, run }
      if (at !== undefined) lastAt = at
      emit(kind, payload as never, { agent, turn, message, block, call }) // kind and payload come from one event
      out = none
    },
    take(): Event[] {
      if (out === none) return []
      const events = out
      out = none
      return events
    },
    /** The stream is over: every open session gets its one end. Says nothing when called again. */
    end(cause?: Cause): void {
      if (ended) return
      ended = true
      origin = undefined
      for (const [id, session] of sessions) {
        if (!session.started) continue
        const whole = session.turns.length === 0 && session.lastReason !== undefined
        const known = cause?.session === undefined || cause.session === id ? cause : undefined
        const reason: Reason = known?.reason ?? (whole ? session.lastReason! : 'cut')
        const error = known?.error ?? (whole ? session.lastError : undefined)
        base = { at: lastAtOf(id), session: id }
        endSession(
          session,
          { reason, error, exitCode: known?.exitCode, signal: known?.signal },
          nowhere,
          known?.synthetic ?? (whole ? 'implied' : 'cut'),
        )
      }
      const reason = cause?.reason ?? 'cut'
      for (const [run, phase] of openRuns) {
        base = { at: lastAt, run }
        if (phase !== undefined) put('phase.end', { ...phase, reason }, nowhere, 'cut')
        put('run.end', { reason }, nowhere, 'cut')
      }
    },
  }
}

const nowhere = placeOf()
const none: Event[] = [] // stands for all empty ones, and is never given away

/** Only when, and in which session and run. */
const at = ({ at: time, session, run }: Place): Place => ({ ...nowhere, at: time, session, run })

function meet(session: Session, time: number | undefined): void {
  if (time !== undefined && !(session.lastAt! >= time)) session.lastAt = time
}

/** One that has ended before goes on. */
const startOf = ({ again }: Session, payload: Payload<'session.start'>): Payload<'session.start'> =>
  again && payload.how !== 'forked' ? { ...payload, how: 'resumed' } : payload

const pickUpdate = ({ forkedFrom: _forkedFrom, ...rest }: Payload<'session.start'>): Payload<'session.update'> => rest
