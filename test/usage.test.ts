// `sluice usage` as a user starts it, on a machine that is made up: a HOME with the logs of five agents.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { command, fixture } from './run.ts'
import { type Report, newHome, envOf, run, usage, tokens, put, copy, claudeSession } from './usage-home.ts'

/** One call of opencode: 100 in, 10 out, 5 thought, 50 from the cache, 20 to it. */
const opencodeMessage = (id: string): string =>
  JSON.stringify({
    id,
    role: 'assistant',
    sessionID: 'ses_1',
    modelID: 'gpt-5.5',
    providerID: 'openai',
    path: { cwd: '/home/dev/app', root: '/home/dev/app' },
    time: { created: Date.parse('2026-11-15T12:00:00Z') },
    cost: 0.125,
    tokens: { input: 100, output: 10, reasoning: 5, cache: { read: 50, write: 20 } },
  })

const claudeCall = [12, 34, 1000, 200]

test('the logs of each agent are found where the agent keeps them', () => {
  const places: [from: string | undefined, path: string, expected: number[]][] = [
    [claudeSession, '.claude/projects/-home-dev/003e5ff2-b7f8-4be0-be87-ba6ccc7fa90b.jsonl', claudeCall],
    [claudeSession, '.config/claude/projects/-home-dev/003e5ff2-b7f8-4be0-be87-ba6ccc7fa90b.jsonl', claudeCall],
    ['codex/exec/b-read.rollout.jsonl', '.codex/sessions/2026/11/15/rollout-2026-11-15T20-03-13-x.jsonl', [24, 68, 2000, 0]],
    ['codex/exec/b-read.rollout.jsonl', '.codex/archived_sessions/rollout-2026-11-15T20-03-13-x.jsonl', [24, 68, 2000, 0]],
    ['gemini/b-read.chat.jsonl', '.gemini/tmp/abc/chats/session-1.jsonl', [24, 68, 2000, 0]],
    ['copilot/b-read.session.jsonl', '.copilot/session-state/abc/events.jsonl', [24, 68, 2000, 400]],
    [undefined, '.local/share/opencode/storage/message/ses_1/msg_1.json', [100, 15, 50, 20]],
  ]
  for (const [from, path, expected] of places) {
    const home = newHome()
    if (from === undefined) put(home, path, opencodeMessage('msg_1'))
    else copy(from, home, path)
    assert.deepEqual([path, ...tokens(usage([], home))], [path, ...expected])
  }
})

test('the places that the environment names come first', () => {
  const elsewhere = newHome()
  copy(claudeSession, elsewhere, 'projects/p/s.jsonl')
  copy('codex/exec/b-read.rollout.jsonl', elsewhere, 'sessions/rollout-1.jsonl')
  put(elsewhere, 'opencode/storage/message/ses_1/msg_1.json', opencodeMessage('msg_1'))
  assert.deepEqual(tokens(usage([], newHome(), { CLAUDE_CONFIG_DIR: elsewhere })), claudeCall)
  assert.deepEqual(tokens(usage([], newHome(), { CODEX_HOME: elsewhere })), [24, 68, 2000, 0])
  assert.deepEqual(tokens(usage([], newHome(), { XDG_DATA_HOME: elsewhere })), [100, 15, 50, 20])
})

test("opencode's database is read, and messages that are in files too count once", () => {
  const home = newHome()
  put(home, '.local/share/opencode/storage/message/ses_1/msg_1.json', opencodeMessage('msg_1'))
  const database = new DatabaseSync(join(home, '.local/share/opencode/opencode.db'))
  database.exec('CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT)')
  const insert = database.prepare('INSERT INTO message VALUES (?, ?, ?, ?)')
  for (const id of ['msg_1', 'msg_2']) insert.run(id, 'ses_1', Date.parse('2026-11-15T12:00:00Z'), opencodeMessage(id))
  insert.run('msg_3', 'ses_1', 0, 'broken')
  database.close()
  const report = usage([], home)
  assert.deepEqual(tokens(report), [200, 30, 100, 40])
  assert.equal(report.totals.costUsd, 0.25)
})

test('days are those of the local time zone, or of UTC', () => {
  const home = newHome()
  copy(claudeSession, home, '.claude/projects/p/s.jsonl')
  const days = (...args: string[]): string[] => usage(args, home).groups.map(({ key }) => key)
  assert.deepEqual(days(), ['2026-11-16'])
  assert.deepEqual(days('--utc'), ['2026-11-15'])
  assert.deepEqual(days('--since', '2026-11-16', '--until', '20261116'), ['2026-11-16'])
  assert.deepEqual(days('--until', '2026-11-15'), [])
  assert.deepEqual(days('--since', '2026-11-16', '--utc'), [])
})

test('usage by model, session and project', () => {
  const home = newHome()
  copy(claudeSession, home, '.claude/projects/p/s.jsonl')
  const keys = (by: string): string[] => usage(['--by', by], home).groups.map(({ key }) => key)
  assert.deepEqual(keys('model'), ['claude-sonnet-4-5-20250929'])
  assert.deepEqual(keys('session'), ['003e5ff2-b7f8-4be0-be87-ba6ccc7fa90b'])
  assert.deepEqual(keys('project'), ['/home/dev/work/claude/a-text'])
})

test('a path is a stream of any dialect, a folder, or what is piped in', () => {
  const stream = fixture('claude/2.1.325/g-subagent-fg.ndjson')
  const report = usage([stream])
  assert.deepEqual(tokens(report), [48, 136, 4000, 800])
  assert.equal(report.totals.costUsd, 0.006384)
  assert.equal(report.subagents[0]?.input, 24)
  const piped = run(['usage', '--json', '-'], undefined, {}, readFileSync(stream, 'utf8'))
  assert.deepEqual(tokens(JSON.parse(piped.stdout) as Report), [48, 136, 4000, 800])
  const pipe = spawnSync('bash', ['-c', `"${command}" usage --json <(cat "${stream}")`], { env: envOf(newHome()), encoding: 'utf8' })
  assert.deepEqual(tokens(JSON.parse(pipe.stdout) as Report), [48, 136, 4000, 800], 'a pipe with a name')
  const folder = newHome()
  cpSync(fixture('claude/2.1.325/g-subagent-fg.session'), folder, { recursive: true })
  assert.deepEqual(tokens(usage([folder])), [96, 272, 8000, 1600], 'two sessions, each with a subagent, in files beside others')
})

test('a chat of Gemini is no transcript of Claude, though both name a sessionId', () => {
  const chat = fixture('gemini/b-read.chat.jsonl')
  const expected = [24, 68, 2000, 0]
  assert.deepEqual(tokens(usage([chat])), expected)
  const home = newHome()
  copy('gemini/b-read.chat.jsonl', home, 'abc/chats/session-1.jsonl')
  assert.deepEqual(tokens(usage([home])), expected, 'in a folder')
  const [header, ...records] = readFileSync(chat, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id?: string })
  const older = newHome()
  put(older, 'session-1.json', `${JSON.stringify({ ...header, messages: records.filter(({ id }) => id !== undefined) })}\n`)
  assert.deepEqual(tokens(usage([join(older, 'session-1.json')])), expected, 'older versions: one object')
})

test('a session that is resumed in another file counts once, in whatever order the files are named', () => {
  const first = newHome()
  /** As they were written: one after the other. */
  const streams = (folder: string, dialect: string): string[] =>
    ['o-first', 'o-resume'].map((name, index) => {
      const path = `${dialect}-${name}.ndjson`
      copy(`${folder}/${name}.ndjson`, first, path)
      utimesSync(join(first, path), 1_000_000 + index, 1_000_000 + index)
      return join(first, path)
    })
  const codex = streams('codex/exec', 'codex')
  assert.deepEqual(tokens(usage(codex)), [24, 68, 2000, 0], 'the sums of a thread go on')
  assert.deepEqual(tokens(usage(codex.toReversed())), [24, 68, 2000, 0])
  const claude = streams('claude/2.0.76', 'claude')
  for (const files of [claude, claude.toReversed()]) {
    const report = usage(files)
    assert.deepEqual(tokens(report), [36, 102, 3000, 600], 'one call each, and one of a smaller model')
    assert.equal(report.totals.costUsd, 0.003724, 'what the second result says')
  }
  assert.deepEqual(tokens(usage(streams('claude/1.0.128', 'old'))), [36, 102, 3000, 600], 'old versions count anew')
})

test('beside a transcript of two turns, a recording of either or of both adds nothing and takes nothing away', () => {
  const home = newHome()
  const stream = readFileSync(fixture('claude/2.1.325/j-stdin-multiturn.ndjson'), 'utf8')
  const cut = stream.indexOf('\n', stream.indexOf('"type":"result"')) + 1
  put(home, 'first.ndjson', stream.slice(0, cut))
  put(home, 'second.ndjson', stream.slice(cut))
  put(home, 'both.ndjson', stream)
  const transcript = readFileSync(fixture('claude/2.1.325/j-stdin-multiturn.session/19bf2541-91e7-4dc4-82b6-4f300607788d.jsonl'), 'utf8')
  put(home, 'with-sum.jsonl', transcript)
  put(home, 'without.jsonl', transcript.replace(/^.*"cost-state".*\n/m, ''))
  for (const log of ['with-sum.jsonl', 'without.jsonl'])
    for (const names of [[], ['first.ndjson'], ['second.ndjson'], ['both.ndjson'], ['first.ndjson', 'second.ndjson']]) {
      const report = usage([log, ...names].map((name) => join(home, name)))
      assert.deepEqual(tokens(report), [24, 68, 2000, 400], `${log} ${names.join(' ')}`)
      assert.equal(report.totals.costUsd, 0.003192)
    }
})

test('a log counts once, in whatever ways it is reached', () => {
  const home = newHome()
  copy('codex/exec/b-read.rollout.jsonl', home, '.codex/sessions/2026/rollout-1.jsonl')
  copy('codex/exec/b-read.rollout.jsonl', home, '.codex/archived_sessions/rollout-2.jsonl')
  copy('copilot/b-read.session.jsonl', home, '.copilot/session-state/x/events.jsonl')
  copy('claude/2.1.325/b-read.ndjson', home, 'stream.ndjson')
  symlinkSync(join(home, 'stream.ndjson'), join(home, 'link.ndjson'))
  const reached: [paths: string[], expected: number[]][] = [
    [['.codex'], [24, 68, 2000, 0]],
    [
      ['.codex', '.codex/sessions'],
      [24, 68, 2000, 0],
    ],
    [
      ['.copilot', '.copilot/session-state/x/events.jsonl'],
      [24, 68, 2000, 400],
    ],
    [
      ['stream.ndjson', 'stream.ndjson', 'link.ndjson', '.copilot/../stream.ndjson'],
      [24, 68, 2000, 400],
    ],
  ]
  for (const [paths, expected] of reached) {
    const report = usage(paths.map((path) => `${home}/${path}`))
    assert.deepEqual([paths, ...tokens(report)], [paths, ...expected])
  }
})

test("a thread's rollout and what codex exec told of it count once, with the price, in any order", () => {
  const files = [fixture('codex/exec/b-read.rollout.jsonl'), fixture('codex/exec/b-read.ndjson')]
  for (const paths of [files, files.toReversed()]) {
    const report = usage(paths)
    assert.deepEqual([...tokens(report), report.totals.costUsd], [24, 68, 2000, 0, 0.00316])
  }
  const behind = [fixture('codex/exec/o-first.rollout.jsonl'), fixture('codex/exec/o-resume.ndjson')]
  assert.deepEqual(tokens(usage(behind)), [24, 68, 2000, 0], 'the stream knows more than the copy of the rollout')
})

test('many large transcripts, read by two threads, are what one thread finds', () => {
  const home = newHome()
  const call = (id: number, padding: string): string =>
    JSON.stringify({
      type: 'assistant',
      sessionId: `s${id % 7}`,
      requestId: `req_${id}`,
      timestamp: '2026-11-15T12:00:00.000Z',
      message: {
        id: `msg_${id}`,
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: padding }],
        usage: { input_tokens: id, output_tokens: 1 },
      },
    })
  const padding = 'x"\n'.repeat(50_000)
  let sum = 0
  for (let file = 0; file < 12; file++) {
    const ids = Array.from({ length: 20 }, (_, index) => file * 19 + index) // each file begins with the last message of the one before
    put(home, `.claude/projects/p/f${file}.jsonl`, `${ids.map((id) => call(id, padding)).join('\n')}\n`)
    for (const id of ids.slice(file === 0 ? 0 : 1)) sum += id
  }
  assert.equal(usage([], home).totals.input, sum)
})

test('the table has no colour in a pipe, and its notes go to stderr', () => {
  const home = newHome()
  copy(claudeSession, home, '.claude/projects/p/s.jsonl')
  put(
    home,
    '.claude/projects/p/t.jsonl',
    readFileSync(fixture(claudeSession), 'utf8').replaceAll('msg_mock', 'msg_other').replaceAll('2026-11-15T', '2026-11-13T'),
  )
  const { stdout, stderr } = run(['usage'], home)
  assert.doesNotMatch(stdout, /\x1b/)
  const lines = stdout.trimEnd().split('\n')
  assert.match(lines[0]!, /^day +input +output +cache read +cache write +cost$/)
  assert.match(lines[1]!, /^2026-11-14 +12 +34 +1,000 +200 +\$0\.0016 {2}█+$/)
  assert.match(lines[3]!, /^total +24 +68 +2,000 +400 +\$0\.0032$/)
  assert.match(stderr, /^prices: @pydantic\/genai-prices 0\.1\.8 of 2026-09-23$/m)
  assert.match(run(['usage'], home, { FORCE_COLOR: '1' }).stdout, /\x1b\[/)
})

test('what has no price is said', () => {
  const home = newHome()
  put(
    home,
    '.claude/projects/p/s.jsonl',
    readFileSync(fixture(claudeSession), 'utf8').replaceAll('claude-sonnet-4-5-20250929', 'house\\u001b[2Jmodel'),
  )
  assert.deepEqual(usage([], home).unpriced, [{ model: 'house\u001b[2Jmodel', tokens: 1246 }])
  const { stderr } = run(['usage'], home)
  assert.match(stderr, /no price is known for house\\u001b\[2Jmodel: 1,246 tokens/)
})

test('wrong usage is exit 2, with what to do', () => {
  for (const [args, message] of [
    [['usage', '--by', 'moth'], /did you mean|day, model, session, project/],
    [['usage', '--since', '2026-13-01'], /is not a date/],
    [['usage', '--since', '2026-11-02', '--until', '2026-11-01'], /comes after/],
    [['usage', '/no/such/file'], /no such file/],
    [['usage', fixture('../package.json')], /cannot tell the dialect/],
    [['usage'], /no logs of Claude Code/],
    [['models', 'a', 'b'], /too many/],
  ] as const) {
    const { status, stderr, stdout } = run(args)
    assert.match(stderr, message)
    assert.deepEqual([args, status, stdout], [args, 2, ''])
  }
})

test('a message that a fork copied counts once, also in a log with a line that cannot be read, which is told', () => {
  const home = newHome()
  const line = (sessionId: string, id: string, input: number): string =>
    JSON.stringify({
      parentUuid: null,
      isSidechain: false,
      userType: 'external',
      cwd: '/w',
      sessionId,
      version: '2.1.0',
      type: 'assistant',
      message: {
        model: 'claude-sonnet-4-5',
        id,
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'hi' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: input, output_tokens: 1 },
      },
      requestId: `of ${id}`,
      uuid: id,
      timestamp: '2026-11-15T10:00:02.000Z',
    })
  const lines = [line('a', 'msg_1', 100), line('b', 'msg_1', 100), line('b', 'msg_2', 600)].map((text) => `${text}\n`)
  const torn = `${lines[2]!.slice(0, -20)}\n`
  put(home, 'whole.jsonl', lines.join(''))
  put(home, 'torn.jsonl', [...lines, torn].join(''))
  put(home, 'torn-first.jsonl', [lines[0], torn, ...lines.slice(1)].join(''))
  for (const name of ['whole', 'torn', 'torn-first']) {
    const path = join(home, `${name}.jsonl`)
    const { stdout, stderr, status } = run(['usage', '--json', path], home)
    const report = JSON.parse(stdout) as Report
    assert.deepEqual([status, report.totals.input], [0, 700], name)
    const firstLine = { whole: undefined, torn: 4, 'torn-first': 2 }[name]
    assert.deepEqual(report.unreadable, firstLine === undefined ? [] : [{ path, records: 1, firstLine }])
    assert.equal(/1 record that cannot be read/.test(stderr), firstLine !== undefined, stderr)
    const digest = run(['digest', '--json', path], home)
    assert.equal((JSON.parse(digest.stdout) as { usage: { input: number } }).usage.input, 700)
  }
  const { stdout } = run(['usage', '--json', '-'], home, {}, lines.join(''))
  assert.equal((JSON.parse(stdout) as Report).totals.input, 700)
})
