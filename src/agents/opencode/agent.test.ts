import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Ask } from '../../supervise/contract.ts'
import { allow, refuse, request as base } from '../acp/support.test.ts'
import type { AgentRequest } from '../driver.ts'
import { timeouts } from '../timeouts.ts'
import { startSpawned } from '../spawned.ts'
import { fixture, hear, session, whole } from '../support.test.ts'
import { headlessFlags, opencodeDriver } from './agent.ts'

const request: AgentRequest = { ...base, file: fixture('agents/opencode.mjs') }

type Play = { variables?: Record<string, string>; more?: Partial<AgentRequest>; answer?: (ask: Ask) => Answer | undefined }

function play(recording: string, { variables, more, answer }: Play = {}) {
  const all = { ...request, ...more, variables: { FIXTURE_RECORDING: fixture(`opencode/1.18.33/${recording}.ndjson`), ...variables } }
  const running = hear((host) => startSpawned(opencodeDriver(all), all, host, { ...timeouts, drainMs: 60 }), answer)
  running.send({ type: 'prompt', text: 'Do the task', by: 'host', id: 'p1' })
  running.send({ type: 'finish' })
  return running
}

test('a prompt has its answer, and the tokens of all its steps', async () => {
  const running = play('serve/b-read.sse')
  const { reason, text, usage, turns } = await whole(running)
  assert.deepEqual([reason, turns], ['end_turn', 2])
  assert.ok(text!.length > 0)
  assert.deepEqual([usage.input, usage.output], [24, 68]) // over the protocol it tells the last step alone
  const { program, native } = running.of('session.start')[0]!
  assert.equal(program, 'opencode')
  assert.match(native!, /^ses_/)
  assert.deepEqual(
    running.of('prompt.submit').map(({ text: said, by, id }) => [said, by, id]),
    [['Do the task', 'host', 'p1']],
  )
  assert.ok(running.events.every((event) => event.session === session || event.session === undefined))
})

test('a session that somebody else opens on its server is none of the run', { timeout: 20_000 }, async () => {
  const alone = play('serve/b-read.sse')
  const { usage, text } = await whole(alone)
  const running = play('serve/b-read.sse', { variables: { FIXTURE_BESIDE: 'ses_beside' } })
  const done = await whole(running)
  assert.deepEqual([done.reason, done.usage, done.text], ['end_turn', usage, text])
  const starts = running.of('session.start').filter((event) => event.session === session)
  assert.deepEqual(
    starts.map(({ native }) => native),
    [alone.of('session.start')[0]!.native],
  )
  const own = running.events.filter((event) => event.session === session)
  assert.deepEqual(
    own.map(({ kind }) => kind),
    alone.events.filter((event) => event.session === session).map(({ kind }) => kind),
  )
  assert.ok(running.events.some((event) => event.session === 'ses_beside'))
})

test('a question is raised with what the call was given, and the answer reaches the server', async () => {
  const running = play('serve/c-bash-allow.sse', { answer: allow })
  assert.equal((await whole(running)).reason, 'end_turn')
  const { permission, command } = running.asks[0]!
  assert.equal(permission, 'bash')
  assert.match(command!.text, /touch made\.txt/)
  assert.equal(running.of('tool.end')[0]!.status, 'ok')
  const written = play('serve/e-write-allow.sse', { answer: allow })
  await whole(written)
  assert.equal(written.asks[0]!.permission, 'write')
  assert.match(written.asks[0]!.paths![0]!, /new\.txt$/)
})

test('its own options are offered, and the chosen one reaches it', async () => {
  const running = play('serve/c-bash-allow.sse', { answer: () => ({ decision: 'allow', by: 'user', option: 'always' }) })
  await whole(running)
  assert.deepEqual(
    running.asks[0]!.options?.map(({ id, kind, label }) => [id, kind, label]),
    [
      ['once', 'allow_once', 'Allow once'],
      ['always', 'allow_always', 'Always allow: touch *, echo *, sleep *'],
      ['reject', 'reject_once', 'Reject'],
    ],
  )
  const said = running.of('notice').filter(({ code }) => code === 'tui.toast.show')
  assert.equal(said[0]!.text, '{"reply":"always"}')
})

test('a refusal is said with its words, so that the model hears them', async () => {
  const running = play('serve/c-bash-allow.sse', { answer: refuse })
  await whole(running)
  const said = running.of('notice').filter(({ code }) => code === 'tui.toast.show')
  assert.equal(said[0]!.text, '{"reply":"reject","message":"not today"}')
})

test('retries are told, and a failed login is one', async () => {
  const retried = play('serve/h-429-then-ok.sse')
  assert.equal((await whole(retried)).reason, 'end_turn')
  assert.ok(retried.of('retry.start').length > 0)
  const { reason, error } = await whole(play('serve/h-401.sse'))
  assert.deepEqual([reason, error!.category], ['error', 'auth'])
})

test('a subagent is a task with a lane of its own', async () => {
  const running = play('serve/g-subagent.sse')
  assert.equal((await whole(running)).reason, 'end_turn')
  assert.equal(running.of('task.start').length, 1)
  assert.equal(running.of('task.end')[0]!.status, 'ok')
})

test('an abort ends the turn as cancelled', async () => {
  const running = play('serve/j-abort.sse')
  await running.until('text.delta')
  running.send({ type: 'cancel', target: 'turn', by: 'user', reason: 'cancelled' })
  assert.equal((await whole(running)).reason, 'cancelled')
  assert.equal(running.of('cancel.request').length, 1)
})

test('a question that nobody answers ends with the session', async () => {
  const running = play('serve/c-bash-allow.sse')
  while (running.asks.length === 0) await sleep(5)
  running.send({ type: 'cancel', target: 'session', by: 'policy', reason: 'timeout', text: 'nobody answered' })
  assert.equal((await whole(running)).reason, 'timeout')
  assert.deepEqual(running.withdrawn, [running.asks[0]!.id])
})

test('a session or a prompt that is refused is a failure with its reason', async () => {
  const missing = play('serve/a-text.sse', { variables: { FIXTURE_REFUSES: '/session/other' }, more: { how: 'resumed', native: 'other' } })
  assert.match((await whole(missing)).error!.text, /no \/session\/other/)
  assert.equal(missing.of('prompt.submit').length, 1)
  const refused = play('serve/a-text.sse', { variables: { FIXTURE_REFUSES: 'prompt_async' } })
  const { reason, error } = await whole(refused)
  assert.equal(reason, 'error')
  assert.match(error!.text, /prompt_async/)
})

test('an answer that names no session is a failure, and not waited for', { timeout: 20_000 }, async () => {
  for (const opened of ['{}', 'null', '{"id":5}', '"x"']) {
    const running = play('serve/a-text.sse', { variables: { FIXTURE_OPENED: opened } })
    const { reason, error } = await whole(running)
    assert.equal(reason, 'error')
    assert.match(error!.text, /^opencode opened no session: /)
    assert.deepEqual(
      running.of('prompt.submit').map(({ state }) => state),
      ['queued'],
    )
  }
})

test('a server that dies in its turn has failed', async () => {
  const running = play('serve/a-text.sse', { variables: { FIXTURE_DIES: 'message.part.delta' } })
  const { reason, error } = await whole(running)
  assert.equal(reason, 'error')
  assert.match(error!.text, /ended by SIGKILL|broke off/)
})

test('without a way back its own stream is read, with its answer', async () => {
  const running = play('run/a-text', { more: { headless: true } })
  const { reason, text } = await whole(running)
  assert.equal(reason, 'end_turn')
  assert.ok(text!.length > 0)
  assert.equal(running.of('prompt.submit').length, 1)
  const flags = (more: Partial<AgentRequest>): string => headlessFlags({ ...request, ...more }).join(' ')
  assert.equal(flags({}), 'run --format json --thinking')
  assert.match(flags({ model: 'a/b', mode: 'plan', native: 'ses_1', how: 'forked' }), /--model a\/b --agent plan --session ses_1 --fork$/)
})

test('its own stream ends as it did: refused or failed', async () => {
  const blocked = await whole(play('run/e-write-ask', { more: { headless: true } }))
  assert.equal(blocked.reason, 'blocked')
  const failed = await whole(play('run/h-429', { more: { headless: true } }))
  assert.deepEqual([failed.reason, failed.error!.category], ['error', 'rate_limit'])
})

test('its own stream that is cut in the middle of the turn has failed, though it left with 0', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'opencode-'))
  const all = readFileSync(fixture('opencode/1.18.33/run/c-bash.ndjson'), 'utf8')
  const ends = [...all.matchAll(/\n/g)].map(({ index }) => index + 1)
  assert.ok(all.includes('"reason":"tool-calls"') && ends.length > 3)
  try {
    for (const end of [...ends.slice(0, -1), all.length - 20]) {
      const file = join(folder, `cut-${end}.ndjson`)
      writeFileSync(file, all.slice(0, end))
      const { reason, error } = await whole(play('run/c-bash', { more: { headless: true }, variables: { FIXTURE_RECORDING: file } }))
      assert.equal(reason, 'cut', `${end} bytes`)
      assert.match(error!.text, /ended before its turn did/)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('an opencode that is not installed is told, with how to install it', async () => {
  const { file: _file, ...rest } = request
  const running = hear((host) => startSpawned(opencodeDriver({ ...rest, env: { PATH: '/no' } }), rest, host))
  assert.match((await whole(running)).error!.text, /npm install -g opencode-ai$/)
})
