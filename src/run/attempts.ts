// A run that may take several tries: an attempt that failed by accident is made again, with all that was said to the first. To everybody
// around it is one run.
import type { Done } from '../agents/contract.ts'
import type { Command } from '../supervise/contract.ts'
import type { Run } from './run.ts'

export type Attempts = {
  begin(): Run | Promise<Run>
  /** Waits, if it must, and says whether there is another attempt, and with what: all that was said to this one, or other words. */
  next(done: Done, signal: AbortSignal): Promise<Next | undefined>
}
export type Next = 'all-again' | { prompt: string }

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
      waiting = new AbortController()
      const again = await next(done, waiting.signal)
      waiting = undefined
      if (stopped !== undefined) return { ...done, reason: 'cancelled' } // as it has become true by now
      if (again === undefined) return done
      current = await begin()
      const words = said
      said = []
      if (again === 'all-again') for (const command of words) send(command)
      else {
        send({ type: 'prompt', text: again.prompt, by: 'host' })
        if (words.some(({ type }) => type === 'finish')) send({ type: 'finish' })
      }
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
    choose: (id, chosen) => current.choose(id, chosen),
    done: all(),
  }
}
