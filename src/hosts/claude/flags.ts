// The flags of Claude Code that hosts give. They come as `--x=v` and as `--x v`, and there are always newer ones: what is not known is
// passed over together with its value.
import { RequestError } from '../../run/errors.ts'

/** `list`: every word up to the next flag. `idle`: taken, and without effect here. */
type Flag = { takes: 'value' | 'list' | 'nothing'; help: string; value?: string; idle?: true }

const value = (name: string, help: string): Flag => ({ takes: 'value', value: name, help })
const list = (name: string, help: string): Flag => ({ takes: 'list', value: name, help })
const plain = (help: string): Flag => ({ takes: 'nothing', help })
const idle = (flag: Flag): Flag => ({ ...flag, idle: true })

const flags: Readonly<Record<string, Flag>> = {
  print: plain('run one prompt, from the command line or from stdin'),
  'output-format': value('FORMAT', 'text (default), json, or stream-json'),
  'input-format': value('FORMAT', 'text (default), or stream-json: prompts and answers come on stdin'),
  verbose: plain('with json: print all records as one array'),
  'include-partial-messages': plain('print deltas too'),
  'replay-user-messages': plain('repeat prompts in the stream'),
  model: value('MODEL', 'sonnet, opus, haiku, fable, an Anthropic model id, or PROVIDER/MODEL'),
  'system-prompt': value('TEXT', 'replace the default system prompt'),
  'append-system-prompt': value('TEXT', 'append to the default system prompt'),
  'permission-mode': value('MODE', 'default, acceptEdits, bypassPermissions, plan, dontAsk, auto'),
  'permission-prompt-tool': value('stdio', 'send permission questions to the host'),
  'dangerously-skip-permissions': plain('the mode bypassPermissions'),
  allowedTools: list('TOOLS', "allow these, for example 'Bash(git log:*)' Read"),
  disallowedTools: list('TOOLS', 'never allow these'),
  tools: list('TOOLS', 'offer only these built-in tools'),
  'add-dir': list('DIRS', 'allow these folders outside the project'),
  agents: value('JSON', 'subagents: {"NAME": {"description", "prompt", "tools", "model"}}'),
  agent: value('NAME', 'the profile of the agent'),
  'mcp-config': list('JSON|FILE', 'more MCP servers'),
  'strict-mcp-config': plain('only those MCP servers'),
  settings: value('JSON|FILE', "Claude's settings: sluice uses their rules, mode and model"),
  'max-turns': value('N', 'at most N model calls for one prompt'),
  'max-budget-usd': value('USD', 'budget: stop when this amount is spent'),
  'max-thinking-tokens': value('N', "more than 0: ask for the model's thoughts"),
  thinking: value('WORD', "adaptive or enabled: ask for the model's thoughts"),
  continue: plain('continue the last session of this project'),
  resume: value('ID', 'continue this session'),
  'fork-session': plain('with --continue or --resume: continue in a copy'),
  'session-id': value('ID', 'the id of a new session'),
  'fallback-model': idle(value('MODEL', '')),
  'setting-sources': idle(value('LIST', '')),
  effort: idle(value('WORD', '')),
  betas: idle(list('LIST', '')),
  debug: idle(plain('')),
  'allow-dangerously-skip-permissions': idle(plain('')),
  'no-session-persistence': idle(plain('')),
}

const aliases: Readonly<Record<string, string>> = {
  '-p': 'print',
  '-c': 'continue',
  '-r': 'resume',
  '-d': 'debug',
  '--allowed-tools': 'allowedTools',
  '--disallowed-tools': 'disallowedTools',
}

/** A flag that is there has its values, or none. `words` are taken by no flag. */
export type Given = { values: Record<string, string[]>; words: string[]; unknown: string[] }

export function readFlags(argv: readonly string[]): Given {
  const given: Given = { values: {}, words: [], unknown: [] }
  let at = 0
  const isFlag = (word: string): boolean => /^-./.test(word)
  const isValue = (): boolean => at < argv.length && !isFlag(argv[at]!)
  while (at < argv.length) {
    const word = argv[at++]!
    if (word === '--') {
      given.words.push(...argv.slice(at))
      break
    }
    if (!isFlag(word)) {
      given.words.push(word)
      continue
    }
    const [written = word, joined] = /^(--[^=]+)=(.*)$/s.exec(word)?.slice(1) ?? []
    const name = aliases[written] ?? written.replace(/^--/, '')
    const takes = Object.hasOwn(flags, name) ? flags[name]!.takes : undefined
    const values = (given.values[name] ??= [])
    if (takes === undefined) given.unknown.push(written)
    if (joined !== undefined) values.push(joined)
    else if (takes === 'list') while (isValue()) values.push(argv[at++]!)
    else if (takes === 'value' && at === argv.length) throw new RequestError(`${written} needs a value`)
    else if (takes === 'value' || (takes === undefined && isValue())) values.push(argv[at++]!)
  }
  return given
}

type HelpOption = { type: 'boolean' | 'string'; help: string; value?: string; many?: boolean }

/** As options of a command, for its help. */
export const flagOptions: Record<string, HelpOption> = Object.fromEntries(
  Object.entries(flags).map(([name, { takes, value: shown, help, idle: without }]) => [
    name,
    {
      type: takes === 'nothing' ? 'boolean' : 'string',
      help: without === true ? 'taken, without effect' : help,
      ...(shown !== undefined && { value: shown }),
      ...(takes === 'list' && { many: true }),
    },
  ]),
)
