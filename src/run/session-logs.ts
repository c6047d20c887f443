// The log of a run that may take several sessions, one after another, each in its own file.
import { statSync } from 'node:fs'
import type { LogPlace } from '../control/replay.ts'
import type { SessionLog } from '../log/sessions.ts'
import type { EventSink } from './contract.ts'
import { logSink } from './sinks.ts'

/** One session after another, each in its own file. */
export function sessionLogs(first: SessionLog, onFailed: (error: unknown) => void): EventSink & { follow(log: SessionLog): void } {
  const sinkOf = (log: SessionLog): EventSink => logSink(log, onFailed)
  let sink = sinkOf(first)
  return {
    push: (event) => sink.push(event),
    flush: () => sink.flush(),
    end() {},
    close: () => sink.close!(),
    follow(next) {
      sink.flush()
      sink.close!()
      sink = sinkOf(next)
    },
  }
}

/** A session that goes on has events in its file already. */
export function placeOf(log: SessionLog): LogPlace {
  log.flush()
  return { path: log.path, start: statSync(log.path).size }
}
