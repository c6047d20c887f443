// What the control socket needs of a run. Types only.
import type { Event } from '../model/event.ts'
import type { Reply } from '../run/contract.ts'
import type { Command } from '../supervise/contract.ts'

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
