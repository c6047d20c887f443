// Items, in the spelling of exec and in that of the app-server: text, thoughts, calls, plans. An item is started, perhaps updated, and
// completed; many are told only when they are complete.
import type { Usage } from '../../model/event.ts'
import { note, trim } from './decode-beside.ts'
import { activity, collab, command, fileChange, hostCall, image, imageView, mcpCall, search, sleep } from './decode-call.ts'
import { echo, here, type Phase, type Reader } from './decode-state.ts'
import { otherBlocks, textIn } from './values.ts'
import type { Item } from './wire-item.ts'

type Read = (on: Reader, item: Item, phase: Phase) => void

/** Only the whole item says anything. */
const whole =
  (read: (on: Reader, item: Item) => void): Read =>
  (on, item, phase) =>
    phase === 'completed' ? read(on, item) : echo(on)

// ── answers of the model ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Its calls are part of it: its tokens are told when they are done. */
export function beginAnswer(on: Reader, item: string): void {
  const { thread } = on
  if (!thread.hasAnswers || thread.answer !== undefined || !on.pen.isStarted()) return
  thread.answer = item
  on.pen.emit('message.start', {}, here(on, { message: item, synthetic: 'implied' }))
}

export function endAnswer(on: Reader, usage: Usage | undefined): void {
  const { answer } = on.thread
  on.thread.answer = undefined
  if (answer !== undefined) on.pen.emit('message.end', { usage }, here(on, { message: answer }))
}

/** Its items are its blocks; where answers are not told, each item stands for one. */
const messageOf = ({ thread }: Reader, item: string | undefined): string | undefined => thread.answer ?? item

// ── what is said ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export function textDelta(on: Reader, item: string, text: string): void {
  on.thread.speaking = item
  on.pen.emit('text.delta', { text }, here(on, { message: messageOf(on, item) }))
}

function say(on: Reader, item: string, text: string): void {
  const { pen, thread } = on
  const open = pen.isStreaming('text.delta', thread.lane)
  const streamed = thread.speaking === item
  if (open && !streamed)
    pen.emit('text.end', { streamed: true }, here(on, { message: messageOf(on, thread.speaking), synthetic: 'implied' }))
  thread.speaking = undefined
  if (streamed && !open) return echo(on) // its block was ended by what came between
  pen.emit('text.end', { text, streamed }, here(on, { message: messageOf(on, item) }))
}

export function thoughtDelta(on: Reader, item: string, block: number, text: string): void {
  const { thread } = on
  if (thread.thinking?.item !== item) thread.thinking = { item, blocks: new Set(), last: block }
  thread.thinking.blocks.add(block)
  thread.thinking.last = block
  on.pen.emit('thought.delta', { text }, here(on, { message: messageOf(on, item), block }))
}

/** Raw thoughts stand beside their summary, and both count their parts from 0. */
export const rawBlock = (index: number): number => 1000 + index

/** A block is ended by the first delta of the next one, so only the last that was streamed is still open. */
export function think(on: Reader, item: string, parts: readonly (readonly [block: number, text: string])[]): void {
  const { pen, thread } = on
  const { thinking } = thread
  const open = pen.isStreaming('thought.delta', thread.lane)
  const told = thinking?.item === item ? thinking.blocks : undefined
  const last = told !== undefined && open ? thinking?.last : undefined
  if (open && told === undefined)
    pen.emit(
      'thought.end',
      { streamed: true },
      here(on, { message: messageOf(on, thinking?.item), block: thinking?.last, synthetic: 'implied' }),
    )
  thread.thinking = undefined
  if (parts.length === 0 && told === undefined)
    return pen.emit('thought.end', { streamed: false, redacted: true }, here(on, { message: messageOf(on, item) }))
  let said = false
  for (const [block, text] of parts) {
    if (block !== last && told?.has(block) === true) continue
    pen.emit('thought.end', { text, streamed: block === last }, here(on, { message: messageOf(on, item), block }))
    said = true
  }
  if (!said) echo(on)
}

const thoughts = whole((on, { id, text, summary, content }) => {
  if (text !== undefined) return think(on, id, [[0, text]])
  const raw = (content ?? []).filter((part) => typeof part === 'string')
  think(on, id, [
    ...(summary ?? []).map((part, index) => [index, part] as const),
    ...raw.map((part, index) => [rawBlock(index), part] as const),
  ])
})

const prompt = whole((on, { content }) => {
  const { thread } = on
  if (thread.unseen > 0) {
    thread.unseen--
    return echo(on)
  }
  const by = thread.lane === undefined ? 'user' : 'agent'
  on.pen.emit('prompt.submit', { text: textIn(content), content: otherBlocks(content), by, state: 'seen' }, here(on))
})

// ── beside the work ──────────────────────────────────────────────────────────────────────────────────────────────────────

const todo: Read = (on, { items }) => {
  const entries = (items ?? []).map(({ text, completed }) => ({
    text,
    status: completed === true ? ('done' as const) : ('pending' as const),
  }))
  on.pen.emit('plan.update', { entries }, here(on))
}

const noted = (level: 'info' | 'warn'): Read => whole((on, { message, review }) => note(on, level, message ?? review ?? ''))

const said = whole((on, { id, text }) => say(on, id, text ?? ''))

const readers = new Map<string, Read>([
  ['agent_message', said],
  ['agentMessage', said],
  ['plan', said],
  ['reasoning', thoughts],
  ['userMessage', prompt],
  [
    'hookPrompt',
    whole((on, { fragments }) => on.pen.emit('prompt.submit', { text: textIn(fragments), by: 'hook', state: 'seen' }, here(on))),
  ],
  ['command_execution', command],
  ['commandExecution', command],
  ['file_change', fileChange],
  ['fileChange', fileChange],
  ['mcp_tool_call', mcpCall],
  ['mcpToolCall', mcpCall],
  ['dynamicToolCall', hostCall],
  ['collab_tool_call', collab],
  ['collabAgentToolCall', collab],
  ['subAgentActivity', activity],
  ['web_search', search],
  ['webSearch', search],
  ['imageView', imageView],
  ['imageGeneration', image],
  ['sleep', sleep],
  ['contextCompaction', whole((on) => trim(on, 'item'))],
  ['todo_list', todo],
  ['enteredReviewMode', noted('info')],
  ['exitedReviewMode', noted('info')],
  ['error', noted('warn')],
])

/** What does not come from the model. */
const others: ReadonlySet<string> = new Set([
  'userMessage',
  'hookPrompt',
  'contextCompaction',
  'enteredReviewMode',
  'exitedReviewMode',
  'error',
])

export function readItem(on: Reader, item: Item, phase: Phase): void {
  if (phase === 'started' && !others.has(item.type)) beginAnswer(on, item.id)
  readers.get(item.type)!(on, item, phase)
}
