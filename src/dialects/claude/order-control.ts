// Order on the control channel. A recording mostly holds one direction only, so an answer to a question that is not in
// the stream is a finding only where both sides speak.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Breaks } from './order.ts'
import type { OrderSession } from './order-message.ts'
import type { Wire } from './wire.ts'

export type Channel = { host: boolean; agent: boolean; open: Map<string, boolean> }

export const newChannel = (): Channel => ({ host: false, agent: false, open: new Map() })

const agentAsks: ReadonlySet<string> = new Set(['can_use_tool', 'hook_callback', 'mcp_message', 'elicitation'])
const mostRequests = 4096

export function stepControl(channel: Channel, sessions: Iterable<OrderSession>, record: Rec, tag: string, breaks: Breaks): void {
  if (tag === 'control_response') {
    const { request_id: id } = (record as Wire<'control_response'>).response
    const answered = channel.open.get(id)
    if (answered === undefined ? channel.host && channel.agent : answered)
      breaks('unknown-request', `an answer to ${quoted(id)}, which is not open`, 'warn')
    if (answered === false) channel.open.set(id, true)
    return
  }
  if (tag === 'control_cancel_request') {
    const { request_id: id } = record as Wire<'control_cancel_request'>
    if (channel.open.get(id) !== false) breaks('unknown-request', `${quoted(id)} is withdrawn, but it is not open`, 'warn')
    else channel.open.set(id, true)
    return
  }
  const { request_id: id, request } = record as Wire<'control_request'>
  channel.open.delete(id)
  channel.open.set(id, false)
  if (channel.open.size > mostRequests) channel.open.delete(channel.open.keys().next().value!)
  if (agentAsks.has(request.subtype)) channel.agent = true
  else channel.host = true
  if (tag !== 'control_request/can_use_tool') return
  const call = (record as Wire<'control_request/can_use_tool'>).request.tool_use_id
  if (call === undefined) return
  for (const session of sessions) if (session.calls.has(call)) return
  breaks('unknown-call', `a permission question about ${quoted(call)}, which was not called`, 'warn')
}
