// sluice's own sessions count; one that another agent worked in counts once, also where that agent has its own log of it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { stringifyJson } from '../src/base/json.ts'
import { claudeSession, copy, newHome, put, tokens, usage } from './usage-home.ts'

const native = '003e5ff2-b7f8-4be0-be87-ba6ccc7fa90b'
const sessions = '.local/share/sluice/sessions'

function session(id: string, start: Record<string, unknown>, of = id): string {
  const place = { v: 1, session: of, run: 'r1' }
  const told = { input: 100, output: 20 }
  const events = [
    { ...place, seq: 1, at: 1_795_000_000_000, kind: 'session.start', how: 'new', ...start },
    { ...place, seq: 2, at: 1_795_000_000_001, kind: 'turn.start', turn: 1 },
    { ...place, seq: 3, at: 1_795_000_000_002, kind: 'message.start', turn: 1, message: `m-${id}`, role: 'assistant' },
    { ...place, seq: 4, at: 1_795_000_000_003, kind: 'message.end', turn: 1, message: `m-${id}`, usage: told },
    { ...place, seq: 5, at: 1_795_000_000_004, kind: 'turn.end', turn: 1, reason: 'end_turn', usage: told },
    { ...place, seq: 6, at: 1_795_000_000_005, kind: 'session.end', reason: 'end_turn', usage: told },
  ]
  return events.map((event) => `${stringifyJson(event)}\n`).join('')
}

suite("sluice's own sessions", () => {
  test('count', () => {
    const home = newHome()
    put(home, `${sessions}/ses_1.ndjson`, session('ses_1', { program: 'sluice', model: 'a-model' }))
    assert.deepEqual(tokens(usage([], home)), [100, 20, 0, 0])
  })

  test('of another agent count where the agent has no log of them, and once where it has', () => {
    const home = newHome()
    put(home, `${sessions}/ses_1.ndjson`, session('ses_1', { program: 'claude-code', native }))
    assert.deepEqual(tokens(usage([], home)), [100, 20, 0, 0])
    copy(claudeSession, home, `.claude/projects/app/${native}.jsonl`)
    const alone = newHome()
    copy(claudeSession, alone, `.claude/projects/app/${native}.jsonl`)
    assert.deepEqual(tokens(usage([], home)), tokens(usage([], alone)))
    assert.ok(usage([], alone).totals.output > 0)
  })

  test('that only replay a recording do not count', () => {
    const home = newHome()
    put(home, `${sessions}/ses_1.ndjson`, session('ses_1', { program: 'claude-code', native }, native))
    put(home, `${sessions}/ses_2.ndjson`, session('ses_2', { program: 'sluice' }))
    assert.deepEqual(tokens(usage([], home)), [100, 20, 0, 0])
  })

  test('that cannot be read stop nothing', () => {
    const home = newHome()
    put(home, `${sessions}/ses_1.ndjson`, 'not json "kind":"session.start"\n')
    put(home, `${sessions}/ses_2.ndjson`, session('ses_2', { program: 'sluice' }))
    assert.deepEqual(tokens(usage([], home)), [100, 20, 0, 0])
  })
})
