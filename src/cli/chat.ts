// sluice chat: talk with the built-in agent at the terminal.
import { isTerminal } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'
import { exitCodes, usageError } from './exit.ts'
import { optionGroups } from './option-groups.ts'
import { requestFrom, agentOptions } from './run-options.ts'
import { talk } from './chat-talk.ts'

export const spec: CommandSpec = {
  usage: 'sluice chat [PROMPT] [options]',
  about: `Talk with the built-in agent: answers appear as they are written, and you are asked before anything is changed. Ctrl-C stops a turn,
/help lists the commands, Ctrl-D leaves. Every session is kept and can be gone on with.`,
  options: agentOptions,
  groups: optionGroups,
  examples: [
    ['sluice chat', 'with the model of your settings, or of the key that is set'],
    ['sluice chat --model script/demo', 'no key and no network: the words of the model are scripted'],
    ["sluice chat --read-only 'how is this project built?'", 'it may look, and change nothing'],
    ['sluice chat --continue', 'go on where you stopped here'],
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
