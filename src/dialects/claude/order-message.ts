// Order within a session: messages, their raw stream, and the calls they make, lane by lane.
import { quoted } from '../../base/text.ts'
import type { Breaks } from './order.ts'
import type { Wire } from './wire.ts'

type Stream = { id: string | undefined; open: Set<number>; closed: Set<number> }
/** `free`: nobody waits for its result, though one may come; its turn is over, or it is the provider that runs it. */
export type Call = { lane: string | undefined; state: 'open' | 'free' | 'answered'; failed?: boolean }

export type OrderSession = {
  inits: number
  openTurns: number
  /** Messages came outside any turn; when an init comes at last, it is that of the turn they are in. */
  late: boolean
  /** An init came while no turn was open, and no result since: it may be that of another process. */
  fresh: boolean
  lastIndex: number | undefined
  /** The message that a lane is in. */
  current: Map<string | undefined, string>
  /** Messages that a lane has left, as `lane id`. */
  past: Set<string>
  streams: Map<string | undefined, Stream>
  calls: Map<string, Call>
}

export const newSession = (): OrderSession => ({
  inits: 0,
  openTurns: 0,
  late: false,
  fresh: false,
  lastIndex: undefined,
  current: new Map(),
  past: new Set(),
  streams: new Map(),
  calls: new Map(),
})

const mostCalls = 4096
const mostPast = 4096

/** A turn is over: what it finished is forgotten. */
export function forgetTurn(session: OrderSession): void {
  const { calls, streams, current, past } = session
  session.late = false
  for (const [id, call] of calls) {
    if (call.state === 'answered') calls.delete(id)
    else if (call.lane === undefined) call.state = 'free'
  }
  streams.delete(undefined)
  current.delete(undefined)
  past.clear()
}

type Placed = { parent_tool_use_id?: string | null | undefined; agent_id?: string | undefined }
export const laneOf = (record: Placed): string | undefined => record.parent_tool_use_id ?? record.agent_id
const laneText = (lane: string | undefined): string => (lane === undefined ? 'the main lane' : `lane ${quoted(lane)}`)

/** A message must stand in a turn; a subagent may go on after it. */
function inTurn(session: OrderSession, lane: string | undefined, what: string, breaks: Breaks): void {
  if (session.inits === 0) {
    breaks('init-first', `${what} before any system/init`)
    session.inits = 1
  } else if (session.openTurns === 0 && lane === undefined) {
    breaks('after-result', `${what} after the result`)
  } else return
  session.openTurns = 1 // said once
  session.late = true
}

export function stepAssistant(session: OrderSession, record: Wire<'assistant'>, breaks: Breaks): void {
  const lane = laneOf(record)
  const { id, content } = record.message
  inTurn(session, lane, 'an assistant message', breaks)
  if (id !== undefined) {
    enter(session, lane, id, breaks)
    const stream = session.streams.get(lane)
    if (stream?.id === id && stream.open.size === 0)
      breaks('late-block', `a full record of message ${quoted(id)} while none of its streamed blocks is open`, 'warn')
  }
  for (const block of content) {
    if (block.id === undefined || !block.type.endsWith('tool_use')) continue
    session.calls.delete(block.id)
    session.calls.set(block.id, { lane, state: block.type === 'tool_use' ? 'open' : 'free' })
    if (session.calls.size > mostCalls) session.calls.delete(session.calls.keys().next().value!)
  }
}

function enter(session: OrderSession, lane: string | undefined, id: string, breaks: Breaks): void {
  const before = session.current.get(lane)
  if (before === id) return
  session.current.set(lane, id)
  if (before !== undefined) session.past.add(`${lane ?? ''} ${before}`)
  if (session.past.size > mostPast) session.past.delete(session.past.keys().next().value!)
  if (session.past.has(`${lane ?? ''} ${id}`))
    breaks('split-message', `message ${quoted(id)} goes on after another one in ${laneText(lane)}`, 'warn')
}

export function stepUser(session: OrderSession, record: Wire<'user'>, breaks: Breaks): void {
  const lane = laneOf(record)
  const { content } = record.message
  const replayed = record.isReplay === true // prompts and notes of the program itself, also between turns
  if (!replayed) inTurn(session, lane, 'a user message', breaks)
  if (typeof content === 'string') return
  for (const block of content) {
    if (block.type !== 'tool_result' || block.tool_use_id === undefined) continue
    const id = block.tool_use_id
    const call = session.calls.get(id)
    if (call === undefined) breaks('unknown-call', `a tool_result for ${quoted(id)}, which was not called`)
    else if (call.state === 'answered') breaks('second-result', `a second tool_result for ${quoted(id)}`)
    else {
      if (call.lane !== lane)
        breaks('other-lane', `the tool_result for ${quoted(id)} is in ${laneText(lane)}, its tool_use in ${laneText(call.lane)}`, 'warn')
      call.state = 'answered'
      call.failed = block.is_error === true
    }
  }
}

export function stepStream(session: OrderSession, record: Wire<'stream_event'>, breaks: Breaks): void {
  const lane = laneOf(record)
  const { event } = record
  const index = event.index ?? 0
  inTurn(session, lane, 'a stream_event', breaks)
  const stream = session.streams.get(lane)
  const bad = (text: string, severity?: 'error' | 'warn'): void => breaks('stream-bracket', `${text} in ${laneText(lane)}`, severity)
  if (event.type === 'message_start') {
    // Programs before 2.1 leave a broken message open.
    if (stream !== undefined) bad('message_start before the message_stop of the one before', 'warn')
    const id = event.message?.id
    if (id !== undefined) enter(session, lane, id, breaks)
    return void session.streams.set(lane, { id, open: new Set(), closed: new Set() })
  }
  if (stream === undefined) {
    if (event.type !== 'ping' && event.type !== 'error') bad(`${event.type} outside message_start and message_stop`)
    return
  }
  switch (event.type) {
    case 'content_block_start':
      if (stream.open.has(index) || stream.closed.has(index)) bad(`a second content_block_start for block ${index}`)
      stream.open.add(index)
      return
    case 'content_block_delta':
      if (!stream.open.has(index)) bad(`a delta for block ${index}, which is not open`)
      return
    case 'content_block_stop':
      if (!stream.open.delete(index)) bad(`content_block_stop for block ${index}, which is not open`)
      stream.closed.add(index)
      return
    case 'message_stop':
      if (stream.open.size > 0) bad(`message_stop while block ${[...stream.open][0]} is open`)
      session.streams.delete(lane)
  }
}
