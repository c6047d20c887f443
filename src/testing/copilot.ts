// Legal Copilot streams: a run's JSON output or the session file of it. Both are made by the same hand: what is ephemeral never
// reaches the file, and the file has records that stdout does not show.
import type { Rec } from '../base/json.ts'
import { besideOf } from './copilot-beside.ts'
import { createCopilotCalls, tokensOf } from './copilot-call.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'
import { clockOf, models, textOf } from './words.ts'

/** `e`: ephemeral, on stdout only. `f`: in the file only. */
export type Where = 'e' | 'f' | undefined
export type Make = (type: string, data: Rec, where?: Where, agent?: string) => Rec[]

export function copilotRun(random: Random, plan: Plan): Rec[] {
  const live = random.chance(0.6)
  const now = clockOf(random)
  const native = random.uuid()
  const model = random.pick(models)
  const stamp = (): string => new Date(now()).toISOString()
  let parent: string | null = null

  const make: Make = (type, data, where, agent) => {
    if (where === (live ? 'f' : 'e')) return []
    const record: Rec = {
      type,
      data,
      ...(where === 'e' ? { ephemeral: true } : {}),
      id: random.uuid(),
      timestamp: stamp(),
      parentId: parent,
      ...(agent === undefined ? {} : { agentId: agent }),
    }
    if (where !== 'e') parent = record['id'] as string
    return [record]
  }
  const modelCall = createCopilotCalls(random, plan, make, model)
  const beside = (): Rec[] => (plan.extras && random.chance(0.4) ? random.some(1, 3, () => besideOf(random, make)).flat() : [])

  const start = { sessionId: native, version: 1, copilotVersion: '1.0.102', selectedModel: model, context: { cwd: '/home/dev/a b' } }
  const made: Rec[] = [
    ...make('session.start', start, 'f'),
    ...make(
      'session.skills_loaded',
      { skills: random.some(0, 2, () => ({ name: 'greet', path: '/home/dev/skills/greet/SKILL.md' })) },
      'e',
    ),
    ...make('session.mcp_servers_loaded', { servers: [{ name: 'echo', status: random.pick(['connected', 'disabled']) }] }, 'e'),
    ...make('session.tools_updated', { model }, 'e'),
    ...beside(),
  ]
  let failed = false

  for (let turn = 0; turn < plan.turns && !failed; turn++) {
    const interactionId = random.uuid()
    const delivery = random.chance(0.8) ? { delivery: turn > 0 ? random.pick(['idle', 'queued']) : 'idle' } : {}
    made.push(...make('user.message', { content: textOf(random), messageId: random.uuid(), ...delivery, interactionId, turnId: '0' }))
    made.push(...make('system.message', { role: 'system', content: 'You are Copilot.', interactionId }, 'f'))
    const steps = plan.tools ? random.int(1, 3) : 1
    for (let step = 0; step < steps; step++) {
      made.push(...modelCall({ turnId: String(step), last: step === steps - 1 }), ...beside())
      if (random.chance(0.1)) made.push(...make('user.message', { content: textOf(random), delivery: 'steering' }))
    }
    const trouble = plan.failures && random.chance(0.3) ? random.pick(['error', 'abort']) : undefined
    if (trouble === 'error') {
      failed = true
      const data = { errorType: random.pick(['authentication', 'rate_limit', 'quota', 'query']), message: textOf(random), statusCode: 401 }
      made.push(...make('session.error', data))
    } else if (trouble === 'abort') {
      made.push(...make('agent.interrupted', { activity: 'model_call', elapsedMs: random.int(1, 9000) }, 'e'))
      made.push(...make('abort', { reason: random.pick(['user_abort', 'remote_command', 'autopilot_credit_limit']) }))
    }
    made.push(...make(random.pick(['assistant.idle', 'session.idle']), trouble === 'abort' ? { aborted: true } : {}, 'e'))
  }

  const codeChanges = { linesAdded: 2, linesRemoved: 1, filesModified: random.some(0, 2, () => '/home/dev/ü.ts') }
  if (live)
    made.push({
      type: 'result',
      timestamp: stamp(),
      sessionId: native,
      exitCode: failed ? 1 : 0,
      usage: { premiumRequests: 0, totalApiDurationMs: random.int(0, 9000), sessionDurationMs: random.int(0, 9000), codeChanges },
    })
  else
    made.push(
      ...make('session.shutdown', {
        shutdownType: failed && random.chance(0.3) ? 'error' : 'routine',
        totalApiDurationMs: random.int(0, 9000),
        sessionStartTime: now() - 5000,
        codeChanges,
        modelMetrics: random.chance(0.8) ? { [model]: { requests: { count: 2 }, usage: tokensOf(random) } } : {},
      }),
    )
  return !live && random.chance(0.2) ? [...made, ...resumed(random, make, model, modelCall)] : made
}

/** The file goes on where the session is taken up again. */
function resumed(random: Random, make: Make, model: string, modelCall: ReturnType<typeof createCopilotCalls>): Rec[] {
  return [
    ...make('session.resume', { resumeTime: '2026-11-15T20:04:06.459Z', eventCount: 9, selectedModel: model }),
    ...make('user.message', { content: textOf(random), delivery: 'idle' }),
    ...modelCall({ turnId: '0', last: true }),
    ...make('session.shutdown', { shutdownType: 'routine', modelMetrics: {} }),
  ]
}
