// An MCP server on stdin and stdout with one tool, `echo`, for the agents to find.
import { createInterface } from 'node:readline'

type Call = { id?: number | string; method?: string; params?: { protocolVersion?: string; arguments?: { text?: string } } }

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

function answerTo({ method, params }: Call): unknown {
  if (method === 'initialize')
    return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1.0.0' } }
  if (method === 'tools/list') return { tools: [{ name: 'echo', description: 'Says it again.', inputSchema }] }
  if (method === 'tools/call') return { content: [{ type: 'text', text: `echo: ${params?.arguments?.text}` }] }
  return method === 'ping' ? {} : undefined
}

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line) as Call
  if (call.id === undefined || call.method === undefined) continue
  const result = answerTo(call)
  const said = result === undefined ? { error: { code: -32601, message: `there is no ${call.method} here` } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: call.id, ...said })}\n`)
}
