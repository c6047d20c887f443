// What a host may ask of a running session, and what it is told. Whatever is not known is refused at once: a host waits for ever for an
// answer that does not come.
import type { Rec } from '../../base/json.ts'
import type { Prepared } from '../../run/builtin.ts'
import type { RunCommand } from '../../run/contract.ts'
import { modelInfos, modelOf } from './model.ts'
import type { Known } from './output.ts'
import { isMode, type Mode, modes } from './rules.ts'

export type Control = {
  env: NodeJS.ProcessEnv
  prepared: Prepared
  known(): Known
  /** The model that is asked for, known to be there. */
  setModel(name: string | undefined): Promise<void>
  setMode(mode: Mode): void
  interrupt(): void
}

type Answering = (body: Rec, control: Control) => Rec | Promise<Rec>

const answers: Readonly<Record<string, Answering>> = {
  initialize: (_, { prepared, env }) => initialized(prepared, env),
  interrupt(_, { interrupt }) {
    interrupt()
    return { still_queued: [] }
  },
  async set_model({ model }, { env, prepared, setModel }) {
    const name = modelOf(typeof model === 'string' ? model : undefined, env)
    if (name !== undefined) await prepared.request.chooseModel(name)
    await setModel(name)
    return {}
  },
  set_permission_mode({ mode }, { setMode }) {
    if (!isMode(mode)) throw new Error(`the permission mode ${JSON.stringify(mode)} is not known; known are ${modes.join(', ')}`)
    setMode(mode)
    return { mode }
  },
  // How much a model thinks is chosen when it is: a host that changes it later must not fail for that.
  set_max_thinking_tokens: () => ({}),
  async mcp_status(_, { prepared, known }) {
    const servers = known().servers ?? (await prepared.request.servers?.connect())?.status() ?? []
    return {
      mcpServers: servers.map(({ name, status, error }) => ({
        name,
        status: status === 'timeout' ? 'failed' : status,
        ...(error !== undefined && { error }),
      })),
    }
  },
  get_context_usage: (_, { prepared, known }) => contextUsage(prepared, known()),
}

/** Rejects with words for the host. */
export async function answer(subtype: string, body: Rec, control: Control): Promise<Rec> {
  const answering = Object.hasOwn(answers, subtype) ? answers[subtype] : undefined
  if (answering === undefined) throw new Error(`Unsupported control request subtype: ${subtype}`)
  return answering(body, control)
}

export const interruption: RunCommand = { type: 'cancel', target: 'turn', by: 'host', reason: 'cancelled' }

function initialized({ request }: Prepared, env: NodeJS.ProcessEnv): Rec {
  return {
    commands: request.skills.map(({ name, description }) => ({ name, description, argumentHint: '' })),
    agents: request.profiles.map(({ name, description, model }) => ({ name, description, ...(model !== undefined && { model }) })),
    output_style: 'default',
    available_output_styles: ['default'],
    models: modelInfos(`${request.model.provider}/${request.model.id}`, env),
    account: {},
    program: 'sluice',
    version: request.version,
  }
}

function contextUsage({ request }: Prepared, { model, context, usage }: Known): Rec {
  const limit = context?.limit ?? request.findModel(request.model.priceAs ?? `${request.model.provider}/${request.model.id}`)?.context ?? 0
  const used = context?.used ?? 0
  const category = (id: string, name: string, tokens: number, kind: string): Rec => ({ id, name, tokens, color: 'gray', kind })
  return {
    categories: [
      category('messages', 'Messages', used, 'used'),
      ...(limit > used ? [category('free_space', 'Free space', limit - used, 'free')] : []),
    ],
    totalTokens: used,
    maxTokens: limit,
    rawMaxTokens: limit,
    percentage: limit === 0 ? 0 : Math.round((used / limit) * 100),
    gridRows: [],
    model: model ?? request.model.id,
    memoryFiles: [],
    mcpTools: [],
    agents: [],
    isAutoCompactEnabled: true,
    apiUsage:
      usage === undefined
        ? null
        : {
            input_tokens: usage.input ?? 0,
            output_tokens: (usage.output ?? 0) + (usage.reasoning ?? 0),
            cache_creation_input_tokens: usage.cacheWrite ?? 0,
            cache_read_input_tokens: usage.cacheRead ?? 0,
          },
  }
}
