// The real agents: where each lies, what its tools are called, and how it is set up in a home of its own to speak with a model on this
// machine and with nobody else.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Call = { name: string; input: Record<string, unknown> }

/** Calls of tools as the model must write them for this agent. */
export type Words = {
  shell(command: string): Call
  /** A command that the agent does not run unasked. */
  risky(command: string): Call
  subagent(prompt: string): Call
  /** The last turn of a subagent. */
  report(text: string): { text: string } | { tools: readonly Call[] }
  /** The tool of the MCP server. */
  echo(text: string): Call
}

/** Where the agent lives for one run, and the address of its model. */
export type Place = { home: string; url: string }

export type Agent = {
  /** With its version; the head of its column. */
  name: string
  /** As `sluice run --agent` calls it. */
  agent: string
  program: string
  /** Under node_modules. */
  path: string
  /** More arguments for sluice. */
  flags?: readonly string[]
  words: Words
  /** Writes its settings; the variables it needs. */
  setUp(place: Place): Record<string, string>
}

// Agents do not start without a key. It must not be a common word: some hide its text wherever it stands in their output.
const key = 'sk-made-up-for-this-test'
const says = (text: string) => ({ text })
const echoServer = { command: process.execPath, args: [join(import.meta.dirname, 'echo-server.ts')] }

function write(home: string, path: string, content: unknown): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))
}

// ── Claude Code ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const claudeShell = (command: string): Call => ({ name: 'Bash', input: { command, description: 'One command' } })
const claudeWords = (subagent: string): Words => ({
  shell: claudeShell,
  risky: claudeShell,
  subagent: (prompt) => ({
    name: subagent,
    input: {
      description: 'A part of it',
      prompt,
      subagent_type: 'general-purpose',
      ...(subagent === 'Agent' && { run_in_background: false }),
    },
  }),
  report: says,
  echo: (text) => ({ name: 'mcp__echo__echo', input: { text } }),
})

function setUpClaude({ home, url }: Place): Record<string, string> {
  write(home, '.claude.json', { hasCompletedOnboarding: true, mcpServers: { echo: { type: 'stdio', ...echoServer } } })
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_MODEL: 'claude-sonnet-4-5-20250929',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '2',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_TMPDIR: join(home, 'tmp'),
  }
}

// ── Codex ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const codexWords: Words = {
  shell: (cmd) => ({ name: 'exec_command', input: { cmd } }),
  risky: (cmd) => ({
    name: 'exec_command',
    input: { cmd, sandbox_permissions: 'require_escalated', justification: 'May it be done?' },
  }),
  subagent: (message) => ({ name: 'multi_agent_v1/spawn_agent', input: { message } }),
  report: says,
  echo: (text) => ({ name: 'mcp__echo/echo', input: { text } }),
}

function setUpCodex({ home, url }: Place): Record<string, string> {
  write(
    home,
    '.codex/config.toml',
    `model = "gpt-5.5"
model_provider = "script"

[features]
plugins = false

[model_providers.script]
name = "script"
base_url = "${url}/v1"
env_key = "CODEX_API_KEY"
wire_api = "responses"
request_max_retries = 2
stream_max_retries = 2

[mcp_servers.echo]
command = ${JSON.stringify(echoServer.command)}
args = ${JSON.stringify(echoServer.args)}
`,
  )
  return { CODEX_API_KEY: key }
}

// ── Gemini CLI ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const geminiShell = (command: string): Call => ({ name: 'run_shell_command', input: { command, description: 'One command' } })
const geminiWords: Words = {
  shell: geminiShell,
  risky: geminiShell,
  subagent: (prompt) => ({ name: 'invoke_agent', input: { agent_name: 'generalist', prompt } }),
  report: (response) => ({ tools: [{ name: 'complete_task', input: { result: { response } } }] }),
  echo: (text) => ({ name: 'mcp_echo_echo', input: { text } }),
}

function setUpGemini({ home, url }: Place): Record<string, string> {
  write(home, '.gemini/settings.json', {
    security: { auth: { selectedType: 'gemini-api-key' } },
    model: { name: 'gemini-2.5-flash' },
    general: { enableAutoUpdate: false, maxAttempts: 3 },
    privacy: { usageStatisticsEnabled: false },
    mcpServers: { echo: echoServer },
  })
  return {
    GEMINI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
    GEMINI_SANDBOX: 'false',
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }
}

// ── opencode ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const opencodeShell = (command: string): Call => ({ name: 'bash', input: { command, description: 'One command' } })
const opencodeWords: Words = {
  shell: opencodeShell,
  risky: opencodeShell,
  subagent: (prompt) => ({ name: 'task', input: { description: 'A part of it', prompt, subagent_type: 'general' } }),
  report: says,
  echo: (text) => ({ name: 'echo_echo', input: { text } }),
}

function setUpOpencode({ home, url }: Place): Record<string, string> {
  write(home, '.config/opencode/opencode.json', {
    model: 'script/script',
    small_model: 'script/script',
    provider: {
      script: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${url}/v1`, apiKey: key },
        models: { script: { limit: { context: 200_000, output: 8000 } } },
      },
    },
    permission: { bash: { '*': 'allow', 'touch *': 'ask' } },
    mcp: { echo: { type: 'local', command: [echoServer.command, ...echoServer.args] } },
  })
  return {
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_SHARE: '1',
  }
}

// ── Copilot CLI ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const copilotShell = (command: string): Call => ({ name: 'bash', input: { command, description: 'One command' } })
const copilotWords: Words = {
  shell: copilotShell,
  risky: copilotShell,
  subagent: (prompt) => ({ name: 'task', input: { name: 'part', description: 'A part of it', prompt, agent_type: 'general-purpose' } }),
  report: says,
  echo: (text) => ({ name: 'echo-echo', input: { text } }),
}

function setUpCopilot({ home, url }: Place): Record<string, string> {
  write(home, '.copilot/mcp-config.json', { mcpServers: { echo: { type: 'local', ...echoServer, tools: ['*'] } } })
  return {
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: url,
    COPILOT_PROVIDER_TYPE: 'anthropic',
    COPILOT_PROVIDER_API_KEY: key,
    COPILOT_MODEL: 'claude-sonnet-4.5',
    COPILOT_HOME: join(home, '.copilot'),
    // It unpacks 235 MB on its first start.
    XDG_CACHE_HOME: join(import.meta.dirname, 'node_modules/.cache'),
  }
}

// ── all ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const agents: readonly Agent[] = [
  {
    name: 'claude 2.1.325',
    agent: 'claude',
    program: 'claude',
    path: '@anthropic-ai/claude-code/bin/claude.exe',
    words: claudeWords('Agent'),
    setUp: setUpClaude,
  },
  {
    name: 'claude 2.0.76',
    agent: 'claude',
    program: 'claude',
    path: 'claude-code-2.0/cli.js',
    words: claudeWords('Task'),
    setUp: setUpClaude,
  },
  { name: 'codex 0.166.0', agent: 'codex', program: 'codex', path: '@openai/codex/bin/codex.js', words: codexWords, setUp: setUpCodex },
  {
    name: 'gemini 0.61.0',
    agent: 'gemini',
    program: 'gemini',
    path: '@google/gemini-cli/bundle/gemini.js',
    words: geminiWords,
    setUp: setUpGemini,
  },
  {
    name: 'opencode 1.18.33',
    agent: 'opencode',
    program: 'opencode',
    path: 'opencode-ai/bin/opencode.exe',
    words: opencodeWords,
    setUp: setUpOpencode,
  },
  {
    name: 'copilot 1.0.102',
    agent: 'copilot',
    program: 'copilot',
    path: '@github/copilot/npm-loader.js',
    words: copilotWords,
    setUp: setUpCopilot,
  },
  {
    name: 'claude-agent-acp 0.99.1',
    agent: 'acp:claude-agent-acp',
    program: 'claude-agent-acp',
    path: '@agentclientprotocol/claude-agent-acp/dist/index.js',
    words: claudeWords('Agent'),
    setUp: setUpClaude,
  },
  {
    name: 'codex-acp 2.6.0',
    agent: 'acp:codex-acp',
    program: 'codex-acp',
    path: '@agentclientprotocol/codex-acp/dist/index.js',
    flags: ['--agent-mode', 'read-only'], // else it lets a model answer its questions
    words: codexWords,
    setUp: setUpCodex,
  },
]

/** The folder with this program and no other; its path. */
export function linkProgram({ program, path }: Agent, home: string, folder: string): string {
  const bin = join(home, 'bin')
  mkdirSync(bin)
  symlinkSync(join(folder, 'node_modules', path), join(bin, program))
  return bin
}
