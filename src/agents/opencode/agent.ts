// Drives opencode: by its server, or without a way back by its own stream. It speaks the Agent Client Protocol too, but leaves out there
// what a run must know: the tokens of all steps but the last, retries, and that it sums up its context again and again.
import { opencode } from '../../dialects/opencode/index.ts'
import type { Line } from '../acp/live.ts'
import { programOf } from '../acp/drive.ts'
import { withAnswers } from '../acp/turn.ts'
import type { AgentRequest, Driver, Program, Talk, Wire } from '../driver.ts'
import { locate, missingText } from '../find.ts'
import { headlessTalk } from '../headless.ts'
import { http } from '../transport/http.ts'
import { liveOpencode } from './live.ts'
import { asking } from './permissions.ts'
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
    return { ...titles, dialect: withAnswers(opencode), program: program(headlessFlags(request)), talk: runTalk }
  const line: Line = {}
  return {
    ...titles,
    dialect: liveOpencode(line),
    program: program(['serve', '--hostname', '127.0.0.1', '--port', '0']),
    transport: http({ events: '/event', login }),
    talk: opencodeTalk(request, line),
  }
}

const login = (password: string): { user: string; env: Record<string, string> } => ({
  user: 'opencode',
  env: { OPENCODE_SERVER_USERNAME: 'opencode', OPENCODE_SERVER_PASSWORD: password },
})

/** `opencode run` prints no end: more may follow its last words until it has left. Then its session rests, in the words of its server. */
function runTalk(wire: Wire): Talk {
  let session: unknown
  return {
    ...headlessTalk(wire),
    consume({ sessionID }) {
      session ??= sessionID
      return false
    },
    atExit: ({ signal }) =>
      session === undefined || signal !== null ? undefined : { type: 'session.idle', properties: { sessionID: session } },
  }
}

/** The prompt comes on its input. */
export function headlessFlags({ model, mode, native, how }: AgentRequest): string[] {
  const flags = [['run', '--format', 'json', '--thinking']]
  if (model !== undefined) flags.push(['--model', model])
  if (mode !== undefined) flags.push(['--agent', mode])
  if (native !== undefined) flags.push(['--session', native])
  if (how === 'forked') flags.push(['--fork'])
  return flags.flat()
}
