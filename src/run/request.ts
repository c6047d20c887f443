// What a run is asked to be: plain values, from whatever command line, page or program they come.
import type { ServerSpec } from '../config/shape.ts'
import type { PermissionRule } from '../supervise/contract.ts'

export type RunRequest = {
  /** builtin, claude, codex, gemini, opencode, copilot, acp:COMMAND or replay:FILE. */
  agent: string
  /** The agent's own word for how freely it may work. */
  mode?: string
  /** Another agent without a way back: one prompt, and nobody is asked. */
  headless: boolean
  /** Of a recording: 1 is its own pace. */
  replaySpeed: number
  /** The id of the run, on every event. Absent: a new one. */
  id?: string
  label?: string
  /** Who is asked: by a file, or over the socket, also when nobody is there yet. */
  handler?: { base: string } | 'control'
  /** A path of the user's own; false: the run cannot be reached. Absent: a place by its id. */
  socket?: string | false
  /** Written by whoever starts the run; here it is a file that the agent must not write. */
  sentinel?: string
  maxRetries: number
  /** A shell command for each milestone and finding, and an address for the same. */
  command?: string
  webhook?: string
  /** How long to wait for a usage limit to reset. Absent: not at all. */
  waitMs?: number
  cwd: string
  model?: string
  profile?: string
  settingsFile?: string
  trustProject: boolean
  rules: readonly PermissionRule[]
  autoApprove: boolean
  gates: { readOnly: boolean; dryRun: boolean; strict: boolean }
  thoughts: boolean
  stream: boolean
  maxTurns?: number
  maxCost?: number
  timeoutMs?: number
  limits: { maxTokens?: number; maxToolCalls?: number; progressTimeoutMs?: number }
  permissionTimeoutMs: number
  apiRetries: number
  redact: boolean
  /** MCP servers beside those of the settings, or in their place. */
  servers?: { more: Readonly<Record<string, ServerSpec>>; only: boolean }
  session: SessionWanted
}

export type SessionWanted = { how: 'new' } | { how: 'resumed' | 'forked'; id: string | undefined }

/** A request in which everything that is left out has its usual value. */
export const requestOf = (given: Partial<RunRequest> & Pick<RunRequest, 'cwd'>): RunRequest => ({
  agent: 'builtin',
  headless: false,
  replaySpeed: 1,
  maxRetries: 0,
  trustProject: false,
  rules: [],
  autoApprove: false,
  gates: { readOnly: false, dryRun: false, strict: false },
  thoughts: false,
  stream: true,
  limits: {},
  permissionTimeoutMs: 600_000,
  apiRetries: 4,
  redact: true,
  session: { how: 'new' },
  ...given,
})
