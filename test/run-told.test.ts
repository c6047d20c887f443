// What a live run says in each dialect: tokens, prices, rules, caps, limits and failures, of our own agent and of others.
import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { convert, type DialectName } from '../src/index.ts'
import { fixture } from './run.ts'
import { all, at, linesOf, model, one, type Place, place, sluice, tell, type Told } from './run-support.ts'

const server = ['node', join(import.meta.dirname, 'mcp-server.ts')]
const settings = (mcp: Record<string, Rec>): Record<string, string> => ({ '~/.config/sluice/sluice.json': JSON.stringify({ mcp }) })
const skill = { '.sluice/skills/demo/SKILL.md': '---\nname: demo\ndescription: a demo\n---\nPeel the plum first.\n' }
const priced = 'anthropic/claude-sonnet-4-5'

async function run(t: TestContext, here: Place, script: Rec, args: readonly string[] = []): Promise<Told> {
  const chosen = await model(t, here, 'script', JSON.stringify({ model: priced, ...script }))
  return tell(here, ['go', ...chosen.args, ...args])
}

suite('in the dialect of Claude', () => {
  const bash = { name: 'bash', id: 'b', input: { command: 'echo out; echo err >&2', description: 'both' } }
  const script = {
    lanes: [
      {
        name: 'inner',
        when: { prompt: 'look inside' },
        turns: [
          { tools: [{ name: 'glob', id: 'g', input: { pattern: '*' } }], usage: { input: 11 } },
          { text: 'it is', usage: { input: 12 } },
        ],
      },
    ],
    turns: [
      { think: 'hm', text: 'Let me see.', tools: [bash], usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 } },
      { tools: [{ name: 'task', input: { description: 'a look', prompt: 'look inside', subagent_type: 'explore' } }], usage: { input: 5 } },
      { text: 'done', usage: { input: 6 } },
    ],
  }

  test('every message has its tokens, those of a subagent too', async (t) => {
    const { claude } = await run(t, place(t, { 'a.txt': 'a' }), script, ['--auto-approve'])
    assert.deepEqual(
      all(claude, 'assistant').map((record) => at(record, 'message', 'usage', 'input_tokens')),
      [1, 1, 1, 5, 11, 12, 6],
    )
    assert.deepEqual(at(all(claude, 'assistant')[0], 'message', 'usage', 'cache_creation'), {
      ephemeral_5m_input_tokens: 4,
      ephemeral_1h_input_tokens: 0,
    })
    const results = all(claude, 'user').filter((record) => at(record, 'message', 'content', 0, 'type') === 'tool_result')
    assert.partialDeepStrictEqual(results[0]?.['tool_use_result'], { stdout: 'out\n', stderr: 'err\n' })
    assert.ok(results.every((record) => record['tool_use_result'] !== undefined))
    assert.deepEqual(at(one(claude, 'result'), 'usage', 'server_tool_use'), { web_search_requests: 0, web_fetch_requests: 0 })
    assert.equal(at(one(claude, 'result'), 'modelUsage', 'claude-sonnet-4-5', 'webSearchRequests'), 0)
    const states = all(claude, 'system').flatMap(({ subtype, state }) => (subtype === 'session_state_changed' ? [state] : []))
    assert.ok(states.every((state, index) => state !== states[index - 1]))
  })

  test('--array gives one array', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', JSON.stringify({ turns: [{ text: 'hi' }] }))
    const { code, stdout } = await sluice(here, ['run', 'go', '--format', 'claude', '--array', ...args])
    assert.equal(code, 0)
    const records = JSON.parse(stdout) as Rec[]
    assert.deepEqual([records[0]?.['subtype'], records.at(-1)?.['type']], ['init', 'result'])
    assert.equal((await sluice(here, ['run', 'go', '--array', ...args])).code, 2)
  })
})

suite('in the dialect of aictrl', () => {
  test('a cap goes by its own name', async (t) => {
    const calls = [1, 2].map((n) => ({ name: 'glob', id: `c${n}`, input: { pattern: '*' } }))
    const script = { turns: [{ tools: calls, usage: { input: 100_000 } }, { text: 'done' }] }
    const caps = { max_cost: '0.01', max_tokens: '1000', max_tool_calls: '1', max_turns: '1' }
    for (const [name, cap] of Object.entries(caps)) {
      const { code, aictrl } = await run(t, place(t), script, [`--${name.replaceAll('_', '-')}`, cap])
      assert.deepEqual([code, one(aictrl, 'session_error')['code'], one(aictrl, 'session_error')['reason']], [4, name, 'unknown'])
    }
  })

  test('each of several equal errors of the provider is told, also the last', async (t) => {
    const script = { turns: [{ error: { status: 500, message: 'broken', retryAfter: '10ms' } }] }
    const { code, aictrl } = await run(t, place(t), script, ['--api-retries', '2'])
    assert.equal(code, 1)
    assert.equal(all(aictrl, 'error').length, 3)
  })

  test('a server that dies in the middle of a run is an error', async (t) => {
    const script = { turns: [{ tools: [{ name: 'files_crash', input: {} }] }, { text: 'done' }] }
    const { code, aictrl } = await run(t, place(t, settings({ files: { command: server } })), script, ['--auto-approve'])
    assert.equal(code, 0)
    assert.match(String(at(one(aictrl, 'error'), 'error', 'data', 'message')), /MCP server files failed: .*code 9/)
    assert.equal(one(aictrl, 'session_complete')['error'], null)
  })

  test('skills are in the catalogue where the skill tool is', async (t) => {
    const script = { turns: [{ text: 'hi' }] }
    for (const [args, skills] of [
      [[], ['demo']],
      [['--permission', 'skill=deny'], []],
    ] as const) {
      const { aictrl } = await run(t, place(t, skill), script, args)
      const told = one(aictrl, 'tool_catalog')['skills'] as Rec[]
      assert.deepEqual([told.map(({ name }) => name), all(aictrl, 'skill_discovered').length], [skills, skills.length])
    }
  })

  test('nobody says nothing, and what was said is read back as so many turns', async (t) => {
    const script = {
      turns: [
        { text: 'I look.', tools: [{ name: 'glob', input: { pattern: '*' } }] },
        { text: 'slow', delay: '20s' },
      ],
    }
    const told = await run(t, place(t), script, ['--timeout', '1s'])
    for (const { part } of all(told.aictrl, 'text')) assert.notEqual(at(part, 'text'), '')
    for (const { text } of all(told.appctl, 'assistant_message')) assert.notEqual(text, '')
    const back = convert(told.aictrl.map((record) => `${JSON.stringify(record)}\n`).join(''), { from: 'aictrl', to: 'sluice' })
    for (const kind of ['turn.start', 'message.end'])
      assert.equal(all(linesOf(back.text), kind).length, all(told.sluice, kind).length, kind)
  })

  test('of another agent, too: rules, profile, model, cost and context', async (t) => {
    const here = place(t)
    const file = program(here, 'claude', [
      `process.env.FIXTURE_RECORDING = ${JSON.stringify(fixture('claude/2.1.325/j-permission-allow.ndjson'))}`,
      `await import(${JSON.stringify(fixture('agents/claude.mjs'))})`,
    ])
    const env = { PATH: `${join(file, '..')}:${String(here.env['PATH'])}` }
    const { aictrl, claude } = await tell(here, ['go', '--agent', 'claude', '--auto-approve', '--permission', 'bash:ls *=allow'], { env })
    const start = one(aictrl, 'session_start')
    assert.deepEqual([start['model'], start['agent']], ['anthropic/claude-sonnet-4-5-20250929', 'default'])
    assert.deepEqual((start['permissions'] as Rec[]).at(-1), { permission: 'bash', pattern: 'ls *', action: 'allow' })
    const messages = all(aictrl, 'message_complete')
    assert.ok(messages.length > 0 && messages.every((record) => at(record, 'context', 'limit') === 200_000))
    const spent = messages.reduce((sum, { cost }) => sum + sumOf(cost), 0)
    assert.equal(spent.toFixed(9), Number(one(claude, 'result')['total_cost_usd']).toFixed(9))
  })
})

suite('in every dialect', () => {
  const readers = ['aictrl', 'avenor', 'appctl', 'claude'] as const

  test('the token limit is a failure of its own', async (t) => {
    const told = await run(t, place(t), { turns: [{ text: 'half of', finish: 'length' }] })
    assert.equal(told.code, 3)
    assert.equal(one(told.aictrl, 'message_complete')['finish'], 'max_tokens')
    assert.deepEqual(
      [one(told.aictrl, 'session_error')['code'], one(told.avenor, 'session.end')['stop_reason']],
      ['token_limit', 'max_tokens'],
    )
    assert.equal(one(told.appctl, 'error')['message'], 'max tokens')
    assert.deepEqual([one(told.claude, 'result')['is_error'], one(told.claude, 'result')['stop_reason']], [true, 'max_tokens'])
    for (const dialect of readers) assert.equal(reasonIn(told, dialect), 'max_tokens', dialect)
  })

  test('a run that ends before its prompt was sent is whole', async (t) => {
    const here = place(t, settings({ files: { command: [...server, 'hang'] } }))
    const silent = program(here, 'silent', ['setInterval(() => {}, 1000)'])
    const chosen = await model(t, here, 'script', JSON.stringify({ turns: [{ text: 'hi' }] }))
    for (const args of [chosen.args, ['--agent', `acp:${silent}`]]) {
      const told = await tell(here, ['go', '--timeout', '500ms', ...args])
      assert.equal(told.code, 124)
      assert.equal(one(told.appctl, 'user_prompt')['text'], 'go')
      assert.equal(one(told.aictrl, 'session_error')['code'], 'timeout')
      assert.equal(at(one(told.claude, 'user'), 'message', 'content', 0, 'text'), 'go')
      assert.equal(new Set(told.claude.flatMap(({ session_id: id }) => id ?? [])).size, 1)
    }
  })
})

const reasonIn = (told: Told, from: Exclude<DialectName, 'sluice'> & keyof Told): unknown => {
  const text = (told[from] as Rec[]).map((record) => `${JSON.stringify(record)}\n`).join('')
  return all(linesOf(convert(text, { from, to: 'sluice' }).text), 'session.end')[0]?.['reason']
}

const sumOf = (cost: unknown): number =>
  ['input', 'output'].reduce(
    (sum, key) => sum + Number(at(cost, key)),
    Number(at(cost, 'cache', 'read')) + Number(at(cost, 'cache', 'write')),
  )

/** A program of that name, in a folder of its own. */
function program(here: Place, name: string, lines: readonly string[]): string {
  const file = join(here.top, name)
  writeFileSync(`${file}.mjs`, `${lines.join('\n')}\n`)
  writeFileSync(file, `#!/bin/sh\nexec node ${JSON.stringify(`${file}.mjs`)} "$@"\n`)
  chmodSync(file, 0o700)
  return file
}
