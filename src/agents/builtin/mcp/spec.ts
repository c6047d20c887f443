// What the settings say of an MCP server, what is told of it, and the limits that hold for all of them.
import type { Tool } from '../tools/tool.ts'

type Common = {
  /** Milliseconds: for getting ready, and for a call that makes no progress. */
  timeout?: number
  enabled?: boolean
}
export type ChildSpec = Common & {
  command: readonly string[]
  /** Beside the variables that every child is given. */
  environment?: Readonly<Record<string, string>>
  cwd?: string
}
export type RemoteSpec = Common & {
  url: string
  headers?: Readonly<Record<string, string>>
  /** Absent: streamable HTTP, and SSE when the server does not speak that. */
  type?: 'http' | 'sse'
}
export type ServerSpec = ChildSpec | RemoteSpec

export type ServerStatus = {
  name: string
  status: 'connected' | 'failed' | 'timeout' | 'disabled'
  error?: string
  /** Something was left out: tools past the limit, schemas that are none. */
  note?: string
}

export type McpOptions = {
  /** All that a child is given, beside what its own settings name. */
  env: Readonly<Record<string, string>>
  cwd: string
  signal?: AbortSignal
  limitMs?: number
  /** Names that are taken by other tools. */
  reserved?: readonly string[]
  /** Never shown in an error text, wherever a server got them from. */
  secretValues?: readonly string[]
  /** Once all are ready or given up: the state of a server, or its list of tools, is another one now. */
  onChange?(server: ServerStatus): void
}

export type McpSession = {
  /** In the order of the settings. The same tool keeps its name as long as the session lives. */
  tools(): Tool[]
  status(): ServerStatus[]
  /** Waits for lists that are being read again: call it before a turn. */
  settle(): Promise<void>
  /** Ends every server, however it takes it. */
  close(): Promise<void>
}

export const limits = {
  connectMs: 10_000,
  callMs: 60_000,
  /** However much progress a call reports. */
  callTotalMs: 30 * 60_000,
  tools: 500,
  pages: 100,
  relists: 100,
  descriptionBytes: 4096,
  schemaBytes: 64 * 1024,
  /** Of one message from a server. */
  messageBytes: 64 * 1024 * 1024,
  /** Of what a call returns to the model. */
  shown: { characters: 50 * 1024, lines: 2000 },
  mediaBytes: 5 * 1024 * 1024,
  dataBytes: 256 * 1024,
} as const
