// Chat files, by value: lines as the program writes them, and the one object of older versions.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { answered, decodeAll, header, kindsOf, line, listed, only, shortly, timestamp } from './support.test.ts'

const tokens = { input: 1012, output: 34, cached: 1000, thoughts: 20, tool: 3, total: 1069 }
const usage = { input: 15, output: 34, reasoning: 20, cacheRead: 1000 }
const asked = line('user', 'm1', [{ text: 'Do ' }, { text: 'it' }])
const answer = (id: string, content: unknown, fields: Rec = {}): Rec =>
  line('gemini', id, content, { thoughts: [], tokens, model: 'm', ...fields })
const set = (fields: Rec): Rec => ({ $set: fields })
const touched = set({ lastUpdated: timestamp })

test('a prompt, an answer in two steps, a result told twice', () => {
  const first = answer('m2', 'Reading.', { thoughts: [{ subject: 'Plan', description: 'Read it.', timestamp }] })
  const call = listed('c', { output: 'alpha' }, { description: 'notes.txt', displayName: 'ReadFile', resultDisplay: '' }, 'read_file')
  const told = line('user', 'm3', [answered('c', { output: 'alpha' }, 'read_file')])
  const records = [header, asked, touched, first, touched, { ...first, toolCalls: [call] }, told, touched, answer('m4', 'Done.'), touched]
  assert.deepEqual(decodeAll(records).map(shortly), [
    { kind: 'session.start', native: 's', program: 'gemini-cli' },
    { kind: 'turn.start', trigger: 'prompt', synthetic: 'implied' },
    { kind: 'prompt.submit', text: 'Do it', by: 'user', state: 'sent', id: 'm1' },
    { kind: 'raw', type: '$set', why: 'redundant' },
    { kind: 'message.start', message: 'm2', model: 'm' },
    { kind: 'thought.end', message: 'm2', text: 'Plan\nRead it.', streamed: false },
    { kind: 'text.end', message: 'm2', text: 'Reading.', streamed: false },
    { kind: 'raw', type: '$set', why: 'redundant' },
    { kind: 'tool.start', message: 'm2', call: 'c', name: 'read_file', toolKind: 'read', title: 'notes.txt', input: {} },
    { kind: 'tool.end', call: 'c', status: 'ok', text: 'alpha' },
    {
      kind: 'message.end',
      message: 'm2',
      finish: 'tool_use',
      model: 'm',
      usage,
      usageFinal: true,
      context: { used: 1015 },
      synthetic: 'implied',
    },
    { kind: 'raw', type: 'user', why: 'redundant' },
    { kind: 'raw', type: '$set', why: 'redundant' },
    { kind: 'message.start', message: 'm4', model: 'm' },
    { kind: 'text.end', message: 'm4', text: 'Done.', streamed: false },
    { kind: 'raw', type: '$set', why: 'redundant' },
    { kind: 'message.end', message: 'm4', model: 'm', usage, usageFinal: true, context: { used: 1015 }, synthetic: 'implied' },
    { kind: 'turn.end', reason: 'end_turn', synthetic: 'implied' },
    { kind: 'session.end', reason: 'end_turn', synthetic: 'implied' },
  ])
})

test('the old file is the same in one record', () => {
  const messages = [asked, answer('m2', '', { toolCalls: [listed('c', { output: 'x' })] }), answer('m4', 'Done.'), line('quit', 'm5', '')]
  const kinds = (records: Rec[]): string[] => kindsOf(decodeAll(records)).filter((kind) => kind !== 'raw')
  assert.deepEqual(kinds([{ ...header, messages }]), kinds([header, ...messages.slice(0, 3)]))
  const [raw] = only(decodeAll([{ ...header, messages }]), 'raw')
  assert.deepEqual([raw!.type, raw!.why], ['quit', 'unmapped'])
})

suite('how a turn ends', () => {
  const ends = (...records: Rec[]): unknown[] =>
    only(decodeAll([header, ...records]), 'turn.end').map(({ reason, synthetic }) => [reason, synthetic])
  const next = line('user', 'm9', 'And now?')
  const calling = answer('m2', '', { toolCalls: [listed('c', { output: 'x' })] })

  test('well, after an answer', () =>
    assert.deepEqual(ends(asked, answer('m2', 'Yes.'), next), [
      ['end_turn', 'implied'],
      ['cut', 'cut'],
    ]))
  test('nobody knows how, when the next prompt came first', () => assert.deepEqual(ends(asked, calling, next)[0], ['unknown', 'implied']))
  test('well, when a subagent has reported', () => {
    const report = (status: string): Rec => answer('m2', '', { toolCalls: [listed('c', {}, { status }, 'complete_task')] })
    assert.deepEqual(ends(asked, report('success')), [['end_turn', 'implied']])
    assert.deepEqual(ends(asked, report('error')), [['cut', 'cut']])
  })
  test('cut off, when the file ends with a call or an empty answer', () => {
    assert.deepEqual(ends(asked, calling), [['cut', 'cut']])
    assert.deepEqual(ends(asked, answer('m2', '')), [['cut', 'cut']])
  })
  test('in error, unless an answer came after it', () => {
    const failed = line('error', 'm3', '[API Error: {"error":{"code":429}}]')
    assert.deepEqual(ends(asked, failed), [['error', 'implied']])
    assert.deepEqual(ends(asked, failed, answer('m4', 'Yes.')), [['end_turn', 'implied']])
    const [error] = only(decodeAll([header, asked, failed]), 'error')
    assert.deepEqual([error!.error.category, error!.error.http, error!.fatal], ['rate_limit', 429, false])
  })
})

suite('tool calls', () => {
  const endOf = (call: Rec): Rec => shortly(only(decodeAll([header, asked, answer('m2', '', { toolCalls: [call] })]), 'tool.end')[0]!)
  const status = (call: Rec): unknown => endOf(call)['status']

  test('the exit code stands in what the model is told', () => {
    const text = '<untrusted_context>\nOutput: partial\nExit Code: 3\nProcess Group PGID: 19727\n</untrusted_context>'
    assert.deepEqual(endOf(listed('c', { output: text }, { resultDisplay: 'partial' })), {
      kind: 'tool.end',
      call: 'c',
      status: 'ok',
      exitCode: 3,
      text,
    })
  })

  test('what is shown is data when it is no text', () => {
    const shown = { fileDiff: '+hi', fileName: 'a' }
    assert.deepEqual(endOf(listed('c', { output: 'ok' }, { resultDisplay: shown }, 'write_file'))['data'], shown)
  })

  test('parts that are no text are content', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AA' } }
    const { text, content } = endOf({ ...listed('c', {}), result: [answered('c', { output: 'read' }), image] })
    assert.deepEqual([text, content], ['read', [image]])
  })

  test('an error, a refusal, a cancelled call', () => {
    assert.equal(status(listed('c', { error: 'File not found' }, { status: 'error' })), 'error')
    assert.equal(status(listed('c', { error: 'Tool execution denied by policy.' }, { status: 'error' })), 'denied')
    assert.equal(status(listed('c', { error: '[Operation Cancelled] Reason: User denied execution.' }, { status: 'cancelled' })), 'denied')
    assert.equal(status(listed('c', { error: '[Operation Cancelled] Reason: aborted' }, { status: 'cancelled' })), 'cancelled')
  })

  test('a call goes on until a later record ends it', () => {
    const going = listed('c', {}, { status: 'executing', result: undefined })
    const growing = [
      answer('m2', '', { toolCalls: [going] }),
      answer('m2', '', { toolCalls: [going] }),
      answer('m2', '', { toolCalls: [listed('c', { output: 'x' })] }),
    ]
    assert.deepEqual(kindsOf(decodeAll([header, asked, ...growing])).slice(3, 7), ['message.start', 'tool.start', 'raw', 'tool.end'])
  })

  test('a call that is listed again is not told again', () => {
    const message = answer('m2', '', { toolCalls: [listed('c', { output: 'x' })] })
    const more = answer('m2', '', { toolCalls: [listed('c', { output: 'x' }), listed('d', { output: 'y' })] })
    const ends = only(decodeAll([header, asked, message, more, more]), 'tool.end')
    assert.deepEqual(
      ends.map(({ call, text }) => [call, text]),
      [
        ['c', 'x'],
        ['d', 'y'],
      ],
    )
  })

  test('or until the answer that the model is given', () => {
    const part = { functionCall: { id: 'c', name: 'read_file', args: { path: '/a' } } }
    const records = [
      header,
      asked,
      answer('m2', [{ text: 'Reading.' }, part]),
      line('user', 'm3', [answered('c', { error: 'no such file' }, 'read_file')]),
    ]
    const [start] = only(decodeAll(records), 'tool.start')
    const [end] = only(decodeAll(records), 'tool.end')
    assert.deepEqual([start!.name, start!.input, end!.status, end!.text], ['read_file', { path: '/a' }, 'error', 'no such file'])
  })

  test('the next prompt leaves it abandoned', () => {
    const going = listed('c', {}, { status: 'awaiting_approval', result: undefined })
    const [end] = only(decodeAll([header, asked, answer('m2', '', { toolCalls: [going] }), line('user', 'm3', 'Stop')]), 'tool.end')
    assert.deepEqual([end!.status, end!.synthetic, end!.turn], ['abandoned', 'implied', 1])
  })

  test('a subagent is a lane, and has failed when it used up its turns', () => {
    const steps = [
      { id: 'a#0-0', type: 'tool_call', content: 'read_file', description: 'notes.txt', args: '{"file_path":"/a"}', status: 'completed' },
      { id: 't', type: 'thought', content: 'Hm.', status: 'completed' },
      { id: 'a#1-0', type: 'tool_call', content: 'complete_task', args: 'no JSON', status: 'error' },
      { id: 'a#2-0', type: 'tool_call', content: 'glob', status: 'running' },
      { type: 'new' },
    ]
    const shown = {
      isSubagentProgress: true,
      agentName: 'generalist',
      recentActivity: steps,
      state: 'completed',
      result: 'Too long.',
      terminateReason: 'MAX_TURNS',
    }
    const call = { ...listed('c', { output: 'done' }, { agentId: 'a', resultDisplay: shown }, 'invoke_agent'), args: { prompt: 'Count' } }
    const events = decodeAll([header, asked, answer('m2', '', { toolCalls: [call] })])
    assert.deepEqual(events.slice(5, -4).map(shortly), [
      { kind: 'task.start', call: 'c', task: 'a', type: 'agent', agentType: 'generalist', prompt: 'Count', background: false },
      {
        kind: 'tool.start',
        agent: 'a',
        call: 'a#0-0',
        name: 'read_file',
        toolKind: 'read',
        title: 'notes.txt',
        input: { file_path: '/a' },
        paths: ['/a'],
      },
      { kind: 'tool.end', agent: 'a', call: 'a#0-0', status: 'ok' },
      { kind: 'thought.end', agent: 'a', text: 'Hm.', streamed: false },
      { kind: 'tool.start', agent: 'a', call: 'a#1-0', name: 'complete_task', toolKind: 'other', input: 'no JSON' },
      { kind: 'tool.end', agent: 'a', call: 'a#1-0', status: 'error' },
      { kind: 'tool.start', agent: 'a', call: 'a#2-0', name: 'glob', toolKind: 'search' },
      { kind: 'tool.end', agent: 'a', call: 'a#2-0', status: 'abandoned' },
      { kind: 'task.end', task: 'a', status: 'error', text: 'Too long.' },
    ])
    assert.equal(only(events, 'tool.end').at(-1)!.status, 'ok')
  })
})

suite('other lines', () => {
  test('notes, changes and steps back', () => {
    const context = line('user', 'm0', [{ text: '<session_context>\nToday' }])
    const summary = line('user', 'm8', [{ text: '<state_snapshot>all</state_snapshot>' }])
    const records = [
      header,
      set({ messages: [context] }),
      asked,
      line('info', 'm2', 'Hello'),
      line('warning', 'm3', [{ text: 'Careful' }]),
      set({ messages: [context, summary] }),
      set({ messages: [context, summary] }),
      set({ summary: 'A task' }),
      set({ directories: ['/a'] }),
      { $rewindTo: 'm1' },
      summary,
    ]
    assert.deepEqual(decodeAll(records).map(shortly).slice(1), [
      { kind: 'prompt.submit', text: '<session_context>\nToday', by: 'system', state: 'sent', id: 'm0' },
      { kind: 'turn.start', trigger: 'prompt', synthetic: 'implied' },
      { kind: 'prompt.submit', text: 'Do it', by: 'user', state: 'sent', id: 'm1' },
      { kind: 'notice', level: 'info', text: 'Hello' },
      { kind: 'notice', level: 'warn', text: 'Careful' },
      { kind: 'context.trim', why: 'compact', text: '<state_snapshot>all</state_snapshot>' },
      { kind: 'raw', type: '$set', why: 'unmapped' },
      { kind: 'session.update', by: 'agent', title: 'A task' },
      { kind: 'raw', type: '$set', why: 'unmapped' },
      { kind: 'turn.end', reason: 'unknown', synthetic: 'implied' },
      { kind: 'context.trim', why: 'trim', trigger: 'manual' },
      { kind: 'raw', type: 'user', why: 'redundant' },
      { kind: 'session.end', reason: 'unknown', synthetic: 'implied' },
    ])
  })

  test("a subagent's own file, and one file after another", () => {
    const own = { ...header, sessionId: 't', kind: 'subagent', directories: ['/a'], summary: null }
    const events = decodeAll([header, asked, answer('m2', 'Yes.'), own])
    assert.deepEqual(shortly(only(events, 'session.start')[1]!), {
      kind: 'session.start',
      native: 't',
      program: 'gemini-cli',
      agentName: 'subagent',
      cwd: '/a',
    })
    assert.deepEqual(
      only(events, 'session.end').map(({ session, reason }) => [session, reason]),
      [
        ['s', 'end_turn'],
        ['t', 'cut'],
      ],
    )
  })

  test('a prompt with an image keeps all its parts; a picture in an answer is content', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AA' } }
    const parts = [{ text: 'Look' }, image]
    const events = decodeAll([
      header,
      line('user', 'm1', parts),
      answer('m2', [{ text: 'hm', thought: true }, { text: 'Nice.' }, image, { executableCode: { code: '1' } }]),
    ])
    assert.deepEqual(shortly(only(events, 'prompt.submit')[0]!)['content'], parts)
    assert.deepEqual(events.slice(4, 8).map(shortly), [
      { kind: 'thought.end', message: 'm2', text: 'hm', streamed: false },
      { kind: 'text.end', message: 'm2', text: 'Nice.', streamed: false },
      { kind: 'content.end', message: 'm2', type: 'image', mime: 'image/png', data: 'AA' },
      { kind: 'content.end', message: 'm2', type: 'other', data: { executableCode: { code: '1' } } },
    ])
  })

  test('a message that is written again says only what is new', () => {
    const thoughts = [{ subject: 'A' }, { subject: 'B' }]
    const events = decodeAll([
      header,
      asked,
      answer('m2', '', { thoughts: [thoughts[0]], tokens: null }),
      answer('m2', 'Yes.', { thoughts }),
      answer('m2', 'Yes.', { thoughts }),
    ])
    assert.deepEqual(kindsOf(events).slice(3), [
      'message.start',
      'thought.end',
      'thought.end',
      'text.end',
      'raw',
      'message.end*',
      'turn.end*',
      'session.end*',
    ])
    assert.deepEqual(shortly(only(events, 'message.end')[0]!)['usage'], usage)
  })
})
