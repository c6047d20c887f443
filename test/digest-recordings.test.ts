// What the digest says of recorded sessions is what each scenario did, for every agent; and the tracker ends with the same.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createDigest, type Digest, type SessionDigest } from '../src/analyze/digest.ts'
import { createTrackers } from '../src/analyze/trackers.ts'
import { dialects, type DialectName, read } from '../src/index.ts'
import { fixture } from './run.ts'

/** The folders of recordings, and how their files end. */
const places: [dialect: DialectName, folder: string, suffix: string][] = [
  ['claude', 'claude/2.1.325', '.ndjson'],
  ['claude', 'claude/2.0.76', '.ndjson'],
  ['claude', 'claude/1.0.128', '.ndjson'],
  ['codex', 'codex/exec', '.ndjson'],
  ['codex', 'codex/exec', '.rollout.jsonl'],
  ['codex', 'codex/app-server', '.traffic.ndjson'],
  ['gemini', 'gemini', '.ndjson'],
  ['opencode', 'opencode/1.18.33/run', '.ndjson'],
  ['opencode', 'opencode/1.18.33/serve', '.sse.ndjson'],
  ['copilot', 'copilot', '.ndjson'],
  ['acp', 'acp/claude', '.traffic.ndjson'],
  ['acp', 'acp/codex', '.traffic.ndjson'],
  ['acp', 'acp/gemini', '.traffic.ndjson'],
  ['acp', 'acp/opencode', '.traffic.ndjson'],
]

type Recording = { name: string; folder: string; scenario: string; digest: Digest; session: SessionDigest }

function recordingsOf([dialect, folder, suffix]: (typeof places)[number]): Recording[] {
  const path = fixture(folder)
  const files = existsSync(path) ? readdirSync(path).filter((file) => /^[a-z]-[\w-]+/.exec(file)?.[0] + suffix === file) : []
  return files.flatMap((file) => {
    const events = read(readFileSync(join(path, file)), { dialect })
    if (events.length === 0) return [] // an old program that refused its flags
    const fold = createDigest({ nameOf: dialects[dialect].tag })
    for (const event of events) fold.push(event)
    const digest = fold.report()
    return [{ name: `${folder}/${file}`, folder, scenario: file.slice(0, -suffix.length), digest, session: digest.sessions[0]! }]
  })
}
const all = places.flatMap(recordingsOf)

/** What happens in a scenario, wherever it was recorded. Where an agent leaves no trace of it, the recording is named. */
type Claim = { scenarios: RegExp; says: string; holds(session: SessionDigest, digest: Digest): boolean; but?: RegExp }
const calls = ({ tools }: SessionDigest, what: 'calls' | 'failed' | 'denied' = 'calls'): number =>
  tools.reduce((sum, tool) => sum + tool[what], 0)

const claims: Claim[] = [
  {
    scenarios: /^a-text$/,
    says: 'a plain answer ends well, without a tool',
    holds: (s) => s.ended.outcome === 'ok' && s.turns === 1 && calls(s) === 0 && s.answer !== undefined,
  },
  {
    scenarios: /^b-read$/,
    says: 'one call, no failure, notes.txt or a command that reads it',
    holds: (s) =>
      s.ended.outcome === 'ok' &&
      calls(s) >= 1 &&
      calls(s, 'failed') === 0 &&
      (s.files.items.some(({ path }) => path.endsWith('notes.txt')) ||
        s.commands.items.some(({ command }) => command.includes('notes.txt'))),
  },
  {
    scenarios: /^c-(bash|approve)/,
    says: 'a command that went well',
    holds: (s) => s.ended.outcome === 'ok' && s.commands.items.length === 1 && !s.commands.items[0]!.failed,
  },
  {
    scenarios: /^d-(bash-)?fail$/,
    says: 'a command that failed',
    holds: (s) => s.commands.items.length === 1 && s.commands.items[0]!.failed && [3, undefined].includes(s.commands.items[0]!.exitCode),
    but: /^(acp\/)?gemini\//,
  },
  {
    scenarios: /^d-(read-missing|unknown-tool|bad-input|bad-json)$/,
    says: 'a call that failed',
    holds: (s) => calls(s, 'failed') === 1 && s.ended.outcome === 'ok',
    but: /^codex\/exec\/.*\.ndjson/,
  },
  {
    scenarios: /^e-write-edit-ok$|^e-patch-ok$/,
    says: 'two files changed',
    holds: (s) => s.files.items.filter(({ changed }) => changed > 0).length === 2,
  },
  {
    scenarios: /^e-.*allow$|^e-patch-approve$/,
    says: 'one permission, allowed, one file changed',
    holds: (s) => s.permissions.asked === 1 && s.permissions.allowed === 1 && s.files.items.some(({ changed }) => changed > 0),
    but: /^acp\/codex/,
  },
  {
    scenarios: /^e-((bash|write|patch|k-mcp)-denied|deny-tool|deny-rule|dontask|write-ask|external-dir|decline)$/,
    says: 'something was denied',
    holds: (s, { counts }) => counts.denied > 0 && s.files.items.every(({ changed }) => changed === 0),
    but: /^codex\/exec|^gemini\/e-bash-denied|^acp/,
  },
  {
    scenarios: /^g-subagent(-fg|-bg|-forward)?$/,
    says: 'a subagent that went well',
    holds: (s) => s.subagents.items.length >= 1 && s.subagents.items.every(({ status }) => status === 'ok'),
    but: /^acp|^claude\/[12]\.0/,
  },
  {
    scenarios: /^h-(429|401|529|400|400-too-long|no-key|no-server|cut-forever|bad-model)$/,
    says: 'provider trouble fails the session, and says why',
    holds: (s, { counts }) => s.ended.outcome === 'failed' && counts.errors > 0 && (s.ended.cut || s.errors.items.length > 0),
  },
  {
    scenarios: /^h-(429|500)-then-ok$/,
    says: 'trouble that passes ends well',
    holds: (s) => s.ended.outcome === 'ok' && s.answer !== undefined,
  },
  {
    scenarios: /^j-permission-allow$/,
    says: 'asked once, allowed once',
    holds: (s) => s.permissions.asked === 1 && s.permissions.allowed === 1 && calls(s, 'denied') === 0,
  },
  {
    scenarios: /^j-permission-deny/,
    says: 'asked once, refused once',
    holds: (s, { counts }) => s.permissions.asked === 1 && s.permissions.refused === 1 && counts.denied === 1 && calls(s, 'denied') === 1,
    but: /^claude\/[12]\.0/,
  },
  {
    scenarios: /^j-(interrupt|cancel|abort)$/,
    says: 'cancelled, which is no failure',
    holds: (s) => s.ended.outcome === 'cancelled',
    but: /^claude\/[12]\.0/,
  },
  { scenarios: /^j-(stdin-)?multiturn$/, says: 'several turns', holds: (s) => s.turns >= 2 && s.ended.outcome === 'ok' },
  {
    scenarios: /^k-mcp$/,
    says: 'one call of an MCP tool',
    holds: (s) => s.tools.some(({ name, failed }) => name.includes('echo') && failed === 0),
  },
  { scenarios: /^k-mcp-fail$/, says: 'an MCP tool that failed', holds: (s) => calls(s, 'failed') === 1 },
  { scenarios: /^m-max-turns$/, says: 'the turn limit', holds: (s) => s.ended.reason === 'max_turns' && s.ended.outcome === 'failed' },
  { scenarios: /^m-budget$/, says: 'the budget', holds: (s) => s.ended.reason === 'budget' },
  {
    scenarios: /^r-sigterm$/,
    says: 'killed: no end was told, or it was cancelled',
    holds: (s) => s.ended.cut || s.ended.outcome === 'cancelled',
    but: /^copilot/,
  },
  {
    scenarios: /^t-loop$/,
    says: 'the same call twelve times',
    holds: (s) => s.stalls.items.some((stall) => stall.type === 'loop' && stall.times === 12),
  },
  {
    scenarios: /^t-permission-never-answered$/,
    says: 'a question that nobody answered',
    holds: (s) => s.permissions.unanswered === 1 && s.ended.cut,
  },
  {
    scenarios: /^h-400-context$/,
    says: 'a compaction that repeats',
    holds: (s) => s.stalls.items.some(({ type }) => type === 'compaction') && s.errors.items[0]!.times > 300,
  },
]

test('there are recordings of every agent', () => {
  for (const [, folder] of places)
    assert.ok(
      all.some((one) => one.folder === folder),
      folder,
    )
})

suite('the digest says what happened', () => {
  for (const { scenarios, says, holds, but } of claims) {
    test(says, () => {
      const fitting = all.filter(({ scenario, name }) => scenarios.test(scenario) && but?.test(name) !== true)
      assert.ok(fitting.length > 0, String(scenarios))
      for (const { name, session, digest } of fitting)
        assert.ok(holds(session, digest), `${name}: ${JSON.stringify(session).slice(0, 1500)}`)
    })
  }
})

test('the tracker ends with what the digest says', () => {
  for (const { name, digest } of all) {
    const [dialect] = places.find(([, folder, end]) => name.startsWith(`${folder}/`) && name.endsWith(end))!
    const trackers = createTrackers()
    for (const event of read(readFileSync(fixture(name)), { dialect })) trackers.observe(event)
    const snapshots = trackers.snapshots()
    for (const session of digest.sessions) {
      const snapshot = snapshots.find(({ session: id }) => id === session.session)
      assert.ok(snapshot?.ended, name)
      assert.deepEqual(
        [snapshot.stopReason, snapshot.phase, snapshot.openTools, snapshot.openRequests],
        [session.ended.reason, 'done', [], []],
        name,
      )
      const { input, output, reasoning, cacheRead, cacheWrite } = session.usage
      const used = { input, output, reasoning, cacheRead, cacheWrite }
      assert.deepEqual(snapshot.usage ?? { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 }, used, name)
    }
  }
})
