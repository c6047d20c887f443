// Items that are calls: commands, patches, tools of servers and of the host, searches, and the calls that manage subagents.
import { isRecord } from '../../base/json.ts'
import type { Payload, Place } from '../../model/event.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import { int, real, str } from '../values.ts'
import { settle } from './decode-ask.ts'
import { echo, here, most, type Phase, put, type Reader } from './decode-state.ts'
import { agentStates, childOf, startTask } from './decode-task.ts'
import { pathsIn, textIn } from './values.ts'
import type { Item } from './wire-item.ts'
import { faultFrom, statusOf } from './words.ts'

type Read = (on: Reader, item: Item, phase: Phase) => void
type Call = Omit<Payload<'tool.start'>, 'toolKind'>
type Outcome = Omit<Payload<'tool.end'>, 'status'> & { status?: Payload<'tool.end'>['status'] }

/** `late`: while the call runs, its input may not be known yet. */
const call =
  (describe: (item: Item) => Call, outcome: (item: Item) => Outcome, late = false): Read =>
  (on, item, phase) => {
    const { pen } = on
    const place = here(on, { call: item.id })
    const told = describe(item)
    const { input, paths } = told
    on.thread.hidden.delete(item.id)
    if (phase !== 'completed') {
      if (start(on, told, place, phase === 'updated') && phase === 'started') return
      return pen.emit('tool.update', { state: 'running', input, paths }, place)
    }
    const { status = statusOf(item.status) ?? 'ok', ...rest } = outcome(item)
    settle(on, item.id, status !== 'denied')
    if (!start(on, told, place, true) && late) pen.emit('tool.update', { state: 'running', input }, place)
    pen.emit('tool.end', { ...rest, status }, place)
  }

/** False when the call was open already. */
function start(on: Reader, told: Call, place: Place, implied: boolean): boolean {
  if (on.pen.isOpen(place.call!)) return false
  on.pen.emit('tool.start', { toolKind: toolKindOf(told.name), ...told }, { ...place, synthetic: implied ? 'implied' : undefined })
  return true
}

export const command = call(
  ({ type, command: line, cwd, commandActions }) => ({
    name: type,
    input: { command: line, cwd: cwd ?? undefined },
    paths: pathsIn(commandActions),
  }),
  ({ aggregated_output: output, aggregatedOutput = output, exit_code: code, exitCode = code, durationMs }) => ({
    text: aggregatedOutput ?? undefined,
    exitCode: int(exitCode),
    durationMs: real(durationMs),
  }),
)

const patchCall = call(
  ({ type, changes }) => ({ name: type, input: { changes }, paths: pathsIn(changes) }),
  () => ({}),
)

export const fileChange: Read = (on, item, phase) => {
  on.thread.patch = phase === 'completed' ? undefined : { item: item.id, changes: item.changes }
  patchCall(on, item, phase)
}

const toolCall = call(
  ({ tool, server, arguments: input }) => ({ name: tool ?? '', server: server ?? undefined, input: input ?? undefined }),
  ({ result, error, durationMs }) => {
    const told = isRecord(result) ? result : {}
    const failure = isRecord(error) ? str(error['message']) : str(error)
    return {
      text: textIn(told['content']) ?? failure,
      content: Array.isArray(told['content']) ? (told['content'] as unknown[]) : undefined,
      data: told['structured_content'] ?? told['structuredContent'] ?? undefined,
      error: failure === undefined ? undefined : faultFrom(failure),
      durationMs: real(durationMs),
      ...(told['isError'] === true || told['is_error'] === true ? { status: 'error' as const } : {}),
      ...(failure !== undefined && /^user (rejected|cancelled) MCP tool call/.test(failure) ? { status: 'denied' as const } : {}),
    }
  },
)

export const mcpCall: Read = (on, item, phase) => {
  const { serverCalls } = on.thread
  if (phase === 'completed') serverCalls.delete(item.id)
  else put(serverCalls, item.id, { server: item.server ?? '', tool: item.tool ?? '' }, most.asks)
  toolCall(on, item, phase)
}

export const hostCall = call(
  ({ tool, arguments: input }) => ({ name: tool ?? '', input: input ?? undefined, hostedBy: 'host' }),
  ({ contentItems, success, durationMs }) => ({
    text: textIn(contentItems),
    content: contentItems ?? undefined,
    durationMs: real(durationMs),
    ...(success === false ? { status: 'error' as const } : {}),
  }),
)

/** Tools that are items of their own: the item's type is their name. */
const own = (input: (item: Item) => unknown, outcome: (item: Item) => Outcome = () => ({}), late = false): Read =>
  call((item) => ({ name: item.type, input: input(item), paths: item.path === undefined ? undefined : [item.path] }), outcome, late)

export const search = own(
  ({ query, action }) => (query ? { query, action: action ?? undefined } : undefined),
  () => ({}),
  true,
)
export const image = own(
  ({ revisedPrompt }) => (revisedPrompt ? { prompt: revisedPrompt } : undefined),
  ({ result, savedPath }) => ({ data: result ?? undefined, text: savedPath ?? undefined }),
  true,
)
export const imageView = own(({ path }) => ({ path }))
export const sleep = own(({ durationMs }) => ({ durationMs: durationMs ?? undefined }))

// ── subagents ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const receivers = ({ receiver_thread_ids: ids, receiverThreadIds = ids }: Item): string[] => receiverThreadIds ?? []

const isSpawn = ({ tool = '' }: Item): boolean => tool.startsWith('spawn')

const describeAgentCall = (item: Item): Call => ({
  name: item.tool ?? '',
  input: { prompt: item.prompt ?? undefined, agents: receivers(item).length === 0 ? undefined : receivers(item) },
})
const agentCall = call(describeAgentCall, (item) => ({
  data: item.agents_states ?? item.agentsStates ?? undefined,
  task: isSpawn(item) ? receivers(item)[0] : undefined,
}))

export const collab: Read = (on, item, phase) => {
  if (phase === 'completed') {
    start(on, describeAgentCall(item), here(on, { call: item.id }), true)
    const told = { prompt: item.prompt ?? undefined, model: item.model || undefined }
    if (isSpawn(item)) for (const id of receivers(item)) startTask(on, childOf(on, id, on.thread), told, item.id)
    agentStates(on, item.agents_states ?? item.agentsStates)
  }
  agentCall(on, item, phase)
}

export const activity: Read = (on, { kind, agentThreadId: id = '' }, phase) => {
  if (phase !== 'completed') return echo(on)
  const child = childOf(on, id, on.thread)
  if (child.lane === undefined) return echo(on)
  if (!on.pen.hasTask(id)) startTask(on, child, {})
  else if (kind === 'interrupted') agentStates(on, { [id]: kind })
  else on.pen.emit('task.update', { task: id, state: kind }, here(on))
}
