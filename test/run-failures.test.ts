// Runs that fail, whatever the way: one end in every format, the exit code of the table, and the words that each format has for it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { all, at, type Face, faces, gone, kinds, model, one, place, sluice, tell, type Told } from './run-support.ts'
import { command } from './run.ts'
import { quote } from './quote.ts'

/** What each format says of an end. `code`: of session_error. */
type Said = { exit: number; reason?: string; code?: string | number; stop: string; claude: string; appctl?: RegExp }

function says(told: Told, said: Said): void {
  const { aictrl, avenor, appctl, claude, stderr } = told
  assert.equal(told.code, said.exit, stderr)
  const errors = all(aictrl, 'session_error')
  if (said.reason === undefined) assert.deepEqual(errors, [])
  else {
    assert.deepEqual([errors[0]?.['reason'], errors[0]?.['code']], [said.reason, said.code])
    assert.deepEqual(kinds(aictrl, 'type').slice(-2), ['session_error', 'session_complete'])
    assert.ok(all(aictrl, 'error').length > 0, 'no error before session_error')
    assert.equal(one(aictrl, 'session_complete')['error'], errors[0]?.['message'])
  }
  assert.equal(one(avenor, 'session.end')['stop_reason'], said.stop)
  assert.equal(one(claude, 'result')['subtype'], said.claude)
  if (said.appctl === undefined) assert.equal(all(appctl, 'error').length, 0)
  else {
    assert.deepEqual(kinds(appctl).slice(-2), ['error', 'done'])
    assert.match(String(one(appctl, 'error')['message']), said.appctl)
  }
}

const failed = { exit: 1, stop: 'error', claude: 'error_during_execution' }

async function run(t: TestContext, face: Face, script: string, ...more: string[]): Promise<Told> {
  const here = place(t)
  const { args, env } = await model(t, here, face, script)
  return tell(here, ['go', ...args, ...more], { env })
}

suite('the provider', () => {
  for (const face of faces) {
    test(`refuses the key: auth, at once (${face})`, async (t) => {
      const told = await run(t, face, 'turns: [{error: {status: 401, message: bad key}}]')
      says(told, { ...failed, reason: 'auth', code: '401', appctl: /bad key/ })
      assert.equal(all(told.sluice, 'retry.start').length, 0)
    })

    test(`is busy for ever: rate_limit, after the retries that are allowed (${face})`, async (t) => {
      const script = 'turns: [{error: {status: 429, message: slow down, retryAfter: 5ms}}]'
      const told = await run(t, face, script, '--api-retries', '1')
      says(told, { ...failed, reason: 'rate_limit', code: '429', appctl: /slow down/ })
      const [retry] = all(told.sluice, 'retry.start')
      assert.deepEqual([retry?.['attempt'], retry?.['max'], retry?.['delayMs']], [1, 1, 5])
    })

    test(`is busy, then fine: told, and done (${face})`, async (t) => {
      const script = 'turns: [{error: {status: 429, message: slow down, retryAfter: 5ms, times: 2}, text: here I am}]'
      const told = await run(t, face, script)
      says(told, { exit: 0, stop: 'end_turn', claude: 'success' })
      assert.equal(all(told.sluice, 'retry.start').length, 2)
      assert.equal(all(told.aictrl, 'error').length, 2)
      assert.equal(one(told.aictrl, 'session_complete')['error'], null)
      assert.equal(at(one(told.aictrl, 'text'), 'part', 'text'), 'here I am')
    })

    test(`breaks: provider, with its status (${face})`, async (t) => {
      const told = await run(t, face, 'turns: [{error: {status: 500, message: oh no}}]', '--api-retries', '0')
      says(told, { ...failed, reason: 'provider', code: '500', appctl: /oh no/ })
    })

    test(`refuses to answer: exit code 1 (${face})`, async (t) => {
      const told = await run(t, face, 'turns: [{text: I will not., finish: refusal}]')
      says(told, { ...failed, reason: 'unknown', code: 'refusal', stop: 'refusal', appctl: /refus/ })
    })

    test(`stops at the token limit: exit code 3 (${face})`, async (t) => {
      const told = await run(t, face, 'turns: [{text: and then, finish: length}]')
      says(told, { ...failed, exit: 3, reason: 'unknown', code: 'token_limit', stop: 'max_tokens', appctl: /max tokens/ })
      assert.equal(one(told.aictrl, 'message_complete')['finish'], 'max_tokens')
    })
  }

  for (const face of faces.filter((one) => one !== 'google'))
    test(`breaks off the arguments of a call: the model is told, and goes on (${face})`, async (t) => {
      const script = `turns:
        - {tools: [{name: read, input: {filePath: notes.txt}}], malformed: true}
        - {text: I try something else.}`
      const told = await run(t, face, script)
      says(told, { exit: 0, stop: 'end_turn', claude: 'success' })
      assert.equal(at(one(told.aictrl, 'tool_use'), 'part', 'state', 'status'), 'error')
      assert.match(String(one(told.sluice, 'tool.end')['text']), /Send it again with valid JSON/)
    })

  test('breaks off the arguments of a call and keeps it to itself (google): a failure that says so', async (t) => {
    const script = 'turns: [{tools: [{name: read, input: {filePath: notes.txt}}], malformed: true}]'
    const told = await run(t, 'google', script, '--api-retries', '0')
    const { reason, code } = one(told.aictrl, 'session_error')
    says(told, { ...failed, reason: String(reason), code: code as string, appctl: /MALFORMED_FUNCTION_CALL/ })
  })

  test('cuts the stream, then gives it whole: what was cut is told by no format as if it were whole', async (t) => {
    const script = 'turns: [{text: one two three four five six, chunk: 4, cut: 1}]'
    const all5 = await Promise.all(faces.map((face) => run(t, face, script)))
    for (const told of all5) {
      says(told, { exit: 0, stop: 'end_turn', claude: 'success' })
      assert.equal(all(told.sluice, 'retry.start').length, 1)
      assert.equal(at(one(told.aictrl, 'text'), 'part', 'text'), 'one two three four five six')
      assert.deepEqual(at(one(told.claude, 'assistant'), 'message', 'content'), [{ type: 'text', text: 'one two three four five six' }])
    }
  })

  test('cuts the stream behind a call: the call is made once, by the answer that came whole', async (t) => {
    const tools = '[{name: glob, input: {pattern: "*.a"}}, {name: glob, input: {pattern: "*.b"}}, {name: glob, input: {pattern: "*.c"}}]'
    for (const face of ['script', 'anthropic'] as const) {
      const told = await run(t, face, `turns: [{text: I look., tools: ${tools}, cut: 1}, {text: done}]`)
      says(told, { exit: 0, stop: 'end_turn', claude: 'success' })
      assert.equal(all(told.sluice, 'tool.end').filter(({ status }) => status === 'ok').length, 3)
      assert.equal(all(told.appctl, 'tool_call').length, all(told.appctl, 'tool_result').length)
    }
  })

  test('cuts the stream every time: a network failure', async (t) => {
    const told = await run(t, 'anthropic', 'turns: [{text: one two three, chunk: 2, cut: true}]', '--api-retries', '0')
    says(told, { ...failed, reason: 'provider', code: one(told.aictrl, 'session_error')['code'] as string, appctl: /./ })
  })
})

suite('a cap', () => {
  const endless = Array.from({ length: 9 }, () => '  - tools: [{name: glob, input: {pattern: "*"}}]').join('\n')

  test('on turns ends with exit code 4 and the words of each format', async (t) => {
    const told = await run(t, 'anthropic', `turns:\n${endless}`, '--max-turns', '2')
    says(told, {
      exit: 4,
      reason: 'unknown',
      code: 'max_turns',
      stop: 'max_turn_requests',
      claude: 'error_max_turns',
      appctl: /^max iterations reached$/,
    })
    assert.equal(all(told.aictrl, 'message_complete').length, 2)
    assert.equal(all(told.appctl, 'tool_result').length, 2) // the calls of the last answer were made
  })

  test('on turns that the answer just meets is no failure', async (t) => {
    const told = await run(t, 'script', 'turns: [{tools: [{name: glob, input: {pattern: "*"}}]}, {text: done}]', '--max-turns', '2')
    says(told, { exit: 0, stop: 'end_turn', claude: 'success' })
  })

  test('on money ends with exit code 4', async (t) => {
    const told = await run(t, 'script', `model: anthropic/claude-sonnet-4-5\nturns:\n${endless}`, '--max-cost', '0.001')
    says(told, { exit: 4, reason: 'unknown', code: 'max_cost', stop: 'error', claude: 'error_max_budget_usd', appctl: /max cost reached/ })
  })

  test('on tokens waits for no answer, and a call beside that needs none is made', async (t) => {
    const script = 'turns: [{tools: [{name: glob, input: {pattern: "*"}}, {name: bash, input: {command: make}}]}, {text: on and on}]'
    const told = await run(t, 'script', script, '--max-tokens', '1', '--permission-handler', 'control')
    assert.equal(told.code, 4, told.stderr)
    assert.deepEqual(
      all(told.sluice, 'tool.end').map(({ name, status }) => [name, status]),
      [
        ['bash', 'cancelled'],
        ['glob', 'ok'],
      ],
    )
    assert.deepEqual(
      all(told.sluice, 'permission.answer').map(({ permission, decision }) => [permission, decision]),
      [
        ['bash', 'cancelled'],
        ['glob', 'allow'],
      ],
    )
  })

  test('on time ends with exit code 124 while the model thinks', async (t) => {
    const told = await run(t, 'openai', 'turns: [{text: so slow, chunk: 1, delay: 10s}]', '--timeout', '700ms')
    says(told, { exit: 124, reason: 'timeout', code: 'timeout', stop: 'timeout', claude: 'error_during_execution', appctl: /timed out/ })
  })

  test('on time ends a tool that never ends', async (t) => {
    const script = 'turns: [{tools: [{name: bash, input: {command: sleep 600}}]}]'
    const told = await run(t, 'script', script, '--timeout', '900ms', '--permission', 'bash=allow')
    assert.equal(told.code, 124)
    assert.equal(one(told.sluice, 'tool.end')['status'], 'cancelled')
    assert.equal(at(one(told.aictrl, 'tool_use'), 'part', 'state', 'status'), 'error')
  })

  test("of a tool's own ends it, and the run goes on", async (t) => {
    const script = 'turns: [{tools: [{name: bash, input: {command: "sleep 600 & sleep 600", timeout: 300}}]}, {text: too slow}]'
    const told = await run(t, 'anthropic', script, '--permission', 'bash=allow')
    says(told, { exit: 0, stop: 'end_turn', claude: 'success' })
    assert.match(String(one(told.sluice, 'tool.end')['text']), /ran longer than its limit/)
  })
})

suite('what is missing or wrong', () => {
  test('a key: a whole stream that ends with auth', async (t) => {
    const here = place(t)
    const told = await tell(here, ['go', '--model', 'anthropic/claude-sonnet-4-5'])
    says(told, { ...failed, reason: 'auth', code: '401', appctl: /ANTHROPIC_API_KEY/ })
    assert.deepEqual(kinds(told.aictrl, 'type').slice(0, 2), ['session_start', 'tool_catalog'])
  })

  const wrong: [string, string[], RegExp][] = [
    ['a provider', ['--model', 'antropic/x'], /"antropic" is not known; did you mean "anthropic"/],
    ['a model without a provider', ['--model', 'x'], /must be PROVIDER\/MODEL/],
    ['a script', ['--model', 'script/none.yaml'], /none\.yaml" cannot be read: no such file \(built in: /],
    ['a profile', ['--model', 'script/demo', '--profile', 'explor'], /did you mean explore\?/],
    ['settings that are not there', ['--model', 'script/demo', '--settings', 'none.yaml'], /none\.yaml/],
    ['a rule', ['--model', 'script/demo', '--permission', 'bash=perhaps'], /perhaps/],
    ['a program', ['--model', 'script/demo', '--agent', 'other'], /is not known/],
    ['a folder', ['--model', 'script/demo', '--dir', 'none'], /is not a folder/],
    ['a format', ['--model', 'script/demo', '--format', 'xml'], /xml/],
    ['a session', ['--model', 'script/demo', '--resume', 'ses_none'], /there is no session "ses_none"/],
    ['a session to continue', ['--model', 'script/demo', '--continue'], /there is no session/],
    ['an output', ['--model', 'script/demo', '--on-event', '/dev/null/x'], /cannot write to "\/dev\/null\/x"/],
    [
      'a recording that is empty',
      ['--agent', 'replay:/dev/null'],
      /"replay:\/dev\/null": the input is empty, .*; name a file whose dialect/,
    ],
    [
      'a recording that is none',
      ['--agent', `replay:${import.meta.filename}`],
      /no JSON record was found in it; name a file whose dialect/,
    ],
    ['a recording that is a pipe', ['--agent', 'replay:-'], /"replay:-" is a pipe, and a recording is read twice/],
    ['no recording', ['--agent', 'replay:'], /replay: names no file/],
    ['no command', ['--agent', 'acp:'], /--agent "acp:": the command line is empty; say acp:COMMAND/],
    ['a command', ['--agent', "acp:agent 'x"], /has a ' without its end/],
    ['no model at all', [], /no model is chosen/],
  ]
  for (const [what, args, text] of wrong)
    test(`${what}: exit code 2 and a sentence, no stream`, async (t) => {
      const here = place(t)
      const { code, stdout, stderr } = await sluice(here, [
        'run',
        'go',
        ...(args.includes('--format') ? [] : ['--format', 'sluice']),
        ...args,
      ])
      assert.equal(code, 2, stderr)
      assert.equal(stdout, '')
      assert.match(stderr, text)
      assert.doesNotMatch(stderr, /\n\s+at |a fault of sluice/)
      await gone(here)
    })

  test('a folder that cannot be entered, or has gone: exit code 2 and a sentence', async (t) => {
    const here = place(t)
    symlinkSync('circle', join(here.root, 'circle'))
    const circle = await sluice(here, ['run', 'go', '--model', 'script/demo', '--dir', 'circle'])
    assert.deepEqual([circle.code, circle.stderr], [2, 'sluice: cannot work in "circle": its links lead in a circle\n'])
    for (const args of ['run go --model script/demo', 'claude -p go']) {
      const line = `mkdir gone && cd gone && rmdir ../gone && ${quote(command)} ${args}`
      const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: here.top, env: here.env, encoding: 'utf8' })
      assert.match(stderr, /sluice: cannot work in ".": no such file\n$/)
      assert.equal(status, 2)
    }
  })

  test('settings with a wrong key: exit code 2, the file, the line and the nearest key', async (t) => {
    const here = place(t, { '~/.config/sluice/sluice.yaml': 'maxCost: 2\npermision: allow\n' })
    const { code, stderr } = await sluice(here, ['run', 'go', '--model', 'script/demo', '--format', 'sluice'])
    assert.equal(code, 2)
    assert.match(stderr, /sluice\.yaml.*2/)
    assert.match(stderr, /permission/)
  })
})
