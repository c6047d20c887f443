// The chat file on disk. It has no end: the next prompt, or the end of the file after an answer, ends a turn. And it is a log of
// changes: a message is written again when its tool calls are done, and `$set` replaces what stands in the header.
import { timeOfIso } from '../../base/time.ts'
import { isRecord } from '../../base/json.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { contextTokens } from '../../model/usage.ts'
import { str } from '../values.ts'
import { type Chat, type GrowingMessage, newChat, openTurn, type Reader } from './decode-state.ts'
import { functionResponse, listedCall, startTool } from './decode-tool.ts'
import { faultIn, usageOfTokens } from './values.ts'
import type { Message, Wire } from './wire.ts'

const chatOf = (on: Reader): Chat => (on.chat ??= newChat())

export function header(on: Reader, { sessionId: native, kind, summary, directories }: Wire<'header'>): void {
  on.chat = newChat()
  on.pen.emit('session.start', {
    native,
    program: 'gemini-cli',
    agentName: kind === 'subagent' ? kind : undefined,
    title: summary ?? undefined,
    cwd: Array.isArray(directories) ? str(directories[0]) : undefined,
  })
}

/** All messages of a file in one record. */
export function conversation(on: Reader, record: Wire<'conversation'>): void {
  header(on, record)
  for (const message of record.messages) {
    on.pen.common({ at: timeOfIso(message.timestamp), session: on.session })
    chatMessage(on, message)
  }
}

export function chatMessage(on: Reader, message: Message): void {
  switch (message.type) {
    case 'user':
      return user(on, message)
    case 'gemini':
      return gemini(on, message)
    case 'info':
    case 'warning':
      return on.pen.emit('notice', { level: message.type === 'info' ? 'info' : 'warn', text: textIn(message.content) ?? '' })
    case 'error': {
      const error = (chatOf(on).fault = faultIn(textIn(message.content) ?? ''))
      return on.pen.emit('error', { scope: 'turn', fatal: false, error })
    }
    default:
      on.pen.raw(message.type, 'unmapped')
  }
}

// ── prompts ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

function user(on: Reader, { id, type, content }: Message): void {
  closeMessage(on)
  const parts = partsOf(content)
  const answers = parts.filter((part) => isRecord(part) && 'functionResponse' in part)
  const text = textIn(content)
  if (answers.length > 0) {
    let news = false
    for (const part of answers) news = functionResponse(on, (part as { functionResponse: unknown }).functionResponse) || news
    if (text !== undefined) on.pen.emit('prompt.submit', { text, by: 'system', state: 'sent', id })
    else if (!news) on.pen.raw(type, 'redundant')
    return
  }
  const own = ownPrompt(on, id, text)
  if (own !== undefined) return own === 'told before' ? on.pen.raw(type, 'redundant') : undefined
  leaveTurn(on, 'unknown')
  openTurn(on)
  const others = parts.filter((part) => textOfPart(part) === undefined)
  on.pen.emit('prompt.submit', { text, content: others.length > 0 ? parts : undefined, by: 'user', state: 'sent', id })
}

/** What the program itself says to the model; undefined: it is somebody else's prompt. */
function ownPrompt(on: Reader, id: string | undefined, text = ''): 'new' | 'told before' | undefined {
  const { own } = chatOf(on)
  const sort = text.startsWith('<session_context>') ? 'context' : text.startsWith('<state_snapshot>') ? 'summary' : undefined
  if (sort === undefined) return undefined
  if (id !== undefined && own[sort] === id) return 'told before'
  own[sort] = id
  if (sort === 'context') on.pen.emit('prompt.submit', { text, by: 'system', state: 'sent', id })
  else on.pen.emit('context.trim', { why: 'compact', text })
  return 'new'
}

// ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

function gemini(on: Reader, record: Message): void {
  const { pen } = on
  const chat = chatOf(on)
  const { id, type, thoughts, tokens, toolCalls } = record
  const again = id !== undefined && chat.message?.id === id
  const message = again ? chat.message! : openMessage(on, chat, id, record.model ?? undefined)
  const place = { message: message.open ? id : undefined }
  let news = !again
  for (const { subject, description, timestamp } of thoughts?.slice(message.thoughts) ?? []) {
    const text = [subject, description].filter((part) => part !== undefined && part !== '').join('\n')
    pen.emit('thought.end', { text, streamed: false }, { ...place, at: timeOfIso(timestamp) })
    message.thoughts++
    news = true
  }
  const parts = partsOf(record.content).filter((part) => textOfPart(part) !== '')
  for (const part of parts.slice(message.parts)) {
    say(on, message, part)
    message.parts++
    news = true
  }
  let reported = false // a subagent's last word is a call
  for (const call of toolCalls ?? []) {
    message.hasCalls = true
    reported ||= call.name === 'complete_task' && call.status === 'success'
    news = listedCall(on, call, place) || news
  }
  if (tokens) message.usage = usageOfTokens(tokens.input, tokens.output, tokens)
  chat.fault = undefined
  chat.answered = reported || (message.hasText && !message.hasCalls)
  if (!news) pen.raw(type, 'redundant', place)
}

function say(on: Reader, message: GrowingMessage, part: unknown): void {
  const place = { message: message.open ? message.id : undefined }
  const text = textOfPart(part)
  const { functionCall: call, thought } = isRecord(part) ? part : {}
  if (text !== undefined && thought === true) return on.pen.emit('thought.end', { text, streamed: false }, place)
  if (text !== undefined) {
    message.hasText = true
    return on.pen.emit('text.end', { text, streamed: false }, place)
  }
  if (isRecord(call) && typeof call['id'] === 'string') {
    message.hasCalls = true
    if (!on.calls.has(call['id']) && !on.pen.isOpen(call['id'])) startTool(on, call['id'], str(call['name']) ?? '', call['args'], place)
    return
  }
  const { mimeType, fileUri, data } = dataOf(part)
  on.pen.emit('content.end', { type: str(mimeType)?.split('/')[0] ?? 'other', mime: str(mimeType), uri: str(fileUri), data }, place)
}

function dataOf(part: unknown): { [key: string]: unknown } {
  const { inlineData, fileData } = isRecord(part) ? part : {}
  return isRecord(inlineData) ? inlineData : isRecord(fileData) ? fileData : { data: part }
}

function openMessage(on: Reader, chat: Chat, id: string | undefined, model: string | undefined): GrowingMessage {
  closeMessage(on)
  const message = { id, open: true, model, usage: undefined, thoughts: 0, parts: 0, hasText: false, hasCalls: false }
  chat.message = message
  on.pen.emit('message.start', { model }, { message: id })
  return message
}

function closeMessage({ pen, chat }: Reader): void {
  const message = chat?.message
  if (message?.open !== true) return
  message.open = false
  const { id, model, usage, hasCalls } = message
  pen.emit(
    'message.end',
    {
      finish: hasCalls ? 'tool_use' : undefined,
      model,
      usage,
      usageFinal: usage === undefined ? undefined : true,
      context: usage?.input === undefined ? undefined : { used: contextTokens(usage) },
    },
    { message: id, synthetic: 'implied' },
  )
}

// ── changes of the file ──────────────────────────────────────────────────────────────────────────────────────────────────

export function change(on: Reader, { $set: { summary, messages, memoryScratchpad, directories } }: Wire<'$set'>): void {
  let news = false
  if (summary) {
    news = true
    on.pen.emit('session.update', { by: 'agent', title: summary })
  }
  for (const { type, id, content } of messages ?? []) if (type === 'user') news = ownPrompt(on, id, textIn(content)) === 'new' || news
  if (news) return
  const isMore = messages !== undefined || memoryScratchpad !== undefined || directories !== undefined
  on.pen.raw('$set', isMore ? 'unmapped' : 'redundant')
}

/** Somebody went back: the messages from that one on are no longer part of the conversation. */
export function rewind(on: Reader): void {
  leaveTurn(on, 'unknown')
  on.pen.emit('context.trim', { why: 'trim', trigger: 'manual' })
}

// ── ends ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Ends the open turn with what the file shows of its end; `otherwise` when it shows none. */
function leaveTurn(on: Reader, otherwise: Reason): void {
  const chat = chatOf(on)
  closeMessage(on)
  if (on.pen.openTurns() > 0) {
    const error = chat.fault
    chat.reason = error !== undefined ? 'error' : chat.answered ? 'end_turn' : otherwise
    for (const call of on.calls.keys())
      if (on.pen.isOpen(call)) on.pen.emit('tool.end', { status: 'abandoned' }, { call, synthetic: 'implied' })
    on.pen.emit('turn.end', { reason: chat.reason, error }, { synthetic: 'implied' })
  }
  on.calls.clear()
  chat.fault = undefined
  chat.answered = false
}

/** The file is read to its end. What is visibly over ends so; the rest is cut off. Why the last turn ended, if it did. */
export function leaveChat(on: Reader): Reason | undefined {
  const { chat } = on
  if (chat === undefined) return undefined
  if (chat.answered || chat.fault !== undefined) leaveTurn(on, 'unknown')
  else closeMessage(on)
  return on.pen.openTurns() > 0 ? undefined : chat.reason
}

// ── parts ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const partsOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : content === undefined || content === null ? [] : [content]

const textOfPart = (part: unknown): string | undefined => (typeof part === 'string' ? part : isRecord(part) ? str(part['text']) : undefined)

function textIn(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  const texts = partsOf(content).flatMap((part) => textOfPart(part) ?? [])
  return texts.length === 0 ? undefined : texts.join('')
}
