// The options of all commands, for completion and the manual page. Loads every command.
import { type Command, commands } from './commands.ts'
import type { CommandSpec } from './options.ts'

/** `name` has two words where a command has actions with options of their own. */
export type NamedSpec = { name: string; about: string; spec: CommandSpec }

export async function allSpecs(): Promise<NamedSpec[]> {
  const found: NamedSpec[] = []
  for (const [name, [about, load]] of Object.entries(commands)) found.push(...(await specsOf(name, about, await load())))
  return found
}

async function specsOf(name: string, about: string, { spec, actions = {} }: Command): Promise<NamedSpec[]> {
  if (spec !== undefined) return [{ name, about, spec }]
  const loaded = await Promise.all(Object.entries(actions).map(async ([action, load]) => ({ action, spec: (await load()).spec })))
  return loaded.flatMap(({ action, spec: its }) => (its === undefined ? [] : [{ name: `${name} ${action}`, about: its.about, spec: its }]))
}
