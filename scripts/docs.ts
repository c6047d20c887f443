// Writes the generated parts of docs/dialects/<name>.md, between `<!-- generated: x -->` and `<!-- end -->`: the records and
// their fields from wire.ts, the rules of order, and what the dialect cannot say. `--check` only tells whether they are current.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtinTools } from '../src/agents/builtin/tools/index.ts'
import { ownTools } from '../src/cli/tools-list.ts'
import { type Dialect, isWritable, type WritableDialect } from '../src/dialects/contract.ts'
import { dialects } from '../src/index.ts'
import { createValidator } from '../src/stream/validate.ts'
import * as vocabulary from '../src/model/vocabulary.ts'

type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}
type Field = { name: string; schema: Schema; required: boolean }

const root = join(import.meta.dirname, '..')
const width = 120
const manyRecords = 60
const fewRecords = 4

/** The page with its generated parts made anew. */
export async function pageOf(dialect: Dialect, page: string): Promise<string> {
  const wire = pathToFileURL(join(root, `src/dialects/${dialect.name}/wire.ts`)).href
  const { records } = (await import(wire)) as { records: Record<string, Schema> }
  const parts: Record<string, string> = {
    fields: fieldList(records),
    order: orderTable(dialect),
    losses: isWritable(dialect) ? lossTable(dialect) : 'This dialect is read, not written.\n',
  }
  return page.replace(
    /(<!-- generated: (\w+) -->\n)[^]*?(<!-- end -->)/g,
    (_, open: string, name: string, close: string) => `${open}\n${parts[name] ?? ''}\n${close}`,
  )
}

/** docs/tools.md with the table of what the built-in tools take. */
export const toolsPage = (page: string): string =>
  page.replace(
    /(<!-- generated: arguments -->\n)[^]*?(<!-- end -->)/,
    (_, open: string, close: string) => `${open}\n${argumentTable()}\n${close}`,
  )

function argumentTable(): string {
  const tools = [...builtinTools(), ...ownTools(1, ['default', 'explore'])]
  const rows = tools.flatMap(({ name, parameters }) => {
    const { properties = {}, required = [] } = parameters as Schema & { properties?: Record<string, Schema & { description?: string }> }
    return Object.entries(properties).map(
      ([key, schema]) =>
        `| \`${name}\` | \`${key}\`${required.includes(key) ? '' : '?'} | ${typeOf(schema)} | ${cell(name === 'task' && key === 'subagent_type' ? 'the name of a profile' : (schema.description ?? ''))} |`,
    )
  })
  return ['`?` marks what may be absent.', '', '| tool | argument | type | what it is |', '| --- | --- | --- | --- |', ...rows, ''].join(
    '\n',
  )
}

export const pagePath = (name: string): string => join(root, `docs/dialects/${name}.md`)

// ── records and fields ───────────────────────────────────────────────────────────────────────────────────────────────────

/** One item a record, or several with the same fields. What all records share is said once; untyped keys stand last, by name. */
function fieldList(records: Record<string, Schema>): string {
  const counts = new Map<string, { field: Field; count: number; required: number }>()
  const shapes = new Map(
    Object.entries(records).map(([tag, schema]) => [fieldsText(fieldsOf(schema).filter((field) => !isTag(field, tag))), schema]),
  )
  for (const field of [...shapes.values()].flatMap(fieldsOf)) {
    const key = keyOf(field)
    const seen = counts.get(key) ?? { field, count: 0, required: 0 }
    counts.set(key, { field, count: seen.count + 1, required: seen.required + Number(field.required) })
  }
  const shared = [...counts.values()].filter(({ count }) => shapes.size > 1 && count === shapes.size)
  // Where there are very many records, what stands on a few of them is said once, too.
  const often =
    Object.keys(records).length < manyRecords
      ? []
      : [...counts.values()].filter(({ count, required }) => required === 0 && count >= fewRecords && count < shapes.size)
  const saidOnce = new Set([...shared, ...often].map(({ field }) => keyOf(field)))
  const alwaysThere = new Set(shared.filter(({ required }) => required === shapes.size).map(({ field }) => field.name))

  const items = new Map<string, string[]>()
  for (const [tag, schema] of Object.entries(records)) {
    const own = fieldsOf(schema).filter(
      (field) => (!saidOnce.has(keyOf(field)) || (field.required && !alwaysThere.has(field.name))) && !isTag(field, tag),
    )
    const text = fieldsText(own)
    items.set(text, [...(items.get(text) ?? []), `**\`${tag}\`**`])
  }
  const requiredHere = ({ field, required }: { field: Field; required: number }): Field => ({
    ...field,
    required: required === shapes.size,
  })
  const text = [
    `\`?\` marks what may be absent. Other keys are kept.`,
    '',
    ...(shared.length === 0 ? [] : [wrapped(`Every record: ${fieldsText(shared.map(requiredHere))}.`), '']),
    ...(often.length === 0 ? [] : [wrapped(`On several records: ${fieldsText(often.map(requiredHere))}.`), '']),
    ...[...items].map(([text, names]) => wrapped(`- ${names.join(', ')}${text === '' ? '' : `: ${text}`}`)),
    '',
  ].join('\n')
  const used = listsIn(text.replaceAll(/\n */g, ' '))
  return used.length === 0 ? text : `${text}\nThe word lists:\n\n${used.join('\n')}\n`
}

function fieldsText(fields: Field[]): string {
  const typed = fields.filter(({ schema }) => typeOf(schema) !== 'any').map(fieldText)
  const untyped = fields.filter(({ schema }) => typeOf(schema) === 'any').map(({ name, required }) => `\`${name}\`${required ? '' : '?'}`)
  return [...typed, ...(untyped.length === 0 ? [] : [`of any type: ${untyped.join(', ')}`])].join('; ')
}

const keyOf = ({ name, schema }: Field): string => `${name} ${JSON.stringify(schema)}`

const fieldsOf = ({ properties = {}, required = [] }: Schema): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }))

/** The key that the record's name comes from says nothing new. */
const isTag = ({ name, schema }: Field, tag: string): boolean =>
  (typeof schema.const === 'string' && (schema.const === tag || tag.split('/').includes(schema.const))) ||
  (name === 'subtype' && /^(system|result)\b/.test(tag))

const fieldText = ({ name, schema, required }: Field): string => `\`${name}\`${required ? '' : '?'} ${typeOf(schema)}`

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return listOf(schema.enum) ?? schema.enum.map((word) => `\`${String(word)}\``).join(' or ')
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' or ')
  if (schema.type === 'array') {
    const item = schema.items === undefined ? 'any' : typeOf(schema.items)
    return item === 'any' ? 'list' : `list of ${item.includes(' or ') ? `(${item})` : item}`
  }
  if (schema.type === 'object' && schema.properties !== undefined)
    return `{${fieldsOf(schema)
      .map(({ name, required }) => `${name}${required ? '' : '?'}`)
      .join(', ')}}`
  return schema.type ?? 'any'
}

/** The closed lists of the model have names; they stand at the end of the part that uses them. */
const lists = Object.entries(vocabulary as Record<string, unknown>).filter((entry): entry is [string, string[]] => Array.isArray(entry[1]))
const listOf = (words: unknown[]): string | undefined => {
  const name = lists.find(([, list]) => JSON.stringify(list) === JSON.stringify(words))?.[0]
  return name === undefined ? undefined : `one of *${name}*`
}
const listsIn = (text: string): string[] =>
  lists
    .filter(([name]) => text.includes(`one of *${name}*`))
    .map(([name, list]) => wrapped(`- *${name}*: ${list.map((word) => `\`${word}\``).join(', ')}`))

/** Long items go on in the next line, indented, so that the page can be read and compared as text too. */
function wrapped(text: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = `${text.startsWith('- ') ? '  ' : ''}${word}`
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}

// ── order and losses ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A row a rule, with the streams of the rejected corpus that break it, and how severe `validate` then calls it. */
function orderTable(dialect: Dialect): string {
  const broken = brokenIn(dialect)
  const rows = Object.entries(dialect.rules).map(([code, rule]) => {
    const { severities, streams } = broken.get(code) ?? { severities: new Set(), streams: [] }
    return `| ${cell(rule)} | \`${code}\` | ${[...severities].toSorted().join(', ')} | ${streams.map((name) => `\`${name}\``).join(', ')} |`
  })
  const folder = `fixtures/${dialect.name}/rejected`
  return [
    `The last column names the streams in \`${folder}/\` that break the rule. A \`warn\` is what real programs do against their document.`,
    '',
    '| rule | code | severity | rejected |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

type Broken = { severities: Set<string>; streams: string[] }

/** What `validate` finds in each stream of the rejected corpus, by code. */
function brokenIn(dialect: Dialect): Map<string, Broken> {
  const folder = join(root, `fixtures/${dialect.name}/rejected`)
  const broken = new Map<string, Broken>()
  if (!existsSync(folder)) return broken
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<string, string[]>
  for (const name of Object.keys(expected)) {
    const counted = new Set<string>()
    const validator = createValidator(dialect, ({ code, severity }) => {
      const { severities, streams } = broken.get(code) ?? { severities: new Set<string>(), streams: [] }
      if (!counted.has(code)) streams.push(name.replace(/\.ndjson$/, ''))
      counted.add(code)
      broken.set(code, { severities: severities.add(severity), streams })
    })
    validator.push(readFileSync(join(folder, name)))
    validator.end()
  }
  return broken
}

/** Kinds that need no word of their own are only named; the table has the others. */
function lossTable(dialect: WritableDialect): string {
  const kinds = Object.entries(dialect.loss)
  const isPlain = ([, { how, lost = [], note }]: (typeof kinds)[number]): boolean =>
    how !== 'approx' && lost.length === 0 && note === undefined
  const named = (how: string): string =>
    kinds
      .filter((entry) => isPlain(entry) && entry[1].how === how)
      .map(([kind]) => `\`${kind}\``)
      .join(', ')
  const words = { exact: 'yes', approx: 'in other words', drop: 'no' }
  const rows = kinds
    .filter((entry) => !isPlain(entry))
    .map(
      ([kind, { how, lost = [], note = '' }]) =>
        `| \`${kind}\` | ${words[how]} | ${lost.map((field) => `\`${field}\``).join(', ')} | ${cell(note)} |`,
    )
  const [whole, none] = [named('exact'), named('drop')]
  return [
    ...(whole === '' ? [] : [wrapped(`Said whole: ${whole}.`), '']),
    ...(none === '' ? [] : [wrapped(`Not said at all: ${none}.`), '']),
    ...(rows.length === 0 ? [] : ['| event | said | fields that never come across | note |', '| --- | --- | --- | --- |', ...rows, '']),
  ].join('\n')
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
  const path = join(root, 'docs/tools.md')
  const page = readFileSync(path, 'utf8')
  if (check && toolsPage(page) !== page) {
    console.error('docs/tools.md is out of date: run npm run docs')
    process.exitCode = 1
  } else if (toolsPage(page) !== page) writeFileSync(path, toolsPage(page))
}
