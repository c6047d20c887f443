// Calls in a made-up stream of canonical events: whole or in pieces, asked about, done by a subagent or in the background.
import type { Rec } from '../base/json.ts'
import type { Event, Payload, Place } from '../model/event.ts'
import { toolKindOf } from '../model/tool-kind.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import type { Put } from './sluice.ts'
import { objectOf, piecesOf, taskOf, textOf, toolOf, valueOf } from './words.ts'

/** `start` belongs to the message, with the input that may come in pieces; the rest may follow the message's end. */
type Started = { start: Event[]; rest: Event[] }

export function createSluiceTools(random: Random, { failures }: Plan, make: Put, speak: (place: Place) => Event[]) {
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
      ? random.some(0, 2, () => [...(random.chance(0.5) ? speak(lane) : []), ...together(random.some(1, 2, () => toolCall(lane)))]).flat()
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

  return { toolCall, delegated }
}
