// aictrl → events. A session is one turn, from session_start to session_complete; a step is one model message.
// The surprises: a tool is told only when it has ended, so its start is implied; a subagent's tools come in its parent's
// session and are told apart by `part.sessionID`; and a session's failure may be told up to three times (error, session_error,
// session_complete.error), of which session_error alone says that it was the end.
import type { Rec } from '../../base/json.ts'
import { type Place, placeOf } from '../../model/event.ts'
import { codeText } from '../../model/fault.ts'
import { outcomeOf } from '../../model/outcome.ts'
import type { Pen } from '../../model/pen.ts'
import { toolKindOf } from '../../model/tool-kind.ts'
import type { Reason } from '../../model/vocabulary.ts'
import type { DecoderBody } from '../contract.ts'
import { textOf } from '../contract.ts'
import { diagnosticsOf } from '../values.ts'
import { bothSteps, contextOf, costOf, faultOfError, millisOf, notesOf, resultOf, stepOf, usageOf } from './decode-fields.ts'
import { complaintBeside, createSession, endOf, noteError, type Session, type Step } from './decode-state.ts'
import type { Base, Wire } from './wire.ts'
import { finishOf, isFinishWord, readSessionError, unnamedCall, writeSessionError } from './words.ts'

const mostLanes = 1024
const mostRejected = 1024

export function decode(pen: Pen): DecoderBody {
  const sessions = new Map<string | undefined, Session>()
  const lanes = new Map<string, string | undefined>() // subagent to the session it works in
  let current: string | undefined // for records that name none, as in the document's examples
  let lastReason: Reason | undefined
  // of the record at hand
  let at: number | undefined
  let id: string | undefined
  let own: Session
  let lane: string | undefined // the subagent that the record's sessionID names
  let isEntered = false // `id` and `own` are those of a record that names `id`: nothing was told since that could change it

  function sessionOf(name: string | undefined): Session {
    let session = sessions.get(name)
    if (session === undefined) sessions.set(name, (session = createSession()))
    return session
  }

  /** A lane has a task: a subagent whose start was not told gets one. */
  function enterLane(agent: string | undefined): string | undefined {
    if (agent === undefined || id === undefined || agent === id) return undefined
    if (!pen.hasTask(agent)) {
      knowLane(agent)
      pen.emit('task.start', { task: agent, type: 'agent' }, { synthetic: 'implied' })
    }
    return agent
  }

  function knowLane(agent: string): void {
    if (lanes.size >= mostLanes) lanes.delete(lanes.keys().next().value!)
    lanes.set(agent, id)
    isEntered = false
  }

  const agentOf = (part: { sessionID?: string | undefined }): string | undefined =>
    part.sessionID === undefined ? lane : enterLane(part.sessionID)

  /** Ids that are known are told as the text that they were told as first: whoever compares them again sees at once that they are the same. */
  function partPlace(part: { sessionID?: string | undefined; messageID?: string | undefined }): Place {
    const agent = agentOf(part)
    const open = pen.openMessage(agent)?.message
    const { messageID: named } = part
    return placeOf(agent, undefined, named === undefined || named === open ? open : named)
  }

  // ── what the model does ────────────────────────────────────────────────────────────────────────────────────────────────

  function stepStart({ part }: Wire<'step_start'>): void {
    const agent = agentOf(part)
    const message = part.messageID ?? `~m${++own.messages}`
    const place = placeOf(agent, undefined, message)
    if (pen.openMessage(agent)?.message === message) return pen.raw('step_start', 'redundant', place)
    if (agent === undefined) endStep()
    pen.emit('message.start', {}, place)
  }

  /** Of the session's own messages message_complete says it all, where it follows; of a subagent's none does. */
  function stepFinish({ part }: Wire<'step_finish'>): void {
    const place = partPlace(part)
    if (place.agent === undefined) {
      readStep()
      own.unread = part
      return pen.raw('step_finish', 'redundant')
    }
    const step = stepOf(part)
    if (step !== undefined) return tellStep(step, place)
    pen.raw('step_finish', 'redundant', place)
  }

  function readStep(): Step | undefined {
    const step = own.unread && stepOf(own.unread)
    own.unread = undefined
    return step === undefined ? own.step : (own.step = bothSteps(own.step, step))
  }

  /** The message is over, and no message_complete has come. */
  function endStep(): void {
    const step = readStep()
    if (step === undefined) return
    own.step = undefined
    own.finish = step.finish
    own.stepped = step.message
    tellStep(step, placeOf(undefined, undefined, pen.openMessage(undefined)?.message ?? step.message), 'implied')
  }

  function tellStep({ finish, usage, cost, ext }: Step, place: Place, synthetic?: 'implied'): void {
    inMessage(place)
    pen.emit('message.end', { finish, usage, usageFinal: usage && true, cost }, { ...place, synthetic, ext })
  }

  /** Steps may be left out: then the first words begin the message. So do words of another message than the open one. */
  function inMessage(place: Place): void {
    const open = pen.openMessage(place.agent)
    if (open !== undefined && (place.message === undefined || place.message === open.message)) return
    if (open !== undefined && place.agent === undefined) endStep()
    place.message ??= `~m${++own.messages}`
    pen.emit('message.start', {}, { ...place, synthetic: 'implied' })
  }

  function spoken(kind: 'text.end' | 'thought.end', { part }: Wire<'text' | 'reasoning'>): void {
    const place = partPlace(part)
    if (part.synthetic === true) return pen.emit('prompt.submit', { text: part.text, by: 'system', state: 'sent' }, placeOf(place.agent))
    inMessage(place)
    pen.emit(kind, { text: part.text, streamed: false, startedAt: millisOf(part.time?.start), endedAt: millisOf(part.time?.end) }, place)
  }

  function toolUse({ part }: Wire<'tool_use'>): void {
    const { state, tool: name } = part
    const place = partPlace(part)
    // Clearing the output of an old call publishes the call once more.
    if (state.time?.compacted !== undefined) return pen.raw('tool_use', 'redundant', place)
    place.call = part.callID ?? part.id ?? `${unnamedCall}${++own.calls}`
    const startedAt = millisOf(state.time?.start)
    const endedAt = millisOf(state.time?.end)
    const start = { name, toolKind: toolKindOf(name), input: state.input, server: own.servers?.get(name) }
    pen.emit('tool.start', start, { ...place, at: startedAt, synthetic: 'implied' })
    place.at = at
    const notes = notesOf(state)
    if (notes !== undefined) place.ext = { aictrl: { part: { state: { metadata: notes } } } }
    const rejected = own.rejected.size > 0 && own.rejected.delete(place.call)
    pen.emit('tool.end', resultOf(part, rejected, startedAt, endedAt), place)
  }

  function messageComplete(record: Wire<'message_complete'>): void {
    const { messageID, modelID: model, providerID: provider, agent: agentName, status, finish: word } = record
    if (messageID !== undefined && messageID === own.stepped) return pen.raw('message_complete', 'unmapped') // its end was told
    const told = { usage: usageOf(record.tokens), cost: costOf(record.cost) }
    const isAll = told.usage !== undefined && told.cost !== undefined && own.step === undefined && own.unread?.messageID === messageID
    const step = isAll ? undefined : readStep()
    if (messageID !== undefined && step?.message !== undefined && step.message !== messageID) endStep()
    const { usage = own.step?.usage, cost = own.step?.cost } = told
    own.step = own.unread = undefined
    if (status === 'aborted') own.aborted = true
    const finish = typeof word === 'string' ? finishOf(word) : status === 'aborted' ? 'cancelled' : status === 'error' ? 'error' : undefined
    own.finish = finish
    const usageFinal = usage === undefined ? undefined : record.usageStatus !== 'estimated'
    const end = { finish, model, provider, agentName, usage, usageFinal, cost, context: contextOf(record.context) }
    const place = placeOf(undefined, undefined, messageID ?? pen.openMessage(undefined)?.message)
    inMessage(place)
    if (typeof word === 'string' && !isFinishWord(word)) place.ext = { aictrl: { finish: word } }
    pen.emit('message.end', end, place)
  }

  function permission(decision: 'allow' | 'reject', record: Wire<'permission_granted' | 'permission_rejected'>): void {
    const { callID: call, tool: name, permission: asked, patterns, input } = record
    if (decision === 'reject' && call !== undefined) {
      if (own.rejected.size >= mostRejected) own.rejected.clear()
      own.rejected.add(call)
    }
    const by = decision === 'allow' ? 'rule' : 'headless'
    pen.emit(
      'permission.answer',
      { decision, by, name, toolKind: toolKindOf(name), permission: asked, patterns, input: input ?? undefined },
      placeOf(lane, undefined, undefined, undefined, call),
    )
  }

  // ── subagents ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  function subagentStart({ subagentSessionID: task, parentSessionID: parent, title }: Wire<'subagent_start'>): void {
    const agent = enterLane(parent)
    knowLane(task)
    pen.emit('task.start', { task, type: 'agent', title }, { agent })
  }

  function subagentComplete({ subagentSessionID: task, parentSessionID: parent }: Wire<'subagent_complete'>): void {
    if (!pen.hasTask(task)) {
      // A resumed subagent goes idle a second time without a second start.
      if (lanes.has(task) && lanes.get(task) === id) return pen.raw('subagent_complete', 'redundant', { agent: task })
      if (task === id) return pen.raw('subagent_complete', 'unmapped') // its words came first, and it is taken for a session
    }
    const agent = enterLane(parent)
    enterLane(task)
    const error = own.laneFaults.get(task)
    own.laneFaults.delete(task)
    pen.emit('task.end', { task, status: error === undefined ? 'ok' : 'error', error }, { agent })
  }

  // ── the session ────────────────────────────────────────────────────────────────────────────────────────────────────────

  function sessionStart({ schemaVersion: schema, model: path, agent: agentName, permissions: rules }: Wire<'session_start'>): void {
    const slash = path?.indexOf('/') ?? -1
    const provider = slash > 0 ? path?.slice(0, slash) : undefined
    const model = slash > 0 ? path?.slice(slash + 1) : path
    pen.emit('session.start', {
      native: id,
      model,
      provider,
      agentName,
      rules,
      schema,
    })
  }

  function catalog({ tools, skills }: Wire<'tool_catalog'>): void {
    for (const { name, server } of tools) if (server !== undefined) (own.servers ??= new Map()).set(name, server)
    pen.emit('catalog.update', {
      tools: tools.map(({ name, source, server }) => ({
        name,
        source: source === 'builtin' || source === 'mcp' ? source : 'other',
        server,
      })),
      skills: skills.map(({ name, version }) => ({ name, version: version ?? undefined })),
    })
  }

  function error({ error: body, sourceSessionID: source }: Wire<'error'>): void {
    const fault = faultOfError(body)
    const agent = enterLane(source)
    if (agent !== undefined) own.laneFaults.set(agent, fault)
    else if (fault.category === 'cancelled') own.aborted = true
    noteError(own, fault)
    pen.emit('error', { scope: agent === undefined ? 'session' : 'task', fatal: false, error: fault, data: diagnosticsOf(body) }, { agent })
  }

  function sessionError({ reason: word, code, message }: Wire<'session_error'>): void {
    const told = readSessionError(word, codeText(code), message)
    own.fatal ??= told
    const isOurs = writeSessionError(told.reason, told.fault, undefined).reason === word
    const ext = isOurs ? undefined : { aictrl: { reason: word } } // a code may say another thing than the word beside it
    pen.emit('error', { scope: 'session', fatal: true, error: told.fault }, { ext })
  }

  function sessionComplete({ durationMs, error: text }: Wire<'session_complete'>): void {
    endStep()
    const { reason, error: fault } = endOf(own, text ?? undefined)
    const beside = complaintBeside(own, text ?? undefined)
    if (pen.openTurns() > 0) pen.emit('turn.end', { reason, error: fault }, { synthetic: 'implied' })
    pen.emit('session.end', { reason, error: fault, durationMs }, { ext: beside === undefined ? undefined : { aictrl: { error: beside } } })
    sessions.delete(id)
    isEntered = false
    for (const [lane, session] of lanes) if (session === id) lanes.delete(lane)
    lastReason = reason
  }

  function invocation(record: Rec, tag: string): void {
    if (tag === 'invocation_start') return pen.emit('run.start', {})
    if (tag === 'invocation_error') {
      const { phase, code, message } = record as Wire<'invocation_error'>
      return pen.emit('notice', {
        level: 'warn',
        code,
        text: message ?? 'the invocation failed',
        data: phase === undefined ? undefined : { phase },
      })
    }
    const { status, durationMs } = record as Wire<'invocation_complete'>
    const reason = lastReason ?? 'end_turn'
    lastReason = undefined
    pen.emit('run.end', { reason: status === 'error' && outcomeOf(reason) === 'ok' ? 'error' : reason, durationMs })
  }

  /** A permission may name its subagent's session, also one that nobody has told of. */
  function enter(tag: string, named: string | undefined, run: string | undefined): void {
    if (isEntered && named === id) {
      lane = undefined
      return pen.common({ at, session: id, run })
    }
    const root = named === undefined ? undefined : lanes.get(named)
    const stray =
      root === undefined && named !== current && tag.startsWith('permission_') && !pen.isStarted(named) && pen.isStarted(current)
    id = current = root ?? (stray ? current : (named ?? current))
    own = sessionOf(id)
    pen.common({ at, session: id, run })
    lane = enterLane(named)
    isEntered = id !== undefined && named === id
  }

  return {
    push(record, tag) {
      const { timestamp, sessionID, invocationID } = record as Base
      at = timestamp
      if (tag.startsWith('invocation_')) {
        pen.common({ at, run: invocationID })
        return invocation(record, tag)
      }
      enter(tag, sessionID, invocationID)
      switch (tag) {
        case 'session_start':
          return sessionStart(record as Wire<'session_start'>)
        case 'tool_catalog':
          return catalog(record as Wire<'tool_catalog'>)
        case 'tool_catalog_error':
          return pen.emit('notice', {
            level: 'warn',
            code: tag,
            text: textOf((record as Wire<'tool_catalog_error'>).error),
          })
        case 'step_start':
          return stepStart(record as Wire<'step_start'>)
        case 'text':
          return spoken('text.end', record as Wire<'text'>)
        case 'reasoning':
          return spoken('thought.end', record as Wire<'reasoning'>)
        case 'tool_use':
          return toolUse(record as Wire<'tool_use'>)
        case 'permission_granted':
          return permission('allow', record as Wire<'permission_granted'>)
        case 'permission_rejected':
          return permission('reject', record as Wire<'permission_rejected'>)
        case 'step_finish':
          return stepFinish(record as Wire<'step_finish'>)
        case 'message_complete':
          return messageComplete(record as Wire<'message_complete'>)
        case 'skill_discovered': {
          const { name, description, location: path } = record as Wire<'skill_discovered'>
          return pen.emit('skill.load', { name, level: 'listed', path, description })
        }
        case 'skill_loaded': {
          const { name, location: path } = record as Wire<'skill_loaded'>
          return pen.emit('skill.load', { name, level: 'loaded', path })
        }
        case 'skill_resource_loaded': {
          const { skillName: name, filePath: path } = record as Wire<'skill_resource_loaded'>
          return pen.emit('skill.load', { name, level: 'resource', path })
        }
        case 'subagent_start':
          return subagentStart(record as Wire<'subagent_start'>)
        case 'subagent_complete':
          return subagentComplete(record as Wire<'subagent_complete'>)
        case 'error':
          return error(record as Wire<'error'>)
        case 'session_error':
          return sessionError(record as Wire<'session_error'>)
        case 'session_complete':
          return sessionComplete(record as Wire<'session_complete'>)
      }
    },
    end() {
      for (const [name, session] of sessions) {
        own = session
        pen.common({ at: pen.lastAtOf(name), session: name })
        endStep()
      }
    },
  }
}
