// A run that may take several tries: an attempt that failed by accident is made again, with all that was said to the first. To everybody
// around it is one run.
import type { Done } from '../agents/contract.ts'
import type { Command } from '../supervise/contract.ts'
import type { Attempt } from './attempt.ts'

export type Attempts = {
  begin(): Attempt | Promise<Attempt>
  /**
   * Waits, if it must, and says whether there is another attempt, and with what: all that was said to this one, or other words. The reason of
   * the signal is the command that ended the wait.
   */
  next(done: Done, signal: AbortSignal): Promise<Next | undefined>
}
export type Next = 'all-again' | { prompt: string }

export type Cancel = Extract<Command, { type: 'cancel' }>

export async function startAttempts({ begin, next }: Attempts): Promise<Attempt> {
  const said: Command[] = [] // to the run as a whole
  let held: Command[] = [] // came while no attempt was there to take it
  let current = await begin()
  let waiting: AbortController | undefined
  let stopped: Cancel | undefined

  function stop(command: Cancel): void {
    if (command.target === 'turn') return // between attempts there is none
    stopped = command
    waiting?.abort(command)
  }

  async function all(): Promise<Done> {
    let left: Pick<Done, 'forced'> = {} // something of an attempt before may still run, too
    for (;;) {
      const ended = await current.done
      if (ended.forced === true) left = { forced: true }
      const done = { ...ended, ...left }
      if (stopped !== undefined) return done
      waiting = new AbortController()
      const again = await next(done, waiting.signal)
      waiting = undefined
      if (stopped !== undefined) return { ...done, reason: 'cancelled' } // as it has become true by now
      if (again === undefined) return done
      current = await begin()
      for (const command of again === 'all-again' ? said : goingOn(again.prompt)) current.send(command)
      held = []
    }
  }

  /** The session knows what was said before: what has come since follows the first words. */
  const goingOn = (text: string): Command[] => [
    { type: 'prompt', text, by: 'host' },
    ...held,
    ...said.filter(({ type }) => type === 'finish').slice(0, 1),
  ]

  function send(command: Command): void {
    if (command.type === 'cancel') stop(command)
    else if (command.type !== 'permission') said.push(command)
    if (waiting === undefined) current.send(command)
    else if (command.type === 'prompt' || command.type === 'set') held.push(command)
  }

  return {
    send,
    force(text, signal) {
      stop({ type: 'cancel', target: 'session', by: 'user', reason: 'cancelled_forced' })
      if (waiting === undefined) current.force(text, signal)
    },
    answer: (id, reply) => current.answer(id, reply),
    choose: (id, chosen) => current.choose(id, chosen),
    done: all(),
  }
}
