// What a host does with the SDK, and what must come of it: one case a row of the table.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

type Rec = Record<string, unknown>
type Message = Rec & { type: string; subtype?: string }
type Query = AsyncIterable<Message> & Record<string, (...args: unknown[]) => Promise<never>>
export type Sdk = {
  query(request: { prompt: unknown; options: Rec }): Query
  createSdkMcpServer(options: Rec): unknown
  tool(name: string, description: string, schema: Rec, handler: (input: Rec) => Promise<unknown>): unknown
}
export type Rig = { sdk: Sdk; cwd: string; options: Rec }
export type Case = { name: string; script: string; http?: boolean; check(rig: Rig): Promise<void> }

// ── what was said ────────────────────────────────────────────────────────────────────────────────────────────────────────

async function heard({ sdk, options }: Rig, prompt: unknown, more: Rec = {}): Promise<Message[]> {
  const messages: Message[] = []
  for await (const message of sdk.query({ prompt, options: { ...options, ...more } })) messages.push(message)
  return messages
}

const ofType = (messages: readonly Message[], type: string): Message[] => messages.filter((message) => message.type === type)
const resultOf = (messages: readonly Message[]): Message => {
  const [result, ...others] = ofType(messages, 'result')
  assert.ok(result, 'there is no result')
  assert.equal(others.length, 0, 'there are several results')
  return result
}
const blocksOf = (messages: readonly Message[], type: string): Rec[] =>
  messages.flatMap((message) => {
    const { content } = (message['message'] ?? {}) as { content?: Rec[] | string }
    return Array.isArray(content) ? content.filter((block) => block['type'] === type) : []
  })
const textsOf = (messages: readonly Message[]): unknown[] => blocksOf(ofType(messages, 'assistant'), 'text').map(({ text }) => text)

const user = (content: unknown): Rec => ({ type: 'user', session_id: '', message: { role: 'user', content }, parent_tool_use_id: null })

/** A prompt that the host gives piece by piece, when it wants to. */
function prompts() {
  const queue: Rec[] = []
  let isOver = false
  let wake = (): void => {}
  return {
    say(content: unknown): void {
      queue.push(user(content))
      wake()
    },
    end(): void {
      isOver = true
      wake()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = queue.shift()
        if (next !== undefined) yield next
        else if (isOver) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    },
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

// ── the cases ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const greeting = `
model: anthropic/claude-sonnet-5
turns:
  - text: Hello from the script.
    usage: { input: 1000, output: 50, reasoning: 10, cacheRead: 200, cacheWrite: 30 }
`
const looking = `
model: anthropic/claude-sonnet-5
turns:
  - text: I look at it.
    tools: [{ name: read, input: { filePath: a.txt } }]
  - text: It has two lines.
`
const running = (command = 'echo one > made.txt'): string => `
model: anthropic/claude-sonnet-5
turns:
  - tools: [{ name: bash, input: { command: '${command}' } }]
  - text: That is all.
`
const slow = `
model: anthropic/claude-sonnet-5
turns:
  - text: "${'word '.repeat(400)}"
    chunk: 5
    delay: 50ms
  - text: Again.
`

/** The same for a model in process and for one over HTTP. */
async function checkText(rig: Rig): Promise<void> {
  const messages = await heard(rig, 'say hello')
  const [init] = messages
  assert.equal(init?.subtype, 'init')
  for (const key of ['session_id', 'cwd', 'model', 'tools', 'mcp_servers', 'agents', 'skills', 'permissionMode'])
    assert.ok(key in init, key)
  assert.equal(init['cwd'], rig.cwd)
  assert.deepEqual(textsOf(messages), ['Hello from the script.'])
  const result = resultOf(messages)
  assert.equal(result.subtype, 'success')
  assert.equal(result['result'], 'Hello from the script.')
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = result['usage'] as Rec
  assert.deepEqual([input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens], [1000, 60, 200, 30])
  assert.ok((result['total_cost_usd'] as number) > 0, 'the cost is not there')
  const [used] = Object.values(result['modelUsage'] as Record<string, Rec>)
  assert.ok((used!['contextWindow'] as number) >= 200_000, 'modelUsage has no contextWindow')
  assert.ok(messages.every((message) => message['session_id'] === init['session_id']))
}

export const cases: readonly Case[] = [
  { name: 'text, usage and cost', script: greeting, check: checkText },
  { name: 'the same over HTTP', script: greeting, http: true, check: checkText },
  {
    name: 'deltas',
    script: greeting.replace('Hello from the script.', 'Hello from the script.\n    chunk: 4'),
    async check(rig) {
      const messages = await heard(rig, 'say hello', { includePartialMessages: true })
      const pieces = ofType(messages, 'stream_event').flatMap(({ event }) => {
        const { type, delta } = event as { type: string; delta?: Rec }
        return type === 'content_block_delta' && delta?.['type'] === 'text_delta' ? [delta['text']] : []
      })
      assert.ok(pieces.length > 3, 'there are no deltas')
      assert.equal(pieces.join(''), 'Hello from the script.')
      assert.deepEqual(textsOf(messages), ['Hello from the script.'])
      assert.equal(ofType(await heard(rig, 'say hello'), 'stream_event').length, 0, 'deltas come unasked')
    },
  },
  {
    name: 'tool use and result',
    script: looking,
    async check(rig) {
      const messages = await heard(rig, 'look')
      const [use] = blocksOf(ofType(messages, 'assistant'), 'tool_use')
      assert.equal(use?.['name'], 'read')
      const [record] = ofType(messages, 'user')
      const [given] = blocksOf([record!], 'tool_result')
      assert.equal(given?.['tool_use_id'], use['id'])
      assert.equal(given['is_error'], false)
      const { file } = record!['tool_use_result'] as { file: Rec }
      assert.deepEqual(file, { filePath: join(rig.cwd, 'a.txt'), content: 'one\ntwo', numLines: 2, startLine: 1, totalLines: 2 })
      assert.equal(resultOf(messages)['num_turns'], 2)
    },
  },
  {
    name: 'the same over HTTP',
    script: looking,
    http: true,
    async check(rig) {
      const messages = await heard(rig, 'look')
      assert.equal(blocksOf(ofType(messages, 'user'), 'tool_result').length, 1)
      assert.equal(resultOf(messages)['result'], 'It has two lines.')
    },
  },
  {
    name: 'canUseTool allows',
    script: running(),
    async check(rig) {
      const asked: unknown[] = []
      const canUseTool = async (name: string, input: Rec): Promise<Rec> => {
        asked.push([name, input])
        return { behavior: 'allow', updatedInput: input }
      }
      const messages = await heard(rig, 'make it', { canUseTool })
      assert.deepEqual(asked, [['bash', { command: 'echo one > made.txt' }]])
      assert.equal(readFileSync(join(rig.cwd, 'made.txt'), 'utf8'), 'one\n')
      assert.deepEqual(resultOf(messages)['permission_denials'], [])
    },
  },
  {
    name: 'canUseTool changes the input',
    script: running(),
    async check(rig) {
      await heard(rig, 'make it', { canUseTool: async () => ({ behavior: 'allow', updatedInput: { command: 'echo two > made.txt' } }) })
      assert.equal(readFileSync(join(rig.cwd, 'made.txt'), 'utf8'), 'two\n')
    },
  },
  {
    name: 'canUseTool refuses',
    script: running(),
    async check(rig) {
      const messages = await heard(rig, 'make it', { canUseTool: async () => ({ behavior: 'deny', message: 'not today' }) })
      assert.throws(() => readFileSync(join(rig.cwd, 'made.txt')))
      const [given] = blocksOf(ofType(messages, 'user'), 'tool_result')
      assert.equal(given?.['is_error'], true)
      assert.match(String(given['content']), /not today/)
      const result = resultOf(messages)
      assert.equal(result['result'], 'That is all.')
      assert.deepEqual(
        (result['permission_denials'] as Rec[]).map(({ tool_name }) => tool_name),
        ['bash'],
      )
    },
  },
  {
    name: 'canUseTool refuses and interrupts',
    script: running(),
    async check(rig) {
      const messages = await heard(rig, 'make it', { canUseTool: async () => ({ behavior: 'deny', message: 'stop', interrupt: true }) })
      const result = resultOf(messages)
      assert.equal(result.subtype, 'error_during_execution')
      assert.ok(Array.isArray(result['errors']))
    },
  },
  {
    name: 'no canUseTool: refused; allowedTools: allowed',
    script: running('echo hi'),
    async check(rig) {
      const refused = await heard(rig, 'make it')
      assert.equal((resultOf(refused)['permission_denials'] as Rec[]).length, 1)
      const allowed = await heard(rig, 'make it', { allowedTools: ['Bash(echo:*)'] })
      assert.deepEqual(resultOf(allowed)['permission_denials'], [])
      assert.equal((ofType(allowed, 'user')[0]!['tool_use_result'] as Rec)['stdout'], 'hi\n')
    },
  },
  {
    name: 'two turns, one process',
    script: `
model: anthropic/claude-sonnet-5
turns: [{ text: First. }, { text: Second. }]
`,
    async check(rig) {
      const prompt = prompts()
      prompt.say('one')
      const results: Message[] = []
      for await (const message of rig.sdk.query({ prompt, options: rig.options })) {
        if (message.type !== 'result') continue
        results.push(message)
        if (results.length === 1) prompt.say([{ type: 'text', text: 'two' }])
        else prompt.end()
      }
      assert.deepEqual(
        results.map(({ result }) => result),
        ['First.', 'Second.'],
      )
      assert.equal(results[0]!['session_id'], results[1]!['session_id'])
      assert.ok((results[1]!['total_cost_usd'] as number) > (results[0]!['total_cost_usd'] as number))
    },
  },
  {
    name: 'interrupt, then another turn',
    script: slow,
    async check(rig) {
      const prompt = prompts()
      prompt.say('write a lot')
      const results: Message[] = []
      const query = rig.sdk.query({ prompt, options: { ...rig.options, includePartialMessages: true } })
      let sent = false
      for await (const message of query) {
        if (message.type === 'stream_event' && !sent) {
          sent = true
          void query['interrupt']!()
        }
        if (message.type !== 'result') continue
        results.push(message)
        if (results.length === 1) prompt.say('go on')
        else prompt.end()
      }
      assert.deepEqual(
        results.map(({ subtype }) => subtype),
        ['error_during_execution', 'success'],
      )
      assert.deepEqual(results[0]!['errors'], [])
      assert.equal(results[1]!['result'], 'Again.')
    },
  },
  {
    name: 'abort leaves no process behind',
    script: running('echo $$ > pid; exec sleep 60'),
    async check(rig) {
      const abortController = new AbortController()
      const pidFile = join(rig.cwd, 'pid')
      const stopping = until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '').then(() => abortController.abort())
      await assert.rejects(heard(rig, 'wait', { abortController, allowedTools: ['Bash', 'Write'] }), /abort/i)
      await stopping
      const pid = Number(readFileSync(pidFile, 'utf8'))
      await until(() => !isAlive(pid))
    },
  },
  {
    name: 'an API error',
    script: `
turns: [{ error: { status: 401, message: invalid x-api-key } }]
`,
    async check(rig) {
      const messages: Message[] = []
      await assert.rejects(async () => {
        for await (const message of rig.sdk.query({ prompt: 'hi', options: rig.options })) messages.push(message)
      }, /invalid x-api-key/)
      const result = resultOf(messages)
      assert.equal(result['is_error'], true)
      assert.match(String(result['errors']), /invalid x-api-key/)
    },
  },
  {
    name: 'an API error that passes, over HTTP',
    script: `
turns: [{ error: { status: 529, message: overloaded, times: 1 }, text: There you are. }]
`,
    http: true,
    async check(rig) {
      const messages = await heard(rig, 'hi')
      assert.ok(messages.some(({ subtype }) => subtype === 'api_retry'))
      assert.equal(resultOf(messages)['result'], 'There you are.')
    },
  },
  {
    name: 'resume',
    script: `
turns: [{ text: First. }, { text: Second. }]
`,
    async check(rig) {
      const first = resultOf(await heard(rig, 'one'))
      const second = resultOf(await heard(rig, 'two', { resume: first['session_id'] }))
      assert.equal(second['result'], 'Second.')
      assert.equal(second['session_id'], first['session_id'])
    },
  },
  {
    name: 'questions about the session',
    script: greeting,
    async check(rig) {
      const prompt = prompts()
      const query = rig.sdk.query({ prompt, options: rig.options })
      assert.ok(((await query['supportedModels']!()) as Rec[]).length > 0)
      assert.ok(Array.isArray(await query['supportedCommands']!()))
      assert.deepEqual(await query['mcpServerStatus']!(), [])
      await query['setPermissionMode']!('acceptEdits')
      await query['setModel']!('sonnet')
      prompt.say('hello')
      prompt.end()
      const messages: Message[] = []
      for await (const message of query) messages.push(message)
      assert.equal(messages.find(({ subtype }) => subtype === 'init')?.['permissionMode'], 'acceptEdits')
      assert.equal(resultOf(messages).subtype, 'success')
    },
  },
  {
    name: 'hooks of the host',
    script: running(),
    async check(rig) {
      const seen: string[] = []
      const before = async (input: Rec): Promise<Rec> => {
        seen.push(String(input['tool_name']))
        const refusal = { permissionDecision: 'deny', permissionDecisionReason: 'the hook says no' }
        return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...refusal } }
      }
      const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [before] }] }
      const messages = await heard(rig, 'make it', { hooks, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true })
      assert.deepEqual(seen, ['bash'])
      assert.match(String(blocksOf(ofType(messages, 'user'), 'tool_result')[0]?.['content']), /the hook says no/)
      assert.throws(() => readFileSync(join(rig.cwd, 'made.txt')))
    },
  },
  {
    name: 'an MCP server inside the host',
    script: `
turns:
  - tools: [{ name: calc_add, input: { a: 1, b: 2 } }]
  - text: Three.
`,
    async check(rig) {
      const { z } = (await import('zod')) as { z: { number(): unknown } }
      const add = rig.sdk.tool('add', 'adds', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
        content: [{ type: 'text', text: String(Number(a) + Number(b)) }],
      }))
      const calc = rig.sdk.createSdkMcpServer({ name: 'calc', version: '1', tools: [add] })
      const prompt = prompts()
      prompt.say('add')
      const messages: Message[] = []
      const options = { ...rig.options, mcpServers: { calc }, allowedTools: ['mcp__calc__add'] }
      for await (const message of rig.sdk.query({ prompt, options })) {
        messages.push(message)
        if (message.type === 'result') prompt.end()
      }
      assert.deepEqual(messages.find(({ subtype }) => subtype === 'init')?.['mcp_servers'], [{ name: 'calc', status: 'connected' }])
      assert.equal(blocksOf(ofType(messages, 'user'), 'tool_result')[0]?.['content'], '3')
    },
  },
]
