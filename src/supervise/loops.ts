// Work that goes round in circles, and agents that stay when their work is done. A loop is told when it is found and ended when it goes
// on: a program that is asked again and again whether it is ready looks like one for a while.
import { plural, quoted } from '../base/text.ts'
import { createStallFinder, type Stall } from '../analyze/stall.ts'
import type { Event, Kind } from '../model/event.ts'
import { earlyMs, isOwn, type Policy, type PolicyAction, spanText } from './policy.ts'

export type LoopSettings = {
  /** How often the same calls may come one after another: until it is told, and until it is ended. */
  repeats?: { tell: number; stop: number } | undefined
  /** How often the context may be made smaller without work in between. */
  compactions?: { tell: number; stop: number } | undefined
  /** How long an agent that has told its result may say nothing and stay; for ever if not told. */
  lingerMs?: number | undefined
}

type Verdict = Exclude<Stall, { type: 'silence' }>

export function createLoops({
  repeats = { tell: 5, stop: 20 },
  compactions = { tell: 3, stop: 6 },
  lingerMs,
}: LoopSettings = {}): Required<Policy> {
  const told = createStallFinder({ silenceMs: Infinity, repeats: repeats.tell, compactions: compactions.tell })
  const ended = createStallFinder({ silenceMs: Infinity, repeats: repeats.stop, compactions: compactions.stop })
  const rest = createRest(lingerMs)
  let turnEnd: Event | undefined

  function push(event: Event, now: number | undefined): readonly PolicyAction[] {
    const [near, over] = [told.push(event, now), ended.push(event, now)]
    if (near.length === 0 && over.length === 0) return none
    return [...near.filter(isVerdict).map(warning), ...over.filter(isVerdict).flatMap(stopping)]
  }

  /** Only a prompt begins something new: an agent may take up its work by itself, and go on in circles in turn after turn. */
  function follow(event: Event, now: number | undefined): readonly PolicyAction[] {
    if (event.kind === 'turn.end') turnEnd = event
    if (event.kind === 'turn.end' || event.kind === 'turn.start') return isPrompt(event) ? begin(now) : none
    return isPrompt(event) ? [...begin(now), ...push(event, now)] : push(event, now)
  }

  function begin(now: number | undefined): readonly PolicyAction[] {
    const found = turnEnd === undefined ? none : push(turnEnd, now)
    turnEnd = undefined
    return found
  }

  return {
    deaf: lingerMs === undefined,
    step(event, now = event.at) {
      rest.see(event, now)
      return mayTurn.has(event.kind) ? follow(event, now) : none
    },
    tick: (now) => rest.tick(now),
    due: () => rest.due(),
  }
}

const none: readonly PolicyAction[] = []
/** Only these begin, end or go round a circle; silence, which any event breaks, is not looked for here. */
const mayTurn: ReadonlySet<Kind> = new Set([
  'prompt.submit',
  'turn.start',
  'turn.end',
  'tool.start',
  'tool.update',
  'tool.end',
  'task.start',
  'task.end',
  'context.trim',
  'session.end',
])
const isPrompt = (event: Event): boolean =>
  event.kind === 'turn.start'
    ? event.trigger === 'prompt'
    : event.kind === 'prompt.submit' && event.agent === undefined && (event.by === 'user' || event.by === 'host')
const isVerdict = (stall: Stall): stall is Verdict => stall.type !== 'silence' && !stall.over

const codeOf = ({ type }: Verdict): string => (type === 'loop' ? 'repeated_calls' : 'endless_compaction')

const warning = (verdict: Verdict): PolicyAction => ({
  type: 'notice',
  notice: { level: 'warn', code: `${codeOf(verdict)}_near`, text: textOf(verdict), data: verdict },
})

/** The evidence, and then the end. Whoever starts such a run again gets the same. */
function stopping(verdict: Verdict): PolicyAction[] {
  const [code, text] = [codeOf(verdict), textOf(verdict)]
  return [
    { type: 'notice', notice: { level: 'warn', code, text, data: verdict } },
    { type: 'stop', reason: 'degenerate', text, code, when: 'now' },
  ]
}

function textOf(verdict: Verdict): string {
  if (verdict.type === 'compaction') return `the context was made smaller ${plural(verdict.times, 'time')} with hardly any work in between`
  const calls = verdict.calls.map(({ name, subject }) => (subject === '' ? name : `${name} ${quoted(subject)}`)).join(', ')
  const what = verdict.calls.length === 1 ? 'the same call' : `the same ${verdict.calls.length} calls`
  return `${what} came ${plural(verdict.times, 'time')} one after another: ${calls}`
}

// ── after the result ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** What still runs in the background is not waited for in vain, so it counts as work. */
function createRest(lingerMs: number | undefined) {
  const tasks = new Set<string>()
  let isDone = false
  let main: string | undefined
  let last: { at: number; seq: number } | undefined
  const since = (): number | undefined => (lingerMs === undefined || !isDone || tasks.size > 0 ? undefined : last?.at)

  return {
    see(event: Event, now = last?.at ?? 0): void {
      if (lingerMs === undefined || isOwn(event) || event.kind === 'status.update') return
      last = { at: now, seq: event.seq }
      if (event.kind === 'session.start') main ??= event.session
      if (event.kind === 'task.start') tasks.add(event.task)
      else if (event.kind === 'task.end') tasks.delete(event.task)
      else if (event.agent !== undefined || (main !== undefined && (event.session ?? main) !== main)) return
      else if (event.kind === 'turn.end') isDone = true
      else if (event.kind === 'turn.start' || event.kind === 'prompt.submit' || event.kind === 'session.end') isDone = false
    },
    tick(now: number): PolicyAction[] {
      const from = since()
      if (lingerMs === undefined || from === undefined || now - from + earlyMs < lingerMs) return []
      isDone = false
      const code = 'lingers'
      const text = `the agent told its result and then nothing for ${spanText(lingerMs)}, but did not end`
      const data = { type: code, seq: last?.seq, from, to: now, forMs: now - from }
      return [
        { type: 'notice', notice: { level: 'warn', code, text, data } },
        { type: 'close', text, code },
      ]
    },
    due(): number | undefined {
      const from = since()
      return from === undefined ? undefined : from + lingerMs!
    },
  }
}
