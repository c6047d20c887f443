// Legal aictrl streams, schema version "1", after its event document: session_start, tool_catalog, steps, session_complete.
// Text and tools carry numbers that count per session; a subagent's tools count for themselves.
import type { Rec } from '../base/json.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { clockOf, models, taskOf, textOf, toolOf } from './words.ts'

const skills = ['commit', 'code-review', 'prüfung'] as const
const reasons = ['rate_limit', 'auth', 'timeout', 'oom', 'provider', 'unknown'] as const

export function aictrlSession(random: Random, { turns, tools, failures, extras }: Plan): Rec[] {
  const now = clockOf(random)
  const session = `ses_${random.hex(12)}`
  const envelope = extras && random.chance(0.3) // newer programs: an invocation around the session
  const invocation = random.uuid()
  const withIds = extras && random.chance(0.5) // newer programs: ids on every part
  const [provider, model] = random.chance(0.8) ? ['anthropic', models[0]] : ['openrouter', models[3]]
  const agent = random.pick(['default', 'build'])
  const seconds = random.chance(0.2) // the document's example tells part times in seconds
  const counters = new Map<string, number>()
  const records: Rec[] = []
  let message = ''

  const put = (type: string, fields: Rec = {}, sessionID = session): void =>
    void records.push({
      type,
      timestamp: now(),
      ...(envelope ? { schemaVersion: '1', invocationID: invocation } : {}),
      sessionID,
      ...fields,
    })

  /** Numbers are given when all records stand in their final order. */
  function part(type: string, tag: string, fields: Rec, owner = session, base: Rec = {}): Rec {
    const ids = withIds ? { id: `prt_${random.hex(10)}`, messageID: owner === session ? message : `msg_${owner}` } : {}
    return { type, timestamp: now(), ...base, sessionID: session, part: { ...ids, sessionID: owner, type: tag, ...fields } }
  }
  const time = (): Rec => {
    const start = now()
    const end = start + random.int(0, 5000)
    return seconds ? { start: Math.floor(start / 1000), end: Math.floor(end / 1000) } : { start, end }
  }

  // ── tools ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  function permission(type: string, call: string | undefined, tool: string, input: unknown, owner: string): Rec {
    const callID = call === undefined ? {} : { callID: call }
    return {
      type,
      timestamp: now(),
      sessionID: owner,
      ...callID,
      tool,
      permission: tool,
      patterns: random.some(1, 2, () => textOf(random)),
      input,
    }
  }

  function toolUse(call: string, tool: string, input: Rec, outcome: 'completed' | 'error', owner: string): Rec {
    const exit = tool === 'bash' ? { exit: random.pick([0, 0, 1, 127]), output: textOf(random) } : { truncated: false }
    const state =
      outcome === 'completed'
        ? {
            status: outcome,
            input,
            ...(random.chance(0.8) ? { output: textOf(random), title: textOf(random) } : {}),
            metadata: exit,
            time: time(),
          }
        : { status: outcome, input, error: `Error: ${textOf(random)}`, time: time() }
    return part('tool_use', 'tool', { tool, callID: call, state }, owner)
  }

  /** A call with its permission before it, and the skill that it loads. */
  function call(owner: string): Rec[] {
    const id = `call_${random.hex(8)}`
    const skill = random.pick(skills)
    const isSkill = random.chance(0.15)
    const { name, input } = isSkill ? { name: 'skill', input: { name: skill } } : toolOf(random, true)
    const rejected = failures && random.chance(0.25)
    const made: Rec[] = []
    if (rejected) made.push(permission('permission_rejected', id, name, input, owner))
    else if (random.chance(0.5)) made.push(permission('permission_granted', id, name, random.chance(0.9) ? input : null, owner))
    if (isSkill && !rejected)
      made.push({
        type: 'skill_loaded',
        timestamp: now(),
        sessionID: session,
        name: skill,
        location: `/home/dev/.claude/skills/${skill}/SKILL.md`,
      })
    if (name === 'read' && random.chance(0.4)) {
      made.push({
        type: 'skill_resource_loaded',
        timestamp: now(),
        sessionID: session,
        skillName: skill,
        filePath: `/home/dev/.claude/skills/${skill}/a b.md`,
      })
    }
    return [...made, toolUse(id, name, input, rejected || (failures && random.chance(0.2)) ? 'error' : 'completed', owner)]
  }

  function subagent(owner: string, depth: number): Rec[] {
    const child = `ses_${random.hex(12)}`
    const input = taskOf(random)
    const frame = (type: string, fields: Rec = {}): Rec => ({
      type,
      timestamp: now(),
      sessionID: session,
      subagentSessionID: child,
      parentSessionID: owner,
      ...fields,
    })
    const inner = random.some(0, 3, () => (depth < 2 && random.chance(0.2) ? subagent(child, depth + 1) : call(child)))
    const trouble = failures && random.chance(0.2) ? [errorOf(child)] : []
    const asked = random.chance(0.3) ? [permission('permission_granted', undefined, 'task', null, owner)] : []
    const body = interleaved([...inner, trouble], random)
    return [
      ...asked,
      frame('subagent_start', { title: String(input['description']) }),
      ...body,
      frame('subagent_complete'),
      toolUse(`call_${random.hex(8)}`, 'task', input, 'completed', owner),
    ]
  }

  const errorOf = (source: string): Rec => ({
    type: 'error',
    timestamp: now(),
    sessionID: session,
    error: random.pick([
      { name: 'Unknown', data: { message: textOf(random) } },
      { name: 'APIError', data: { message: 'Overloaded', statusCode: 529, isRetryable: true, responseBody: textOf(random) } },
      { name: 'ProviderAuthError', data: { providerID: provider, message: 'no key' } },
    ]),
    sourceSessionID: source,
  })

  // ── one model call ─────────────────────────────────────────────────────────────────────────────────────────────────────

  function complete(finish: string): void {
    const tokens = {
      input: random.int(0, 5000),
      output: random.int(0, 900),
      reasoning: random.int(0, 300),
      cache: { read: random.int(0, 90_000), write: random.int(0, 4000) },
    }
    const used = tokens.input + tokens.cache.read + tokens.cache.write
    const limit = random.pick([200_000, 1000])
    const price = (): number => random.int(0, 1e6) / 1e6
    put('message_complete', {
      ...(withIds ? { messageID: message } : {}),
      modelID: model,
      providerID: provider,
      agent,
      cost: { input: price(), output: price(), cache: { read: price(), write: 0 } },
      tokens,
      context: random.chance(0.8) ? { used, limit, ratio: used / limit } : null,
      finish,
    })
  }

  function step(last: boolean): void {
    message = `msg_${random.hex(10)}`
    for (const name of random.chance(0.3) ? skills : [])
      put('skill_discovered', { name, description: textOf(random), location: `/home/dev/.claude/skills/${name}/SKILL.md` })
    records.push(part('step_start', 'step-start', {}))
    if (random.chance(0.4)) records.push(part('reasoning', 'reasoning', { text: textOf(random), time: time() }))
    const acts = tools && !last
    if (!acts || random.chance(0.6))
      records.push(...random.some(1, acts ? 1 : 2, () => part('text', 'text', { text: textOf(random), time: time() })))
    if (acts)
      records.push(
        ...interleaved(
          random.some(1, 3, () => (random.chance(0.2) ? subagent(session, 1) : call(session))),
          random,
        ),
      )
    records.push(part('step_finish', 'step-finish', {}))
    complete(acts ? 'tool-calls' : random.chance(0.9) ? 'end_turn' : 'max_tokens')
  }

  // ── the session ────────────────────────────────────────────────────────────────────────────────────────────────────────

  if (envelope) records.push({ type: 'invocation_start', timestamp: now(), schemaVersion: '1', invocationID: invocation })
  put('session_start', {
    schemaVersion: '1',
    model: `${provider}/${model}`,
    agent,
    permissions: random.some(0, 3, () => ({
      permission: random.pick(['bash', 'write', '*']),
      pattern: '*',
      action: random.pick(['allow', 'ask', 'deny']),
    })),
  })
  put('tool_catalog', {
    tools: [
      { name: 'echo_say', source: 'mcp', server: 'echo' },
      ...random.some(0, 4, () => ({ name: toolOf(random, true).name, source: 'builtin' })),
    ],
    skills: random.some(0, 2, () => ({ name: random.pick(skills), version: random.pick(['1.4.0', null]) })),
  })
  const zeroTurns = failures && random.chance(0.1)
  const steps = zeroTurns ? 0 : turns + (tools ? random.int(0, 2) : 0)
  for (let turn = 1; turn <= steps; turn++) {
    step(turn === steps)
    if (failures && random.chance(0.15)) records.push(errorOf(session))
  }
  const broken = zeroTurns || (failures && random.chance(0.4))
  const trouble = textOf(random)
  if (broken) {
    records.push(errorOf(session))
    put('session_error', {
      reason: random.pick(reasons),
      ...(random.chance(0.5) ? { code: random.pick(['429', '401', '500', '130']) } : {}),
      message: trouble,
    })
  }
  put('session_complete', { durationMs: random.int(0, 1e6), error: broken ? trouble : null })
  if (envelope)
    records.push({
      type: 'invocation_complete',
      timestamp: now(),
      schemaVersion: '1',
      invocationID: invocation,
      sessionID: session,
      status: broken ? 'error' : 'completed',
      durationMs: 12,
    })

  for (const record of records) {
    if (record['type'] !== 'text' && record['type'] !== 'reasoning' && record['type'] !== 'tool_use') continue
    const owner = String((record['part'] as Rec)['sessionID'])
    counters.set(owner, (counters.get(owner) ?? 0) + 1)
    record['sequenceNum'] = counters.get(owner)
  }
  return records
}
