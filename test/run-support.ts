// Runs of the built-in agent as processes: a home, a project and an environment of their own, a scripted model in process or on
// loopback, and every stream they tell.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rec } from '../src/base/json.ts'
import { createProject, type Project } from './project.ts'
import { command, root as checkout } from './run.ts'
import { type Scripted, scripted } from './scripted.ts'

export const formats = ['sluice', 'aictrl', 'avenor', 'appctl', 'claude'] as const
export type Format = (typeof formats)[number]

export type Place = Project & { sessions: string }

/** Where a run has its sockets. */
export const folder = (here: Place): string => join(here.top, `sluice-${process.geteuid!()}`)

/** The project's own node comes first on PATH, for servers and commands that the agent starts. */
export function place(t: TestContext, files: Record<string, string> = {}): Place {
  const project = createProject(files)
  const env = { HOME: project.home, PATH: `${join(checkout, 'node_modules/node/bin')}:/usr/bin:/bin`, TMPDIR: project.top }
  t.after(async () => {
    for (const pid of processesOf(project)) kill(pid)
    await gone(project)
    project[Symbol.dispose]()
  })
  return { ...project, env, sessions: join(project.home, '.local/share/sluice/sessions') }
}

// ── models ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** In process, or one of the four packages that speak to providers. */
export const faces = ['script', 'anthropic', 'openai', 'google', 'compatible'] as const
export type Face = (typeof faces)[number]

export type Model = { args: string[]; env: Record<string, string>; server?: Scripted }

export const key = 'made-up-key-0123456789'

export async function model(t: TestContext, at: Project, face: Face, script: string, name = 'a-model'): Promise<Model> {
  if (face === 'script') {
    const file = join(at.top, `${name}.yaml`)
    writeFileSync(file, script)
    return { args: ['--model', `script/${file}`], env: {} }
  }
  const server = await scripted(t, script)
  const known = (provider: string, env: Record<string, string>): Model => ({ args: ['--model', `${provider}/${name}`], env, server })
  switch (face) {
    case 'anthropic':
      return known('anthropic', { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url })
    case 'openai':
      return known('openai', { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${server.url}/v1` })
    case 'google':
      return known('google', { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: server.url })
    case 'compatible':
      return known('vllm', { VLLM_API_KEY: key, VLLM_BASE_URL: `${server.url}/v1` })
  }
}

export const fixtureScript = (name: string): string => readFileSync(join(checkout, 'fixtures/run', `${name}.yaml`), 'utf8')

// ── one run ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** `open`: stdin is a pipe that is never closed. */
export type Started = { env?: Record<string, string>; cwd?: string; input?: string; open?: boolean }
export type Ran = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type Live = {
  pid: number
  child: ChildProcess
  /** What has come on stdout so far. */
  told(): string
  /** Until stdout holds it. Rejects when the run ends without. */
  until(pattern: RegExp | string): Promise<void>
  ended: Promise<Ran>
}

const longestMs = 60_000

export function start(at: Place, args: readonly string[], { env = {}, cwd = at.root, input = '', open = false }: Started = {}): Live {
  const child = spawn(command, args, { env: { ...at.env, ...env }, cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), longestMs) // a run that hangs fails by its exit
  let [stdout, stderr] = ['', '']
  let wake = (): void => {}
  let isOver = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => ((stdout += text), wake()))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.on('error', () => {})
  if (!open) child.stdin.end(input)
  const ended = new Promise<Ran>((resolve) =>
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      child.stdin.destroy()
      isOver = true
      wake()
      resolve({ code, signal, stdout, stderr })
    }),
  )
  return {
    pid: child.pid!,
    child,
    told: () => stdout,
    async until(pattern) {
      const isThere = (): boolean => (typeof pattern === 'string' ? stdout.includes(pattern) : pattern.test(stdout))
      while (!isThere()) {
        assert.ok(!isOver, `the run ended before ${String(pattern)}: ${stdout}${stderr}`)
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    ended,
  }
}

export const sluice = (at: Place, args: readonly string[], options: Started = {}): Promise<Ran> => start(at, args, options).ended

export const linesOf = (text: string): Rec[] => {
  assert.ok(text === '' || text.endsWith('\n'), `the last line is not whole: …${text.slice(-200)}`)
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Rec)
}

// ── one run in all formats ───────────────────────────────────────────────────────────────────────────────────────────────

export type Told = Ran & Record<Format, Rec[]> & { file(format: Format): string }

let runs = 0

/** Arguments that write all five formats, and what reads them afterwards. */
export function outputs(at: Place): { args: string[]; file(format: Format): string; read(): Record<Format, Rec[]> } {
  const number = ++runs
  const file = (format: Format): string => join(at.top, `${number}-${format}.ndjson`)
  return {
    args: formats.flatMap((format) => ['--on-event', `${format}:${file(format)}`]),
    file,
    read: () => Object.fromEntries(formats.map((format) => [format, linesOf(readFileSync(file(format), 'utf8'))])) as Record<Format, Rec[]>,
  }
}

/** Runs, and checks what holds for every run: five valid streams with one end each, and nothing left running. */
export async function tell(at: Place, args: readonly string[], options: Started = {}): Promise<Told> {
  const out = outputs(at)
  const ran = await sluice(at, ['run', '--format', 'sluice', ...args, ...out.args], options)
  return checked(at, ran, out)
}

export async function checked(at: Place, ran: Ran, out: ReturnType<typeof outputs>): Promise<Told> {
  assert.equal(ran.signal, null, ran.stderr)
  const told = { ...ran, ...out.read(), file: out.file }
  assert.equal(ran.stdout, readFileSync(out.file('sluice'), 'utf8'), 'stdout and --on-event tell different things')
  oneEnd(told)
  await valid(at, formats.map(out.file))
  assert.deepEqual(processesOf(at), [], 'the run left processes behind')
  return told
}

function oneEnd({ sluice: own, aictrl, avenor, appctl, claude }: Told): void {
  const ends: [string, Rec[], (record: Rec) => boolean][] = [
    ['sluice', own, ({ kind }) => kind === 'session.end'],
    ['aictrl', aictrl, ({ type }) => type === 'session_complete'],
    ['avenor', avenor, ({ event }) => event === 'session.end'],
    ['appctl', appctl, ({ kind }) => kind === 'done'],
    ['claude', claude, ({ type }) => type === 'result'],
  ]
  for (const [format, records, isEnd] of ends)
    assert.deepEqual([records.filter(isEnd).length, isEnd(records.at(-1) ?? {})], [1, true], `${format} has not one end, at the end`)
}

/** No finding, not even a warning. */
export async function valid(at: Place, files: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await sluice(at, ['validate', '--strict', ...files])
  assert.equal(code, 0, stdout + stderr)
  assert.equal(stderr.match(/no findings/g)?.length, files.length, stdout + stderr)
}

export const kinds = (records: readonly Rec[], key = 'kind'): string[] => records.map((record) => String(record[key]))
export const all = (records: readonly Rec[], kind: string): Rec[] =>
  records.filter((record) => [record['kind'], record['type'], record['event']].includes(kind))
export const one = (records: readonly Rec[], kind: string): Rec => {
  const found = all(records, kind)
  assert.equal(found.length, 1, `${kind}: ${found.length} of them`)
  return found[0]!
}
/** A value deep in a record. */
export const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((found, step) => (found as Rec | undefined)?.[step], value)

// ── processes ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** All that carry the home of this place in their environment: sluice, and whatever it started, whatever group it has moved to. */
export function processesOf({ home }: Project): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    try {
      const isOurs = readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(`HOME=${home}`)
      return isOurs && !isZombie(name) ? [Number(name)] : []
    } catch {
      return [] // gone meanwhile, or somebody else's
    }
  })
}

/** Every process under this one, the watchers that carry no environment too. */
export function descendants(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number)
  return children.flatMap((child) => [child, ...descendants(child)])
}

const statOf = (pid: string): string[] => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
const parentOf = (pid: string): number => Number(statOf(pid)[1] ?? -1)
const isZombie = (pid: string): boolean => ['Z', 'X', undefined].includes(statOf(pid)[0])

export const isAlive = (pid: number): boolean => !isZombie(String(pid))

const patienceMs = 5000

export async function eventually(is: () => boolean, what: string): Promise<void> {
  const until = performance.now() + patienceMs
  while (!is()) {
    assert.ok(performance.now() < until, `it did not come: ${what}`)
    await sleep(5)
  }
}

/** Until nothing of this place runs any more. */
export const gone = (at: Project): Promise<void> => eventually(() => processesOf(at).length === 0, 'the end of all processes')

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended by itself
  }
}
