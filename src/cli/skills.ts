// sluice skills: which skills the agent finds here, and which files are not skills and why.
import { plural, quoted } from '../base/text.ts'
import { shortPath } from '../config/places.ts'
import { findSkills, type Skill } from '../config/skills.ts'
import { harmlessLine } from '../views/harmless.ts'
import { columns } from './columns.ts'
import { exitCodes, say, usageError } from './exit.ts'
import { print, screen } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'
import { placesAt } from './places-at.ts'
import { screenOf } from './terminal.ts'

export const spec: CommandSpec = {
  usage: 'sluice skills [options]',
  about: `Lists the skills that sluice run finds: SKILL.md in .claude/skills, .agents/skills and .sluice/skills, in your home folder and in the
project. stderr names files that are not valid skills, with the reason.`,
  options: {
    dir: { type: 'string', value: 'DIR', help: 'the folder to look in (default: this one)' },
    json: { type: 'boolean', help: 'one JSON line for each skill, with its path and full description' },
  },
  examples: [
    ['sluice skills', 'what the agent can use here'],
    ['sluice skills --json | jq -r .path', 'only the paths of the files'],
  ],
  exits: ['0  success, also when there are none', '2  wrong usage'],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  if (files.length > 0) throw usageError(`${quoted(files[0])} is too much; the folder is given with --dir`)
  const places = placesAt(String(values['dir'] ?? '.'))
  const { skills, problems } = await findSkills(places)
  if (values['json'] === true) print(skills.map((skill) => `${JSON.stringify(skill)}\n`).join(''))
  else if (skills.length > 0) show(skills)
  for (const { path, reason } of problems) say(`sluice: ${quoted(shortPath(path, places.home), 500)} is not a skill: ${reason}`)
  say(plural(skills.length, 'skill'))
  return exitCodes.ok
}

function show(skills: readonly Skill[]): void {
  const rows = skills.map(({ name, version = '', where, description }) => [name, version, where, description].map(harmlessLine))
  const room = process.stdout.isTTY ? screenOf().width : Infinity
  const out = screen()
  for (const line of columns([['skill', 'version', 'where', 'description'], ...rows], room)) out.line(line)
  out.flush()
}
