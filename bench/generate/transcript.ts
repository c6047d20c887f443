/**
 * The transcript files of Claude Code 2.1.325, after the recordings: one file a session, one a subagent, final usage on every record of
 * a message, `type` near the end of a record, the running cost at the end. A few sessions are forks: they begin with a copy.
 */
import { createCalls } from './claude-tools.ts'
import { WIDE } from './contract.ts'
import type { Random } from './random.ts'
import type { Text } from './text.ts'

type Line = Record<string, unknown>
/** `path` is below the folder of the project. */
export type TranscriptFile = { path: string; lines: Line[] }

const MODELS = ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5-20250929', 'claude-opus-4-5-20251101', 'claude-haiku-4-5-20251001']
const DAY = 86_400_000

export function createTranscripts(random: Random, text: Text) {
  const { int, spread, chance, pick, hex, base62, uuid } = random
  let earlier: TranscriptFile | undefined

  return function session(root: string): TranscriptFile[] {
    const id = uuid()
    const model = pick(MODELS)
    const drawCall = createCalls(random, text, root)
    const main: TranscriptFile = { path: `${id}.jsonl`, lines: [] }
    const files = [main]
    const spent = { input: 0, output: 0, read: 0, written: 0 }
    let clock = Date.parse('2026-09-15T06:00:00.000Z') + int(0, 60) * DAY

    const common = (agent?: string): Line => ({
      timestamp: new Date((clock += int(3, 9000))).toISOString(),
      userType: 'external',
      entrypoint: 'cli',
      cwd: root,
      sessionId: id,
      version: '2.1.325',
      gitBranch: 'main',
      ...(agent !== undefined && { agentId: agent }),
    })
    const push = (file: TranscriptFile, agent: string | undefined, keys: Line): void => {
      file.lines.push({ parentUuid: uuid(), isSidechain: agent !== undefined, ...keys, ...common(agent) })
    }

    /** Starts a message: the function it returns writes one block of it. */
    const startMessage = (file: TranscriptFile, agent?: string): ((block: object) => void) => {
      const message = `msg_01${base62(22)}`
      const requestId = `req_01${base62(22)}`
      const written = int(0, 4000)
      const long = chance(0.2) ? written : 0
      const usage = {
        input_tokens: int(2, 40),
        cache_creation_input_tokens: written,
        cache_read_input_tokens: int(9000, 140_000),
        output_tokens: int(30, 900),
        output_tokens_details: { thinking_tokens: 0 },
        server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
        service_tier: 'standard',
        cache_creation: { ephemeral_1h_input_tokens: long, ephemeral_5m_input_tokens: written - long },
        inference_geo: '',
        iterations: [],
        speed: 'standard',
      }
      spent.input += usage.input_tokens
      spent.output += usage.output_tokens
      spent.read += usage.cache_read_input_tokens
      spent.written += written
      let index = 0
      return (block) =>
        push(file, agent, {
          message: {
            id: message,
            type: 'message',
            role: 'assistant',
            model,
            content: [block],
            stop_reason: 'tool_use',
            stop_sequence: null,
            usage,
            stop_details: null,
          },
          apiBlockIndex: index++,
          requestId,
          type: 'assistant',
          uuid: uuid(),
        })
    }

    const user = (file: TranscriptFile, agent: string | undefined, content: unknown, extra: Line = {}): void =>
      push(file, agent, { promptId: uuid(), type: 'user', message: { role: 'user', content }, uuid: uuid(), ...extra })

    const step = (file: TranscriptFile, agent?: string): void => {
      const say = startMessage(file, agent)
      if (chance(0.35)) say({ type: 'thinking', thinking: text.prose(spread(80, 3000), chance(WIDE)), signature: base62(200) })
      if (chance(0.6)) say({ type: 'text', text: text.prose(spread(30, 1200), chance(WIDE)) })
      if (agent === undefined && chance(0.01)) return delegate(say)
      for (let left = chance(0.15) ? int(2, 4) : 1; left > 0; left--) {
        const call = drawCall()
        const tool = `toolu_01${base62(22)}`
        say({ type: 'tool_use', id: tool, name: call.name, input: call.input })
        const block = { tool_use_id: tool, type: 'tool_result', content: call.content }
        user(file, agent, [call.isError === undefined ? block : { ...block, is_error: call.isError }], {
          toolUseResult: call.result,
        })
      }
    }

    const delegate = (say: (block: object) => void): void => {
      const agent = `a${hex(16)}`
      const tool = `toolu_01${base62(22)}`
      const prompt = text.prose(300, chance(WIDE))
      const file: TranscriptFile = { path: `${id}/subagents/agent-${agent}.jsonl`, lines: [] }
      files.push(file)
      say({ type: 'tool_use', id: tool, name: 'Agent', input: { description: text.sentence(), prompt, subagent_type: 'general-purpose' } })
      user(file, agent, prompt)
      for (let left = int(2, 12); left > 0; left--) step(file, agent)
      const content = [{ type: 'text', text: text.prose(spread(200, 3000)) }]
      const usage = { input_tokens: int(2, 40), cache_creation_input_tokens: 0, cache_read_input_tokens: 9000, output_tokens: int(30, 900) }
      user(main, undefined, [{ tool_use_id: tool, type: 'tool_result', content }], {
        toolUseResult: { status: 'completed', prompt, agentId: agent, content, totalTokens: int(1000, 90_000), usage },
      })
    }

    const copied = earlier !== undefined && chance(0.03) ? earlier.lines.slice(0, int(2, earlier.lines.length)) : []
    for (const line of copied) if (line['type'] !== 'cost-state') main.lines.push({ ...line, sessionId: id })
    for (let turn = int(1, 4); turn > 0; turn--) {
      user(main, undefined, text.prose(spread(20, 600)))
      for (let left = int(2, 30); left > 0; left--) step(main)
      startMessage(main)({ type: 'text', text: text.prose(spread(60, 4000), chance(WIDE)) })
    }
    if (copied.length === 0) main.lines.push(costState(id, model, spent))
    earlier = main
    return files
  }
}

const costState = (sessionId: string, model: string, spent: { input: number; output: number; read: number; written: number }): Line => ({
  type: 'cost-state',
  sessionId,
  totalDuration: 657,
  modelUsage: {
    [model]: {
      inputTokens: spent.input,
      outputTokens: spent.output,
      cacheReadInputTokens: spent.read,
      cacheCreationInputTokens: spent.written,
      webSearchRequests: 0,
    },
  },
  hasUnknownModelCost: false,
})
