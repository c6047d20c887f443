// Events on stdout and the one object, by value.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { toolFailed } from '../../model/outcome.ts'
import { asked, decodeAll, ended, gave, init, kindsOf, only, said, shortly, timestamp, trouble, use } from './support.test.ts'

const at = Date.parse(timestamp)
const stats = {
  total_tokens: 1066,
  input_tokens: 1012,
  output_tokens: 34,
  cached: 1000,
  input: 12,
  duration_ms: 75,
  tool_calls: 0,
  models: { m: { total_tokens: 1066, input_tokens: 1012, output_tokens: 34, cached: 1000, input: 12 } },
}
const usage = { input: 12, output: 34, reasoning: 20, cacheRead: 1000 }

test('a run is a session with one turn', () => {
  const events = decodeAll([init, asked, said('a'), said('b'), ended({ stats })])
  assert.deepEqual(events.map(shortly), [
    { kind: 'session.start', native: 's', program: 'gemini-cli', model: 'm' },
    { kind: 'turn.start', trigger: 'prompt', synthetic: 'implied' },
    { kind: 'prompt.submit', text: 'Do the task', by: 'user', state: 'sent' },
    { kind: 'text.delta', text: 'a' },
    { kind: 'text.delta', text: 'b' },
    { kind: 'text.end', streamed: true, synthetic: 'implied' },
    { kind: 'turn.end', reason: 'end_turn', usage, byModel: [{ model: 'm', usage }], durationMs: 75 },
    { kind: 'session.end', reason: 'end_turn', usage, durationMs: 75 },
  ])
  assert.ok(events.every((event) => event.session === 's' && event.at === at))
})

test('times of any form are read, and what is no time is left out', () => {
  const times = ['2026-11-15T20:05:39.929Z', '2026-11-15T20:05:59.001Z', '2026-11-15T21:05:39+01:00', '2026-11-15T20:05:xx.000Z', 'soon']
  const events = decodeAll([init, asked, ...times.map((time) => ({ ...said('a'), timestamp: time }))])
  assert.deepEqual(
    only(events, 'text.delta').map((event) => event.at),
    [at, at + 19_072, at - 929, undefined, undefined],
  )
})

test('a whole answer ends what was streamed, or stands alone', () => {
  const whole = { ...said('ab'), delta: false }
  assert.deepEqual(only(decodeAll([init, asked, said('a'), said('b'), whole, whole, ended()]), 'text.end').map(shortly), [
    { kind: 'text.end', text: 'ab', streamed: true },
    { kind: 'text.end', text: 'ab', streamed: false },
  ])
})

suite('tokens', () => {
  const counted = (counts: Rec): unknown => only(decodeAll([init, asked, ended({ stats: counts })]), 'turn.end').map(shortly)[0]!['usage']

  test('cached ones are no input, and what only the total has are thoughts', () => assert.deepEqual(counted(stats), usage))
  test('older versions count no cached ones', () =>
    assert.deepEqual(counted({ total_tokens: 30, input_tokens: 10, output_tokens: 20 }), { input: 10, output: 20, reasoning: 0 }))
  test('without a total nothing is said of thoughts', () =>
    assert.deepEqual(counted({ input_tokens: 5, output_tokens: 1 }), { input: 5, output: 1 }))
  test('numbers that cannot be are left out', () =>
    assert.deepEqual(counted({ total_tokens: 0.5, input_tokens: -1, output_tokens: 1, cached: 3, input: 7 }), {
      input: 7,
      output: 1,
      cacheRead: 3,
    }))
})

suite('tools', () => {
  const endOf = (fields: Rec, name?: string): Rec =>
    shortly(only(decodeAll([init, asked, use('c', name), gave('c', fields), ended()]), 'tool.end')[0]!)

  test('a call and its result', () => {
    const events = decodeAll([init, asked, use('c', 'read_file', { file_path: '/a' }), gave('c', { output: 'x' }), ended()])
    assert.deepEqual(events.slice(3, 5).map(shortly), [
      { kind: 'tool.start', call: 'c', name: 'read_file', toolKind: 'read', input: { file_path: '/a' }, paths: ['/a'] },
      { kind: 'tool.end', call: 'c', status: 'ok', text: 'x' },
    ])
  })

  test('the server of a tool is in its name', () => {
    const servers = ['mcp_echo_say_it', 'echo__say', 'read_file', 'mcp_', '__x'].map(
      (name) => only(decodeAll([init, asked, use('c', name)]), 'tool.start')[0]!.server,
    )
    assert.deepEqual(servers, ['echo', 'echo', undefined, undefined, undefined])
  })

  test('a command that printed nothing has its code in a sentence, and has failed', () => {
    const end = endOf({ output: 'Command exited with code: 3' })
    assert.deepEqual(end, { kind: 'tool.end', call: 'c', status: 'ok', exitCode: 3, text: 'Command exited with code: 3' })
    assert.equal(toolFailed(end as never), true)
  })

  test('in debug mode the list after the output has it', () => {
    for (const output of ['a', 'a\n'.repeat(5000)])
      assert.equal(endOf({ output: `Output: ${output}\nExit Code: 127\nProcess Group PGID: 9` })['exitCode'], 127)
    assert.equal(
      endOf({ output: 'Command: x\nStdout: a\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 9' })['exitCode'],
      0,
    )
  })

  test('what a command printed is no exit code, nor what another tool says', () => {
    assert.equal(endOf({ output: 'Exit Code: 3\nand more' })['exitCode'], undefined)
    assert.equal(endOf({ output: 'Command exited with code: 3' }, 'read_file')['exitCode'], undefined)
  })

  test('a command that was stopped did not go well', () => {
    assert.equal(endOf({ output: 'Command terminated by signal: SIGKILL' })['status'], 'error')
    assert.equal(endOf({ output: 'Command cancelled by user.\n\nOutput before cancellation:\na' })['status'], 'cancelled')
    const { status, error } = endOf({
      output: 'Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.',
    })
    assert.deepEqual([status, (error as Rec)['category']], ['error', 'timeout'])
  })

  test('an error has its type as code', () => {
    const message = 'File not found: /a'
    assert.deepEqual(endOf({ status: 'error', output: 'File not found.', error: { type: 'file_not_found', message } }), {
      kind: 'tool.end',
      call: 'c',
      status: 'error',
      error: { category: 'unknown', text: message, code: 'file_not_found' },
      text: 'File not found.',
    })
  })

  test('a refusal is told as one, with who refused', () => {
    const refused = (message: string, type = 'unhandled_exception'): unknown[] => {
      const { status, permitted, text } = endOf({ status: 'error', error: { type, message } })
      assert.equal(text, message)
      return [status, permitted]
    }
    assert.deepEqual(refused('Tool execution denied by policy. Ask first.'), ['denied', { allow: false, by: 'rule' }])
    assert.deepEqual(refused('No.', 'policy_violation'), ['denied', { allow: false, by: 'rule' }])
    assert.deepEqual(refused('Tool execution for "Shell" requires user confirmation, which is not supported in non-interactive mode.'), [
      'denied',
      { allow: false, by: 'headless' },
    ])
    assert.deepEqual(refused('Tool "x" not found.', 'tool_not_registered'), ['error', undefined])
  })

  test('a result that comes twice is told once; one of no call brings its start along', () => {
    const events = decodeAll([init, asked, use('a'), use('a'), gave('a'), gave('a'), gave('b'), ended()])
    assert.deepEqual(kindsOf(events).slice(3, -2), ['tool.start', 'raw', 'tool.end', 'raw', 'tool.start*', 'tool.end'])
  })

  test('a call that nobody answered is abandoned', () => {
    const [end] = only(decodeAll([init, asked, use('a'), ended()]), 'tool.end')
    assert.deepEqual([end!.status, end!.synthetic], ['abandoned', 'cut'])
  })
})

suite('why a run ended', () => {
  const endOf = (...records: Rec[]): unknown[] => {
    const events = decodeAll([init, asked, ...records])
    const [turn] = only(events, 'turn.end')
    const [session] = only(events, 'session.end')
    assert.deepEqual([session!.reason, session!.error], [turn!.reason, turn!.error])
    return [turn!.reason, turn!.error?.category, turn!.error?.code ?? turn!.error?.http]
  }
  const failed = (type: string, message: string): Rec => ended({ status: 'error', error: { type, message } })

  test('the error of the result, with the status that stands in its text', () => {
    assert.deepEqual(endOf(failed('FatalTurnLimitedError', 'Reached max session turns')), ['max_turns', 'unknown', 'FatalTurnLimitedError'])
    assert.deepEqual(endOf(failed('FatalAuthenticationError', 'no')), ['error', 'auth', 'FatalAuthenticationError'])
    assert.deepEqual(endOf(failed('FatalCancellationError', 'Operation cancelled.')), ['cancelled', 'cancelled', 'FatalCancellationError'])
    assert.deepEqual(endOf(failed('unknown', '[API Error: {"error":{"code":429,"message":"Quota"}}]')), ['error', 'rate_limit', 429])
    assert.deepEqual(endOf(failed('unknown', 'got status: 503 Service Unavailable. {}')), ['error', 'overloaded', 503])
    assert.deepEqual(endOf(failed('unknown', 'no "code": 7')), ['error', 'unknown', undefined])
  })

  test('what stopped the run, though the result says success', () => {
    assert.deepEqual(endOf(trouble('warning', 'Loop detected, stopping execution'), ended()), ['degenerate', 'unknown', 'loop'])
    assert.deepEqual(endOf(trouble('error', 'Maximum session turns exceeded'), ended()), ['max_turns', 'unknown', 'max_turns'])
    assert.deepEqual(endOf(trouble('warning', 'Agent execution blocked: no'), ended()), ['blocked', 'unknown', 'blocked'])
    assert.deepEqual(endOf(trouble('error', 'RESOURCE_EXHAUSTED status: 429'), ended()), ['error', 'rate_limit', 429])
    assert.deepEqual(endOf(use('a'), gave('a', { status: 'error', error: { type: 'stop_execution', message: 'hook' } }), ended()), [
      'blocked',
      'unknown',
      'stop_execution',
    ])
  })

  test('nothing stopped it when it went on, or was only warned', () => {
    assert.deepEqual(endOf(trouble('warning', 'Agent execution blocked: no'), said('b'), ended()), ['end_turn', undefined, undefined])
    assert.deepEqual(endOf(trouble('error', 'x'), use('a'), gave('a'), ended()), ['end_turn', undefined, undefined])
    assert.deepEqual(endOf(trouble('warning', 'careful'), ended()), ['end_turn', undefined, undefined])
  })

  test('a failure without an error has that of the record before', () => {
    assert.deepEqual(endOf(trouble('error', 'Invalid stream: nothing came'), ended({ status: 'error' })), ['error', 'unknown', undefined])
    assert.deepEqual(endOf(ended({ status: 'error' })), ['error', undefined, undefined])
  })

  test('a warning is a notice, an error an error that need not be the end', () => {
    const events = decodeAll([init, asked, trouble('warning', 'Loop detected, stopping execution'), trouble('error', 'x'), ended()])
    assert.deepEqual(events.slice(3, 5).map(shortly), [
      { kind: 'notice', level: 'warn', code: 'loop', text: 'Loop detected, stopping execution' },
      { kind: 'error', scope: 'turn', fatal: false, error: { category: 'unknown', text: 'x' } },
    ])
  })
})

suite('several runs', () => {
  test('an init ends a run that has no result', () => {
    const events = decodeAll([init, asked, use('a'), { ...init, session_id: 't' }, asked, ended()])
    const ends = only(events, 'session.end').map(({ session, reason, synthetic }) => [session, reason, synthetic])
    assert.deepEqual(ends, [
      ['s', 'cut', 'cut'],
      ['t', 'end_turn', undefined],
    ])
    assert.deepEqual(
      only(events, 'tool.end').map(({ status }) => status),
      ['abandoned'],
    )
  })

  test('a session that begins again is resumed, and its turns go on counting', () => {
    const events = decodeAll([init, asked, ended(), init, asked, ended(), init])
    assert.deepEqual(
      only(events, 'session.start').map(({ how }) => how),
      [undefined, 'resumed', 'resumed'],
    )
    assert.deepEqual(
      only(events, 'turn.start').map(({ turn }) => turn),
      [1, 2],
    )
  })

  test('what follows a result begins nothing anew', () => {
    const events = decodeAll([init, asked, ended(), said('late'), ended(), { type: 'new', x: 1 }])
    assert.deepEqual(
      only(events, 'raw').map(({ type, why }) => [type, why]),
      [
        ['message', 'unmapped'],
        ['result', 'redundant'],
        ['new', 'unknown'],
      ],
    )
    assert.equal(only(events, 'session.start').length, 1)
  })
})

suite('the one object', () => {
  const tokens = { input: 12, prompt: 1012, candidates: 34, total: 1069, cached: 1000, thoughts: 20, tool: 3 }
  const models = {
    m: { api: { totalRequests: 2, totalLatencyMs: 110 }, tokens },
    n: { api: { totalRequests: 1, totalLatencyMs: 5 }, tokens },
  }

  test('is a whole session', () => {
    const half = { input: 15, output: 34, reasoning: 20, cacheRead: 1000 }
    const whole = { input: 30, output: 68, reasoning: 40, cacheRead: 2000 }
    assert.deepEqual(decodeAll([{ session_id: 's', response: 'Hi', stats: { models } }]).map(shortly), [
      { kind: 'session.start', native: 's', program: 'gemini-cli', synthetic: 'implied' },
      { kind: 'turn.start', trigger: 'prompt', synthetic: 'implied' },
      { kind: 'text.end', text: 'Hi', streamed: false },
      {
        kind: 'turn.end',
        reason: 'end_turn',
        text: 'Hi',
        usage: whole,
        byModel: [
          { model: 'm', usage: half },
          { model: 'n', usage: half },
        ],
        apiMs: 115,
        steps: 3,
      },
      { kind: 'session.end', reason: 'end_turn', usage: whole, text: 'Hi' },
    ])
  })

  test('may be an error, as it stands on stderr', () => {
    const failed = (error: Rec): unknown[] => {
      const [end] = only(decodeAll([{ session_id: 's', error }]), 'turn.end')
      return [end!.reason, end!.error?.category, end!.error?.code, end!.error?.http]
    }
    assert.deepEqual(failed({ type: 'FatalTurnLimitedError', message: 'x', code: 53 }), [
      'max_turns',
      'unknown',
      'FatalTurnLimitedError',
      undefined,
    ])
    assert.deepEqual(failed({ type: 'Error', message: 'x', code: 401 }), ['error', 'auth', 'Error', 401])
    assert.deepEqual(failed({ type: 'unknown', message: 'x', code: 'E1' }), ['error', 'unknown', 'E1', undefined])
  })

  test('has warnings, and the loop among them ended it', () => {
    const events = decodeAll([
      { session_id: 's', response: '', stats: { models }, warnings: ['Loop detected, stopping execution', 'careful'] },
    ])
    assert.deepEqual(
      only(events, 'notice').map(({ code, text }) => [code, text]),
      [
        ['loop', 'Loop detected, stopping execution'],
        [undefined, 'careful'],
      ],
    )
    assert.equal(only(events, 'turn.end')[0]!.reason, 'degenerate')
    assert.deepEqual(only(events, 'text.end'), [])
  })
})

test('unknown keys are kept, however deep they stand', () => {
  const models = { m: { ...stats.models.m, moon_tokens: 1 } }
  const [end] = only(decodeAll([init, asked, said('a'), ended({ stats: { ...stats, models, weather: 'fine' } })]), 'turn.end')
  assert.deepEqual(JSON.parse(JSON.stringify(end?.ext)), { gemini: { stats: { models: { m: { moon_tokens: 1 } }, weather: 'fine' } } })
})
