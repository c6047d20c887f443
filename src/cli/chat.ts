// sluice chat: talk with the built-in agent at the terminal.
import { isTerminal } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'
import { exitCodes, usageError } from './exit.ts'
import { optionGroups } from './option-groups.ts'
import { requestFrom, agentOptions } from './run-options.ts'
import { talk } from './chat-talk.ts'

export const spec: CommandSpec = {
  usage: 'sluice chat [PROMPT] [options]',
  about: `Starts a chat with the built-in agent. Answers appear while the model writes them, and sluice asks you before the agent changes anything.
Ctrl-C stops a turn, /help lists the commands, Ctrl-D leaves. Sessions are kept and can be continued.`,
  options: agentOptions,
  groups: optionGroups,
  examples: [
    ['sluice chat', 'uses the model from your settings, or the one for your key'],
    ['sluice chat --model script/demo', 'no key and no network: the answers of the model are scripted'],
    ["sluice chat --read-only 'how is this project built?'", 'the agent may read, but change nothing'],
    ['sluice chat --continue', 'continue the last chat in this folder'],
  ],
  exits: [
    '0    you left',
    '2    wrong usage or settings, or no terminal',
    '4    the budget (cost, tokens, tool calls) is used up',
    '124  --timeout or --progress-timeout',
    '130  SIGINT from another program',
    '143  SIGTERM, SIGHUP or SIGQUIT',
  ],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  if (!isTerminal(0) || !isTerminal(1) || process.env['TERM'] === 'dumb')
    throw usageError("chat needs a terminal to talk in; without one use sluice run 'PROMPT'")
  return talk(requestFrom(parsed.values), parsed.files.join(' '))
}
