// One prompt of a made-up protocol stream: what the agent says, does and asks for until it answers.
import type { Rec } from '../base/json.ts'
import type { Peer } from './acp.ts'
import { models, objectOf, piecesOf, textOf, toolOf, valueOf } from './words.ts'

const kinds: Readonly<Record<string, string>> = {
  Bash: 'execute',
  Read: 'read',
  Write: 'edit',
  Edit: 'edit',
  Grep: 'search',
  Glob: 'search',
  WebFetch: 'fetch',
  TodoWrite: 'think',
}
const text = (value: string): Rec => ({ type: 'text', text: value })
const shown = (value: string): Rec => ({ type: 'content', content: text(value) })

export function acpTurn(peer: Peer): void {
  const { random, plan, session, ask } = peer
  const prompt = [
    text(textOf(random)),
    ...(random.chance(0.2) ? [{ type: 'resource_link', uri: 'file:///home/dev/a.ts', name: 'a.ts' }] : []),
  ]
  const trouble =
    plan.failures && random.chance(0.4) ? random.pick(['error', 'cancelled', 'refusal', 'max_tokens', 'max_turn_requests']) : 'end_turn'
  ask('client', 'session/prompt', { sessionId: session, prompt }, answerOf(peer, trouble), () => {
    for (let step = random.int(0, 3); step > 0; step--) {
      if (random.chance(0.4)) speak(peer, 'agent_thought_chunk')
      if (plan.tools) random.some(0, 2, () => call(peer))
      random.some(0, 2, () => beside(peer))
      if (plan.extras && random.chance(0.3)) rare(peer)
    }
    speak(peer, 'agent_message_chunk')
    if (trouble === 'cancelled') stop(peer)
  })
}

function answerOf({ random }: Peer, stopReason: string): Rec {
  if (stopReason === 'error')
    return {
      error: {
        code: random.pick([-32603, -32000, 429, 401]),
        message: textOf(random),
        ...(random.chance(0.3) ? { data: valueOf(random) } : {}),
      },
    }
  const [inputTokens, outputTokens, cachedReadTokens] = [random.int(0, 900), random.int(0, 900), random.int(0, 900)]
  const usage = { inputTokens, outputTokens, cachedReadTokens, totalTokens: inputTokens + outputTokens + cachedReadTokens }
  const quota = { token_count: { input_tokens: inputTokens }, model_usage: [{ model: models[0], token_count: usage }] }
  return { result: { stopReason, ...(random.chance(0.7) ? { usage } : {}), ...(random.chance(0.3) ? { _meta: { quota } } : {}) } }
}

function speak({ random, plan, update }: Peer, sessionUpdate: string): void {
  const whole = textOf(random)
  const messageId = random.chance(0.6) ? { messageId: `msg_${random.hex(6)}` } : {}
  for (const piece of plan.deltas ? piecesOf(whole, random) : [whole]) update({ sessionUpdate, content: text(piece), ...messageId })
}

function stop({ random, session, note }: Peer): void {
  if (random.chance(0.8)) note('client', 'session/cancel', { sessionId: session })
}

// ── tools ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The call may be told first, or by the question whether it may run; it ends before the turn does. */
function call(peer: Peer): void {
  const { random, plan, session, ask, update } = peer
  const { name, input } = toolOf(random)
  const toolCallId = `call_${random.hex(10)}`
  const kind = kinds[name] ?? 'other'
  const tool = { toolCallId, title: random.chance(0.5) ? name : textOf(random), name, kind, status: 'pending', rawInput: input }
  const asks = random.chance(0.4)
  const isTold = !asks || random.chance(0.6)
  const late = random.chance(0.3) // the input comes with an update
  if (isTold) update({ sessionUpdate: 'tool_call', ...tool, ...(late ? { rawInput: {} } : {}), locations: [{ path: '/home/dev/a.ts' }] })
  if (isTold && late) update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', rawInput: input })
  let allowed = true
  if (asks) {
    const kindOf = plan.failures && random.chance(0.4) ? 'reject_once' : 'allow_once'
    const options = [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'always', name: 'Always', kind: 'allow_always' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ]
    allowed = kindOf === 'allow_once'
    const outcome = allowed
      ? { outcome: 'selected', optionId: 'yes' }
      : random.chance(0.5)
        ? { outcome: 'selected', optionId: 'no' }
        : { outcome: 'cancelled' }
    ask('agent', 'session/request_permission', { sessionId: session, toolCall: tool, options }, { result: { outcome } })
  }
  if (allowed && random.chance(0.2)) work(peer, toolCallId)
  const failed = !allowed || (plan.failures && random.chance(0.3))
  const answer = textOf(random)
  update({
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: failed ? 'failed' : 'completed',
    content: random.chance(0.8) ? [shown(answer)] : [],
    ...(random.chance(0.3) ? { rawOutput: random.chance(0.5) ? answer : { output: answer, note: valueOf(random) } } : {}),
  })
}

/** What the agent lets its host do while a call runs. */
function work({ random, session, ask, update }: Peer, toolCallId: string): void {
  const sessionId = session
  const path = '/home/dev/a.ts'
  if (random.chance(0.5)) {
    const missing = { error: { code: -32002, message: `Resource not found: ${path}` } }
    ask('agent', 'fs/read_text_file', { sessionId, path }, random.chance(0.3) ? missing : { result: { content: textOf(random) } })
    return ask('agent', 'fs/write_text_file', { sessionId, path, content: textOf(random) }, { result: {} })
  }
  const terminalId = `term_${random.hex(6)}`
  const named = { sessionId, terminalId }
  const exit = { exitCode: 0, signal: null }
  ask('agent', 'terminal/create', { sessionId, command: 'npm', args: ['test'] }, { result: { terminalId } })
  update({ sessionUpdate: 'tool_call_update', toolCallId, content: [{ type: 'terminal', terminalId }] })
  ask('agent', 'terminal/output', named, { result: { output: textOf(random), truncated: false } })
  if (random.chance(0.3)) ask('agent', 'terminal/kill', named, { result: {} })
  ask('agent', 'terminal/wait_for_exit', named, { result: exit })
  ask('agent', 'terminal/output', named, { result: { output: textOf(random), truncated: false, exitStatus: exit } })
  ask('agent', 'terminal/release', named, { result: {} })
}

// ── beside the conversation ──────────────────────────────────────────────────────────────────────────────────────────────

function beside({ random, session, ask, note, update }: Peer): void {
  const entries = random.some(0, 3, () => ({
    content: textOf(random),
    status: random.pick(['pending', 'in_progress', 'completed']),
    priority: random.pick(['high', 'medium', 'low']),
  }))
  switch (random.int(0, 7)) {
    case 0:
      return update({ sessionUpdate: 'plan', entries })
    case 1:
      return update({
        sessionUpdate: 'plan_update',
        plan: random.pick([
          { type: 'items', id: 'p', entries },
          { type: 'markdown', id: 'p', content: textOf(random) },
        ]),
      })
    case 2:
      return update({ sessionUpdate: 'plan_removed', id: 'p' })
    case 3:
      return update({
        sessionUpdate: 'available_commands_update',
        availableCommands: [{ name: 'review', description: textOf(random), input: null }],
      })
    case 4:
      return update({
        sessionUpdate: 'usage_update',
        used: random.int(0, 9000),
        size: 200_000,
        ...(random.chance(0.5) ? { cost: { amount: random.int(0, 900) / 1000, currency: 'USD' } } : {}),
      })
    case 5:
      return update({ sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } })
    case 6: {
      const field = { type: 'string', title: 'Colour', enum: ['red', 'green'] }
      const form = {
        sessionId: session,
        mode: 'form',
        message: textOf(random),
        requestedSchema: { type: 'object', properties: { colour: field } },
      }
      const answer = random.pick([{ action: 'accept', content: { colour: 'red' } }, { action: 'decline' }, { action: 'cancel' }])
      ask('agent', 'elicitation/create', form, { result: answer })
      return note('agent', 'elicitation/complete', { elicitationId: 'e1' })
    }
    default:
      return update({ sessionUpdate: 'notice', severity: random.pick(['info', 'warning', 'error']), title: textOf(random) })
  }
}

/** Records that only some agents and clients know. */
function rare({ random, session, ask, note, update }: Peer): void {
  const compactionId = `c_${random.hex(4)}`
  const child = `sub_${random.hex(8)}`
  const message = { messageId: `m_${random.hex(4)}`, senderSessionId: session, recipientSessionId: child }
  switch (random.int(0, 5)) {
    case 0:
      update({ sessionUpdate: 'compaction_update', compactionId, status: 'in_progress' })
      update({ sessionUpdate: 'compaction_summary_chunk', compactionId, content: text(textOf(random)) })
      return update({ sessionUpdate: 'compaction_update', compactionId, status: random.pick(['completed', 'failed']), summary: null })
    case 1:
      update({ sessionUpdate: 'subagent_update', sessionId: child, title: textOf(random), state: { state: 'running' } })
      update({ sessionUpdate: 'session_message', ...message, content: [text(textOf(random))] })
      update({ sessionUpdate: 'session_message_chunk', ...message, content: text(textOf(random)) })
      note('agent', 'session/update', { sessionId: child, update: { sessionUpdate: 'agent_message_chunk', content: text(textOf(random)) } })
      return update({ sessionUpdate: 'subagent_update', sessionId: child, state: { state: 'idle', stopReason: 'end_turn' } })
    case 2:
      return update({ sessionUpdate: '_vendor/update', ...objectOf(random, 1) })
    case 3:
      return note('agent', '_vendor/event', objectOf(random, 1))
    case 4:
      return ask('agent', 'mcp/connect', { acpId: 'x', ...objectOf(random, 1) }, { result: { connectionId: 'c' } })
    default:
      // Taken back by the agent; the host answers all the same.
      return ask('agent', '_vendor/ask', {}, { error: { code: -32800, message: 'Cancelled' } }, () =>
        note('agent', '$/cancel_request', { requestId: 'gone' }),
      )
  }
}
