// What the control socket needs of a run, and what it gives to one. Types only; the run's own types fit them as they are.
import type { Event, Payload, Place } from '../model/event.ts'
import type { Decider } from '../model/vocabulary.ts'
import type { Command } from '../supervise/contract.ts'

/** `option`: the id of an option of the question, or its kind. `text`: for the model. `stop`: the turn ends as well. */
export type Reply = { option: string; by: Decider; text?: string; stop?: boolean }

export type Question = { ask: { place: Place }; request: Payload<'permission.request'> }

/** Says undefined when it has nothing to say. The signal says that the question is no longer open. */
export type Answerer = (question: Question, signal: AbortSignal) => Promise<Reply | undefined>

/** Keeps a choice open for whoever may make it; what was chosen goes to the run. */
export type Chooser = (ask: unknown, signal: AbortSignal) => Promise<undefined>

/** Takes every event of the run, numbered from 1 without a gap; must not throw. */
export type EventSink = { push(event: Event): void; flush(): void; end(): void }

export type ControlledRun = {
  send(command: Command): void
  /** The end, now. */
  force(text: string): void
  /** False: no such question is open, or no more. */
  answer(id: string, reply: Reply): boolean
  /** The same of a choice: an answer to each of its questions, by the question's text. */
  choose(id: string, answers: Record<string, string>): boolean
  /** Into the stream, by the way that all events take. */
  emit(events: readonly Event[]): void
  /** What is known of its sessions by now: JSON. */
  sessions(): readonly unknown[]
}
