// What the tests of the tools share: a project in a temporary folder, and a call that is made as the loop would make it.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import type { Rec } from '../../../base/json.ts'
import type { Plan, Tool, ToolContext, ToolResult } from './tool.ts'

export type Told = { kind: string; payload: unknown }
export type Project = {
  /** The project's folder, and one beside it that is not of the project. */
  root: string
  outside: string
  context: ToolContext
  /** Writes a file below the root. */
  put(name: string, content: string | Uint8Array): Promise<string>
  plan(tool: Tool, input: Rec): Promise<Plan>
  call(tool: Tool, input: Rec, signal?: AbortSignal): Promise<ToolResult & { plan: Plan; events: Told[]; output: string }>
}

export async function createProject(changes: Partial<ToolContext> = {}): Promise<Project> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-tools-')))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, 'project')
  const outside = join(folder, 'outside')
  await Promise.all([mkdir(root), mkdir(outside)])
  const context: ToolContext = {
    cwd: root,
    root,
    home: join(folder, 'home'),
    env: { PATH: process.env['PATH'] ?? '' },
    outputFolder: join(folder, 'output'),
    seen: new Map(),
    secretGlobs: ['!**/.env', '!**/.env.*', '!**/*.pem', '!**/.ssh/**'],
    isSecret: (path) => /\/(\.env(\..*)?|\.aws\/credentials|\.ssh\/.*)$|\.pem$/.test(path),
    allowedHosts: () => false,
    now: () => 0,
    ...changes,
  }
  const plan = async (tool: Tool, input: Rec): Promise<Plan> => tool.plan(input, context)
  return {
    root,
    outside,
    context,
    async put(name, content) {
      const path = join(root, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
      return path
    },
    plan,
    async call(tool, input, signal = new AbortController().signal) {
      const made = await plan(tool, input)
      const events: Told[] = []
      let output = ''
      const result = await made.run({
        call: 'call-1',
        signal,
        output: (_stream, text) => void (output += text),
        emit: (kind, payload) => void events.push({ kind, payload }),
      })
      return { ...result, plan: made, events, output }
    },
  }
}
