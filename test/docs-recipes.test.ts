// docs/recipes.md in the real consumers: DuckDB gives the tables that the page shows, lnav reads the events with the format file.
// The page's jq commands run with all other commands in docs.test.ts; here they run on the sample, too.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { needDebian } from './debian.ts'
import { type Block, blocksOf, commandsOf, runCommands, shows, tableAfter, textOf, workspace } from './docs.ts'
import { root, shell } from './run.ts'

const page = 'docs/recipes.md'
const blocks = blocksOf(page)
const folder = workspace()
const commands = blocks.filter(({ info }) => info === 'sh').flatMap(commandsOf)
const isJq = ({ text }: { text: string }): boolean => text.startsWith('jq ')
after(() => rmSync(folder, { recursive: true, force: true }))
before(() => {
  needDebian({ jq: 'jq' })
  const made = runCommands(
    commands.filter((command) => !isJq(command)),
    folder,
  )
  assert.deepEqual(
    made.map(({ status }) => status),
    made.map(() => 0),
  )
})

suite('DuckDB', () => {
  const queries = blocks.filter(({ info }) => info === 'sql')
  const views = queries.filter(({ lines }) => lines[0]!.startsWith('create view'))

  async function rowsOf(events: string, query: Block): Promise<string[][]> {
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    for (const { lines } of views) await connection.run(lines.join('\n').replace("'events.ndjson'", `'${events}'`))
    const result = await connection.runAndReadAll(query.lines.join('\n'))
    return result
      .getRowsJson()
      .map((row) => row.map((value) => (value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value))))
  }

  for (const query of queries.filter((block) => !views.includes(block))) {
    test(`${page}:${query.line}`, async () => {
      const rows = await rowsOf(join(folder, 'events.ndjson'), query)
      const expected = tableAfter(page, query.line + query.lines.length)
      const text = (table: string[][]): string => table.map((row) => row.join(' | ')).join('\n')
      assert.ok(shows(text(expected), text(rows)), `shows:\n${text(expected)}\ngives:\n${text(rows)}`)
    })
  }

  test('the columns hold for the sample, where some keys never occur', async () => {
    assert.equal(shell('sluice convert samples/claude-session.ndjson --to sluice > sample.ndjson', folder).status, 0)
    const counts = await Promise.all(
      queries.filter((block) => !views.includes(block)).map((query) => rowsOf(join(folder, 'sample.ndjson'), query)),
    )
    assert.deepEqual(
      counts.map((rows) => rows.length),
      [2, 1, 0, 2, 1],
    )
  })
})

test('the jq programs hold for the sample', () => {
  assert.equal(shell('sluice convert samples/claude-session.ndjson --to sluice > sample.ndjson', folder).status, 0)
  const ran = runCommands(
    commands.filter(isJq).map((command) => ({ ...command, text: command.text.replace('events.ndjson', 'sample.ndjson') })),
    folder,
  )
  for (const { line, status, output } of ran) assert.equal(status, 0, `${page}:${line}\n${output}`)
  assert.ok(ran.some(({ output }) => output === 'Agent\t1\t0\nRead\t1\t0\n'))
  assert.ok(ran.some(({ output }) => output === '1d0b9d83\t4848\t136\t0.0064\n'))
  assert.ok(ran.some(({ output }) => output === '1d0b9d83\n  Count lines\n'))
})

suite('lnav', () => {
  const file = 'share/lnav/sluice_log.json'

  test('the format file names fields that events have', () => {
    const { sluice_log: format } = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
      sluice_log: { value: Record<string, unknown>; 'timestamp-field': string; 'level-field': string }
    }
    const model = textOf('docs/model.md')
    for (const key of [...Object.keys(format.value), format['timestamp-field'], format['level-field']])
      assert.ok(model.includes(`\`${key}\``), `no event has ${key}`)
  })

  test('gives time, level and kind', () => {
    needDebian({ jq: 'jq', lnav: 'lnav' })
    const [timed] = commands.filter(({ text }) => text.includes('timed.ndjson'))
    assert.equal(runCommands([timed!], folder)[0]!.status, 0)
    const home = join(folder, 'home')
    mkdirSync(join(home, '.config/lnav/formats/sluice'), { recursive: true })
    cpSync(join(root, file), join(home, '.config/lnav/formats/sluice/sluice_log.json'))
    const query =
      ";select min(log_time) as first, log_level, kind from sluice_log where kind in ('error', 'permission.request', 'tool.start', 'raw') group by kind, log_level order by kind"
    const env = { PATH: '/usr/bin:/bin', HOME: home, TERM: 'dumb', TZ: 'UTC' }
    const { stdout, stderr } = spawnSync('lnav', ['-n', '-c', query, '-c', ':write-csv-to -', 'timed.ndjson'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    const rows = [
      'first,log_level,kind',
      '2025-03-09 06:00:00.065,error,error',
      '2026-11-15 20:00:36.093,warning,permission.request',
      '2025-03-09 06:00:00.090,debug,raw',
      '2025-03-09 06:00:00.030,info,tool.start',
    ]
    assert.deepEqual(stdout.trim().split('\n'), rows, stderr)
  })
})
