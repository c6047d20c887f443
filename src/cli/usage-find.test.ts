// Trees in which not all can be read: what is closed to us is told, the rest is counted.
import assert from 'node:assert/strict'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { isBoundByModes } from '../../test/modes.ts'
import type { CommandError } from './exit.ts'
import { agentLogs, type Log, namedLogs, type Skipped } from './usage-find.ts'
import { readLogs } from './usage-read.ts'

const sample = join(import.meta.dirname, '../../samples/claude-session.ndjson')
const fixtures = join(import.meta.dirname, '../../fixtures')
const transcript = `${fixtures}/claude/2.1.325/a-text.session/003e5ff2-b7f8-4be0-be87-ba6ccc7fa90b.jsonl`

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-usage-tree-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

type Counted = { input: number; logs: number; skipped: string[] }
async function counted(find: (skipped: Skipped[]) => Log[]): Promise<Counted> {
  const skipped: Skipped[] = []
  const logs = find(skipped)
  const { usage } = await readLogs(
    logs,
    skipped,
    () => Promise.resolve({}),
    () => {},
  )
  return {
    input: usage.report().totals.input,
    logs: logs.length,
    skipped: skipped.map(({ path, why }) => `${basename(path)}: ${why}`).toSorted(),
  }
}
const named = (...paths: string[]): Promise<Counted> => counted((skipped) => namedLogs(paths, skipped))
const ofHome = (home: string): Promise<Counted> => counted((skipped) => agentLogs(skipped, { HOME: home }))

const complaint =
  (text: RegExp) =>
  ({ name, message, exitCode }: CommandError): boolean => {
    assert.deepEqual([name, exitCode], ['CommandError', 2])
    assert.match(message, text)
    return true
  }

const skip = !isBoundByModes(import.meta.filename) && 'root reads everything'

test('a named file or folder without permission is wrong usage', { skip }, async () => {
  const folder = newFolder()
  const file = join(folder, 'np.ndjson')
  const closed = join(folder, 'closed')
  const database = join(folder, 'np.db')
  cpSync(sample, file)
  writeFileSync(database, '')
  mkdirSync(closed)
  for (const path of [file, closed, database]) chmodSync(path, 0)
  await assert.rejects(named(sample, file), complaint(/^cannot read ".*np\.ndjson": permission denied$/))
  await assert.rejects(named(closed), complaint(/^cannot read ".*closed": permission denied$/))
  await assert.rejects(named(database), complaint(/^cannot read ".*np\.db": /))
  chmodSync(closed, 0o755)
})

test('what cannot be read in a folder is told, once, and the rest counts', { skip }, async () => {
  const folder = newFolder()
  cpSync(sample, join(folder, 'a.ndjson'))
  cpSync(sample, join(folder, 'np.ndjson'))
  mkdirSync(join(folder, 'closed'))
  mkdirSync(join(folder, 'listed'))
  cpSync(sample, join(folder, 'listed/b.ndjson'))
  chmodSync(join(folder, 'np.ndjson'), 0)
  chmodSync(join(folder, 'closed'), 0)
  chmodSync(join(folder, 'listed'), 0o444) // its names can be read, its files cannot
  const skipped = ['b.ndjson: permission denied', 'closed: permission denied', 'np.ndjson: permission denied']
  assert.deepEqual(await named(folder), { input: 48, logs: 2, skipped })
  assert.deepEqual(await named(folder, `${folder}/../${basename(folder)}`, join(folder, 'a.ndjson')), { input: 48, logs: 2, skipped })
  for (const name of ['closed', 'listed']) chmodSync(join(folder, name), 0o755)
})

test('logs of the agents that cannot be read are told', { skip }, async () => {
  const home = newFolder()
  const projects = join(home, '.claude/projects')
  mkdirSync(join(projects, 'p/closed'), { recursive: true })
  mkdirSync(join(home, '.codex/sessions'), { recursive: true })
  cpSync(transcript, join(projects, 'p/good.jsonl'))
  cpSync(transcript, join(projects, 'p/x.jsonl'))
  writeFileSync(join(home, '.codex/sessions/r.jsonl'), '')
  for (const path of ['.claude/projects/p/x.jsonl', '.claude/projects/p/closed', '.codex/sessions/r.jsonl']) chmodSync(join(home, path), 0)
  const skipped = ['closed: permission denied', 'r.jsonl: permission denied', 'x.jsonl: permission denied']
  assert.deepEqual(await ofHome(home), { input: 12, logs: 3, skipped })
  chmodSync(join(projects, 'p/closed'), 0o755)
  chmodSync(projects, 0)
  assert.deepEqual(await ofHome(home), { input: 0, logs: 1, skipped: ['projects: permission denied', 'r.jsonl: permission denied'] })
  chmodSync(projects, 0o755)
})

test('links that lead nowhere or round, and folders with the name of a log, are passed over', async () => {
  const folder = newFolder()
  cpSync(sample, join(folder, 'a.ndjson'))
  symlinkSync('loop.ndjson', join(folder, 'loop.ndjson'))
  symlinkSync('nowhere', join(folder, 'dangling.ndjson'))
  symlinkSync('.', join(folder, 'round'))
  symlinkSync('.', join(folder, 'round.jsonl'))
  symlinkSync('a.ndjson', join(folder, 'again.ndjson'))
  mkdirSync(join(folder, 'folder.jsonl'))
  assert.deepEqual(await named(folder), { input: 48, logs: 1, skipped: [] })
  assert.deepEqual(await named(folder, folder, join(folder, 'a.ndjson')), { input: 48, logs: 1, skipped: [] })
  await assert.rejects(named(join(folder, 'dangling.ndjson')), complaint(/no such file/))
  await assert.rejects(named(join(folder, 'loop.ndjson')), complaint(/^cannot read/))
})

test('a log that is deep in a folder is found', async () => {
  const folder = newFolder()
  const deep = join(folder, ...Array.from({ length: 40 }, () => 'd'))
  mkdirSync(deep, { recursive: true })
  cpSync(sample, join(deep, 'a.ndjson'))
  assert.deepEqual(await named(folder), { input: 48, logs: 1, skipped: [] })
})

test('a log that is gone when it is to be read is told', async () => {
  const folder = newFolder()
  for (const name of ['a.ndjson', 'b.ndjson', 'c.jsonl']) cpSync(name === 'c.jsonl' ? transcript : sample, join(folder, name))
  const found = await counted((skipped) => {
    const logs = namedLogs([folder], skipped)
    for (const name of ['b.ndjson', 'c.jsonl']) rmSync(join(folder, name))
    return logs
  })
  assert.deepEqual([found.input, found.skipped], [48, ['b.ndjson: no such file', 'c.jsonl: no such file']])
})

test('what is no log is told with its name, and without an option that usage has not', async () => {
  const folder = newFolder()
  const files: [name: string, content: string | Buffer, text: RegExp][] = [
    ['empty', '', /^".*empty": .*empty/],
    ['x.gz', gzipSync('{"a":1}\n'), /^".*x\.gz": .*no known dialect/],
    ['x.db', 'no database', /^".*x\.db": it has no table of opencode's messages$/],
    ['strange.json', '{"a":1}\n', /^".*strange\.json": .*no known dialect/],
  ]
  for (const [name, content, text] of files) {
    writeFileSync(join(folder, name), content)
    await assert.rejects(named(sample, join(folder, name)), (error: CommandError) => {
      assert.doesNotMatch(error.message, /--from/)
      return complaint(text)(error)
    })
  }
  assert.deepEqual((await named(folder)).skipped, [], 'in a folder it is passed over')
  writeFileSync(join(folder, 'opencode.db'), 'no database')
  assert.deepEqual(
    (await named(folder)).skipped,
    ["opencode.db: it has no table of opencode's messages"],
    'but not a log without its tables',
  )
})
