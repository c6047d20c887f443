// What agents and those who supervise them say to each other: questions up, commands down. Types only.
import type { Option, Payload, Place } from '../model/event.ts'
import type { Decider, Decision, ToolKind } from '../model/vocabulary.ts'

export type Action = 'allow' | 'ask' | 'deny'

/** The last rule that matches wins. `*` stands for any run of characters, `?` for one. */
export type PermissionRule = { permission: string; pattern: string; action: Action }

/** What an agent wants to do and may not do unasked. It raises this and waits for the command `permission` with the same id. */
export type Ask = {
  id: string
  /** Session, lane, turn, message and call that the question belongs to. */
  place: Place
  /** Who asks: the profile of the agent or subagent, whose rules come last. */
  profile: string
  /** Of a subagent: the profiles of those above it, whose denials hold for it as well. */
  above?: readonly string[]
  /** The tool, as the model named it. */
  name: string
  toolKind: ToolKind
  input: unknown
  permission: string
  /** All must be allowed: the path, address or name that the call is about; of a shell command leave it empty and give `command`. */
  patterns: readonly string[]
  /** What an "always" answer should allow from then on; the patterns themselves when absent. */
  always?: readonly string[]
  /** A shell command: it is taken apart here, each simple command being a pattern of its own. */
  command?: { text: string; cwd: string }
  /** Permissions that it may need as well: what it is about could not be read. Only a rule for everything can allow them. */
  unread?: readonly string[]
  /** Where the agent works, and relative paths of the input are seen from; the project's root when absent. */
  cwd?: string
  /** Files and folders that the call touches: absolute, and with every link resolved. */
  paths?: readonly string[]
  /** What the agent itself offers as answers. Absent: it takes any answer of ours. */
  options?: readonly Option[]
  /** Why no yes can be said to it, in words for the model. */
  onlyNo?: string
  /** The call may change something outside the conversation. */
  changes: boolean
  /** Not leave is asked for but a choice, which no rule can make: the input of the answer has `answers`, question to text. */
  questions?: Payload<'question.request'>['questions']
}

/** The answer to an Ask. */
export type Answer = {
  decision: Extract<Decision, 'allow' | 'reject' | 'cancelled' | 'expired'>
  by: Decider
  /** The one of the agent's own options that was chosen. */
  option?: string
  /** Told to the model when it is refused. */
  text?: string
  /** The one who answered changed what the call is given. */
  input?: Record<string, unknown>
  /** The turn ends as well. */
  stop?: boolean
  /** The call is not made: this is its result (a dry run). */
  instead?: Record<string, unknown>
}

export type Attachment = { path: string; mime: string; data: string }

/** All that can be said to a running agent. Each shows up in the stream as an event of its own. */
export type Command =
  /** `first`: before those that wait. */
  | { type: 'prompt'; text: string; files?: readonly Attachment[]; id?: string; by?: 'user' | 'host'; first?: boolean }
  | { type: 'permission'; id: string; answer: Answer }
  /** Ends the turn that runs, or the session; `reason` is what the end will say. `step`: the running model call and its tools may finish. */
  | {
      type: 'cancel'
      target: 'turn' | 'session'
      by: 'user' | 'host' | 'policy'
      reason: 'cancelled' | 'timeout' | 'budget' | 'max_turns' | 'stall' | 'degenerate' | 'blocked' | 'error' | 'cancelled_forced'
      when?: 'now' | 'step'
      text?: string
      code?: string
      signal?: string
    }
  | { type: 'set'; model?: string; mode?: string }
  /** No more prompts will come: the session ends when its turn does. */
  | { type: 'finish' }
