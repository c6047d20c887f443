// Sinks: a dialect's records as lines, and the log. A reader that goes away is told of once and then forgotten: the run goes on.
import { onOneLine, type Rec, stringifyJson } from '../base/json.ts'
import type { WritableDialect } from '../dialects/contract.ts'
import { createJsonLines } from '../files/json-line.ts'
import { lineOf } from '../log/line.ts'
import type { SessionLog } from '../log/sessions.ts'
import type { Event } from '../model/event.ts'
import { createWriter, type Writer } from '../stream/write.ts'
import type { EventSink } from './contract.ts'

/** Where lines go; throws when nobody can take them any more. `encoded`: a line in bytes. */
export type LineOut = {
  line(text: string): void
  encoded?(line: Uint8Array): void
  flush(): void
  close?(): void
}

/** `losses`: what the dialect could not say by now. */
export type DialectSink = EventSink & Pick<Writer, 'losses' | 'additions'>

export function dialectSink(dialect: WritableDialect, out: LineOut, onGone: (error: unknown) => void): DialectSink {
  const writer = createWriter(dialect, { record: recordsTo(dialect, out), copy: (text) => out.line(onOneLine(text)) }, { live: true })
  const guarded = untilGone(onGone)
  const rest = guarded(() => {
    writer.rest?.()
    out.flush()
  })
  let resting: NodeJS.Timeout | undefined

  return {
    push: guarded((event: Event) => {
      writer.push(event)
      if (writer.rest !== undefined) resting ??= setTimeout(() => ((resting = undefined), rest()), restMs)
    }),
    flush: guarded(() => out.flush()),
    end: guarded(() => {
      clearTimeout(resting)
      writer.end()
      out.flush()
    }),
    close: guarded(() => out.close?.()),
    losses: writer.losses,
    additions: writer.additions,
  }
}

const restMs = 200

function recordsTo({ name, tag }: WritableDialect, { line, encoded }: LineOut): (record: Rec) => void {
  if (encoded === undefined) return (record) => line(stringifyJson(record))
  if (name === 'sluice') return (record) => encoded(lineOf(record as Event).text)
  const lines = createJsonLines()
  return (record) => encoded(lines.line(record, tag(record) ?? '').text)
}

export function logSink(log: SessionLog, onGone: (error: unknown) => void): EventSink {
  const guarded = untilGone((error) => {
    log.abandon() // a full disk must not leave the session locked
    onGone(error)
  })
  return {
    push: guarded((event: Event) => log.append(event)),
    flush: guarded(() => log.flush()),
    end() {},
    close: guarded(() => log.close()),
  }
}

/** All that is made with it does its work until one of them fails; then nothing more. */
export function untilGone(onGone: (error: unknown) => void): <Given = void>(act: (given: Given) => void) => (given: Given) => void {
  let isGone = false
  return (act) => (given) => {
    if (isGone) return
    try {
      act(given)
    } catch (error) {
      isGone = true
      onGone(error)
    }
  }
}
