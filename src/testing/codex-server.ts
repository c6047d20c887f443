// Messages of a made-up `codex app-server`: what the agent writes, or both sides as recorded traffic.
import type { Rec } from '../base/json.ts'
import { createCodexItems } from './codex-item.ts'
import { camelTokens, countTokens } from './codex-tokens.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { clockOf, textOf } from './words.ts'

/** A message and who sent it. */
export type Sent = { from: 'agent' | 'client'; message: Rec }

export function codexServer(random: Random, plan: Plan): Rec[] {
  const { turns, tools, failures, extras } = plan
  const now = clockOf(random)
  const threadId = random.uuid()
  const tokens = countTokens(random)
  const sent: Sent[] = []
  let calls = 0

  const tell = (method: string, params: Rec): Sent => ({ from: 'agent', message: { method, params, emittedAtMs: now() } })
  const put = (...more: Sent[]): void => void sent.push(...more)
  const call = (method: string, params: Rec): number => {
    put({ from: 'client', message: { id: ++calls, method, params } })
    return calls
  }
  const reply = (id: number, result: Rec): void => put({ from: 'agent', message: { id, result } })
  const thread = (id: string, more: Rec = {}): Rec => ({
    id,
    sessionId: threadId,
    forkedFromId: null,
    parentThreadId: null,
    modelProvider: 'openai',
    model: 'gpt-5.5',
    cwd: '/home/dev/a b',
    cliVersion: '0.166.0',
    name: null,
    turns: [],
    ...more,
  })
  const turn = (id: string, status: string, more: Rec = {}): Rec => ({
    id,
    rootTurnId: id,
    items: [],
    status,
    error: null,
    durationMs: null,
    ...more,
  })

  // ── the opening ────────────────────────────────────────────────────────────────────────────────────────────────────────

  const hello = call('initialize', { clientInfo: { name: 'tests', title: null, version: '0' }, capabilities: null })
  reply(hello, { userAgent: 'tests/0.166.0 (Debian)', codexHome: '/home/dev/.codex', platformFamily: 'unix', platformOs: 'linux' })
  put({ from: 'client', message: { method: 'initialized' } })
  const how = random.pick(['thread/start', 'thread/start', 'thread/resume', 'thread/fork'])
  const setting = { cwd: '/home/dev/a b', approvalPolicy: 'on-request' }
  const opening = call(how, how === 'thread/start' ? setting : { threadId, ...setting })
  if (extras) put(tell(random.pick(['configWarning', 'deprecationNotice']), { summary: textOf(random), details: null }))
  reply(opening, { thread: thread(threadId), model: 'gpt-5.5', modelProvider: 'openai', ...setting, sandbox: { type: 'readOnly' } })
  put(tell('thread/started', { thread: thread(threadId) }))

  // ── the turns ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  function spend(turnId: string): void {
    const { last, sum } = tokens()
    put(
      tell('thread/tokenUsage/updated', {
        threadId,
        turnId,
        tokenUsage: { total: camelTokens(sum), last: camelTokens(last), modelContextWindow: 258400 },
      }),
    )
    const primary = random.chance(0.3) ? { usedPercent: random.int(0, 100), windowDurationMins: 300, resetsAt: 1741500000 } : null
    put(tell('account/rateLimits/updated', { rateLimits: { limitId: 'codex', primary, secondary: null } }))
  }

  function beside(turnId: string): void {
    const of = { threadId, turnId }
    put(
      random.pick([
        tell('thread/name/updated', { threadId, threadName: textOf(random) }),
        tell('thread/settings/updated', { threadId, threadSettings: { model: random.pick(['gpt-5.5', 'gpt-6']) } }),
        tell('thread/compacted', of),
        tell('thread/reverted', { threadId }),
        tell('turn/diff/updated', { ...of, diff: '--- a\n' }),
        tell('turn/plan/updated', { ...of, explanation: null, plan: [{ step: textOf(random), status: 'inProgress' }] }),
        tell('mcpServer/startupStatus/updated', {
          threadId,
          name: 'echo',
          status: random.pick(['starting', 'ready', 'failed']),
          error: null,
        }),
        tell('model/rerouted', { ...of, fromModel: 'gpt-5.5', toModel: 'gpt-6', reason: 'x' }),
        tell('warning', { threadId, message: textOf(random) }),
        tell('guardianWarning', { threadId, message: textOf(random) }),
        tell('remoteControl/status/changed', { status: 'disabled' }),
        tell('error', {
          ...of,
          willRetry: true,
          error: {
            message: 'Reconnecting... 1/5',
            codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: 503 } },
            additionalDetails: textOf(random),
          },
        }),
        { from: 'client', message: { id: ++calls, method: 'thread/name/set', params: { threadId, name: textOf(random) } } },
        {
          from: 'client',
          message: {
            id: ++calls,
            method: 'turn/steer',
            params: { threadId, expectedTurnId: turnId, input: [{ type: 'text', text: 'more' }] },
          },
        },
        { from: 'agent', message: { id: calls, error: { code: -32600, message: textOf(random) } } },
      ] as const satisfies readonly Sent[]),
    )
    if (random.chance(0.3)) {
      const run = { id: random.uuid(), eventName: 'preToolUse', status: 'running' }
      put(
        tell('hook/started', { ...of, run }),
        tell('hook/completed', { ...of, run: { ...run, status: random.pick(['completed', 'failed', 'blocked']) } }),
      )
    }
  }

  const items = createCodexItems(random, plan, tell)

  /** A subagent's thread: its own turn, and what it does in it. */
  function child(id: string, rootTurnId: string): Sent[] {
    const own = random.uuid()
    const status = failures && random.chance(0.3) ? 'failed' : 'completed'
    const error = status === 'failed' ? { message: textOf(random), codexErrorInfo: 'other', additionalDetails: null } : null
    return [
      tell('thread/status/changed', { threadId: id, status: { type: 'active', activeFlags: [] } }),
      tell('turn/started', { threadId: id, turn: turn(own, 'inProgress', { rootTurnId }) }),
      ...items.prompt(id, own),
      ...(tools ? items.command(id, own) : []),
      ...items.message(id, own),
      tell('turn/completed', { threadId: id, turn: turn(own, status, { rootTurnId, error }) }),
    ]
  }

  for (let count = 0; count < turns; count++) {
    const turnId = random.uuid()
    const prompt = [{ type: 'text', text: textOf(random), text_elements: [] }]
    reply(call('turn/start', { threadId, input: prompt, ...(random.chance(0.2) ? { model: 'gpt-6' } : {}) }), {
      turn: turn(turnId, 'inProgress'),
    })
    put(tell('thread/status/changed', { threadId, status: { type: 'active', activeFlags: [] } }))
    put(tell('turn/started', { threadId, turn: turn(turnId, 'inProgress') }), ...items.prompt(threadId, turnId))
    for (let step = tools ? random.int(0, 2) : 0; step > 0; step--) {
      if (random.chance(0.5)) put(...items.thought(threadId, turnId))
      if (random.chance(0.4)) put(...items.message(threadId, turnId))
      const made = random.some(1, 3, () => items.call(threadId, turnId, child))
      put(...(random.chance(0.5) ? interleaved(made, random) : made.flat()))
      spend(turnId)
    }
    if (extras && random.chance(0.5)) beside(turnId)
    const ends = failures ? random.pick(['completed', 'completed', 'failed', 'interrupted']) : 'completed'
    if (ends === 'completed') put(...items.message(threadId, turnId))
    if (ends === 'interrupted') reply(call('turn/interrupt', { threadId, turnId }), {})
    const message = 'unexpected status 401 Unauthorized: bad key'
    const error =
      ends === 'failed' ? { message, codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 401 } }, additionalDetails: null } : null
    if (error !== null) put(tell('error', { threadId, turnId, willRetry: false, error }))
    if (ends === 'completed') spend(turnId)
    put(tell('thread/status/changed', { threadId, status: { type: ends === 'failed' ? 'systemError' : 'idle' } }))
    put(tell('turn/completed', { threadId, turn: turn(turnId, ends, { error, durationMs: random.int(0, 9e4) }) }))
  }
  if (extras && random.chance(0.2)) put(tell('thread/closed', { threadId }))
  if (random.chance(0.5)) return sent.filter(({ from }) => from === 'agent').map(({ message }) => message)
  let time = 0
  return sent.map(({ from, message }) => ({ t: (time += random.int(0, 40)), from, message }))
}
