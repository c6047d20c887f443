// opencode's events as they are read while it runs. We know which prompt was sent, what a call was given when it is asked about, and
// that a session cannot be had.
import type { Rec } from '../../base/json.ts'
import type { Decoder, Dialect } from '../../dialects/contract.ts'
import { opencode } from '../../dialects/opencode/index.ts'
import type { Event, EventOf } from '../../model/event.ts'
import { type Line, lostEvents, sign } from '../acp/live.ts'
import { createTurn } from '../acp/turn.ts'

const mostCalls = 256

export const liveOpencode = (line: Line): Dialect => ({ ...opencode, decoder: () => liveDecoder(opencode.decoder(), line) })

function liveDecoder(inner: Decoder, line: Line): Decoder {
  const turn = createTurn(undefined)
  const inputs = new Map<string, unknown>()

  function know({ call, input }: EventOf<'tool.start'> | EventOf<'tool.update'>): void {
    if (call === undefined || input === undefined) return
    inputs.delete(call)
    inputs.set(call, input)
    if (inputs.size > mostCalls) inputs.delete(inputs.keys().next().value!)
  }

  function onEvent(event: Event): void {
    if (event.kind === 'tool.start' || event.kind === 'tool.update') know(event)
    else if (event.kind === 'permission.request' && event.call !== undefined) event.input = inputs.get(event.call) ?? event.input
    if (event.session !== undefined && event.session !== line.session) return // somebody else's
    if (event.kind === 'prompt.submit' && line.saying !== undefined && event.agent === undefined && event.by === 'user') {
      sign(event, line.saying)
      line.saying = undefined
    }
    turn.onEvent(event)
  }

  return {
    ...inner,
    push(record: Rec, origin) {
      const events = line.lost?.record === record ? lostEvents(line.lost, turn.last() + 1) : inner.push(record, origin)
      for (const event of events) onEvent(event)
      return events
    },
  }
}
