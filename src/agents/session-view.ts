// The session as the run sees it: each event of the agent gets its place; one start, one end. A flood of unreadable lines is reported by its
// number.
import { plural } from '../base/text.ts'
import type { Event, EventOf, Kind, Payload } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import type { Host } from './contract.ts'
import type { SpawnRequest } from './driver.ts'

const mostIssues = 200

export type SessionView = ReturnType<typeof createSessionView>

export function createSessionView({ session: own, how, forkedFrom, turns = 0 }: SpawnRequest, host: Host) {
  let native: string | undefined // what the agent calls the session
  let isStarted = false
  let turn: number | undefined
  let issues = 0
  let end: EventOf<'session.end'> | undefined

  /** The agent's first session is ours; a session it tells beside it keeps its name. */
  function sessionOf(event: Event): string | undefined {
    const { session } = event
    if (session === undefined) return isStarted || event.kind === 'session.start' ? own : undefined
    native ??= session
    return session === native ? own : session
  }

  /** Undefined: it is not told. */
  function place(event: Event): Event | undefined {
    event.session = sessionOf(event)
    if (event.at === undefined) {
      event.at = host.now()
      event.clock = 'arrival'
    }
    const isOwn = event.session === own
    if (isOwn && event.turn !== undefined) event.turn += turns
    if (event.kind === 'issue' && ++issues > mostIssues) return undefined
    if (isOwn && event.kind === 'session.end') {
      end = event // there may be more to say; the host's end is the last word
      return undefined
    }
    if (isOwn && event.kind === 'session.start') {
      if (isStarted) return undefined
      isStarted = true
      return { ...event, how, ...(forkedFrom !== undefined && { forkedFrom }), ...(isName(native) && { native }) }
    }
    if (isOwn && event.kind === 'turn.start') turn = event.turn
    if (isOwn && event.kind === 'context.trim' && event.why === 'clear') native = undefined // it may go on under another name
    return event
  }

  const tell = <K extends Kind>(kind: K, payload: Payload<K>): void =>
    host.emit([makeEvent(kind, payload, { at: host.now(), session: isStarted ? own : undefined, turn: isStarted ? turn : undefined })])

  return {
    place,
    /** An event of ours in the session, as it stands. */
    tell,
    isStarted: (): boolean => isStarted,
    /** It is known that the agent calls our session so. */
    isCalled: (name: string | undefined): boolean => name !== undefined && name === native,
    /** It is so from now on, if nothing was told of it before. */
    call: (name: string): string => (native ??= name),
    isOwn: ({ session }: Event): boolean => session === undefined || session === own,
    /** The newest turn. */
    turn: (): number | undefined => turn,
    /** For an agent that has said nothing itself. */
    start(about: Payload<'session.start'>): void {
      isStarted = true
      tell('session.start', { how, ...(forkedFrom !== undefined && { forkedFrom }), ...about })
    },
    end(about: Payload<'session.end'>): void {
      const unread = issues - mostIssues
      if (unread > 0)
        tell('notice', {
          level: 'warn',
          code: 'unreadable',
          text: `${plural(unread, 'more line')} could not be read`,
          data: { count: unread },
        })
      turn = undefined
      const { native: word, status, files } = end ?? {}
      tell('session.end', {
        ...about,
        ...(word !== undefined && { native: word }),
        ...(status !== undefined && { status }),
        ...(files !== undefined && { files }),
      })
    },
  }
}

/** A name that only a reader made up is none to go on with. */
const isName = (native: string | undefined): native is string => native !== undefined && !native.startsWith('~')
