// Connects to MCP servers and calls their tools the way the agent does.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import type { TestContext } from 'node:test'
import { connectServers } from '../src/agents/builtin/mcp/session.ts'
import type { McpOptions, McpSession, ServerSpec } from '../src/agents/builtin/mcp/spec.ts'
import type { Tool, ToolContext, ToolResult } from '../src/agents/builtin/tools/tool.ts'

export async function connect(t: TestContext, servers: Record<string, ServerSpec>, more: Partial<McpOptions> = {}): Promise<McpSession> {
  const session = await connectServers(servers, { env: { PATH: process.env['PATH'] ?? '' }, cwd: tmpdir(), ...more })
  t.after(() => session.close())
  return session
}

export function named(session: McpSession, name: string): Tool {
  const tool = session.tools().find((one) => one.name === name)
  assert.ok(
    tool,
    `no tool ${name} in ${session
      .tools()
      .map((one) => one.name)
      .join(' ')}`,
  )
  return tool
}

export async function call(
  session: McpSession,
  name: string,
  input: Record<string, unknown> = {},
  { signal = new AbortController().signal, outputFolder = '/nonexistent' } = {},
): Promise<ToolResult> {
  const context = { outputFolder } as ToolContext // an MCP tool looks at nothing else
  const plan = await named(session, name).plan(input, context)
  return plan.run({ call: 'call_1', signal, output: () => {}, emit: () => {} })
}
