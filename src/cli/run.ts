// sluice run: one prompt, one agent, one stream.
import { resolve } from 'node:path'
import { isTerminal, mustBeAnother } from './io.ts'
import { textOption, listOption, type CommandSpec, type Parsed, parseOptions, readableOptions } from './options.ts'
import { optionGroups } from './option-groups.ts'
import { requestFrom, agentOptions, attachmentsOf, promptOf, runOptions } from './run-options.ts'
import { quoted } from '../base/text.ts'
import { writableNames } from './dialects.ts'
import { exitCodes, usageError } from './exit.ts'
import { checkFit } from './run-fit.ts'
import { fileSinks, liveRun } from './run-live.ts'
import { leave, leaveOnSignal, withSentinel } from './run-sentinel.ts'
import { createUnwritten } from './run-unwritten.ts'

export const spec: CommandSpec = {
  usage: 'sluice run [PROMPT|-] [options]',
  about: `Gives a prompt to an agent (default: the built-in one) and shows what it does, live. On a terminal, sluice asks you before
the agent changes anything. Without a terminal, it refuses what no rule allows, and reports it. Every run is kept under
~/.local/share/sluice/sessions and can be continued.`,
  options: {
    'prompt-file': { type: 'string', value: 'FILE', help: 'read the prompt from a file' },
    file: { type: 'string', many: true, value: 'FILE', help: 'give the agent a file along with the prompt: text, picture or PDF' },
    format: {
      type: 'string',
      value: 'FORMAT',
      choices: ['pretty', ...writableNames],
      help: 'pretty (default), or NDJSON: sluice, aictrl, avenor, appctl, claude, acp',
    },
    array: { type: 'boolean', help: 'with --format of a dialect: write one JSON array instead of one line for each record' },
    'input-format': {
      type: 'string',
      value: 'FORMAT',
      choices: ['text', 'claude'],
      help: 'text (default), or claude: prompts and answers come on stdin as JSON lines',
    },
    'on-event': {
      type: 'string',
      many: true,
      value: '[DIALECT:]PATH',
      help: 'also write the events to a file or pipe (default dialect: avenor)',
    },
    losses: { type: 'string', value: 'FILE', help: 'write to FILE what these formats could not express, one JSON object a line' },
    ...agentOptions,
    ...runOptions,
  },
  groups: optionGroups,
  examples: [
    ["sluice run --model script/demo 'say hello'", 'no key and no network: the answers of the model are scripted'],
    ["sluice run 'why does the test fail?' --read-only", 'the agent may read, but change nothing'],
    [
      "sluice run 'fix the test' --permission 'edit=allow' --permission 'bash:npm test *=allow'",
      'without a terminal: allow edits and one command',
    ],
    ["sluice run 'fix the test' --format aictrl --max-cost 0.50 --timeout 10m > run.ndjson", 'for a CI job'],
    ["sluice run --agent claude 'fix the test' --on-event run.ndjson", 'run another agent, and write its events to a file'],
    ["sluice run --continue 'now write the changelog'", 'continue the last run'],
  ],
  exits: [
    '0    done',
    '1    failed, the model refused, or something could not be written',
    '2    wrong usage or settings',
    '3    the answer was cut at the token limit',
    '4    the budget (cost, tokens, tool calls) or --max-turns is used up',
    '5    the agent gave up ([abort] alone on a line)',
    '124  --timeout or --progress-timeout',
    '130  SIGINT, or cancelled otherwise',
    '143  SIGTERM, SIGHUP or SIGQUIT',
  ],
}

/** The sentinel is looked for ahead of all else, for what else is wrong must not leave an old one in its place. */
export async function run(argv: readonly string[]): Promise<number> {
  const values = readableOptions(spec, argv)
  const path = values['help'] === true ? undefined : textOption(values, 'sentinel-file') || undefined
  if (path !== undefined) mustBeAnother(path, '--sentinel-file', filesRead(values))
  return withSentinel(path === undefined ? undefined : resolve(path), textOption(values, 'run-id'), () => begin(argv))
}

async function begin(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files: words } = parsed
  const flags = requestFrom(values)
  checkFit(values, flags.agent)
  const promptFile = textOption(values, 'prompt-file')
  const format = textOption(values, 'format') ?? 'pretty'
  const outputs = listOption(values, 'on-event')
  const files = attachmentsOf(listOption(values, 'file'))
  const read = filesRead(values)
  const array = values['array'] === true
  if (array && format === 'pretty') throw usageError('--array needs a --format that is a dialect, such as claude')
  if (array && textOption(values, 'input-format') === 'claude')
    throw usageError('--array has no end that --input-format claude could wait for')
  const isHosted = isClaudeInput(textOption(values, 'input-format'), format)
  if (isHosted && values['losses'] !== undefined) throw usageError('--losses is not for --input-format claude')
  if (isHosted && flags.agent !== 'builtin')
    throw usageError('--input-format claude is for the built-in agent; speak to others with sluice control')
  const isPromptless = (isHosted || flags.agent.startsWith('replay:')) && words.length === 0 && promptFile === undefined
  const asked = isPromptless ? undefined : promptOf(words, promptFile, !isHosted && isTerminal(0))
  const onRun = leaveOnSignal(flags) // not before: while a file is read that waits for its writer, no signal is heard
  const prompt = asked === undefined ? {} : { prompt: { text: await asked, files } }
  if (isHosted) {
    const { claudeHost, plainHost } = await import('./claude-host.ts')
    const unwritten = createUnwritten()
    const sinks = await fileSinks(outputs, { read, thoughts: flags.thoughts, unwritten })
    const exitCode = await claudeHost(flags, { ...plainHost, partial: flags.stream, sinks, ...prompt }, { unwritten, onRun })
    return flags.sentinel === undefined ? exitCode : leave(flags.sentinel, { exitCode, run: flags.id })
  }
  return liveRun(flags, { ...prompt, format, array, outputs, losses: textOption(values, 'losses'), read, onRun })
}

/** No output may take the place of one of these. */
function filesRead(values: Parsed['values']): string[] {
  const named = ['prompt-file', 'settings'].map((name) => textOption(values, name))
  const replayed = /^replay:(.*)/s.exec(textOption(values, 'agent') ?? '')?.[1]
  const script = /^script\/(.*)/s.exec(textOption(values, 'model') ?? '')?.[1]
  const scripted = script === undefined ? undefined : resolve(textOption(values, 'dir') ?? '.', script)
  return [...listOption(values, 'file'), ...[...named, replayed, scripted].filter((file) => file !== undefined)]
}

/** Prompts and answers on stdin are of use only to one who can read the questions. */
function isClaudeInput(input: string | undefined, format: string): boolean {
  if (input === undefined || input === 'text') return false
  if (input !== 'claude') throw usageError(`--input-format ${quoted(input)} is neither text nor claude`)
  if (format !== 'claude') throw usageError('--input-format claude needs --format claude')
  return true
}
