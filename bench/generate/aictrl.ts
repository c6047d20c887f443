/**
 * aictrl schema 1 in the shapes of its document, plus the ids its program adds to parts. Each model call: skills listed,
 * step_start, reasoning, text, tools, step_finish, message_complete. Part times are milliseconds.
 */
import { WIDE, type Emit, type Generator } from './contract.ts'
import type { Random } from './random.ts'
import type { Text } from './text.ts'

const MODEL = { providerID: 'anthropic', modelID: 'claude-sonnet-4-20250514' }
/** Context windows; with the second one a ratio has some 17 digits, as it has with most. */
const LIMITS = [200_000, 200_000, 200_000, 272_000]
const HOME = '/home/dev/.aictrl/skills'
const SKILLS = ['commit', 'code-review']
const BUILTIN = 'bash read write edit grep glob webfetch task skill todowrite'.split(' ')

export function createAictrl(random: Random, text: Text): Generator {
  const { int, spread, chance, pick, base62 } = random
  let clock = Date.parse('2026-11-15T08:00:00.000Z')
  let write: Emit = () => {}
  let session = ''
  let message = ''
  let sequence = 0
  let context = 0
  let limit = 0

  const emit = (type: string, keys: object, from = session): void => {
    clock += int(1, 400)
    write({ type, timestamp: clock, sessionID: from, ...keys })
  }
  const part = (type: string, keys: object, owner = session): object => ({
    part: { id: `prt_${base62(18)}`, sessionID: owner, messageID: message, type, ...keys },
  })
  const span = (): object => ({ start: clock - int(50, 5000), end: clock })

  const input = (tool: string): object => {
    if (tool === 'bash') return { command: text.command(), description: text.sentence() }
    if (tool === 'edit') return { filePath: text.path(), oldString: text.code(90), newString: text.code(120) }
    if (tool === 'write') return { filePath: text.path(), content: text.code(spread(100, 4000)) }
    return tool === 'grep' ? { pattern: text.identifier(), path: 'src' } : { filePath: text.path() }
  }

  const tool = (owner: string, number: number): void => {
    const name = pick(['bash', 'bash', 'read', 'read', 'read', 'edit', 'write', 'grep'])
    const callID = `toolu_01${base62(22)}`
    const args = input(name)
    const ask = { callID, tool: name, permission: name, patterns: [text.path()], input: args }
    const rejected = chance(0.02)
    if (rejected || chance(0.3)) emit(rejected ? 'permission_rejected' : 'permission_granted', ask, owner)
    const failed = { status: 'error', input: args, error: 'Error: The user rejected permission', time: span() }
    const output = text.code(spread(40, 9000), chance(WIDE))
    const metadata = name === 'bash' ? { exit: chance(0.1) ? 1 : 0, output } : { truncated: false }
    const done = { status: 'completed', input: args, output, title: text.path(), metadata, time: span() }
    const state = rejected ? failed : done
    emit('tool_use', { ...part('tool', { callID, tool: name, state }, owner), sequenceNum: number })
  }

  const subagent = (): void => {
    const child = `ses_${base62(24)}`
    const ids = { subagentSessionID: child, parentSessionID: session }
    const title = text.sentence()
    const parent = message
    message = `msg_${base62(20)}`
    emit('subagent_start', { ...ids, title })
    for (let step = 1, last = int(1, 5); step <= last; step++) tool(child, step)
    emit('subagent_complete', ids)
    message = parent
    const args = { description: title, prompt: text.prose(300), subagent_type: 'general' }
    const output = text.prose(spread(200, 2500))
    const metadata = { sessionId: child, truncated: false }
    const state = { status: 'completed', input: args, output, title, metadata, time: span() }
    const callID = `toolu_01${base62(22)}`
    emit('tool_use', { ...part('tool', { callID, tool: 'task', state }), sequenceNum: ++sequence })
  }

  const skill = (): void => {
    const name = pick(SKILLS)
    const args = { name }
    const callID = `toolu_01${base62(22)}`
    emit('permission_granted', { callID, tool: 'skill', permission: 'skill', patterns: [name], input: args })
    emit('skill_loaded', { name, location: `${HOME}/${name}/SKILL.md` })
    const state = { status: 'completed', input: args, output: text.prose(900), title: name, metadata: {}, time: span() }
    emit('tool_use', { ...part('tool', { callID, tool: 'skill', state }), sequenceNum: ++sequence })
    emit('skill_resource_loaded', { skillName: name, filePath: `${HOME}/${name}/templates/default.md` })
  }

  const step = (last: boolean): void => {
    message = `msg_${base62(20)}`
    for (const name of SKILLS) {
      emit('skill_discovered', { name, description: text.sentence(), location: `${HOME}/${name}/SKILL.md` })
    }
    emit('step_start', part('step-start', {}))
    if (chance(0.5)) {
      const thought = text.prose(spread(100, 2500), chance(WIDE))
      emit('reasoning', { ...part('reasoning', { text: thought, time: span() }), sequenceNum: ++sequence })
    }
    if (last || chance(0.7)) {
      const words = text.prose(spread(40, 2500), chance(WIDE))
      emit('text', { ...part('text', { text: words, time: span() }), sequenceNum: ++sequence })
    }
    if (!last) {
      const draw = int(1, 100)
      if (draw <= 3) subagent()
      else if (draw <= 6) skill()
      else for (let left = chance(0.2) ? int(2, 4) : 1; left > 0; left--) tool(session, ++sequence)
    }
    const finish = last ? 'end_turn' : 'tool-calls'
    const fresh = int(200, 3000)
    const tokens = {
      input: int(5, 900),
      output: int(40, 900),
      reasoning: int(0, 300),
      cache: { read: context, write: fresh },
    }
    const { input, output, reasoning } = tokens
    const price = (count: number, perMillion: number): number => Math.round(count * perMillion) / 1e6
    const cost = {
      input: price(input, 3),
      output: price(output + reasoning, 15),
      cache: { read: price(context, 0.3), write: price(fresh, 3.75) },
    }
    const used = input + context + fresh
    emit('step_finish', part('step-finish', { reason: finish, tokens }))
    const measure = { used, limit, ratio: used / limit }
    emit('message_complete', { ...MODEL, agent: 'default', cost, tokens, context: measure, finish })
    context = (context + fresh) % 150_000
  }

  return {
    session(to) {
      write = to
      session = `ses_${base62(24)}`
      sequence = 0
      context = 8000
      limit = pick(LIMITS)
      const began = clock
      const permissions = BUILTIN.map((permission) => ({ permission, pattern: '*', action: 'allow' }))
      const model = `${MODEL.providerID}/${MODEL.modelID}`
      emit('session_start', { schemaVersion: '1', model, agent: 'default', permissions })
      emit('tool_catalog', {
        tools: [
          ...BUILTIN.map((name) => ({ name, source: 'builtin' })),
          { name: 'tracker_record_finding', source: 'mcp', server: 'tracker' },
        ],
        skills: SKILLS.map((name, i) => ({ name, version: i === 0 ? '1.4.0' : null })),
      })
      for (let left = int(10, 60); left > 0; left--) step(left === 1)
      const text429 = 'Rate limit exceeded'
      const broken = chance(0.05)
      if (broken) {
        const data = { message: text429, statusCode: 429, isRetryable: false }
        emit('error', { error: { name: 'APIError', data }, sourceSessionID: session })
        emit('session_error', { reason: 'rate_limit', code: '429', message: text429 })
      }
      emit('session_complete', { durationMs: clock - began, error: broken ? text429 : null })
    },
  }
}
