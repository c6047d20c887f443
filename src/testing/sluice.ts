// Legal streams of canonical events, after the model's own order rules: every kind, with and without messages, times and
// names. A stream like this has no source dialect, so writers meet events here that no decoder would give them.
import type { Rec } from '../base/json.ts'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import { toolKindOf } from '../model/tool-kind.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { sideEvents } from './sluice-beside.ts'
import { clockOf, models, objectOf, piecesOf, taskOf, textOf, toolOf, valueOf } from './words.ts'

type Started = { start: Event[]; rest: Event[] }

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

  // ── tools ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function ask(call: string, name: string, input: Rec, place: Place): Event[] {
    const id = `ask-${random.hex(6)}`
    const allow = !failures || random.chance(0.6)
    const options = [
      { id: 'yes', kind: 'allow_once' as const, label: 'Yes' },
      { id: 'no', kind: 'reject_once' as const },
    ]
    return [
      make('permission.request', { id, name, toolKind: toolKindOf(name), input, question: textOf(random), options }, { ...place, call }),
      make(
        'permission.answer',
        {
          id,
          decision: allow ? 'allow' : 'reject',
          option: allow ? 'yes' : 'no',
          by: random.pick(['user', 'host', 'policy']),
          scope: 'once',
        },
        { ...place, call },
      ),
    ]
  }

  function question(call: string, place: Place): Event[] {
    const id = `question-${random.hex(6)}`
    return [
      make(
        'question.request',
        {
          id,
          questions: [{ text: 'Which colour?', header: 'Colour', options: [{ label: 'Red', description: 'warm' }, { label: 'Blue' }] }],
        },
        { ...place, call },
      ),
      make('question.answer', { id, decision: 'allow', answers: { 'Which colour?': 'Red' }, by: 'user' }, { ...place, call }),
    ]
  }

  function ending(name: string): Payload<'tool.end'> {
    if (failures && random.chance(0.25)) {
      const status = random.pick(['error', 'denied', 'cancelled', 'abandoned'] as const)
      return status === 'error' ? { status, text: textOf(random), error: { category: 'unknown', text: textOf(random) } } : { status }
    }
    const told = random.pick<Omit<Payload<'tool.end'>, 'status'>>([
      { text: textOf(random) },
      { data: valueOf(random) },
      { text: textOf(random), data: objectOf(random) },
      { content: [{ type: 'text', text: textOf(random) }] },
    ])
    return {
      status: 'ok',
      ...told,
      ...(name === 'Bash' ? { exitCode: failures ? random.pick([0, 0, 3]) : 0 } : {}),
      ...(random.chance(0.5) ? { durationMs: random.int(0, 9000) } : {}),
    }
  }

  /** `start` belongs to the message, with the input that may come in pieces; the rest may follow its end. */
  function toolCall(place: Place): Started {
    const { name, input } = random.chance(0.1) ? { name: 'AskUserQuestion', input: { questions: [] } } : toolOf(random)
    const call = `call-${random.hex(8)}`
    const where = { ...place, call }
    const later = { agent: place.agent, call }
    const wholeLater = random.chance(0.15)
    return {
      start: [
        make(
          'tool.start',
          { name, toolKind: toolKindOf(name), ...(wholeLater ? {} : { input }), ...(random.chance(0.2) ? { title: textOf(random) } : {}) },
          where,
        ),
        ...(wholeLater
          ? [
              ...piecesOf(JSON.stringify(input), random).map((text) => make('tool.delta', { of: 'input', text }, where)),
              make('tool.update', { state: 'pending', input }, where),
            ]
          : []),
      ],
      rest: [
        ...(name === 'AskUserQuestion' ? question(call, later) : random.chance(0.3) ? ask(call, name, input, later) : []),
        ...(random.chance(0.2)
          ? [
              make('tool.update', { state: 'running', elapsedMs: random.int(0, 9000) }, later),
              make('tool.delta', { of: 'output', text: textOf(random), stream: 'stdout' }, later),
            ]
          : []),
        make('tool.end', ending(name), later),
      ],
    }
  }

  /** A call that a subagent does: its own messages and tools in a lane of its own. */
  function delegated(place: Place): Started {
    const call = `call-${random.hex(8)}`
    const task = `task-${random.hex(6)}`
    const isAgent = random.chance(0.7)
    const input = isAgent ? taskOf(random) : { command: 'sleep 1', run_in_background: true }
    const lane = { agent: task }
    const inner = isAgent
      ? random
          .some(0, 2, () => [...(random.chance(0.5) ? say('text', lane) : []), ...together(random.some(1, 2, () => toolCall(lane)))])
          .flat()
      : []
    const status = failures && random.chance(0.2) ? ('error' as const) : ('ok' as const)
    return {
      start: [make('tool.start', { name: isAgent ? 'Agent' : 'Bash', toolKind: isAgent ? 'task' : 'execute', input }, { ...place, call })],
      rest: [
        make(
          'task.start',
          { task, type: isAgent ? 'agent' : 'command', title: textOf(random), background: !isAgent },
          { agent: place.agent, call },
        ),
        ...(isAgent && random.chance(0.5)
          ? [make('prompt.submit', { text: String(input['prompt']), by: 'agent', state: 'sent' }, lane)]
          : []),
        ...inner,
        ...(random.chance(0.5)
          ? [make('task.update', { task, state: 'running', tokens: random.int(0, 900), lastTool: 'Read' }, { agent: place.agent })]
          : []),
        make('task.end', { task, status, text: textOf(random) }, { agent: place.agent }),
        make('tool.end', { status, text: textOf(random) }, { agent: place.agent, call }),
      ],
    }
  }
  const together = (calls: Started[]): Event[] => [
    ...calls.flatMap(({ start }) => start),
    ...interleaved(
      calls.map(({ rest }) => rest),
      random,
    ),
  ]

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
