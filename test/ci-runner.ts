// Carries out a job as the runners of GitHub and GitLab do: expressions, variables, files for outputs, and each script in its shell.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Command, readLog } from './github-log.ts'
import { root } from './run.ts'

export type Step = {
  id?: string
  name?: string
  if?: string
  uses?: string
  run?: string
  shell?: string
  env?: Record<string, string>
  with?: Record<string, unknown>
  'working-directory'?: string
}
export type Action = {
  inputs: Record<string, { default: string; description: string }>
  outputs: Record<string, { value: string; description: string }>
  runs: { using: string; steps: Step[] }
}
export type Workflow = { jobs: Record<string, { steps: Step[] }> }

export const yamlOf = (file: string): unknown => parse(readFileSync(join(root, file), 'utf8'))
export const action = yamlOf('action.yml') as Action

/** Where a job runs, and what it is started with. `seen`: what other actions were called with. */
export type Job = {
  workspace: string
  temp: string
  env: Record<string, string>
  contexts: Contexts
}
type Contexts = Record<string, Record<string, unknown>>
type Outputs = Record<string, string>
export type Ran = {
  /** Of each step that ran, the exit code. */
  codes: Record<string, number>
  /** Output of all steps. */
  log: string
  commands: Command[]
  summary: string
  outputs: Outputs
  /** Actions that are not ours, with their inputs. */
  used: { uses: string; with: Record<string, string> }[]
}

// ── expressions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const expression = /\$\{\{(.*?)\}\}/g

/** What the examples use of GitHub's expressions: names, texts, `==`, `!=`, `&&` and `always()`. */
function evaluate(source: string, contexts: Contexts): unknown {
  const parts = source.split('&&').map((part) => part.trim())
  if (parts.length > 1) return parts.every((part) => Boolean(evaluate(part, contexts)))
  const [, left, sign, right] = /^(.*?)\s*(==|!=)\s*(.*)$/.exec(source.trim()) ?? []
  if (sign !== undefined) return (valueOf(left!, contexts) === valueOf(right!, contexts)) === (sign === '==')
  return valueOf(source.trim(), contexts)
}

function valueOf(term: string, contexts: Contexts): unknown {
  const text = /^'(.*)'$/.exec(term)?.[1]
  if (text !== undefined) return text
  if (term === 'always()') return true
  const path = term.split('.')
  assert.ok(path.length > 1 && Object.hasOwn(contexts, path[0]!), `not an expression that is known here: ${term}`)
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], contexts) ?? ''
}

const filled = (text: unknown, contexts: Contexts): string =>
  String(text).replace(expression, (_, inner: string) => String(evaluate(inner, contexts)))
const allFilled = (values: Record<string, unknown> = {}, contexts: Contexts): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, filled(value, contexts)]))

/** Without a word about the state of the job, a step runs while all is well. */
function isWanted(condition: string | undefined, failed: boolean, contexts: Contexts): boolean {
  if (condition === undefined) return !failed
  const inner = /^\$\{\{(.*)\}\}$/.exec(condition.trim())?.[1] ?? condition
  return (inner.includes('always()') || !failed) && Boolean(evaluate(inner, contexts))
}

// ── GitHub ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const shells: Record<string, (script: string) => string[]> = {
  '': (script) => ['bash', '-e', script],
  bash: (script) => ['bash', '--noprofile', '--norc', '-e', '-o', 'pipefail', script],
  sh: (script) => ['sh', '-e', script],
}

/** A composite action with these inputs; those that are left out have their defaults. */
export function runAction(job: Job, inputs: Record<string, string>, env: Record<string, string> = {}): Ran {
  for (const name of Object.keys(inputs)) assert.ok(Object.hasOwn(action.inputs, name), `the action has no input ${name}`)
  const given = Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, inputs[name] ?? input.default]))
  const contexts = { ...job.contexts, inputs: given, steps: {} }
  const ran = runSteps({ ...job, env: { ...job.env, ...env, GITHUB_ACTION_PATH: root }, contexts }, action.runs.steps)
  return {
    ...ran,
    outputs: allFilled(Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, value])), contexts),
  }
}

/** `isOurs`: the action that this project is. Others are noted, and not run. */
export function runSteps(job: Job, steps: readonly Step[], isOurs: (uses: string) => boolean = () => false): Ran {
  const ran: Ran = { codes: {}, log: '', commands: [], summary: '', outputs: {}, used: [] }
  const contexts: Contexts = { ...job.contexts, steps: job.contexts['steps'] ?? {} }
  let failed = false
  for (const [index, step] of steps.entries()) {
    if (!isWanted(step.if, failed, contexts)) continue
    const name = step.id ?? step.name ?? String(index)
    const env = allFilled(step.env, contexts)
    let code: number | undefined
    let outputs: Outputs = {}
    if (step.run !== undefined) {
      const one = runScript(job, step, env)
      ;({ code, outputs } = one)
      add(ran, one)
    } else if (isOurs(step.uses ?? '')) {
      const inner = runAction(job, allFilled(step.with, contexts), env)
      code = Object.values(inner.codes).findLast((its) => its !== 0) ?? 0
      outputs = inner.outputs
      add(ran, inner)
    } else ran.used.push({ uses: step.uses!, with: allFilled(step.with, contexts) })
    contexts['steps']![name] = { outputs }
    if (code === undefined) continue
    ran.codes[name] = code
    failed ||= code !== 0
  }
  return ran
}

function add(ran: Ran, { log, commands, summary }: Pick<Ran, 'log' | 'commands' | 'summary'>): void {
  ran.log += log
  ran.commands.push(...commands)
  ran.summary += summary
}

let scripts = 0

function runScript(job: Job, step: Step, env: Record<string, string>) {
  const own = join(job.temp, `_step_${++scripts}`)
  mkdirSync(own, { recursive: true })
  const files = Object.fromEntries(['OUTPUT', 'ENV', 'PATH', 'STATE', 'STEP_SUMMARY'].map((name) => [`GITHUB_${name}`, join(own, name)]))
  for (const file of Object.values(files)) writeFileSync(file, '')
  const script = join(own, 'script.sh')
  writeFileSync(script, step.run!)
  const [program = '', ...args] = shells[step.shell ?? '']!(script)
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: join(job.workspace, step['working-directory'] ?? '.'),
    env: { ...job.env, ...files, CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: job.workspace, RUNNER_TEMP: job.temp, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(error, undefined)
  const read = (name: string): string => readFileSync(files[`GITHUB_${name}`]!, 'utf8')
  for (const name of ['ENV', 'PATH', 'STATE']) assert.equal(read(name), '', `${step.name} writes GITHUB_${name}`)
  const result = { code: status!, log: stdout + stderr, outputs: outputsIn(read('OUTPUT')), summary: read('STEP_SUMMARY') }
  rmSync(own, { recursive: true })
  // Both streams are read at the same time, so either may be first.
  return { ...result, commands: [...readLog(stdout).commands, ...readLog(stderr).commands] }
}

/** `name=value`, and `name<<END` with lines until the one that is END. */
function outputsIn(text: string): Outputs {
  const outputs: Outputs = {}
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    if (line === '') continue
    const [, long, end] = /^([\w-]+)<<(.+)$/.exec(line) ?? []
    const [, short, value] = /^([\w-]+)=(.*)$/.exec(line) ?? []
    if (long !== undefined) {
      const stop = lines.indexOf(end!, at + 1)
      assert.ok(stop > 0, `${long} has no end`)
      outputs[long] = lines.slice(at + 1, stop).join('\n')
      at = stop
    } else {
      assert.ok(short !== undefined, `not an output: ${line}`)
      outputs[short] = value!
    }
  }
  return outputs
}

// ── GitLab ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type GitlabJob = {
  variables: Record<string, string>
  before_script: string[]
  script: string[]
  artifacts: { when: string; paths: string[]; reports: { junit: string } }
}

/** The lines of both scripts run in one shell, each after the other, until one fails. */
export function runGitlab(
  job: Pick<Job, 'workspace' | 'env'>,
  { variables, before_script, script }: GitlabJob,
  own: Record<string, string>,
) {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', ['set -eo pipefail', ...before_script, ...script].join('\n')], {
    cwd: job.workspace,
    env: { ...job.env, CI: 'true', GITLAB_CI: 'true', CI_PROJECT_DIR: job.workspace, ...variables, ...own },
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { code: status, stdout, stderr }
}
