// What a driver of a spawned agent brings: the program to start, the dialect it speaks, and how commands are said in its protocol. The
// harness (spawned.ts) does the rest.
import type { Rec } from '../base/json.ts'
import type { Dialect } from '../dialects/contract.ts'
import type { Event, Option, Payload } from '../model/event.ts'
import type { Answer, Ask, Command } from '../supervise/contract.ts'
import type { Guard } from './guard.ts'
import type { Exit, Reply, Request, Transport } from './transport/contract.ts'

export type Prompt = Extract<Command, { type: 'prompt' }>

/** `env` is all that it gets. */
export type Program = { file: string; args: readonly string[]; cwd: string; env: Readonly<Record<string, string>> }

export type SpawnRequest = {
  /** The session as the host names it; what the agent calls it is told as `native`. */
  session: string
  how: 'new' | 'resumed' | 'forked'
  forkedFrom?: string
  /** The last turn of the session before: the agent counts its own from 1 again. */
  turns?: number
  /** Whose rules hold for what the agent asks. */
  profile: string
  /** A rule or gate that must hold for every call: the agent is put into a mode in which it holds, whatever its own settings allow. */
  guard?: Guard
}

/** The same with all that a driver is told of the run. */
export type AgentRequest = SpawnRequest & {
  cwd: string
  /** Ours; the agent gets what it needs of it. */
  env: Readonly<Record<string, string | undefined>>
  /** Names of more variables to pass, from the settings; and variables of this run. */
  passed?: readonly string[]
  variables?: Readonly<Record<string, string>>
  /** The program, when it is not the one on the PATH. */
  file?: string
  model?: string
  /** The agent's own word for how freely it may work. Absent: it asks for all that its own settings leave open. */
  mode?: string
  /** Deltas. */
  stream: boolean
  /** The agent's own id of the session to go on with. */
  native?: string
  /** Without a way back: one prompt, nobody is asked. */
  headless?: boolean
  /** More arguments for the program. */
  args?: readonly string[]
}

export type Driver = {
  /** For people. */
  title: string
  /** As `session.start` names it, when the agent does not come to say so itself. */
  name: string
  dialect: Dialect
  /** A text instead of a program: why there is none, and what to do. */
  program: Program | string
  /** How it is reached; over its standard streams unless given. */
  transport?: Transport
  talk(wire: Wire): Talk
  /** The program ended before its first record: arguments that may work better, if its stderr says so, and another talk if they need one. */
  again?(args: readonly string[], stderr: string, wire: Wire): Again | undefined
  /** It does not leave when its input is closed: it is ended instead of waited for. */
  stays?: boolean
  /** Turns come by prompts alone: what its subagents still do after one is told to nobody. */
  onlyPrompted?: boolean
  /** A no that it takes, though its questions need not name it among their options. */
  refusal?: Option
  /** Our rules see every call before it is made, whatever the agent was allowed before. */
  seesAll?: boolean
  /** A line of its stderr that tells something the stream does not: a retry, a call that was refused. */
  readStderr?(line: string): StderrEvent | undefined
}

export type Again = { args: readonly string[]; talk?: Talk }

export type StderrEvent =
  | { kind: 'retry.start'; payload: Payload<'retry.start'> }
  | { kind: 'notice'; payload: Payload<'notice'> }
  | { kind: 'error'; payload: Payload<'error'> }

/** Who was asked about the first would answer the second as well. */
export const sameName = 'Two questions were asked under one name, so neither was answered. Ask again, one at a time.'

/** The way to the agent. What is written before it runs waits; what is written after its end is lost. */
export type Wire = {
  /** One JSON line. */
  write(record: Rec): void
  /** The same, and the stream tells it: for what the agent does not repeat. */
  tell(record: Rec): void
  /** Bytes as they are, for a program that reads a plain prompt. */
  text(text: string): void
  /** To a server. `then` gets what came of it. */
  request(request: Request, then: (reply: Reply) => void): void
  /** There is no more. */
  close(): void
  /** Nothing was closed: what is written now is read. */
  isOpen(): boolean
  /** Tells a prompt in the stream, once, for an agent that does so late or never. `queued`: it has not got it. */
  show(prompt: Prompt, state?: 'sent' | 'queued'): void
  /** The same of a prompt that it will never get, with a word that says so. */
  drop(prompt: Prompt): void
  /** Tells people something of the talk itself. */
  note(notice: Payload<'notice'>): void
  /** Of a call that the agent may make unasked: what stands against it, or that it must ask. */
  judge(call: { id: string; name: string; input: unknown }): Answer | 'ask' | undefined
  /** To the whole group. */
  signal(name: NodeJS.Signals): void
}

export type Talk = {
  prompt(prompt: Prompt): void
  answer(ask: Ask, answer: Answer): void
  /** Ends the running turn; the agent goes on after it, if it can. */
  interrupt(): void
  set?(setting: { model?: string; mode?: string }): void
  /** Sees each record first, and gives it as it is meant. Undefined: there is nothing more to say of it. */
  normalize?(record: Rec): Rec | undefined
  /** Sees it then. True: it answers a request of ours, and says nothing of the session. */
  consume?(record: Rec): boolean
  /** Sees each other record when the stream has told it: the time to answer. */
  afterRecord?(record: Rec): void
  /** The agent's name of the session that prompts go to, where it may tell of others beside it: what these do is none of the run's. */
  session?(): string | undefined
  /** It has still to say which session that is; what it tells of any before may be of another. */
  isOpening?(): boolean
  /** Sees each event that is told of the run. */
  onEvent?(event: Event): void
  /** What its exit says, where its output does not. */
  atExit?(exit: Exit): Rec | undefined
  /** Prompts that wait with us: the agent has not got them, and the stream says nothing of them yet. */
  unsent?(): readonly Prompt[]
  /** It was given a prompt, and nothing has been heard of the turn for it. */
  isStarting?(): boolean
  /** All that was said to it has been taken up. Turns and tasks that run are known without it. */
  isIdle(): boolean
}

/** Puts a prompt among those that wait. */
export function queue(waiting: Prompt[], prompt: Prompt): void {
  if (prompt.first === true) waiting.unshift(prompt)
  else waiting.push(prompt)
}
