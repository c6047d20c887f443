// sluice validate: shape and order, each finding with its place and the rule it breaks. Several files are read by two processes.
import { plural, printable } from '../base/text.ts'
import { createValidator } from '../stream/validate.ts'
import { claimers, dialectNames, mustBeDialect, open } from './dialects.ts'
import { noCommand } from '../views/workflow-command.ts'
import { exitCodes, say, usageError } from './exit.ts'
import { blocks, oneFile, stdout } from './io.ts'
import { formatOption } from './report-format.ts'
import { type CommandSpec, dialectOption, numberOption, parseOptions, sizeOption } from './options.ts'
import { describe, type Result, validateFile, type Way } from './validate-file.ts'
import { asHelper, help, validateFiles } from './validate-files.ts'

const formats = ['plain', 'json', 'junit', 'github'] as const

export const spec: CommandSpec = {
  usage: 'sluice validate [FILE…|-] [options]',
  about: `Checks that every record is valid JSON with the fields of its type, and that the records come in a valid order.
Each finding has its line, byte, code, severity and the broken rule.`,
  options: {
    from: { type: 'string', value: 'DIALECT', help: `the dialect (default: auto): ${dialectNames.join(', ')}` },
    dialect: { type: 'string', value: 'DIALECT', help: 'the same as --from' },
    format: {
      type: 'string',
      value: 'FORMAT',
      choices: formats,
      help: 'plain (default), json, junit (test report), github (annotations)',
    },
    json: { type: 'boolean', help: 'findings as JSON, one a line: the same as --format json' },
    strict: { type: 'boolean', help: 'warnings also exit with 1' },
    repair: {
      type: 'boolean',
      help: 'write the stream to stdout with missing records added (marked "synthetic"); findings go to stderr',
    },
    'max-line': { type: 'string', value: 'SIZE', help: 'maximum size of a record (default 128MiB)' },
    jobs: { type: 'string', value: 'N', help: 'read N files at a time (default: 2, or 1 on a machine with one processor)' },
  },
  examples: [
    ['sluice validate run.ndjson', 'prints only a summary if there are no findings'],
    ['sluice validate --json *.ndjson', 'many recordings, two at a time'],
    ['sluice validate --format junit *.ndjson > sluice.xml', 'a test report for a CI job'],
    ['sluice validate --repair killed.ndjson > whole.ndjson', 'adds the missing end of a killed run'],
  ],
  exits: [
    '0  no error (there may be warnings)',
    '1  errors, with --strict also warnings, or writing failed',
    '2  wrong usage, a file that cannot be opened, or input in no known dialect',
  ],
}

export async function run(argv: readonly string[]): Promise<number> {
  if (argv[0] === asHelper) return help()
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values } = parsed
  const from = dialectOption(values)
  if (from !== undefined && from !== 'auto') mustBeDialect(from, '--from') // told once, not for each file
  const maxLine = sizeOption(values, 'max-line')
  const jobs = numberOption(values, 'jobs', { whole: true, least: 1 })
  const format = formatOption(values, formats)
  const strict = values['strict'] === true
  if (values['repair'] === true) {
    if (format === 'junit')
      throw usageError('--repair writes the stream to stdout, and so does --format junit its report; give one of them')
    return repair(oneFile(parsed.files), { from, maxLine, format, named: false, together: false }, strict)
  }
  const files = format === 'junit' ? [...new Set(parsed.files)] : parsed.files // a report has one suite a file
  const named = files.length > 1
  const report = format === 'junit' ? (await import('./validate-junit.ts')).createReport(strict) : undefined
  const way = report === undefined ? { from, maxLine, format: format as Way['format'], named } : { from, maxLine, ...report.way }
  const print = report?.take ?? printer()
  const results = named
    ? await validateFiles(files, way, jobs, print)
    : [await validateFile(oneFile(files), { ...way, together: false }, print)]
  report?.write(results)
  return conclude(results, strict, { named, format })
}

type Format = (typeof formats)[number]

const printer = (): ((line: string) => void) => {
  let out: ReturnType<typeof stdout> | undefined
  return (line) => {
    out ??= stdout()
    out.line(line)
    out.flush()
  }
}

function conclude(results: Result[], strict: boolean, { named, format }: { named: boolean; format: Format }): number {
  let exitCode: number = exitCodes.ok
  const tell = format === 'github' ? (line: string): void => say(noCommand(line)) : say
  for (const { file, dialect, verdict, error } of results) {
    const prefix = named ? `${printable(file)}: ` : ''
    if (error !== undefined) {
      tell(`sluice: ${prefix}${error.message}`)
      exitCode = Math.max(exitCode, error.exitCode)
    } else if (verdict !== undefined) {
      const { records, errors, warnings } = verdict
      const found =
        errors + warnings === 0
          ? 'no findings'
          : [errors === 0 ? '' : plural(errors, 'error'), warnings === 0 ? '' : plural(warnings, 'warning')].filter(Boolean).join(', ')
      tell(`sluice: ${prefix}${dialect}, ${plural(records, 'record')}: ${found}`)
      if (errors > 0 || (strict && warnings > 0)) exitCode = Math.max(exitCode, exitCodes.failed)
    }
  }
  return exitCode
}

async function repair(file: string, way: Way, strict: boolean): Promise<number> {
  const { from, maxLine, format } = way
  const input = await open(blocks(file), from)
  const out = stdout()
  const validator = createValidator(input.dialect, (finding) => say(describe(finding, way, file)), {
    maxLine,
    others: claimers,
    repair: (text) => out.text(text),
  })
  await input.read((block) => {
    validator.push(block)
    out.flush()
  })
  const verdict = validator.end()
  out.flush()
  return conclude([{ file, dialect: input.dialect.name, verdict }], strict, { named: false, format })
}
