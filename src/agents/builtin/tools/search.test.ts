import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { globTool } from './glob.ts'
import { grepTool } from './grep.ts'
import { createProject } from './support.test.ts'

const project = await createProject()
const { call, plan, put, root, outside } = project
const files = ['src/old.ts', 'src/new.ts', 'docs/a.md', '.hidden/x.ts', '.git/config.ts', '-dash.ts']
for (const [index, name] of files.entries()) {
  const path = await put(name, `const name = '${name}'\nneedle ${index}\n`)
  utimesSync(path, 1000 + index, 1000 + index)
}
await put('.env', 'needle=secret\n')
await put('keys/server.PEM', 'needle\n')
writeFileSync(join(outside, 'away.ts'), 'needle outside\n')
symlinkSync(outside, join(root, 'away'))
symlinkSync(join(outside, 'away.ts'), join(root, 'away.ts'))

test('files are found by name, the newest first, hidden ones too, through no link and without what may hold secrets', async () => {
  const { text, data, plan: made } = await call(globTool, { pattern: '**/*.ts' })
  const found = ['-dash.ts', '.hidden/x.ts', 'src/new.ts', 'src/old.ts'].map((name) => join(root, name))
  assert.equal(text, [...found, '[2 files that may hold secrets left out; name one to look into it]'].join('\n'))
  assert.deepEqual(data, { count: 4, truncated: false })
  assert.deepEqual(made.ask, { permission: 'glob', patterns: ['**/*.ts'], paths: [root] })
  assert.match((await call(globTool, { pattern: '*env*' })).text, /^no files found\n/)
  assert.equal(
    (await call(globTool, { pattern: '*.ts', path: 'src' })).text,
    [join(root, 'src/new.ts'), join(root, 'src/old.ts')].join('\n'),
  )
})

test('at most a hundred files are shown, and that there are more is told', async () => {
  const other = await createProject()
  for (let i = 0; i < 120; i++) await other.put(`many/${i}.txt`, '')
  const { text, data } = await other.call(globTool, { pattern: '*.txt' })
  assert.deepEqual(data, { count: 100, truncated: true })
  assert.match(text, /there are more/)
})

test('lines are found with their numbers, grouped by file', async () => {
  const { text, data, plan: made } = await call(grepTool, { pattern: 'needle \\d', path: 'src' })
  assert.equal(text, `${join(root, 'src/new.ts')}:\n  2: needle 1\n\n${join(root, 'src/old.ts')}:\n  2: needle 0`)
  assert.deepEqual(data, { matches: 2, truncated: false })
  assert.deepEqual(made.ask, { permission: 'grep', patterns: ['needle \\d'], paths: [join(root, 'src')] })
  assert.match((await call(grepTool, { pattern: 'nowhere to be found' })).text, /^nothing found/)
  assert.match((await call(grepTool, { pattern: 'needle', include: '*.md' })).text, /a\.md:\n {2}2: needle 2\n\[2 files/)
})

test('a file whose name has a line break is one file, and what is said about a binary file is no match', async () => {
  const other = await createProject()
  const name = await other.put('two\nlines.txt', 'needle\n')
  await other.put('half.bin', `needle\n${'text\n'.repeat(50_000)}\0 needle\n`)
  assert.equal((await other.call(globTool, { pattern: '*lines*' })).text, JSON.stringify(name))
  const named = await other.call(grepTool, { pattern: 'needle', include: '*.txt' })
  assert.equal(named.text, `${JSON.stringify(name)}:\n  1: needle`)
  const { text, data } = await other.call(grepTool, { pattern: 'needle', include: '*.bin' })
  assert.match(text, /half\.bin:\n {2}1: needle\n\[\.\/half\.bin: WARNING: stopped searching binary file after match .*\]$/)
  assert.deepEqual(data, { matches: 1, truncated: false })
})

test('files that may hold secrets are left out and counted, unless one is named', async () => {
  const all = await call(grepTool, { pattern: 'needle' })
  assert.doesNotMatch(all.text, /secret\n|PEM|outside|\.git\//)
  assert.match(all.text, /\[2 files that may hold secrets left out/)
  assert.doesNotMatch((await call(grepTool, { pattern: 'needle', include: '.env' })).text, /secret$/m)
  const named = await call(grepTool, { pattern: 'needle', path: '.env' })
  assert.equal(named.text, `${join(root, '.env')}:\n  1: needle=secret`)
  assert.deepEqual(named.plan.ask?.paths, [join(root, '.env')])
})

test('a folder that is a link is asked for as what it is', async () => {
  assert.deepEqual((await plan(grepTool, { pattern: 'x', path: 'away' })).ask?.paths, [outside])
  assert.deepEqual((await plan(globTool, { pattern: 'x', path: '../outside' })).ask?.paths, [outside])
})

test('nothing of a pattern is taken for an option', async () => {
  assert.match((await call(grepTool, { pattern: '--files' })).text, /^nothing found/)
  assert.match((await call(grepTool, { pattern: '-e', path: '-dash.ts' })).text, /^nothing found/)
  assert.match((await call(globTool, { pattern: '--pre=touch' })).text, /^no files found/)
  assert.match((await call(grepTool, { pattern: 'needle', path: '-dash.ts' })).text, /needle 5/)
})

test('a pattern that is none is told, and so is a place that is none', async () => {
  await assert.rejects(call(grepTool, { pattern: '(' }), /the search failed: .*unclosed group/s)
  await assert.rejects(call(globTool, { pattern: '[' }), /the search failed/)
  await assert.rejects(call(grepTool, { pattern: 'x', path: 'nowhere' }), /"[^"]+nowhere" is neither a folder nor a regular file/)
  await assert.rejects(call(globTool, { pattern: 'x', path: 'nowhere' }), /is not a folder/)
  await assert.rejects(plan(grepTool, { pattern: '' }), /empty/)
  await assert.rejects(call(grepTool, { pattern: 'a\0' }), /NUL/)
  await assert.rejects(call(globTool, { pattern: 'a\0' }), /NUL/)
  spawnSync('mkfifo', [join(root, 'fifo')])
  await assert.rejects(call(grepTool, { pattern: 'x', path: 'fifo' }), /neither/)
})

test('many and long lines are cut', async () => {
  await put('long/min.js', `needle${'x'.repeat(100_000)}\n${'needle\n'.repeat(200)}`)
  const { text, data } = await call(grepTool, { pattern: 'needle', path: 'long' })
  assert.deepEqual(data, { matches: 100, truncated: true })
  assert.ok(text.length < 10_000)
})

test('a cancelled search ends', async () => {
  await assert.rejects(call(grepTool, { pattern: 'x' }, AbortSignal.abort()), { name: 'AbortError' })
})

test('a folder of secrets that is itself searched gives nothing away', async () => {
  const { put, call } = await createProject()
  await put('.aws/credentials', 'aws_secret = hunter2\n')
  await put('.ssh/my-own', 'hunter2\n')
  await put('.aws/notes', 'nothing\n')
  for (const path of ['.aws', '.ssh']) {
    const found = await call(grepTool, { pattern: 'hunter|nothing', path })
    assert.doesNotMatch(found.text, /hunter2/)
    assert.match(found.text, /1 file that may hold secrets left out/)
    assert.doesNotMatch((await call(globTool, { pattern: '*', path })).text, /credentials|my-own/)
  }
})
