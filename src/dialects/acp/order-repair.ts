// What a repair adds, in the frame of the records around it.
import { isRecord, type Rec } from '../../base/json.ts'
import { messageOf } from './message.ts'
import { internalCode } from './words.ts'
import type { Tool } from './wire.ts'

/** A bare message, or one in a record of traffic. */
export type Frame = { isTraffic: boolean; t: unknown } | undefined

const framed = (message: Rec, frame: Frame): Rec => (frame?.isTraffic === true ? { t: frame.t, from: 'agent', message } : message)

/** The answer to a prompt that has none; where the request is not seen, its id is not known. */
export const closing = ({ id, session }: { id: unknown; session: string | undefined }, frame: Frame): Rec =>
  framed(
    {
      jsonrpc: '2.0',
      id,
      error: {
        code: internalCode,
        message: 'the stream ended before the answer',
        ...(id === null && session !== undefined ? { data: { sessionId: session } } : {}),
      },
    },
    frame,
  )

/** The call that an update speaks of. */
export function introducing(sessionId: string, { toolCallId, title, kind }: Tool, next: Rec): Rec {
  const call = { sessionUpdate: 'tool_call', toolCallId, title: title ?? toolCallId, kind: kind ?? undefined, status: 'pending' }
  const message = { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: call } }
  return framed(message, { isTraffic: isRecord(next['message']) && messageOf(next) !== next, t: next['t'] })
}
