// The protocol → events: both sides in one stream, or one of them alone. A turn is a `session/prompt` and its answer; where only the
// agent is heard, it begins with what the agent says and ends with an answer that looks like that of a prompt.
import type { Rec } from '../../base/json.ts'
import type { Pen } from '../../model/pen.ts'
import type { DecoderBody } from '../contract.ts'
import { elicitation, permissionRequest, reconnect, unanswered } from './decode-ask.ts'
import { reply, unreadable } from './decode-reply.ts'
import { prompt, sessionLoad } from './decode-session.ts'
import { endReplayed, enter, newReader, type Reader, tellHeld } from './decode-state.ts'
import { sessionUpdate } from './decode-update.ts'
import { isResponse, messageOf, type Side, sideOf } from './message.ts'
import { at, str } from './words.ts'
import type { Message, Params } from './wire.ts'

/** Times that count from the start of a recording are no dates. */
const firstDate = 1e11

export function decode(pen: Pen): DecoderBody {
  const on: Reader = newReader(pen)

  return {
    place: (record) => ({ session: str(at(messageOf(record)['params'], 'sessionId')) }),
    push(record: Rec, tag: string, origin) {
      const { t } = record as { t?: number }
      on.tag = tag
      on.t = t
      on.at = t !== undefined && t >= firstDate ? t : undefined
      const message = messageOf(record) as Message // of known type and right shape
      if (tag.startsWith('session/update')) {
        on.requests.hear('agent')
        return sessionUpdate(on, message.params as never)
      }
      const side = sideOf(record, tag) ?? origin.from
      if (side === 'host') origin.from ??= 'host'
      if (side !== undefined && !isResponse(tag)) on.requests.hear(side)
      pen.common({ at: on.at })
      if (isResponse(tag)) reply(on, message, side)
      else request(on, message, side)
    },
    bad(record, tag, origin) {
      if (!isResponse(tag)) return
      on.tag = tag
      on.t = on.at = undefined
      unreadable(on, messageOf(record), sideOf(record, tag) ?? origin.from)
    },
    end() {
      for (const [id, session] of on.sessions) {
        on.at = pen.lastAtOf(id)
        pen.common({ at: on.at, session: id })
        tellHeld(on, session, 'implied')
        // Work that went on after the last answer, and said nothing of its end.
        if (session.prompted && session.prompts === 0 && pen.openTurns() > 0) endReplayed(on)
      }
      if (on.fault === undefined) return
      on.at = pen.lastAt()
      enter(on, undefined)
      pen.emit('session.start', { program: on.program, version: on.version }, { synthetic: 'implied' })
      pen.emit('session.end', { reason: 'error', error: on.fault }, { synthetic: 'implied' })
    },
  }
}

function request(on: Reader, message: Message, side: Side | undefined): void {
  const { pen, tag } = on
  const { id } = message
  const params = message.params ?? {}
  const wire = params as never // what the tag's check has let pass
  const sessionId = str(params['sessionId'])
  const { session, agent } = sessionId === undefined ? {} : enter(on, sessionId)
  switch (tag) {
    case 'session/prompt':
      return prompt(on, id, wire)
    case 'session/load':
      return sessionLoad(on, id, wire)
    case 'session/request_permission':
      return permissionRequest(on, id, wire)
    case 'elicitation/create':
      return elicitation(on, id, wire)
    case 'session/cancel':
      return pen.emit('cancel.request', { target: agent === undefined ? 'turn' : 'task', by: 'host', task: agent }, { agent })
    case '$/cancel_request':
      return cancelRequest(on, wire, side)
    case 'initialize':
      reconnect(on)
      break
    case 'auth/status_update':
      return pen.emit('notice', { level: 'info', code: tag, text: str(at(params['authStatus'], 'label')) ?? tag, data: params })
  }
  if (id !== undefined)
    on.requests.add(side, id, {
      method: tag,
      session: session === undefined ? undefined : on.current,
      agent,
      cwd: str(params['cwd']),
      path: str(params['path']),
      terminal: str(params['terminalId']),
    })
  const setting = settings[tag]?.(params)
  if (setting !== undefined) pen.emit('session.update', { ...setting, by: 'host' })
  else pen.raw(tag, 'unmapped', { agent })
}

type Setting = { mode?: string | undefined; model?: string | undefined; title?: string | undefined }
/** What a host sets, as it asks for it. */
const settings: Readonly<Record<string, (params: Rec) => Setting | undefined>> = {
  'session/set_mode': ({ modeId }) => ({ mode: str(modeId) }),
  'session/set_model': ({ modelId }) => ({ model: str(modelId) }),
  'session/set_title': ({ title }) => (str(title) === undefined ? undefined : { title: str(title) }),
  'session/set_config_option': ({ configId, value }) =>
    str(value) !== undefined && (configId === 'mode' || configId === 'model') ? { [configId]: str(value) } : undefined,
}

/** Whoever asked does not want the answer any more. */
function cancelRequest(on: Reader, { requestId: id }: Params<'$/cancel_request'>, side: Side | undefined): void {
  const open = on.requests.find(side, id)
  if (open === undefined) return on.pen.raw(on.tag, 'redundant')
  enter(on, open.session)
  if (open.method === 'session/prompt') on.pen.emit('cancel.request', { target: 'turn', by: 'host' }, { agent: open.agent })
  else if (open.method === 'session/request_permission' || open.method === 'elicitation/create') unanswered(on, open, id, 'withdrawn')
  else on.pen.raw(on.tag, 'redundant')
}
