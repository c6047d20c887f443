// Says when it is worth to look at a log again: when its writer, in this process, has written; else when the system tells of a change in a
// folder, or a second has gone by. What the system tells is a hint: it loses some, and does not say which.
import { type FSWatcher, watch } from 'node:fs'

const lookMs = { watched: 1000, unwatched: 250 }

export type Waker = {
  /** True: something has happened since the last time. False: nothing that is known of, or the signal was aborted. */
  wait(signal: AbortSignal | undefined): Promise<boolean>
  close(): void
}

/** `listen`: to a writer in this process, whose folder need not be watched. */
export function createWaker(folders: readonly string[], listen?: (wake: () => void) => () => void): Waker {
  let isRung = true // since nobody has listened until now
  let ring: (() => void) | undefined
  const wake = (): void => {
    isRung = true
    ring?.()
  }
  const watchers = folders.map((folder) => watchFolder(folder, wake))
  const stop = listen?.(wake)
  const ms = watchers.includes(undefined) ? lookMs.unwatched : lookMs.watched

  return {
    async wait(signal) {
      if (!isRung && signal?.aborted !== true) {
        const { promise, resolve } = Promise.withResolvers<unknown>()
        ring = () => resolve(undefined)
        const timer = setTimeout(resolve, ms)
        signal?.addEventListener('abort', resolve, { once: true })
        await promise
        clearTimeout(timer)
        signal?.removeEventListener('abort', resolve)
      }
      const wasRung = isRung
      isRung = false
      return wasRung
    },
    close() {
      for (const watcher of watchers) watcher?.close()
      stop?.()
    },
  }
}

function watchFolder(folder: string, wake: () => void): FSWatcher | undefined {
  try {
    return watch(folder, wake).on('error', wake)
  } catch {
    return undefined // it is not there, or the system has no more watches
  }
}
