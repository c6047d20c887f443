// What a host says of the agent before its first prompt, put into what the agent is started with: words for the model, subagents, tools
// that are offered, servers, hooks, and a permission mode that may change at any time.
import type { Servers, ServerStart } from '../../agents/builtin/request.ts'
import type { Tool } from '../../agents/builtin/tools/tool.ts'
import { isRecord, type Rec } from '../../base/json.ts'
import type { Profile } from '../../config/shape.ts'
import { matchesName } from '../../config/tools.ts'
import { type Prepared, startOnce } from '../../run/builtin.ts'
import type { HostOptions } from './serve.ts'
import { hooksIn, type HookScene, withHooks } from './hooks.ts'
import { hostServers, joinServers } from './mcp.ts'
import { modelOf } from './model.ts'
import { type Mode, permissionsOf, withMode } from './rules.ts'

/** `init`: the body of the host's `initialize`; empty when it sends none. */
export function adapt(
  prepared: Prepared,
  options: HostOptions,
  init: Rec,
  scene: HookScene & { mode(): Mode; env: NodeJS.ProcessEnv },
): Prepared {
  const { request } = prepared
  const hooks = hooksIn(init['hooks'])
  const hooked = (tool: Tool): Tool => withHooks(tool, hooks, scene)
  const servers = serversOf(prepared, init, scene)
  const own = profilesIn({ ...options.agents, ...(isRecord(init['agents']) ? init['agents'] : {}) }, scene.env)
  const toolsOf = new Map(own.map(({ name, tools }) => [name, tools]))
  const only = options.onlyTools?.flatMap((tool) => permissionsOf(tool))
  return {
    ...prepared,
    rulesFor: (profile) => withMode(prepared.rulesFor(profile), scene.mode()),
    request: {
      ...request,
      system: systemOf(request.system, options, init),
      profiles: [...request.profiles.filter(({ name }) => !toolsOf.has(name)), ...own],
      tools: request.tools.map(hooked),
      isOffered(tool, profile) {
        if (only !== undefined && tool.source === 'builtin' && !only.includes(tool.name)) return false
        const tools = toolsOf.get(profile.name)
        return (tools === undefined || tools.some((pattern) => matchesName(pattern, tool.name))) && request.isOffered(tool, profile)
      },
      ...(servers !== undefined && {
        servers: startOnce(async () => {
          const found = await servers.connect()
          return { ...found, tools: () => found.tools().map(hooked) }
        }, servers.giveUp),
      }),
      notices: [...(request.notices ?? []), ...hooks.unsupported.map((event) => unsupported(`hooks for ${event} are not called`))],
    },
  }
}

const unsupported = (text: string) => ({ level: 'warn' as const, code: 'unsupported', text })

/** A host that gives an empty text wants no words of its own. */
function systemOf(usual: string, { system, append }: HostOptions, { systemPrompt, appendSystemPrompt }: Rec): string {
  const texts = Array.isArray(systemPrompt) ? systemPrompt : [systemPrompt]
  const said = texts.filter((text) => typeof text === 'string' && text.trim() !== '').join('\n\n')
  const more = [append, appendSystemPrompt].filter((text) => typeof text === 'string' && text !== '')
  return [said || system || usual, ...more].join('\n\n')
}

function profilesIn(agents: Rec, env: NodeJS.ProcessEnv): Profile[] {
  return Object.entries(agents).flatMap(([name, agent]): Profile[] => {
    if (!isRecord(agent)) return []
    const { description, prompt, model, tools } = agent
    const chosen = typeof model === 'string' && model !== 'inherit' ? modelOf(model, env) : undefined
    return [
      {
        name,
        description: typeof description === 'string' ? description : '',
        rules: [],
        from: 'the host',
        ...(typeof prompt === 'string' && { prompt }),
        ...(chosen !== undefined && { model: chosen }),
        ...(Array.isArray(tools) && { tools: tools.filter((tool) => typeof tool === 'string').flatMap(permissionsOf) }),
      },
    ]
  })
}

/** Those that the agent has anyway, and those inside the host. */
function serversOf({ request }: Prepared, init: Rec, { ask }: HookScene): ServerStart | undefined {
  const inHost = (Array.isArray(init['sdkMcpServers']) ? init['sdkMcpServers'] : []).filter((name) => typeof name === 'string')
  const { servers } = request
  if (inHost.length === 0) return servers
  const reserved = [...request.tools.map(({ name }) => name), 'task', 'skill']
  const manifests = isRecord(init['sdkMcpServerManifests']) ? init['sdkMcpServerManifests'] : {}
  const connect = (): Promise<Servers> => hostServers(inHost, manifests, reserved, ask)
  if (servers === undefined) return startOnce(connect)
  return startOnce(() => Promise.all([servers.connect(), connect()]).then(joinServers), servers.giveUp)
}
