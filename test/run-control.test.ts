// A run that others reach while it goes on: over its control socket, by files, from inside by its emit socket; and what it leaves.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import {
  all,
  at,
  checked,
  folder,
  formats,
  linesOf,
  type Live,
  model,
  one,
  outputs,
  type Place,
  place,
  type Ran,
  sluice,
  start,
  valid,
} from './run-support.ts'
import { root } from './run.ts'
import { quote } from './quote.ts'

const slow = { text: 'One word after another, and then some more of them.', chunk: 4, delay: '120ms' }
const touch = { name: 'bash', input: { command: 'touch made' } }

type Turn = Record<string, unknown>

async function began(
  t: TestContext,
  turns: readonly Turn[],
  ...args: string[]
): Promise<{ here: Place; run: Live; out: ReturnType<typeof outputs> }> {
  const here = place(t)
  const { args: named } = await model(t, here, 'script', JSON.stringify({ turns }))
  const out = outputs(here)
  const run = start(here, ['run', 'go', '--format', 'sluice', '--run-id', 'r1', ...named, ...args, ...out.args])
  return { here, run, out }
}
const control = (here: Place, ...args: string[]): Promise<Ran> => sluice(here, ['control', '--run', 'r1', ...args])

suite('the control socket of a run', () => {
  test('tells what goes on, takes a prompt, and is gone afterwards', async (t) => {
    const { here, run, out } = await began(t, [slow, { text: 'And the second.' }])
    await run.until('text.delta')
    const socket = join(folder(here), 'r1.sock')
    assert.deepEqual([statSync(folder(here)).mode & 0o777, statSync(socket).mode & 0o777], [0o700, 0o600])
    assert.equal(statSync(join(folder(here), 'r1.token')).mode & 0o777, 0o600)
    const status = JSON.parse((await control(here, 'status')).stdout) as Rec
    assert.deepEqual([status['run'], at(status, 'sessions', 0, 'phase')], ['r1', 'thinking'])
    const tail = start(here, ['control', '--run', 'r1', 'tail', '--after', '0'])
    assert.equal((await control(here, 'prompt', 'and now?')).code, 0)
    const told = await run.ended
    assert.equal(told.code, 0, told.stderr)
    assert.equal((await tail.ended).stdout, told.stdout, 'who comes late is told everything')
    await valid(here, formats.map(out.file))
    one(out.read().sluice, 'session.end')
    assert.deepEqual(
      all(out.read().sluice, 'prompt.submit').map(({ text }) => text),
      ['go', 'and now?'],
    )
    assert.deepEqual(readdirSync(folder(here)), [])
    const late = await control(here, 'status')
    assert.equal(late.code, 2)
    assert.match(late.stderr, /no run/)
  })

  test('shutdown lets the turn and what waits be done, and takes no more', async (t) => {
    const { here, run, out } = await began(t, [slow, slow, { text: 'And the third.' }])
    await run.until('text.delta')
    assert.equal((await control(here, 'prompt', 'before')).code, 0)
    assert.equal((await control(here, 'shutdown')).code, 0)
    const late = await control(here, 'prompt', 'after')
    assert.deepEqual([late.code, late.stdout], [1, ''])
    assert.match(late.stderr, /the run was told to end: it takes no more prompts/)
    const { code, stderr } = await run.ended
    assert.equal(code, 0, stderr)
    const prompts = all(out.read().sluice, 'prompt.submit').map(({ text }) => text)
    assert.deepEqual(prompts, ['go', 'before'])
  })

  test('a question waits for whoever has the token; the first answer counts, and later ones are told so', async (t) => {
    const { here, run, out } = await began(t, [{ tools: [touch] }, slow], '--permission-handler', 'control')
    await run.until('permission.request')
    const { id } = one(linesOf(run.told()), 'permission.request') as { id: string }
    const answers = await Promise.all([control(here, 'answer', id, 'allow_once'), control(here, 'answer', id, 'reject_once')])
    assert.deepEqual(answers.map(({ code }) => String(code)).toSorted(), ['0', '1'])
    assert.match(answers.find(({ code }) => code === 1)!.stderr, /answered already/)
    const told = await checked(here, await run.ended, out)
    assert.equal(one(told.sluice, 'permission.answer')['by'], 'control')
    assert.equal(one(told.avenor, 'permission.response')['source'], 'control')
    assert.equal(existsSync(join(here.root, 'made')), one(told.sluice, 'permission.answer')['decision'] === 'allow')
  })

  test('a question that nobody answers is refused when its time is up', async (t) => {
    const args = ['--permission-handler', 'control', '--permission-timeout', '300ms']
    const { here, run, out } = await began(t, [{ tools: [touch] }, { text: 'Then not.' }], ...args)
    const told = await checked(here, await run.ended, out)
    assert.equal(told.code, 0, told.stderr)
    assert.deepEqual(
      [one(told.sluice, 'permission.answer')['decision'], one(told.sluice, 'permission.answer')['by']],
      ['expired', 'timeout'],
    )
    assert.match(String(at(one(told.sluice, 'error'), 'error', 'text')), /handler timed out after 300ms/)
  })

  test('interrupt ends the turn and gives another prompt; cancel ends the run', async (t) => {
    const first = await began(t, [{ ...slow, delay: '200ms' }, { text: 'Something else.' }])
    await first.run.until('text.delta')
    assert.equal((await control(first.here, 'interrupt', 'something else, please')).code, 0)
    const told = await first.run.ended
    assert.equal(told.code, 0, told.stderr)
    assert.deepEqual(
      all(linesOf(told.stdout), 'turn.end').map(({ reason }) => reason),
      ['cancelled', 'end_turn'],
    )
    const second = await began(t, [{ ...slow, delay: '1s' }], '--sentinel-file', 'job.done')
    await second.run.until('text.delta')
    assert.equal((await control(second.here, 'cancel')).code, 0)
    const cancelled = await second.run.ended
    assert.equal(one(linesOf(cancelled.stdout), 'session.end')['reason'], 'cancelled')
    assert.equal(cancelled.code, 130, 'as after Ctrl-C')
    assert.match(readFileSync(join(second.here.root, 'job.done'), 'utf8'), /^KILLED\n.*\nSTOP_REASON=cancelled\nEXIT_CODE=130\n/)
  })

  test('an event of a user passes through untouched, and is in no other class than activity', async (t) => {
    const { here, run, out } = await began(t, [slow])
    await run.until('text.delta')
    const event = '{"event":"deploy.step","n":12345678901234567890,"name":"web"}'
    assert.equal((await control(here, 'emit', event)).code, 0)
    assert.equal((await control(here, 'emit', '{"event":"session.end"}')).code, 1)
    await run.ended
    const lines = readFileSync(out.file('avenor'), 'utf8').split('\n')
    assert.equal(lines.filter((line) => line === event).length, 1)
    const classes = await sluice(here, ['watch', '--classify=all', '--format', 'json', out.file('avenor')])
    assert.match(classes.stdout, /"deploy\.step".*"classify":"ACTIVITY"/)
  })

  test('a path of the user, and none at all', async (t) => {
    const here = place(t)
    const path = join(here.top, 'my.sock')
    const { args } = await model(t, here, 'script', JSON.stringify({ turns: [slow, { text: 'x' }] }))
    const run = start(here, ['run', 'go', '--format', 'sluice', ...args, '--control-socket', path])
    await run.until('text.delta')
    assert.equal((await sluice(here, ['control', '--control-socket', path, 'cancel'])).code, 0)
    await run.ended
    assert.equal(existsSync(path), false)
    const none = start(here, ['run', 'go', '--format', 'sluice', ...args, '--no-control-socket'])
    await none.until('text.delta')
    assert.equal((await sluice(here, ['control', 'status'])).code, 2)
    assert.equal((await none.ended).code, 0)
    const both = await sluice(here, ['run', 'go', ...args, '--no-control-socket', '--permission-handler', 'control'])
    assert.equal(both.code, 2)
  })
})

suite('from inside a run', () => {
  test('a script reports by the emit socket, and finds no way to the control socket', async (t) => {
    const script = `sluice emit '{"event":"tests.done","passed":3}' && env > env.txt && cat /proc/$PPID/cmdline > up.txt; sluice control --run r1 status`
    const here = place(t)
    writeFileSync(join(here.root, 'report.sh'), script)
    const { args } = await model(
      t,
      here,
      'script',
      JSON.stringify({ turns: [{ tools: [{ name: 'bash', input: { command: 'sh report.sh' } }] }, { text: 'Told.' }] }),
    )
    const out = outputs(here)
    const bin = join(import.meta.dirname, '..', 'bin')
    const ran = await sluice(here, ['run', 'go', '--format', 'sluice', '--run-id', 'r1', '--auto-approve', ...args, ...out.args], {
      env: { PATH: `${bin}:${here.env['PATH']}`, XDG_RUNTIME_DIR: '' },
    })
    assert.equal(ran.code, 0, ran.stderr)
    const raw = one(linesOf(ran.stdout), 'raw')
    assert.deepEqual([raw['type'], at(raw, 'origin', 'from')], ['tests.done', 'agent'])
    assert.ok(readFileSync(out.file('avenor'), 'utf8').includes('{"event":"tests.done","passed":3}\n'))
    const env = readFileSync(join(here.root, 'env.txt'), 'utf8')
    assert.match(env, /^SLUICE_EMIT_SOCKET=/m)
    assert.doesNotMatch(env, /r1\.sock|token/i)
    await valid(here, [out.file('sluice')])
  })
})

suite('--agent replay:FILE', () => {
  test('tells a recording again in any dialect', async (t) => {
    const here = place(t)
    const file = join(import.meta.dirname, '../fixtures/claude/2.1.325/b-read.ndjson')
    const out = outputs(here)
    const ran = await sluice(here, ['run', '--agent', `replay:${file}`, '--replay-speed', '0', '--format', 'sluice', ...out.args])
    const told = await checked(here, ran, out)
    assert.equal(told.code, 0, told.stderr)
    assert.ok(all(told.sluice, 'tool.end').length > 0)
  })

  test('an agent that is not known, or not there, is a clear error', async (t) => {
    const here = place(t)
    const unknown = await sluice(here, ['run', 'go', '--agent', 'cluade'])
    assert.deepEqual([unknown.code, /did you mean claude\?/.test(unknown.stderr)], [2, true])
    const missing = await sluice(here, ['run', 'go', '--agent', 'claude', '--format', 'sluice'])
    assert.equal(missing.code, 2)
    assert.match(missing.stderr, /^sluice: .*not installed.*npm install -g @anthropic-ai\/claude-code/)
    const file = await sluice(here, ['run', '--agent', 'replay:none.ndjson'])
    assert.equal(file.code, 2, file.stderr)
  })
})

test('a session is continued by the agent that made it, and by no other', async (t) => {
  const here = place(t)
  const { args } = await model(t, here, 'script', JSON.stringify({ turns: [{ text: 'One.' }, { text: 'Two.' }] }))
  assert.equal((await sluice(here, ['run', 'go', ...args])).code, 0)
  const other = await sluice(here, ['run', 'go', '--agent', 'claude', '--continue'])
  assert.equal(other.code, 2, other.stdout)
  assert.match(other.stderr, /not one that claude can go on with; it was made by sluice/)
})

test('a session goes on after an attempt that failed, and what cannot begin leaves nothing behind', async (t) => {
  const here = place(t)
  const agent = ['--agent', `acp:${quote(join(root, 'fixtures/agents/acp.mjs'))}`]
  const better = ['--agent', `acp:env FIXTURE_RESUME=1 ${quote(join(root, 'fixtures/agents/acp.mjs'))}`]
  const run = (...args: string[]): ReturnType<typeof sluice> => sluice(here, ['run', 'say hi', '--format', 'sluice', ...args])
  const first = await run(...agent)
  const { session } = one(linesOf(first.stdout), 'session.start')
  const resume = ['--resume', String(session)]
  assert.equal((await run(...agent, ...resume)).code, 1) // it can do no such thing yet
  const resumed = await run(...better, ...resume)
  assert.equal(resumed.code, 0, resumed.stderr)
  const kept = readdirSync(here.sessions)
  assert.equal(kept.length, 1)
  const builtin = await run('--model', 'script/demo', '--fork', ...resume)
  assert.equal(builtin.code, 2)
  assert.match(builtin.stderr, new RegExp(`the session ${String(session)} is one of fixture`))
  assert.equal((await run(...agent, '--control-socket', here.root)).code, 2)
  assert.deepEqual(readdirSync(here.sessions), kept)
})

suite('what the outside is told, and a usage limit', () => {
  test('--on-milestone gets each milestone on stdin; one that fails is told and changes nothing', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', JSON.stringify({ turns: [{ text: 'Done.' }] }))
    const file = join(here.top, 'told.ndjson')
    const ran = await sluice(here, ['run', 'go', '--format', 'sluice', ...args, '--on-milestone', `cat >> ${quote(file)}; exit 3`])
    assert.equal(ran.code, 0, ran.stderr)
    const messages = linesOf(readFileSync(file, 'utf8'))
    assert.equal(at(messages.at(-1), 'event', 'kind'), 'session.end')
    assert.match(String(all(linesOf(ran.stdout), 'notice')[0]!['text']), /ended with code 3/)
    const wrong = await sluice(here, ['run', 'go', ...args, '--webhook', 'file:///etc/passwd'])
    assert.equal(wrong.code, 2, wrong.stdout)
  })

  test('--wait-for-reset goes on with the session when the limit has reset', async (t) => {
    const here = place(t)
    const resets = Math.ceil(Date.now() / 1000) + 1
    const limit = { error: { status: 429, message: `Claude AI usage limit reached|${resets}`, times: 1 }, text: 'I went on.' }
    const { args } = await model(
      t,
      here,
      'script',
      JSON.stringify({ turns: [{ tools: [{ name: 'glob', input: { pattern: '*' } }] }, limit] }),
    )
    const out = outputs(here)
    const flags = ['--api-retries', '0', '--wait-for-reset', '--max-wait', '1m', '--max-retries', '3']
    const ran = await sluice(here, ['run', 'go', '--format', 'sluice', ...flags, ...args, ...out.args])
    assert.equal(ran.code, 0, ran.stderr + ran.stdout)
    const told = linesOf(ran.stdout)
    assert.ok(Date.now() >= resets * 1000)
    assert.deepEqual(
      all(told, 'session.start').map(({ how }) => how),
      ['new', 'resumed'],
    )
    assert.equal(new Set(all(told, 'session.start').map(({ session }) => session)).size, 1)
    assert.deepEqual(
      all(told, 'notice')
        .map(({ code }) => code)
        .filter((code) => code !== 'redacted'),
      ['usage-limit', 'waits-for-reset'],
    )
    assert.equal(all(told, 'retry.start').length, 0)
    await valid(here, formats.map(out.file))
  })

  test('what was allowed always is allowed when the session goes on after the wait', async (t) => {
    const here = place(t)
    const resets = Math.ceil(Date.now() / 1000) + 2
    const touch = (file: string) => ({ tools: [{ name: 'bash', input: { command: `touch ${file}` } }] })
    const limit = { error: { status: 429, message: `Claude AI usage limit reached|${resets}`, times: 1 }, ...touch('b') }
    const { args } = await model(t, here, 'script', JSON.stringify({ turns: [touch('a'), limit, { text: 'Done.' }] }))
    const flags = ['--api-retries', '0', '--wait-for-reset', '--run-id', 'r1', '--permission-handler', 'control']
    const live = start(here, ['run', 'go', '--format', 'sluice', ...flags, ...args])
    await live.until('permission.request')
    const { id } = one(linesOf(live.told()), 'permission.request')
    assert.equal((await control(here, 'answer', String(id), 'allow_always')).code, 0)
    const ran = await live.ended
    assert.equal(ran.code, 0, ran.stderr)
    const told = linesOf(ran.stdout)
    assert.equal(all(told, 'permission.request').length, 1)
    assert.deepEqual(
      all(told, 'tool.end').map(({ status }) => status),
      ['ok', 'ok'],
    )
  })
})
