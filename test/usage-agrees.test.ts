// What a driven session cost is one number, wherever it is told: the end of the session, the digest, the usage report, and the records of
// each dialect all say what the agent itself was charged for. Recordings with several turns, subagents and a session that goes on.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import type { AgentRequest } from '../src/agents/driver.ts'
import { driverFor } from '../src/agents/registry.ts'
import { startSpawned } from '../src/agents/spawned.ts'
import { createDigest, createUsage } from '../src/analyze/index.ts'
import { isRecord, type Rec } from '../src/base/json.ts'
import type { Usage } from '../src/model/event.ts'
import { fixture, playRun, type Told } from './agents-play.ts'

type Numbers = Record<string, number>

const tokensOf = ({ input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0 }: Usage = {}): number =>
  input + output + reasoning + cacheRead + cacheWrite

const records = (told: Told, dialect: string): Rec[] => told.streams.get(dialect)!.map((line) => JSON.parse(line) as Rec)
const sum = (values: readonly unknown[]): number => values.reduce<number>((all, value) => all + Number(value ?? 0), 0)
const at = (value: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value)
const sumOf = (values: readonly unknown[], ...paths: string[]): number =>
  sum(values.flatMap((value) => paths.map((path) => at(value, ...path.split('.')))))

/** Claude's result of each turn, and aictrl's messages, tell the main conversation; all others everything. */
const ofMain = new Set(["Claude's result", 'aictrl'])

/** All that tells the tokens of the whole session. */
function numbersOf(told: Told): Numbers {
  const [digest, usage] = [createDigest(), createUsage()]
  for (const event of told.events) {
    digest.push(event)
    usage.push(event)
  }
  const end = records(told, 'avenor').find(({ event }) => event === 'session.end')!
  const results = records(told, 'claude').filter(({ type }) => type === 'result')
  const models = Object.values((results.at(-1)!['modelUsage'] ?? {}) as Rec)
  const parts = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']
  return {
    done: tokensOf(told.done.usage),
    'session.end': tokensOf(told.told('session.end')[0]!.usage),
    digest: tokensOf(digest.report().usage),
    usage: tokensOf(usage.report().totals),
    Avenor: Number(at(end, 'usage', 'total_tokens') ?? 0),
    ACP: sumOf(records(told, 'acp'), 'result.usage.totalTokens'),
    "Claude's result": sumOf(
      results.map((result) => result['usage']),
      ...parts,
    ),
    aictrl: sumOf(
      records(told, 'aictrl').map(({ tokens }) => tokens),
      'input',
      'output',
      'reasoning',
      'cache.read',
      'cache.write',
    ),
    // A model without a name has no entry there.
    ...(models.length > 0 && {
      "Claude's models": sumOf(models, 'inputTokens', 'outputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'),
    }),
  }
}

type Case = {
  agent: string
  file?: string
  mode?: string
  headless?: boolean
  prompts?: number
  isPast?: boolean
  /** Tokens of each answer of the model. */
  per: number
  /** How often it answered in the recording, side calls and subagents among it. */
  answers: number
  /** In the main conversation, where the agent tells that apart. */
  main?: number
}

async function play(recording: string, { agent, file, prompts = 1, mode, headless, isPast = false }: Case): Promise<Told> {
  const driverOf = await driverFor(agent)!
  const native = isPast ? nativeIn(recording) : undefined
  const request: AgentRequest = {
    session: randomUUID(),
    how: isPast ? 'resumed' : 'new',
    profile: 'default',
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'] },
    variables: { FIXTURE_RECORDING: fixture(recording), FIXTURE_EXEC: fixture(recording), FIXTURE_EXIT: '0' },
    stream: true,
    ...(mode !== undefined && { mode }),
    ...(file !== undefined && { file: fixture(file) }),
    ...(headless !== undefined && { headless }),
    ...(native !== undefined && { native }),
  }
  const said = Array.from({ length: prompts }, (_, number) => (number === 0 ? 'Do the task' : `And again ${number}`))
  const yes = () => Promise.resolve({ option: 'allow', by: 'terminal' as const })
  return playRun((host) => startSpawned(driverOf(request), request, host), { root: '/', prompts: said, answerer: yes })
}

/** As the host of the recording called the session that it went on with. */
function nativeIn(recording: string): string {
  const told = /"method":"(?:session\/(?:load|resume)|thread\/resume)","params":\{[^{}]*?"(?:sessionId|threadId)":"([^"]+)"/
  return told.exec(readFileSync(fixture(recording), 'utf8'))?.[1] ?? 'native-1'
}

// ── the recordings ───────────────────────────────────────────────────────────────────────────────────────────────────────

const agents: readonly [folder: RegExp, agent: Pick<Case, 'agent' | 'file' | 'mode' | 'headless'>][] = [
  [/^claude\//, { agent: 'claude', file: 'agents/claude.mjs' }],
  [/^codex\/app-server\//, { agent: 'codex', file: 'agents/codex.mjs' }],
  [/^codex\/exec\//, { agent: 'codex', file: 'agents/codex.mjs', headless: true }],
  [/^acp\/codex\//, { agent: `acp:${fixture('agents/acp-recording.mjs')}`, mode: 'read-only' }],
  [/^acp\//, { agent: `acp:${fixture('agents/acp-recording.mjs')}` }],
  [/^opencode\/.*\/run\//, { agent: 'opencode', file: 'agents/opencode.mjs', headless: true }],
  [/^opencode\//, { agent: 'opencode', file: 'agents/opencode.mjs' }],
  [/^gemini\//, { agent: 'gemini', file: 'agents/headless.mjs', headless: true }],
]

// With a cache that is written, with one that is only read, and with none.
const [written, read, plain] = [1246, 1046, 120]

const recordings: Readonly<Record<string, Omit<Case, 'agent'>>> = {
  'claude/1.0.128/g-subagent-bg.ndjson': { per: written, answers: 4, main: 2 },
  'claude/1.0.128/g-subagent-fg.ndjson': { per: written, answers: 4, main: 2 },
  'claude/1.0.128/j-stdin-multiturn.ndjson': { per: written, answers: 2, prompts: 2 },
  'claude/1.0.128/o-fork.ndjson': { per: written, answers: 2, main: 1, isPast: true },
  'claude/1.0.128/o-resume.ndjson': { per: written, answers: 2, main: 1, isPast: true },
  'claude/2.0.76/g-subagent-fg.ndjson': { per: written, answers: 6, main: 2 },
  'claude/2.0.76/j-stdin-multiturn.ndjson': { per: written, answers: 4, main: 2, prompts: 2 },
  'claude/2.0.76/o-resume.ndjson': { per: written, answers: 3, main: 1, isPast: true },
  'claude/2.1.325/g-subagent-fg.ndjson': { per: written, answers: 4, main: 2 },
  'claude/2.1.325/g-subagent-forward.ndjson': { per: written, answers: 4, main: 2 },
  'claude/2.1.325/g-subagent.ndjson': { per: written, answers: 5, main: 3 },
  'claude/2.1.325/j-stdin-multiturn.ndjson': { per: written, answers: 2, prompts: 2 },
  'claude/2.1.325/o-resume.ndjson': { per: written, answers: 1, isPast: true },
  'claude/2.1.325/t-parallel-subagents.ndjson': { per: written, answers: 6, main: 2 },
  'codex/app-server/g-subagent.traffic.ndjson': { per: read, answers: 5, main: 3 },
  'codex/app-server/j-multiturn.traffic.ndjson': { per: read, answers: 2, prompts: 2 },
  'codex/app-server/o-resume.traffic.ndjson': { per: plain, answers: 2, isPast: true },
  'acp/claude/g-subagent.traffic.ndjson': { per: written, answers: 5, main: 2 },
  'acp/claude/j-multiturn.traffic.ndjson': { per: written, answers: 3, main: 2, prompts: 2 },
  'acp/claude/o-resume.traffic.ndjson': { per: plain, answers: 2, isPast: true },
  'acp/codex/g-subagent-alone.traffic.ndjson': { per: plain, answers: 3 },
  'acp/codex/g-subagent.traffic.ndjson': { per: read, answers: 2 }, // those of the subagent it does not tell
  'acp/codex/j-multiturn.traffic.ndjson': { per: read, answers: 2, prompts: 2 },
  'acp/codex/o-resume.traffic.ndjson': { per: plain, answers: 2, isPast: true },
  'acp/copilot/g-subagent.traffic.ndjson': { per: plain, answers: 5 },
  'acp/copilot/j-multiturn.traffic.ndjson': { per: plain, answers: 3, prompts: 2 },
  'acp/copilot/o-resume.traffic.ndjson': { per: plain, answers: 2, isPast: true },
  'acp/gemini/g-subagent.traffic.ndjson': { per: read, answers: 2 },
  'acp/gemini/j-multiturn.traffic.ndjson': { per: read, answers: 2, prompts: 2 },
  'acp/opencode/g-subagent.traffic.ndjson': { per: read, answers: 1 }, // it tells the last answer only
  'gemini/g-subagent-runaway.ndjson': { per: read, answers: 23 },
  'opencode/1.18.33/run/o-continue.ndjson': { per: read, answers: 1, isPast: true },
  'opencode/1.18.33/serve/g-subagent.sse.ndjson': { per: read, answers: 4, main: 2 },
}

/** Recordings by such names that are played nowhere here, and why. */
const unplayed: readonly [name: RegExp, why: string][] = [
  [/\/o-first\./, 'one prompt, and nothing before it'],
  [/\/o-resume-missing\./, 'no session came of it'],
  [/^claude\/2\.0\.76\/g-subagent-bg\./, 'its subagent is never told to end, so the run would wait two minutes for it'],
  [/^codex\/exec\/o-resume\./, 'sluice goes on with a session by the app-server'],
  [/^acp\/claude-code-acp-0\.16\//, 'it tells no tokens'],
]

test('no recording with several turns, subagents or a session before it is left out', () => {
  const names = globSync('{claude/[0-9]*,codex/{exec,app-server},acp/*,opencode/*/*,gemini,copilot}/*.ndjson', { cwd: fixture('') })
  const wanted = names.filter((name) => /\/(?:g-subagent|t-parallel-subagents|j-(?:stdin-)?multiturn|o-)/.test(name))
  const spoken = wanted.filter((name) =>
    /^acp\/|app-server/.test(name) ? name.endsWith('.traffic.ndjson') : !/\.(?:stdin|http)\.ndjson$/.test(name),
  )
  assert.ok(spoken.length >= 40, `only ${spoken.length} recordings`)
  const left = spoken.filter((name) => !Object.hasOwn(recordings, name) && !unplayed.some(([pattern]) => pattern.test(name)))
  assert.deepEqual(left, [])
})

suite('what a session cost is the same wherever it is told', () => {
  for (const [name, one] of Object.entries(recordings))
    test(name, { timeout: 20_000 }, async () => {
      const { per, answers, main = answers } = one
      const [, agent] = agents.find(([folder]) => folder.test(name))!
      const numbers = numbersOf(await play(name, { ...agent, ...one }))
      assert.deepEqual(numbers, Object.fromEntries(Object.keys(numbers).map((key) => [key, per * (ofMain.has(key) ? main : answers)])))
    })
})
