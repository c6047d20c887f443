// Timeline rows: what a person reads of a session, as plain data. The terminal prints them, a page may keep them in a table.
// The surprise: a row that takes time comes twice with the same `id`, first `open`, then with what became of it.
import type { Cost, Fault, Usage } from '../model/event.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Reason, ToolKind, ToolStatus } from '../model/vocabulary.ts'

/** A file that a call changed: the text before and after, or a patch in unified form. */
export type Change = { path?: string | undefined; before?: string | undefined; after?: string | undefined; patch?: string | undefined }

/** What a subagent does, and the call that began it. */
export type Lane = { title: string; call?: string | undefined }

type Place = {
  id: string
  seq: number
  at?: number | undefined
  session?: string | undefined
  /** The lane of a subagent, and how deep it lies under the main one. */
  agent?: string | undefined
  depth: number
  lane?: Lane | undefined
  /** Something is still to come under the same id. */
  open?: true | undefined
}

export type StartRow = Place & {
  type: 'start'
  program?: string | undefined
  version?: string | undefined
  model?: string | undefined
  /** The words of the model come from a script. */
  scripted?: true | undefined
  cwd?: string | undefined
  mode?: string | undefined
  how?: 'new' | 'resumed' | 'forked' | undefined
}
export type PromptRow = Place & { type: 'prompt'; by: string; text: string }
export type SaidRow = Place & { type: 'text' | 'thought'; text: string }
export type CallRow = Place & {
  type: 'call'
  name: string
  toolKind: ToolKind
  /** What the call is about, in one line: the command, the path, the pattern. */
  subject: string
  input?: unknown
  status?: ToolStatus | undefined
  failed?: boolean | undefined
  exitCode?: number | undefined
  durationMs?: number | undefined
  output?: string | undefined
  changes?: readonly Change[] | undefined
  /** Who refused it, where nobody was asked. */
  refusedBy?: string | undefined
}
export type TaskRow = Place & {
  type: 'task'
  title: string
  agentType?: string | undefined
  status?: ToolStatus | undefined
  text?: string | undefined
  durationMs?: number | undefined
}
export type AskRow = Place & {
  type: 'ask'
  about: 'permission' | 'question'
  name?: string | undefined
  question: string
  decision?: string | undefined
  by?: string | undefined
  answer?: string | undefined
  /** Decided without a question: by a rule, a default, or for want of somebody to ask. */
  unasked?: true | undefined
  /** The call that it is about, while that is open. */
  call?: string | undefined
}
export type PlanRow = Place & {
  type: 'plan'
  entries: readonly { text: string; status: 'pending' | 'active' | 'done' }[]
}
export type NoteRow = Place & { type: 'note'; level: 'info' | 'warn' | 'error'; label: string; text: string }
export type TurnRow = Place & {
  type: 'turn'
  turn: number
  reason: Reason
  outcome: Outcome
  durationMs?: number | undefined
  usage?: Usage | undefined
  cost?: Cost | undefined
  /** All its answers came from a script: the cost was not paid. */
  scripted?: true | undefined
  error?: Fault | undefined
}
export type EndRow = Place & {
  type: 'end'
  of: 'session' | 'run'
  reason: Reason
  outcome: Outcome
  turns: number
  durationMs?: number | undefined
  scripted?: true | undefined
  error?: Fault | undefined
}

export type Row = StartRow | PromptRow | SaidRow | CallRow | TaskRow | AskRow | PlanRow | NoteRow | TurnRow | EndRow
