// The options that `run`, `chat` and the Claude-compatible host have in common, and what they come to.
import { wrongName } from '../config/names.ts'
import { accessSync, closeSync, constants, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { quoted } from '../base/text.ts'
import type { Attachment, PermissionRule } from '../supervise/contract.ts'
import type { RunRequest, SessionWanted } from '../run/request.ts'
import { permissionBaseOf } from '../run/sentinel.ts'
import { defaultMaxMs } from '../run/wait-reset.ts'
import { parseRule } from '../supervise/rules.ts'
import { hasCode, systemReason, usageError } from './exit.ts'
import { durationOption, listOption, numberOption, type OptionSpec, type Parsed, textOption } from './options.ts'

export const agentOptions: Record<string, OptionSpec> = {
  model: { type: 'string', value: 'PROVIDER/MODEL', help: 'the model; script/FILE and script/demo need no key and no network' },
  profile: { type: 'string', value: 'NAME', help: 'the profile of the agent: its prompt, rules and model (default: default)' },
  dir: { type: 'string', value: 'DIR', help: 'the folder to work in (default: this one)' },
  permission: {
    type: 'string',
    many: true,
    value: 'RULE',
    help: "PERMISSION[:PATTERN]=allow|ask|deny, for example 'bash:git *=allow'; the last matching rule wins",
  },
  'auto-approve': { type: 'boolean', help: 'allow what no rule denies, without asking' },
  confirm: { type: 'boolean', help: 'the same as --auto-approve' },
  'read-only': { type: 'boolean', help: 'only tools that change nothing' },
  'dry-run': { type: 'boolean', help: 'do not run calls that change something; their result says so' },
  strict: { type: 'boolean', help: 'only the tools that your settings list by name' },
  thinking: { type: 'boolean', help: "ask for the model's thoughts, and show them" },
  'no-stream': { type: 'boolean', help: 'request complete answers: no deltas' },
  'max-turns': { type: 'string', value: 'N', help: 'at most N model calls for one prompt' },
  'max-cost': { type: 'string', value: 'USD', help: 'budget: stop when this amount is spent' },
  'max-tokens': { type: 'string', value: 'N', help: 'budget: stop when N tokens are used, including those of subagents and caches' },
  'max-tool-calls': { type: 'string', value: 'N', help: 'budget: stop before the agent makes more than N tool calls' },
  'progress-timeout': { type: 'string', value: 'TIME', help: 'stop when nothing happens for this time' },
  'permission-timeout': {
    type: 'string',
    value: 'TIME',
    help: 'refuse a permission question that gets no answer in this time (default 10m)',
  },
  timeout: { type: 'string', value: 'TIME', help: 'stop after this time, for example 90s or 10m' },
  'api-retries': { type: 'string', value: 'N', help: 'how often to retry a failed model call (default 4)' },
  settings: { type: 'string', value: 'FILE', help: 'use these settings instead of those in your home folder' },
  'trust-project': { type: 'boolean', help: "apply the project's own settings in full, for this run" },
  'no-redact': { type: 'boolean', help: 'show keys and tokens unchanged (default: they are replaced and counted)' },
  continue: { type: 'boolean', help: 'continue the last session of this project' },
  resume: { type: 'string', value: 'ID', help: 'continue this session' },
  fork: { type: 'boolean', help: 'with --continue or --resume: leave that session unchanged, and continue in a copy' },
}

/** Of a run alone, which nobody sits in front of. */
export const runOptions: Record<string, OptionSpec> = {
  agent: {
    type: 'string',
    value: 'NAME',
    choices: ['builtin', 'claude', 'codex', 'gemini', 'opencode', 'copilot', 'acp:', 'replay:'],
    help: 'the agent: builtin (default), claude, codex, gemini, opencode, copilot, acp:COMMAND or replay:FILE; see sluice agents',
  },
  'agent-mode': { type: 'string', value: 'WORD', help: 'the permission mode of another agent, in its own words' },
  'one-way': { type: 'boolean', help: 'run another agent with one prompt and no questions: it cannot be answered' },
  'replay-speed': {
    type: 'string',
    value: 'N',
    help: 'with replay:FILE: 1 is the recorded pace (default), 10 ten times faster, 0 without pauses',
  },
  'permission-handler': {
    type: 'string',
    value: 'HANDLER',
    help: 'file:BASE writes each question to BASE.req and reads the answer from BASE.req.response; control waits for sluice control',
  },
  'control-socket': {
    type: 'string',
    value: 'PATH',
    help: 'the socket on which sluice control reaches the run (default: a path made from the run id)',
  },
  'no-control-socket': { type: 'boolean', help: 'no control socket: sluice control cannot reach the run' },
  'run-id': { type: 'string', value: 'ID', help: 'the id of the run, on every event' },
  label: { type: 'string', value: 'TEXT', help: 'a name for the run' },
  'sentinel-file': { type: 'string', value: 'PATH', help: 'a file that appears when the run is over, and says how it ended' },
  'on-milestone': { type: 'string', value: 'COMMAND', help: 'run a shell command for each milestone and finding, with the event on stdin' },
  webhook: { type: 'string', value: 'URL', help: 'send each milestone and finding to this address, by POST' },
  'wait-for-reset': { type: 'boolean', help: 'when a usage limit ends the run, continue the session after the limit has reset' },
  'max-wait': { type: 'string', value: 'TIME', help: 'with --wait-for-reset: wait at most this long in total (default 6h)' },
  'max-retries': {
    type: 'string',
    value: 'N',
    help: 'when a run fails, how often to repeat the prompt in a new session (default 0)',
  },
}

/** The dot at the end asks for leave to enter it. The folder that one stands in may have been removed. */
export function workFolder(dir: string): string {
  try {
    const folder = resolve(dir)
    if (statSync(`${folder}/.`, { throwIfNoEntry: false })?.isDirectory() === true) return folder
  } catch (error) {
    throw usageError(`cannot work in ${quoted(dir, 500)}: ${systemReason(error)}`)
  }
  throw usageError(`--dir ${quoted(dir, 500)} is not a folder`)
}

export function requestFrom(values: Parsed['values']): RunRequest {
  const mode = textOption(values, 'agent-mode')
  const model = textOption(values, 'model')
  const profile = textOption(values, 'profile')
  const settingsFile = textOption(values, 'settings')
  const maxTurns = numberOption(values, 'max-turns', { whole: true, least: 1 })
  const maxCost = numberOption(values, 'max-cost', { least: 0 })
  const timeoutMs = durationOption(values, 'timeout')
  return {
    agent: textOption(values, 'agent') ?? 'builtin',
    ...(mode !== undefined && { mode }),
    headless: values['one-way'] === true,
    replaySpeed: numberOption(values, 'replay-speed', { least: 0 }) || (values['replay-speed'] === undefined ? 1 : Infinity),
    ...runFlags(values),
    cwd: workFolder(textOption(values, 'dir') ?? '.'),
    ...(model !== undefined && { model }),
    ...(profile !== undefined && { profile }),
    ...(settingsFile !== undefined && { settingsFile: resolve(settingsFile) }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxCost !== undefined && { maxCost }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    limits: limitsOf(values),
    permissionTimeoutMs: durationOption(values, 'permission-timeout') ?? 600_000,
    trustProject: values['trust-project'] === true,
    rules: listOption(values, 'permission').map(ruleOf),
    autoApprove: values['auto-approve'] === true || values['confirm'] === true,
    gates: { readOnly: values['read-only'] === true, dryRun: values['dry-run'] === true, strict: values['strict'] === true },
    thoughts: values['thinking'] === true,
    stream: values['no-stream'] !== true,
    apiRetries: numberOption(values, 'api-retries', { whole: true, least: 0 }) ?? 4,
    redact: values['no-redact'] !== true,
    session: sessionOf(values),
  }
}

type RunOptions = Pick<RunRequest, 'id' | 'label' | 'handler' | 'socket' | 'sentinel' | 'maxRetries' | 'command' | 'webhook' | 'waitMs'>

function runFlags(values: Parsed['values']): RunOptions {
  const id = textOption(values, 'run-id')
  if (id !== undefined && !/^[\w-]{1,64}$/.test(id))
    throw usageError(`--run-id ${quoted(id)}: letters, digits, - and _ only, and no more than 64 of them`)
  const label = textOption(values, 'label')
  const sentinel = textOption(values, 'sentinel-file')
  const path = textOption(values, 'control-socket')
  const isOff = values['no-control-socket'] === true
  if (isOff && path !== undefined) throw usageError('give --control-socket or --no-control-socket, not both')
  const command = textOption(values, 'on-milestone')
  const webhook = textOption(values, 'webhook')
  const waitMs = durationOption(values, 'max-wait')
  if (waitMs !== undefined && values['wait-for-reset'] !== true)
    throw usageError('--max-wait says how long --wait-for-reset may take; give both')
  const handler = handlerOf(textOption(values, 'permission-handler'), values, sentinel)
  if (handler === 'control' && isOff) throw usageError('--permission-handler control needs the control socket')
  return {
    ...(id !== undefined && { id }),
    ...(label !== undefined && { label }),
    ...(handler !== undefined && { handler }),
    ...(isOff ? { socket: false } : path !== undefined && { socket: resolve(path) }),
    ...(sentinel !== undefined && { sentinel: resolve(sentinel) }),
    maxRetries: numberOption(values, 'max-retries', { whole: true, least: 0 }) ?? 0,
    ...(command !== undefined && { command }),
    ...(webhook !== undefined && { webhook }),
    ...(values['wait-for-reset'] === true && { waitMs: waitMs ?? defaultMaxMs }),
  }
}

/** Questions go beside the sentinel, unless another way is named. */
function handlerOf(text: string | undefined, values: Parsed['values'], sentinel: string | undefined): RunRequest['handler'] {
  if (text === undefined) {
    const isApproved = values['auto-approve'] === true || values['confirm'] === true
    return sentinel === undefined || isApproved ? undefined : { base: permissionBaseOf(resolve(sentinel)) }
  }
  if (text === 'control') return text
  const base = /^file:(.+)$/s.exec(text)?.[1]
  if (base === undefined) throw usageError(`--permission-handler ${quoted(text, 500)} is neither file:BASE nor control`)
  try {
    accessSync(`${dirname(resolve(base))}/.`, constants.W_OK)
  } catch (error) {
    const why = hasCode(error, 'ENOENT') ? 'there is no such folder' : `nothing can be written there: ${systemReason(error)}`
    throw usageError(`--permission-handler ${quoted(text, 500)}: ${why}`)
  }
  return { base: resolve(base) }
}

function limitsOf(values: Parsed['values']): RunRequest['limits'] {
  const maxTokens = numberOption(values, 'max-tokens', { whole: true, least: 1 })
  const maxToolCalls = numberOption(values, 'max-tool-calls', { whole: true, least: 1 })
  const progressTimeoutMs = durationOption(values, 'progress-timeout')
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxToolCalls !== undefined && { maxToolCalls }),
    ...(progressTimeoutMs !== undefined && { progressTimeoutMs }),
  }
}

export function ruleOf(text: string): PermissionRule {
  let rule
  try {
    rule = parseRule(text)
  } catch (error) {
    throw usageError(`--permission: ${(error as Error).message}`)
  }
  const wrong = wrongName(rule.permission)
  if (wrong !== undefined) throw usageError(`--permission ${quoted(text)}: ${wrong}`)
  return rule
}

function sessionOf(values: Parsed['values']): SessionWanted {
  const id = textOption(values, 'resume')
  const goesOn = id !== undefined || values['continue'] === true
  if (id !== undefined && values['continue'] === true) throw usageError('give --resume ID or --continue, not both')
  if (values['fork'] === true && !goesOn) throw usageError('--fork needs --continue or --resume ID: it copies that session')
  return goesOn ? { how: values['fork'] === true ? 'forked' : 'resumed', id } : { how: 'new' }
}

// ── the prompt and what comes with it ────────────────────────────────────────────────────────────────────────────────────

/** stdin is read only when the prompt is `-` or missing. A file is read before it returns. */
export async function promptOf(words: readonly string[], file: string | undefined, isTerminal: boolean): Promise<string> {
  if (file !== undefined && words.length > 0) throw usageError('give a PROMPT or --prompt-file, not both')
  const text =
    file !== undefined
      ? readPrompt(file)
      : words.length === 0 || (words.length === 1 && words[0] === '-')
        ? await fromStdin(words, isTerminal)
        : words.join(' ')
  if (text.trim() === '') throw usageError('the prompt is empty; say what the agent is to do')
  return text
}

function readPrompt(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usageError(`cannot read --prompt-file ${quoted(file, 500)}: ${systemReason(error)}`)
  }
}

/** A pipe may take long, and signals must be heard meanwhile. A terminal is needed for questions: as a stream it would be over. */
async function fromStdin(words: readonly string[], isTerminal: boolean): Promise<string> {
  if (words.length === 0 && isTerminal) throw usageError('say what the agent is to do, or - to read it from stdin (see --help)')
  const parts: Buffer[] = []
  try {
    const stdin = fstatSync(0)
    if (!stdin.isFIFO() && !stdin.isSocket()) parts.push(...blocks())
    else for await (const part of process.stdin) parts.push(part as Buffer)
  } catch (error) {
    throw usageError(`cannot read stdin: ${systemReason(error)}`)
  }
  return Buffer.concat(parts)
    .toString()
    .replace(/\r?\n$/, '') // the one that ends the last line
}

function* blocks(): Generator<Buffer> {
  const block = Buffer.alloc(1 << 16)
  for (;;) {
    try {
      const size = readSync(0, block)
      if (size === 0) return
      yield Buffer.from(block.subarray(0, size))
    } catch (error) {
      if (hasCode(error, 'EOF')) return
      if (!hasCode(error, 'EAGAIN')) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10) // it does not block
    }
  }
}

const largestFile = 10 * 2 ** 20
const mimes: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.pdf': 'application/pdf',
}

/** Pictures and PDF files as they are; all else must be text. */
export function attachmentsOf(files: readonly string[]): Attachment[] {
  return files.map((file) => {
    const bytes = readAttachment(file)
    const mime = mimes[extname(file).toLowerCase()] ?? 'text/plain'
    if (mime === 'text/plain' && bytes.includes(0)) throw usageError(`--file ${quoted(file, 500)} is neither text nor a picture or PDF`)
    return { path: resolve(file), mime, data: bytes.toString('base64') }
  })
}

function readAttachment(file: string): Buffer {
  let fd: number | undefined
  try {
    const stat = statSync(file)
    if (!stat.isFile()) throw usageError(`--file ${quoted(file, 500)} is not a file`)
    if (stat.size > largestFile) throw usageError(`--file ${quoted(file, 500)} is larger than 10 MiB`)
    fd = openSync(file, 'r')
    return readFileSync(fd)
  } catch (error) {
    throw error instanceof Error && error.name === 'CommandError'
      ? error
      : usageError(`cannot read --file ${quoted(file, 500)}: ${systemReason(error)}`)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
