// A stream and its copies count once, whether the copy is whole, cut, or part of a larger file; a session that goes on counts in full.
import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createUsage, type UsageReport } from '../analyze/usage.ts'
import { createTranscripts, packed, scanTranscript, unpacked } from './usage-claude.ts'
import { createCopies } from './usage-copies.ts'
import { namedLogs } from './usage-find.ts'
import { readLogs } from './usage-read.ts'

const fixtures = join(import.meta.dirname, '../../fixtures')
const folder = mkdtempSync(join(tmpdir(), 'sluice-usage-copies-'))

/** As if written one after the other. */
async function reportOf(texts: readonly string[], ending = 'ndjson'): Promise<UsageReport> {
  const paths = texts.map((text, index) => {
    const path = join(folder, `${index}.${ending}`)
    writeFileSync(path, text)
    utimesSync(path, 1_000_000 + index, 1_000_000 + index)
    return path
  })
  const { usage } = await readLogs(
    namedLogs(paths, []),
    [],
    () => Promise.resolve({ utc: true }),
    () => {},
  )
  return usage.report()
}
const inputOf = async (...texts: string[]): Promise<number> => (await reportOf(texts)).totals.input
const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => `${line}\n`)
const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: fixtures }).map((file) => join(fixtures, file))

/** Those whose sums can be told from all others, also when they stand in one file. */
const marked: [pattern: string, ending: string, least: number][] = [
  ['../samples/claude-session.ndjson', 'ndjson', 1],
  ['claude/*/{b-read,g-subagent-fg,i-stream,j-interrupt,o-resume}.ndjson', 'ndjson', 9],
  ['claude/2.1.325/{g-subagent-fg,o-resume}.session/*.jsonl', 'jsonl', 3],
  ['gemini/{b-read,f-thinking}.ndjson', 'ndjson', 2],
  ['gemini/b-read.chat.jsonl', 'jsonl', 1],
  ['copilot/{b-read,l-skill,r-sigint}.session.jsonl', 'jsonl', 3],
  ['codex/exec/{b-read,o-resume}*.{ndjson,jsonl}', 'jsonl', 4],
  ['codex/app-server/{b-read,j-multiturn}.ndjson', 'ndjson', 2],
  ['opencode/*/run/b-read.ndjson', 'ndjson', 1],
  ['opencode/*/serve/b-read.sse.ndjson', 'ndjson', 1],
  ['aictrl/document/session.ndjson', 'ndjson', 1],
]

test('copies of a stream count once: in two files, in one, and beside each other', async () => {
  for (const [pattern, ending, least] of marked) {
    const files = filesOf(pattern)
    assert.ok(files.length >= least, `only ${files.length} of ${pattern}`)
    for (const file of files) {
      const text = linesOf(file).join('')
      const expected = await reportOf([text], ending)
      for (const copies of [[text, text], [text, `${text}\n`], [text + text], [text, text + text], [text + text, text]])
        assert.deepEqual(await reportOf(copies, ending), expected, `${file}: ${copies.length} files`)
    }
  }
})

test('a copy that was cut adds nothing, whichever is read first', async () => {
  for (const [pattern, ending] of marked)
    for (const file of filesOf(pattern)) {
      const lines = linesOf(file)
      const whole = lines.join('')
      const { totals } = await reportOf([whole], ending)
      for (let end = 1; end < lines.length; end += Math.ceil(lines.length / 9)) {
        const cut = lines.slice(0, end).join('')
        if ((await reportOf([cut, whole], ending).catch(() => undefined)) === undefined) continue // too little to be known
        assert.deepEqual((await reportOf([whole, cut], ending)).totals, totals, `${file}, then its first ${end} lines`)
        // The running totals of Codex' server do not say to which turn they belong when they are added up.
        if (!pattern.includes('app-server'))
          assert.deepEqual((await reportOf([cut, whole], ending)).totals, totals, `${file} after its first ${end} lines`)
      }
    }
})

test('a session that goes on in another file counts in full, also beside copies of both files', async () => {
  for (const version of ['1.0.128', '2.0.76', '2.1.325']) {
    const [first, next] = ['o-first', 'o-resume'].map((name) => linesOf(`${fixtures}/claude/${version}/${name}.ndjson`).join(''))
    const { totals } = await reportOf([first!, next!])
    assert.ok(totals.input > (await inputOf(first!)), version)
    for (const files of [
      [first!, first!, next!],
      [first!, next!, next!],
      [first!, next!, first! + next!],
      [first! + next!, first!, next!],
    ])
      assert.deepEqual((await reportOf(files)).totals, totals, version)
  }
})

const called = (id: string, input: number): string =>
  `${JSON.stringify({
    type: 'assistant',
    session_id: 's',
    uuid: `of ${id}`,
    parent_tool_use_id: null,
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: input, output_tokens: 0 },
    },
  })}\n`
const ended = (uuid: string, input: number, all = input): string =>
  `${JSON.stringify({
    type: 'result',
    subtype: 'success',
    is_error: false,
    session_id: 's',
    uuid,
    num_turns: 1,
    usage: { input_tokens: input, output_tokens: 0 },
    modelUsage: { m: { inputTokens: all, outputTokens: 0, costUSD: 0 } },
  })}\n`
const begun = `${JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', uuid: 'i', cwd: '/w', model: 'm', tools: [] })}\n`

test('a turn that was killed counts with its messages beside the turn of the process that goes on', async () => {
  const killed = begun + called('msg_1', 100)
  assert.equal(await inputOf(killed, begun + called('msg_2', 10) + ended('u2', 10)), 110)
  assert.equal(await inputOf(killed, killed + ended('u1', 150)), 150, 'the same turn, to its end')
  assert.equal(await inputOf(killed, killed + called('msg_2', 10)), 110, 'the same turn, a little longer')
})

test('sums that go on are those of the session, also behind a copy of its beginning', async () => {
  const first = begun + called('msg_1', 10) + ended('u1', 10)
  const second = begun + called('msg_2', 20) + ended('u2', 20, 30)
  const third = begun + called('msg_3', 30) + ended('u3', 30, 60)
  assert.equal(await inputOf(first, second, third), 60)
  assert.equal(await inputOf(first, first + second, third), 60)
  assert.equal(await inputOf(first, first + second, second + third, third), 60)
})

test('a process that counts anew and tells the same sums is no copy', async () => {
  const run = (message: string, uuid: string): string => begun + called(message, 10) + ended(uuid, 10)
  assert.equal(await inputOf(run('msg_1', 'u1'), run('msg_2', 'u2')), 20)
  assert.equal(await inputOf(run('msg_1', 'u1') + run('msg_2', 'u2')), 20)
  assert.equal(await inputOf(run('msg_1', 'u1'), run('msg_2', 'u2'), run('msg_1', 'u1')), 20)
})

test('where no record differs from others, only files of the same bytes are copies', async () => {
  const text = linesOf(`${fixtures}/acp/codex/b-read.ndjson`).join('')
  assert.equal(await inputOf(text), 24)
  assert.equal(await inputOf(text, text), 24)
  assert.equal(await inputOf(text + text), 48)
})

test('the sums of a transcript and of an older copy of it are known again, also when they come from the other thread', () => {
  const file = `${fixtures}/claude/2.1.325/o-resume.session/11111111-2222-4333-8444-555555555555.jsonl`
  const rows = scanTranscript(file)!
  const older = scanTranscript(file.replace('o-resume', 'o-first'))!
  for (const through of [(all: typeof rows) => all, (all: typeof rows) => unpacked(packed(all))]) {
    const usage = createUsage()
    const transcripts = createTranscripts(usage.book, createCopies())
    for (const each of [rows, older, rows]) transcripts.enter(through(each))
    transcripts.end()
    assert.equal(usage.report().totals.input, 24)
  }
})

test('a transcript that the decoder has to read is a copy of the one that was scanned', async () => {
  const text = linesOf(`${fixtures}/claude/2.1.325/o-resume.session/11111111-2222-4333-8444-555555555555.jsonl`).join('')
  const torn = `${text}{"type":"assistant","message":{"usage":{"input_tokens":\n${text}`
  assert.equal((await reportOf([text, torn], 'jsonl')).totals.input, 24)
  assert.equal((await reportOf([torn, torn], 'jsonl')).totals.input, 24)
})
