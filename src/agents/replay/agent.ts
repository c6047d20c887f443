// An agent that only remembers: a recorded stream of any dialect is told again, at its own pace, faster, or at once. No process runs,
// nothing is asked, and what is said to it changes nothing but its end.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Dialect } from '../../dialects/contract.ts'
import type { Event, EventOf } from '../../model/event.ts'
import { faultOf } from '../../model/fault.ts'
import { makeEvent } from '../../model/make.ts'
import { type Cause, createPen } from '../../model/pen.ts'
import type { Done, Host, Running } from '../contract.ts'
import { createProgress } from '../progress.ts'
import { createListener } from '../listen.ts'
import type { Cancel } from '../outcome.ts'

export type ReplayRequest = {
  /** The session's name where the recording has none. */
  session: string
  dialect: Dialect
  /** The bytes of the recording, in order. */
  read(): AsyncIterable<Uint8Array>
  /** 1: at its own pace, 2: twice as fast … Infinity: at once. */
  speed: number
}

export function startReplay({ session, dialect, read, speed }: ReplayRequest, host: Host): Running {
  const began = host.now()
  const progress = createProgress()
  const stopped = new AbortController()
  let cancel: Cancel | undefined
  let due: Event[] = [] // decoded, and not told yet
  let first: number | undefined // time of the recording at its beginning
  let isNameless = false
  let last: EventOf<'session.end'> | undefined
  const follower = createPen() // knows what is open in what was told; the decoder may be ahead of that
  const listener = createListener({ dialect, onEvents: (events) => void due.push(...events) })

  /** Of the recording's time as much as has passed since. */
  async function waitFor(at: number): Promise<void> {
    first ??= at
    const moment = began + (at - first) / speed
    if (moment > host.now()) await sleep(moment - host.now(), undefined, { signal: stopped.signal }).catch(() => {})
  }

  function tell(event: Event): void {
    if (event.kind === 'session.start' && event.session === undefined) isNameless = true
    if (isNameless) event.session ??= session
    event.at = host.now()
    if (event.kind === 'session.end') last = event
    progress.onEvent(event)
    follower.follow(event)
    host.emit([event])
  }

  async function tellAll(): Promise<void> {
    for (const event of due) {
      if (event.at !== undefined && Number.isFinite(speed)) await waitFor(event.at)
      if (stopped.signal.aborted) break
      tell(event)
    }
    due = []
  }

  async function run(): Promise<Done> {
    await nextTurn() // the first commands come first
    let cause: Cause | undefined
    try {
      for await (const chunk of read()) {
        listener.push(chunk)
        await tellAll()
        if (stopped.signal.aborted) break
        await nextTurn()
      }
      if (!stopped.signal.aborted) listener.flush()
      await tellAll()
    } catch (error) {
      cause = { reason: 'error', error: faultOf(`the recording could not be read: ${(error as Error).message}`) }
    }
    if (cancel !== undefined) cause = causeOf(cancel)
    return finish(cause)
  }

  /** What the recording leaves open is ended as it was: cut, unless we know better. */
  function finish(cause: Cause | undefined): Done {
    if (cancel === undefined) listener.end(cause)
    else {
      follower.end(cause)
      due = follower.take()
    }
    for (const event of due) tell(event)
    if (last === undefined) begin(cause)
    const { reason, error } = last!
    const { usage, cost } = progress.spent()
    const text = progress.lastTurn()?.text
    const durationMs = host.now() - began
    const rest = { ...(error !== undefined && { error }), ...(cost !== undefined && { cost }), ...(text !== undefined && { text }) }
    return { reason, ...rest, durationMs, turns: progress.answers(), usage }
  }

  /** A recording in which nothing happens is still a session. */
  function begin(cause: Cause = { reason: 'error', error: faultOf('the recording holds no session', { category: 'invalid' }) }): void {
    tell(makeEvent('session.start', {}, { session, synthetic: 'implied' }))
    tell(makeEvent('session.end', { reason: cause.reason, error: cause.error }, { session, synthetic: 'implied' }))
  }

  return {
    send(command) {
      if (command.type !== 'cancel' || cancel !== undefined) return
      cancel = command
      stopped.abort()
    },
    done: run(),
  }
}

const causeOf = ({ reason, text, code, signal }: Cancel): Cause => ({
  reason,
  error: faultOf(text ?? 'cancelled', { category: reason === 'timeout' ? 'timeout' : 'cancelled', code }),
  signal,
})
