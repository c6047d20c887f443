// A machine that is made up, for commands that read the logs of agents: a HOME, and what stands in it.
import assert from 'node:assert/strict'
import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { command, fixture } from './run.ts'

export type Report = {
  totals: Record<'input' | 'output' | 'reasoning' | 'cacheRead' | 'cacheWrite' | 'costUsd', number>
  groups: { key: string; input: number }[]
  subagents: { agent: string; input: number }[]
  unpriced: { model: string; tokens: number }[]
  prices: { name: string; date: string }[]
  skipped: unknown[]
  unreadable: unknown[]
}

export const newHome = (): string => mkdtempSync(join(tmpdir(), 'sluice-usage-home-'))
export const envOf = (home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: '/usr/bin:/bin',
  HOME: home,
  TZ: 'Asia/Tokyo',
  ...more,
})
export const run = (args: readonly string[], home = newHome(), more: NodeJS.ProcessEnv = {}, input = ''): SpawnSyncReturns<string> =>
  spawnSync(command, args, { env: envOf(home, more), encoding: 'utf8', input })

export function usage(args: readonly string[], home?: string, more?: NodeJS.ProcessEnv): Report {
  const { stdout, stderr, status } = run(['usage', '--json', ...args], home, more)
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout) as Report
}
export const tokens = ({ totals: { input, output, reasoning, cacheRead, cacheWrite } }: Report): number[] => [
  input,
  output + reasoning,
  cacheRead,
  cacheWrite,
]

export function put(home: string, path: string, content: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), content)
}
export const copy = (from: string, home: string, path: string): void => put(home, path, readFileSync(fixture(from), 'utf8'))

export const claudeSession = 'claude/2.1.325/a-text.session/003e5ff2-b7f8-4be0-be87-ba6ccc7fa90b.jsonl'
