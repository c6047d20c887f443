// sluice tour: what sluice does, on a recorded session that ships with it. Needs no key, no server, no network.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Dialect } from '../dialects/contract.ts'
import { createConverter, type Summary } from '../stream/convert.ts'
import { createSniffer } from '../stream/detect.ts'
import { createValidator } from '../stream/validate.ts'
import { harmlessLine } from '../views/harmless.ts'
import { cutTo } from '../views/layout.ts'
import { claimers, loadDialect, writableNames } from './dialects.ts'
import { exitCodes, usageError } from './exit.ts'
import { print } from './io.ts'
import { type CommandSpec, parseOptions } from './options.ts'
import { run as show } from './show.ts'

export const spec: CommandSpec = {
  usage: 'sluice tour',
  about: 'Shows detect, validate and convert on a recorded Claude Code session that ships with sluice.',
  options: {},
  examples: [['sluice tour', 'takes no input and ends by itself']],
}

const sample = new URL('../samples/claude-session.ndjson', import.meta.url)
const shownName = 'samples/claude-session.ndjson'
const shownLines = 8

type Version = { dialect: Dialect; lines: string[]; summary: Summary }

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  if (parsed.files.length > 0) throw usageError('the tour takes no FILE')
  const bytes = readFileSync(sample)
  const say = (line = ''): void => print(`${line}\n`)

  const sniffer = createSniffer(claimers)
  sniffer.push(bytes)
  sniffer.end()
  const { dialect: name, version, confidence, records } = sniffer.detection()
  const from = await loadDialect(name ?? 'claude', '--from')
  say('A coding agent was asked to count the lines of a file, and gave the work')
  say('to a subagent. Its event stream was recorded; everything below is made from')
  say('that recording, here and now. Long values are shortened.')
  say()
  say(`$ sluice detect ${shownName}`)
  say(`${name} ${version}, confidence ${confidence.toFixed(2)}, ${records} records`)
  say()
  say(`$ sluice validate ${shownName}`)
  const validator = createValidator(from, (finding) => say(JSON.stringify(finding)))
  validator.push(bytes)
  const verdict = validator.end()
  say(
    `sluice: ${from.name}, ${verdict.records} records: ${verdict.errors + verdict.warnings === 0 ? 'no findings' : `${verdict.errors} errors, ${verdict.warnings} warnings`}`,
  )
  say()
  say(`$ sluice show ${shownName}`)
  await show([fileURLToPath(sample)])

  const versions: Version[] = []
  for (const to of writableNames) versions.push(translate(from, await loadDialect(to, '--to'), bytes))
  for (const { dialect, lines } of versions) {
    say()
    say(`# ${dialect.title}`)
    say(`$ sluice convert ${shownName} --to ${dialect.name}`)
    for (const line of lines.slice(0, shownLines)) say(brief(line))
    if (lines.length > shownLines) say(`… ${lines.length - shownLines} more records`)
  }
  say()
  say('What each dialect could not say of this session (said in other words: ~), and')
  say('what had to be added:')
  for (const line of lossTable(versions.filter(({ dialect }) => dialect.name !== from.name))) say(line)
  say()
  say('Next: sluice --help, or pipe an agent through it:')
  say('  claude -p "…" --output-format stream-json --verbose | sluice show')
  return verdict.errors === 0 ? exitCodes.ok : exitCodes.failed
}

function translate(from: Dialect, dialect: Dialect, bytes: Uint8Array): Version {
  let text = ''
  const decoder = new TextDecoder()
  const converter = createConverter(from, dialect, {
    text: (more) => void (text += more),
    line: (more) => void (text += `${more}\n`),
    bytes: (more) => void (text += decoder.decode(more)),
  })
  converter.push(bytes)
  const summary = converter.end()
  return { dialect, lines: text.split('\n').filter((line) => line !== ''), summary }
}

const columns = (): number => process.stdout.columns || 118

/** One record on one line of the screen: long values are shortened, the place in the recording is left out. */
function brief(line: string): string {
  const width = Math.min(columns(), 160)
  const shorten = (key: string, value: unknown): unknown => {
    if (key === 'origin') return undefined
    if (typeof value === 'string' && value.length > 34) return `${value.slice(0, /[0-9a-f-]{36}/.test(value) ? 4 : 32)}…`
    if (Array.isArray(value) && value.length > 3) return [...(value as unknown[]).slice(0, 2), '…']
    return value
  }
  const text = harmlessLine(JSON.stringify(JSON.parse(line), shorten))
  return cutTo(text, width)
}

function lossTable(versions: Version[]): string[] {
  const codes = [...new Set(versions.flatMap(({ summary }) => summary.losses.map(({ code }) => code)))].sort()
  const added = [...new Set(versions.flatMap(({ summary }) => summary.additions.map(({ code }) => `+ ${code}`)))].sort()
  const cell = ({ summary }: Version, code: string): string => {
    const losses = summary.losses.filter((entry) => entry.code === code)
    const addition = summary.additions.find((entry) => `+ ${entry.code}` === code)
    if (losses.length > 0) return losses.map(({ how, count }) => `${how === 'approx' ? '~' : ''}${count}`).join(' ')
    return addition === undefined ? '·' : `+${addition.count}`
  }
  const rows = [...codes, ...added].map((code) => [code, ...versions.map((version) => cell(version, code))])
  const head = ['', ...versions.map(({ dialect }) => dialect.name)]
  const widths = head.map((_, column) => 2 + Math.max(...[head, ...rows].map((row) => row[column]!.length)))
  const beside = widths.slice(1).reduce((sum, width) => sum + width, 2)
  const first = Math.max(12, Math.min(widths[0]! - 2, columns() - beside))
  return [head, ...rows].map(
    ([code = '', ...cells]) => `  ${cutTo(code, first).padEnd(first)}${cells.map((text, at) => text.padStart(widths[at + 1]!)).join('')}`,
  )
}
