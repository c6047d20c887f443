// Hooks of a host around the calls of a tool, and tools of servers that live in the host.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Tool, ToolContext, ToolRun } from '../../agents/builtin/tools/tool.ts'
import { hooksIn, withHooks } from './hooks.ts'
import { hostServers } from './mcp.ts'

const context = { outputFolder: '/nowhere' } as ToolContext // no tool here looks at more of it
const run = { call: 'c1', signal: new AbortController().signal } as ToolRun

/** Says what it was given. */
const echo: Tool = {
  name: 'bash',
  description: '',
  parameters: { type: 'object' },
  kind: 'execute',
  source: 'builtin',
  changes: true,
  plan: (input) => ({ title: '', ask: { permission: 'bash', patterns: ['x'] }, run: async () => ({ text: JSON.stringify(input) }) }),
}

function hooked(hooks: Rec, answer: (body: Rec) => Rec, tool = echo) {
  const asked: Rec[] = []
  const scene = {
    ask: async (body: Rec) => (asked.push(body), answer(body)),
    common: () => ({ session_id: 's', cwd: '/w' }),
    signal: () => new AbortController().signal,
  }
  const made = withHooks(tool, hooksIn(hooks), scene)
  return { asked, call: async (input: Rec) => (await made.plan(input, context)).run(run), plan: (input: Rec) => made.plan(input, context) }
}
const on = (event: string, matcher?: string): Rec => ({ [event]: [{ matcher, hookCallbackIds: ['hook_0'] }] })

test('a hook before the call is told of it and may refuse', async () => {
  const { asked, call } = hooked(on('PreToolUse', 'Bash|Read'), () => ({
    hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no shells' },
  }))
  await assert.rejects(call({ command: 'ls' }), { name: 'ToolError', message: 'no shells' })
  const input = { hook_event_name: 'PreToolUse', session_id: 's', cwd: '/w', tool_name: 'bash', tool_input: { command: 'ls' } }
  assert.deepEqual(asked, [{ subtype: 'hook_callback', callback_id: 'hook_0', input }])
})

test('it may change what the call is given, but an allow of its own opens nothing', async () => {
  const { call, plan } = hooked(on('PreToolUse'), () => ({
    hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'pwd' } },
  }))
  assert.equal((await call({ command: 'ls' })).text, '{"command":"pwd"}')
  assert.deepEqual((await plan({ command: 'ls' })).ask, { permission: 'bash', patterns: ['x'] })
})

test('a hook that fails before a call stops it; one that fails after it does not matter', async () => {
  const fail = (): Rec => {
    throw new Error('it broke')
  }
  await assert.rejects(hooked(on('PreToolUse'), fail).call({}), /a hook of the host failed \(it broke\)/)
  assert.equal((await hooked(on('PostToolUse'), fail).call({})).text, '{}')
})

test('a hook after the call adds words for the model', async () => {
  const { asked, call } = hooked(on('PostToolUse', 'bash'), () => ({ hookSpecificOutput: { additionalContext: 'mind the time' } }))
  assert.equal((await call({ a: 1 })).text, '{"a":1}\n\nmind the time')
  assert.equal((asked[0]!['input'] as Rec)['tool_use_id'], 'c1')
})

test('a matcher names tools as Claude does; other tools and other events are left alone', () => {
  const never = (): Rec => ({})
  assert.equal(
    withHooks(echo, hooksIn(on('PreToolUse', 'Edit')), { ask: async () => never(), common: never, signal: () => run.signal }),
    echo,
  )
  const add: Tool = { ...echo, name: 'calc_add', source: 'mcp', server: 'calc' }
  for (const matcher of ['mcp__calc__add', 'mcp__.*', '*', '(('])
    assert.equal(hooksIn(on('PreToolUse', matcher)).before[0]!.isFor(add), matcher !== '((', matcher)
  assert.deepEqual(hooksIn({ ...on('Stop'), ...on('PreToolUse') }).unsupported, ['Stop'])
  assert.deepEqual(hooksIn('nonsense'), { before: [], after: [], unsupported: [] })
})

// ── servers inside the host ──────────────────────────────────────────────────────────────────────────────────────────────

const offer = { name: 'add', description: 'adds', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }

/** A host with one server: what it answers to each method. */
function host(results: Record<string, unknown>) {
  const methods: unknown[] = []
  const ask = async ({ server_name, message }: Rec): Promise<Rec> => {
    const { method, id } = message as Rec
    methods.push(method)
    if (server_name !== 'calc') throw new Error(`SDK MCP server not found: ${String(server_name)}`)
    return { mcp_response: { jsonrpc: '2.0', id, ...(results[String(method)] as Rec) } }
  }
  return { ask, methods }
}

test('a server of the host is greeted, listed and called through it', async () => {
  const { ask, methods } = host({
    'tools/list': { result: { tools: [offer, { name: 'no schema' }] } },
    'tools/call': { result: { content: [{ type: 'text', text: '3' }] } },
  })
  const servers = await hostServers(['calc', 'gone'], {}, [], ask)
  assert.deepEqual(servers.status(), [
    { name: 'calc', status: 'connected' },
    { name: 'gone', status: 'failed', error: 'SDK MCP server not found: gone' },
  ])
  const [add, ...others] = servers.tools()
  assert.deepEqual([add?.name, add?.changes, others.length], ['calc_add', false, 0])
  const plan = await add!.plan({ a: 1 }, context)
  assert.deepEqual(plan.ask, { permission: 'calc_add', patterns: ['*'] })
  assert.equal((await plan.run(run)).text, '3')
  assert.deepEqual(
    methods.filter((method) => method !== 'initialize'),
    ['notifications/initialized', 'tools/list', 'tools/call'],
  )
})

test('what the host has told of a server before is not asked again; a failing call is told to the model', async () => {
  const { ask, methods } = host({ 'tools/call': { error: { code: -1, message: 'too big' } } })
  const manifests = { calc: { initializeResult: {}, toolsListResult: { tools: [offer] } } }
  const [add] = (await hostServers(['calc'], manifests, [], ask)).tools()
  assert.deepEqual(methods, [])
  await assert.rejects((await add!.plan({}, context)).run(run), { name: 'ToolError', message: 'too big' })
})
