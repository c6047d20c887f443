// The order of a run on stdout, init … result, and of a chat file, which has no end. The one object of `--output-format json` is
// whole by itself. Where the program itself is known to break a rule, the finding is a warning.
import { isRecord, type Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { Order, Report } from '../contract.ts'
import type { Message, Wire } from './wire.ts'

export const rules = {
  'init-first': 'A run begins with init; only an error or a result may stand without it.',
  'prompt-first': "The user's message stands before the first word and the first call of the agent.",
  'result-last': 'result ends a run, once; only another init follows it.',
  'missing-end': 'Every run ends with result.',
  'unknown-call': 'A tool_result answers a tool_use that is open.',
  'call-once': 'A tool_use opens its call once.',
  'unanswered-call': 'Every tool_use is answered before a result that says success.',
  'header-first': 'A chat file begins with its header.',
  'listed-call': 'A functionResponse in a chat file answers a call that a message before it lists.',
} as const

type Breaks = (code: keyof typeof rules, text: string, severity?: 'error' | 'warn') => void

const mostCalls = 4096
const events: ReadonlySet<string> = new Set(['init', 'message', 'tool_use', 'tool_result', 'error', 'result'])

export function order(): Order {
  let tell: Report // of the record that is being judged
  const breaks: Breaks = (code, text, severity = 'error') => tell({ code, severity, text })
  const run = runOrder(breaks)
  const chat = chatOrder(breaks)

  return {
    push(record: Rec, tag, report) {
      tell = report
      if (events.has(tag)) run.push(record, tag)
      else if (tag !== 'output') chat.push(record, tag)
    },
    end(report) {
      tell = report
      run.end()
    },
    missing: (next, tag) =>
      next === undefined || events.has(tag ?? '') ? run.missing(next, tag) : tag === 'output' ? [] : chat.missing(next, tag),
  }
}

// ── a run on stdout ──────────────────────────────────────────────────────────────────────────────────────────────────────

function runOrder(breaks: Breaks) {
  let phase: 'before' | 'open' | 'over' = 'before'
  let prompted = false
  let strayed = false // what follows a result is said once
  let timestamp: string | undefined
  const calls = new Set<string>()

  function open(): void {
    phase = 'open'
    prompted = strayed = false
    calls.clear()
  }

  const openCalls = (): string =>
    calls.size === 0
      ? ''
      : `, with open calls: ${[...calls]
          .slice(0, 8)
          .map((id) => quoted(id))
          .join(', ')}`

  function push(record: Rec, tag: string): void {
    if (typeof record['timestamp'] === 'string') timestamp = record['timestamp']
    if (tag === 'init') {
      if (phase === 'open') breaks('missing-end', `init, but the run before it has no result${openCalls()}`)
      return open()
    }
    if (phase === 'over') {
      if (!strayed) breaks('result-last', tag === 'result' ? 'a second result' : `${tag} after result`)
      strayed = tag !== 'result'
      return
    }
    if (phase === 'before' && tag !== 'error' && tag !== 'result') {
      breaks('init-first', `${tag} before init`)
      open()
    }
    step(record, tag)
  }

  function step(record: Rec, tag: string): void {
    switch (tag) {
      case 'message':
        if ((record as Wire<'message'>).role === 'user') prompted = true
        else spoken('an answer')
        return
      case 'tool_use': {
        const { tool_id: id } = record as Wire<'tool_use'>
        spoken('a call')
        if (calls.has(id)) breaks('call-once', `a second tool_use for ${quoted(id)}, which is open`)
        calls.add(id)
        if (calls.size > mostCalls) calls.delete(calls.values().next().value!)
        return
      }
      case 'tool_result': {
        const { tool_id: id } = record as Wire<'tool_result'>
        if (!calls.delete(id)) breaks('unknown-call', `tool_result for ${quoted(id)}, which is not open`)
        return
      }
      case 'result':
        if ((record as Wire<'result'>).status === 'success' && calls.size > 0)
          breaks('unanswered-call', `the result says success${openCalls()}`, 'warn') // a hook may stop the run in between
        phase = 'over'
        calls.clear()
    }
  }

  function spoken(what: string): void {
    if (!prompted) breaks('prompt-first', `${what} before the user's message`)
    prompted = true
  }

  const prompt = (): Rec => ({ type: 'message', timestamp, role: 'user', content: '' })
  const results = (): Rec[] =>
    [...calls].map((id) => ({
      type: 'tool_result',
      timestamp,
      tool_id: id,
      status: 'error',
      error: { type: 'abandoned', message: 'the call has no result' },
    }))
  const end = (): Rec => ({
    type: 'result',
    timestamp,
    status: 'error',
    error: { type: 'unknown', message: 'the stream ended before the result' },
  })

  return {
    push,
    end(): void {
      if (phase === 'open') breaks('missing-end', `the stream ends without a result${openCalls()}`)
    },
    missing(next: Rec | undefined, tag: string | undefined): Rec[] {
      if (next === undefined || tag === 'init') return phase === 'open' ? [...results(), end()] : []
      if (tag === 'result') return next['status'] === 'success' ? results() : []
      if (phase === 'over' || tag === 'error') return []
      const speaks = tag === 'tool_use' || (tag === 'message' && next['role'] !== 'user')
      if (phase === 'before') return [{ type: 'init', timestamp: next['timestamp'] }, ...(speaks ? [prompt()] : [])]
      return speaks && !prompted ? [prompt()] : []
    },
  }
}

// ── a chat file ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function chatOrder(breaks: Breaks) {
  let headed = false
  const calls = new Set<string>() // the last that were listed

  function list(message: Message): void {
    for (const { id } of message.toolCalls ?? []) {
      calls.add(id)
      if (calls.size > mostCalls) calls.delete(calls.values().next().value!)
    }
  }

  return {
    push(record: Rec, tag: string): void {
      if (tag === 'header' || tag === 'conversation') calls.clear()
      else if (!headed) breaks('header-first', `${tag} before the header`)
      headed = true
      if (tag === 'conversation') for (const message of (record as Wire<'conversation'>).messages) list(message)
      else if (tag === 'gemini') list(record as Message)
      else if (tag === 'user')
        for (const id of answeredIn((record as Wire<'user'>).content))
          if (!calls.has(id)) breaks('listed-call', `functionResponse for ${quoted(id)}, which no message lists`, 'warn')
    },
    missing: (_next: Rec, tag: string | undefined): Rec[] =>
      headed || tag === 'header' || tag === 'conversation' ? [] : [{ sessionId: 'session-1', projectHash: '' }],
  }
}

const answeredIn = (content: unknown): string[] =>
  Array.isArray(content)
    ? content.flatMap((part: unknown) => {
        const answer = isRecord(part) ? part['functionResponse'] : undefined
        return isRecord(answer) && typeof answer['id'] === 'string' ? [answer['id']] : []
      })
    : []
