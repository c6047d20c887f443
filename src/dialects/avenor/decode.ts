// Avenor → events. A log holds many sessions, also of one id: after its session.end a session may start again.
// Two surprises. A turn is never told, so one ends with each session.end. And a call's or request's id may be used again, by
// another attempt or another dialog: a second call is told as `~id#2`, a request told twice only once.
import { isRecord, type Rec } from '../../base/json.ts'
import { type Fault, lineOf, type Option, type Origin, type Place } from '../../model/event.ts'
import { codeText, faultOf } from '../../model/fault.ts'
import { outcomeOf } from '../../model/outcome.ts'
import type { Pen } from '../../model/pen.ts'
import type { DeltaKind } from '../../model/pen-state.ts'
import { type DecoderBody, textOfBlock } from '../contract.ts'
import { blocksOf, inputOf, pathsOf, planStatus, spoken, textIn } from './decode-content.ts'
import type { AnyWire, Content, Wire } from './wire.ts'
import {
  deciderOf,
  decisionOf,
  degenerate,
  isOnScreen,
  isUnknownReason,
  isUnknownSource,
  optionOf,
  phaseOf,
  reasonOf,
  toolKindOfWord,
  toolOf,
  usageOf,
} from './words.ts'

const mostUsedIds = 4096
const mostOffers = 1024

export function decode(pen: Pen): DecoderBody {
  const faults = new Map<string | undefined, Fault>() // the last avenor.error of each session that is not over
  const used = new Map<string, number>() // how often a call's id was told
  const dialogs = new Map<string | undefined, string>() // the last request that was found on a session's screen
  const offers = new Map<string, Option[]>() // what each request that is not answered lets one choose
  const answered = new Set<string>() // requests: a second answer says nothing new, one to a question that was not told does
  let asked = 0

  // ── conversation ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Nine records in ten come this way. */
  function chunk(record: Wire<'agent.message_chunk'> | Wire<'agent.thought_chunk'>, kind: DeltaKind): void {
    const { content } = record
    const place: Place = { at: record.ts, session: record.session_id, run: record.run_id, message: record.messageId ?? undefined }
    pen.common(place)
    if (record.session_update !== undefined) place.ext = updateIn(record)
    if (typeof content === 'object' && typeof (content as Content).text === 'string')
      return pen.emit(kind, { text: (content as { text: string }).text }, place)
    let told = false
    for (const block of blocksOf(content ?? record.delta ?? spoken(record.payload))) {
      const text = textOfBlock(block)
      if (text !== undefined) pen.emit(kind, { text }, place)
      else if (isRecord(block))
        pen.emit(
          'content.end',
          { type: codeText(block['type']) ?? 'other', mime: codeText(block['mimeType']), uri: codeText(block['uri']), data: block['data'] },
          place,
        )
      else continue
      told = true
      place.ext = undefined // stands beside the first
    }
    if (!told) pen.raw(record.event, 'unmapped', place)
  }

  function userChunk(record: Wire<'user.message_chunk'>, place: Place): void {
    const { content, delta, payload, messageId } = record
    const text = textIn(content ?? delta ?? spoken(payload))
    const blocks = text === undefined && content !== undefined ? [content] : undefined
    openTurn(place)
    pen.endBlocks() // a backend tells a former conversation in chunks alone: the answer so far is whole
    pen.emit(
      'prompt.submit',
      { text, content: blocks, by: 'user', state: 'seen', partial: true },
      { ...place, message: messageId ?? undefined, ext: updateIn(record) },
    )
  }

  /** A prompt begins the turn that is not yet open. */
  function openTurn(place: Place): void {
    if (pen.openTurns() === 0) pen.emit('turn.start', { trigger: 'prompt' }, { ...place, synthetic: 'implied' })
  }

  // ── tools ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  const calledAs = (key: string, id: string): string => ((used.get(key) ?? 1) === 1 ? id : `~${id}#${used.get(key)}`)

  function toolCall(record: Wire<'tool.call'>, place: Place): void {
    const { toolCallId: id, title, kind, rawInput, locations } = record
    const status = statusOf(record)
    const key = keyIn(place, id)
    const open = calledAs(key, id)
    const input = inputOf(rawInput)
    const paths = pathsOf(locations)
    const ext = updateIn(record)
    if (pen.isOpen(open)) {
      pen.emit(
        'tool.update',
        { state: stateOf(status), toolKind: toolKindOfWord(kind), title: title ?? undefined, input, paths },
        { ...place, call: open, ext },
      )
    } else {
      if (used.size >= mostUsedIds) used.clear()
      used.set(key, (used.get(key) ?? 0) + 1)
      pen.emit('tool.start', { ...toolOf(title, kind), input, paths }, { ...place, call: calledAs(key, id), ext })
    }
    if (isFinal(status)) toolEnd(record, place, calledAs(key, id))
  }

  function toolUpdate(record: Wire<'tool.call_update'>, place: Place): void {
    const { toolCallId: id, title, kind, rawInput, content, locations } = record
    const status = statusOf(record)
    const key = keyIn(place, id)
    const call = calledAs(key, id)
    if (!pen.isOpen(call)) {
      if (used.has(key)) return pen.raw(record.event, 'redundant', { ...place, call })
      used.set(key, 1)
      if (!isFinal(status))
        pen.emit('tool.start', { ...toolOf(title, kind), input: inputOf(rawInput) }, { ...place, call, synthetic: 'implied' })
    }
    if (isFinal(status)) return toolEnd(record, { ...place, ext: updateIn(record) }, call)
    const blocks = Array.isArray(content) ? (content as unknown[]) : undefined
    const told = {
      state: stateOf(status),
      toolKind: toolKindOfWord(kind),
      title: title ?? undefined,
      input: inputOf(rawInput),
      content: blocks,
      paths: pathsOf(locations),
    }
    pen.emit('tool.update', told, { ...place, call, ext: updateIn(record) })
  }

  function toolEnd(record: ToolRecord, place: Place, call: string): void {
    const { title, kind, content, rawOutput } = record
    const status = statusOf(record)
    const blocks = Array.isArray(content) ? (content as unknown[]) : undefined
    const text = textIn(content) ?? (typeof rawOutput === 'string' ? rawOutput : undefined)
    const data = typeof rawOutput === 'string' ? undefined : rawOutput
    const error = status === 'failed' && text !== undefined ? faultOf(text) : undefined
    const toolStatus = status === 'completed' ? 'ok' : status === 'failed' ? 'error' : 'cancelled'
    const name = pen.isOpen(call) ? undefined : toolOf(title, kind).name
    pen.emit(
      'tool.end',
      { status: toolStatus, name, toolKind: toolKindOfWord(kind), title: title ?? undefined, text, content: blocks, data, error },
      { ...place, call },
    )
  }

  // ── permissions ──────────────────────────────────────────────────────────────────────────────────────────────────────

  function permissionRequest(record: Wire<'permission.request'>, place: Place): void {
    const {
      request_id: wireId,
      tool,
      question,
      description,
      message,
      options,
      source,
      input,
      requires_user_input: needsUser,
      toolCall,
    } = record
    const id = codeText(wireId) ?? `~ask-${++asked}`
    if (pen.isAsked(id)) return pen.raw(record.event, 'redundant', place)
    if (isOnScreen(source)) {
      const former = dialogs.get(place.session)
      if (former !== undefined && pen.isAsked(former))
        pen.emit('permission.answer', { id: former, decision: 'withdrawn', by: 'unknown' }, { ...place, synthetic: 'implied' })
      dialogs.set(place.session, id)
    }
    const offered = (options ?? []).map(optionOf)
    if (offers.size >= mostOffers) offers.delete(offers.keys().next().value!)
    offers.set(keyIn(place, id), offered)
    const name = tool ?? (toolCall ? toolOf(toolCall.title, toolCall.kind).name : undefined)
    const call = typeof toolCall?.toolCallId === 'string' ? calledAs(keyIn(place, toolCall.toolCallId), toolCall.toolCallId) : undefined
    pen.emit(
      'permission.request',
      {
        id,
        name,
        toolKind: toolKindOfWord(toolCall?.kind ?? name),
        input: input ?? inputOf(toolCall?.rawInput),
        question: question ?? description ?? message ?? undefined,
        options: offered,
        needsUser: needsUser ?? undefined,
        source: source ?? undefined,
      },
      { ...place, call },
    )
  }

  function permissionResponse(record: Wire<'permission.response'>, place: Place): void {
    const { option_id: option, source, message } = record
    const id = codeText(record.request_id)
    const key = keyIn(place, id ?? '')
    if (answered.has(key) && !pen.isAsked(id ?? '')) return pen.raw(record.event, 'redundant', place)
    if (answered.size >= mostOffers) answered.clear()
    answered.add(key)
    if (isUnknownSource(source)) keep(place, { source })
    pen.emit(
      'permission.answer',
      {
        id,
        decision: decisionOf(record, offers.get(key) ?? []),
        option: option ?? undefined,
        by: deciderOf(source),
        text: message ?? undefined,
      },
      place,
    )
    offers.delete(key)
  }

  // ── loops ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function phaseEnd(record: Wire<'avenor.phase.end'>, place: Place): void {
    const { phase: name, iteration, stop_reason: reason } = record
    const marker =
      record.abort_marker === true
        ? { type: 'abort' as const, label: record.abort_marker_label }
        : record.exit_marker === true
          ? { type: 'exit' as const, label: record.exit_marker_label }
          : undefined
    if (isUnknownReason(reason)) keep(place, { stop_reason: reason })
    pen.emit('phase.end', { name, iteration, reason: reasonOf(reason), marker }, place)
  }

  // ── sessions, the channel, trouble ───────────────────────────────────────────────────────────────────────────────────

  function sessionEnd(record: Wire<'session.end'>, place: Place): void {
    const reason = reasonOf(record.stop_reason)
    const error = outcomeOf(reason) === 'ok' ? undefined : faults.get(place.session)
    const usage = record.usage ? usageOf(record.usage) : undefined
    faults.delete(place.session)
    dialogs.delete(place.session)
    pen.emit('turn.end', { reason, error, usage }, { ...place, synthetic: 'implied' })
    const text = record.summary ?? record.final_output ?? undefined
    if (isUnknownReason(record.stop_reason)) keep(place, { stop_reason: record.stop_reason })
    pen.emit(
      'session.end',
      { reason, error, usage, text, status: record.status ?? undefined, files: record.files_changed ?? undefined },
      place,
    )
  }

  function trouble(record: Wire<'avenor.error'>, place: Place): void {
    const { source, message, kind, stop_reason: ending, model, diagnostics: data } = record
    const text = message ?? kind ?? source ?? 'error'
    const fatal = kind === degenerate
    const error = faultOf(text, fatal ? { category: 'provider', code: kind } : { code: kind })
    faults.set(place.session, error)
    if (ending !== undefined && ending !== kind) keep(place, { stop_reason: ending }) // no word of the model says it
    pen.emit('error', { scope: place.session === undefined ? 'supervisor' : 'session', fatal, error, source, model, data }, place)
  }

  /** What comes after its session has ended, and does not begin it anew, is kept as it stands. */
  function isLate(record: AnyWire, place: Place): boolean {
    if (!pen.isEnded() || !afterthoughts.has(record.event) || (record.event === 'agent.status' && record.phase !== 'done')) return false
    pen.raw(record.event, record.event === 'session.end' || record.event === 'agent.status' ? 'redundant' : 'unmapped', place)
    return true
  }

  return {
    place: ({ session_id: session, run_id: run, ts: at }) => ({
      at: typeof at === 'number' ? at : undefined,
      session: typeof session === 'string' ? session : undefined,
      run: typeof run === 'string' ? run : undefined,
    }),
    push(rec: Rec, tag: string, origin: Origin) {
      // The record is of known type and right shape.
      if (tag === 'agent.message_chunk') return chunk(rec as Wire<'agent.message_chunk'>, 'text.delta')
      if (tag === 'agent.thought_chunk') return chunk(rec as Wire<'agent.thought_chunk'>, 'thought.delta')
      const record = rec as AnyWire
      const place: Place = { at: record.ts, session: record.session_id, run: record.run_id }
      pen.common(place)
      if (isLate(record, place)) return
      switch (record.event) {
        case 'user.message_chunk':
          return userChunk(record, place)
        case 'tool.call':
          return toolCall(record, place)
        case 'tool.call_update':
          return toolUpdate(record, place)
        case 'session.plan': {
          const entries = (record.entries ?? []).map(({ content, text, status, priority }) => ({
            text: content ?? text ?? '',
            status: planStatus(status),
            priority: priority ?? undefined,
          }))
          return pen.emit('plan.update', { entries, title: record.label ?? record.title ?? undefined }, { ...place, ext: updateIn(record) })
        }
        case 'permission.request':
          return permissionRequest(record, place)
        case 'permission.response':
          return permissionResponse(record, place)
        case 'avenor.loop.start': {
          const { run_label: label, max_iterations: maxIterations, pre_phase_count: prePhases, loop_phase_count: loopPhases } = record
          return pen.emit('run.start', { label, maxIterations, prePhases, loopPhases }, place)
        }
        case 'avenor.phase.start': {
          const { phase: name, iteration, kind } = record
          const stage = kind === 'pre' || kind === 'loop' || kind === 'post' ? kind : iteration === 0 ? 'pre' : 'loop'
          return pen.emit('phase.start', { name, iteration, stage }, place)
        }
        case 'avenor.phase.end':
          return phaseEnd(record, place)
        case 'avenor.loop.end':
          if (isUnknownReason(record.exit_reason)) keep(place, { exit_reason: record.exit_reason })
          return pen.emit(
            'run.end',
            { reason: reasonOf(record.exit_reason), label: record.exit_label, iterations: record.iterations_completed },
            place,
          )
        case 'session.start':
          return pen.emit('session.start', { program: record.backend, cwd: record.dir, label: record.run_label }, place)
        case 'session.end':
          return sessionEnd(record, place)
        case 'agent.prompt_submitted':
          openTurn(place)
          return pen.emit('prompt.submit', { by: 'host', state: 'sent', delivery: record.delivery, bytes: record.prompt_length }, place)
        case 'agent.prompt_queued':
          return pen.emit(
            'prompt.submit',
            { by: 'host', state: 'queued', id: record.control_id, delivery: record.delivery, bytes: record.prompt_length },
            place,
          )
        case 'agent.channel_ready':
          return pen.emit('report', { type: 'ready', name: record.server_name }, place)
        case 'agent.report':
          return pen.emit('report', { type: 'state', state: record.state, data: record.payload }, place)
        case 'agent.reply':
          return pen.emit('report', { type: 'reply', to: record.to, data: record.payload }, place)
        case 'agent.finish':
          return pen.emit(
            'report',
            {
              type: 'finish',
              status: record.status,
              text: record.summary,
              files: record.files_changed ?? undefined,
              data: record.payload ?? undefined,
            },
            place,
          )
        case 'agent.status': {
          const phase = phaseOf(record.phase)
          if (phase === undefined) return pen.raw(record.event, 'unmapped', place)
          return pen.emit('status.update', { phase, label: record.label ?? undefined, source: record.source }, place)
        }
        case 'avenor.retry':
          return pen.emit('retry.start', { scope: 'run', attempt: record.attempt, max: record.max_retries }, place)
        case 'avenor.error':
          return trouble(record, place)
        case 'avenor.compaction':
          return pen.emit('context.trim', { why: 'compact', trigger: 'auto', text: textIn(record.llm_summary) }, place)
        case 'subscriber.lagged': {
          const text = `the log's source dropped ${record.dropped_count ?? 'some'} events before this one`
          return pen.issue({ code: 'gap', severity: 'warn', line: lineOf(origin), byte: origin.offset, text, goesOn: true })
        }
      }
    },
  }
}

/** What the model has no word for stays with the event. */
function keep(place: Place, words: Record<string, string>): void {
  place.ext = { avenor: words }
}

/** A backend's metadata beside the event. A mere text is its own name of the event, which says nothing new. */
const updateIn = ({ session_update: update }: { session_update?: unknown }): Place['ext'] =>
  update === undefined || update === null || typeof update === 'string' ? undefined : { avenor: { session_update: update } }

const afterthoughts: ReadonlySet<string> = new Set([
  'session.end',
  'agent.status',
  'permission.response',
  'agent.report',
  'agent.reply',
  'agent.finish',
  'avenor.error',
])

/** Of a call, or of a request. */
const keyIn = ({ session }: Place, id: string): string => `${session ?? ''}\n${id}`

type ToolRecord = Wire<'tool.call'> | Wire<'tool.call_update'>
/** The program takes it in capitals too. */
const statusOf = ({ status }: ToolRecord): string | undefined => status?.toLowerCase()
const isFinal = (status: string | undefined): boolean => status === 'completed' || status === 'failed' || status === 'cancelled'
const stateOf = (status: string | undefined): 'pending' | 'running' =>
  status === undefined || status === 'pending' ? 'pending' : 'running'
