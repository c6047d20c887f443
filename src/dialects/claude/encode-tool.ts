// `user` records: results of calls, with the structure that the document shows per tool, and prompts.
import { isRecord, type Rec } from '../../base/json.ts'
import type { EventOf } from '../../model/event.ts'
import { toolFailed } from '../../model/outcome.ts'
import { syntheticOf, textOf, textOfBlock } from '../contract.ts'
import { release, settleMessage } from './encode-message.ts'
import { structureOf } from './encode-structure.ts'
import { agentId, callId, idOf, parentOf, stamp, uuidOf, write, type WriteCall, type Writer } from './encode-state.ts'
import { isUuid } from './uuid.ts'

// ── results ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function toolEnd(on: Writer, event: EventOf<'tool.end'>): void {
  const { session } = on
  const id = callId(event)
  const call = session.calls.get(id)
  // A result needs its call, and nothing of the main lane may follow the turn's result.
  if (call === undefined || (call.lane === undefined && session.openTurns === 0)) return on.sink.lost(event)
  release(on, call.lane, id, undefined)
  settleMessage(on, call.lane)
  session.calls.delete(id)
  const failed = toolFailed(event)
  const told = resultText(event)
  if (event.content?.some((part) => !isSaid(part, event, told)) === true) on.sink.lost(event, 'content')
  if (told === undefined) on.sink.added('user.message.content')
  const text = told ?? wordFor(event, call)
  if (event.status === 'denied') session.turn.denied.set(id, denial(id, call))
  else if (!failed) session.turn.denied.delete(id) // it ran all the same
  const structure = failed ? ((call.printed && structureOf(event, call)) ?? `Error: ${textOf(text)}`) : structureOf(event, call)
  const record = {
    type: 'user',
    message: { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content: text, is_error: failed }] },
    parent_tool_use_id: parentOf(on, call.lane),
    agent_id: agentId(call.lane),
    tool_use_result: structure,
    tool_result_meta: metaOf(event, id),
    timestamp: stamp(event.at),
    session_id: idOf(on),
    uuid: uuidOf(on, event),
  }
  on.sink.write(record, syntheticOf(event))
}

/** No turn leaves a call of its own open. */
export function abandonCalls(on: Writer): void {
  const { calls } = on.session
  for (const [id, { lane }] of calls) {
    if (lane !== undefined) continue
    release(on, undefined, id, undefined)
    settleMessage(on, undefined)
    calls.delete(id)
    const content = [{ tool_use_id: id, type: 'tool_result', content: 'abandoned', is_error: true }]
    write(on, { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, tool_use_result: 'Error: abandoned' }, 'cut')
  }
}

export const denial = (id: string, call: Pick<WriteCall, 'name' | 'input'>): Rec => ({
  tool_name: call.name,
  tool_use_id: id,
  tool_input: isRecord(call.input) ? call.input : {},
})

/** Who let the call run or stopped it, where the source says so. */
function metaOf({ status, permitted }: EventOf<'tool.end'>, id: string): Rec[] | undefined {
  const said = permitted ?? (status === 'denied' ? { allow: false, by: 'unknown' as const } : undefined)
  if (said === undefined) return undefined
  const decision = said.allow ? 'accept' : 'reject'
  return [{ id, permission_decision: { decision, ...(sources[said.by]?.(said.allow) ?? { source: 'config' }) } }]
}
const sources: Readonly<Record<string, (allow: boolean) => Rec>> = {
  rule: () => ({ source: 'config', reason_type: 'rule' }),
  mode: () => ({ source: 'config', reason_type: 'mode' }),
  hook: () => ({ source: 'hook', reason_type: 'hook' }),
  host: () => ({ source: 'config', reason_type: 'permissionPromptTool' }),
  user: (allow) => ({ source: allow ? 'user_temporary' : 'user_reject' }),
}

/** What the call gave back; undefined when nobody has told it. */
function resultText(event: EventOf<'tool.end'>): unknown {
  const text = event.text ?? textIn(event.content) ?? event.error?.text
  if (event.exitCode !== undefined && event.exitCode !== 0) {
    const opening = `Exit code ${event.exitCode}`
    return text === undefined || text === '' ? opening : text.startsWith(opening) ? text : `${opening}\n${text}`
  }
  if (event.content !== undefined) {
    if (event.content.every(mayStand)) return event.content
    const others = event.content.flatMap((part) => (mayStand(part) && part['type'] !== 'text' ? [part] : mediaBlock(part)))
    if (others.length > 0) return [...(text === undefined ? [] : [{ type: 'text', text }]), ...others]
  }
  return text ?? (event.data === undefined ? undefined : textOf(event.data))
}

/** Of blocks that are all texts; a wrapped one may be among them. */
function textIn(content: readonly unknown[] | undefined): string | undefined {
  const texts = content?.map(textOfBlock)
  return texts === undefined || texts.length === 0 || texts.includes(undefined) ? undefined : texts.join('\n')
}

/** A result must have a content: how the call ended, where nothing else is known. */
const wordFor = ({ status }: EventOf<'tool.end'>, { name }: WriteCall): string =>
  status === 'ok' ? '' : status === 'denied' ? `${name} was not permitted` : status

const mayStand = (part: unknown): part is Rec => isRecord(part) && contentTypes.has(part['type'])

/** It stands in the content that is written, or the text says it. */
function isSaid(part: unknown, { text }: EventOf<'tool.end'>, told: unknown): boolean {
  if (Array.isArray(told) && (mayStand(part) || mediaBlock(part).length > 0)) return true
  const own = textOfBlock(part)
  return own !== undefined && (text?.includes(own) === true || (typeof told === 'string' && told.includes(own)))
}

const contentTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'tool_reference', 'search_result'])

/** A picture or document that comes with its bytes, as the built-in agent tells it. */
function mediaBlock(part: unknown): Rec[] {
  if (!isRecord(part) || part['type'] !== 'file' || typeof part['mime'] !== 'string' || typeof part['data'] !== 'string') return []
  const type = part['mime'].startsWith('image/') ? 'image' : 'document'
  return [{ type, source: { type: 'base64', media_type: part['mime'], data: part['data'] } }]
}

// ── prompts ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A block that a prompt may hold, and that has what its type needs. */
const mayPrompt = (part: unknown): boolean =>
  isRecord(part) && (part['type'] === 'text' ? typeof part['text'] === 'string' : promptTypes.has(part['type']) && isRecord(part['source']))
const promptTypes: ReadonlySet<unknown> = new Set(['image', 'document'])

/** As the program replays them. Pieces of one prompt are joined before. */
export function writePrompt(on: Writer, event: EventOf<'prompt.submit'>): void {
  const { session } = on
  if (event.agent === undefined && event.by === 'user') {
    const comesBack = event.state === 'seen' && event.text !== undefined && event.text === session.sentPrompt
    session.sentPrompt = event.state === 'seen' ? undefined : event.text // it comes back once
    if (comesBack) return
  }
  const open = session.lanes.get(event.agent)?.message
  if (open !== undefined) open.answered = true
  const given = event.content ?? []
  const parts = given.filter(mayPrompt)
  const media = given.flatMap(mediaBlock)
  if (parts.length + media.length < given.length) on.sink.lost(event, 'content')
  const content = parts.length > 0 ? parts : [{ type: 'text', text: event.text ?? '' }, ...media]
  if (given.length === 0 && event.text === undefined) on.sink.added('user.message.content') // Avenor tells only its length
  const isHosts = event.by === 'user' || event.by === 'host'
  const made = uuidOf(on, event)
  const record = {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: parentOf(on, event.agent),
    agent_id: agentId(event.agent),
    isReplay: event.agent === undefined && isHosts ? true : undefined,
    isSynthetic: event.agent === undefined && !isHosts ? true : undefined,
    timestamp: stamp(event.at),
    session_id: idOf(on),
    uuid: event.id !== undefined && isUuid(event.id) ? event.id : made, // who sent it may know it by its id
  }
  on.sink.write(record, syntheticOf(event))
}
