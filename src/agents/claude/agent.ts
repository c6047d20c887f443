// Drives Claude Code: the program with its flags, and who speaks with it.
import { claude } from '../../dialects/claude/index.ts'
import { programOf } from '../acp/drive.ts'
import type { Again, AgentRequest, Driver } from '../driver.ts'
import { headlessTalk } from '../headless.ts'
import { locate, missingText, packageVersion } from '../find.ts'
import { claudeTalk } from './talk.ts'

/** Claude's own variables and those of the clouds that can stand behind it, but for what tells of a Claude that runs us. */
const ownVariables =
  /^(ANTHROPIC_|CLAUDE_(?!CODE_(ENTRYPOINT|SSE_PORT|SESSION_ID)$)|AWS_|VERTEX_|GOOGLE_|CLOUD_ML_|DISABLE_|MAX_THINKING_TOKENS$|BASH_(DEFAULT|MAX)_|MCP_|IS_SANDBOX$)/

export function claudeDriver(request: AgentRequest): Driver {
  const found = request.file ?? locate('claude', request.env)
  return {
    title: 'Claude Code',
    name: 'claude-code',
    dialect: claude,
    program: found === undefined ? missingText('claude') : programOf(found, flagsOf(request, packageVersion(found)), request, ownVariables),
    talk: request.headless === true ? headlessTalk : (wire) => claudeTalk(wire, request.mode !== undefined),
    again: withoutUnknown,
    seesAll: request.headless !== true,
  }
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** `version`: as far as it can be told without a start. A newer program than we know is taken to know all. */
export function flagsOf(request: AgentRequest, version: string | undefined): string[] {
  const { session, how, native, model, mode = 'default', stream, headless } = request
  const flags = [['-p'], ['--output-format', 'stream-json'], ['--verbose'], ['--permission-mode', mode]]
  if (headless !== true) flags.push(['--input-format', 'stream-json'], ['--permission-prompt-tool', 'stdio'], ['--replay-user-messages'])
  if (stream) flags.push(['--include-partial-messages'])
  if (version === undefined || !/^([01]|2\.0)\./.test(version)) flags.push(['--forward-subagent-text'])
  if (model !== undefined) flags.push(['--model', model])
  if (native !== undefined) flags.push(['--resume', native])
  if (how === 'forked') flags.push(['--fork-session'])
  // An id of its own can be given to what is new.
  if (how !== 'resumed' && uuid.test(session)) flags.push(['--session-id', session])
  return flags.flat()
}

/** Flags that older versions do not have, and without which all else still works. */
const optional = new Map([
  ['--forward-subagent-text', 0],
  ['--include-partial-messages', 0],
  ['--replay-user-messages', 0],
  ['--session-id', 1],
])

/** It names the unknown flag and gives up: a second start does without. */
export function withoutUnknown(args: readonly string[], stderr: string): Again | undefined {
  const unknown = /unknown option '(--[\w-]+)/.exec(stderr)?.[1]
  if (unknown === undefined || !optional.has(unknown)) return undefined
  const at = args.indexOf(unknown)
  return at === -1 ? undefined : { args: args.toSpliced(at, 1 + optional.get(unknown)!) }
}
