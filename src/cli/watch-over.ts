// When is a log that is followed over? When a session, or the loop around it, has told its end and none is left open.
// The surprise: most agents tell only the end of a turn, and another may follow or not. Then silence has to decide. So it is after a failure:
// a run may be tried again, and most dialects do not tell that it will be.
import type { Rec } from '../base/json.ts'
import type { Event, EventOf } from '../model/event.ts'
import { sessionIn } from './watch-excerpt.ts'

/** Their logs always tell how a session ended; of the others nothing may be heard after the last turn. */
const tellEnds: ReadonlySet<string> = new Set(['sluice', 'avenor', 'aictrl'])
/** Right after the end of a session, if there is another attempt. */
const tellRetries: ReadonlySet<string> = new Set(['sluice', 'avenor'])
/** So do these, unless they are killed. */
const tellMostEnds: ReadonlySet<string> = new Set([...tellEnds, 'copilot'])
/** They tell not even that: an answer that asks for no tool is the last thing heard, or one whose tool was refused, or what went wrong. */
const tellNoTurns: ReadonlySet<string> = new Set(['opencode'])

export type Over = ReturnType<typeof createOver>

const turnOf = ({ turn, session }: Event): string => `turn ${turn} ${session}`

/** Only what fails with exit code 1 is. */
const mayBeRetried = ({ reason }: EventOf<'session.end' | 'turn.end'>): boolean =>
  reason === 'error' || reason === 'unknown' || reason === 'cut'

export function createOver(dialect: string) {
  const sessions = new Set<string | undefined>()
  const runs = new Set<string | undefined>()
  const work = new Map<string, string | undefined>() // turns and tasks, and whose they are
  const rests = new Map<string | undefined, number>() // sessions that may be over, and the place of the record that told so
  let ended = false
  let failed = false // by accident: such a session may be tried again, which is told at once or, in most dialects, never
  let retrying = false
  let paused = false
  let refused = false // a call of the answer at hand; the model is not asked again

  function pause(event: Event): void {
    paused = true
    work.delete(turnOf(event))
    rest(event)
  }

  function rest({ session, origin }: Event): void {
    if (!tellMostEnds.has(dialect)) rests.set(session, origin?.offset ?? 0)
  }

  const isBusy = (session: string | undefined): boolean => [...work.values()].includes(session)

  /** What a turn's end would be told after. */
  const isLast = (event: Event): boolean =>
    event.agent === undefined &&
    ((event.kind === 'message.end' && (refused || event.finish !== 'tool_use')) || (event.kind === 'error' && event.fatal))

  /** Avenor goes by the name of a record: an end that does not say why is one all the same. */
  function seeUnread(record: Rec): void {
    const { event: name, run_id: run } = record
    const isEnd = name === 'session.end' ? sessions.delete(sessionIn(record)) : name === 'avenor.loop.end' && runs.delete(run as string)
    if (isEnd) ended = true
  }

  return {
    /** An event that a record has told. */
    see(event: Event, record: Rec): void {
      const { kind, session, run } = event
      switch (kind) {
        case 'run.start':
          return void runs.add(run)
        case 'run.end':
          ended = true
          failed = retrying = false
          return void runs.delete(run)
        case 'session.start':
          retrying = false
          return void sessions.add(session)
        case 'retry.start':
          retrying ||= event.scope === 'run' || (sessions.size === 0 && ended) // within a session, a call of the model is made again
          return
        case 'notice':
          if (event.code === 'not-retried') retrying = failed = false
          return
        case 'session.end':
          ended = true
          failed = mayBeRetried(event)
          retrying = false
          rests.delete(session)
          return void sessions.delete(session)
        case 'turn.start':
          failed = retrying = false
          rests.delete(session)
          return void work.set(turnOf(event), session)
        case 'turn.end':
          failed = mayBeRetried(event)
          return pause(event)
        case 'task.start':
          return void work.set(`task ${event.task}`, session)
        case 'task.end':
          if (work.delete(`task ${event.task}`)) rest(event)
          return
        case 'message.start':
          if (!tellNoTurns.has(dialect)) return
          paused = refused = false
          return void rests.delete(session)
        case 'tool.end': // what a rule forbids, the model is told
          refused ||= event.agent === undefined && event.permitted?.allow === false && event.permitted.by !== 'rule'
          return
        case 'issue':
          if (dialect === 'avenor' && event.code === 'bad-body') seeUnread(record)
          return
        case 'message.end':
        case 'error':
          if (tellNoTurns.has(dialect) && isLast(event)) pause(event)
      }
    },
    /** The file begins anew: what was open before will not be ended in it. */
    forget(): void {
      for (const open of [sessions, runs, work, rests]) open.clear()
      ended = failed = retrying = paused = refused = false
    },
    /** Nothing is open in the session, and it has not begun anew: its last turn may have been its end. */
    rests: (session: string | undefined): boolean => rests.has(session) && !isBusy(session),
    /** Where the first record stands that told so of a session. */
    restsSince: (): number => Math.min(...[...rests].flatMap(([session, place]) => (isBusy(session) ? [] : [place]))),
    /** What rests has been told. */
    tellRests: (): void => rests.clear(),
    /** `pausing`: the end, unless more comes; `failed`: as well, and another attempt may come after its delay. */
    state(): 'open' | 'pausing' | 'failed' | 'over' {
      if (retrying) return 'open'
      const ending = failed ? (tellRetries.has(dialect) ? 'pausing' : 'failed') : undefined
      if (ended && sessions.size + runs.size === 0) return ending ?? 'over'
      return paused && work.size + runs.size === 0 && !tellEnds.has(dialect) ? (ending ?? 'pausing') : 'open'
    },
  }
}
