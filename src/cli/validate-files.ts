// Several files of `sluice validate`, read by several processes: threads of one would share its locks and its heap's pages, and be slower.
// What is found is told in the order of the files, whoever found it when.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ClosedPipe, CommandError, exitCodes, usageError } from './exit.ts'
import { statOf, stdout } from './io.ts'
import { isPipe, type Result, validateFile, type Way } from './validate-file.ts'

/** `share`: the indexes of the files that one process reads. `parent`: the process that has started it. */
type Job = { files: readonly string[]; share: readonly number[]; way: Way; parent: number }
type Told = { index: number; line: string } | { index: number; result: Result }

/** To start a process takes as long as reading this much. */
const worthHelper = 24e6

/** `jobs`: so many processes read at most; left out, two, where there are two processors. */
export async function validateFiles(
  files: readonly string[],
  way: Omit<Way, 'together'>,
  jobs: number | undefined,
  print: (line: string) => void,
): Promise<Result[]> {
  if (files.includes('-')) throw usageError('- cannot stand among several files')
  const lines = files.map((): string[] => [])
  const results: Result[] = []
  let shown = 0
  const take = (told: Told): void => {
    if ('line' in told) lines[told.index]!.push(told.line)
    else results[told.index] = told.result
    for (; shown < files.length; shown++) {
      for (const line of lines[shown]!.splice(0)) print(line)
      if (results[shown] === undefined) return
    }
  }
  const [mine, ...others] = shares(files.map(sizeOf), jobs ?? Math.min(2, process.getBuiltinModule('node:os').availableParallelism()))
  const theirs = others.filter((share) => share.length > 0)
  const job = { files, way: { ...way, together: theirs.length > 0 }, parent: process.pid }
  const helpers: Helper[] = []
  try {
    for (const share of theirs) helpers.push(startHelper({ ...job, share }, take))
    if (theirs.length > 0) stepBack()
    await Promise.all(helpers.map(({ begun }) => begun))
    await readShare({ ...job, share: mine! }, take)
    await Promise.all(helpers.map(({ ended }) => ended))
  } finally {
    for (const { stop } of helpers) stop()
  }
  return results
}

/** Lists of indexes that take about as long to read. Pipes are in the first, which is this process's own: files end, whatever becomes of it. */
function shares(sizes: readonly number[], jobs: number): number[][] {
  const bytes = sizes.reduce((sum, size) => (size === Infinity ? sum : sum + size), 0)
  let count = 1 // one more is worth it while its part of the whole takes longer than its start
  while (count < Math.min(jobs, sizes.length) && bytes > worthHelper * count * (count + 1)) count++
  const all = Array.from({ length: count }, (_, at) => ({ share: [] as number[], load: at === 0 ? 0 : worthHelper }))
  for (const [index, size] of [...sizes.entries()].sort(([, a], [, b]) => b - a)) {
    const to = size === Infinity ? all[0]! : all.reduce((least, one) => (one.load < least.load ? one : least))
    to.share.push(index)
    if (size !== Infinity) to.load += size
  }
  return all.map(({ share }) => share.sort((a, b) => a - b))
}

/** Infinity: a pipe may give any amount. */
function sizeOf(file: string): number {
  const stat = statOf(file)
  return stat === undefined ? 0 : stat.isFile() ? stat.size : Infinity
}

async function readShare({ files, share, way }: Job, tell: (told: Told) => void, before?: () => void): Promise<void> {
  const read = async (index: number): Promise<void> => {
    const result = await validateFile(files[index]!, way, (line) => tell({ index, line }), before)
    tell({ index, result })
  }
  const readFiles = async (): Promise<void> => {
    for (const index of share) {
      if (isPipe(files[index]!)) continue
      await read(index)
      await new Promise((resolve) => void setImmediate(resolve)) // a file is read without waiting: here others are heard
    }
  }
  // Pipes side by side: who writes to two of them may wait for the second to be read.
  await Promise.all([...share.filter((index) => isPipe(files[index]!)).map(read), readFiles()])
}

/** This process is ahead of the others, and is done when all are: where they want one processor, it yields. */
function stepBack(): void {
  try {
    process.getBuiltinModule('node:os').setPriority(1)
  } catch {
    // where that is not allowed, nothing is lost
  }
}

/** `begun`: it has its share. Files are read without waiting, so that must be before this process begins with its own. */
type Helper = { begun: Promise<void>; ended: Promise<void>; stop(): void }

function startHelper(job: Job, take: (told: Told) => void): Helper {
  const { spawn } = process.getBuiltinModule('node:child_process') // only here: it costs as much to load as all the rest
  const program = fileURLToPath(new URL('./cli.js', import.meta.url))
  const argv = [...process.execArgv, program, 'validate', asHelper]
  const helper = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] })
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
    helper.on('error', ({ message }) => reject(new CommandError(`cannot start another process to read files: ${message}`)))
    helper.on('close', (code, signal) => {
      reject(new CommandError(`the process that read the other files ended early (${signal ?? `exit code ${code}`})`))
    })
  })
  ended.catch(() => {}) // it is awaited later
  helper.stdin.on('error', () => {}) // it has ended early, which is told above
  const begun = new Promise<void>((resolve) => helper.stdin.end(JSON.stringify(job), () => resolve()))
  return { begun, ended, stop: () => void helper.kill() }
}

/** As another process is started: `sluice validate --as-helper`, its share on stdin; it tells what it finds on stdout. */
export const asHelper = '--as-helper'

export async function help(): Promise<number> {
  const out = stdout()
  const job = jobIn(readFileSync(0, 'utf8'))
  const tell = (told: Told): void => {
    out.line(JSON.stringify(told))
    out.flush()
  }
  // A killed parent stops nobody, and a large file may have nothing to tell for long.
  await readShare(job, tell, () => {
    if (process.ppid !== job.parent) throw new ClosedPipe()
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
