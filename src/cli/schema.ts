// sluice schema: the JSON Schema of the canonical event or of a dialect's records, as the build generated it.
import { readFileSync } from 'node:fs'
import { dialectNames, loadDialect } from './dialects.ts'
import { CommandError, exitCodes, systemReason, usageError } from './exit.ts'
import { print } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'

export const spec: CommandSpec = {
  usage: 'sluice schema [DIALECT|config|script]',
  about: `Prints the JSON Schema (2020-12) of one record: of sluice's own events, or of a dialect (${dialectNames.join(', ')});
or of the settings (config), or of a script for the scripted model (script).`,
  options: {},
  words: [...dialectNames, 'config', 'script'],
  examples: [
    ['sluice schema > event.schema.json', 'the canonical event'],
    ['sluice schema avenor', 'the records of Avenor'],
    ['sluice schema config', 'the settings: for an editor that checks them while you type'],
  ],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  if (parsed.files.length > 1) throw usageError('one DIALECT at a time')
  const file = await fileOf(parsed.files[0] ?? 'sluice')
  try {
    const schema: unknown = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
    print(`${JSON.stringify(schema, null, 2)}\n`)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw new CommandError(`the schema file is missing: ${systemReason(error)}; build with npm run build`)
    throw error
  }
  return exitCodes.ok
}

/** Files that users write have a schema of their own, which ships with the package. */
const shared: readonly string[] = ['config', 'script']
async function fileOf(name: string): Promise<string> {
  if (shared.includes(name)) return `../share/${name}.schema.json`
  return `./schema/${(await loadDialect(name, 'schema', shared)).name}.json`
}
