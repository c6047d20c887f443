// Rings when something happens to a path: the system tells (inotify), and a slow look now and then makes up for file systems
// that do not. The surprise: the file may not exist, nor its folder, so the nearest folder that does is watched until they come.
import { type BigIntStats, type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

/** Ms between two looks: while the system tells what happens, and where it cannot (no watches left). */
const besideWatches = 1000
const withoutWatches = 40

type Watched = { path: string; id: string | undefined; watcher: FSWatcher }

export function createBell(path: string) {
  const file = resolve(path)
  let rung = false
  let ring: (() => void) | undefined
  let above: Watched | undefined // the nearest folder
  let own: Watched | undefined // the file itself
  let period = 0
  let timer: NodeJS.Timeout | undefined

  function sound(): void {
    rung = true
    ring?.()
  }

  /** `only`: the one name in a folder that matters. */
  function watchAnew(former: Watched | undefined, at: string, id: string | undefined, only?: string): Watched | undefined {
    if (former?.id === id && former?.path === at) return former
    former?.watcher.close()
    try {
      const watcher = watch(at, (_what, name) => {
        if (only === undefined || name === null || name === only) sound()
      })
      watcher.on('error', sound)
      return { path: at, id, watcher }
    } catch {
      return undefined
    }
  }

  function watchAbove(): void {
    let former
    do {
      former = above
      const { at, below } = nearestFolder(file)
      above = watchAnew(former, at, idAt(at), basename(below))
    } while (above !== former && above !== undefined) // once more: the way to the file may have grown meanwhile
  }

  return {
    /** To be called before each look at the file: what happens from now on rings. `reading`: the file that is open, if any. */
    arm(reading: string | undefined): void {
      rung = false
      watchAbove()
      // Behind a link the file changes without its folder knowing, and a file that has lost its name may still be written to.
      const id = idAt(file)
      if (id !== undefined && (reading === undefined || reading === id)) own = watchAnew(own, file, id)
      const wanted = above === undefined ? withoutWatches : besideWatches
      if (wanted === period) return
      period = wanted
      clearInterval(timer)
      timer = setInterval(sound, period)
    },
    /** Until something has happened since `arm`, or the signal aborts. */
    async wait(signal: AbortSignal | undefined): Promise<void> {
      if (rung || signal?.aborted === true) return
      const { promise, resolve: wake } = Promise.withResolvers<unknown>()
      ring = () => wake(undefined)
      signal?.addEventListener('abort', wake, { once: true })
      await promise
      ring = undefined
      signal?.removeEventListener('abort', wake)
    },
    [Symbol.dispose](): void {
      clearInterval(timer)
      above?.watcher.close()
      own?.watcher.close()
    },
  }
}

/** The nearest folder that exists, and what is missing or changes in it. */
function nearestFolder(file: string): { at: string; below: string } {
  let below = file
  let at = dirname(file)
  while (idAt(at) === undefined && at !== dirname(at)) [below, at] = [at, dirname(at)]
  return { at, below }
}

function idAt(path: string): string | undefined {
  try {
    return idOf(statSync(path, { bigint: true }))
  } catch {
    return undefined // not there, or not for us to see
  }
}

/** Which file it is, whatever its name. */
export const idOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`
