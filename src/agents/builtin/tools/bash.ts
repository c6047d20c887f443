// Runs a shell command to its end. Whatever it leaves in the background ends with it: no process outlives the call.
import { accessSync, constants, statSync } from 'node:fs'
import { constants as system } from 'node:os'
import { delimiter, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { bounded, optionalNumber, optionalText, textField } from './fields.ts'
import { resolvePath } from './files.ts'
import { createKeeper, cutData } from './output.ts'
import { type Exit, type Group, startGroup } from '../../process/group.ts'
import { type Tool, type ToolContext, ToolError, type ToolResult, type ToolRun } from './tool.ts'

const defaultTimeout = 120_000
const longestTimeout = 600_000
const longestCommand = 120_000 // bytes: Linux takes 128 KB in one argument
const pipesMs = 500
/** Characters of output that are told as they come; a flood would only drown the stream. */
const liveLimit = 1_000_000

export const bashTool: Tool = {
  name: 'bash',
  description:
    'Runs a command in a shell and returns what it prints. Each call is a new shell: use workdir rather than cd. ' +
    'There is no input to type into, and processes left in the background are ended when the command is. ' +
    `Of a long output the beginning and the end are shown and the whole is kept in a file. timeout is in milliseconds (${defaultTimeout} unless given).`,
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The command' },
      description: { type: 'string', description: 'What it does, in five to ten words' },
      timeout: { type: 'number', minimum: 1, description: `Milliseconds until it is ended, at most ${longestTimeout}` },
      workdir: { type: 'string', description: 'The folder to run it in; the project folder unless given' },
    },
    required: ['command'],
    additionalProperties: false,
  },
  kind: 'execute',
  source: 'builtin',
  changes: true,
  async plan(input, context) {
    const command = textField(input, 'command')
    if (command.trim() === '') throw new ToolError('the command is empty; say what to run')
    if (command.includes('\0')) throw new ToolError('the command holds a NUL character, which no command can; leave it out')
    if (Buffer.byteLength(command) > longestCommand)
      throw new ToolError(`the command is longer than ${longestCommand} bytes; write it to a file and run that`)
    const workdir = optionalText(input, 'workdir')
    const cwd = workdir === undefined ? context.cwd : (await resolvePath(workdir, context)).real
    if (!isFolder(cwd)) throw new ToolError(`workdir "${workdir ?? cwd}" is not a folder; give one that exists`)
    const description = optionalText(input, 'description')
    const timeout = bounded(optionalNumber(input, 'timeout') ?? defaultTimeout, 1, longestTimeout)
    return {
      title: command,
      ask: { permission: 'bash', patterns: [], command: { text: command, cwd }, ...(workdir === undefined ? {} : { paths: [cwd] }) },
      run: (run) => runCommand({ command, cwd, timeout, description: description ?? '' }, context, run),
    }
  },
}

type Call = { command: string; cwd: string; timeout: number; description: string }

async function runCommand({ command, cwd, timeout, description }: Call, context: ToolContext, run: ToolRun): Promise<ToolResult> {
  run.signal.throwIfAborted()
  const group = await startShell(command, cwd, context)
  const keeper = createKeeper(context)
  let live = liveLimit
  const pipes = (['stdout', 'stderr'] as const).map((name) => {
    group[name].setEncoding('utf8').on('data', (text: string) => {
      keeper.push(text)
      if (live > 0) run.output(name, text.length > live ? `${text.slice(0, live)}\n[… more output is not shown as it comes …]\n` : text)
      live -= text.length
    })
    return finished(group[name], { writable: false }).catch(() => {})
  })

  const ending = await firstOf(group, timeout, run.signal)
  const notes: string[] = []
  if (ending === 'timeout') notes.push(`the command was ended: it ran longer than its limit of ${timeout} ms`)
  if (ending === 'abort') notes.push('the command was ended: the call was cancelled')
  const quiet = ending === 'exit' && (await within(pipesMs, Promise.all(pipes)))
  const left = await group.end()
  if (ending === 'exit' && left) notes.push('processes that it left in the background were ended')
  if (!quiet) await within(pipesMs, Promise.all(pipes))
  for (const name of ['stdout', 'stderr'] as const) group[name].destroy() // a process that left the group may hold them for ever
  const exit = codeOf(await group.exited)
  if (exit !== 0) notes.push(`exit code ${exit}`)

  const kept = keeper.end()
  const note = notes.map((line) => `[${line}]`).join('\n')
  const text = [kept.text, note].filter((part) => part !== '').join(kept.text.endsWith('\n') ? '' : '\n')
  return {
    text: text === '' ? '[no output]' : text,
    data: { output: kept.text, exit, description, ...cutData(kept) },
    exitCode: exit,
    ...(ending === 'exit' ? {} : { failed: true }),
  }
}

async function startShell(command: string, cwd: string, { env }: ToolContext): Promise<Group> {
  try {
    const file = hasProgram('bash', env['PATH']) ? 'bash' : 'sh'
    return await startGroup({ file, args: ['-c', command], cwd, env, mark: randomUUID() }) // what leaves the group is found by the mark
  } catch (error) {
    throw new ToolError(`the command could not be started: ${(error as Error).message}`, { cause: error })
  }
}

async function firstOf(group: Group, timeout: number, signal: AbortSignal): Promise<'exit' | 'timeout' | 'abort'> {
  if (signal.aborted) return 'abort'
  const over = new AbortController()
  const until = { signal: over.signal }
  const ending = await Promise.race([
    group.exited.then(() => 'exit' as const),
    sleep(timeout, 'timeout' as const, until).catch(() => 'timeout' as const),
    new Promise<'abort'>((resolve) => signal.addEventListener('abort', () => resolve('abort'), until)),
  ])
  over.abort()
  return ending
}

/** Whether it came in time. */
async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController()
  const late = sleep(ms, false, { signal: stop.signal }).catch(() => false)
  const inTime = await Promise.race([promise.then(() => true), late])
  stop.abort()
  return inTime
}

/** As a shell would tell it. */
const codeOf = ({ code, signal }: Exit): number => code ?? 128 + (signal === null ? 0 : system.signals[signal])

const hasProgram = (name: string, path = ''): boolean =>
  path.split(delimiter).some((folder) => folder !== '' && isProgram(join(folder, name)))

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
