// Calls of tools. A server tells a call pending, running (again with each piece of output) and ended; a run tells it once, ended.
import { isRecord } from '../../base/json.ts'
import type { Place } from '../../model/event.ts'
import type { Pen } from '../../model/pen.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import { isRefused, resultOf, shownText } from './decode-fields.ts'
import type { Messages } from './decode-message.ts'
import { type Lane, makeRoom, type OpenCall, placeOf } from './decode-state.ts'
import type { PartOf } from './wire.ts'

/** Called when a call tells the session of the subagent that it has started. */
type OnChild = (lane: Lane, child: string, by: OpenCall) => void

const mostRefused = 64

export function createTools(pen: Pen, messages: Messages, onChild: OnChild) {
  function start(lane: Lane, id: string, part: PartOf<'tool'>, isFinal: boolean): OpenCall {
    const { state, tool: name } = part
    const place = messages.enter(lane, part.messageID)
    const input = inputOf(state)
    // Providers that count their calls from 0 give the same id to a subagent's.
    const call = pen.isOpen(id) ? `~${id}#${++lane.unnamed}` : id
    const open = { call, name, whole: input !== undefined, child: undefined }
    makeRoom(lane.calls)
    lane.calls.set(id, open)
    const implied: Place = isFinal ? { at: state.time?.start ?? undefined, synthetic: 'implied' } : {}
    const title = isFinal ? undefined : (state.title ?? undefined)
    pen.emit('tool.start', { name, toolKind: toolKindOf(name), title, input }, { ...place, ...implied, call })
    return open
  }

  function update(lane: Lane, open: OpenCall, { state, messageID }: PartOf<'tool'>, isFinal: boolean): void {
    const input = open.whole ? undefined : inputOf(state)
    if (isFinal && input === undefined) return // the end says the rest
    open.whole ||= input !== undefined
    const shown = isFinal ? undefined : shownText(state)
    pen.emit(
      'tool.update',
      {
        state: state.status === 'pending' ? 'pending' : 'running',
        title: state.title ?? undefined,
        input,
        content: shown === undefined || shown === '' ? undefined : [{ type: 'text', text: shown }],
      },
      { agent: lane.agent, message: messageID, call: open.call },
    )
  }

  function end(lane: Lane, { call }: OpenCall, part: PartOf<'tool'>): void {
    const { title, time } = part.state
    const [startedAt, endedAt] = [time?.start ?? undefined, time?.end ?? undefined]
    const durationMs = startedAt === undefined || endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt)
    if (isRefused(part)) {
      lane.course.refused = true
      if (lane.refusedCalls.length < mostRefused) lane.refusedCalls.push({ call, name: part.tool })
    }
    pen.emit(
      'tool.end',
      { ...resultOf(part, lane.run), title: title ?? undefined, startedAt, endedAt, durationMs },
      { agent: lane.agent, message: part.messageID, call },
    )
  }

  return {
    push(lane: Lane, part: PartOf<'tool'>, tag: string): void {
      const { status, time, metadata } = part.state
      const id = part.callID ?? part.id ?? `~call-${++lane.unnamed}`
      const isFinal = status === 'completed' || status === 'error'
      let open = lane.calls.get(id)
      if (open === undefined) {
        // Clearing the output of an old call tells the call once more.
        const isOld = (time?.compacted ?? undefined) !== undefined || lane.done.has(id)
        if (isOld || lane.resting) return pen.raw(tag, isOld ? 'redundant' : 'unmapped', placeOf(lane))
        open = start(lane, id, part, isFinal)
      } else update(lane, open, part, isFinal)
      const child = metadata?.['sessionId']
      if (!lane.run && !isFinal && typeof child === 'string' && child !== lane.id && open.child !== child) onChild(lane, child, open)
      if (!isFinal) return
      lane.calls.delete(id)
      makeRoom(lane.done)
      lane.done.add(id)
      end(lane, open, part)
    },
  }
}

/** While a call is pending, an empty input means that the model is still writing it. */
const inputOf = ({ status, input }: PartOf<'tool'>['state']): unknown =>
  status === 'pending' && isRecord(input) && Object.keys(input).length === 0 ? undefined : input
