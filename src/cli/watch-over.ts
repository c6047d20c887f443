// When is a log that is followed over? When a session, or the loop around it, has told its end and none is left open.
// The surprise: most agents tell only the end of a turn, and another may follow or not. Then silence has to decide.
import type { Event } from '../model/event.ts'

/** Their logs always tell how a session ended; of the others nothing may be heard after the last turn. */
const tellEnds: ReadonlySet<string> = new Set(['sluice', 'avenor', 'aictrl'])
/** They tell not even that: an answer that asks for no tool is the last thing heard, or what went wrong. */
const tellNoTurns: ReadonlySet<string> = new Set(['opencode'])

export function createOver(dialect: string) {
  const sessions = new Set<string | undefined>()
  const runs = new Set<string | undefined>()
  const work = new Set<string>() // turns and tasks
  let ended = false
  let paused = false

  function pause({ turn, session }: Event): void {
    paused = true
    work.delete(`turn ${turn} ${session}`)
  }

  /** What a turn's end would be told after. */
  const isLast = (event: Event): boolean =>
    event.agent === undefined && ((event.kind === 'message.end' && event.finish !== 'tool_use') || (event.kind === 'error' && event.fatal))

  return {
    /** An event that a record has told. */
    see(event: Event): void {
      const { kind, session, run } = event
      switch (kind) {
        case 'run.start':
          return void runs.add(run)
        case 'run.end':
          ended = true
          return void runs.delete(run)
        case 'session.start':
          return void sessions.add(session)
        case 'session.end':
          ended = true
          return void sessions.delete(session)
        case 'turn.start':
          return void work.add(`turn ${event.turn} ${session}`)
        case 'turn.end':
          return pause(event)
        case 'task.start':
          return void work.add(`task ${event.task}`)
        case 'task.end':
          return void work.delete(`task ${event.task}`)
        case 'message.start':
          paused &&= !tellNoTurns.has(dialect)
          return
        case 'message.end':
        case 'error':
          if (tellNoTurns.has(dialect) && isLast(event)) pause(event)
      }
    },
    /** The file begins anew: what was open before will not be ended in it. */
    forget(): void {
      for (const open of [sessions, runs, work]) open.clear()
      ended = paused = false
    },
    /** `pausing`: the end, unless more comes. */
    state(): 'open' | 'pausing' | 'over' {
      if (ended && sessions.size + runs.size === 0) return 'over'
      return paused && work.size + runs.size === 0 && !tellEnds.has(dialect) ? 'pausing' : 'open'
    },
  }
}
