// sluice model serve: the scripted model as a server on loopback, until a signal ends it.
import { closeSync, openSync, readFileSync } from 'node:fs'
import { plural, quoted } from '../base/text.ts'
import { loadScript, ScriptError } from '../script/load.ts'
import type { Script } from '../script/script.ts'
import { type Entry, serveScript } from '../script/server.ts'
import { CommandError, exitCodes, say, signalCodes, systemReason, usageError } from './exit.ts'
import { mustBeAnother, print } from './io.ts'
import { basesAt, recipesFor, recipeText } from './model-agents.ts'
import { firstSignal, listening, portIn } from './model-listen.ts'
import { type CommandSpec, parseOptions, textOption } from './options.ts'
import { writeAll } from './write.ts'

export const spec: CommandSpec = {
  usage: 'sluice model serve SCRIPT [options]',
  about: `Serves a scripted model on 127.0.0.1, with the APIs of Anthropic (Messages), OpenAI (Responses, Chat Completions) and Gemini.
Prints its address and how to start each agent, then serves until SIGINT or SIGTERM.`,
  options: {
    port: { type: 'string', value: 'N', help: 'the port (default: 0, a free one)' },
    json: { type: 'boolean', help: 'print the addresses and recipes as one line of JSON' },
    log: { type: 'string', value: 'FILE', help: 'write every request as a line of JSON, without headers and keys' },
  },
  examples: [
    ['sluice model serve fix-test.yaml', 'then run one of the printed lines in another terminal'],
    ['sluice model serve fix-test.yaml --port 8080 --log requests.ndjson', 'and log what the agent requests'],
  ],
  exits: [
    '1  the port or the log cannot be opened',
    '2  wrong usage, or the script is wrong',
    '130, 143  ended by SIGINT, by SIGTERM, SIGHUP or SIGQUIT',
  ],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  const [file] = files
  if (file === undefined || files.length > 1) throw usageError('give one SCRIPT (see sluice model serve --help)')
  const port = portIn(textOption(values, 'port'))
  const script = await scriptIn(file)
  const logFile = textOption(values, 'log')
  if (logFile !== undefined) mustBeAnother(logFile, '--log', [file])
  using log = logTo(logFile)
  const server = await listening(port, () => serveScript(script, port, log.write))
  const ended = firstSignal()
  print(values['json'] === true ? `${JSON.stringify(summary(file, script, server.url))}\n` : pageOf(file, script, server.url))
  const signal = await ended
  await server.close()
  return signalCodes[signal]
}

async function scriptIn(file: string): Promise<Script> {
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw usageError(`cannot read the script ${quoted(file, 500)}: ${systemReason(error)}`)
  }
  try {
    return await loadScript(text, file)
  } catch (error) {
    throw error instanceof ScriptError ? usageError(error.message) : error
  }
}

/** Lines are written at once and whole; when that fails the server goes on without them. */
function logTo(file: string | undefined): { write(entry: Entry): void; [Symbol.dispose](): void } {
  if (typeof file !== 'string') return { write: () => {}, [Symbol.dispose]: () => {} }
  let fd: number
  try {
    fd = openSync(file, 'w', 0o600)
  } catch (error) {
    throw new CommandError(`cannot write the log ${quoted(file, 500)}: ${systemReason(error)}`, exitCodes.failed, { cause: error })
  }
  let isBroken = false
  return {
    write(entry) {
      if (isBroken) return
      try {
        writeAll(fd, Buffer.from(`${JSON.stringify(entry)}\n`))
      } catch (error) {
        isBroken = true
        say(`sluice: the log ${quoted(file, 500)} ends here: ${systemReason(error)}`)
      }
    },
    [Symbol.dispose]: () => closeSync(fd),
  }
}

// ── what it prints ───────────────────────────────────────────────────────────────────────────────────────────────────────

const summary = (file: string, script: Script, url: string) => ({
  script: file,
  lanes: script.lanes.map(({ name, turns }) => ({ name, turns: turns.length })),
  bases: basesAt(url),
  agents: recipesFor(url),
})

function pageOf(file: string, script: Script, url: string): string {
  const lanes = script.lanes.map(({ name, turns }) => `${name} (${plural(turns.length, 'turn')})`)
  const bases = basesAt(url)
  return `${quoted(file, 500)} is served: ${lanes.join(', ')}.

Anthropic  ${bases.anthropic}
OpenAI     ${bases.openai}
Gemini     ${bases.gemini}

${Object.entries(recipesFor(url))
  .map(([agent, recipe]) => recipeText(agent, recipe))
  .join('\n')}`
}
