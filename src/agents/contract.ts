// What every agent is to the run around it: it is started with a request, tells events, raises questions, takes commands, and is
// done exactly once, whatever happened.
import type { Cost, Event, Fault, Usage } from '../model/event.ts'
import type { Reason } from '../model/vocabulary.ts'
import type { Answer, Ask, Command } from '../supervise/contract.ts'

export type Host = {
  /** Events in their order. The host numbers them anew, for it adds some of its own. */
  emit(events: readonly Event[]): void
  /** A question that must be answered before the call goes on; the answer comes as a command. */
  raise(ask: Ask): void
  /** The question is void: the agent waits for its answer no longer. Of a question that is not open it says nothing. */
  withdraw(id: string): void
  /** Of a call that the agent may make unasked: what stands against it, which the stream tells, or that it must ask. */
  judge?(ask: Ask): Answer | 'ask' | undefined
  /** Milliseconds since the epoch. */
  now(): number
}

/** `done` never rejects. */
export type Running = { send(command: Command): void; done: Promise<Done> }

/** How a session ended. The last event before it was the session's end. */
export type Done = {
  reason: Reason
  error?: Fault
  durationMs: number
  /** Answers of the model in the main conversation. */
  turns: number
  usage: Usage
  /** Absent when the model has no known price. */
  cost?: Cost
  /** The last answer. */
  text?: string
  /** It did not end when it should, and was given up: something of it may still run. */
  forced?: true
}
