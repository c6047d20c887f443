// Which agents are on this machine: where, in which version, and what sluice can do with each.
import { execFile } from 'node:child_process'
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { realPath } from '../files/real-path.ts'
import { childEnvironment } from './process/environment.ts'

/** What a session with the agent can have. */
export const abilities = ['permissions', 'deltas', 'thoughts', 'usage', 'resume', 'interrupt'] as const
export type Ability = (typeof abilities)[number]

export type Kind = {
  name: string
  title: string
  /** How its program is called. Absent: it is part of sluice. */
  program?: string
  install?: string
  /** By which protocol sluice drives it. Absent: it is only read so far. */
  by?: string
  can: readonly Ability[]
}

const all = [...abilities]

export const kinds: readonly Kind[] = [
  { name: 'builtin', title: 'the built-in agent', by: 'itself', can: all },
  {
    name: 'claude',
    title: 'Claude Code',
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    by: 'stream-json with the control channel',
    can: all,
  },
  {
    name: 'codex',
    title: 'Codex',
    program: 'codex',
    install: 'npm install -g @openai/codex',
    by: 'app-server',
    can: all,
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    program: 'gemini',
    install: 'npm install -g @google/gemini-cli',
    by: 'the Agent Client Protocol',
    can: all,
  },
  { name: 'opencode', title: 'opencode', program: 'opencode', install: 'npm install -g opencode-ai', by: 'its server', can: all },
  {
    name: 'copilot',
    title: 'Copilot CLI',
    program: 'copilot',
    install: 'npm install -g @github/copilot',
    by: 'the Agent Client Protocol',
    can: all,
  },
  { name: 'acp', title: 'acp:COMMAND, any agent of that protocol', by: 'the Agent Client Protocol', can: all },
  { name: 'replay', title: 'a recorded stream, told again', by: 'any dialect', can: ['deltas', 'thoughts', 'usage'] },
]

type Variables = Readonly<Record<string, string | undefined>>

/** The program as the shell would find it. */
export function locate(program: string, env: Variables): string | undefined {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, program)
    if (folder.startsWith('/') && isProgram(path)) return path
  }
  return undefined
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export function missingText(name: string): string {
  const kind = kinds.find((one) => one.name === name)
  return `${kind?.title ?? name} is not installed: there is no program "${kind?.program ?? name}" on the PATH; install it with: ${kind?.install ?? ''}`
}

export type Found = Kind & { path?: string; version?: string; error?: string }

/** Each with its version, from the package it lies in or else from the program itself. */
export async function findAgents(env: Variables): Promise<Found[]> {
  return Promise.all(
    kinds.map(async (kind): Promise<Found> => {
      const path = kind.program === undefined ? undefined : locate(kind.program, env)
      if (path === undefined) return kind
      return { ...kind, path, ...(await versionOf(path, env)) }
    }),
  )
}

export async function versionOf(path: string, env: Variables): Promise<{ version?: string; error?: string }> {
  const told = packageVersion(path)
  if (told !== undefined) return { version: told }
  try {
    const { stdout } = await run(path, ['--version'], { env: childEnvironment(env), timeout: 10_000, maxBuffer: 1 << 16 })
    const version = /\d+\.\d+\.\d+[\w.+-]*/.exec(stdout)?.[0]
    return version === undefined ? { error: '--version tells no version' } : { version }
  } catch (error) {
    return { error: `--version failed: ${(error as Error).message.split('\n')[0]}` }
  }
}
const run = promisify(execFile)

/** Without starting it: a program of a package lies at most a few folders below its package.json. */
export function packageVersion(path: string): string | undefined {
  let folder = dirname(realPath(path))
  for (let up = 0; up < 4 && folder !== '/'; up++, folder = dirname(folder)) {
    try {
      const { version, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
      return typeof version === 'string' && bin !== undefined ? version : undefined
    } catch {
      // not here
    }
  }
  return undefined
}
