// The MCP servers of a session: all get ready side by side, and their tools become tools of the agent.
import type { Rec } from '../../../base/json.ts'
import type { Tool, ToolContext, ToolResult, ToolRun } from '../tools/tool.ts'
import type { Offer } from './listing.ts'
import { createNames, tidy } from './names.ts'
import { resultOf } from './result.ts'
import { createServer, type McpServer } from './server.ts'
import type { McpOptions, McpSession, ServerSpec } from './spec.ts'

/** Resolves when each server is ready or given up. Never rejects. */
export async function connectServers(servers: Readonly<Record<string, ServerSpec>>, options: McpOptions): Promise<McpSession> {
  const all = Object.entries(servers).map(([name, spec]) => ({ name, server: createServer(name, spec, options) }))
  const nameOf = createNames(options.reserved)
  await Promise.all(all.map(({ server }) => server.start()))
  const tools = (): Tool[] =>
    all.flatMap(({ name, server }) => server.offers().map((offer) => toolOf(nameOf(name, offer.name), name, server, offer)))
  tools() // names are given in the order of the settings, whichever list changes first
  return {
    tools,
    status: () => all.map(({ server }) => server.status()),
    settle: async () => void (await Promise.all(all.map(({ server }) => server.settle()))),
    close: async () => void (await Promise.all(all.map(({ server }) => server.close()))),
  }
}

const toolOf = (name: string, serverName: string, server: McpServer, offer: Offer): Tool => ({
  name,
  description: offer.description,
  parameters: offer.parameters,
  kind: 'other',
  source: 'mcp',
  server: serverName,
  changes: offer.changes,
  plan: (input, context) => ({
    title: tidy(`${serverName}: ${offer.name}`, 200),
    ask: { permission: name, patterns: ['*'] },
    run: (run) => runCall(server, offer, input, run, context),
  }),
})

async function runCall(server: McpServer, offer: Offer, input: Rec, run: ToolRun, context: ToolContext): Promise<ToolResult> {
  try {
    const answer = await server.call(offer, input, run.signal)
    return resultOf(answer, context)
  } catch (error) {
    if (run.signal.aborted) return { text: 'The call was cancelled.', failed: true }
    return { text: error instanceof Error ? error.message : String(error), failed: true }
  }
}
