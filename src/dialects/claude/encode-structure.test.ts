// `tool_use_result` of the built-in agent's tools: their few data and their text, in the shapes of the document.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Payload } from '../../model/event.ts'
import { written } from './support.test.ts'

type End = Partial<Payload<'tool.end'>>
type Result = { structure: unknown; content: unknown; isAdded: boolean }

function resultOf(name: string, input: Record<string, unknown>, end: End, paths?: string[]): Result {
  const { records, added } = written([
    ['session.start', { model: 'm' }],
    ['turn.start', { trigger: 'prompt' }],
    ['message.start', {}, { message: 'x' }],
    ['tool.start', { name, toolKind: 'other', input }, { message: 'x', call: 'c' }],
    ...(paths === undefined ? [] : [['tool.update', { state: 'running', paths }, { call: 'c' }] as const]),
    ['tool.end', { name, toolKind: 'other', status: 'ok', ...end }, { call: 'c' }],
    ['turn.end', { reason: 'end_turn' }],
  ])
  const record = records.find(({ type }) => type === 'user')!
  const [block] = (record['message'] as { content: { content: unknown }[] }).content
  return { structure: record['tool_use_result'], content: block!.content, isAdded: added.includes('user.message.content') }
}

test('bash: what the command printed, without the notes for the model', () => {
  const { structure } = resultOf('bash', { command: 'true' }, { text: '[no output]', data: { output: '', exit: 0 }, exitCode: 0 })
  assert.deepEqual(structure, { stdout: '', stderr: '', interrupted: false, isImage: false })
})

test('bash: a command that failed keeps its streams apart, too', () => {
  const { records } = written([
    ['session.start', { model: 'm' }],
    ['turn.start', { trigger: 'prompt' }],
    ['tool.start', { name: 'bash', toolKind: 'execute', input: { command: 'x' } }, { message: 'x', call: 'c' }],
    ['tool.delta', { of: 'output', text: 'out\n', stream: 'stdout' }, { call: 'c' }],
    ['tool.delta', { of: 'output', text: 'err\n', stream: 'stderr' }, { call: 'c' }],
    ['tool.end', { name: 'bash', toolKind: 'execute', status: 'error', text: 'out\nerr\n', exitCode: 3 }, { call: 'c' }],
    ['turn.end', { reason: 'end_turn' }],
  ])
  const result = records.find(({ type }) => type === 'user')!
  assert.deepEqual(result['tool_use_result'], { stdout: 'out\n', stderr: 'err\n', interrupted: false, isImage: false })
  const { structure } = resultOf('bash', { command: 'x' }, { status: 'denied', text: 'no' })
  assert.equal(structure, 'Error: no')
})

test('read: the lines without their numbers, and how many there are', () => {
  const data = { preview: '', truncated: false, loaded: [] }
  const read = (text: string): unknown => resultOf('read', { filePath: 'a' }, { text, data }, ['/w/a']).structure
  const file = (content: string, numLines: number, startLine: number, totalLines: number): unknown => ({
    type: 'text',
    file: { filePath: '/w/a', content, numLines, startLine, totalLines },
  })
  assert.deepEqual(read('1: one\n2: \n3: 4: x\n[end of file, 3 lines]'), file('one\n\n4: x', 3, 1, 3))
  assert.deepEqual(read('5: five\n6: six\n[lines 5 to 6; read on with offset 7]'), file('five\nsix', 2, 5, 6))
  assert.deepEqual(read('[the file is empty]'), file('', 0, 1, 0))
  assert.equal(read('src/\na.txt\n[2 entries]'), undefined) // a folder is no file
})

test('read: a picture is a block for the model and bytes for the program', () => {
  const { structure, content } = resultOf(
    'read',
    { filePath: 'a.png' },
    { text: 'a picture', content: [{ type: 'file', mime: 'image/png', data: 'AAAA' }] },
    ['/w/a.png'],
  )
  assert.deepEqual(structure, { type: 'image', file: { base64: 'AAAA', type: 'image/png', originalSize: 3 } })
  assert.deepEqual(content, [
    { type: 'text', text: 'a picture' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
  ])
})

test('grep and glob: the findings, without the notes', () => {
  const found = '/w/a:\n  1: x: y\n  3:  z\n\n/w/b:\n  2: x\n[100 lines are shown; there are more: use a narrower pattern or path]'
  assert.deepEqual(resultOf('grep', { pattern: 'x' }, { text: found, data: { matches: 3, truncated: true } }).structure, {
    mode: 'content',
    numFiles: 2,
    filenames: [],
    content: '/w/a:1:x: y\n/w/a:3: z\n/w/b:2:x',
    numLines: 3,
  })
  const listed = '/w/a\n/w/b\n[the 2 newest are shown; there are more: use a narrower pattern]'
  assert.deepEqual(resultOf('glob', { pattern: '*' }, { text: listed, data: { count: 2, truncated: true }, durationMs: 5 }).structure, {
    filenames: ['/w/a', '/w/b'],
    durationMs: 5,
    numFiles: 2,
    truncated: true,
  })
  const none = resultOf('glob', { pattern: '*' }, { text: 'no files found', data: { count: 0, truncated: false }, durationMs: 1 }).structure
  assert.deepEqual(none, { filenames: [], durationMs: 1, numFiles: 0, truncated: false })
})

test('write and edit: the file before, and the hunks of the change', () => {
  const diff = '--- a\n+++ a\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n'
  const patch = [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: ['-one', '+ONE', ' two'] }]
  const filediff = { file: '/w/a', before: 'one\ntwo\n', after: 'ONE\ntwo\n' }
  assert.deepEqual(
    resultOf('edit', { filePath: 'a', oldString: 'one', newString: 'ONE' }, { text: 'changed', data: { diff, filediff } }, ['/w/a'])
      .structure,
    {
      filePath: '/w/a',
      oldString: 'one',
      newString: 'ONE',
      replaceAll: false,
      originalFile: 'one\ntwo\n',
      structuredPatch: patch,
      userModified: false,
    },
  )
  const made = { filepath: '/w/a', exists: false, diff: '@@ -0,0 +1 @@\n+x\n', filediff: { before: '', after: 'x\n' } }
  assert.deepEqual(resultOf('write', { filePath: 'a', content: 'x\n' }, { text: 'made', data: made }, ['/w/a']).structure, {
    type: 'create',
    filePath: '/w/a',
    content: 'x\n',
    originalFile: null,
    structuredPatch: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: ['+x'] }],
    userModified: false,
  })
})

test('what a tool gave back and nobody told is not made up: no structure, and an empty content that counts as added', () => {
  const calls = { Read: { file_path: '/w/a' }, Grep: { pattern: 'x' }, Glob: { pattern: '*' }, Bash: { command: 'ls' }, Other: {} }
  for (const [name, input] of Object.entries(calls))
    assert.deepEqual(resultOf(name, input, {}), { structure: undefined, content: '', isAdded: true }, name)
  const written = { filePath: '/w/a', content: 'x' } // known from the call
  assert.deepEqual(resultOf('Write', { file_path: '/w/a', content: 'x' }, {}), { structure: written, content: '', isAdded: true })
  assert.deepEqual(resultOf('Bash', {}, { status: 'error' }), { structure: 'Error: error', content: 'error', isAdded: true })
  assert.equal(resultOf('Bash', {}, { text: '' }).isAdded, false)
  assert.deepEqual(resultOf('Bash', {}, { text: '' }).structure, { stdout: '', stderr: '', interrupted: false, isImage: false })
})

test('what an agent wraps around the output for its model is no output', () => {
  const opencodes = '<path>/w/a</path>\n<type>file</type>\n<content>\n1: alpha\n\n(End of file - total 1 lines)\n</content>'
  assert.equal(resultOf('read', { filePath: '/w/a' }, { text: opencodes }).structure, undefined)
  assert.equal(resultOf('read', { filePath: '/w/a' }, { text: opencodes }).content, opencodes)
  assert.equal(resultOf('read', { filePath: '/w/a' }, { text: '<file>\n00001| alpha\n</file>' }).structure, undefined)
  assert.equal(resultOf('Read', { file_path: '/w/a' }, { text: '     1→alpha\n     2→' }).structure, undefined)
  assert.equal(resultOf('bash', {}, { text: 'out\n<shellId: 0 completed with exit code 0>' }).structure, undefined)
  for (const stdout of ['<p>', '<shellId: 0 done> and <p>', '<shellId: 0 done>\n'])
    assert.equal((resultOf('bash', {}, { text: stdout }).structure as { stdout: string }).stdout, stdout)
  assert.deepEqual(resultOf('bash', {}, { content: [{ type: 'text', text: '<path>' }] }).structure, {
    stdout: '<path>',
    stderr: '',
    interrupted: false,
    isImage: false,
  })
})

test('read: from a line on, the last line that is known is the last', () => {
  const file = { filePath: '/w/a', content: 'x\ny', numLines: 2, startLine: 5, totalLines: 6 }
  assert.deepEqual(resultOf('Read', { file_path: '/w/a', offset: 5 }, { text: 'x\ny' }).structure, { type: 'text', file })
})
