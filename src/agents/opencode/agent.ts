// Drives opencode: by its server, or without a way back by its own stream. It speaks the Agent Client Protocol too, but leaves out there
// what a run must know: the tokens of all steps but the last, retries, and that it sums up its context again and again.
import { opencode } from '../../dialects/opencode/index.ts'
import type { Line } from '../acp/live.ts'
import { programOf } from '../acp/drive.ts'
import { withAnswers } from '../acp/turn.ts'
import type { AgentRequest, Driver, Program } from '../driver.ts'
import { locate, missingText } from '../find.ts'
import { headlessTalk } from '../headless.ts'
import { bridgeSource } from './bridge.ts'
import { liveOpencode } from './live.ts'
import { asking } from './permissions.ts'
import { runSource } from './run.ts'
import { opencodeTalk } from './talk.ts'

/** It can use any provider. What tells of an opencode that runs us is left out. */
const ownVariables =
  /^(OPENCODE_(?!SERVER_|CALLER$|PID$|CLIENT$)|ANTHROPIC_|OPENAI_|AZURE_|GOOGLE_|GEMINI_|VERTEX_|AWS_|BEDROCK_|OPENROUTER_|MISTRAL_|GROQ_|XAI_|DEEPSEEK_|COHERE_|TOGETHER_|FIREWORKS_|CEREBRAS_|OLLAMA_|GITHUB_TOKEN$)/

const titles = { title: 'opencode', name: 'opencode' }

export function opencodeDriver(request: AgentRequest): Driver {
  const file = request.file ?? locate('opencode', request.env)
  const program = (flags: readonly string[]): Program | string =>
    file === undefined ? missingText('opencode') : asking(programOf(file, flags, request, ownVariables), request)
  if (request.headless === true)
    return { ...titles, dialect: withAnswers(opencode), program: within(runSource, program(headlessFlags(request))), talk: headlessTalk }
  const line: Line = {}
  return {
    ...titles,
    dialect: liveOpencode(line),
    program: within(bridgeSource, program(['serve', '--hostname', '127.0.0.1', '--port', '0'])),
    talk: opencodeTalk(request, line),
  }
}

const within = (source: () => string, program: Program | string): Program | string =>
  typeof program === 'string' ? program : { ...program, file: process.execPath, args: ['-e', source(), program.file, ...program.args] }

/** The prompt comes on its input. */
export function headlessFlags({ model, mode, native, how }: AgentRequest): string[] {
  const flags = [['run', '--format', 'json', '--thinking']]
  if (model !== undefined) flags.push(['--model', model])
  if (mode !== undefined) flags.push(['--agent', mode])
  if (native !== undefined) flags.push(['--session', native])
  if (how === 'forked') flags.push(['--fork'])
  return flags.flat()
}
