// Command-line options: strict, with the nearest known name when one is wrong, and help text from the same table.
import { nearest } from '../base/nearest.ts'
import { quoted } from '../base/text.ts'
import { usageError } from './exit.ts'
import { screenOf } from './terminal.ts'
import { broken } from './wrap.ts'
import { writeAll } from './write.ts'

// Not imported: that would load all that node:util can do, about five milliseconds of every start.
const { parseArgs } = process.getBuiltinModule('node:util')

/** `many`: it may be given several times. */
export type OptionSpec = {
  type: 'string' | 'boolean'
  help: string
  value?: string
  /** Values that a shell offers; others may be allowed too. */
  choices?: readonly string[]
  hidden?: boolean
  many?: boolean
}

export type CommandSpec = {
  usage: string
  about: string
  options: Record<string, OptionSpec>
  /** Headings, with the options that help lists under them. The others stand under "Options". */
  groups?: Readonly<Record<string, readonly string[]>>
  /** What the first word may be, for completion. Without it and without FILE in the usage, nothing is offered. */
  words?: readonly string[]
  examples: readonly [command: string, meaning: string][]
  exits?: readonly string[]
}

export type Parsed = { values: Record<string, string | boolean | string[] | undefined>; files: string[] }

const help: OptionSpec = { type: 'boolean', help: 'show this help' }

/** Undefined: help was asked for and has been printed to stdout. */
export function parseOptions(spec: CommandSpec, argv: readonly string[]): Parsed | undefined {
  let parsed
  try {
    parsed = parseArgs({ args: [...argv], allowPositionals: true, options: shapesOf(spec), tokens: true })
  } catch (error) {
    throw usageError(explain(error, argv, { ...spec.options, help }))
  }
  if (parsed.values['help'] === true) {
    writeAll(1, Buffer.from(helpText(spec, screenOf().width)))
    return undefined
  }
  const values = parsed.values as Parsed['values']
  refuseEmpty(values, spec.options)
  refuseTwice(parsed.tokens, spec.options)
  return { values, files: parsed.positionals }
}

const named = new Set(['DIR', 'FILE', 'PATH', 'COMMAND'])

/** As of a variable that is not set. As a path it would be the folder that one is in. */
function refuseEmpty(values: Parsed['values'], options: CommandSpec['options']): void {
  for (const [name, { value = '' }] of Object.entries(options))
    if (named.has(value) && [values[name]].flat().includes(''))
      throw usageError(`--${name} "" names nothing; write --${name} ${value} (see --help)`)
}

/** Of two values one would be passed over without a word. */
function refuseTwice(tokens: readonly { kind: string; name?: string }[], options: CommandSpec['options']): void {
  const given = new Set<string>()
  for (const { kind, name = '' } of tokens) {
    const option = options[name]
    if (kind !== 'option' || option?.type !== 'string' || option.many === true) continue
    if (given.has(name)) throw usageError(`--${name} is given twice; it takes one ${option.value ?? 'value'} (see --help)`)
    given.add(name)
  }
}

/** What can be read also where something is wrong, for what must be done all the same. A value that looks like an option is none. */
export function readableOptions(spec: CommandSpec, argv: readonly string[]): Parsed['values'] {
  const { tokens } = parseArgs({ args: [...argv], allowPositionals: true, options: shapesOf(spec), strict: false, tokens: true })
  const isSure = ({ value = '', inlineValue }: { value?: string | undefined; inlineValue?: boolean | undefined }): boolean =>
    inlineValue === true || !value.startsWith('-')
  const values: Parsed['values'] = {}
  for (const token of tokens) {
    if (token.kind !== 'option' || !isSure(token)) continue
    const { name, value } = token
    values[name] = spec.options[name]?.many === true ? [...listOption(values, name), value ?? ''] : (value ?? true)
  }
  return values
}

const shapesOf = ({ options }: CommandSpec): Record<string, { type: OptionSpec['type']; short?: string; multiple?: boolean }> =>
  Object.fromEntries(
    Object.entries({ ...options, help }).map(([name, { type, many = false }]) => [
      name,
      name === 'help' ? { type, short: 'h' } : { type, multiple: many },
    ]),
  )

function explain(error: unknown, argv: readonly string[], known: CommandSpec['options']): string {
  const message = error instanceof Error ? error.message : String(error)
  const [, dashes, name] = /^Unknown option '(-+)([^']*)'/.exec(message) ?? []
  if (dashes === undefined || name === undefined) return explainValue(message, known)
  // Of a word with one dash the parser names a letter, as if each stood for an option.
  const word = dashes === '-' ? argv.find((argument) => /^-[^-]/.test(argument) && argument.includes(name)) : undefined
  const isLetter = word?.length === 2 // many options are near to it
  const near = isLetter ? undefined : nearest(word?.slice(1) ?? name, Object.keys(known))
  const asFile = word === undefined || isLetter ? '' : `; write a file of this name as ${quoted(`./${word}`, 500)}`
  return `unknown option ${quoted(word ?? `${dashes}${name}`)}${near === undefined ? asFile : `; did you mean --${near}?`} (see --help)`
}

function explainValue(message: string, known: CommandSpec['options']): string {
  const name = /^Option '(?:-h, )?--([\w-]+)/.exec(message)?.[1] ?? ''
  const option = known[name]
  if (option === undefined) return message
  const value = option.value ?? 'value'
  const dashed = message.includes('ambiguous') ? `; if it begins with a dash, write --${name}=${value}` : ''
  return `--${name} ${option.type === 'boolean' ? 'takes no value' : `needs a value: --${name} ${value}${dashed}`} (see --help)`
}

/** Wrapped to the width; what may be pasted is never broken. */
export function helpText(spec: CommandSpec, width: number): string {
  const { usage, about, examples, exits = [] } = spec
  const exit = (line: string): string => {
    const at = line.search(/(?<= {2})\S/) // behind the code
    return `  ${line.slice(0, at)}${broken(line.slice(at), width, at + 2)}`
  }
  return [
    ...aboutLines(about, width),
    '',
    `Usage: ${usage}`,
    ...optionLines(spec, width),
    '',
    'Examples:',
    ...examples.flatMap(([command, meaning]) => [`  ${command}`, `      ${broken(meaning, width, 6)}`]),
    ...(exits.length === 0 ? [] : ['', 'Exit codes:', ...exits.map(exit)]),
    '',
  ].join('\n')
}

/** Paragraphs, and rows of a list, which begin with two spaces. */
function aboutLines(about: string, width: number): string[] {
  const blocks = about.replaceAll(/(?<!^| {2}.*)\n(?! {2})/gm, ' ').split('\n')
  return blocks.map((block) => {
    const at = /^ {2}.*? {2,}(?=\S)/.exec(block)?.[0].length ?? 0
    if (at === 0) return broken(block, width, 0)
    const [head, text] = [block.slice(0, at), block.slice(at)]
    return width - at < leastBeside ? `${head.trimEnd()}\n      ${broken(text, width, 6)}` : `${head}${broken(text, width, at)}`
  })
}

/** The options of a command under their headings, without hidden ones. */
export function optionsByHeading({
  options,
  groups = {},
}: CommandSpec): [heading: string, options: [name: string, option: OptionSpec][]][] {
  const shown = Object.entries({ ...options, help }).filter(([, { hidden }]) => hidden !== true)
  const grouped = Object.entries(groups).map(([heading, names]): [string, typeof shown] => [
    heading,
    shown.filter(([name]) => names.includes(name)).toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b)),
  ])
  const named = new Set(Object.values(groups).flat())
  const others = shown.filter(([name]) => !named.has(name))
  return [...grouped, [grouped.length === 0 ? 'Options' : 'Other', others] as [string, typeof shown]].filter(([, list]) => list.length > 0)
}

function optionLines(spec: CommandSpec, width: number): string[] {
  const flagOf = ([name, { value }]: [string, OptionSpec]): string => `--${name}${value === undefined ? '' : ` ${value}`}`
  const sections = optionsByHeading(spec)
  const flags = Math.max(...sections.flatMap(([, list]) => list).map((entry) => flagOf(entry).length))
  const beside = flags + 4
  const option = (entry: [string, OptionSpec]): string =>
    width - beside < leastBeside
      ? `  ${flagOf(entry)}\n      ${broken(entry[1].help, width, 6)}`
      : `  ${flagOf(entry).padEnd(flags)}  ${broken(entry[1].help, width, beside)}`
  return sections.flatMap(([heading, list]) => ['', `${heading}:`, ...list.map(option)])
}

/** Columns that a text beside its option needs; with fewer it stands below. */
const leastBeside = 30

/** `--dialect` is another name of `--from`. */
export function dialectOption({ from, dialect }: Parsed['values']): string | undefined {
  if (from !== undefined && dialect !== undefined && from !== dialect)
    throw usageError(`--from ${quoted(from)} and --dialect ${quoted(dialect)} disagree: they mean the same; give one of them`)
  return (from ?? dialect) as string | undefined
}

const units: Record<string, number> = {
  '': 1,
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1e6,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1e9,
  gib: 1024 ** 3,
}

/** `--max-line 64MiB` → bytes. */
export function sizeOption(values: Parsed['values'], name: string): number | undefined {
  const value = values[name]
  if (value === undefined) return undefined
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(String(value))
  const unit = match === null ? undefined : units[match[2]!.toLowerCase()]
  const size = match === null || unit === undefined ? 0 : Math.floor(Number(match[1]) * unit)
  if (size < 1) throw usageError(`--${name} ${quoted(value)} is not a size; give bytes or a unit, for example 64MiB`)
  return size
}

const times: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `--timeout 90s` → milliseconds. */
export function durationOption(values: Parsed['values'], name: string): number | undefined {
  const value = values[name]
  if (value === undefined) return undefined
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(String(value))
  const ms = match === null ? 0 : Math.round(Number(match[1]) * times[match[2]!]!)
  if (ms < 1) throw usageError(`--${name} ${quoted(value)} is not a time; give a number with ms, s, m or h, for example 90s`)
  return ms
}

export function numberOption(values: Parsed['values'], name: string, { whole = false, least = 0 }): number | undefined {
  const value = values[name]
  if (value === undefined) return undefined
  const number = /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) : NaN
  if (!(number >= least) || (whole && !Number.isInteger(number)))
    throw usageError(`--${name} ${quoted(value)} is not a ${whole ? 'whole ' : ''}number from ${least} on`)
  return number
}

export const textOption = (values: Parsed['values'], name: string): string | undefined =>
  typeof values[name] === 'string' ? values[name] : undefined

export const listOption = (values: Parsed['values'], name: string): string[] => (Array.isArray(values[name]) ? values[name] : [])
