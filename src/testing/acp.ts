// Legal streams of the Agent Client Protocol: a connection with one session, as recorded traffic, as the messages of both sides, or as
// those of one side alone.
import type { Rec } from '../base/json.ts'
import { acpTurn } from './acp-turn.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'
import { clockOf, models, objectOf, textOf } from './words.ts'

export type Side = 'agent' | 'client'
export type Peer = {
  random: Random
  plan: Plan
  session: string
  /** A request and its answer; what `during` makes stands between them. */
  ask(from: Side, method: string, params: Rec, answer: Rec, during?: () => void): void
  note(from: Side, method: string, params: Rec): void
  update(update: Rec): void
}

const ok = (result: Rec = {}): Rec => ({ result })

export function acpSession(random: Random, plan: Plan): Rec[] {
  const form = plan.alone ? random.pick(['traffic', 'both', 'agent', 'client'] as const) : random.pick(['traffic', 'both'] as const)
  const said: { from: Side; message: Rec }[] = []
  const session = random.chance(0.5) ? random.uuid() : `ses_${random.hex(12)}`
  const last: Record<Side, number> = { agent: -1, client: -1 }
  const say = (from: Side, message: Rec): void => void said.push({ from, message: { jsonrpc: '2.0', ...message } })

  const peer: Peer = {
    random,
    plan,
    session,
    ask(from, method, params, answer, during) {
      const number = ++last[from]
      const id = from === 'agent' && form === 'both' ? `a${number}` : number // without sides, equal numbers could not be told apart
      say(from, { id, method, params })
      during?.()
      say(from === 'agent' ? 'client' : 'agent', { id, ...answer })
    },
    note: (from, method, params) => say(from, { method, params }),
    update: (update) => say('agent', { method: 'session/update', params: { sessionId: session, update } }),
  }

  open(peer)
  for (let turn = plan.turns; turn > 0; turn--) {
    if (random.chance(0.2)) set(peer)
    acpTurn(peer)
    if (random.chance(0.3))
      peer.update({ sessionUpdate: 'session_info_update', title: textOf(random), updatedAt: '2026-11-15T20:12:22.786Z' })
  }
  if (random.chance(0.2)) peer.ask('client', 'session/close', { sessionId: session }, ok())
  else if (random.chance(0.1)) peer.ask('client', 'session/delete', { sessionId: session }, ok())
  return framed(said, form, random)
}

function framed(said: { from: Side; message: Rec }[], form: 'traffic' | 'both' | Side, random: Random): Rec[] {
  const now = clockOf(random)
  const start = random.chance(0.5) ? now() : 0
  if (form === 'traffic') return said.map(({ from, message }) => ({ t: Math.max(0, now() - start), from, message }))
  return said.filter(({ from }) => form === 'both' || from === form).map(({ message }) => message)
}

// ── the opening ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function open(peer: Peer): void {
  const { random, plan, session, ask, note } = peer
  ask(
    'client',
    'initialize',
    { protocolVersion: 1, clientInfo: { name: 'editor', version: '1.0' }, clientCapabilities: { terminal: true } },
    ok({
      protocolVersion: 1,
      agentInfo: { name: 'made-up', version: '0.1' },
      agentCapabilities: { loadSession: true },
      authMethods: [],
    }),
  )
  if (random.chance(0.1)) ask('client', 'authenticate', { methodId: 'key' }, ok())
  if (plan.extras && random.chance(0.3))
    note('agent', random.pick(['_auth/status_update', 'auth/status_update']), { authStatus: { kind: 'api_key', label: textOf(random) } })
  if (plan.extras && random.chance(0.2))
    ask('client', random.pick(['providers/list', 'nes/start', 'logout', '_x/y', 'proxy/initialize']), objectOf(random, 1), ok())
  if (plan.extras && random.chance(0.2)) note('client', 'document/didOpen', { uri: 'file:///home/dev/a.ts', ...objectOf(random, 1) })
  if (random.chance(0.1)) ask('client', 'session/list', {}, ok({ sessions: [{ sessionId: session, cwd: '/home/dev/a b' }] }))
  const place = { cwd: '/home/dev/a b', mcpServers: [] }
  const named = { sessionId: session }
  const way = random.int(0, 9)
  if (way < 6) ask('client', 'session/new', place, ok({ ...named, ...settings(random) }))
  else if (way < 8) ask('client', 'session/load', { ...named, ...place }, ok(settings(random)), () => replay(peer))
  else if (way < 9) ask('client', 'session/resume', { ...named, ...place }, ok(settings(random)))
  else ask('client', 'session/fork', { sessionId: `old-${session}`, ...place }, ok({ ...named, ...settings(random) }))
  if (plan.failures && random.chance(0.1))
    ask('client', 'session/set_mode', { ...named, modeId: 'none' }, { error: { code: -32602, message: 'Invalid params' } })
}

/** The history of a session that is loaded, as the agent tells it again. */
function replay({ random, update }: Peer): void {
  const say = (sessionUpdate: string): void => update({ sessionUpdate, content: { type: 'text', text: textOf(random) } })
  for (let turn = random.int(0, 2); turn > 0; turn--) {
    say('user_message_chunk')
    say('agent_message_chunk')
  }
}

const settings = (random: Random): Rec =>
  random.chance(0.5)
    ? {
        modes: {
          currentModeId: 'default',
          availableModes: [
            { id: 'default', name: 'Default' },
            { id: 'plan', name: 'Plan', description: textOf(random) },
          ],
        },
        models: { currentModelId: models[0], availableModels: models.map((modelId) => ({ modelId, name: modelId })) },
      }
    : { configOptions: configOptions(random) }

const configOptions = (random: Random): Rec[] => [
  { id: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue: 'default', options: [{ value: 'default', name: 'Default' }] },
  {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: random.pick(models),
    options: [{ group: 'all', name: 'All', options: models.map((value) => ({ value, name: value })) }],
  },
]

function set({ random, session: sessionId, ask, update }: Peer): void {
  switch (random.int(0, 4)) {
    case 0:
      return ask('client', 'session/set_mode', { sessionId, modeId: 'plan' }, ok(), () =>
        update({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' }),
      )
    case 1:
      return ask('client', 'session/set_model', { sessionId, modelId: models[1] }, ok())
    case 2:
      return ask(
        'client',
        'session/set_config_option',
        { sessionId, configId: 'model', value: models[2] },
        ok({ configOptions: configOptions(random) }),
      )
    case 3:
      return update({ sessionUpdate: 'config_option_update', configOptions: configOptions(random) })
    default:
      return ask('client', random.pick(['session/set_title', 'session/setTitle']), { sessionId, title: textOf(random) }, ok())
  }
}
