// sluice tools: what the agent could use here, and what the rules say of it.
import { resolve } from 'node:path'
import { builtinTools } from '../agents/builtin/tools/index.ts'
import { plural, quoted } from '../base/text.ts'
import { chooseProfile } from '../config/profiles.ts'
import { untrustedText } from '../config/untrusted.ts'
import { defaultRules } from '../supervise/rules.ts'
import { harmlessLine } from '../views/harmless.ts'
import { styleFor } from '../views/style.ts'
import { columns } from './columns.ts'
import { exitCodes, say, usageError } from './exit.ts'
import { print, screen } from './io.ts'
import { type CommandSpec, listOption, parseOptions, textOption } from './options.ts'
import { placesAt } from './places-at.ts'
import { agentOptions, ruleOf } from './run-options.ts'
import { screenOf } from './terminal.ts'
import { connectHere, lookHere } from './tools-here.ts'
import { ownTools, type ToolRow, toolRows, verdictText } from './tools-list.ts'

const { profile, permission, settings } = agentOptions as Record<'profile' | 'permission' | 'settings', (typeof agentOptions)[string]>

export const spec: CommandSpec = {
  usage: 'sluice tools [options]',
  about: `Lists the tools of a session in this folder: where each comes from, and whether the rules allow it, ask, or deny it. Connects
to the MCP servers to list their tools; stderr reports connection problems.`,
  options: {
    dir: { type: 'string', value: 'DIR', help: 'the folder to look in (default: this one)' },
    profile,
    permission,
    settings,
    'trust-project': { type: 'boolean', help: "apply the project's own settings in full" },
    'no-mcp': { type: 'boolean', help: 'do not connect to MCP servers' },
    json: { type: 'boolean', help: 'one JSON line for each tool, with the rules that apply to it' },
  },
  examples: [
    ['sluice tools', 'what the agent can use here'],
    ['sluice tools --profile explore', 'what another profile can use'],
    ['sluice tools --json --no-mcp | jq -r \'select(.action == "allow").name\'', 'the tools that never need a question'],
  ],
  exits: ['0  success', '1  an MCP server does not answer', '2  wrong usage, or settings that are wrong'],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  if (files.length > 0) throw usageError(`${quoted(files[0])} is too much; the folder is given with --dir`)
  const places = placesAt(textOption(values, 'dir') ?? '.')
  const settingsFile = textOption(values, 'settings')
  const rules = listOption(values, 'permission').map(ruleOf)
  const trustProject = values['trust-project'] === true
  try {
    const here = await lookHere({ places, trustProject, ...(settingsFile !== undefined && { settingsFile: resolve(settingsFile) }) })
    const { found, skills } = here
    const chosen = chooseProfile(found.profiles, textOption(values, 'profile') ?? here.settings.profile ?? 'default')
    const servers = values['no-mcp'] === true ? undefined : await connectHere(here, places, process.env)
    try {
      const rows = toolRows({
        tools: [
          ...builtinTools(),
          ...ownTools(
            skills.skills.length,
            found.profiles.map(({ name }) => name),
          ),
          ...(servers?.tools() ?? []),
        ],
        profile: chosen,
        rules: [...defaultRules, ...here.settings.rules, ...chosen.rules, ...rules],
      })
      if (values['json'] === true) print(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      else show(rows)
      const untrusted = untrustedText(here.settings.leftOut)
      if (untrusted !== undefined) say(`sluice: ${untrusted}`)
      return tellServers(servers?.status() ?? []) ? exitCodes.ok : exitCodes.failed
    } finally {
      await servers?.close()
    }
  } catch (error) {
    throw error instanceof Error && error.name === 'SettingsError' ? usageError(error.message) : error
  }
}

function show(rows: readonly ToolRow[]): void {
  const { width, colour } = screenOf()
  const style = styleFor(colour)
  const tints = { allow: style.green, ask: style.yellow, deny: style.red }
  const cells = rows.map((row) => [
    harmlessLine(row.name),
    row.server === undefined ? 'built in' : harmlessLine(row.server),
    row.hidden ? style.dim(verdictText(row)) : tints[row.action](verdictText(row)),
    harmlessLine(row.description),
  ])
  const out = screen()
  const room = process.stdout.isTTY ? width : 100_000
  const [head = '', ...lines] = columns([['tool', 'from', 'rules say', 'what it does'], ...cells], room)
  for (const line of [style.bold(head), ...lines]) out.line(line) // bold when it is cut: a cut would take the end of the style
  out.flush()
}

/** False when one of them is not there. */
function tellServers(servers: readonly { name: string; status: string; error?: string; note?: string }[]): boolean {
  for (const { name, status, error, note } of servers)
    say(`sluice: server ${name}: ${status}${error === undefined ? '' : `: ${error}`}${note === undefined ? '' : ` (${note})`}`)
  const down = servers.filter(({ status }) => status === 'failed' || status === 'timeout').length
  if (down > 0) say(`sluice: ${plural(down, 'server')} of ${servers.length} did not answer; the agent works without`)
  return down === 0
}
