import assert from 'node:assert/strict'
import test from 'node:test'
import { fixture, session, whole } from '../support.test.ts'
import { acpDriver } from './agent.ts'
import { answerOf, play, request } from './support.test.ts'

test('a prompt has its answer, its thoughts and its tokens', async () => {
  const running = play(['think Hm\nsay Hello\nsay  there'])
  const done = await whole(running)
  assert.deepEqual([done.reason, done.text, done.usage.output], ['end_turn', 'Hello there', 34])
  const { program, version, native, how, mode, model } = running.of('session.start')[0]!
  assert.deepEqual([program, version, native, how, mode, model], ['fixture', '1.2.3', 'sess-1', 'new', 'default', 'small'])
  assert.deepEqual(
    running.of('prompt.submit').map(({ text, by, state }) => [text, by, state]),
    [['think Hm\nsay Hello\nsay  there', 'user', 'sent']],
  )
  assert.equal(running.of('thought.delta')[0]!.text, 'Hm')
  assert.ok(running.events.every((event) => event.session === session || event.session === undefined))
})

test('a call is told with its result, and an exit code that is not 0 with it', async () => {
  const running = play(['tool ls\nbreak false\nsay done'])
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.deepEqual(
    running.of('tool.end').map(({ status, exitCode, text }) => [status, exitCode, text]),
    [
      ['ok', 0, 'out'],
      ['ok', 3, 'out'],
    ],
  )
})

test('prompts wait for their turn, and each has its own', async () => {
  const running = play(['say one', 'say two'])
  running.send({ type: 'prompt', text: 'say three', by: 'host', id: 'p3' })
  const { text, usage } = await whole(running)
  assert.equal(text, 'three')
  assert.equal(usage.output, 3 * 34)
  assert.deepEqual(
    running.of('prompt.submit').map(({ turn, by, id }) => [turn, by, id]),
    [
      [1, 'user', undefined],
      [2, 'user', undefined],
      [3, 'host', 'p3'],
    ],
  )
  assert.deepEqual(
    running.of('turn.end').map(({ turn, text: answer }) => [turn, answer]),
    [
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ],
  )
})

test('files come as the agent can read them', async () => {
  const data = Buffer.from('alpha').toString('base64')
  const files = [
    { path: '/x/a.png', mime: 'image/png', data },
    { path: '/x/a.txt', mime: 'text/plain', data },
    { path: '/x/a.bin', mime: 'application/octet-stream', data },
  ]
  const running = play([{ type: 'prompt', text: 'say ok', files }])
  await whole(running)
  assert.equal(answerOf(running), 'with image, The file /x/a.txt:\nalpha, resource_linkok')
  assert.equal(running.of('prompt.submit')[0]!.text, 'say ok')
})

test('mode and model are set before the first prompt, and later', async () => {
  for (const FIXTURE_CONFIG of [undefined, '1']) {
    const running = play(['say hi'], {
      more: { mode: 'plan', model: 'big' },
      variables: FIXTURE_CONFIG === undefined ? {} : { FIXTURE_CONFIG },
    })
    await running.until('text.delta')
    running.send({ type: 'set', mode: 'default' })
    assert.equal((await whole(running)).reason, 'end_turn')
    const told = running.of('session.update').map(({ mode, model }) => mode ?? model)
    assert.deepEqual(told, ['plan', 'big', 'default'])
    const at = running.events.findIndex(({ kind }) => kind === 'turn.start')
    assert.equal(running.events.slice(0, at).filter(({ kind }) => kind === 'session.update').length, 2)
  }
})

test('a mode that the agent does not have ends the run before its first turn', async () => {
  const running = play(['say hi'], { more: { mode: 'wild' } })
  const { reason, error } = await whole(running)
  assert.equal(reason, 'error')
  assert.match(error!.text, /Invalid mode: wild/)
  assert.equal(running.of('text.delta').length, 0)
})

// ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

test('what a loaded session was is not told as new, also where the agent goes on with it after its answer', async () => {
  for (const FIXTURE_LOAD of ['1', 'late']) {
    const running = play(['say new'], { more: { how: 'resumed', native: 'sess-1' }, variables: { FIXTURE_LOAD } })
    const { reason, text } = await whole(running)
    assert.deepEqual([reason, text, answerOf(running)], ['end_turn', 'new', 'new'])
    assert.equal(running.of('tool.start').length, 0)
    assert.deepEqual(
      running.of('prompt.submit').map(({ text: said }) => said),
      ['say new'],
    )
    assert.equal(running.of('turn.start').length, 1)
    assert.equal(running.of('session.start')[0]!.how, 'resumed')
  }
})

test('a session is resumed or forked where the agent can', async () => {
  const resumed = play(['say new'], { more: { how: 'resumed', native: 'sess-1' }, variables: { FIXTURE_LOAD: '1', FIXTURE_RESUME: '1' } })
  assert.equal((await whole(resumed)).text, 'new')
  const forked = play(['say new'], { more: { how: 'forked', native: 'sess-0', forkedFrom: 'sess-0' }, variables: { FIXTURE_FORK: '1' } })
  assert.equal((await whole(forked)).text, 'new')
  assert.equal(forked.of('session.start')[0]!.forkedFrom, 'sess-0')
})

test('a session that cannot be had is a failure with its reason', async () => {
  const unknown = play(['say new'], { more: { how: 'resumed', native: 'other' }, variables: { FIXTURE_LOAD: '1' } })
  assert.match((await whole(unknown)).error!.text, /no such session: other/)
  for (const how of ['resumed', 'forked'] as const) {
    const unable = play(['say new'], { more: { how, native: 'sess-1' } })
    const { error, reason } = await whole(unable)
    assert.equal(reason, 'error')
    assert.match(error!.text, /acp\.mjs cannot (go on with|fork) a session: start a new one/)
    assert.equal(unable.of('prompt.submit').length, 1)
  }
  const newer = play(['say new'], { variables: { FIXTURE_VERSION: '2' } })
  assert.match((await whole(newer)).error!.text, /another version of the protocol/)
})

test('a login by a key is done without a person, and no other', async () => {
  const able = play(['say in'], { variables: { FIXTURE_AUTH: '1', TEST_API_KEY: 'k' } })
  assert.equal((await whole(able)).text, 'in')
  const unable = play(['say in'], { variables: { FIXTURE_AUTH: '1' } })
  const { reason, error } = await whole(unable)
  assert.deepEqual([reason, error!.category], ['error', 'auth'])
  assert.equal(unable.of('error').length, 1)
})

// ── the program ──────────────────────────────────────────────────────────────────────────────────────────────────────────

test('a command line is split into words, and its program found', async () => {
  const quoted = play(['say hi'], { command: `'${process.execPath}' "${fixture('agents/acp.mjs')}" --flag` })
  assert.equal((await whole(quoted)).text, 'hi')
  const missing = play(['say hi'], { command: 'no-such-agent --acp' })
  assert.match((await whole(missing)).error!.text, /no program "no-such-agent" on the PATH/)
  const broken = play(['say hi'], { command: "agent 'x" })
  assert.match((await whole(broken)).error!.text, /"acp:agent 'x" cannot be started: the command line has a ' without its end/)
})

test('the agent gets keys of providers and variables of this run, and none of ours', () => {
  const env = {
    PATH: '/bin',
    OPENAI_API_KEY: 'o',
    GEMINI_API_KEY: 'g',
    GITHUB_TOKEN: 't',
    SLUICE_TOKEN: 's',
    CLAUDE_CODE_SSE_PORT: '1',
    CLAUDE_CONFIG_DIR: '/c',
  }
  const { program } = acpDriver('/bin/agent')({ ...request, env, variables: { SLUICE_EMIT_SOCKET: '/s' } })
  assert.ok(typeof program !== 'string')
  assert.deepEqual(program.env, {
    PATH: '/bin',
    OPENAI_API_KEY: 'o',
    GEMINI_API_KEY: 'g',
    CLAUDE_CONFIG_DIR: '/c',
    AGENT: '1',
    SLUICE_EMIT_SOCKET: '/s',
  })
})
