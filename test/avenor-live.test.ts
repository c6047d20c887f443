// What Avenor's dialect says of a live run: the agent's own options in every way of answering, the status beside its question, one error
// for each fault.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { all, checked, linesOf, one, outputs, type Place, place, sluice, start, type Told } from './run-support.ts'
import { root } from './run.ts'
import { quote } from './quote.ts'

const agent = `acp:${quote(process.execPath)} ${quote(join(root, 'fixtures/agents/acp.mjs'))}`
const asking = (prompt: string, ...more: string[]): string[] => [
  'run',
  prompt,
  '--agent',
  agent,
  '--format',
  'sluice',
  '--run-id',
  'r1',
  '--label',
  'a job',
  ...more,
]

/** `act` answers the question `id`. */
async function play(here: Place, args: readonly string[], act?: (id: string) => Promise<unknown>): Promise<Told> {
  const out = outputs(here)
  const run = start(here, [...args, ...out.args])
  if (act !== undefined) {
    await run.until('permission.request')
    await act(String(one(linesOf(run.told()), 'permission.request')['id']))
  }
  return checked(here, await run.ended, out)
}

const options = [
  { optionId: 'my-allow_always', kind: 'allow', name: 'allow_always' },
  { optionId: 'my-allow_once', kind: 'allow', name: 'allow_once' },
  { optionId: 'my-reject_once', kind: 'reject', name: 'reject_once' },
]

suite("the agent's own options", () => {
  const base = 'ask rm x'
  const ways: Record<string, { flags: string[]; act?: (here: Place) => (id: string) => Promise<unknown>; chosen: string }> = {
    control: {
      flags: ['--permission-handler', 'control', '--control-socket', 'c.sock'],
      act: (here) => (id) => sluice(here, ['control', '--control-socket', 'c.sock', 'answer', id, 'my-allow_always']),
      chosen: 'my-allow_always',
    },
    file: {
      flags: ['--permission-handler', 'file:ask'],
      act: (here) => () => sluice(here, ['answer', 'ask', '--option', 'my-allow_always']),
      chosen: 'my-allow_always',
    },
    'file, by a word': {
      flags: ['--permission-handler', 'file:ask'],
      act: (here) => () => sluice(here, ['answer', 'ask', '--option', 'allow']),
      chosen: 'my-allow_once',
    },
    'auto-approve': { flags: ['--auto-approve'], chosen: 'my-allow_once' },
    'nobody can be asked': { flags: ['--permission', 'read=allow'], chosen: 'my-reject_once' },
  }
  for (const [name, { flags, act, chosen }] of Object.entries(ways))
    test(name, async (t) => {
      const here = place(t)
      const told = await play(here, asking(base, ...flags), act?.(here))
      assert.deepEqual(one(told.avenor, 'permission.request')['options'], options)
      assert.equal(one(told.avenor, 'permission.response')['option_id'], chosen)
      const said = all(told.sluice, 'text.delta').map(({ text }) => text)
      assert.deepEqual(said, [chosen], 'what the agent was told')
    })

  test('an option that the agent does not offer cannot be chosen', async (t) => {
    const here = place(t)
    const flags = ['--permission-handler', 'control', '--control-socket', 'c.sock', '--permission-timeout', '2s']
    await play(here, asking(base, ...flags), async (id) => {
      const ran = await sluice(here, ['control', '--control-socket', 'c.sock', 'answer', id, 'allow_session'])
      assert.match(ran.stderr, /offered are my-allow_always, my-allow_once, my-reject_once/)
    })
  })
})

test('every event has the label of the run', async (t) => {
  const told = await play(place(t), asking('ask rm x', '--auto-approve'))
  assert.ok(told.avenor.length > 3)
  for (const record of told.avenor) assert.deepEqual([record['run_id'], record['run_label']], ['r1', 'a job'], JSON.stringify(record))
})

suite('one error for each fault, with the part that it comes from', () => {
  const faults: Record<string, { args: string[]; source: string; stop: string; signal?: NodeJS.Signals }> = {
    'a signal': { args: asking('wait'), source: 'cancel', stop: 'cancelled', signal: 'SIGTERM' },
    'a timeout': { args: asking('wait', '--timeout', '1s'), source: 'timeout', stop: 'timeout' },
    'the agent fails': { args: asking('fail 401 no key'), source: 'backend', stop: 'error' },
    'the agent dies': { args: asking('die 3'), source: 'backend', stop: 'error' },
    'nobody answers': {
      args: asking('ask rm x', '--permission-handler', 'file:ask', '--permission-timeout', '300ms'),
      source: 'permission',
      stop: 'error',
    },
  }
  for (const [name, { args, source, stop, signal }] of Object.entries(faults))
    test(name, async (t) => {
      const here = place(t)
      const out = outputs(here)
      const run = start(here, [...args, ...out.args])
      if (signal !== undefined) {
        await run.until('turn.start')
        run.child.kill(signal)
      }
      const told = await checked(here, await run.ended, out)
      assert.deepEqual(
        all(told.avenor, 'avenor.error').map((record) => record['source']),
        [source],
        JSON.stringify(all(told.avenor, 'avenor.error')),
      )
      assert.equal(one(told.avenor, 'session.end')['stop_reason'], stop)
      assert.ok(told.avenor.every((record) => record['run_label'] === 'a job'))
    })
})

test('a question that nobody answers is one error of our own agent, too', async (t) => {
  const script = JSON.stringify({ turns: [{ tools: [{ name: 'bash', input: { command: 'touch x' } }] }] })
  const args = ['run', 'go', '--model', 'script/s.json', '--permission-handler', 'file:ask', '--permission-timeout', '300ms']
  const told = await play(place(t, { 's.json': script }), [...args, '--format', 'sluice'])
  assert.deepEqual(
    all(told.avenor, 'avenor.error').map(({ source, message }) => [source, message]),
    [['permission', 'handler timed out after 300ms']],
  )
})

test('an agent that cannot be started is told by its own name, and with no event of a channel', async (t) => {
  for (const [agentName, backend] of [
    ['codex', 'codex'],
    ['gemini', 'gemini-cli'],
    ['opencode', 'opencode'],
    ['copilot', 'copilot'],
    ['claude', 'claude'],
    ['acp:no-such-agent', 'no-such-agent'],
  ] as const) {
    const here = place(t)
    const ran = await sluice(here, ['run', 'go', '--agent', agentName, '--format', 'avenor', '--on-event', 'a.ndjson', '--label', 'a job'])
    assert.equal(ran.code, 2, agentName)
    assert.match(ran.stderr, /no-such-agent|not installed/, agentName)
    const told = readFileSync(join(here.root, 'a.ndjson'), 'utf8').split('\n').filter(Boolean)
    const records = told.map((line) => JSON.parse(line) as Rec)
    assert.deepEqual(
      records.map(({ event }) => event),
      ['session.start', 'avenor.error', 'agent.status', 'session.end'],
      agentName,
    )
    assert.equal(records[0]!['backend'], backend)
    assert.ok(records.every((record) => record['run_label'] === 'a job'))
  }
})
