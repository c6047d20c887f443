// sluice convert: one dialect in, another out, and an account of what was lost and added.
import { quoted, plural } from '../base/text.ts'
import { isWritable } from '../dialects/contract.ts'
import { createConverter, type Summary } from '../stream/convert.ts'
import { claimers, loadDialect, open, writableNames } from './dialects.ts'
import { exitCodes, say, usageError } from './exit.ts'
import { blocks, mustBeAnother, oneFile, recordsOut } from './io.ts'
import { openLosses } from './losses-file.ts'
import { type CommandSpec, dialectOption, parseOptions, sizeOption, textOption } from './options.ts'
import { redactionOf, redactOption } from './redaction.ts'

export const spec: CommandSpec = {
  usage: 'sluice convert [FILE|-] --to DIALECT [options]',
  about: `Translates an event stream into another dialect (${writableNames.join(', ')}), record by record as it comes in.
stderr reports what the target dialect cannot express. Records and fields that sluice had to add have a key "synthetic".`,
  options: {
    to: { type: 'string', value: 'DIALECT', help: 'the dialect to write' },
    from: {
      type: 'string',
      value: 'DIALECT',
      help: 'the dialect of the input (default: auto, detected from the first records)',
    },
    dialect: { type: 'string', value: 'DIALECT', help: 'the same as --from' },
    losses: { type: 'string', value: 'FILE', help: 'write every loss and addition to FILE, one JSON object a line' },
    quiet: { type: 'boolean', help: 'no report on stderr of losses and additions; unreadable lines are still reported' },
    strict: { type: 'boolean', help: 'exit 1 when anything was dropped' },
    carry: {
      type: 'boolean',
      help: 'keep what the target cannot express in a key "sluice" (to sluice: keep the raw records)',
    },
    redact: redactOption,
    array: { type: 'boolean', help: 'write one JSON array instead of one line for each record' },
    'max-line': {
      type: 'string',
      value: 'SIZE',
      help: 'maximum size of a record (default 128MiB); longer records are reported and skipped',
    },
  },
  examples: [
    ['sluice convert run.ndjson --to avenor', 'a recorded Claude Code run as Avenor events'],
    ['claude -p … --output-format stream-json --verbose | sluice convert --to aictrl', 'while it runs'],
    ['sluice convert run.ndjson --to appctl --strict --losses lost.ndjson', 'fail if anything is dropped, and keep the list'],
    ['sluice convert run.ndjson --to sluice --carry | sluice convert --to claude', 'convert and convert back, byte for byte'],
  ],
  exits: [
    '0  every line was read',
    '1  a line could not be read, something was dropped under --strict, or writing failed',
    '2  wrong usage, a file that cannot be opened, or input in no known dialect',
  ],
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  const target = values['to']
  if (typeof target !== 'string') throw usageError(`say which dialect to write: --to DIALECT (${writableNames.join(', ')})`)
  const to = await loadDialect(target, '--to')
  const maxLine = sizeOption(values, 'max-line')
  const file = oneFile(files)
  const lossesFile = textOption(values, 'losses')
  if (lossesFile !== undefined) mustBeAnother(lossesFile, '--losses', [file])
  const input = await open(blocks(file), dialectOption(values))
  if (input.dialect.name !== to.name && !isWritable(to))
    throw usageError(`--to ${quoted(to.name)}: this dialect is read, not written; choose one of ${writableNames.join(', ')}`)
  const losses = openLosses(lossesFile)
  const redaction = await redactionOf(values)
  let told = 0
  const converter = createConverter(input.dialect, to, recordsOut(), {
    maxLine,
    array: values['array'] === true,
    carry: values['carry'] === true,
    others: claimers,
    redactor: redaction?.create(),
    onIssue({ line, byte, code, text }) {
      if (told++ < 20) say(`sluice: line ${line}, byte ${byte}: ${text} (${code})`)
    },
  })
  await input.read((block) => converter.push(block))
  const summary = converter.end()
  report(summary, input.dialect.name, to.name, told, values['quiet'] === true)
  redaction?.tell()
  losses?.write([summary])
  const dropped = summary.losses.some(({ how }) => how === 'drop')
  return summary.issues > 0 || (values['strict'] === true && dropped) ? exitCodes.failed : exitCodes.ok
}

function report({ records, issues, losses, additions }: Summary, from: string, to: string, told: number, isQuiet: boolean): void {
  if (told > 20) say(`sluice: … and ${told - 20} more`)
  if (isQuiet || losses.length + additions.length + issues === 0) return
  const counted = (entries: { code: string; count: number }[]): string =>
    entries.map(({ code, count }) => (count === 1 ? code : `${code} ×${count}`)).join(', ')
  const dropped = losses.filter(({ how }) => how === 'drop')
  const approximate = losses.filter(({ how }) => how === 'approx')
  say(`sluice: ${from} → ${to}: ${plural(records, 'record')} read${issues === 0 ? '' : `, ${plural(issues, 'issue')}`}`)
  if (dropped.length > 0) say(`  dropped: ${counted(dropped)}`)
  if (approximate.length > 0) say(`  in other words: ${counted(approximate)}`)
  if (additions.length > 0) say(`  added: ${counted(additions)}`)
}
