import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { editTool } from './edit.ts'
import { findPiece } from './match.ts'
import { readTool } from './read.ts'
import { createProject } from './support.test.ts'
import { writeTool } from './write.ts'

const project = await createProject()
const { call, plan, put, root, outside } = project
const run = { call: 'c', signal: new AbortController().signal, output() {}, emit() {} }
/** As the head of a diff names it, which is as git does: quoted when it is not plain ASCII, and then byte by byte. */
const inDiff = (path: string): string =>
  /^[ !#-[\]-~]*$/.test(path)
    ? path
    : `"${Array.from(Buffer.from(path), (byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`)).join('')}"`
const contentOf = (path: string): string => readFileSync(path, 'utf8')
async function known(name: string, content: string): Promise<string> {
  const path = await put(name, content)
  await call(readTool, { filePath: path })
  return path
}

test('a new file is written with its folders, and told', async () => {
  const { data, events, plan: made } = await call(writeTool, { filePath: 'new/deep/a.txt', content: 'one\ntwo\n' })
  const path = join(root, 'new/deep/a.txt')
  assert.equal(contentOf(path), 'one\ntwo\n')
  assert.deepEqual(made.ask, { permission: 'write', patterns: ['new/deep/a.txt'], paths: [path] })
  assert.deepEqual([data?.['filepath'], data?.['exists'], data?.['diagnostics']], [path, false, {}])
  const diff = `--- ${inDiff(path)}\n+++ ${inDiff(path)}\n@@ -0,0 +1,2 @@\n+one\n+two\n`
  assert.deepEqual(events, [{ kind: 'file.update', payload: { changes: [{ path, change: 'add' }], diff } }])
  assert.deepEqual(data?.['filediff'], { file: path, before: '', after: 'one\ntwo\n', additions: 2, deletions: 0 })
})

test('a file that exists must have been read, and be as it was read', async () => {
  const path = await put('old.txt', 'old\n')
  await assert.rejects(call(writeTool, { filePath: path, content: 'new' }), /has not been read in this session; read it first/)
  await assert.rejects(call(editTool, { filePath: path, oldString: 'old', newString: 'new' }), /has not been read/)
  await call(readTool, { filePath: path })
  utimesSync(path, 1, 1)
  await assert.rejects(call(writeTool, { filePath: path, content: 'new' }), /has changed since it was read; read it again/)
  await assert.rejects(call(editTool, { filePath: path, oldString: 'old', newString: 'new' }), /has changed/)
  assert.equal(contentOf(path), 'old\n')
  await call(readTool, { filePath: path })
  await call(writeTool, { filePath: path, content: 'new\n' })
  await call(editTool, { filePath: path, oldString: 'new', newString: 'newer' }) // what we wrote ourselves is known
  assert.equal(contentOf(path), 'newer\n')
})

test('the mode of a file stays, and no temporary file is left', async () => {
  const path = await known('bin/tool.sh', 'a\n')
  chmodSync(path, 0o750)
  await call(readTool, { filePath: path })
  await call(editTool, { filePath: path, oldString: 'a', newString: 'b' })
  assert.equal(statSync(path).mode & 0o777, 0o750)
  assert.deepEqual(readdirSync(join(root, 'bin')), ['tool.sh'])
})

test('an edit tells its diff', async () => {
  const path = await known('src/x.ts', 'a\nb\nc\n')
  const { data, plan: made, events } = await call(editTool, { filePath: 'src/x.ts', oldString: 'b\n', newString: '$&\nB\n' })
  assert.equal(contentOf(path), 'a\n$&\nB\nc\n')
  assert.deepEqual(made.ask, { permission: 'edit', patterns: ['src/x.ts'], paths: [path] })
  assert.equal(data?.['diff'], `--- ${inDiff(path)}\n+++ ${inDiff(path)}\n@@ -1,3 +1,4 @@\n a\n-b\n+$&\n+B\n c\n`)
  assert.deepEqual(data['filediff'], { file: path, before: 'a\nb\nc\n', after: 'a\n$&\nB\nc\n', additions: 2, deletions: 1 })
  assert.equal(events[0]?.kind, 'file.update')
})

test('one place must be meant, unless all are', async () => {
  const path = await known('many.txt', 'x\nx\n')
  await assert.rejects(
    call(editTool, { filePath: path, oldString: 'x', newString: 'y' }),
    /2 times \(lines 1, 2\); give more .* or set replaceAll/,
  )
  await assert.rejects(call(editTool, { filePath: path, oldString: 'z', newString: 'y' }), /oldString is not in/)
  await assert.rejects(call(editTool, { filePath: path, oldString: 'x', newString: 'x' }), /nothing to change/)
  await call(editTool, { filePath: path, oldString: 'x', newString: 'y', replaceAll: true })
  assert.equal(contentOf(path), 'y\ny\n')
})

test('white space that is a little wrong still finds its place, and only one', async () => {
  const path = await known('indent.ts', 'if (a) {\n    one()\n    two()\n}\n')
  const { text } = await call(editTool, { filePath: path, oldString: '  one()\n  two()', newString: '  one()\n  if (b)\n    two()' })
  assert.equal(contentOf(path), 'if (a) {\n    one()\n    if (b)\n      two()\n}\n')
  assert.match(text, /matched but for its indentation/)
  const loose = await known('loose.ts', 'a = 1  \n\tb = 2\n')
  await call(editTool, { filePath: loose, oldString: 'a = 1\nb = 2', newString: 'c = 3' })
  assert.equal(contentOf(loose), 'c = 3\n')
  const twice = await known('twice.ts', '  f()\n    f()\n')
  await assert.rejects(
    call(editTool, { filePath: twice, oldString: '\tf()', newString: 'g()', replaceAll: true }),
    /2 times .* exactly as it stands/,
  )
})

test('byte order mark and line ends stay', async () => {
  const path = await known('windows.txt', '\ufeffa\r\nb\r\nc\r\n')
  await call(editTool, { filePath: path, oldString: 'a\nb\n', newString: 'a\nx\ny\n' })
  assert.equal(contentOf(path), '\ufeffa\r\nx\r\ny\r\nc\r\n')
  const mixed = await known('mixed.txt', 'a\r\nb\nc\r\n')
  await call(editTool, { filePath: mixed, oldString: 'b', newString: 'B' })
  assert.equal(contentOf(mixed), 'a\r\nB\nc\r\n')
})

test('an empty oldString makes new files only; what is no UTF-8 is left alone', async () => {
  await call(editTool, { filePath: 'made.txt', oldString: '', newString: 'hi' })
  assert.equal(contentOf(join(root, 'made.txt')), 'hi')
  await assert.rejects(
    call(editTool, { filePath: 'made.txt', oldString: '', newString: 'ho' }),
    /exists; an empty oldString only makes new files/,
  )
  await assert.rejects(
    call(editTool, { filePath: 'nope.txt', oldString: 'a', newString: 'b' }),
    /does not exist; to make it, leave oldString empty/,
  )
  const path = await put('latin1.txt', Buffer.from([0x61, 0xe9, 0x62, 0x0a]))
  await call(readTool, { filePath: path })
  await assert.rejects(call(editTool, { filePath: path, oldString: 'a', newString: 'b' }), /not UTF-8/)
})

test('links: the real target is asked for, written through, and checked again', async () => {
  writeFileSync(join(outside, 'target.txt'), 'x\n')
  symlinkSync(join(outside, 'target.txt'), join(root, 'link.txt'))
  symlinkSync(join(outside, 'new.txt'), join(root, 'dangling.txt'))
  symlinkSync(outside, join(root, 'away'))
  const cases = { 'link.txt': 'target.txt', 'dangling.txt': 'new.txt', 'away/sub/a.txt': 'sub/a.txt', '../outside/b.txt': 'b.txt' }
  for (const [filePath, target] of Object.entries(cases)) {
    const { ask } = await plan(writeTool, { filePath, content: 'y' })
    assert.deepEqual(ask?.paths, [join(outside, target)], filePath)
    assert.ok(ask.patterns.includes(join(outside, target)), filePath)
  }
  await call(readTool, { filePath: 'link.txt' })
  await call(editTool, { filePath: 'link.txt', oldString: 'x', newString: 'y' })
  assert.equal(contentOf(join(outside, 'target.txt')), 'y\n')

  const file = await plan(writeTool, { filePath: 'later.txt', content: 'y' })
  const folder = await plan(writeTool, { filePath: 'later/a.txt', content: 'y' })
  symlinkSync(join(outside, 'victim.txt'), join(root, 'later.txt'))
  symlinkSync(outside, join(root, 'later'))
  await assert.rejects(file.run(run), /leads to ".*victim.txt" now/)
  await assert.rejects(folder.run(run), /leads to ".*a.txt" now/)
  assert.equal(existsSync(join(outside, 'victim.txt')), false)
  assert.equal(existsSync(join(outside, 'a.txt')), false)
})

test('no path leads to the views of the machine, and bad names are told', async () => {
  for (const filePath of ['/proc/self/mem', '/dev/null', '/sys/x', '/proc/self/root/dev/null'])
    await assert.rejects(plan(writeTool, { filePath, content: '' }), /no files to work on/, filePath)
  await assert.rejects(plan(editTool, { filePath: 'a\0', oldString: 'a', newString: 'b' }), /NUL/)
  await assert.rejects(call(writeTool, { filePath: 'x'.repeat(300), content: '' }), /too long/)
  await assert.rejects(call(writeTool, { filePath: '.', content: '' }), /not a regular file/)
})

test('a piece and a file that are nearly alike everywhere cost little time', () => {
  const begun = performance.now()
  const text = '  a\n'.repeat(300_000)
  assert.deepEqual(findPiece(text, `${' a\n'.repeat(50_000)} b`, 'c').matches, [])
  assert.equal(findPiece(text, ' a\n a', 'c').matches.length, 6)
  assert.ok(performance.now() - begun < 5000)
})
