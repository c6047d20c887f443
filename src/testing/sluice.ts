// Legal streams of canonical events, after the model's own order rules: every kind, with and without messages, times and
// names. A stream like this has no source dialect, so writers meet events here that no decoder would give them.
import type { Rec } from '../base/json.ts'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { sideEvents } from './sluice-beside.ts'
import { createSluiceTools } from './sluice-tool.ts'
import { clockOf, models, piecesOf, textOf } from './words.ts'

/** Numbers are given by `numbered`, when all events stand in their final order. */
export type Put = <K extends Kind>(kind: K, payload: Payload<K>, place?: Place) => Event

export function sluiceSession(random: Random, plan: Plan): Rec[] {
  const { alone, turns, deltas, tools, failures, extras } = plan
  const now = clockOf(random)
  const timed = random.chance(0.8)
  const session = !alone || random.chance(0.85) ? `ses-${random.hex(8)}` : undefined
  const run = session !== undefined && extras && random.chance(0.3) ? `run-${random.hex(4)}` : undefined
  const messages = random.chance(0.6)
  const events: Event[] = []
  let turn: number | undefined
  let message: string | undefined
  let block = 0

  const make: Put = (kind, payload, place = {}) => {
    const where = { session, run, turn, ...place }
    const event: Rec = { v: 1, seq: 0, at: timed ? now() : undefined, kind, ...where, ...payload }
    for (const key in event) if (event[key] === undefined) delete event[key]
    return event as unknown as Event // kind and payload belong together
  }
  const put: Put = (kind, payload, place) => {
    const event = make(kind, payload, place)
    events.push(event)
    return event
  }
  const outside: Place = { turn: undefined }

  // ── what is said ───────────────────────────────────────────────────────────────────────────────────────────────────────

  function say(what: 'text' | 'thought', place: Place): Event[] {
    const text = textOf(random)
    const where = { ...place, block: block++ }
    const extra = what === 'thought' && random.chance(0.2) ? { signature: random.hex(8) } : {}
    if (!deltas) return [make(`${what}.end`, { text, streamed: false, ...extra }, where)]
    const parts = piecesOf(text, random).map((piece) => make(`${what}.delta`, { text: piece }, where))
    return [...parts, make(`${what}.end`, { ...(random.chance(0.7) ? { text } : {}), streamed: true, ...extra }, where)]
  }

  const usage = () => ({
    input: random.int(0, 900),
    output: random.int(0, 900),
    ...(random.chance(0.5) ? { reasoning: random.int(0, 90), cacheRead: random.int(0, 9000), cacheWrite: random.int(0, 90) } : {}),
  })

  const { toolCall, delegated } = createSluiceTools(random, plan, make, (place) => say('text', place))

  // ── turns ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function step(acts: boolean): void {
    message = messages ? `msg-${random.hex(6)}` : undefined
    if (messages) block = 0
    const place = { message }
    if (messages) put('message.start', { model: models[0], provider: 'anthropic' }, place)
    if (random.chance(0.3)) events.push(...say('thought', place))
    if (!acts || random.chance(0.6)) events.push(...say('text', place))
    if (random.chance(0.05)) put('content.end', { type: 'image', mime: 'image/png', data: 'iVBORw0KGgo=' }, { ...place, block: block++ })
    const calls = acts ? random.some(1, 3, () => (random.chance(0.15) ? delegated(place) : toolCall(place))) : []
    events.push(...calls.flatMap(({ start }) => start))
    const rests = calls.map(({ rest }) => rest)
    const end = messages
      ? [
          make(
            'message.end',
            { finish: acts ? 'tool_use' : 'end_turn', model: models[0], provider: 'anthropic', usage: usage(), usageFinal: true },
            place,
          ),
        ]
      : []
    events.push(...(random.chance(0.5) ? [...end, ...interleaved(rests, random)] : [...interleaved(rests, random), ...end]))
  }

  function withdrawn(): void {
    const place = { message: `msg-${random.hex(6)}` }
    put('message.start', {}, place)
    for (const piece of piecesOf(textOf(random), random)) put('text.delta', { text: piece }, { ...place, block: 0 })
    put('message.drop', { fromBlock: 0, why: 'stream_error' }, place)
    put('message.end', { finish: 'error' }, place)
  }

  const beside = (): void => {
    if (extras && random.chance(0.5)) events.push(...sideEvents(random, make))
  }

  if (run !== undefined)
    put('run.start', { label: textOf(random), maxIterations: 1, prePhases: 0, loopPhases: 1 }, { ...outside, session: undefined })
  if (run !== undefined) put('phase.start', { name: 'review', iteration: 1, stage: 'loop' }, { ...outside, session: undefined })
  put(
    'session.start',
    { native: session, program: 'made-up', model: models[0], provider: 'anthropic', agentName: 'build', cwd: '/home/dev/a b', how: 'new' },
    outside,
  )
  if (random.chance(0.5))
    put(
      'catalog.update',
      {
        tools: [
          { name: 'Bash', source: 'builtin' },
          { name: 'echo_say', source: 'mcp', server: 'echo' },
        ],
        skills: [{ name: 'commit', version: '1.0.0' }],
      },
      outside,
    )
  let fault: { category: 'rate_limit'; text: string } | undefined
  for (let count = 1; count <= turns; count++) {
    turn = count
    put('turn.start', { trigger: 'prompt' })
    put('prompt.submit', { text: textOf(random), by: 'user', state: 'sent' })
    for (let left = tools ? random.int(0, 2) : 0; left > 0; left--) {
      step(true)
      beside()
    }
    if (deltas && failures && messages && random.chance(0.15)) withdrawn()
    step(false)
    beside()
    fault = failures && random.chance(0.25) ? { category: 'rate_limit', text: textOf(random) } : undefined
    if (fault !== undefined && random.chance(0.5)) put('error', { scope: 'turn', fatal: true, error: fault })
    put('turn.end', { reason: fault === undefined ? 'end_turn' : 'error', error: fault, usage: usage(), durationMs: random.int(0, 9000) })
    turn = undefined
  }
  put(
    'session.end',
    { reason: fault === undefined ? 'end_turn' : 'error', error: fault, usage: usage(), durationMs: random.int(0, 90_000) },
    outside,
  )
  if (run !== undefined)
    put(
      'phase.end',
      { name: 'review', iteration: 1, reason: 'end_turn', marker: { type: 'exit', label: 'green' } },
      { ...outside, session: undefined },
    )
  if (run !== undefined) put('run.end', { reason: 'exit', label: 'green', iterations: 1 }, { ...outside, session: undefined })
  return events as unknown as Rec[] // an event is a record of its own dialect
}

/** `seq` from 1, without a gap. */
export const numbered = (records: readonly Rec[]): Rec[] => records.map((record, index) => ({ ...record, seq: index + 1 }))
