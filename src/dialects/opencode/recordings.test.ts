// Every recording of the real program: nothing is told twice or lost, and the numbers are the program's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { toolFailed } from '../../model/outcome.ts'
import { addUsage, outputTokens } from '../../model/usage.ts'
import { opencode } from './index.ts'
import { cutShort, eventsIn, findingsOf, fixture, only, namesIn, repaired, runs, servers, shortly } from './support.test.ts'

const all = [...runs, ...servers]
const run = (name: string): Event[] => eventsIn(`1.18.33/run/${name}.ndjson`)
const serve = (name: string): Event[] => eventsIn(`1.18.33/serve/${name}.sse.ndjson`)

/** The parts of the model's messages that have ended, each once. */
function endedParts(path: string, type: string): Rec[] {
  const users = new Set<unknown>()
  const found = new Map<unknown, Rec>()
  for (const { part, properties } of fixture(path) as { part?: Rec; properties?: { part?: Rec; info?: Rec } }[]) {
    if (properties?.info?.['role'] === 'user') users.add(properties.info['id'])
    const one = part ?? properties?.part
    if (one === undefined || one['type'] !== type || users.has(one['messageID']) || one['synthetic'] === true) continue
    const state = one['state'] as Rec | undefined
    const time = (one['time'] ?? state?.['time']) as Rec | undefined
    if (type.startsWith('step') || time?.['end'] !== undefined) found.set(one['id'], one)
  }
  return [...found.values()]
}

test('the recordings are there', () => assert.deepEqual([runs.length, servers.length], [24, 8]))

test("the driver's own notes of its requests are not opencode's, and do no harm", () => {
  for (const path of namesIn('1.18.33/serve/', '.http.ndjson')) {
    for (const record of fixture(path)) assert.equal(opencode.claim(record), 0, path)
    assert.ok(
      eventsIn(path).every((event) => event.kind === 'raw' && event.why === 'unknown'),
      path,
    )
  }
})

test('repair adds the end where a recording was cut', () => {
  for (const path of all) {
    assert.deepEqual(findingsOf(repaired(fixture(path))), [], path)
    assert.equal(only(eventsIn(path), 'session.end')[0]?.synthetic, cutShort.includes(path) ? 'cut' : 'implied', path)
  }
})

test('text and thoughts are those of the parts, each told once; deltas joined are the whole', () => {
  let streamed = 0
  for (const path of all) {
    const events = eventsIn(path)
    for (const [kind, type] of [
      ['text', 'text'],
      ['thought', 'reasoning'],
    ] as const) {
      const joined = new Map<string, string>()
      const whole: (string | undefined)[] = []
      for (const event of events) {
        const key = `${event.agent} ${event.message} ${event.block}`
        if (event.kind === `${kind}.delta` && 'text' in event) joined.set(key, (joined.get(key) ?? '') + event.text)
        if ((event.kind !== 'text.end' && event.kind !== 'thought.end') || event.kind !== `${kind}.end`) continue
        assert.equal(event.streamed, joined.has(key), path)
        if (event.streamed) streamed++
        if (event.streamed && event.text !== undefined) assert.equal(joined.get(key), event.text, path)
        whole.push(event.text ?? joined.get(key))
      }
      assert.deepEqual(
        whole,
        endedParts(path, type).map((part) => part['text']),
        path,
      )
    }
  }
  assert.ok(streamed >= 8)
})

test('every call pairs with its end, with its input, its output and its times', () => {
  for (const path of all) {
    const events = eventsIn(path)
    const parts = endedParts(path, 'tool')
    const byCall = (a: Rec, b: Rec): number => (String(a['callID']) < String(b['callID']) ? -1 : 1)
    const inputs = new Map(
      [...only(events, 'tool.start'), ...only(events, 'tool.update')].flatMap(({ call, input }) =>
        input === undefined ? [] : [[call, input]],
      ),
    )
    const names = new Map(only(events, 'tool.start').map(({ call, name }) => [call, name]))
    assert.equal(only(events, 'tool.start').length, parts.length, path)
    assert.deepEqual(
      only(events, 'tool.end')
        .map(({ call, text, startedAt, endedAt }) => ({
          callID: call,
          tool: names.get(call),
          input: inputs.get(call),
          text,
          startedAt,
          endedAt,
        }))
        .toSorted(byCall),
      parts
        .map(({ callID, tool, state }) => {
          const { input, output, error, time } = state as {
            input: unknown
            output?: string
            error?: string
            time: { start: number; end: number }
          }
          return { callID, tool, input, text: output ?? error, startedAt: time.start, endedAt: time.end }
        })
        .toSorted(byCall),
      path,
    )
  }
})

test('each step tells its tokens and its cost, and they add up to what a server says of the session', () => {
  for (const path of all) {
    const events = eventsIn(path)
    const ends = only(events, 'message.end').filter(({ usage }) => usage !== undefined)
    assert.equal(ends.length, endedParts(path, 'step-finish').length, path)
    for (const { usage, cost } of ends) {
      assert.deepEqual([usage?.input, outputTokens(usage!), usage?.cacheRead, usage?.cacheWrite], [12, 34, 1000, 0], path)
      assert.ok(cost?.by === 'source' && cost.usd > 0, path)
    }
    const total = only(events, 'usage.update').at(-1)
    if (total === undefined) continue
    const own = ends.filter(({ agent }) => agent === undefined)
    assert.deepEqual(
      total.usage,
      own.reduce((sum, { usage }) => addUsage(sum, usage), {}),
      path,
    )
    assert.ok(Math.abs(own.reduce((sum, { cost }) => sum + cost!.usd, 0) - total.cost!.usd) < 1e-12, path)
  }
})

test('one turn a prompt, whose end says how it went', () => {
  const reasons = Object.fromEntries(
    all.map((path) => [path.replace(/^1\.18\.33\/|(\.sse)?\.ndjson$/g, ''), only(eventsIn(path), 'turn.end').map(({ reason }) => reason)]),
  )
  const others = {
    'run/e-external-dir': 'blocked',
    'run/e-write-ask': 'blocked',
    'run/h-400-context': 'cut',
    'run/h-429': 'error',
    'run/h-bad-model': 'error',
    'run/h-max-tokens': 'max_tokens',
    'run/r-sigterm': 'cut',
    'serve/h-401': 'error',
    'serve/j-abort': 'cancelled',
  }
  for (const [name, found] of Object.entries(reasons))
    assert.deepEqual(found, [(others as Record<string, string>)[name] ?? 'end_turn'], name)
})

// ── what the scenarios did ───────────────────────────────────────────────────────────────────────────────────────────────

test('a command that exits with 3 has failed, whatever opencode calls it', () => {
  const [end] = only(run('d-bash-fail'), 'tool.end')
  assert.deepEqual([end?.status, end?.exitCode, end?.text, end && toolFailed(end)], ['ok', 3, 'partial\n', true])
  const [fine] = only(run('c-bash'), 'tool.end')
  assert.deepEqual([fine?.status, fine?.exitCode, fine && toolFailed(fine)], ['ok', 0, false])
})

test('calls that failed, were refused or were never possible are told apart', () => {
  const ends = Object.fromEntries(
    ['d-read-missing', 'd-bad-input', 'd-unknown-tool', 'e-write-denied', 'e-write-ask', 'e-external-dir'].map((name) => {
      const events = run(name)
      const [start] = only(events, 'tool.start')
      const [end] = only(events, 'tool.end')
      return [name, [start?.name, start?.toolKind, end?.status, end?.permitted?.by, end?.error?.category]]
    }),
  )
  assert.deepEqual(ends, {
    'd-read-missing': ['read', 'read', 'error', undefined, 'unknown'],
    'd-bad-input': ['read', 'read', 'error', undefined, 'unknown'],
    'd-unknown-tool': ['invalid', 'other', 'error', undefined, 'invalid'],
    'e-write-denied': ['invalid', 'other', 'denied', 'rule', undefined],
    'e-write-ask': ['write', 'edit', 'denied', 'headless', undefined],
    'e-external-dir': ['read', 'read', 'denied', 'headless', undefined],
  })
})

test('a question that nobody was there to answer stops the run, without text and without an error', () => {
  const events = run('e-write-ask')
  assert.deepEqual([only(events, 'text.end').length, only(events, 'error').length], [0, 0])
  assert.deepEqual(only(events, 'turn.end')[0]?.denied, [{ call: 'call_mock000003', name: 'write' }])
})

test("a provider's error is the end of the run, with its status", () => {
  const events = run('h-429')
  assert.deepEqual(only(events, 'error')[0]?.fatal, true)
  assert.deepEqual(only(events, 'session.end')[0]?.error, {
    category: 'rate_limit',
    text: 'scripted 429',
    code: 'APIError',
    http: 429,
    retryable: true,
  })
  assert.equal(only(run('h-bad-model'), 'session.end')[0]?.error?.code, 'UnknownError')
})

test('a loop of summaries is told as such: each overflow, each summary, and no end', () => {
  const events = run('h-400-context')
  const errors = only(events, 'error')
  assert.deepEqual([errors.length, only(events, 'context.trim').length, only(events, 'message.end').length], [314, 314, 314])
  assert.ok(errors.every(({ fatal, error }) => !fatal && error.category === 'context'))
  assert.ok(only(events, 'prompt.submit').every(({ by }) => by === 'system'))
})

test('a server tells the permission, its answer, and the output as it grows', () => {
  const events = serve('c-bash-allow')
  const [asked] = only(events, 'permission.request')
  const [answer] = only(events, 'permission.answer')
  assert.deepEqual(
    [asked?.call, asked?.name, asked?.permission, asked?.patterns],
    ['call_mock000003', 'bash', 'bash', ['touch made.txt', 'echo out', 'sleep 1', 'echo more']],
  )
  assert.deepEqual(shortly(answer), {
    kind: 'permission.answer',
    id: asked?.id,
    call: 'call_mock000003',
    decision: 'allow',
    option: 'once',
    scope: 'once',
    by: 'host',
  })
  assert.deepEqual(
    only(events, 'tool.update').flatMap(({ content }) => content ?? []),
    ['out\n', 'out\nmore\n'].map((text) => ({ type: 'text', text })),
  )
  assert.deepEqual(
    only(serve('e-write-allow'), 'file.update').map(({ changes }) => changes?.map(({ change }) => change)),
    [['update'], ['add']],
  )
})

test("a child session is a lane, started by the parent's call and ended before it", () => {
  const events = serve('g-subagent')
  const [start] = only(events, 'task.start')
  const task = start?.task
  assert.deepEqual([start?.call, start?.agent, start?.agentType], ['call_mock000003', undefined, 'general'])
  assert.deepEqual(
    events.filter(({ agent, kind }) => agent === task && kind !== 'raw').map(({ kind }) => kind),
    [
      'prompt.submit',
      'message.start',
      'tool.start',
      'tool.update',
      'tool.end',
      'message.end',
      'message.start',
      'text.delta',
      'text.end',
      'message.end',
    ],
  )
  const [end] = only(events, 'task.end')
  const call = only(events, 'tool.end').find((tool) => tool.call === start?.call)
  assert.ok(end?.status === 'ok' && end.task === task && end.seq < call!.seq)
  assert.deepEqual(
    only(events, 'prompt.submit').map(({ by, text }) => [by, text]),
    [
      ['user', 'Do the task'],
      ['agent', 'SUBTASK-MARKER count'],
    ],
  )
})

test('a retry tells when it will be; the abort cancels the turn and leaves what was said', () => {
  const [retry] = only(serve('h-429-then-ok'), 'retry.start')
  assert.deepEqual([retry?.attempt, retry?.delayMs, retry?.error?.text], [1, 2000, 'scripted 429'])
  const events = serve('j-abort')
  assert.deepEqual(
    only(events, 'text.delta').map(({ text }) => text),
    ['A lo', 'ng a', 'nswe', 'r to'],
  )
  assert.equal(only(events, 'message.end')[0]?.finish, 'cancelled')
  assert.equal(only(events, 'turn.start').length, 1, 'what comes late begins nothing')
})

test('events have the time of their id where they say no other', () => {
  const events = serve('j-abort')
  assert.deepEqual(
    only(events, 'text.delta').map(({ at }) => at),
    [1794773512392, 1794773512789, 1794773513188, 1794773513588],
  )
  assert.ok(events.every(({ at, origin }) => at !== undefined || origin?.record === 1))
})
