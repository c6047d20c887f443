// Transcript files: turns by prompt id, final usage, lanes in files of their own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { decodeAll, eventsIn, fixture, only, recordings, text } from './support.test.ts'

const line = (more: Rec): Rec => ({
  sessionId: 's1',
  uuid: 'u',
  timestamp: '2026-11-15T19:59:49.578Z',
  isSidechain: false,
  version: '2.1.325',
  cwd: '/w',
  ...more,
})
const prompt = (promptId: string, content: string): Rec => line({ type: 'user', promptId, message: { role: 'user', content } })
const answer = (id: string, words: string, stop: string | null = 'end_turn'): Rec =>
  line({
    type: 'assistant',
    message: {
      id,
      model: 'm',
      stop_reason: stop,
      content: [{ type: 'text', text: words }],
      usage: { input_tokens: 1, output_tokens: 2 },
    },
  })

test('each prompt is a turn; the next one or the end of the file ends it', () => {
  const [path] = recordings('j-stdin-multiturn.session/19bf')
  const events = eventsIn(path!)
  assert.deepEqual(
    only(events, 'turn.start').map(({ turn, trigger, synthetic }) => [turn, trigger, synthetic]),
    [
      [1, 'prompt', 'implied'],
      [2, 'prompt', 'implied'],
    ],
  )
  assert.deepEqual(
    only(events, 'turn.end').map(({ turn, reason }) => [turn, reason]),
    [
      [1, 'end_turn'],
      [2, 'end_turn'],
    ],
  )
  assert.deepEqual(
    only(events, 'prompt.submit').map(({ text, state }) => [text, state]),
    [
      [undefined, 'queued'],
      ['Do the task', 'seen'],
      [undefined, 'queued'],
      ['And again', 'seen'],
    ],
  )
  assert.deepEqual(
    only(events, 'message.end').map(({ usageFinal, usage }) => [usageFinal, usage?.output]),
    [
      [true, 34],
      [true, 34],
    ],
  )
  assert.deepEqual(
    only(events, 'session.end').map(({ reason }) => reason),
    ['end_turn'],
  )
  assert.deepEqual(
    only(events, 'usage.update').map(({ cost, usage, cumulative }) => [cost?.usd, usage?.input, cumulative]),
    [[0.003192, 24, true]],
  )
})

test('what the file says of the session', () => {
  const [path] = recordings('b-read.session/3f')
  const events = eventsIn(path!)
  const updates = only(events, 'session.update')
  assert.ok(updates.some(({ version, cwd }) => version === '2.1.325' && cwd === '/home/dev/work/claude/b-read'))
  assert.ok(updates.some(({ model }) => model === 'claude-sonnet-4-5-20250929'))
  assert.equal(only(events, 'skill.load').length, 13)
  assert.ok(only(events, 'catalog.update').some(({ agents }) => agents?.some(({ name }) => name === 'Explore')))
  assert.deepEqual(
    only(events, 'tool.end').map(({ permitted, status }) => [permitted?.by, status]),
    [['mode', 'ok']],
  )
  const stamps = fixture(path!)
    .filter(({ type }) => type === 'assistant')
    .map(({ timestamp }) => Date.parse(String(timestamp)))
  assert.equal(only(events, 'text.end')[0]?.at, stamps[0])
})

test("a subagent's own file is a lane of the session", () => {
  const [path] = recordings('g-subagent-fg.session/1d0b9d83-4a4b-4546-8db0-6d9ea20c6e30__subagents')
  const events = eventsIn(path!)
  assert.deepEqual(
    only(events, 'task.start').map(({ task, synthetic }) => [task, synthetic]),
    [['a1897a804cab1a1e4', 'implied']],
  )
  assert.deepEqual(
    only(events, 'task.end').map(({ status }) => status),
    ['ok'],
  )
  assert.ok(only(events, 'text.end').every(({ agent, turn }) => agent === 'a1897a804cab1a1e4' && turn === 1))
  assert.equal(events[0]?.session, '1d0b9d83-4a4b-4546-8db0-6d9ea20c6e30')
})

test('a background task ends with the prompt that it wakes the agent with', () => {
  const [path] = recordings('g-subagent.session/68286823-127a-462f-a4ad-a6f6e6032f27.jsonl')
  const events = eventsIn(path!)
  assert.deepEqual(
    only(events, 'task.end').map(({ task, status, text }) => [task, status, text]),
    [['af335a46ae9ab406e', 'ok', 'Agent "Count lines" finished']],
  )
  assert.deepEqual(
    only(events, 'turn.start').map(({ trigger }) => trigger),
    ['prompt', 'task'],
  )
})

test('limits, interrupts, durations, retries and failures end a turn in their way', () => {
  const reasons = (...records: Rec[]) => only(decodeAll(records), 'turn.end').map(({ reason }) => reason)
  const [limited] = recordings('m-max-turns.session/49d')
  assert.deepEqual(
    only(eventsIn(limited!), 'turn.end').map(({ reason }) => reason),
    ['max_turns'],
  )
  assert.deepEqual(
    reasons(
      prompt('p1', 'go'),
      answer('m1', 'half', 'tool_use'),
      prompt('p1', '[Request interrupted by user]'),
      prompt('p2', 'again'),
      answer('m2', 'ok'),
    ),
    ['cancelled', 'end_turn'],
  )
  const timed = decodeAll([prompt('p1', 'go'), answer('m1', 'ok'), line({ type: 'system', subtype: 'turn_duration', durationMs: 1200 })])
  assert.deepEqual(
    only(timed, 'turn.end').map(({ durationMs, synthetic, reason }) => [durationMs, synthetic, reason]),
    [[1200, undefined, 'end_turn']],
  )
  const failed = { ...answer('m1', 'API Error: 529 Overloaded', 'stop_sequence'), isApiErrorMessage: true }
  const [end] = only(
    decodeAll([
      prompt('p1', 'go'),
      line({
        type: 'system',
        subtype: 'api_error',
        retryAttempt: 1,
        maxRetries: 10,
        retryInMs: 500,
        error: { status: 529 },
      }),
      failed,
    ]),
    'turn.end',
  )
  assert.deepEqual([end?.reason, end?.error?.category], ['error', 'overloaded'])
  assert.deepEqual(reasons(prompt('p1', 'go'), answer('m1', 'calling', 'tool_use')), ['cut'])
})

test('hooks, titles and modes', () => {
  const events = decodeAll([
    prompt('p1', 'go'),
    line({
      type: 'attachment',
      attachment: { type: 'hook_blocking_error', hookName: 'Stop', hookEvent: 'Stop', exitCode: 2 },
    }),
    line({
      type: 'attachment',
      attachment: {
        type: 'hook_success',
        hookName: 'PreToolUse:Read',
        hookEvent: 'PreToolUse',
        toolUseID: 't',
        content: 'fine',
      },
    }),
    { type: 'summary', summary: 'Counting lines', leafUuid: 'l' },
    { type: 'permission-mode', permissionMode: 'plan', sessionId: 's1' },
    line({ type: 'system', subtype: 'stop_hook_summary', hookCount: 1 }),
    { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
    answer('m1', 'ok'),
  ])
  assert.deepEqual(
    only(events, 'hook.end').map(({ status, exitCode, text, call }) => [status, exitCode, text, call]),
    [
      ['denied', 2, undefined, undefined],
      ['ok', undefined, 'fine', 't'],
    ],
  )
  assert.deepEqual(
    only(events, 'session.update')
      .flatMap(({ title, mode }) => [title, mode])
      .filter((word) => word !== undefined),
    ['Counting lines', 'plan'],
  )
  assert.deepEqual(only(events, 'issue'), [])
})

test("a subagent's file that lost its first lines begins with its task all the same", () => {
  const lane = { isSidechain: true, agentId: 'kid' }
  const attached = line({ type: 'attachment', ...lane, attachment: { type: 'model', identity: { modelId: 'm' } } })
  const failed = line({ type: 'system', subtype: 'api_error', ...lane, error: { status: 529 }, retryAttempt: 1 })
  for (const first of [attached, failed]) {
    const [begun] = decodeAll([first]).filter(({ kind, agent }) => kind === 'task.start' || agent !== undefined)
    assert.equal(begun?.kind, 'task.start')
  }
})

test('a file that was cut inside a message tells the tokens that were told last', () => {
  const [first, last] = [answer('m1', 'one', null), answer('m1', 'two', null)]
  Object.assign(last['message'] as Rec, { usage: { input_tokens: 1, output_tokens: 60 } })
  const [end] = only(decodeAll([prompt('p1', 'go'), first, last]), 'message.end')
  assert.deepEqual([end?.synthetic, end?.usage?.output], ['cut', 60])
})

test('the status of an error, and what a file was forked from', () => {
  const events = decodeAll([
    line({ type: 'user', message: { role: 'user', content: 'go' }, promptId: 'p', forkedFrom: { sessionId: 'before', messageUuid: 'u' } }),
    line({
      type: 'assistant',
      message: { id: 'm', model: '<synthetic>', content: [text('API Error: something')] },
      isApiErrorMessage: true,
      error: 'unknown',
      apiErrorStatus: 529,
    }),
  ])
  assert.deepEqual(
    only(events, 'session.start').map(({ how, forkedFrom }) => [how, forkedFrom]),
    [['forked', 'before']],
  )
  assert.deepEqual(
    only(events, 'error').map(({ error }) => [error.category, error.http]),
    [['overloaded', 529]],
  )
})
