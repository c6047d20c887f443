// What a stream says, whatever dialect it is told in: the text and the thoughts of its main lane, and every call.
import { parseJson, type Rec, stringifyJson } from '../src/base/json.ts'
import { type DialectName, type Event, toolFailed } from '../src/index.ts'

/** Fields of a call under the names that `tool.start` has for them, as text; `failed` is what became of it. */
export type Call = {
  name: string
  toolKind: string
  input: string
  title: string | undefined
  agent: string | undefined
  failed: boolean
}
/** `withdrawn`: it was taken back, and may still stand where nothing can be taken back. */
export type Said = { text: string; withdrawn: boolean }
export type Meaning = { text: Said[]; thoughts: Said[]; calls: Map<string, Call> }

/** Ids that were made begin with `~`; on the wire they drop it. */
const plain = (id: string): string => id.replace(/^~/, '')

export function meaningOf(events: readonly Event[]): Meaning {
  const calls = new Map<string, Call>()
  for (const event of events) follow(calls, event)
  return { text: spoken(events, 'text'), thoughts: spoken(events, 'thought'), calls }
}

function spoken(events: readonly Event[], what: 'text' | 'thought'): Said[] {
  const said: Said[] = []
  let open = ''
  const close = (text: string, withdrawn: boolean): void => {
    if (text !== '') said.push({ text, withdrawn })
    open = ''
  }
  for (const event of events) {
    if (event.agent !== undefined) continue
    if ((event.kind === 'text.delta' || event.kind === 'thought.delta') && event.kind === `${what}.delta`) open += event.text
    else if ((event.kind === 'text.end' || event.kind === 'thought.end') && event.kind === `${what}.end`) close(event.text ?? open, false)
    else if (event.kind === 'message.drop') close(open, true)
  }
  close(open, false)
  return said
}

/** What stands after the journey, joined: all that was said, and of what was withdrawn any part once. */
export function isSaid(before: readonly Said[], after: readonly Said[], mayStand: boolean): boolean {
  const arrived = after
    .filter(({ withdrawn }) => !withdrawn)
    .map(({ text }) => text)
    .join('')
  let ends = new Set([0]) // how far `arrived` may be explained by what was said so far
  for (const { text, withdrawn } of before) {
    const reached = [...ends].filter((end) => arrived.startsWith(text, end)).map((end) => end + text.length)
    ends = new Set(!withdrawn ? reached : mayStand ? [...ends, ...reached] : ends)
  }
  return ends.has(arrived.length)
}

function follow(calls: Map<string, Call>, event: Event): void {
  const id = plain(event.call ?? '')
  const call = calls.get(id)
  if (event.kind === 'tool.start') {
    const { name, toolKind, input, title, agent } = event
    calls.set(id, { name, toolKind, input: inputText(input), title, agent, failed: false })
  } else if (event.kind === 'tool.update' && call !== undefined) {
    call.title = event.title ?? call.title
    if (event.input !== undefined) call.input = inputText(event.input)
  } else if (event.kind === 'tool.end' && call !== undefined) {
    call.title = event.title ?? call.title
    call.failed = toolFailed(event)
  }
}

/** No input and an empty one are the same to every dialect that must write one. */
const inputText = (input: unknown): string => stringifyJson(input ?? {})

/** Calls and questions of the protocol; a question about a call that is known says nothing new of it. */
function acpInputs(record: Rec, found: ReadonlyMap<string, string>): [unknown, unknown][] {
  const { params = {} } = (record['message'] ?? record) as { params?: { update?: Rec; toolCall?: Rec } }
  const { update = {}, toolCall } = params
  if (toolCall !== undefined) return found.has(String(toolCall['toolCallId'])) ? [] : [[toolCall['toolCallId'], toolCall['rawInput']]]
  if (update['sessionUpdate'] !== 'tool_call' && update['rawInput'] === undefined) return []
  return [[update['toolCallId'], update['rawInput']]]
}

/** Items of exec and of the app-server, in their first words; responses of a rollout file. */
function codexInputs(record: Rec): [unknown, unknown][] {
  const { item, params, payload } = (record['message'] ?? record) as { item?: Rec; params?: Rec; payload?: Rec }
  const told = (item ?? params?.['item'] ?? payload ?? {}) as Rec
  const ids = (told['receiver_thread_ids'] ?? told['receiverThreadIds'] ?? []) as string[]
  switch (told['type']) {
    case 'command_execution':
    case 'commandExecution':
      return [[told['id'], { command: told['command'], cwd: told['cwd'] }]]
    case 'file_change':
    case 'fileChange':
      return [[told['id'], { changes: told['changes'] }]]
    case 'mcp_tool_call':
    case 'mcpToolCall':
    case 'dynamicToolCall':
      return [[told['id'], told['arguments']]]
    case 'web_search':
    case 'webSearch':
      return told['query'] === '' ? [] : [[told['id'], { query: told['query'], action: told['action'] }]]
    case 'collab_tool_call':
    case 'collabAgentToolCall':
      return [[told['id'], { prompt: told['prompt'] ?? undefined, agents: ids.length === 0 ? undefined : ids }]]
    case 'imageView':
      return [[told['id'], { path: told['path'] }]]
    case 'imageGeneration':
      return [[told['id'], { prompt: told['revisedPrompt'] }]]
    case 'sleep':
      return [[told['id'], { durationMs: told['durationMs'] }]]
    case 'function_call':
      return [[told['call_id'], parseJson(String(told['arguments']))]]
    case 'custom_tool_call':
      return [[told['call_id'], told['input']]]
    case 'local_shell_call':
      return [[told['call_id'], { command: (told['action'] as Rec)['command'] }]]
    case 'tool_search_call':
      return [[told['call_id'], told['arguments']]]
    case 'web_search_call':
      return [[told['id'], told['action']]]
    case 'image_generation_call':
      return [[told['id'], { prompt: told['revised_prompt'] }]]
    default:
      return []
  }
}

/** On stdout a call is a record; a chat file lists calls in messages, and what a subagent did in the call that started it. */
function geminiInputs(record: Rec): [unknown, unknown][] {
  if (record['type'] === 'tool_use') return [[record['tool_id'], record['parameters']]]
  const messages = (record['messages'] ?? [record]) as {
    toolCalls?: { id: string; args: Rec; resultDisplay?: { recentActivity?: Rec[] } }[]
  }[]
  return messages
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .flatMap(({ id, args, resultDisplay }) => [
      [id, args],
      ...(resultDisplay?.recentActivity ?? [])
        .filter(({ type }) => type === 'tool_call')
        .map((step): [unknown, unknown] => [step['id'], parseJson(String(step['args']))]),
    ])
}

/** The id and the input of every call, straight from the records. */
export function inputsIn(records: readonly Rec[], dialect: DialectName): [string, string][] {
  const found = new Map<string, string>() // the whole input may come after the first word of the call
  const repeated: [string, string][] = []
  const add = (id: unknown, input: unknown): void => void found.set(String(id), inputText(input))
  for (const record of records) {
    const { part = {}, message = {} } = record as { part?: Rec; message?: Rec }
    if (dialect === 'appctl' && record['kind'] === 'tool_call') repeated.push([String(record['id']), inputText(record['arguments'])])
    else if (dialect === 'aictrl' && record['type'] === 'tool_use') add(part['callID'], (part['state'] as Rec)['input'])
    else if (dialect === 'avenor' && record['event'] === 'tool.call')
      add(record['toolCallId'], typeof record['rawInput'] === 'string' ? parseJson(record['rawInput']) : record['rawInput'])
    else if (
      dialect === 'sluice' &&
      (record['kind'] === 'tool.start' || record['input'] !== undefined) &&
      String(record['kind']).startsWith('tool.')
    )
      add(record['call'], record['input'])
    else if (dialect === 'opencode') {
      const told = (part['state'] === undefined ? ((record['properties'] as Rec | undefined)?.['part'] ?? {}) : part) as Rec
      if (told['state'] !== undefined) add(told['callID'], (told['state'] as Rec)['input'])
    } else if (dialect === 'codex') {
      for (const [id, input] of codexInputs(record)) if (!found.has(String(id))) add(id, input)
    } else if (dialect === 'gemini') for (const [id, input] of geminiInputs(record)) add(id, input)
    else if (dialect === 'acp') for (const [id, input] of acpInputs(record, found)) add(id, input)
    else if (dialect === 'copilot' && record['type'] === 'tool.execution_start') {
      const { toolCallId, arguments: input } = record['data'] as Rec
      add(toolCallId, input)
    } else if (dialect === 'claude' && record['type'] === 'assistant')
      for (const block of message['content'] as Rec[]) if (block['type'] === 'tool_use') add(block['id'], block['input'])
  }
  return [...found, ...repeated]
}
