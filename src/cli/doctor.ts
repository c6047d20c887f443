// sluice doctor: what this machine and project have, what is missing, and what to do about it.
import { resolve } from 'node:path'
import { plural, quoted } from '../base/text.ts'
import { sessionsFolder } from '../log/sessions.ts'
import { harmlessLine } from '../views/harmless.ts'
import { wrapped } from '../views/layout.ts'
import { styleFor } from '../views/style.ts'
import { type Check, problem, type Said } from './doctor-check.ts'
import { person, programs, sessions, terminal } from './doctor-machine.ts'
import { model, servers, settings, skills } from './doctor-project.ts'
import { exitCodes, say, usageError } from './exit.ts'
import { print, screen } from './io.ts'
import { type CommandSpec, parseOptions, textOption } from './options.ts'
import { screenOf } from './terminal.ts'
import { type Here, lookHere } from './tools-here.ts'
import { placesAt } from './places-at.ts'
import { loadPrices } from './usage-prices.ts'
import { version } from './version.ts'

export const spec: CommandSpec = {
  usage: 'sluice doctor [options]',
  about: `Checks everything that the built-in agent needs: programs, settings and their trust, keys (only their names), the model,
MCP servers, skills, and the folder of sessions. Each line is fine, a note, or a problem, with what to do.`,
  options: {
    dir: { type: 'string', value: 'DIR', help: 'the folder to look in (default: this one)' },
    settings: { type: 'string', value: 'FILE', help: 'use these settings instead of those in your home folder' },
    'no-mcp': { type: 'boolean', help: 'do not connect to MCP servers' },
    json: { type: 'boolean', help: 'one JSON line for each check' },
  },
  examples: [
    ['sluice doctor', 'is anything missing?'],
    ['sluice doctor --json | jq \'select(.level == "problem")\'', 'only what is wrong'],
  ],
  exits: ['0  no problem', '1  at least one problem', '2  wrong usage'],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  if (files.length > 0) throw usageError(`${quoted(files[0])} is too much; the folder is given with --dir`)
  const checks = await checksOf(textOption(values, 'dir') ?? '.', textOption(values, 'settings'), values['no-mcp'] !== true)
  if (values['json'] === true) print(checks.map((check) => `${JSON.stringify(check)}\n`).join(''))
  else show(checks)
  const count = (level: Check['level']): number => checks.filter((check) => check.level === level).length
  say(`${plural(count('problem'), 'problem')}, ${plural(count('note'), 'note')}`)
  return count('problem') > 0 ? exitCodes.failed : exitCodes.ok
}

async function checksOf(folder: string, settingsFile: string | undefined, withServers: boolean): Promise<Check[]> {
  const places = placesAt(folder)
  const { env } = process
  const prices = await loadPrices()
  const machine = [
    { name: 'sluice', level: 'ok' as const, text: version },
    ...(await programs()),
    ...person(),
    ...terminal(),
    ...sessions(sessionsFolder(env), places.home),
  ]
  const here = await lookHere({ places, ...(settingsFile !== undefined && { settingsFile: resolve(settingsFile) }) }).catch(wrongSettings)
  if (!('settings' in here)) return [...inSection('Machine', machine), ...inSection('Settings', [here])]
  return [
    ...inSection('Machine', machine),
    ...inSection('Settings', settings(here, places)),
    ...inSection('Model', await model(here, places, prices, env)),
    ...(withServers ? inSection('MCP servers', await servers(here, places, env)) : []),
    ...inSection('Skills and profiles', skills(here, places)),
  ]
}

const inSection = (section: string, said: readonly Said[]): Check[] => said.map((one) => ({ section, ...one }))

/** Without settings nothing else of the project can be told. */
function wrongSettings(error: unknown): Said | Here {
  if (!(error instanceof Error) || error.name !== 'SettingsError') throw error
  return problem('settings', error.message, 'mend the file; sluice schema config shows what may stand in it')
}

function show(checks: readonly Check[]): void {
  const { width, colour } = screenOf()
  const style = styleFor(colour)
  const signs = { ok: style.green('✔'), note: style.yellow('!'), problem: style.red('✘') }
  const wide = Math.max(...checks.map(({ name }) => harmlessLine(name).length))
  const indent = ' '.repeat(wide + 6)
  const out = screen()
  for (const [index, { section, name, level, text, hint }] of checks.entries()) {
    if (section !== checks[index - 1]?.section) for (const line of [...(index === 0 ? [] : ['']), style.bold(section)]) out.line(line)
    const lines = wrapped(harmlessLine(text), Math.max(20, width - indent.length))
    for (const [at, line] of lines.entries())
      out.line(at === 0 ? `  ${signs[level]} ${harmlessLine(name).padEnd(wide)}  ${line}` : `${indent}${line}`)
    for (const [at, line] of wrapped(harmlessLine(hint ?? ''), Math.max(20, width - indent.length - 2)).entries())
      if (hint !== undefined) out.line(`${indent}${style.dim(`${at === 0 ? '→' : ' '} ${line}`)}`)
  }
  out.flush()
}
