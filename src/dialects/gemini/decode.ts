// Gemini CLI → events. Only the first record of a stream or file names its session; what follows belongs to it until another begins.
// The surprise: a result says success although a loop, a limit or a hook stopped the run; the record before it tells.
import { timeOfIso } from '../../base/time.ts'
import type { Rec } from '../../base/json.ts'
import type { Payload } from '../../model/event.ts'
import { addUsage } from '../../model/usage.ts'
import type { Pen } from '../../model/pen.ts'
import type { DecoderBody } from '../contract.ts'
import { nat, real } from '../values.ts'
import { change, chatMessage, conversation, header, leaveChat, rewind } from './decode-chat.ts'
import { newReader, openTurn, type Reader } from './decode-state.ts'
import { toolResult, toolUse } from './decode-tool.ts'
import { faultIn, ownStop, type Stop, stopOf, usageOfStats, usageOfTokens } from './values.ts'
import type { Message, Wire } from './wire.ts'

export function decode(pen: Pen): DecoderBody {
  const on = newReader(pen)
  return {
    place: () => ({ session: on.session }),
    push(record: Rec, tag: string) {
      const { timestamp } = record
      pen.common({ at: typeof timestamp === 'string' ? timeOfIso(timestamp) : undefined, session: on.session })
      // The record is of known type and right shape.
      switch (tag) {
        case 'init':
          return init(on, record as Wire<'init'>)
        case 'output':
          return output(on, record as Wire<'output'>)
        case 'header':
        case 'conversation': {
          const { sessionId, startTime } = record as Wire<'header'>
          begin(on, sessionId, timeOfIso(startTime))
          return tag === 'header' ? header(on, record as Wire<'header'>) : conversation(on, record as Wire<'conversation'>)
        }
      }
      if (pen.isEnded()) return pen.raw(tag, tag === 'result' ? 'redundant' : 'unmapped') // what follows an end begins nothing anew
      switch (tag) {
        case 'message':
          return message(on, record as Wire<'message'>)
        case 'tool_use':
          return toolUse(on, record as Wire<'tool_use'>)
        case 'tool_result':
          return toolResult(on, record as Wire<'tool_result'>)
        case 'error':
          return trouble(on, record as Wire<'error'>)
        case 'result':
          return result(on, record as Wire<'result'>)
        case '$set':
          return change(on, record as Wire<'$set'>)
        case '$rewindTo':
          return rewind(on)
        default:
          return chatMessage(on, record as Message)
      }
    },
    end() {
      pen.common({ at: pen.lastAtOf(on.session), session: on.session })
      leaveChat(on)
    },
  }
}

/** Another session begins: whatever the last one left open is over. */
function begin(on: Reader, session: string | undefined, at: number | undefined): void {
  const { pen } = on
  if (pen.isStarted()) {
    pen.common({ at: pen.toldAt(on.session), session: on.session })
    const reason = leaveChat(on)
    pen.emit('session.end', { reason: reason ?? 'cut' }, { synthetic: reason === undefined ? 'cut' : 'implied' })
  }
  on.session = session
  on.chat = on.stop = undefined
  on.calls.clear()
  pen.common({ at, session })
}

function init(on: Reader, { session_id: native, model, timestamp }: Wire<'init'>): void {
  begin(on, native, timeOfIso(timestamp))
  on.pen.emit('session.start', { native, program: 'gemini-cli', model })
}

function message(on: Reader, { type, role, content: text, delta }: Wire<'message'>): void {
  const { pen } = on
  if (role === 'assistant') {
    on.stop = undefined
    if (delta === true) pen.emit('text.delta', { text })
    else pen.emit('text.end', { text, streamed: pen.isStreaming('text.delta') })
  } else if (role === 'user') {
    openTurn(on)
    pen.emit('prompt.submit', { text, by: 'user', state: 'sent' })
  } else pen.raw(type, 'unmapped')
}

function trouble(on: Reader, { severity, message: text }: Wire<'error'>): void {
  const stop = ownStop(text)
  const isError = severity === undefined || severity === 'error'
  if (stop !== undefined || isError) on.stop = stop ?? { reason: 'error', error: faultIn(text) }
  if (isError) on.pen.emit('error', { scope: 'turn', fatal: false, error: on.stop!.error! })
  else on.pen.emit('notice', { level: 'warn', code: stop?.code, text })
}

// ── ends ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

function result(on: Reader, { status, error, stats }: Wire<'result'>): void {
  const fallback = status === 'success' ? 'end_turn' : 'error'
  const byModel = Object.entries(stats?.models ?? {}).map(([model, counts]) => ({ model, usage: usageOfStats(counts) }))
  endRun(on, error ? stopOf(error) : (on.stop ?? { reason: fallback, error: undefined }), {
    usage: stats ? usageOfStats(stats) : undefined,
    byModel: byModel.length > 0 ? byModel : undefined,
    durationMs: real(stats?.duration_ms),
  })
}

/** A whole run in one record: what was said, and what it used. */
function output(on: Reader, { session_id: native, response, stats, error, warnings }: Wire<'output'>): void {
  const { pen } = on
  begin(on, native, undefined)
  pen.emit('session.start', { native, program: 'gemini-cli' }, { synthetic: 'implied' })
  pen.emit('turn.start', { trigger: 'prompt' }, { synthetic: 'implied' })
  if (response) pen.emit('text.end', { text: response, streamed: false })
  for (const text of warnings ?? []) {
    on.stop = ownStop(text) ?? on.stop
    pen.emit('notice', { level: 'warn', code: ownStop(text)?.code, text })
  }
  const models = Object.entries(stats?.models ?? {})
  const byModel = models.map(([model, { tokens = {} }]) => ({ model, usage: usageOfTokens(tokens.prompt, tokens.candidates, tokens) }))
  const sum = (of: 'totalRequests' | 'totalLatencyMs'): number => models.reduce((all, [, { api }]) => all + (nat(api?.[of]) ?? 0), 0)
  endRun(on, error ? stopOf(error) : (on.stop ?? { reason: 'end_turn', error: undefined }), {
    text: response ?? undefined,
    usage: stats ? byModel.reduce((all, { usage }) => addUsage(all, usage), {}) : undefined,
    byModel: byModel.length > 0 ? byModel : undefined,
    apiMs: stats ? sum('totalLatencyMs') : undefined,
    steps: stats ? sum('totalRequests') : undefined,
  })
}

function endRun(on: Reader, { reason, error }: Stop, sums: Omit<Payload<'turn.end'>, 'reason' | 'error'>): void {
  const { usage, durationMs, text } = sums
  on.pen.emit('turn.end', { reason, error, ...sums })
  on.pen.emit('session.end', { reason, error, usage, durationMs, text })
  on.calls.clear()
  on.stop = on.chat = undefined
}
