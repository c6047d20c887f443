// What a run is to all who start, watch and steer it. Types only.
import type { Done } from '../agents/contract.ts'
import type { Event, Payload } from '../model/event.ts'
import type { Decider } from '../model/vocabulary.ts'
import type { Ask, Command } from '../supervise/contract.ts'

// ── questions ────────────────────────────────────────────────────────────────────────────────────────────────────────────

import type { Question, Reply } from '../supervise/permission.ts'
export type { Question, Reply }

/** A person, or a program, who can be asked; undefined: no answer. The signal says that the question is no longer open. */
export type Answerer = {
  (question: Question, signal: AbortSignal): Promise<Reply | undefined>
  /** What must be done before the stream tells of the question. Does not reject. */
  before?(question: Question, signal: AbortSignal): Promise<void>
}

/** The same for questions that are a choice: an answer to each, or nothing. */
export type Chooser = (ask: Ask, signal: AbortSignal) => Promise<Chosen | undefined>
export type Chosen = { answers: Record<string, string>; by: Decider }

// ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Takes every event of a run in order; must not throw. */
export type EventSink = {
  push(event: Event): void
  flush(): void
  /** No event follows. */
  end(): void
  /** After all have ended: this may wait for a disk. */
  close?(): void
}

// ── handles ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type RunEnd = Pick<Done, 'reason' | 'error' | 'text' | 'durationMs' | 'turns' | 'usage' | 'cost' | 'forced'>

/** What somebody may say to a run: prompts, cancels, another model, that nothing more will come. */
export type RunCommand = Exclude<Command, { type: 'permission' }>

/** Calls act at once and resolve when the run has taken them; they reject when it has not, with why. */
export type RunHandle = {
  id: string
  send(command: RunCommand): Promise<void>
  /** Rejects when no such question is open, or no more. */
  answer(question: string, reply: Reply): Promise<void>
  /** The same of a choice. */
  choose(question: string, chosen: Chosen): Promise<void>
  /** An event of the caller's own, into the stream. */
  emit(event: unknown): Promise<void>
  /** Cancels; `force`: the end, now, for when nothing else helps. */
  stop(how?: { force?: boolean; text?: string; signal?: string }): Promise<void>
  status(): Promise<RunStatus>
  /** After the last event: nothing more will be told. */
  done: Promise<RunEnd>
}

export type RunStatus = {
  run: string
  pid: number
  cwd: string
  startedAt: number
  /** The number of the last event. */
  head: number
  /** Those that wait for an answer. */
  questions: readonly (Payload<'permission.request'> | Payload<'question.request'>)[]
  /** What is known of its sessions. */
  sessions: readonly unknown[]
}
