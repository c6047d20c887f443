// sluice agents: which agents this machine has, in which versions, and what sluice can do with each.
import { quoted } from '../base/text.ts'
import { abilities, findAgents, type Found } from '../agents/find.ts'
import { columns } from './columns.ts'
import { exitCodes, usageError } from './exit.ts'
import { print } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'
import { screenOf } from './terminal.ts'

export const spec: CommandSpec = {
  usage: 'sluice agents [--json]',
  about: `Lists the agents that sluice can run. For each: whether it is installed here, its version, and what its sessions support:
permissions (it asks, and takes an answer), deltas, thoughts, usage, resume, interrupt.`,
  options: { json: { type: 'boolean', help: 'one JSON line for each agent, with its path and how to install it' } },
  examples: [
    ['sluice agents', 'the values for sluice run --agent'],
    ["sluice agents --json | jq -r 'select(.path) | .name'", 'only what is installed'],
  ],
  exits: ['0  success, also when none is installed', '2  wrong usage'],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  if (files.length > 0) throw usageError(`${quoted(files[0])} is too much; sluice agents takes no names`)
  const found = await findAgents(process.env)
  const lines =
    values['json'] === true
      ? found.map((agent) => JSON.stringify(recordOf(agent)))
      : tableOf(found, process.stdout.isTTY ? screenOf().width : Infinity)
  print(`${lines.join('\n')}\n`)
  return exitCodes.ok
}

const isHere = ({ program, path }: Found): boolean => program === undefined || path !== undefined

const recordOf = (agent: Found) => {
  const { name, title, path, version, error, install, by, can } = agent
  const have = Object.fromEntries(abilities.map((ability) => [ability, can.includes(ability)]))
  return { name, title, installed: isHere(agent), path, version, error, install, driven: by ?? false, can: have }
}

/** Notes that do not fit into the width stand below: to cut how something is installed helps nobody. */
export function tableOf(found: readonly Found[], width: number): string[] {
  const rows = found.map((agent) => {
    const { name, version, error, install = '', by, can, program } = agent
    const marks = abilities.map((ability) => (by === undefined ? '·' : can.includes(ability) ? 'yes' : '-'))
    const state = program === undefined ? 'built in' : (version ?? (error === undefined ? 'missing' : 'unknown'))
    const note = !isHere(agent) ? install : by === undefined ? 'read and translated, not yet run' : (error ?? '')
    return [name, state, ...marks, note]
  })
  const head = ['agent', 'version', ...abilities]
  const lines = columns([[...head, ''], ...rows], Infinity)
  if (lines.every((line) => line.length <= width)) return lines
  const notes = rows.filter((row) => row.at(-1) !== '').map((row) => `${row[0]}: ${row.at(-1)}`)
  return [...columns([head, ...rows.map((row) => row.slice(0, -1))], width), '', ...notes]
}
