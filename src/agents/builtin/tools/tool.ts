// What a tool is to the agent's loop: it looks at a call and says what it needs to be allowed; only then does it run.
import type { Rec } from '../../../base/json.ts'
import type { Schema } from '../../../base/explain.ts'
import type { Kind, Payload } from '../../../model/event.ts'
import type { ToolKind } from '../../../model/vocabulary.ts'
import type { Ask } from '../../../supervise/contract.ts'

export type Tool = {
  name: string
  /** For the model. */
  description: string
  /** JSON Schema of an object; the loop checks a call against it before `plan`. */
  parameters: Schema & Rec
  kind: ToolKind
  source: 'builtin' | 'mcp'
  server?: string
  /** A call may change something outside the conversation. */
  changes: boolean
  /** Throws a ToolError when the call cannot be made at all (no such file, an address that is none). */
  plan(input: Rec, context: ToolContext): Plan | Promise<Plan>
}

export type Plan = {
  /** One line for people: the path, the command, the pattern. */
  title: string
  /** Files that the call is about, absolute. */
  paths?: readonly string[]
  /** What must be allowed first; undefined: nothing. */
  ask?: Pick<Ask, 'permission' | 'patterns' | 'always' | 'command' | 'paths'>
  run(run: ToolRun): Promise<ToolResult>
}

/** Of a text that comes in pieces: what can be told of it by now, and at last the rest. */
export type Cleaner = { push(text: string): string; end(): string }

/** The same for all calls of a session. */
export type ToolContext = {
  /** Where the agent works, and the project around it: both absolute, links resolved. */
  cwd: string
  root: string
  home: string
  /** All that a child process is given. */
  env: Readonly<Record<string, string>>
  /** The folder for outputs that are too long to be shown whole. */
  outputFolder: string
  /** Takes secrets out of such an output, one for each: what is kept on disk holds none. */
  cleaner?(): Cleaner
  /** Files the session has read or written, with their state then: an edit must know what it changes. */
  seen: Map<string, { mtimeMs: number; size: number }>
  /** Files that searches leave out, unless a call names one: for ripgrep's --iglob, each beginning with `!`. */
  secretGlobs: readonly string[]
  /** Of an absolute path: it may hold secrets. The globs only see what lies below the folder that is searched. */
  isSecret(path: string): boolean
  /** A rule names the host of this address: it may be fetched from although it is of this machine or a private network. */
  allowedHosts(url: URL): boolean
  now(): number
}

/** One call. */
export type ToolRun = {
  call: string
  signal: AbortSignal
  /** Output as it comes. */
  output(stream: 'stdout' | 'stderr', text: string): void
  /** An event that belongs to the call: a plan, a changed file, a loaded skill. */
  emit<K extends Kind>(kind: K, payload: Payload<K>): void
}

export type ToolResult = {
  /** What the model is told. */
  text: string
  /** For programs: the keys that the documents name. */
  data?: Rec
  /** Pictures and the like, for the model: base64. */
  media?: readonly { mime: string; data: string }[]
  exitCode?: number
  /** It ran, and did not do what it was to do. */
  failed?: boolean
  /** The subagent that the call was. */
  task?: string
}

/** Told to the model; the run goes on. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
