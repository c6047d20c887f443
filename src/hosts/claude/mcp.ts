// MCP servers as Claude's hosts name them: those that can be started or reached become servers of ours; those that live inside the host
// are spoken to through the control channel.
import type { Schema } from '../../base/explain.ts'
import { isRecord, type Rec } from '../../base/json.ts'
import type { Server, Servers } from '../../agents/builtin/request.ts'
import { createNames } from '../../agents/builtin/mcp/names.ts'
import { resultOf } from '../../agents/builtin/mcp/result.ts'
import { type Tool, ToolError } from '../../agents/builtin/tools/tool.ts'
import type { ServerSpec } from '../../config/shape.ts'
import type { Channel } from './channel.ts'

const texts = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(isRecord(value) ? value : {}).map(([name, text]) => [name, String(text)]))

/** `{"mcpServers": {…}}`, or the servers themselves. Those of the host itself are left out: it tells of them otherwise. */
export function serversIn(config: Rec): Record<string, ServerSpec> {
  const servers = isRecord(config['mcpServers']) ? config['mcpServers'] : config
  return Object.fromEntries(
    Object.entries(servers).flatMap(([name, server]): [string, ServerSpec][] => {
      if (!isRecord(server)) return []
      const { type, command, args, env, url, headers } = server
      if (typeof command === 'string') {
        const words = Array.isArray(args) ? args.map(String) : []
        return [[name, { command: [command, ...words], ...(isRecord(env) && { environment: texts(env) }) }]]
      }
      if (typeof url !== 'string') return []
      return [[name, { url, ...(isRecord(headers) && { headers: texts(headers) }), ...((type === 'http' || type === 'sse') && { type }) }]]
    }),
  )
}

/** Several sets of servers as one. */
export const joinServers = (all: readonly Servers[]): Servers => ({
  tools: () => all.flatMap((servers) => servers.tools()),
  status: () => all.flatMap((servers) => servers.status()),
  settle: async () => void (await Promise.all(all.map((servers) => servers.settle()))),
  close: async () => void (await Promise.all(all.map((servers) => servers.close()))),
})

// ── servers inside the host ──────────────────────────────────────────────────────────────────────────────────────────────

const connectMs = 10_000

type Ask = Channel['ask']

/** Resolves when each has answered or failed. `manifests`: what some of them have answered to the host already. */
export async function hostServers(names: readonly string[], manifests: Rec, reserved: readonly string[], ask: Ask): Promise<Servers> {
  const nameOf = createNames(reserved)
  const found = await Promise.all(names.map((name) => connect(name, manifests[name], nameOf, ask)))
  return {
    tools: () => found.flatMap(({ tools }) => tools),
    status: () => found.map(({ status }) => status),
    settle: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}

type Found = { status: Server; tools: Tool[] }

async function connect(name: string, manifest: unknown, nameOf: ReturnType<typeof createNames>, ask: Ask): Promise<Found> {
  const call = rpc(name, ask)
  const limit = AbortSignal.timeout(connectMs)
  try {
    const given = isRecord(manifest) && isRecord(manifest['toolsListResult']) ? manifest['toolsListResult'] : undefined
    if (given === undefined) {
      await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'sluice', version: '1' } }, limit)
      await call('notifications/initialized', undefined, limit)
    }
    const { tools } = given ?? (await call('tools/list', {}, limit))
    const offered = (Array.isArray(tools) ? tools : []).filter(isRecord)
    return { status: { name, status: 'connected' }, tools: offered.flatMap((offer) => toolOf(name, offer, nameOf, call)) }
  } catch (error) {
    return { status: { name, status: 'failed', error: (error as Error).message }, tools: [] }
  }
}

type Call = (method: string, params: Rec | undefined, signal: AbortSignal) => Promise<Rec>

function rpc(server: string, ask: Ask): Call {
  let last = 0
  return async (method, params, signal) => {
    const id = method.startsWith('notifications/') ? {} : { id: ++last }
    const message = { jsonrpc: '2.0', ...id, method, ...(params !== undefined && { params }) }
    const { mcp_response: answer } = await ask({ subtype: 'mcp_message', server_name: server, message }, signal)
    const { result, error } = isRecord(answer) ? answer : {}
    if (isRecord(error)) throw new Error(typeof error['message'] === 'string' ? error['message'] : 'the server failed')
    return isRecord(result) ? result : {}
  }
}

function toolOf(server: string, offer: Rec, nameOf: ReturnType<typeof createNames>, call: Call): Tool[] {
  const { name: own, description, inputSchema, annotations } = offer
  if (typeof own !== 'string' || !isRecord(inputSchema)) return []
  const name = nameOf(server, own)
  return [
    {
      name,
      description: typeof description === 'string' ? description : '',
      parameters: { ...inputSchema, type: 'object' } as Schema & Rec,
      kind: 'other',
      source: 'mcp',
      server,
      changes: !(isRecord(annotations) && annotations['readOnlyHint'] === true),
      plan: (input, context) => ({
        title: `${server}: ${own}`,
        ask: { permission: name, patterns: ['*'] },
        async run(run) {
          const answer = await call('tools/call', { name: own, arguments: input }, run.signal).catch((error: Error) => {
            throw new ToolError(error.message, { cause: error })
          })
          const content = Array.isArray(answer['content']) ? answer['content'] : []
          return resultOf({ ...answer, content } as Parameters<typeof resultOf>[0], context)
        },
      }),
    },
  ]
}
