// sluice claude: the built-in agent behind the command line of Claude Code, for programs that start that one. bin/sluice-claude is this.
import { wrongName } from '../config/names.ts'
import { flagOptions } from '../hosts/claude/flags.ts'
import { claudeOptions } from '../hosts/claude/options.ts'
import { claudeHost } from './claude-host.ts'
import { exitCodes, say } from './exit.ts'
import { isTerminal, print } from './io.ts'
import { type CommandSpec, helpText } from './options.ts'
import { screenOf } from './terminal.ts'
import { promptOf, workFolder } from './run-options.ts'
import { version } from './version.ts'

export const spec: CommandSpec = {
  usage: 'sluice claude --print PROMPT [options]',
  about: `Runs the built-in agent with the command line of Claude Code, for programs that start Claude Code with
--input-format stream-json and --output-format stream-json. The environment variable SLUICE_MODEL sets the model, whatever the host asks for;
script/demo and script/FILE need no key and no network.`,
  options: flagOptions,
  examples: [
    ["SLUICE_MODEL=script/demo sluice claude -p 'say hello'", 'no key and no network: the answers of the model are scripted'],
    ["sluice claude -p 'why does the test fail?' --output-format json --allowedTools 'Bash(npm test:*)'", 'the result as one line of JSON'],
  ],
  exits: ['0  done, also after the host interrupts', 'others are those of sluice run'],
}

export async function run(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) return shown(helpText(spec, screenOf().width))
  if (argv.includes('--version') || argv.includes('-v')) return shown(`${version} (sluice)\n`)
  const { agent, host, words, unknown } = claudeOptions(argv, workFolder('.'), process.env)
  if (unknown.length > 0) say(`sluice: passed over, for they are not known here: ${unknown.join(' ')}`)
  for (const doubt of new Set(agent.rules.map(({ permission }) => doubtOf(permission)))) if (doubt !== undefined) say(`sluice: ${doubt}`)
  if (host.readsHost && words.length > 0)
    say('sluice: the prompt of the command line is passed over: with stream-json prompts come on stdin')
  if (host.readsHost) return claudeHost(agent, host)
  return claudeHost(agent, { ...host, prompt: { text: await promptOf(words, undefined, isTerminal(0)), files: [] } })
}

/** Tools of Claude Code that have names like some of ours. */
const othersTools: ReadonlySet<string> = new Set(['lsp', 'repl', 'mcpsearch'])

/** Claude Code has tools that are not known here, so a strange name alone is no mistake; nearly one of ours is. */
function doubtOf(permission: string): string | undefined {
  const wrong = othersTools.has(permission) ? undefined : wrongName(permission)
  return wrong?.includes('did you mean') === true ? wrong : undefined
}

function shown(text: string): number {
  print(text)
  return exitCodes.ok
}
