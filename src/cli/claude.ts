// sluice claude: the built-in agent behind the command line of Claude Code, for programs that start that one. bin/sluice-claude is this.
import { claudeDoor } from './claude-door.ts'
import { claudeOptions } from './claude-options.ts'
import { say } from './exit.ts'
import { isTerminal } from './io.ts'
import { promptOf } from './run-options.ts'

export async function run(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) return help()
  const { agent, door, input, words, unknown } = claudeOptions(argv, process.cwd(), process.env)
  if (unknown.length > 0) say(`sluice: passed over, for they are not known here: ${unknown.join(' ')}`)
  if (input === 'stream-json') return claudeDoor(agent, door)
  return claudeDoor(agent, { ...door, hostAnswers: false, prompt: promptOf(words, undefined, isTerminal(0)) })
}

function help(): number {
  process.stdout.write(`The built-in agent of sluice behind the command line of Claude Code, for programs that would start that one.

Usage: sluice-claude --output-format stream-json --verbose --input-format stream-json [flags of Claude Code]
       sluice-claude -p PROMPT [--output-format text|json|stream-json] [flags of Claude Code]

  SLUICE_MODEL names the model whatever the host asks for: script/demo and script/FILE need no key and no network.
  For people there are sluice run and sluice chat.
`)
  return 0
}
