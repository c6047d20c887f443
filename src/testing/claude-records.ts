// The records of one made-up Claude session: builders that know its id, its model and its counters.
import type { Rec } from '../base/json.ts'
import type { Random } from './random.ts'
import { clockOf, models, objectOf, textOf, toolOf } from './words.ts'

/** Whose record it is: the main conversation, or a subagent's with the call that started it. */
export type Lane = { parent: string | null; agent?: string | undefined }
export const mainLane: Lane = { parent: null }

export type ClaudeRecords = ReturnType<typeof createClaudeRecords>

export function createClaudeRecords(random: Random) {
  const session = random.uuid()
  const now = clockOf(random)
  const timed = random.chance(0.7)
  const model = models[0]
  const mode = random.pick(['default', 'acceptEdits', 'plan', 'bypassPermissions'])
  const tally = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, results: 0 }
  let last = { ...tally }

  const stamp = (): Rec => ({ session_id: session, uuid: random.uuid() })
  const time = (): Rec => (timed ? { timestamp: new Date(now()).toISOString() } : {})
  const laneKeys = ({ parent, agent }: Lane): Rec => ({ parent_tool_use_id: parent, ...(agent === undefined ? {} : { agent_id: agent }) })
  const system = (subtype: string, fields: Rec = {}): Rec => ({ type: 'system', subtype, ...fields, ...stamp() })

  function usage(): Rec {
    const counts = {
      input: random.int(0, 40),
      output: random.int(1, 400),
      cacheRead: random.int(0, 20_000),
      cacheWrite: random.int(0, 3000),
    }
    tally.input += counts.input
    tally.output += counts.output
    tally.cacheRead += counts.cacheRead
    tally.cacheWrite += counts.cacheWrite
    tally.cost = Math.round((tally.cost + counts.output * 15e-6 + counts.input * 3e-6) * 1e9) / 1e9
    return usageOf(counts)
  }

  const usageOf = (counts: { input: number; output: number; cacheRead: number; cacheWrite: number }): Rec => ({
    input_tokens: counts.input,
    cache_creation_input_tokens: counts.cacheWrite,
    cache_read_input_tokens: counts.cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: counts.cacheWrite, ephemeral_1h_input_tokens: 0 },
    output_tokens: counts.output,
    service_tier: 'standard',
  })

  const modelEntry = (from: typeof tally): Rec => ({
    [model]: {
      inputTokens: tally.input - from.input,
      outputTokens: tally.output - from.output,
      cacheReadInputTokens: tally.cacheRead - from.cacheRead,
      cacheCreationInputTokens: tally.cacheWrite - from.cacheWrite,
      webSearchRequests: 0,
      costUSD: Math.round((tally.cost - from.cost) * 1e9) / 1e9,
      contextWindow: 200_000,
      maxOutputTokens: 64_000,
    },
  })
  const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, results: 0 }

  return {
    session,
    model,
    now,
    system,
    usage,
    init: (): Rec =>
      system('init', {
        cwd: '/home/dev/a b',
        model,
        tools: ['Task', 'Bash', 'Read', 'Write', 'Edit', 'Grep', 'Glob', 'mcp__echo__say'],
        mcp_servers: random.some(0, 1, () => ({ name: 'echo', status: random.pick(['connected', 'failed']) })),
        permissionMode: mode,
        slash_commands: ['compact', 'clear'],
        agents: ['general-purpose'],
        skills: random.some(0, 1, () => 'commit'),
        plugins: random.some(0, 1, () => ({ name: 'extra', path: '/home/dev/.claude/plugins/extra' })),
        claude_code_version: '2.1.325',
      }),
    /** One content block of a message. */
    assistant: (id: string, lane: Lane, block: Rec, counts: Rec, stop: string | null = null, fields: Rec = {}): Rec => ({
      type: 'assistant',
      message: { model, id, type: 'message', role: 'assistant', content: [block], stop_reason: stop, stop_sequence: null, usage: counts },
      ...laneKeys(lane),
      ...stamp(),
      ...time(),
      ...fields,
    }),
    user: (content: unknown, lane: Lane, fields: Rec = {}): Rec => ({
      type: 'user',
      message: { role: 'user', content },
      ...laneKeys(lane),
      ...stamp(),
      ...time(),
      ...fields,
    }),
    streamed: (event: Rec, id: string, lane: Lane, fields: Rec = {}): Rec => ({
      type: 'stream_event',
      event,
      ...laneKeys(lane),
      ...stamp(),
      api_message_id: id,
      ...fields,
    }),
    result(subtype: string, fields: Rec): Rec {
      const spent = usageOf({
        input: tally.input - last.input,
        output: tally.output - last.output,
        cacheRead: tally.cacheRead - last.cacheRead,
        cacheWrite: tally.cacheWrite - last.cacheWrite,
      })
      const since = modelEntry(last)
      last = { ...tally }
      return {
        type: 'result',
        subtype,
        is_error: false,
        duration_ms: random.int(1, 90_000),
        duration_api_ms: random.int(1, 80_000),
        num_turns: random.int(1, 9),
        ...stamp(),
        total_cost_usd: tally.cost,
        usage: { ...spent, server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 } },
        modelUsage: modelEntry(nothing),
        permission_denials: [],
        result_index: tally.results++,
        model_usage_since_last_result: since,
        ...fields,
      }
    },
    hook(name: string, event: string, progress: boolean): Rec[] {
      const hook = { hook_id: random.uuid(), hook_name: name, hook_event: event }
      const output = { output: textOf(random), stdout: textOf(random), stderr: '' }
      const code = random.pick([0, 0, 2])
      return [
        system('hook_started', hook),
        ...(progress ? [system('hook_progress', { ...hook, ...output })] : []),
        system('hook_response', { ...hook, ...output, exit_code: code, outcome: code === 0 ? 'success' : 'error' }),
      ]
    },
    progress: (call: string, name: string): Rec => ({
      type: 'tool_progress',
      tool_use_id: `${call}-heartbeat-0`,
      tool_name: name,
      parent_tool_use_id: call,
      elapsed_time_seconds: 30,
      heartbeat: true,
      ...stamp(),
    }),
    suggestion: (): Rec => ({ type: 'prompt_suggestion', suggestion: textOf(random), ...stamp() }),
    /** A call as the model may make it: also of an MCP server's tool, and a question to the user. */
    tool: (): { name: string; input: Rec } => {
      const dice = random.next()
      if (dice < 0.06)
        return {
          name: 'AskUserQuestion',
          input: {
            questions: [
              {
                question: 'Which colour?',
                header: 'Colour',
                multiSelect: false,
                options: [{ label: 'Red', description: 'warm' }, { label: 'Blue' }],
              },
            ],
          },
        }
      return dice < 0.15 ? { name: 'mcp__echo__say', input: objectOf(random) } : toolOf(random)
    },
  }
}

/** `tool_use_result` in the shape that the document gives for the tool; undefined for the others. */
export function structureOf(name: string, input: Rec, output: string): unknown {
  switch (name) {
    case 'Bash':
      return { stdout: output, stderr: '', interrupted: false, isImage: false }
    case 'Read':
      return { type: 'text', file: { filePath: input['file_path'], content: output, numLines: 1, startLine: 1, totalLines: 1 } }
    case 'Grep':
      return { mode: 'content', numFiles: 1, filenames: [], content: output, numLines: 1 }
    case 'Glob':
      return { filenames: [output], durationMs: 4, numFiles: 1, truncated: false }
    case 'Write':
      return { type: 'create', filePath: input['file_path'], content: input['content'], structuredPatch: [], originalFile: null }
    case 'Edit':
      return {
        filePath: input['file_path'],
        oldString: input['old_string'],
        newString: input['new_string'],
        originalFile: output,
        structuredPatch: [],
        userModified: false,
        replaceAll: false,
      }
    default:
      return undefined
  }
}
