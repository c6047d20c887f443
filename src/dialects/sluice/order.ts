// The canonical order (docs/model.md): numbers without a gap, one start and one end a session, everything opened is closed.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Event } from '../../model/event.ts'
import type { Order, Report } from '../contract.ts'

export const rules = {
  seq: 'seq rises by one from event to event.',
  'start-first': 'session.start is the first event of its session.',
  'one-end': 'A session ends once; after its end only usage.update, notice, raw and issue may follow, or a session.start that resumes it.',
  'missing-end': 'Every session that starts ends.',
  'tool-pair': 'Each call has one tool.start, then updates, then one tool.end.',
  'message-pair': 'At most one message is open in a lane; message.end closes it.',
  'turn-pair': 'Turn numbers rise; each turn.start has one turn.end.',
  'ask-pair': 'Each permission or question request has one answer.',
  'open-at-end': 'What is open is closed before session.end.',
} as const

type State = {
  ended: boolean
  calls: Set<string>
  turns: Set<number>
  asks: Map<string, Answer>
  messages: Set<string | undefined>
  lastTurn: number
}
type Answer = 'permission.answer' | 'question.answer'

const newState = (lastTurn: number): State => ({
  ended: false,
  calls: new Set(),
  turns: new Set(),
  asks: new Map(),
  messages: new Set(),
  lastTurn,
})

const late: ReadonlySet<string> = new Set(['usage.update', 'notice', 'raw', 'issue'])
const outside: ReadonlySet<string> = new Set([...late, 'retry.start', 'run.start', 'run.end', 'phase.start', 'phase.end'])

export function order(): Order {
  const sessions = new Map<string | undefined, State>()
  let last = 0
  const breaks = (report: Report, code: keyof typeof rules, text: string): void => report({ code, severity: 'error', text })

  return {
    push(record: Rec, _tag, report) {
      const event = record as unknown as Event
      if (last !== 0 && event.seq !== last + 1) breaks(report, 'seq', `seq ${event.seq} after ${last}`)
      last = event.seq
      const { session, kind } = event
      const state = sessions.get(session)
      if (kind === 'session.start') {
        if (state !== undefined && !state.ended) breaks(report, 'start-first', 'a second session.start')
        return void sessions.set(session, newState(state?.lastTurn ?? 0))
      }
      if (state === undefined) {
        if (!outside.has(kind)) breaks(report, 'start-first', `${kind} before session.start`)
        return
      }
      if (state.ended) {
        if (!outside.has(kind)) breaks(report, 'one-end', `${kind} after session.end`)
        return
      }
      step(state, event, (code, text) => breaks(report, code, text))
    },
    pass(record) {
      if (typeof record['seq'] === 'number') last = record['seq']
    },
    end(report) {
      for (const [session, { ended }] of sessions)
        if (!ended) breaks(report, 'missing-end', `no session.end for ${session === undefined ? 'the session' : quoted(session)}`)
    },
    missing(next) {
      if (next !== undefined) return []
      const records: Rec[] = []
      for (const [session, state] of sessions) {
        if (state.ended) continue
        const base = (kind: string, rest: Rec): Rec => ({
          v: 1,
          seq: ++last,
          kind,
          ...(session === undefined ? {} : { session }),
          ...rest,
        })
        for (const call of state.calls) records.push(base('tool.end', { call, status: 'abandoned' }))
        for (const [id, kind] of state.asks) records.push(base(kind, { id, decision: 'withdrawn', by: 'unknown' }))
        for (const agent of state.messages) records.push(base('message.end', { finish: 'cut', ...(agent === undefined ? {} : { agent }) }))
        for (const turn of state.turns) records.push(base('turn.end', { turn, reason: 'cut' }))
        records.push(base('session.end', { reason: 'cut' }))
      }
      return records
    },
  }
}

function step(state: State, event: Event, breaks: (code: keyof typeof rules, text: string) => void): void {
  const { call } = event
  const lane = event.agent
  switch (event.kind) {
    case 'turn.start':
      if (event.turn !== undefined && event.turn <= state.lastTurn) breaks('turn-pair', `turn ${event.turn} after ${state.lastTurn}`)
      if (event.turn !== undefined) state.turns.add((state.lastTurn = event.turn))
      return
    case 'turn.end':
      if (event.turn !== undefined && !state.turns.delete(event.turn))
        breaks('turn-pair', `turn.end of turn ${event.turn}, which is not open`)
      return
    case 'message.start':
      if (state.messages.has(lane)) breaks('message-pair', 'message.start while a message is open')
      return void state.messages.add(lane)
    case 'message.end':
      if (!state.messages.delete(lane)) breaks('message-pair', 'message.end without message.start')
      return
    case 'tool.start':
      if (call !== undefined && state.calls.has(call)) breaks('tool-pair', `a second tool.start for ${quoted(call)}`)
      if (call !== undefined) state.calls.add(call)
      return
    case 'tool.end':
      if (call !== undefined && !state.calls.delete(call)) breaks('tool-pair', `tool.end for ${quoted(call)}, which is not open`)
      return
    case 'permission.request':
    case 'question.request':
      if (state.asks.has(event.id)) breaks('ask-pair', `a second request ${quoted(event.id)}`)
      return void state.asks.set(event.id, event.kind === 'permission.request' ? 'permission.answer' : 'question.answer')
    case 'permission.answer':
    case 'question.answer':
      if (event.id !== undefined) state.asks.delete(event.id)
      return
    case 'session.end': {
      const open = [
        ...state.calls,
        ...state.asks.keys(),
        ...[...state.messages].map((agent) => agent ?? 'message'),
        ...[...state.turns].map((turn) => `turn ${turn}`),
      ]
      if (open.length > 0)
        breaks(
          'open-at-end',
          `open at session.end: ${open
            .slice(0, 8)
            .map((id) => quoted(id))
            .join(', ')}`,
        )
      Object.assign(state, newState(state.lastTurn), { ended: true })
    }
  }
}
