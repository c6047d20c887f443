// `sluice models` as a user starts it, and newer figures that it fetches.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { command, fixture } from './run.ts'
import { newHome, envOf, run, usage, put, claudeSession } from './usage-home.ts'

test('models are listed with context and prices, also by the name that an agent uses', () => {
  const { stdout, stderr } = run(['models', 'claude-sonnet-4-5'])
  assert.match(stdout, /^anthropic\/claude-sonnet-4-5 +200,000 +3 \(6 over 200,000\)/m)
  assert.match(stderr, /genai-prices 0\.1\.8 of 2026-09-23/)
  const one = run(['models', '--json', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0']).stdout
  assert.equal((JSON.parse(one) as { provider: string }).provider, 'aws')
  assert.equal(run(['models', 'no-such-model']).status, 1)
})

const servers: Server[] = []
after(() => servers.forEach((server) => server.close()))
async function serve(answer: string, status = 200): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/api.json' ? status : 404)
    response.end(answer)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
/** Not spawnSync: the server lives in this process. */
function runBeside(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const out = { stdout: '', stderr: '' }
  child.stdout.on('data', (part: Buffer) => (out.stdout += String(part)))
  child.stderr.on('data', (part: Buffer) => (out.stderr += String(part)))
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, ...out })))
}
const dataSet = JSON.stringify({
  anthropic: {
    id: 'anthropic',
    name: 'Anthropic',
    models: {
      'claude-sonnet-4-5-20250929': {
        id: 'claude-sonnet-4-5-20250929',
        cost: { input: 1, output: 1, cache_read: 1, cache_write: 1 },
        limit: { context: 9 },
      },
    },
  },
})

test('--refresh fetches newer figures, which all commands use from then on', async () => {
  const home = newHome()
  const url = await serve(dataSet)
  const { status, stdout, stderr } = await runBeside(
    ['models', '--refresh', 'claude-sonnet-4-5-20250929'],
    envOf(home, { SLUICE_MODELS_URL: url }),
  )
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^anthropic\/claude-sonnet-4-5-20250929 +9 +1 +1/m)
  assert.ok(existsSync(join(home, '.cache/sluice/models.json')))
  const log = readFileSync(fixture(claudeSession), 'utf8').split('\n')
  put(home, '.claude/projects/p/s.jsonl', log.filter((line) => !line.includes('"cost-state"')).join('\n'))
  const report = usage([], home)
  assert.equal(report.totals.costUsd, 0.001246)
  assert.deepEqual(
    report.prices.map(({ name }) => name),
    ['models.dev', '@pydantic/genai-prices'],
  )
})

test('what cannot be fetched or is not that data set changes nothing', async () => {
  const home = newHome()
  for (const [answer, status, complaint] of [
    [
      '{"anthropic":{"id":"anthropic","name":"A","models":{"m":{"id":"m","limit":{"context":1},"cost":{"input":"3"}}}}}',
      200,
      /lacks "output"|must be number/,
    ],
    ['<html>', 200, /not valid JSON/],
    [dataSet, 500, /answers 500/],
  ] as const) {
    const { status: code, stderr } = await runBeside(
      ['models', '--refresh'],
      envOf(home, { SLUICE_MODELS_URL: await serve(answer, status) }),
    )
    assert.equal(code, 1)
    assert.match(stderr, complaint)
    assert.match(stderr, /stay as they were/)
  }
  assert.equal(existsSync(join(home, '.cache/sluice/models.json')), false)
})

test('a broken cache is passed over with a notice; an older one silently', () => {
  const home = newHome()
  put(home, 'cache/sluice/models.json', '{"source":{"name":"x"')
  const broken = run(['models', 'claude-sonnet-5'], home, { XDG_CACHE_HOME: join(home, 'cache') })
  assert.equal(broken.status, 0)
  assert.match(broken.stderr, /are not used: .*--refresh/)
  put(home, 'cache/sluice/models.json', JSON.stringify({ source: { name: 'old', date: '2020-01-01' }, providers: [] }))
  const old = run(['models', 'claude-sonnet-5'], home, { XDG_CACHE_HOME: join(home, 'cache') })
  assert.match(old.stderr, /^\d+ models; dollars for a million tokens; @pydantic\/genai-prices 0\.1\.8 of 2026-09-23$/m)
})
