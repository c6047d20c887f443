// What a tracker knows of one session. A key that is absent is unknown, empty or false; the three lists are always there.
import type { Context, Usage } from '../model/event.ts'
import type { Phase, Reason, ToolKind, ToolStatus } from '../model/vocabulary.ts'

export type Snapshot = {
  session?: string
  run?: string
  /** The program that runs, as the session's start names it. */
  backend?: string
  version?: string
  model?: string
  cwd?: string
  mode?: string
  title?: string
  phase?: Phase
  /** What a status said beside its phase. */
  label?: string
  turn?: number
  channelReady?: true
  promptQueued?: true
  promptSubmitted?: true
  /** A permission or a question is open. */
  waitingPermission?: true
  lastReportState?: string
  lastReplyTo?: string
  finishStatus?: string
  finishSummary?: string
  filesChanged?: string[]
  stopReason?: Reason
  ended?: true
  /** The kind of the last event; of a record that has no kind of its own, the source's name for it. */
  lastEvent?: string
  /** Of all lanes, counted as `sluice usage` counts. */
  usage?: Required<Usage>
  costUsd?: number
  /** How full the main conversation's window is. */
  context?: Context
  loop?: Loop
  openTools: OpenTool[]
  openRequests: OpenRequest[]
  /** Subagents and background commands, each under the one that started it. */
  agents: AgentNode[]
  /** Of those that are over only the last are kept; so many more there were. */
  moreAgents?: number
}

export type OpenTool = {
  call: string
  name: string
  toolKind: ToolKind
  title?: string
  agent?: string
  since?: number
}

export type OpenRequest = {
  id: string
  about: 'permission' | 'question'
  name?: string
  question?: string
  call?: string
  agent?: string
  since?: number
}

export type AgentNode = {
  task: string
  type: 'agent' | 'command'
  status: 'running' | ToolStatus
  title?: string
  agentType?: string
  model?: string
  background?: boolean
  label?: string
  tokens?: number
  toolCalls?: number
  since?: number
  children: AgentNode[]
}

/** The loop that the session is part of. */
export type Loop = {
  label?: string
  maxIterations?: number
  iteration?: number
  phase?: string
  stage?: 'pre' | 'loop' | 'post'
  ended?: Reason
}

/** The object without keys that hold nothing. */
export function known<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const held: Partial<T> = {}
  for (const key in value) if (value[key] !== undefined) held[key] = value[key]
  return held as never // the condition is what the type says
}

/** Ms; unknown where a time is missing, or where the clock was set back. */
export const between = (from: number | undefined, to: number | undefined): number | undefined =>
  from === undefined || to === undefined || to < from ? undefined : to - from

/** Two objects whose values are no objects. */
export const isEqual = <T extends object>(a: T, b: T): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key as keyof T] === value)
