// sluice validate: shape and order, each finding with its place and the rule it breaks. Several files are read by two processes.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { plural } from '../base/text.ts'
import { createValidator, type Finding, type Verdict } from '../stream/validate.ts'
import { claimers, dialectNames, open } from './dialects.ts'
import { CommandError, exitCodes, say, usageError } from './exit.ts'
import { blocks, oneFile, pipeBlocks, statOf, stdout } from './io.ts'
import { type CommandSpec, dialectOption, parseOptions, sizeOption } from './options.ts'

const spec: CommandSpec = {
  usage: 'sluice validate [FILE…|-] [options]',
  about: `Checks that every record is valid JSON of the right shape, and that the records come in a legal order.
Each finding has its line, byte, code, severity and the rule it breaks.`,
  options: {
    from: { type: 'string', value: 'DIALECT', help: `the dialect (default: auto): ${dialectNames.join(', ')}` },
    dialect: { type: 'string', value: 'DIALECT', help: 'the same as --from' },
    json: { type: 'boolean', help: 'findings as JSON, one a line' },
    strict: { type: 'boolean', help: 'warnings fail too' },
    repair: {
      type: 'boolean',
      help: 'write the stream to stdout with what is missing added (marked "synthetic"); findings go to stderr',
    },
    'max-line': { type: 'string', value: 'SIZE', help: 'longest record to read (default 128MiB)' },
  },
  examples: [
    ['sluice validate run.ndjson', 'prints nothing but a summary when all is well'],
    ['sluice validate --json *.ndjson', 'many recordings, two at a time'],
    ['sluice validate --repair killed.ndjson > whole.ndjson', 'closes what a killed run left open'],
  ],
  exits: [
    '0  no error (warnings may have been told)',
    '1  errors, with --strict warnings too, or writing failed',
    '2  wrong usage, a file that cannot be opened, or input of no known dialect',
  ],
}

/** `share`: the indexes of the files that one process reads. */
type Job = {
  files: string[]
  share: number[]
  from: string | undefined
  maxLine: number | undefined
  json: boolean
  named: boolean
  /** Another process reads at the same time. */
  together: boolean
}
type Result = { file: string; dialect?: string; verdict?: Verdict; error?: { message: string; exitCode: number } }
type Told = { index: number; line: string } | { index: number; result: Result }

export async function run(argv: readonly string[]): Promise<number> {
  if (argv[0] === asHelper) return help()
  const parsed = parseOptions(spec, argv)
  if (parsed === undefined) return exitCodes.ok
  const { values, files } = parsed
  const from = dialectOption(values)
  const maxLine = sizeOption(values, 'max-line')
  const json = values['json'] === true
  if (values['repair'] === true) return repair(oneFile(files), from, maxLine, json, values['strict'] === true)
  const job: Job = {
    files: files.length > 1 ? files : [oneFile(files)],
    share: [...files.keys()],
    from,
    maxLine,
    json,
    named: files.length > 1,
    together: false,
  }
  const results = files.length > 1 ? await validateFiles(job) : [await validateFile(job.files[0]!, job, printer())]
  return conclude(results, values['strict'] === true, job.named)
}

const printer = (): ((line: string) => void) => {
  let out: ReturnType<typeof stdout> | undefined
  return (line) => {
    out ??= stdout()
    out.line(line)
    out.flush()
  }
}

function describe(finding: Finding, job: Pick<Job, 'json' | 'named'>, file: string): string {
  if (job.json) return JSON.stringify(job.named ? { file, ...finding } : finding)
  const { line, byte, severity, code, text, rule } = finding
  return `${job.named ? `${file}: ` : ''}line ${line}, byte ${byte}: ${severity} ${code}: ${text}. Rule: ${rule}`
}

async function validateFile(file: string, job: Omit<Job, 'files' | 'share'>, print: (line: string) => void): Promise<Result> {
  try {
    const input = await open(isPipe(file) ? pipeBlocks(file) : blocks(file), job.from)
    if (job.together) skipLastStage()
    const validator = createValidator(input.dialect, (finding) => print(describe(finding, job, file)), {
      maxLine: job.maxLine,
      others: claimers,
    })
    await input.read((block) => validator.push(block))
    return { file, dialect: input.dialect.name, verdict: validator.end() }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { file, error: { message: error.message, exitCode: error.exitCode } }
  }
}

/**
 * Where two processes work, the compiler of each takes the processor from the other: its last stage costs more here than it brings. Compiled
 * code that is kept (main.ts) was made with other flags: it must be loaded before.
 */
const skipLastStage = (): void => process.getBuiltinModule('node:v8').setFlagsFromString('--no-opt')

function conclude(results: Result[], strict: boolean, named: boolean): number {
  let exitCode: number = exitCodes.ok
  for (const { file, dialect, verdict, error } of results) {
    const prefix = named ? `${file}: ` : ''
    if (error !== undefined) {
      say(`sluice: ${prefix}${error.message}`)
      exitCode = Math.max(exitCode, error.exitCode)
    } else if (verdict !== undefined) {
      const { records, errors, warnings } = verdict
      const found =
        errors + warnings === 0
          ? 'no findings'
          : [errors === 0 ? '' : plural(errors, 'error'), warnings === 0 ? '' : plural(warnings, 'warning')].filter(Boolean).join(', ')
      say(`sluice: ${prefix}${dialect}, ${plural(records, 'record')}: ${found}`)
      if (errors > 0 || (strict && warnings > 0)) exitCode = Math.max(exitCode, exitCodes.failed)
    }
  }
  return exitCode
}

async function repair(
  file: string,
  from: string | undefined,
  maxLine: number | undefined,
  json: boolean,
  strict: boolean,
): Promise<number> {
  const input = await open(blocks(file), from)
  const out = stdout()
  const job = { json, named: false }
  const validator = createValidator(input.dialect, (finding) => say(describe(finding, job, file)), {
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
  return conclude([{ file, dialect: input.dialect.name, verdict }], strict, false)
}

// ── two processes: two threads of one would share its locks and its heap's pages, and be a quarter slower ─────────────────

/** As the second process is started: `sluice validate --as-helper`, its share on stdin; it tells what it finds on stdout. */
const asHelper = '--as-helper'

async function help(): Promise<number> {
  const out = stdout()
  const job = jobIn(readFileSync(0, 'utf8'))
  await readShare(job, (told) => {
    out.line(JSON.stringify(told))
    out.flush()
  })
  return exitCodes.ok
}

function jobIn(text: string): Job {
  try {
    const job = JSON.parse(text) as Job
    if (Array.isArray(job.share) && Array.isArray(job.files)) return job
  } catch {
    // somebody else has started it
  }
  throw usageError(`${asHelper} is for sluice itself; give it files`)
}

/** To start a process takes as long as reading this much. */
const worthHelper = 24e6

/** What is found is printed in the order of the files, whoever found it when. */
async function validateFiles(job: Job): Promise<Result[]> {
  if (job.files.includes('-')) throw usageError('- cannot stand among several files')
  const print = printer()
  const lines = job.files.map((): string[] => [])
  const results: Result[] = []
  let shown = 0
  const take = (told: Told): void => {
    if ('line' in told) lines[told.index]!.push(told.line)
    else results[told.index] = told.result
    for (; shown < job.files.length; shown++) {
      for (const line of lines[shown]!.splice(0)) print(line)
      if (results[shown] === undefined) return
    }
  }
  const [mine, theirs] = shares(job.files.map(sizeOf))
  const together = theirs.length > 0
  const helper = together ? await startHelper({ ...job, share: theirs, together }, take) : undefined
  try {
    await readShare({ ...job, share: mine, together }, take)
    await helper?.ended
  } finally {
    helper?.stop()
  }
  return results
}

/** Two lists of indexes that take about as long to read. The second is for files alone: they end, whatever becomes of the first process. */
function shares(sizes: readonly number[]): [mine: number[], theirs: number[]] {
  const mine: number[] = []
  const theirs: number[] = []
  let [ahead, behind] = [0, worthHelper]
  for (const [index, size] of [...sizes.entries()].sort(([, a], [, b]) => b - a)) {
    if (size === Infinity || ahead <= behind) {
      mine.push(index)
      ahead += size === Infinity ? 0 : size
    } else {
      theirs.push(index)
      behind += size
    }
  }
  return [mine.sort((a, b) => a - b), theirs.sort((a, b) => a - b)]
}

/** Infinity: a pipe may give any amount. */
function sizeOf(file: string): number {
  const stat = statOf(file)
  return stat === undefined ? 0 : stat.isFile() ? stat.size : Infinity
}

const isPipe = (file: string): boolean => statOf(file)?.isFIFO() === true

async function readShare(job: Job, tell: (told: Told) => void): Promise<void> {
  const read = async (index: number): Promise<void> => {
    const result = await validateFile(job.files[index]!, job, (line) => tell({ index, line }))
    tell({ index, result })
  }
  const readFiles = async (): Promise<void> => {
    for (const index of job.share) {
      if (isPipe(job.files[index]!)) continue
      await read(index)
      await new Promise((resolve) => void setImmediate(resolve)) // a file is read without waiting: here others are heard
    }
  }
  // Pipes side by side: who writes to two of them may wait for the second to be read.
  await Promise.all([...job.share.filter((index) => isPipe(job.files[index]!)).map(read), readFiles()])
}

/** This process is ahead of the other, and is done when both are: where they want one processor, it yields. */
function stepBack(): void {
  try {
    process.getBuiltinModule('node:os').setPriority(1)
  } catch {
    // where that is not allowed, nothing is lost
  }
}

async function startHelper(job: Job, take: (told: Told) => void): Promise<{ ended: Promise<void>; stop(): void }> {
  const { spawn } = process.getBuiltinModule('node:child_process') // only here: it costs as much to load as all the rest
  const program = fileURLToPath(new URL('./cli.js', import.meta.url))
  const argv = [...process.execArgv, program, 'validate', asHelper]
  const helper = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] })
  stepBack()
  const ended = new Promise<void>((resolve, reject) => {
    let rest = ''
    let missing = job.share.length
    helper.stdout.setEncoding('utf8').on('data', (text: string) => {
      const told = (rest + text).split('\n')
      rest = told.pop()!
      try {
        for (const one of told.map((text) => JSON.parse(text) as Told)) {
          take(one)
          if ('result' in one && --missing === 0) resolve() // what is left is the end of a process, which takes as long as reading 10 MB
        }
      } catch (error) {
        reject(error)
      }
    })
    helper.on('error', ({ message }) => reject(new CommandError(`cannot start a second process to read the other files: ${message}`)))
    helper.on('close', (code, signal) => {
      reject(new CommandError(`the process that read the other files ended early (${signal ?? `exit code ${code}`})`))
    })
  })
  ended.catch(() => {}) // it is awaited later
  helper.stdin.on('error', () => {}) // it has ended early, which is told above
  // Files are read without waiting, so it must have its share before this process begins with its own.
  await new Promise<void>((resolve) => helper.stdin.end(JSON.stringify(job), () => resolve()))
  return { ended, stop: () => void helper.kill() }
}
