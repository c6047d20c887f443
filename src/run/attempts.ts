// A run that may take several tries: an attempt that failed by accident is made again, with all that was said to the first. To everybody
// around it is one run.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Done } from '../agents/contract.ts'
import type { Command } from '../supervise/contract.ts'
import type { Run } from './run.ts'

export type Attempts = {
  begin(): Run | Promise<Run>
  /** How long to wait before the next attempt; it has told why. Undefined: there is none. */
  next(done: Done): number | undefined
}

type Cancel = Extract<Command, { type: 'cancel' }>

export async function startAttempts({ begin, next }: Attempts): Promise<Run> {
  let said: Command[] = []
  let current = await begin()
  let waiting: AbortController | undefined
  let stopped: Cancel | undefined

  function stop(command: Cancel): void {
    if (command.target === 'session') stopped = command
    waiting?.abort()
  }

  async function all(): Promise<Done> {
    for (;;) {
      const done = await current.done
      if (stopped !== undefined) return done
      const delayMs = next(done)
      if (delayMs === undefined) return done
      waiting = new AbortController()
      await sleep(delayMs, undefined, { signal: waiting.signal }).catch(() => {})
      waiting = undefined
      if (stopped !== undefined) return { ...done, reason: 'cancelled' } // as it has become true by now
      current = await begin()
      const again = said
      said = []
      for (const command of again) send(command)
    }
  }

  function send(command: Command): void {
    if (command.type === 'cancel') stop(command)
    else if (command.type !== 'permission') said.push(command)
    if (waiting === undefined) current.send(command)
  }

  return {
    send,
    force(text, signal) {
      stop({ type: 'cancel', target: 'session', by: 'user', reason: 'cancelled_forced' })
      if (waiting === undefined) current.force(text, signal)
    },
    answer: (id, reply) => current.answer(id, reply),
    done: all(),
  }
}
