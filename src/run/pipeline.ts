// The way of an event from its agent to everybody who reads: stages that add or change, one numbering, the log, then the sinks. What
// is told within one turn of the event loop goes out in one write.
import type { Event } from '../model/event.ts'
import type { EventSink } from './contract.ts'

type Pass = (events: readonly Event[]) => void

/** Passes on the events that came together, and whatever belongs before, between or after them. */
export type Stage = {
  push(events: readonly Event[], pass: Pass): void
  end?(pass: Pass): void
}

/** Events that go out together, however many come in one turn of the event loop: whoever follows must not wait for a flood to end. */
const mostTogether = 512

export type Pipeline = {
  emit(events: readonly Event[]): void
  /** No more events will come. */
  end(): void
}

/** `run`: the id that every event gets, of whatever session it is. */
export function createPipeline(stages: readonly Stage[], sinks: readonly EventSink[], run?: string): Pipeline {
  let seq = 0
  let flushed = 0
  let isScheduled = false
  let isOver = false

  const deliver: Pass = (events) => {
    for (const event of events) {
      event.seq = ++seq
      event.run = run
      for (const sink of sinks) sink.push(event)
    }
  }
  /** What takes events into the first stage, and its results through the rest. */
  const ways = stages.reduceRight<Pass[]>((rest, stage) => [(events) => stage.push(events, rest[0]!), ...rest], [deliver])

  const flush = (): void => {
    flushed = seq
    for (const sink of sinks) sink.flush()
  }
  const flushLater = (): void => {
    isScheduled = false
    flush()
  }

  function passed(): void {
    if (seq - flushed >= mostTogether) flush()
    if (isScheduled) return
    isScheduled = true
    setImmediate(flushLater)
  }

  return {
    emit(events) {
      if (isOver) return
      ways[0]!(events)
      passed()
    },
    end() {
      if (isOver) return
      isOver = true
      for (const [index, stage] of stages.entries()) stage.end?.(ways[index + 1]!)
      flush() // nobody waits for what another does at its end
      for (const sink of sinks) sink.end()
      for (const sink of sinks) sink.close?.()
    },
  }
}
