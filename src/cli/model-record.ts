// sluice model record: stands on loopback between an agent and its provider, and writes a script of what the model says, until a
// signal ends it. The script is whole after each answer, so that a kill loses nothing. Keys never reach it.
import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { nearest } from '../base/nearest.ts'
import { plural, quoted } from '../base/text.ts'
import { providerNames, providerOf } from '../agents/builtin/model/providers.ts'
import type { RawScript } from '../script/load.ts'
import { createRecording } from '../script/record.ts'
import { serveRecorder } from '../script/record-server.ts'
import { type Format, formatOf } from '../script/record-text.ts'
import { leadsTo, type Upstream } from '../script/record-upstream.ts'
import { CommandError, exitCodes, say, signalCodes, systemReason, usageError } from './exit.ts'
import { print } from './io.ts'
import { basesAt, recipeText, recordedRecipesFor } from './model-agents.ts'
import { firstSignal, listening, portIn } from './model-listen.ts'
import { createScriptWriter, type ScriptWriter } from './model-writer.ts'
import { type CommandSpec, parseOptions, textOption } from './options.ts'

export const spec: CommandSpec = {
  usage: 'sluice model record SCRIPT [options]',
  about: `Forwards the requests of an agent from 127.0.0.1 to its provider, and writes the model's answers to a script (.yaml or .json).
Prints its address and how to start each agent with the agent's own key, then records until SIGINT or SIGTERM.`,
  options: {
    port: { type: 'string', value: 'N', help: 'the port (default: 0, a free one)' },
    upstream: {
      type: 'string',
      value: 'PROVIDER|URL',
      help: 'where requests go (default: Anthropic, OpenAI or Google, depending on the API)',
    },
    json: { type: 'boolean', help: 'print the addresses and recipes as one line of JSON' },
  },
  examples: [
    ['sluice model record fix-test.yaml', 'then run one of the printed lines in another terminal'],
    ['sluice model record local.yaml --upstream http://127.0.0.1:8000/v1', 'your own server with an API of OpenAI'],
    ['sluice model serve fix-test.yaml', 'repeat the conversation with the same agent, without a key'],
  ],
  exits: [
    '1  the port cannot be opened, or the script cannot be written',
    '2  wrong usage',
    '130, 143  ended by SIGINT, by SIGTERM, SIGHUP or SIGQUIT',
  ],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  const [file] = files
  if (file === undefined || files.length > 1) throw usageError('give one SCRIPT (see sluice model record --help)')
  const port = portIn(textOption(values, 'port'))
  const upstream = upstreamIn(textOption(values, 'upstream'))
  const format = await formatFor(file)
  const recording = createRecording()
  const keys = new Set<string>()
  const writer = createScriptWriter(file, format, recording.script, keys)
  const server = await listening(port, () =>
    serveRecorder({
      port,
      ...(upstream !== undefined && { upstream }),
      onAnswer(answered) {
        recording.add(answered)
        writer.touch()
      },
      onKey: (key) => void keys.add(key),
      onTrouble: (message) => say(`sluice: ${message}`),
    }),
  )
  if (upstream !== undefined && (await leadsTo(upstream.url, Number(new URL(server.url).port)))) {
    await server.close()
    throw usageError(`--upstream ${quoted(upstream.url.href)} is this recorder itself; name the provider behind it`)
  }
  const ended = firstSignal()
  print(values['json'] === true ? `${JSON.stringify(summaryOf(file, server.url, upstream))}\n` : pageOf(file, server.url, upstream))
  const signal = await ended
  await server.close()
  await writer.flush()
  say(lastWords(file, recording.script(), writer))
  return writer.isBroken() ? exitCodes.failed : signalCodes[signal]
}

/** A script that is there already may be somebody's work. */
async function formatFor(file: string): Promise<Format> {
  const format = formatOf(file)
  if (format === undefined) throw usageError(`the name of the script must end with .yaml or .json, not ${quoted(file, 500)}`)
  const there = await stat(file).catch(() => undefined)
  if (there !== undefined && (there.size > 0 || !there.isFile()))
    throw usageError(`${quoted(file, 500)} is there already; name another file, or remove it first`)
  try {
    await access(dirname(file), constants.W_OK)
  } catch (error) {
    throw new CommandError(`cannot write the script ${quoted(file, 500)}: ${systemReason(error)}`, exitCodes.failed, { cause: error })
  }
  return format
}

function upstreamIn(value: string | undefined): Upstream | undefined {
  if (value === undefined) return undefined
  return value.includes('://') ? upstreamAt(value) : upstreamOf(value)
}

function upstreamAt(value: string): Upstream {
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol)) throw usageError(`--upstream ${quoted(value)} is no http or https address`)
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '')
    throw usageError('--upstream takes an address without user, password and query; the agent sends its own key')
  const provider = providerNames().find((name) => originOf(name) === url.origin)
  return { url, provider }
}

function upstreamOf(value: string): Upstream {
  const name = value === 'gemini' ? 'google' : value
  const baseUrl = providerOf(name)?.baseUrl
  if (baseUrl === undefined) {
    const near = nearest(value, [...providerNames(), 'gemini'])
    const hint =
      near === undefined ? `known are ${providerNames().join(', ')}; others by their address, https://…` : `did you mean ${near}?`
    throw usageError(`--upstream ${quoted(value)} is no provider; ${hint}`)
  }
  // The three have one address for all versions of their APIs.
  return { url: new URL(providerOf(name)?.api === 'openai-compatible' ? baseUrl : originOf(name)!), provider: name }
}

function originOf(name: string): string | undefined {
  const baseUrl = providerOf(name)?.baseUrl
  return baseUrl === undefined ? undefined : new URL(baseUrl).origin
}

// ── what it prints ───────────────────────────────────────────────────────────────────────────────────────────────────────

const upstreamText = (upstream: Upstream | undefined): string =>
  upstream?.url.href ?? 'Anthropic, OpenAI or Google, by the API that is asked'

const summaryOf = (file: string, url: string, upstream: Upstream | undefined) => ({
  script: file,
  upstream: upstream?.url.href ?? null,
  bases: basesAt(url),
  agents: recordedRecipesFor(url),
})

function pageOf(file: string, url: string, upstream: Upstream | undefined): string {
  const bases = basesAt(url)
  return `${quoted(file, 500)} will have what the model says. Requests go on to ${upstreamText(upstream)}.

Anthropic  ${bases.anthropic}
OpenAI     ${bases.openai}
Gemini     ${bases.gemini}

Agents bring their own keys:

${Object.entries(recordedRecipesFor(url))
  .map(([agent, recipe]) => recipeText(agent, recipe))
  .join('\n')}`
}

function lastWords(file: string, script: RawScript | undefined, writer: ScriptWriter): string {
  if (script === undefined) return 'sluice: nothing was recorded'
  if (writer.isBroken()) return `sluice: ${quoted(file, 500)} is not complete`
  const lanes = script.lanes ?? []
  const turns = [script.turns ?? [], ...lanes.map((lane) => lane.turns)].flat().length
  const taken = writer.redacted()
  const rest = taken === 0 ? '' : `; ${plural(taken, 'secret')} taken out`
  return `sluice: ${plural(turns, 'turn')} in ${plural(lanes.length + 1, 'conversation')} recorded to ${quoted(file, 500)}${rest}`
}
