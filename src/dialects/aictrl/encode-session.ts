// The frame of a session: session_start with its catalogue, errors, and the end that says whether it failed.
import type { Event, EventOf, Fault } from '../../model/event.ts'
import type { Reason } from '../../model/vocabulary.ts'
import { syntheticOf, wireId } from '../contract.ts'
import { closeStep, endMessage, flushMessage, providerOf, sameTurn, settle } from './encode-message.ts'
import { keptIn, type Out, type Session, write } from './encode-state.ts'
import { abandonCalls, subagentComplete } from './encode-tool.ts'
import { errorName, isAbnormal, isToldSignal, reasonText, writeSessionError } from './words.ts'

const mostTold = 256
const schemaVersion = '1'

// ── start ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Holds session_start back until the first event of a turn: its model, its rules and the tools may come in pieces. */
export function holdStart(out: Out, session: Session, event: Event): void {
  session.began = event.at
  const synthetic = event.kind === 'session.start' ? syntheticOf(event) : 'required'
  session.start = { timestamp: out.time(event), synthetic, rules: undefined, catalog: undefined }
}

export function learn(out: Out, session: Session, event: EventOf<'session.start' | 'session.update'>): void {
  const { model, provider, agentName } = event
  const rules = session.start === undefined ? undefined : event.rules
  if (event.kind === 'session.update' && (model ?? provider ?? agentName ?? rules) === undefined) out.sink.lost(event)
  else {
    if (event.rules !== rules) out.sink.lost(event, 'rules')
    if (event.native !== undefined && event.native !== session.id) out.sink.lost(event, 'native')
    if (event.schema !== undefined && event.schema !== schemaVersion) out.sink.lost(event, 'schema')
  }
  session.model = model ?? session.model
  session.provider = provider ?? session.provider
  session.agent = agentName ?? session.agent
  if (session.start !== undefined) session.start.rules = rules ?? session.start.rules
}

/** A tool_catalog stands directly behind session_start and nowhere else. */
export function learnCatalog(out: Out, session: Session, event: EventOf<'catalog.update'>): void {
  const { tools, skills } = event
  const failed = event.servers?.filter(({ status, error }) => status === 'failed' || error !== undefined) ?? []
  if (failed.length === 0 && (session.start === undefined || (tools ?? skills) === undefined)) return out.sink.lost(event)
  if (tools !== undefined || skills !== undefined) {
    if (session.start === undefined) out.sink.lost(event, tools === undefined ? 'skills' : 'tools', 'drop')
    else {
      const { catalog } = session.start
      const record = catalog?.record ?? {
        type: 'tool_catalog',
        timestamp: out.time(event),
        sessionID: session.id,
        tools: [],
        skills: [],
      }
      if (tools !== undefined)
        record.tools = tools.map(({ name, source, server }) => ({
          name,
          source: source === 'mcp' ? source : 'builtin',
          server: source === 'mcp' ? server : undefined,
        }))
      if (skills !== undefined) record.skills = skills.map(({ name, version }) => ({ name, version: version ?? null }))
      session.start.catalog = { record, synthetic: catalog?.synthetic ?? syntheticOf(event) }
    }
  }
  for (const { name, error } of failed) {
    const text = `MCP server ${name} failed${error === undefined ? '' : `: ${error}`}`
    tellOnce(out, session, event, { category: 'unknown', text, code: 'MCPFailed' }) // every catalogue lists it again
  }
}

export function writeStart(out: Out, session: Session): void {
  const { start, model, agent } = session
  if (start === undefined) return
  session.start = undefined
  if (model === undefined) out.sink.added('session_start.model')
  if (agent === undefined) out.sink.added('session_start.agent')
  if (start.rules === undefined) out.sink.added('session_start.permissions')
  const base = { timestamp: start.timestamp, sessionID: session.id }
  const path = model === undefined ? 'unknown' : pathOf(session.provider, model)
  write(
    out,
    session,
    {
      type: 'session_start',
      ...base,
      schemaVersion,
      model: path,
      agent: agent ?? 'default',
      permissions: start.rules ?? [],
    },
    start.synthetic,
  )
  if (start.catalog === undefined) write(out, session, { type: 'tool_catalog', ...base, tools: [], skills: [] }, 'required')
  else write(out, session, start.catalog.record, start.catalog.synthetic)
}

function pathOf(provider: string | undefined, model: string): string {
  const owner = provider ?? providerOf(model)
  return owner === undefined ? model : `${owner}/${model}`
}

// ── errors ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A try that failed is told for itself, the last like the ones before. */
export function tellTry(out: Out, session: Session, event: EventOf<'retry.start'>, fault: Fault): void {
  const isTold = session.told.has(fault.text)
  tell(out, session, event, fault)
  if (!isTold) session.told.delete(fault.text)
  session.last = 'retry'
}

function tell(out: Out, session: Session, event: Event, fault: Fault): void {
  if (session.told.size >= mostTold) session.told.clear()
  session.told.add(fault.text)
  const { text: message, http: statusCode, retryable: isRetryable } = fault
  const sourceSessionID = event.kind === 'task.end' ? wireId(event.task) : event.agent === undefined ? session.id : wireId(event.agent)
  const error = { name: errorName(fault), data: { message, statusCode, isRetryable } }
  write(out, session, { type: 'error', timestamp: out.time(event), sessionID: session.id, error, sourceSessionID }, syntheticOf(event))
}

export function tellOnce(out: Out, session: Session, event: Event, fault: Fault): void {
  if (!session.told.has(fault.text)) tell(out, session, event, fault)
}

/** session_error waits for the end; an error before it is told at once. */
export function errorEvent(out: Out, session: Session, event: EventOf<'error'>): void {
  const { text } = event.error
  if (!event.fatal) {
    if (!session.early.delete(text)) tell(out, session, event, event.error)
    return
  }
  if (event.origin?.dialect === 'aictrl') session.fatal ??= event
  if (session.told.has(text)) return
  if (session.last === 'error') return void session.told.add(text) // the source has just told it in other words
  session.early.add(text)
  tell(out, session, event, event.error)
}

// ── end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function turnEnd(out: Out, session: Session, event: EventOf<'turn.end'>): void {
  endMessage(out, session)
  if (session.step !== undefined && sameTurn(session.step.turn, event.turn))
    closeStep(out, session, event, session.step.implied ? 'required' : syntheticOf(event))
  settle(out, session, event)
  if (event.durationMs !== undefined) {
    session.turnsMs = (session.turnsMs ?? 0) + event.durationMs
    if (session.began !== undefined && event.at !== undefined) out.sink.lost(event, 'durationMs') // the session's follows from its times
  }
  if (event.text !== undefined && event.text !== '' && !session.spoke) out.sink.lost(event, 'text', 'drop')
  session.spoke = false
  if (event.denied?.some(({ call }) => call === undefined || !session.refused.has(call)) === true) out.sink.lost(event, 'denied', 'drop')
  session.refused.clear()
  if (isAbnormal(event.reason) && !(event.reason === 'max_tokens' && event.origin?.dialect === 'aictrl'))
    tellOnce(out, session, event, event.error ?? plainFault(event.reason))
  else if (event.error !== undefined && !session.told.has(event.error.text)) out.sink.lost(event, 'error')
}

/** `last` is any event of the stream when the session's own end is missing. */
export function endSession(out: Out, session: Session, last: Event): void {
  const end = last.kind === 'session.end' ? last : undefined
  const synthetic = end === undefined ? 'cut' : syntheticOf(end)
  const reason = end?.reason ?? 'cut'
  writeStart(out, session)
  for (const request of session.asked.values()) out.sink.lost(request) // nobody has answered
  abandonCalls(out, session, last)
  endMessage(out, session, last)
  if (session.step !== undefined) closeStep(out, session, last, 'cut')
  if (end !== undefined) settle(out, session, end)
  if (session.pending !== undefined) session.pending.finish ??= reason
  flushMessage(out, session)
  for (const lane of [...session.lanes.keys()].reverse()) subagentComplete(out, session, lane, last, 'cut')
  // The program itself calls an answer that was cut a success; we do not.
  const isFailure = isAbnormal(reason) && !(reason === 'max_tokens' && session.finish === reason && end?.origin?.dialect === 'aictrl')
  const fault = isFailure ? (end?.error ?? plainFault(reason)) : undefined
  if (end?.signal !== undefined && (fault === undefined || !isToldSignal(end.signal))) out.sink.lost(end, 'signal')
  if (end?.error !== undefined && fault === undefined && !session.told.has(end.error.text)) out.sink.lost(end, 'error')
  if (fault !== undefined) {
    tellOnce(out, session, last, fault)
    const source = session.fatal?.error.text === fault.text ? session.fatal : undefined
    const told = writeSessionError(reason, end?.error, end?.signal)
    const base = { timestamp: out.time(source ?? last), sessionID: session.id }
    const word = keptIn(source, 'reason') ?? told.reason
    write(out, session, { type: 'session_error', ...base, reason: word, code: told.code, message: fault.text }, synthetic)
  }
  const timestamp = out.time(last)
  write(
    out,
    session,
    {
      type: 'session_complete',
      timestamp,
      sessionID: session.id,
      durationMs: durationOf(out, session, end),
      error: fault === undefined ? null : (keptIn(end, 'error') ?? fault.text),
    },
    synthetic,
  )
}

function durationOf(out: Out, { began, turnsMs }: Session, end: EventOf<'session.end'> | undefined): number {
  const known = end?.durationMs ?? (began === undefined || end?.at === undefined ? turnsMs : Math.max(0, end.at - began))
  if (known === undefined) out.sink.added('session_complete.durationMs')
  return known ?? 0
}

const plainFault = (reason: Reason): Fault => ({ category: 'unknown', text: reasonText(reason), code: reason })
