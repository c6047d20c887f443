/** The two long records around a turn of Claude Code 2.1.325: init and result, and the sums that a result tells. */
interface Usage {
  input_tokens: number
  cache_creation_input_tokens: number
  cache_read_input_tokens: number
}

interface Sum {
  input: number
  output: number
  read: number
  written: number
}

export interface Tally {
  calls: number
  /** Main lane of this turn, all lanes of this turn, all lanes since the start. */
  own: Sum
  turn: Sum
  total: Sum
  add(usage: Usage, output: number, lane: boolean): void
}

const TOOLS =
  'Task Bash CronCreate Edit EnterWorktree ExitWorktree Glob Grep Monitor NotebookEdit Read ReportFindings SendMessage Skill ' +
  'TaskCreate TaskGet TaskList TaskStop TaskUpdate ToolSearch WebFetch WebSearch Workflow Write'
const SKILLS = 'deep-research dataviz update-config verify debug code-review simplify batch doctor loop run'
const COMMANDS = `${SKILLS} agents clear color compact config context effort fast init mcp model rename security-review usage`

export const init = (session: string, cwd: string, model: string, uuid: string): object => ({
  type: 'system',
  subtype: 'init',
  cwd,
  session_id: session,
  tools: TOOLS.split(' '),
  mcp_servers: [],
  model,
  permissionMode: 'default',
  slash_commands: COMMANDS.split(' '),
  terminal_slash_commands: ['doctor', 'color'],
  apiKeySource: 'ANTHROPIC_API_KEY',
  claude_code_version: '2.1.325',
  output_style: 'default',
  agents: ['claude', 'Explore', 'general-purpose', 'Plan', 'statusline-setup'],
  skills: SKILLS.split(' '),
  plugins: [{ name: 'cc-plugin-agents-md', path: 'builtin', source: 'cc-plugin-agents-md@builtin' }],
  capabilities: ['interrupt_receipt_v1', 'msg_lifecycle_v1', 'sdk_mcp_tools_list_changed', 'ui_surface_v1'],
  uuid,
  memory_paths: { auto: `${cwd}/.claude/memory/` },
  original_cwd: cwd,
  additional_directories: [],
  fast_mode_state: 'off',
  view_mode: 'default',
})

const empty = (): Sum => ({ input: 0, output: 0, read: 0, written: 0 })

const tally = (): Tally => ({
  calls: 0,
  own: empty(),
  turn: empty(),
  total: empty(),
  add(usage, output, lane) {
    if (!lane) this.calls += 1
    for (const sum of lane ? [this.turn, this.total] : [this.own, this.turn, this.total]) {
      sum.input += usage.input_tokens
      sum.output += output
      sum.read += usage.cache_read_input_tokens
      sum.written += usage.cache_creation_input_tokens
    }
  },
})

/** USD, to the micro-dollar, at the list price of the model. */
const cost = (sum: Sum): number => Math.round(sum.input * 3 + sum.output * 15 + sum.read * 0.3 + sum.written * 3.75) / 1e6

const perModel = (model: string, sum: Sum): object => ({
  [model]: {
    inputTokens: sum.input,
    outputTokens: sum.output,
    cacheReadInputTokens: sum.read,
    cacheCreationInputTokens: sum.written,
    webSearchRequests: 0,
    costUSD: cost(sum),
    contextWindow: 200_000,
    maxOutputTokens: 32_000,
    thinkingTokens: 0,
    cacheCreationEphemeral5mInputTokens: sum.written,
    cacheCreationEphemeral1hInputTokens: 0,
    canonicalModel: 'claude-sonnet-4-5',
    provider: 'firstParty',
    costBasis: 'list',
  },
})

interface Turn {
  session: string
  model: string
  text: string
  turn: number
  durationMs: number
  uuid: string
}

/** Writes the result of a turn and clears the sums of that turn. */
function record(turn: Turn, sums: Tally): object {
  const { own } = sums
  const told = {
    duration_api_ms: turn.durationMs - 20,
    stop_reason: 'end_turn',
    session_id: turn.session,
    total_cost_usd: cost(sums.total),
    usage: {
      input_tokens: own.input,
      cache_creation_input_tokens: own.written,
      cache_read_input_tokens: own.read,
      output_tokens: own.output,
      output_tokens_details: { thinking_tokens: 0 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: 'standard',
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: own.written },
      inference_geo: '',
      iterations: [],
      speed: 'standard',
    },
    modelUsage: perModel(turn.model, sums.total),
    permission_denials: [],
    terminal_reason: 'completed',
    fast_mode_state: 'off',
    is_error: false,
    num_turns: sums.calls,
    subtype: 'success',
    api_error_status: null,
    result: turn.text,
    ttft_ms: 133,
    type: 'result',
    duration_ms: turn.durationMs,
    uuid: turn.uuid,
    queued_turn_count: 0,
    result_index: turn.turn,
    model_usage_since_last_result: perModel(turn.model, sums.turn),
  }
  sums.calls = 0
  sums.own = empty()
  sums.turn = empty()
  return told
}

export const result = { tally, record }
