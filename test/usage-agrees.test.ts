// What a driven session cost is one number, wherever it is told: the end of the session, the digest, the usage report, and the records of
// each dialect all say what the agent itself was charged for. Recordings with several turns, subagents and a session that goes on.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import type { AgentRequest } from '../src/agents/driver.ts'
import { driverFor } from '../src/agents/registry.ts'
import { startSpawned } from '../src/agents/spawned.ts'
import { createDigest, createUsage } from '../src/analyze/index.ts'
import type { Rec } from '../src/base/json.ts'
import type { Usage } from '../src/model/event.ts'
import { fixture, playRun, type Told } from './agents-play.ts'

type Numbers = Record<string, number>

const tokensOf = ({ input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0 }: Usage = {}): number =>
  input + output + reasoning + cacheRead + cacheWrite

const records = (told: Told, dialect: string): Rec[] => told.streams.get(dialect)!.map((line) => JSON.parse(line) as Rec)
const sum = (values: readonly unknown[]): number => values.reduce<number>((all, value) => all + Number(value ?? 0), 0)

/** All that tells the tokens of the whole session. */
function numbersOf(told: Told): Numbers {
  const [digest, usage] = [createDigest(), createUsage()]
  for (const event of told.events) {
    digest.push(event)
    usage.push(event)
  }
  const end = records(told, 'avenor').find(({ event }) => event === 'session.end')!['usage'] as Rec | undefined
  const models = Object.values((records(told, 'claude').findLast(({ type }) => type === 'result')!['modelUsage'] ?? {}) as Rec) as Rec[]
  return {
    done: tokensOf(told.done.usage),
    'session.end': tokensOf(told.told('session.end')[0]!.usage),
    digest: tokensOf(digest.report().usage),
    usage: tokensOf(usage.report().totals),
    avenor: Number(end?.['total_tokens'] ?? 0),
    claude: sum(
      models.flatMap((one) => [one['inputTokens'], one['outputTokens'], one['cacheReadInputTokens'], one['cacheCreationInputTokens']]),
    ),
  }
}

/** `answers`: how often the model answered in the recording, side calls and subagents among it; each time for the same number of tokens. */
type Play = { agent: string; file?: string; recording: string; prompts?: number; answers: number; mode?: string; isPast?: boolean }

async function play({ agent, file, recording, prompts = 1, mode, isPast = false }: Play): Promise<Told> {
  const driverOf = await driverFor(agent)!
  const request: AgentRequest = {
    session: randomUUID(),
    how: isPast ? 'resumed' : 'new',
    profile: 'default',
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'] },
    variables: { FIXTURE_RECORDING: fixture(recording), FIXTURE_EXIT: '0' },
    stream: true,
    ...(mode !== undefined && { mode }),
    ...(file !== undefined && { file: fixture(file) }),
    ...(isPast && { native: 'native-1' }),
  }
  const said = Array.from({ length: prompts }, (_, at) => (at === 0 ? 'Do the task' : `And again ${at}`))
  const yes = () => Promise.resolve({ option: 'allow', by: 'terminal' as const })
  return playRun((host) => startSpawned(driverOf(request), request, host), { root: '/', prompts: said, answerer: yes })
}

const claude = { agent: 'claude', file: 'agents/claude.mjs' }
const codex = { agent: 'codex', file: 'agents/codex.mjs' }
const acp = { agent: `acp:${fixture('agents/acp-recording.mjs')}` }
const opencode = { agent: 'opencode', file: 'agents/opencode.mjs' }
const perAnswer = { claude: 1246, codex: 1046 }

const cases: Record<string, Play & { per: number }> = {}
const add = (per: number, one: Play): void => void (cases[one.recording] = { ...one, per })
for (const [version, answers] of [
  ['1.0.128', 2],
  ['2.0.76', 4],
  ['2.1.325', 2],
] as const)
  add(perAnswer.claude, { ...claude, recording: `claude/${version}/j-stdin-multiturn.ndjson`, prompts: 2, answers })
add(perAnswer.claude, { ...claude, recording: 'claude/2.1.325/g-subagent.ndjson', answers: 5 })
add(perAnswer.claude, { ...claude, recording: 'claude/2.1.325/o-resume.ndjson', isPast: true, answers: 1 })
add(perAnswer.codex, { ...codex, recording: 'codex/app-server/j-multiturn.traffic.ndjson', prompts: 2, answers: 2 })
add(perAnswer.codex, { ...codex, recording: 'codex/app-server/g-subagent.traffic.ndjson', answers: 5 })
add(perAnswer.claude, { ...acp, recording: 'acp/claude/j-multiturn.traffic.ndjson', prompts: 2, answers: 3 })
add(perAnswer.claude, { ...acp, recording: 'acp/claude/g-subagent.traffic.ndjson', answers: 5 })
add(perAnswer.codex, { ...acp, recording: 'acp/codex/j-multiturn.traffic.ndjson', prompts: 2, answers: 2, mode: 'read-only' })
add(perAnswer.codex, { ...opencode, recording: 'opencode/1.18.33/serve/g-subagent.sse.ndjson', answers: 4 })

suite('what a session cost is the same wherever it is told', () => {
  for (const [name, { per, answers, ...one }] of Object.entries(cases))
    test(name, { timeout: 20_000 }, async () => {
      const numbers = numbersOf(await play({ ...one, answers }))
      assert.deepEqual(numbers, Object.fromEntries(Object.keys(numbers).map((key) => [key, answers * per])))
    })
})
