import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { readTool } from './read.ts'
import { createProject } from './support.test.ts'

const project = await createProject()
const { call, plan, put, root, outside, context } = project
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

test('lines are numbered, and the end is told', async () => {
  const path = await put('a.txt', '\ufeffone\r\ntwo\nthree')
  const { text, data } = await call(readTool, { filePath: 'a.txt' })
  assert.equal(text, '1: one\n2: two\n3: three\n[end of file, 3 lines]')
  assert.deepEqual(data, { preview: '1: one\n2: two\n3: three', truncated: false, loaded: [] })
  assert.equal(context.seen.has(path), true)
  assert.equal((await call(readTool, { filePath: path })).text, text)
})

test('a window of a longer file says where to read on', async () => {
  await put('long.txt', Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join('\n'))
  const all = await call(readTool, { filePath: 'long.txt' })
  assert.match(all.text, /\n2000: line 2000\n\[lines 1 to 2000; read on with offset 2001\]$/)
  assert.equal(all.data?.['truncated'], true)
  assert.equal(String(all.data?.['preview']).split('\n').length, 20)
  const part = await call(readTool, { filePath: 'long.txt', offset: 4999, limit: 10 })
  assert.equal(part.text, '4999: line 4999\n5000: line 5000\n[end of file, 5000 lines]')
  await assert.rejects(call(readTool, { filePath: 'long.txt', offset: 5001 }), /has 5000 lines; offset 5001 is past its end/)
})

test('long lines and many bytes are cut', async () => {
  await put('wide.txt', `${'x'.repeat(1_000_000)}\n${`${'y'.repeat(1000)}\n`.repeat(100)}`)
  const { text } = await call(readTool, { filePath: 'wide.txt' })
  assert.match(text, /^1: x{2000}… \[998000 more characters\]\n2: y{1000}\n/)
  assert.ok(Buffer.byteLength(text) < 52 * 1024)
  assert.match(text, /\[lines 1 to \d+; read on with offset \d+\]$/)
})

test('an empty file and a folder are shown for what they are', async () => {
  await put('empty.txt', '')
  assert.equal((await call(readTool, { filePath: 'empty.txt' })).text, '[the file is empty]')
  await put('folder/b.txt', '')
  await put('folder/sub/c.txt', '')
  assert.equal((await call(readTool, { filePath: 'folder' })).text, 'b.txt\nsub/\n[2 entries]')
})

test('pictures and documents are given as they are, by what they hold and not by their name; other binary files are refused', async () => {
  await put('picture.txt', png)
  const { media } = await call(readTool, { filePath: 'picture.txt' })
  assert.deepEqual(media, [{ mime: 'image/png', data: png.toString('base64') }])
  await put('paper.pdf', '%PDF-1.7\n\0\0')
  assert.equal((await call(readTool, { filePath: 'paper.pdf' })).media?.[0]?.mime, 'application/pdf')
  await put('program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]))
  await assert.rejects(call(readTool, { filePath: 'program' }), /binary file/)
  await put('huge.png', Buffer.concat([png, Buffer.alloc(6_000_000)]))
  await assert.rejects(call(readTool, { filePath: 'huge.png' }), /more than the 5 MB/)
})

test('a missing file brings the nearest name', async () => {
  await put('src/parser.ts', '')
  await assert.rejects(call(readTool, { filePath: 'src/parsr.ts' }), /does not exist; did you mean "parser.ts" in that folder\?/)
  await assert.rejects(call(readTool, { filePath: 'nowhere/at/all' }), /does not exist/)
})

test('the question names the real path, however the file is reached', async () => {
  writeFileSync(join(outside, 'secret'), 'x')
  symlinkSync(join(outside, 'secret'), join(root, 'file-link'))
  symlinkSync(outside, join(root, 'folder-link'))
  symlinkSync(join(outside, 'not-there'), join(root, 'dangling'))
  const real = join(outside, 'secret')
  for (const filePath of ['file-link', 'folder-link/secret', '../outside/secret', real, `${root}/a/../../outside/secret`]) {
    const { ask } = await plan(readTool, { filePath })
    assert.deepEqual(ask?.paths, [real], filePath)
    assert.ok(ask.patterns.includes(real), filePath)
  }
  assert.deepEqual((await plan(readTool, { filePath: 'dangling' })).ask?.paths, [join(outside, 'not-there')])
  assert.deepEqual((await plan(readTool, { filePath: '~/x' })).ask?.paths, [join(context.home, 'x')])
})

test('a link that is put there after the question is not followed', async () => {
  const made = await plan(readTool, { filePath: 'later' })
  symlinkSync(join(outside, 'secret'), join(root, 'later'))
  const run = { call: 'c', signal: new AbortController().signal, output() {}, emit() {} }
  await assert.rejects(made.run(run), /leads to ".*secret" now/)
})

test('what is no file is refused, and nothing waits', async () => {
  spawnSync('mkfifo', [join(root, 'fifo')])
  await assert.rejects(call(readTool, { filePath: 'fifo' }), /neither a regular file nor a folder/)
  for (const filePath of ['/dev/zero', '/proc/self/environ', '/proc/self/root/proc/1/environ', '/sys/kernel'])
    await assert.rejects(plan(readTool, { filePath }), /no files to work on|does not exist|lacks the right/, filePath)
  assert.deepEqual((await plan(readTool, { filePath: '/proc/self/root/etc/hostname' })).ask?.paths, ['/etc/hostname'])
  await assert.rejects(plan(readTool, { filePath: 'a\0b' }), /NUL/)
  await assert.rejects(plan(readTool, { filePath: '' }), /empty/)
  await assert.rejects(plan(readTool, { filePath: 'x'.repeat(5000) }), /too long/)
  symlinkSync('round', join(root, 'round'))
  await assert.rejects(plan(readTool, { filePath: 'round' }), /links/)
})

test('a file that grows while it is read does no harm', async () => {
  const path = await put('grows.txt', 'a\n')
  const reading = call(readTool, { filePath: path })
  appendFileSync(path, 'b\n')
  assert.match((await reading).text, /^1: a\n/)
})
