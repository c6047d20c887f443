// events → Avenor. Writes whole sessions: session.start first, every call's update after its call, session.end last.
// Three surprises. A turn in the middle of a session leaves no trace but its tokens. A status that announces a record is held
// until that record comes. And a call that tells its input only later is held until the next record, so that it has it.
import type { Rec } from '../../base/json.ts'
import type { Event, EventOf, Fault } from '../../model/event.ts'
import { outcomeOf } from '../../model/outcome.ts'
import { addUsage, usageOfTurn } from '../../model/usage.ts'
import { type Encoder, type Sink, syntheticOf, wireId } from '../contract.ts'
import { createDesk } from './encode-ask.ts'
import { createLoops } from './encode-loop.ts'
import { createSession, keptIn, labelOf, type Session, updateOf } from './encode-session.ts'
import { createStatuses, isTold } from './encode-status.ts'
import { createTools } from './encode-tool.ts'
import type { AnyWire } from './wire.ts'
import { backendOf, degenerate, sourceOfEnd, stopReasonOf, subsystemOf, wireUsageOf } from './words.ts'

const mostOver = 4096

export function encode(sink: Sink): Encoder {
  const sessions = new Map<string | undefined, Session>()
  const over = new Set<string | undefined>() // sessions that have ended
  let last: Session | undefined
  let made = 0 // sessions that nobody named
  const write = (record: AnyWire, synthetic: string | undefined): void => sink.write(record as Rec, synthetic)
  const loops = createLoops(sink, write, (run) => [...sessions.values()].some((session) => session.run === run))
  const statuses = createStatuses(sink, put)
  const desk = createDesk(sink, put, statuses.tell)
  const tools = createTools(sink, send, (session) => settle(session, ''))

  // ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  function sessionOf(event: Event): Session {
    if (last === undefined || last.key !== event.session) last = sessions.get(event.session) ?? startSession(event)
    if (event.run !== undefined && event.run !== last.seenRun) follow(last, event.run)
    return last
  }

  function follow(session: Session, run: string): void {
    session.seenRun = run
    session.run = loops.isOver(run) ? undefined : run
    session.runLabel = loops.labelOf(session.run) ?? session.runLabel
  }

  function startSession(event: Event): Session {
    const told = event.kind === 'session.start' ? event : undefined
    if (event.session === undefined) {
      if (made === 0 || told?.how !== 'resumed') made++
      sink.added('session_id')
    }
    const session = createSession(event.session, event.session === undefined ? `session-${made}` : wireId(event.session))
    sessions.set(event.session, session)
    if (event.run !== undefined) follow(session, event.run)
    session.label = told?.label
    if (told?.program === undefined) sink.added('session.start.backend')
    if (told !== undefined) countStart(told, session)
    const loads = (told?.ext?.['avenor'] as Rec | undefined)?.['dangerously_load']
    const record = {
      event: 'session.start' as const,
      session_id: session.id,
      run_id: session.run,
      run_label: labelOf(session, event),
      backend: backendOf(told?.program ?? event.origin?.dialect ?? 'sluice'),
      dir: told?.cwd,
      dangerously_load: typeof loads === 'boolean' ? loads : undefined,
      ts: event.at,
    }
    write(record, told === undefined ? 'required' : syntheticOf(told))
    return session
  }

  /** That a session goes on can be seen only where its end stands before. */
  function countStart(event: EventOf<'session.start'>, session: Session): void {
    if (event.how === 'forked' || (event.how === 'resumed' && !over.has(event.session))) sink.lost(event, 'how')
    if (event.native !== undefined && event.native !== session.id) sink.lost(event, 'native')
  }

  function endSession(session: Session, event: EventOf<'session.end'> | undefined): void {
    if (session.heldCall !== undefined) settle(session, '')
    statuses.forgetThinking(session)
    for (const [call, kind] of session.calls)
      put(session, event, { event: 'tool.call_update', toolCallId: wireId(call), kind, status: 'failed' }, 'cut')
    desk.close(session, outcomeOf(event?.reason ?? 'cut') === 'ok' ? event : undefined)
    // Avenor's error about a degenerate stream says itself how the session ends; an end that nobody told must agree.
    const reason = session.heldError !== undefined && event?.origin === undefined ? 'degenerate' : (event?.reason ?? 'cut')
    const status = session.heldStatus
    session.heldStatus = undefined
    const isUntold = reason === 'degenerate' && session.heldError === undefined // Avenor's end wants an error that says so
    const error = event?.error ?? (isUntold ? (session.turn?.error ?? { category: 'provider', text: 'degenerate stream' }) : undefined)
    if (event !== undefined && error !== undefined && (isUntold || !wasTold(session, event, error)))
      tellError(session, event, { error, source: sourceOfEnd(reason) }, isUntold)
    if (session.heldError !== undefined) tellError(session, session.heldError, session.heldError, reason === 'degenerate')
    session.heldStatus = status
    if (session.turn !== undefined && session.turn.reason !== reason) sink.lost(session.turn, 'reason', 'drop')
    const total = event?.usage ?? (session.messages === undefined ? session.usage : addUsage(session.usage, session.messages))
    put(
      session,
      event,
      {
        event: 'session.end',
        stop_reason: (reason === 'unknown' ? keptIn(event, 'stop_reason') : undefined) ?? stopReasonOf(reason),
        usage: total === undefined ? undefined : wireUsageOf(total),
        status: event?.status,
        summary: event?.text,
        files_changed: event?.files,
      },
      event === undefined ? 'cut' : syntheticOf(event),
    )
    sessions.delete(session.key)
    if (over.size >= mostOver) over.delete(over.values().next().value)
    over.add(session.key)
    last = undefined
    loops.sessionOver(session.run)
  }

  /** Every record but a chunk: the session's ids and the time are added here. */
  function put(session: Session, event: Event | undefined, record: AnyWire, synthetic: string | undefined): void {
    send(
      session,
      placed(record, { event: record.event, session_id: session.id, run_id: session.run, run_label: labelOf(session, event) }, event),
      synthetic,
    )
  }

  /** A record that has the session's ids and the time already. */
  function send(session: Session, record: AnyWire, synthetic: string | undefined): void {
    if (session.heldCall !== undefined || session.heldStatus !== undefined) settle(session, record.event)
    session.last = record.event
    write(record, synthetic)
  }

  /** What was held back is told, or given up, before the next record. */
  function settle(session: Session, next: string): void {
    const { heldCall: call } = session
    if (call !== undefined) {
      session.heldCall = undefined
      tools.tell(session, call, call.input, call.title)
    }
    if (session.heldStatus !== undefined && next !== '') statuses.settle(session, next)
  }

  // ── conversation ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Nine events in ten come this way. */
  function chunk(event: Event, name: 'agent.message_chunk' | 'agent.thought_chunk' | 'user.message_chunk', text: string): void {
    const session = sessionOf(event)
    if (session.heldCall !== undefined || session.heldStatus !== undefined) settle(session, name)
    if (name === 'agent.thought_chunk' && session.heldThinking !== undefined) statuses.think(session, event)
    session.last = name
    write(
      {
        event: name,
        session_id: session.id,
        run_id: session.run,
        run_label: labelOf(session, event),
        content: { type: 'text', text },
        messageId: event.message === undefined ? undefined : wireId(event.message),
        session_update: updateOf(event),
        ts: event.at,
      },
      syntheticOf(event),
    )
  }

  function delta(event: EventOf<'text.delta' | 'thought.delta'>, name: 'agent.message_chunk' | 'agent.thought_chunk'): void {
    chunk(event, name, event.text)
    sessionOf(event).streamed.piece(event)
  }

  /** The whole says no more than its pieces, unless some of them did not come. */
  function whole(event: EventOf<'text.end' | 'thought.end'>, name: 'agent.message_chunk' | 'agent.thought_chunk'): void {
    const { text, streamed } = event
    if (!streamed && text !== undefined) chunk(event, name, text)
    if (streamed && sessionOf(event).streamed.isShort(event)) sink.lost(event, 'text')
  }

  function prompt(event: EventOf<'prompt.submit'>): void {
    const { text, by, state, id: control_id, bytes } = event
    const delivery = event.delivery !== undefined && deliveries.has(event.delivery) ? event.delivery : undefined
    if (event.delivery !== delivery) sink.lost(event, 'delivery')
    if (by !== 'user' && by !== 'host') return sink.lost(event)
    const session = sessionOf(event)
    if (control_id !== undefined && state === 'seen' && control_id === session.prompt) return // told when it was sent
    session.prompt = control_id
    const known = delivery !== undefined || bytes !== undefined
    // Only a backend with a channel queues prompts there.
    if (state === 'queued' && delivery !== 'channel' && event.origin?.dialect !== 'avenor') return sink.lost(event)
    if (state !== 'queued' && text !== undefined && !known) return chunk(event, 'user.message_chunk', text)
    if (!known && text === undefined) return sink.lost(event)
    if (text !== undefined) sink.lost(event, 'text', 'drop')
    const prompt_length = bytes ?? new TextEncoder().encode(text).length
    if (state !== 'queued') return put(session, event, { event: 'agent.prompt_submitted', delivery, prompt_length }, syntheticOf(event))
    const queued = {
      event: 'agent.prompt_queued' as const,
      control_id,
      message_type: 'continue',
      delivery: delivery ?? 'channel',
      prompt_length,
    }
    put(session, event, queued, syntheticOf(event))
  }

  // ── states, the channel, trouble ─────────────────────────────────────────────────────────────────────────────────────

  /** A session, or nothing for what belongs to a run or a connection: that must not start a session. */
  const sessionIfAny = (event: Event): Session | undefined =>
    event.session === undefined && !sessions.has(undefined) ? undefined : sessionOf(event)

  const runOf = ({ run }: Event): string | undefined => (loops.isOver(run) ? undefined : run)

  function putAnywhere(event: Event, record: AnyWire, synthetic = syntheticOf(event)): void {
    const session = sessionIfAny(event)
    if (session !== undefined) return put(session, event, record, synthetic)
    const run_id = runOf(event)
    const run_label = keptIn(event, 'run_label') ?? loops.labelOf(run_id)
    write(placed(record, { event: record.event, run_id, run_label }, event), synthetic)
  }

  function status(event: EventOf<'status.update'>): void {
    const session = sessionIfAny(event)
    if (session === undefined || !isTold(event)) return sink.lost(event)
    if (session.heldCall !== undefined || session.heldStatus !== undefined) settle(session, 'agent.status')
    statuses.take(session, event)
  }

  function trouble(event: EventOf<'error'>): void {
    const session = sessionIfAny(event)
    if (session === undefined) return putAnywhere(event, errorOf(event))
    if (event.fatal && session.told?.fatal === true && wasTold(session, event, event.error)) return sink.lost(event)
    session.told = { text: event.error.text, turn: event.turn, fatal: event.fatal }
    if (event.error.code === degenerate) {
      if (session.heldError !== undefined) sink.lost(session.heldError)
      session.heldError = event
    } else put(session, event, errorOf(event), syntheticOf(event))
  }

  function tellError(session: Session, event: Event, told: ErrorLike, isDegenerate: boolean): void {
    session.told = { text: told.error.text, turn: event.turn, fatal: true }
    put(session, event, errorOf(told, isDegenerate ? degenerate : undefined), event.kind === 'error' ? syntheticOf(event) : 'required')
  }

  /** A failure that its own record has told already; an end repeats it. */
  const wasTold = ({ told }: Session, event: Event, { text }: Fault): boolean =>
    told !== undefined && told.text === text && (event.turn === undefined || told.turn === undefined || told.turn === event.turn)

  function turnEnd(session: Session, event: EventOf<'turn.end'>): void {
    const before = session.turn
    if (before !== undefined) sink.lost(before, before.usage === undefined && before.error === undefined ? undefined : 'reason')
    session.turn = event
    const usage = usageOfTurn(event.usage, session.messages)
    if (usage !== undefined) session.usage = addUsage(session.usage, usage)
    session.messages = undefined
    if (event.error === undefined || event.reason === 'degenerate' || wasTold(session, event, event.error)) return
    if (outcomeOf(event.reason) === 'ok') sink.lost(event, 'error')
    else tellError(session, event, { error: event.error, source: sourceOfEnd(event.reason) }, false)
  }

  function report(event: EventOf<'report'>): void {
    const { name: server_name = '', state = '', to = '', status = 'done', text: summary = '', files: files_changed = null, data } = event
    const payload = data ?? null
    const source = 'channel'
    switch (event.type) {
      case 'ready':
        return putAnywhere(event, { event: 'agent.channel_ready', server_name, source })
      case 'state':
        return putAnywhere(event, { event: 'agent.report', state, payload, source })
      case 'reply':
        return putAnywhere(event, { event: 'agent.reply', to, payload, source })
      case 'finish':
        return putAnywhere(event, { event: 'agent.finish', status, summary, files_changed, payload: data, source })
    }
  }

  function retry(event: EventOf<'retry.start'>): void {
    if (event.scope !== 'run') return sink.lost(event)
    const session = sessionIfAny(event)
    const attempt = loops.attemptOf(session === undefined ? runOf(event) : session.run, session?.id, event.attempt)
    const max_retries = Math.max(event.max ?? 0, attempt)
    putAnywhere(event, { event: 'avenor.retry', attempt, max_retries })
  }

  return {
    push(event) {
      if (event.agent !== undefined && !laneKinds.has(event.kind)) return sink.lost(event)
      switch (event.kind) {
        case 'text.delta':
          return delta(event, 'agent.message_chunk')
        case 'thought.delta':
          return delta(event, 'agent.thought_chunk')
        case 'text.end':
          return whole(event, 'agent.message_chunk')
        case 'thought.end':
          if (event.redacted === true && event.text === undefined) return sink.lost(event)
          return whole(event, 'agent.thought_chunk')
        case 'prompt.submit':
          return prompt(event)
        case 'tool.start':
          return tools.start(sessionOf(event), event)
        case 'tool.update':
          return tools.update(sessionOf(event), event)
        case 'tool.end':
          return tools.end(sessionOf(event), event)
        case 'permission.request': {
          const session = sessionOf(event)
          return desk.request(session, event, statuses.waitingFor(session))
        }
        case 'permission.answer': {
          const session = sessionOf(event)
          return statuses.after(session, () => desk.answer(session, event))
        }
        case 'question.request':
        case 'question.answer':
          return statuses.choice(sessionIfAny(event), event)
        case 'plan.update': {
          const entries = event.entries.map(({ text: content, status: state, priority }) => ({
            content,
            priority,
            status: planWords[state],
          }))
          return put(
            sessionOf(event),
            event,
            { event: 'session.plan', entries, title: event.title, session_update: updateOf(event) },
            syntheticOf(event),
          )
        }
        case 'run.start':
        case 'run.end':
        case 'phase.start':
        case 'phase.end':
          return loops.push(event)
        case 'session.start':
          if (sessions.has(event.session)) sink.lost(event) // it has begun already
          sessionOf(event)
          return
        case 'session.end':
          return endSession(sessionOf(event), event)
        case 'turn.end':
          return turnEnd(sessionOf(event), event)
        case 'message.end': {
          const session = sessionOf(event)
          if (event.usage === undefined) return sink.lost(event)
          session.messages = addUsage(session.messages, event.usage)
          return
        }
        case 'status.update':
          return status(event)
        case 'report':
          return report(event)
        case 'retry.start':
          return retry(event)
        case 'error':
          return trouble(event)
      }
    },
    end() {
      for (const session of sessions.values()) endSession(session, undefined)
      loops.end()
    },
  }
}

/** The record's own keys after those that say where it stands, its time last. Several times as fast as spreading them. */
function placed(record: AnyWire, place: Rec & { event: string }, event: Event | undefined): AnyWire {
  Object.assign(place, record)
  place['ts'] = event?.at
  return place as AnyWire
}

const laneKinds: ReadonlySet<string> = new Set([
  'tool.start',
  'tool.update',
  'tool.end',
  'permission.request',
  'permission.answer',
  'question.request',
  'question.answer',
  'message.end',
  'error',
])

/** How Avenor brings a prompt to its agent. */
const deliveries: ReadonlySet<string> = new Set(['tmux', 'pty', 'channel'])

const planWords = { pending: 'pending', active: 'in_progress', done: 'completed' } as const

type ErrorLike = Pick<EventOf<'error'>, 'error' | 'source' | 'model' | 'data' | 'ext' | 'origin'>

const errorOf = ({ error, source, model, data, ext, origin }: ErrorLike, kind?: string): AnyWire => ({
  // The stop reason may be one that an error of Avenor's own has named.
  event: 'avenor.error',
  source: origin?.dialect === 'avenor' ? (source ?? 'backend') : subsystemOf(source, error),
  kind,
  stop_reason: kind ?? keptIn({ ext }, 'stop_reason'),
  model,
  message: error.text,
  diagnostics: data,
})
