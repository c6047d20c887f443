// How a run is reached from outside its process: its control socket, and the files by which it can be steered.
import { basename, dirname, join } from 'node:path'
import { attachControl, type Control, type ControlOptions } from '../control/attach.ts'
import { ControlError, tokenOf } from '../control/places.ts'
import { requestPath, responsePath } from '../control/request-file.ts'
import { realPath } from '../files/real-path.ts'
import { RequestError } from './errors.ts'
import type { RunRequest } from './request.ts'
import type { Surroundings } from './surroundings.ts'

type RunSide = Pick<ControlOptions, 'log' | 'questions' | 'cwd' | 'startedAt'>

/** One that was asked for must be there; without the usual one a run can do. */
export async function controlOf(
  id: string,
  { socket, handler }: RunRequest,
  run: RunSide,
  { env, now, report }: Surroundings,
): Promise<Control | undefined> {
  try {
    return await attachControl({ ...run, id, env, socket, now })
  } catch (error) {
    if (!(error instanceof ControlError)) throw error
    if (typeof socket === 'string' || handler === 'control') throw new RequestError(error.message, { cause: error })
    report(`the run cannot be reached over a socket: ${error.message}`)
    return undefined
  }
}

/** Whoever can write them answers the run's questions, or says that it is over: the agent must not, unasked. */
export function steeringFiles(socket: string | undefined, { handler, sentinel }: RunRequest): string[] {
  return [
    ...(socket === undefined ? [] : [socket, tokenOf(socket)]),
    ...(typeof handler === 'object' ? [requestPath(handler.base), responsePath(handler.base)] : []),
    ...(sentinel === undefined ? [] : [sentinel]),
  ].map((path) => join(realPath(dirname(path)), basename(path)))
}

/** Nobody is there yet, but somebody will come. */
export const untilGone = (_question: unknown, signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
