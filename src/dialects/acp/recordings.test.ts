// What the recorded scenarios did is what the events say: as traffic, as bare messages of both sides, and as the agent's side alone.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { toolFailed } from '../../model/outcome.ts'
import { addUsage } from '../../model/usage.ts'
import { breachesOf } from '../../../test/canonical.ts'
import { agents, allOf, bare, decodeAll, findingsOf, fixture, namesIn, oneOf, plain, shortly, textIn } from './support.test.ts'

type Agent = (typeof agents)[number]
const scenarios = agents.flatMap((agent) =>
  namesIn(`${agent}/`, '.traffic.ndjson').map((name) => [agent, name.slice(agent.length + 1, -'.traffic.ndjson'.length)] as const),
)
const traffic = (agent: Agent, scenario: string): Rec[] => fixture(`${agent}/${scenario}.traffic.ndjson`)
const alone = (agent: Agent, scenario: string): Rec[] => fixture(`${agent}/${scenario}.ndjson`)
/** All agents that were recorded doing this. */
const each = (scenario: string): [Agent, Event[]][] =>
  scenarios.filter(([, name]) => name === scenario).map(([agent]) => [agent, decodeAll(traffic(agent, scenario))])

test('bare messages are known, legal and in canonical order too', () => {
  for (const agent of agents)
    for (const name of namesIn(`${agent}/`, '.ndjson')) {
      const records = bare(fixture(name))
      const events = decodeAll(records)
      assert.deepEqual(breachesOf(events), [], name)
      const odd = events.filter((event) => event.kind === 'issue' || (event.kind === 'raw' && event.why === 'unknown'))
      assert.deepEqual(odd, [], name)
      assert.deepEqual(findingsOf(records), [], name)
    }
})

test('bare messages tell the same as traffic, but for how long it took', () => {
  for (const [agent, scenario] of scenarios) {
    const timeless = (records: Rec[]): Rec[] => decodeAll(records).map((event) => ({ ...shortly(event), durationMs: 0, ext: extOf(event) }))
    const extOf = ({ ext = {} }: Event): unknown => plain((ext['acp'] as Rec | undefined)?.['message'] ?? ext['acp'] ?? null)
    assert.deepEqual(timeless(bare(traffic(agent, scenario))), timeless(traffic(agent, scenario)), `${agent}/${scenario}`)
  }
})

test("the agent's side alone tells what the agent said and did", () => {
  const deeds = (events: readonly Event[]): unknown =>
    plain([
      textIn(events, 'text.delta'),
      textIn(events, 'thought.delta'),
      allOf(events, 'tool.start').map(({ call, name, toolKind, agent }) => [call, name, toolKind, agent ?? null]),
      allOf(events, 'turn.end').map(({ reason, usage, error }) => [reason, usage ?? null, error ?? null]),
      oneOf(events, 'session.end').reason,
    ])
  // A session that is gone on with is named by the host.
  for (const [agent, scenario] of scenarios.filter(([, name]) => name !== 'o-resume'))
    assert.deepEqual(deeds(decodeAll(alone(agent, scenario))), deeds(decodeAll(traffic(agent, scenario))), `${agent}/${scenario}`)
})

test("the host's side alone tells the prompts", () => {
  for (const [agent, scenario] of scenarios) {
    const prompts = (records: Rec[]): unknown => allOf(decodeAll(records), 'prompt.submit').map(({ text, session }) => [text, session])
    assert.deepEqual(prompts(fixture(`${agent}/${scenario}.stdin.ndjson`)), prompts(traffic(agent, scenario)), `${agent}/${scenario}`)
  }
})

test('every call that was begun has its end', () => {
  for (const [agent, scenario] of scenarios) {
    const events = decodeAll(traffic(agent, scenario))
    const ids = (kind: 'tool.start' | 'tool.end'): Set<unknown> => new Set(allOf(events, kind).map(({ call }) => call))
    assert.deepEqual(ids('tool.end'), ids('tool.start'), `${agent}/${scenario}`)
  }
})

suite('what the scenarios did', () => {
  test('a-text: thoughts and an answer, in pieces', () => {
    for (const [agent, events] of each('a-text')) {
      assert.equal(textIn(events, 'text.delta'), 'Hello from the script, in several chunks of text.', agent)
      assert.notEqual(textIn(events, 'thought.delta'), '', agent)
      assert.equal(oneOf(events, 'turn.end').reason, 'end_turn', agent)
    }
  })

  test('b-read: the lines of the file, or that there was no such tool', () => {
    const read = (events: readonly Event[]): unknown[] =>
      allOf(events, 'tool.end').map((end) => [toolFailed(end), end.text?.includes('alpha')])
    assert.deepEqual(
      each('b-read').map(([agent, events]) => [agent, read(events)]),
      [
        ['claude', [[false, true]]],
        ['claude-code-acp-0.16', [[true, false]]],
        ['codex', [[false, true]]],
        ['gemini', [[false, undefined]]], // the agent does not show what it read
        ['opencode', [[false, true]]],
      ],
    )
  })

  test('c-bash-allow: asked, allowed, run', () => {
    for (const [agent, events] of each('c-bash-allow')) {
      assert.deepEqual([oneOf(events, 'permission.answer').decision, oneOf(events, 'permission.answer').scope], ['allow', 'once'], agent)
      assert.deepEqual([oneOf(events, 'tool.start').toolKind, toolFailed(oneOf(events, 'tool.end'))], ['execute', false], agent)
    }
  })

  test('d-bash-fail: exit code 3 is a failure, whatever the agent calls it', () => {
    const codes = each('d-bash-fail').map(([agent, events]) => [
      agent,
      oneOf(events, 'tool.end').exitCode,
      toolFailed(oneOf(events, 'tool.end')),
    ])
    assert.deepEqual(codes, [
      ['claude', 3, true],
      ['claude-code-acp-0.16', 3, true],
      ['codex', 3, true],
      ['gemini', undefined, false], // Gemini tells neither code nor output
      ['opencode', 3, true],
    ])
  })

  test('e-write-*: refused calls are denied, allowed ones are not', () => {
    for (const scenario of ['e-write-reject', 'e-write-cancelled'])
      for (const [agent, events] of each(scenario)) {
        if (agent === 'claude-code-acp-0.16') continue // its write tool was not there to be asked about
        assert.equal(oneOf(events, 'tool.end').status, 'denied', `${agent}/${scenario}`)
        assert.notEqual(oneOf(events, 'permission.answer').decision, 'allow', `${agent}/${scenario}`)
      }
    for (const [agent, events] of each('e-write-allow'))
      if (agent !== 'claude-code-acp-0.16') assert.equal(oneOf(events, 'tool.end').status, 'ok', agent)
    assert.deepEqual(plain(oneOf(decodeAll(traffic('opencode', 'e-write-allow')), 'file.update').changes), [
      { path: '/home/dev/work/acp-opencode/e-write-allow/new.txt', change: 'update' },
    ])
  })

  test('g-subagent: the calls of a subagent are in its lane', () => {
    const events = decodeAll(traffic('claude', 'g-subagent'))
    const [task, read] = allOf(events, 'tool.start')
    assert.deepEqual([task?.name, task?.toolKind, read?.name, read?.agent], ['Agent', 'task', 'Read', task?.call])
    assert.deepEqual([oneOf(events, 'task.start').call, oneOf(events, 'task.end').status], [task?.call, 'ok'])
    assert.equal(oneOf(decodeAll(traffic('gemini', 'g-subagent')), 'tool.end').status, 'denied')
  })

  test('h-401: a failed login, in the words of each agent', () => {
    for (const [agent, events] of each('h-401')) {
      const { reason, error } = oneOf(events, 'turn.end')
      assert.deepEqual([reason, error?.category], ['error', 'auth'], agent)
    }
  })

  test('h-429: a limit, in the words of each agent', () => {
    for (const [agent, events] of each('h-429')) {
      const { reason, error } = oneOf(events, 'turn.end')
      assert.deepEqual([reason, error?.category, error?.http], ['error', 'rate_limit', 429], agent)
    }
  })

  test('j-cancel-tool: a command that ran and was stopped is cancelled', () => {
    const events = decodeAll(traffic('claude', 'j-cancel-tool'))
    assert.equal(oneOf(events, 'tool.end').status, 'cancelled')
    assert.deepEqual(
      allOf(events, 'turn.end').map(({ reason }) => reason),
      ['cancelled', 'end_turn'],
    )
  })

  test('j-*: cancelled, and several turns', () => {
    for (const [agent, events] of each('j-cancel')) {
      assert.deepEqual([oneOf(events, 'cancel.request').by, oneOf(events, 'turn.end').reason], ['host', 'cancelled'], agent)
      assert.match(textIn(events, 'text.delta'), /^A long /, agent)
    }
    for (const [agent, events] of each('j-multiturn')) {
      assert.deepEqual(
        allOf(events, 'turn.end').map(({ turn, reason }) => [turn, reason]),
        [
          [1, 'end_turn'],
          [2, 'end_turn'],
        ],
        agent,
      )
      assert.equal(textIn(events, 'text.delta'), 'First answer.Second answer.', agent)
    }
  })

  test('k-mcp: the tool of a server', () => {
    const servers = each('k-mcp').map(([agent, events]) => [agent, oneOf(events, 'tool.start').name, oneOf(events, 'tool.start').server])
    assert.deepEqual(servers, [
      ['claude', 'mcp__echo__echo', 'echo'],
      ['claude-code-acp-0.16', 'mcp__echo__echo', 'echo'],
      ['codex', 'mcp.echo.echo', 'echo'],
      ['gemini', 'mcp_echo_echo', undefined],
      ['opencode', 'echo_echo', undefined],
    ])
    for (const [agent, events] of each('k-mcp')) assert.match(oneOf(events, 'tool.end').text ?? '', /hi/, agent)
  })

  test('q-plan: a plan, told or written by a tool', () => {
    assert.deepEqual(plain(oneOf(decodeAll(traffic('claude-code-acp-0.16', 'q-plan')), 'plan.update').entries), [
      { text: 'One', status: 'active', priority: 'medium' },
    ])
    for (const agent of ['gemini', 'opencode'] as const)
      assert.equal(oneOf(decodeAll(traffic(agent, 'q-plan')), 'tool.start').toolKind, 'plan', agent)
  })
})

suite('tokens and money', () => {
  const call = { input: 12, output: 34, cacheRead: 1000, cacheWrite: 200 }

  test('Claude: one call for the answer, one for the title; subagents counted once', () => {
    const ends = allOf(decodeAll(traffic('claude', 'j-multiturn')), 'turn.end')
    assert.deepEqual(
      ends.map(({ usage, own, cost }) => plain([usage, own ?? null, cost?.usd])),
      [
        [{ ...addUsage(call, call), reasoning: 0 }, call, 0.003192],
        [call, null, 0.001596],
      ],
    )
    const { usage, own } = oneOf(decodeAll(traffic('claude', 'g-subagent')), 'turn.end')
    assert.deepEqual([usage?.input, own?.input], [60, 24])
  })

  test('Codex and Gemini: all calls of the turn', () => {
    assert.deepEqual(plain(oneOf(decodeAll(traffic('codex', 'd-bash-fail')), 'turn.end').usage), {
      input: 24,
      output: 68,
      reasoning: 0,
      cacheRead: 2000,
      cacheWrite: 0,
    })
    assert.deepEqual(plain(oneOf(decodeAll(traffic('gemini', 'd-bash-fail')), 'turn.end').usage), { input: 2024, output: 68 })
  })

  test('opencode: its numbers are those of the last call, its cost that of all', () => {
    const { usage, cost } = oneOf(decodeAll(traffic('opencode', 'd-bash-fail')), 'turn.end')
    assert.deepEqual([plain(usage), cost?.usd], [{ input: 12, output: 34, cacheRead: 1000 }, 0.000364])
  })

  test('how full the context is', () => {
    const last = allOf(decodeAll(traffic('claude', 'a-text')), 'usage.update').at(-1)
    assert.deepEqual(plain(last?.context), { used: 1246, limit: 200_000 })
  })
})
