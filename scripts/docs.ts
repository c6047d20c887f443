// Writes the generated parts of docs/dialects/<name>.md, between `<!-- generated: x -->` and `<!-- end -->`: the records and
// their fields from wire.ts, the rules of order, and what the dialect cannot say. `--check` only tells whether they are current.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Dialect } from '../src/dialects/contract.ts'
import { dialects } from '../src/index.ts'

type Schema = { type?: string; const?: unknown; enum?: unknown[]; anyOf?: Schema[]; items?: Schema; properties?: Record<string, Schema>; required?: string[] }

const root = join(import.meta.dirname, '..')

/** The page with its generated parts made anew. */
export async function pageOf(dialect: Dialect, page: string): Promise<string> {
  const wire = pathToFileURL(join(root, `src/dialects/${dialect.name}/wire.ts`)).href
  const { records } = (await import(wire)) as { records: Record<string, Schema> }
  const parts: Record<string, string> = { fields: fieldsTable(records), order: orderTable(dialect), losses: lossTable(dialect) }
  return page.replace(/(<!-- generated: (\w+) -->\n)[^]*?(<!-- end -->)/g, (_, open: string, name: string, close: string) => `${open}\n${parts[name] ?? ''}\n${close}`)
}

export const pagePath = (name: string): string => join(root, `docs/dialects/${name}.md`)

function fieldsTable(records: Record<string, Schema>): string {
  const rows = Object.entries(records).map(([tag, { properties = {}, required = [] }]) => {
    const fields = Object.entries(properties).map(([name, schema]) => `\`${name}\`${required.includes(name) ? '' : '?'} ${cell(typeOf(schema))}`)
    return `| \`${tag}\` | ${fields.join(' · ')} |`
  })
  return ['| record | fields (`?` = may be absent) |', '| --- | --- |', ...rows, ''].join('\n')
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${String(word)}\``).join(', ')
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `list${schema.items?.type === undefined ? '' : ` of ${typeOf(schema.items)}`}`
  if (schema.type === 'object' && schema.properties !== undefined) return `{${Object.keys(schema.properties).join(', ')}}`
  return schema.type ?? 'any'
}

const orderTable = (dialect: Dialect): string =>
  ['| code | rule |', '| --- | --- |', ...Object.entries(dialect.rules).map(([code, rule]) => `| \`${code}\` | ${cell(rule)} |`), ''].join('\n')

function lossTable(dialect: Dialect): string {
  const words = { exact: 'yes', approx: 'in other words', drop: 'no' }
  const rows = Object.entries(dialect.loss).map(([kind, { how, lost = [], note = '' }]) => `| \`${kind}\` | ${words[how]} | ${lost.map((field) => `\`${field}\``).join(', ')} | ${cell(note)} |`)
  return ['| event | said | fields that never come across | note |', '| --- | --- | --- | --- |', ...rows, ''].join('\n')
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

if (import.meta.main) {
  const check = process.argv.includes('--check')
  for (const dialect of Object.values(dialects)) {
    const path = pagePath(dialect.name)
    if (!existsSync(path)) throw new Error(`docs/dialects/${dialect.name}.md is missing`)
    const page = readFileSync(path, 'utf8')
    const current = await pageOf(dialect, page)
    if (check && current !== page) {
      console.error(`docs/dialects/${dialect.name}.md is out of date: run npm run docs`)
      process.exitCode = 1
    } else if (current !== page) writeFileSync(path, current)
  }
}
