// `acp:COMMAND`: an agent of which only its command line is known.
import { isAbsolute, resolve } from 'node:path'
import type { AgentRequest, Driver } from '../driver.ts'
import { locate } from '../find.ts'
import { guardedRequest } from '../guard.ts'
import { nameOf, programName, wordsOf } from './command.ts'
import { asking } from '../opencode/permissions.ts'
import { driveAcp, programOf } from './drive.ts'

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
    const settled = guardedRequest(programName(words), request)
    const program = programOf(file, args, settled, ownVariables)
    return driveAcp({ title: name, name, program: programName(words) === 'opencode' ? asking(program, settled) : program }, settled)
  }

const fileOf = (word: string, { cwd, env }: AgentRequest): string | undefined =>
  word.includes('/') ? (isAbsolute(word) ? word : resolve(cwd, word)) : locate(word, env)
