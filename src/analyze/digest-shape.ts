// A digest: what a stream comes to, as plain JSON. Lists are bounded: each says how many more there were.
import type { Fault } from '../model/event.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Decider, Decision, Reason, ToolKind, ToolStatus } from '../model/vocabulary.ts'
import type { Class } from './classes.ts'
import type { Stall } from './stall.ts'
import type { Totals, Unpriced } from './usage.ts'

export type Digest = {
  events: number
  classes: Record<Class, number>
  sessions: SessionDigest[]
  /** Sessions that only count in the sums: a digest keeps the first thousand. Beyond 17,384 one that starts twice counts twice. */
  moreSessions: number
  runs: RunDigest[]
  /** What was said of no session. */
  errors: List<ErrorDigest>
  retries: number
  /** Lines that could not be read, and what the source says it lost. */
  issues: List<{ line: number; code: string; text: string }>
  /** Of all sessions; a cost is what the agents told, else worked out from prices. */
  usage: Totals & { unpriced: Unpriced[] }
  /** What `--fail-on` asks for. */
  counts: { findings: number; errors: number; denied: number }
}

export type List<T> = { items: T[]; more: number }

export type SessionDigest = {
  session?: string
  run?: string
  program?: string
  version?: string
  model?: string
  /** All answers came from a script: the cost was not paid. */
  scripted?: true
  cwd?: string
  mode?: string
  title?: string
  /** The first words of the first prompt. */
  prompt?: string
  prompts: number
  start?: number
  end?: number
  durationMs?: number
  turns: number
  /** Calls of the model, in all lanes. */
  steps: number
  tools: ToolDigest[]
  /** `changed`: of all of them. `atLeast`: there were more files than a digest knows apart, which are not counted. */
  files: List<{ path: string; read: number; changed: number }> & { changed: number; atLeast?: true }
  /** `failed`: of all of them. */
  commands: List<CommandDigest> & { failed: number }
  permissions: { asked: number; allowed: number; refused: number; unanswered: number } & List<AskDigest>
  /** Calls that were not allowed as the end of a turn tells, also those that are not in the stream. */
  notAllowed: List<{ name: string; subject?: string }>
  questions: number
  /** And commands in the background, as their `type` tells. `commands`: of all of them. */
  subagents: List<TaskDigest> & { commands: number }
  findings: List<{ seq: number; at?: number; agent?: string; rule: string; text: string }>
  errors: List<ErrorDigest>
  retries: number
  compactions: number
  /** `during`: the call that was open, a permission, a subagent or background command, the model, or between turns a prompt. */
  longestSilence?: { ms: number; from: number; to: number; seq: number; during: string }
  stalls: List<Stall>
  usage: Totals
  ended: {
    reason: Reason
    outcome: Outcome
    /** The stream stopped before it told an end. */
    cut: boolean
    error?: Fault
    exitCode?: number
    signal?: string
  }
  /** The last words of the answer. */
  answer?: string
}

export type ToolDigest = {
  name: string
  toolKind: ToolKind
  calls: number
  failed: number
  denied: number
  abandoned: number
  /** Of the calls whose time is known. */
  totalMs: number
  longestMs: number
}
export type CommandDigest = { seq: number; command: string; status: ToolStatus; failed: boolean; exitCode?: number; durationMs?: number }
export type AskDigest = { name?: string; question?: string; decision: Decision; by?: Decider; waitedMs?: number }
export type TaskDigest = { task: string; type: 'agent' | 'command'; title?: string; status: ToolStatus; durationMs?: number }
export type ErrorDigest = { seq: number; at?: number; category: string; text: string; times: number }
export type RunDigest = {
  run?: string
  label?: string
  reason?: Reason
  iterations?: number
  phases: List<{ name: string; iteration: number; reason: Reason; durationMs?: number }>
}

export type Keeper<T> = { add(make: () => T): void; list(): List<T> }

/** Keeps the first ones; others are not even made. */
export function keeper<T>(most: number): Keeper<T> {
  const items: T[] = []
  let more = 0
  return {
    add(make) {
      if (items.length < most) items.push(make())
      else more++
    },
    list: () => ({ items, more }),
  }
}
