// Drives any agent that speaks the Agent Client Protocol over its standard streams: `acp:COMMAND`, and those we know by name.
import { basename, isAbsolute, resolve } from 'node:path'
import type { AgentRequest, Driver, Program } from '../driver.ts'
import { locate } from '../find.ts'
import { agentEnvironment } from '../process/environment.ts'
import { wordsOf } from './command.ts'
import { type Line, liveAcp, type Truths } from './live.ts'
import { acpTalk } from './talk.ts'

/** Whatever a provider of models is known by: nobody knows which of them an unknown agent needs. */
const ownVariables =
  /^((ANTHROPIC|OPENAI|AZURE|GOOGLE|GEMINI|VERTEX|AWS|BEDROCK|OPENROUTER|MISTRAL|GROQ|XAI|DEEPSEEK|COHERE|TOGETHER|FIREWORKS|CEREBRAS|OLLAMA|CODEX|COPILOT|OPENCODE)_|CLAUDE_(?!CODE_(ENTRYPOINT|SSE_PORT|SESSION_ID)$)|DISABLE_|IS_SANDBOX$)/

/** `acp:COMMAND`. */
export const acpDriver =
  (command: string) =>
  (request: AgentRequest): Driver => {
    const words = wordsOf(command)
    if (typeof words === 'string')
      return driveAcp({ title: 'the agent', name: 'acp', program: `the agent "acp:${command}" cannot be started: ${words}` }, request)
    const [first, ...args] = words as [string, ...string[]]
    const name = nameOf(words)
    const file = request.file ?? fileOf(first, request)
    if (file === undefined) return driveAcp({ title: name, name, program: `there is no program "${first}" on the PATH` }, request)
    return driveAcp({ title: name, name, program: programOf(file, args, request, ownVariables) }, request)
  }

/** Of the agent, not of what runs it. */
function nameOf([first = '', ...rest]: readonly string[]): string {
  const named = /^(node|npx|bunx?|deno|uvx?|python3?|sh|bash)$/.test(basename(first))
    ? rest.find((word) => !word.startsWith('-'))
    : undefined
  return basename(named ?? first)
}

const fileOf = (word: string, { cwd, env }: AgentRequest): string | undefined =>
  word.includes('/') ? (isAbsolute(word) ? word : resolve(cwd, word)) : locate(word, env)

export function programOf(
  file: string,
  args: readonly string[],
  request: AgentRequest,
  own: RegExp,
  more: Readonly<Record<string, string>> = {},
): Program {
  const { cwd, env, passed, variables } = request
  const all = [...args, ...(request.args ?? [])]
  const start = /\.[cm]?js$/.test(file) ? { file: process.execPath, args: [file, ...all] } : { file, args: all }
  return { ...start, cwd, env: { ...more, ...agentEnvironment(env, own, passed), ...variables } }
}

/** `judge`, `aside`: what it does not say as it is. */
export type AcpAgent = Pick<Driver, 'title' | 'name' | 'program' | 'overhear' | 'again'> &
  Truths & {
    /** What its program was told by its command line is not said again. */
    said?: readonly ('model' | 'mode')[]
  }

export function driveAcp({ judge, aside, said = [], ...agent }: AcpAgent, request: AgentRequest): Driver {
  const line: Line = {}
  const { program, title } = agent
  const { cwd, how, native, model, mode } = request
  const talk = acpTalk(
    {
      cwd,
      how,
      native,
      title,
      model: said.includes('model') ? undefined : model,
      mode: said.includes('mode') ? undefined : mode,
      env: typeof program === 'string' ? {} : program.env,
    },
    line,
  )
  return { ...agent, dialect: liveAcp(line, { judge, aside }), talk }
}
