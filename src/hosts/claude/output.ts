// The stream as a host of Claude Code wants it: the dialect's records without those that only a recording needs, and what a host may
// ask about kept at hand.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Sink, WritableDialect } from '../../dialects/contract.ts'
import { makeEvent } from '../../model/make.ts'
import type { Context, Event, EventOf, Payload, Rule, Usage } from '../../model/event.ts'
import type { EventSink } from '../../run/contract.ts'
import { dialectSink, type LineOut } from '../../run/sinks.ts'
import type { Channel } from './channel.ts'

export type HostSink = EventSink & {
  /** A new permission mode, for the host to see. */
  tellMode(mode: string): void
  known(): Known
}

/** What the stream has told so far. */
export type Known = {
  session?: string
  model?: string
  context?: Context
  usage?: Usage
  servers?: Payload<'catalog.update'>['servers']
  /** A turn is running; so many have begun. */
  isBusy: boolean
  turns: number
}

export type HostSinkOptions = {
  partial: boolean
  replay: boolean
  mode(): string
  channel: Pick<Channel, 'wasAnswered' | 'shown'>
  onTurn?(): void
  /** Nothing more can be written. */
  onGone(error: unknown): void
}

export function hostSink(dialect: WritableDialect, out: LineOut, options: HostSinkOptions): HostSink {
  const { mode, onTurn, onGone } = options
  const live = { ...dialect, encoder: (sink: Sink) => dialect.encoder(screened(sink, options)) }
  const inner = dialectSink(live, out, onGone)
  const known: Known = { isBusy: false, turns: 0 }

  function learn(event: Event): void {
    if (event.agent !== undefined) return
    const { session } = event
    if (session !== undefined) known.session = session
    if ((event.kind === 'session.start' || event.kind === 'session.update') && event.model !== undefined) known.model = event.model
    else if (event.kind === 'turn.start') {
      known.isBusy = true
      known.turns++
    } else if (event.kind === 'turn.end') known.isBusy = false
    else if (event.kind === 'catalog.update' && event.servers !== undefined) known.servers = event.servers
    else if (event.kind === 'message.end') {
      if (event.context !== undefined) known.context = event.context
      if (event.usage !== undefined) known.usage = event.usage
    }
  }

  return {
    push(event) {
      learn(event)
      if (event.kind === 'session.start') inner.push({ ...event, mode: mode() })
      else if (event.kind === 'permission.request') {
        options.channel.shown(event.id, event.input)
        inner.push(withSuggestions(event))
      } else inner.push(event)
      if (event.kind === 'turn.start') onTurn?.()
    },
    flush: inner.flush,
    end: inner.end,
    close: () => inner.close?.(),
    tellMode(word) {
      inner.push(makeEvent('session.update', { mode: word, by: 'host' }, { session: known.session }))
      inner.flush()
    },
    known: () => known,
  }
}

// ── records that stay away ───────────────────────────────────────────────────────────────────────────────────────────────

const screened = (sink: Sink, options: HostSinkOptions): Sink => ({
  ...sink,
  write(record, synthetic) {
    const shown = screen(record, options)
    if (shown !== undefined) sink.write(shown, synthetic)
  },
})

/** In a recording both sides of the control channel stand in one stream; a host knows what it has said itself. */
function screen(record: Rec, { partial, replay, channel }: HostSinkOptions): Rec | undefined {
  switch (record['type']) {
    case 'stream_event':
      return partial ? record : undefined
    case 'user':
      return record['isReplay'] === true && !replay ? undefined : record
    case 'control_request':
      return isRecord(record['request']) && record['request']['subtype'] === 'can_use_tool' ? record : undefined
    case 'control_response': {
      const id = isRecord(record['response']) ? String(record['response']['request_id']) : ''
      return channel.wasAnswered(id) ? undefined : { type: 'control_cancel_request', request_id: id }
    }
    case 'system':
      // A newer SDK keeps its end open from `running` to `idle`, which would tie its exit to our words about a status.
      return record['subtype'] === 'session_state_changed' ? undefined : record
    case 'result':
      return String(record['terminal_reason']).startsWith('aborted') ? { ...record, errors: [] } : record
    default:
      return record
  }
}

/** What an "always" would allow, in the words that a host sends back with its answer. */
function withSuggestions(event: EventOf<'permission.request'>): EventOf<'permission.request'> {
  const rules = (event.suggestions ?? []).filter(isRule)
  if (rules.length === 0) return event
  const named = rules.map(({ permission, pattern }) => ({
    toolName: permission,
    ...(pattern !== '*' && { ruleContent: permission === 'bash' ? pattern.replace(/ \*$/, ':*') : pattern }),
  }))
  return { ...event, suggestions: [{ type: 'addRules', rules: named, behavior: 'allow', destination: 'session' }] }
}

const isRule = (value: unknown): value is Rule =>
  isRecord(value) && typeof value['permission'] === 'string' && typeof value['pattern'] === 'string'

// ── one answer instead of a stream ───────────────────────────────────────────────────────────────────────────────────────

type ResultPlace = { print(text: string): void; report(line: string): void }

/** `json`: the result, or with `verbose` all records as one array. `text`: the answer alone. */
export function resultOut(format: 'json' | 'text', verbose: boolean, { print, report }: ResultPlace): LineOut {
  const lines: string[] = []
  let result = ''
  return {
    line(line) {
      if (line.startsWith('{"type":"result"')) result = line
      if (verbose) lines.push(line)
    },
    flush() {},
    close() {
      if (format === 'json') return print(verbose ? `[${lines.join(',\n')}]\n` : `${result}\n`)
      const { result: answer, errors } = JSON.parse(result || '{}') as Rec
      if (typeof answer === 'string') print(`${answer}\n`)
      else report(Array.isArray(errors) && errors.length > 0 ? errors.join('; ') : 'the turn was stopped')
    },
  }
}
