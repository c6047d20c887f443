// Items: what a turn consists of. Exec writes them in snake_case, the app-server in camelCase, rollout files in PascalCase with
// snake_case fields; `Item` is one in any of these spellings.
import Type, { type TSchema } from 'typebox'
import { named } from '../wire-named.ts'
import { any, flag, integer, lasted, list, number, objectOrNull, optional, orNull, rpc, text, words } from './wire-shared.ts'

export type Item = {
  id: string
  type: string
  status?: string | null
  text?: string
  message?: string
  summary?: string[] | null
  content?: unknown[] | null
  fragments?: { text?: string }[]
  command?: string | string[]
  cwd?: string | null
  source?: string | null
  commandActions?: unknown
  aggregated_output?: string | null
  aggregatedOutput?: string | null
  exit_code?: number | null
  exitCode?: number | null
  process_id?: string | null
  duration?: { secs?: number; nanos?: number } | string | null
  durationMs?: number | null
  changes?: unknown
  server?: string | null
  namespace?: string | null
  tool?: string
  arguments?: unknown
  result?: unknown
  error?: unknown
  contentItems?: unknown[] | null
  success?: boolean | null
  prompt?: string | null
  model?: string | null
  receiver_thread_ids?: string[] | null
  receiverThreadIds?: string[] | null
  agents_states?: { [thread: string]: unknown } | null
  agentsStates?: { [thread: string]: unknown } | null
  agentThreadId?: string
  kind?: string
  query?: string | null
  action?: unknown
  path?: string
  savedPath?: string | null
  revisedPrompt?: string | null
  review?: string | null
  items?: { text: string; completed?: boolean }[]
}

type Fields = Record<string, TSchema>

const status = { status: orNull(text) }
const states = objectOrNull
const threads = orNull(list(text))

const execItems: Record<string, Fields> = {
  agent_message: { text },
  plan: { text },
  reasoning: { text },
  command_execution: { command: text, aggregated_output: orNull(text), exit_code: orNull(integer), ...status },
  file_change: { changes: list(Type.Object({ path: text, kind: optional(any) })), ...status },
  mcp_tool_call: {
    server: orNull(text),
    tool: text,
    arguments: optional(any),
    result: optional(any),
    error: optional(any),
    ...status,
  },
  collab_tool_call: {
    tool: text,
    receiver_thread_ids: threads,
    prompt: orNull(text),
    agents_states: states,
    ...named(['sender_thread_id']),
    ...status,
  },
  web_search: { query: orNull(text), action: optional(any) },
  todo_list: { items: list(Type.Object({ text, completed: optional(flag) })) },
  error: { message: text },
}

const lasts = { durationMs: orNull(number) }
const serverItems: Record<string, Fields> = {
  userMessage: { content: list(any), ...named(['clientId']) },
  hookPrompt: { fragments: list(Type.Object({ text: optional(text) })) },
  agentMessage: { text, ...named(['phase', 'memoryCitation', 'delivery', 'questions']) },
  plan: { text },
  reasoning: { summary: orNull(list(text)), content: orNull(list(text)) },
  commandExecution: {
    command: text,
    cwd: orNull(text),
    commandActions: optional(any),
    aggregatedOutput: orNull(text),
    exitCode: orNull(integer),
    ...named(['processId', 'source', 'pluginId', 'scriptPath']),
    ...status,
    ...lasts,
  },
  fileChange: { changes: list(Type.Object({ path: text, kind: optional(any), diff: orNull(text) })), ...status },
  mcpToolCall: {
    server: orNull(text),
    tool: text,
    arguments: optional(any),
    result: optional(any),
    error: optional(any),
    ...status,
    ...named(['appContext', 'mcpAppUi', 'mcpAppResourceUri', 'pluginId', 'readOnlyHint']),
    ...lasts,
  },
  dynamicToolCall: {
    namespace: orNull(text),
    tool: text,
    arguments: optional(any),
    contentItems: orNull(list(any)),
    success: orNull(flag),
    ...status,
    ...lasts,
  },
  collabAgentToolCall: {
    tool: text,
    receiverThreadIds: threads,
    prompt: orNull(text),
    model: orNull(text),
    agentsStates: states,
    ...named(['senderThreadId', 'reasoningEffort']),
    ...status,
  },
  subAgentActivity: { kind: text, agentThreadId: text },
  webSearch: { query: orNull(text), action: optional(any) },
  imageView: { path: text },
  imageGeneration: { revisedPrompt: orNull(text), result: optional(any), savedPath: orNull(text), ...status },
  sleep: lasts,
  enteredReviewMode: { review: orNull(text) },
  exitedReviewMode: { review: orNull(text) },
  contextCompaction: {},
}

const itemRecords = (
  prefix: string,
  items: Record<string, Fields>,
  around: (item: TSchema) => TSchema,
  also: Fields = {},
): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(items).map(([type, fields]) => [
      `${prefix}/${type}`,
      around(Type.Object({ id: text, type: Type.Literal(type), ...fields, ...also })),
    ]),
  )

/** One record type for each type of item; which phase the item is in is the record's business. */
export const execItemRecords = itemRecords('item.*', execItems, (item) =>
  Type.Object({ type: words(['item.started', 'item.updated', 'item.completed']), item }),
)
export const serverItemRecords = itemRecords(
  'item/*',
  serverItems,
  (item) =>
    Type.Object({
      method: words(['item/started', 'item/completed']),
      params: Type.Object({ item, threadId: optional(text), turnId: optional(text), ...lasted }),
      ...rpc,
    }),
  lasted,
)
