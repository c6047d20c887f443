// Each JSON example of the format document, read and checked value by value. Parts of a record are put into one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { codesOf, decodeAll, ended, fixture, gave, id, init, kindsOf, only, plain, said, shortly, told, use } from './support.test.ts'

const example = (name: string): Rec => fixture(`document/${name}.json`)[0]!

test('system event', () => {
  assert.deepEqual(
    decodeAll([example('01-init')])
      .map(shortly)
      .slice(0, 3),
    [
      {
        kind: 'session.start',
        native: 'uuid',
        program: 'claude-code',
        model: 'claude-sonnet-4-5-20250929',
        cwd: '/path/to/working/directory',
        mode: 'default',
      },
      {
        kind: 'catalog.update',
        servers: [],
        commands: [],
        agents: [],
        skills: [],
        plugins: [],
        tools: ['Task', 'Bash', 'Read', 'Write'].map((name) => ({ name, source: 'builtin' })),
      },
      { kind: 'turn.start', trigger: 'prompt' },
    ],
  )
})

test('assistant event', () => {
  const events = decodeAll([init, example('02-assistant'), ended({ session_id: 'uuid' })]).filter(({ session }) => session === 'uuid')
  const message = 'msg_...'
  const model = 'claude-sonnet-4-5-20250929'
  const usage = { input: 2, output: 78, cacheRead: 15848, cacheWrite: 3318 }
  assert.deepEqual(events.map(shortly).slice(2, 5), [
    { kind: 'message.start', message, synthetic: 'implied', model, usage },
    { kind: 'text.end', message, block: 0, text: "I'll read the file for you.", streamed: false },
    { kind: 'message.end', message, synthetic: 'implied', model, usage, usageFinal: false, context: { used: 19168 } },
  ])
})

test('user event with a tool result', () => {
  const [end] = only(decodeAll([example('03-user')]), 'tool.end')
  assert.deepEqual(shortly(end!), {
    kind: 'tool.end',
    call: 'toolu_...',
    status: 'ok',
    text: '...',
    data: { stdout: '...', stderr: '', interrupted: false, isImage: false },
  })
})

test('result event', () => {
  const [end] = only(decodeAll([example('04-result')]), 'turn.end')
  const usage = { input: 7, output: 97, cacheRead: 35012, cacheWrite: 3492 }
  const cost = { usd: 0.025074, by: 'source' }
  assert.deepEqual(shortly(end!), {
    kind: 'turn.end',
    reason: 'end_turn',
    text: 'The final text response',
    own: usage,
    usage,
    cost,
    byModel: [{ model: 'claude-sonnet-4-5-20250929', usage, cost }],
    durationMs: 5486,
    apiMs: 5431,
    steps: 2,
  })
})

test('content blocks', () => {
  const events = decodeAll([
    init,
    said('m', example('05-text-block'), example('06-tool-use-block')),
    told(example('07-tool-result-block')),
    ended(),
  ])
  assert.deepEqual(events.filter(({ kind }) => kind === 'text.end' || kind.startsWith('tool.')).map(shortly), [
    { kind: 'text.end', message: 'm', block: 0, text: 'Here is my response...', streamed: false },
    {
      kind: 'tool.start',
      message: 'm',
      block: 1,
      call: 'toolu_...',
      name: 'Read',
      toolKind: 'read',
      input: { file_path: '/path/to/file.txt' },
      paths: ['/path/to/file.txt'],
    },
    { kind: 'tool.end', call: 'toolu_...', status: 'ok', text: 'Result content or error message' },
  ])
})

test('results of single tools', () => {
  for (const [name, file] of [
    ['Bash', '08-bash-result'],
    ['Read', '09-read-result'],
    ['Grep', '10-grep-result'],
    ['Glob', '11-glob-result'],
  ] as const) {
    const [end] = only(
      decodeAll([init, said('m', use('t', name)), { ...told(gave('t')), tool_use_result: example(file) }, ended()]),
      'tool.end',
    )
    assert.deepEqual(plain(end?.data), example(file), name)
    assert.equal(end?.durationMs, name === 'Glob' ? 4 : undefined)
  }
  const [denied] = only(
    decodeAll([init, said('m', use('toolu_...', 'Write')), told(example('12-denied-tool-result')), ended()]),
    'tool.end',
  )
  assert.deepEqual(
    [denied?.status, denied?.text],
    ['denied', "Claude requested permissions to write to /path/file, but you haven't granted it yet."],
  )
})

test('usage of a message and of a result', () => {
  const { usage } = example('13-message-usage')
  const message = { id: 'm', content: [{ type: 'text', text: 'a' }], usage }
  const [end] = only(decodeAll([init, { type: 'assistant', message, ...id }, ended()]), 'message.end')
  assert.deepEqual(plain(end?.usage), { input: 2, output: 78, cacheRead: 15848, cacheWrite: 3318 })
  const [turn] = only(decodeAll([init, ended(example('14-result-usage'))]), 'turn.end')
  assert.deepEqual(plain(turn?.byModel), [
    {
      model: 'claude-sonnet-4-5-20250929',
      usage: { input: 7, output: 97, cacheRead: 35012, cacheWrite: 3492 },
      cost: { usd: 0.025074, by: 'source' },
      contextLimit: 200000,
      outputLimit: 64000,
    },
  ])
})

test('permission denials', () => {
  const [end] = only(decodeAll([init, ended(example('15-permission-denials'))]), 'turn.end')
  assert.deepEqual(plain(end?.denied), [{ call: 'toolu_...', name: 'Write', input: { file_path: '/path/to/file', content: '...' } }])
})

test('the example session, event by event', () => {
  const records = fixture('document/16-session.json')
  assert.deepEqual(codesOf(records), [])
  const events = decodeAll(records)
  assert.deepEqual(kindsOf(events), [
    'session.start',
    'turn.start',
    'message.start*',
    'text.end',
    'tool.start',
    'tool.end',
    'message.end*',
    'message.start*',
    'text.end',
    'message.end*',
    'turn.end',
    'session.end*',
  ])
  assert.ok(events.every(({ session }) => session === 'abc123'))
  assert.deepEqual(
    only(events, 'text.end').map((end) => [end.message, end.text]),
    [
      ['~message-1', "I'll read the file"],
      ['~message-2', 'The file contains...'],
    ],
  )
  assert.deepEqual(
    only(events, 'turn.end').map(({ reason, text, cost }) => [reason, text, cost?.usd]),
    [['end_turn', 'The file contains...', 0.02]],
  )
})
