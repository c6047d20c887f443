// bin/sluice-claude as a host of Claude Code meets it: the same lines, the same flags, a scripted model.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { allow, blocksOf, createScene, deny, door, isQuestion, isResult, type Line, startHost } from './claude-host.ts'
import { command, root, sluice } from './run.ts'

const turns = 'model: anthropic/claude-sonnet-5\nturns: [{ text: First. }, { text: Second. }]\n'
const running = `
model: anthropic/claude-sonnet-5
turns:
  - tools: [{ name: bash, input: { command: echo one > made.txt } }]
  - text: That is all.
`
const slow = `turns: [{ text: "${'word '.repeat(200)}", chunk: 5, delay: 50ms }, { text: Again. }]\n`

/** The stream is legal, and nothing in it is unknown. */
function assertLegal(lines: readonly Line[]): void {
  const { status, stdout, stderr } = sluice(
    ['validate', '--dialect', 'claude', '-'],
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  )
  assert.equal(status, 0, stdout + stderr)
}

const typesOf = (lines: readonly Line[]): string[] =>
  lines.map(({ type, subtype }) => (subtype === undefined ? type : `${type}/${subtype}`))

test('the handshake, two turns, and the end of stdin', async () => {
  using scene = createScene(turns)
  const host = startHost(scene)
  host.write({ type: 'control_request', request_id: 'i', request: { subtype: 'initialize', systemPrompt: [''] } })
  host.prompt([{ type: 'text', text: 'one' }])
  await host.until(isResult)
  host.prompt('two')
  assert.equal(await host.finish(), 0, host.stderr())
  assert.deepEqual(typesOf(host.lines), [
    'control_response',
    'system/init',
    'assistant',
    'result/success',
    'system/init',
    'assistant',
    'result/success',
  ])
  const reply = (host.lines[0]!['response'] as Line)['response'] as Line
  for (const key of ['commands', 'agents', 'models', 'output_style', 'account']) assert.ok(key in reply, key)
  const [first, second] = host.lines.filter(isResult)
  assert.deepEqual([first!['result'], second!['result']], ['First.', 'Second.'])
  assert.equal(new Set(host.lines.slice(1).map((line) => line['session_id'])).size, 1)
  assert.ok(Number(second!['total_cost_usd']) > Number(first!['total_cost_usd']))
  const { 'claude-sonnet-5': used } = first!['modelUsage'] as Record<string, Line>
  assert.ok(Number(used!['contextWindow']) >= 200_000)
  assertLegal(host.lines)
})

test('the end of stdin right behind the prompts stops nothing', async () => {
  using scene = createScene(turns)
  const host = startHost(scene)
  host.prompt('one')
  host.prompt('two')
  assert.equal(await host.finish(), 0)
  assert.deepEqual(
    host.lines.filter(isResult).map(({ result }) => result),
    ['First.', 'Second.'],
  )
})

test('a host that asks nothing of the agent gets no session', async () => {
  using scene = createScene(turns)
  const host = startHost(scene)
  await host.request('i', { subtype: 'initialize' })
  assert.equal(await host.finish(), 0)
  assert.deepEqual(typesOf(host.lines), ['control_response'])
  assert.equal(existsSync(join(scene.env.HOME, '.local/share/sluice/sessions')), false)
})

test('a prompt of the command line is not dropped without a word where prompts come on stdin', () => {
  const { status, stdout, stderr } = sluice(['claude', '-p', 'hi', '--model', 'script/demo', '--input-format', 'stream-json'], '')
  assert.deepEqual([status, stdout], [0, ''])
  assert.match(stderr, /prompt of the command line is passed over/)
})

test('a permission is asked and allowed, with another input if the host wants it', async () => {
  for (const [more, made] of [
    [{}, 'one\n'],
    [{ updatedInput: { command: 'echo two > made.txt' } }, 'two\n'],
  ] as const) {
    using scene = createScene(running)
    const host = startHost(scene, ['--permission-prompt-tool', 'stdio'])
    host.prompt('go')
    const question = await host.until(isQuestion)
    const { subtype, tool_name, input, tool_use_id, permission_suggestions } = question['request'] as Line
    assert.deepEqual([subtype, tool_name, input], ['can_use_tool', 'bash', { command: 'echo one > made.txt' }])
    assert.equal(tool_use_id, blocksOf(host.lines, 'tool_use')[0]?.['id'])
    assert.ok(Array.isArray(permission_suggestions))
    host.write(allow(question, more))
    assert.equal(await host.finish(), 0)
    assert.equal(readFileSync(join(scene.cwd, 'made.txt'), 'utf8'), made)
    assert.equal(typesOf(host.lines).includes('control_response'), false, 'the answer comes back')
    assert.deepEqual(host.lines.find(isResult)?.['permission_denials'], [])
    assertLegal(host.lines)
  }
})

test('a permission is refused by the host, by its silence, or because nobody can be asked', async () => {
  const ways: [flags: string[], answer: (question: Line) => object | undefined, told: RegExp][] = [
    [['--permission-prompt-tool=stdio'], (question) => deny(question, 'not today'), /not today/],
    [['--permission-prompt-tool=stdio'], () => undefined, /Nobody answered/],
    [[], () => undefined, /nobody can be asked/],
  ]
  for (const [flags, answer, told] of ways) {
    using scene = createScene(running)
    const host = startHost(scene, flags)
    host.prompt('go')
    if (flags.length > 0) {
      const reply = answer(await host.until(isQuestion))
      if (reply !== undefined) host.write(reply)
    }
    assert.equal(await host.finish(), 0)
    assert.equal(host.lines.some(isQuestion), flags.length > 0)
    const [given] = blocksOf(host.lines, 'tool_result')
    assert.equal(given?.['is_error'], true)
    assert.match(String(given['content']), told)
    const result = host.lines.find(isResult)
    assert.equal(result?.['result'], 'That is all.')
    assert.deepEqual(
      (result['permission_denials'] as Line[]).map(({ tool_name }) => tool_name),
      ['bash'],
    )
    assert.equal(existsSync(join(scene.cwd, 'made.txt')), false)
    assertLegal(host.lines)
  }
})

test("an answer for always holds for the session, and the host's mode counts at once", async () => {
  const echo = '{ tools: [{ name: bash, input: { command: echo hi } }] }'
  using scene = createScene(
    `turns: [${echo}, ${echo}, { tools: [{ name: write, input: { filePath: b.txt, content: x } }] }, { text: Done. }]\n`,
  )
  const host = startHost(scene, ['--permission-prompt-tool', 'stdio'])
  host.prompt('go')
  const question = await host.until(isQuestion)
  await host.request('m', { subtype: 'set_permission_mode', mode: 'acceptEdits' })
  host.write(allow(question, { updatedPermissions: (question['request'] as Line)['permission_suggestions'] }))
  assert.equal(await host.finish(), 0)
  assert.equal(host.lines.filter(isQuestion).length, 1)
  assert.equal(readFileSync(join(scene.cwd, 'b.txt'), 'utf8'), 'x')
})

test('a key in a command is covered for the host, and what it sends back unchanged runs as it was', async () => {
  const key = `ghp_${'A1b2C3d4E5'.repeat(4)}`.slice(0, 40)
  using scene = createScene(`turns: [{ tools: [{ name: bash, input: { command: "echo ${key} > made.txt" } }] }, { text: Done. }]\n`)
  const host = startHost(scene, ['--permission-prompt-tool', 'stdio'])
  host.prompt('go')
  const question = await host.until(isQuestion)
  const { input } = question['request'] as { input: Line }
  assert.ok(!JSON.stringify(input).includes(key), 'the key is shown')
  host.write(allow(question, { updatedInput: input }))
  assert.equal(await host.finish(), 0)
  assert.equal(readFileSync(join(scene.cwd, 'made.txt'), 'utf8'), `${key}\n`)
})

test('a host brings words for the model, subagents and servers of its own', async () => {
  using scene = createScene(`
lanes:
  - name: helper
    when: { system: You help pirates }
    turns: [{ text: Ahoy. }]
  - name: main
    when: { system: "/(?s)You are a pirate.*Be brief/" }
    turns:
      - tools: [{ name: task, input: { description: help, prompt: help me, subagent_type: mate } }, { name: extra_echo, input: { text: hi } }]
      - text: Arr.
turns: [{ text: Hello. }]
`)
  const server = { command: process.execPath, args: [join(root, 'test/mcp-server.ts')] }
  const host = startHost(scene, [
    '--allowedTools=mcp__extra',
    '--mcp-config',
    JSON.stringify({ mcpServers: { extra: server } }),
    '--strict-mcp-config',
  ])
  const agents = { mate: { description: 'helps', prompt: 'You help pirates', tools: ['Read'] } }
  const init = { subtype: 'initialize', systemPrompt: ['You are a pirate'], appendSystemPrompt: 'Be brief', agents, hooks: { Stop: [] } }
  await host.request('i', init)
  host.prompt('go')
  assert.equal((await host.until(isResult))['result'], 'Arr.')
  assert.equal(await host.finish(), 0)
  const start = host.lines.find(({ subtype }) => subtype === 'init')!
  assert.deepEqual(start['mcp_servers'], [{ name: 'extra', status: 'connected' }])
  assert.ok((start['agents'] as string[]).includes('mate'))
  const [use] = blocksOf(host.lines, 'tool_use')
  const inside = host.lines.filter(({ parent_tool_use_id }) => parent_tool_use_id === use?.['id'])
  assert.deepEqual(
    blocksOf(inside, 'text')
      .map(({ text }) => text)
      .slice(-1),
    ['Ahoy.'],
  )
  assert.ok(host.lines.some(({ content }) => String(content).includes('hooks for Stop are not called')))
  assert.equal(
    blocksOf(host.lines, 'tool_result').every(({ is_error }) => is_error === false),
    true,
  )
  assertLegal(host.lines)
})

test('interrupts end the turn that runs, or the one that is about to, and no more', async () => {
  using scene = createScene(slow)
  const host = startHost(scene, ['--include-partial-messages'])
  host.prompt('one')
  await host.until(({ type }) => type === 'stream_event')
  await host.request('a', { subtype: 'interrupt' })
  const result = await host.until(isResult)
  assert.deepEqual([result.subtype, result['errors']], ['error_during_execution', []])
  host.prompt('two')
  assert.equal(await host.finish(), 0)
  assert.equal(host.lines.filter(isResult).at(-1)?.['result'], 'Again.')

  using early = createScene(slow)
  const other = startHost(early)
  other.prompt('one')
  other.write({ type: 'control_request', request_id: 'b', request: { subtype: 'interrupt' } })
  assert.equal(await other.finish(), 0)
  assert.equal(other.lines.find(isResult)?.subtype, 'error_during_execution')
  assertLegal(other.lines)
})

test('every request is answered, also those that nobody knows', async () => {
  using scene = createScene(turns)
  const host = startHost(scene)
  const body = async (id: string, request: object): Promise<Line> => (await host.request(id, request))['response'] as Line
  assert.deepEqual((await body('1', { subtype: 'mcp_status' }))['response'], { mcpServers: [] })
  assert.equal((await body('2', { subtype: 'set_model', model: 'sonnet' })).subtype, 'success')
  assert.equal((await body('3', { subtype: 'set_max_thinking_tokens', max_thinking_tokens: 5 })).subtype, 'success')
  assert.match(String((await body('4', { subtype: 'set_permission_mode', mode: 'free' }))['error']), /"free" is not known/)
  assert.match(String((await body('5', { subtype: 'rewind_files' }))['error']), /Unsupported control request subtype: rewind_files/)
  assert.equal((await body('6', {})).subtype, 'error')
  host.prompt('one')
  await host.until(isResult)
  const usage = (await body('7', { subtype: 'get_context_usage' }))['response'] as Line
  assert.ok(Number(usage['totalTokens']) > 0 && Number(usage['maxTokens']) >= 200_000)
  assert.equal(await host.finish(), 0)
})

test('garbage on stdin is passed over', async () => {
  using scene = createScene(turns)
  const host = startHost(scene)
  host.write(
    '',
    'garbage',
    '{"type":"user"',
    'null',
    '7',
    '[1,{}]',
    '{}',
    '{"type":"user","message":{"content":[{}]}}',
    '{"type":"control_response"}',
  )
  host.write('{"type":"control_request","request":{}}', '\u0000\u0001', `{"type":"${'x'.repeat(100_000)}"}`)
  host.prompt('one')
  assert.equal((await host.until(isResult))['result'], 'First.')
  assert.equal(await host.finish(), 0)
  assert.match(host.stderr(), /passed over on stdin/)
})

test('how a session ends is told by its result and its exit code', async () => {
  const ways: [script: string, flags: string[], subtype: string, code: number][] = [
    ['turns: [{ error: { status: 401, message: bad key } }]\n', [], 'error_during_execution', 1],
    [`turns: [{ tools: [{ name: glob, input: { pattern: '*' } }] }, { text: no }]\n`, ['--max-turns', '1'], 'error_max_turns', 4],
  ]
  for (const [script, flags, subtype, code] of ways) {
    using scene = createScene(script)
    const host = startHost(scene, flags)
    host.prompt('go')
    assert.equal(await host.finish(), code, host.stderr())
    const result = host.lines.at(-1)!
    assert.equal(result.subtype, subtype)
    assert.ok(Array.isArray(result['errors']) && result['errors'].length > 0)
    assertLegal(host.lines)
  }
  using scene = createScene(slow)
  const host = startHost(scene)
  host.prompt('go')
  await host.until(({ subtype }) => subtype === 'init')
  host.child.kill('SIGTERM')
  await host.until(isResult)
  assert.equal(await host.finish(), 143)
  assertLegal(host.lines)
})

test('a session goes on in another process', async () => {
  using scene = createScene(turns)
  const first = startHost(scene)
  first.prompt('one')
  const { session_id } = await first.until(isResult)
  await first.finish()
  const second = startHost(scene, [`--resume=${String(session_id)}`])
  second.prompt('two')
  await second.finish()
  const result = second.lines.find(isResult)
  assert.deepEqual([result?.['result'], result?.['session_id']], ['Second.', session_id])
  assert.equal(readdirSync(join(scene.env.HOME, '.local/share/sluice/sessions')).length, 1)
})

test('one prompt on the command line: text, JSON, all records', () => {
  using scene = createScene(turns)
  const print = (...flags: string[]) => spawnSync(door, ['-p', 'hello', ...flags], { ...scene, encoding: 'utf8', input: '' })
  assert.equal(print().stdout, 'First.\n')
  assert.equal((JSON.parse(print('--output-format', 'json').stdout) as Line)['result'], 'First.')
  assert.deepEqual(typesOf(JSON.parse(print('--output-format=json', '--verbose').stdout) as Line[]), [
    'system/init',
    'assistant',
    'result/success',
  ])
  assert.equal(print('--output-format', 'stream-json').stdout.trim().split('\n').length, 3)
  const wrong = print('--output-format', 'yaml')
  assert.deepEqual([wrong.status, wrong.stdout], [2, ''])
  assert.match(wrong.stderr, /give text, json, stream-json/)
})

test('through a link and with nothing in the environment but a home', () => {
  using scene = createScene(turns)
  const link = join(scene.env.HOME, 'claude')
  symlinkSync(door, link)
  const { HOME, SLUICE_MODEL } = scene.env
  const { status, stdout, stderr } = spawnSync(link, ['-p', 'hello'], {
    cwd: scene.cwd,
    env: { HOME, SLUICE_MODEL },
    encoding: 'utf8',
    input: '',
  })
  assert.deepEqual([status, stdout], [0, 'First.\n'], stderr)
})

test('sluice run --format claude --input-format claude is the same host', async () => {
  using scene = createScene(running)
  const model = ['--model', scene.env.SLUICE_MODEL]
  const host = startHost(scene, model, [command, 'run', '--format', 'claude', '--input-format', 'claude'])
  host.prompt('go')
  host.write(allow(await host.until(isQuestion)))
  assert.equal(await host.finish(), 0, host.stderr())
  assert.equal(readFileSync(join(scene.cwd, 'made.txt'), 'utf8'), 'one\n')
  assert.equal(host.lines.at(-1)?.['result'], 'That is all.')
  assertLegal(host.lines)
})

test('a tool that is nearly one of ours is doubted, one that only Claude Code has is not', () => {
  const said = (tool: string): string => sluice(['claude', '-p', 'hi', '--model', 'script/demo', '--disallowedTools', tool]).stderr
  assert.match(said('Bsh(rm:*)'), /^sluice: there is no tool or permission "bsh"; did you mean bash\?$/m)
  for (const tool of ['Bash', 'LSP', 'REPL', 'KillShell', 'mcp__files__read']) assert.doesNotMatch(said(tool), /did you mean/, tool)
})
