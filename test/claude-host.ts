// A host of Claude Code as small as can be: it starts an executable, writes the lines that a host writes, and waits for records.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from './run.ts'

export type Line = Record<string, unknown> & { type: string; subtype?: string }

export const door = join(root, 'bin/sluice-claude')
export const streaming = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json']
const patienceMs = 20_000

/** A home and a project, and what the model will say. */
export function createScene(script: string) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-door-')))
  const cwd = join(home, 'project')
  mkdirSync(join(cwd, '.git'), { recursive: true })
  writeFileSync(join(cwd, 'a.txt'), 'one\ntwo\n')
  writeFileSync(join(home, 'script.yaml'), script)
  return {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: home, SLUICE_MODEL: `script/${join(home, 'script.yaml')}` },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}
export type Scene = ReturnType<typeof createScene>

export type Host = {
  child: ChildProcess
  lines: Line[]
  stderr(): string
  write(...records: (object | string)[]): void
  prompt(content: unknown): void
  /** The first record, from now or before, that is wanted. Fails when the program ends without it. */
  until(wanted: (line: Line) => boolean): Promise<Line>
  request(id: string, body: object): Promise<Line>
  /** Closes stdin and waits for the end. */
  finish(): Promise<number | null>
}

export function startHost(
  { cwd, env }: Scene,
  flags: readonly string[] = [],
  [command, ...args]: readonly string[] = [door, ...streaming],
): Host {
  const child = spawn(command!, [...args, ...flags], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const lines: Line[] = []
  let errors = ''
  let isOver = false
  let wake = (): void => {}
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  child.stdin.on('error', () => {}) // it may be gone before all is written
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => {
    lines.push(JSON.parse(line) as Line)
    wake()
  })
  reader.once('close', () => {
    isOver = true
    wake()
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const exited = once(child, 'close').finally(() => clearTimeout(timer)) as Promise<[number | null]>

  const write: Host['write'] = (...records) => {
    child.stdin.write(records.map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`).join(''))
  }
  const until: Host['until'] = async (wanted) => {
    for (;;) {
      const found = lines.find(wanted)
      if (found !== undefined) return found
      if (isOver) throw new Error(`the program ended without it: ${errors}\n${lines.map((line) => JSON.stringify(line)).join('\n')}`)
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    child,
    lines,
    stderr: () => errors,
    write,
    prompt: (content) => write({ type: 'user', session_id: '', message: { role: 'user', content }, parent_tool_use_id: null }),
    until,
    request(id, body) {
      write({ type: 'control_request', request_id: id, request: body })
      return until(({ type, response }) => type === 'control_response' && (response as Line)['request_id'] === id)
    },
    async finish() {
      child.stdin.end()
      return (await exited)[0]
    },
  }
}

export const isResult = ({ type }: Line): boolean => type === 'result'
export const isQuestion = ({ type }: Line): boolean => type === 'control_request'
export const allow = (question: Line, more: object = {}): object => answer(question, { behavior: 'allow', ...more })
export const deny = (question: Line, message: string): object => answer(question, { behavior: 'deny', message })
const answer = (question: Line, response: object): object => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: question['request_id'], response },
})

/** Blocks of one type in all messages. */
export const blocksOf = (lines: readonly Line[], type: string): Line[] =>
  lines.flatMap((line) => {
    const { content } = (line['message'] ?? {}) as { content?: Line[] }
    return Array.isArray(content) ? content.filter((block) => block.type === type) : []
  })
