// Signals and sudden death: the end is told in every format, the exit code is the signal's, nothing that the run started survives it,
// and a session that was killed goes on.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Rec } from '../src/base/json.ts'
import {
  all,
  at,
  checked,
  descendants,
  eventually,
  gone,
  isAlive,
  key,
  linesOf,
  model,
  one,
  outputs,
  place,
  processesOf,
  sluice,
  start,
  valid,
} from './run-support.ts'

const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143, SIGQUIT: 143 } as const
type Signal = keyof typeof codes

/** A script that comes to a standstill, and what shows that it is there. */
const standstills = {
  'the model thinks': ['turns: [{text: "so slow", chunk: 3, delay: 300ms}, {text: never}]', /"text\.delta"/],
  'a tool runs': ['turns: [{tools: [{name: bash, input: {command: "echo ready; sleep 600 & sleep 600"}}]}]', /"tool\.delta".*ready/],
  'it waits to try again': ['turns: [{error: {status: 429, message: busy, retryAfter: 60s}}]', /"retry\.start"/],
} as const
const slow = 'turns: [{text: "a long answer", chunk: 1, delay: 20s}]'

suite('a signal', () => {
  for (const [when, [script, shows]] of Object.entries(standstills))
    for (const signal of Object.keys(codes) as Signal[])
      test(`${signal} while ${when} ends the run with all its events`, async (t) => {
        const here = place(t)
        const face = signal === 'SIGINT' ? 'anthropic' : 'script'
        const { args, env } = await model(t, here, face, script)
        const out = outputs(here)
        const live = start(here, ['run', 'go', '--format', 'sluice', '--permission', 'bash=allow', ...args, ...out.args], { env })
        await live.until(shows)
        const children = descendants(live.pid)
        live.child.kill(signal)
        const told = await checked(here, await live.ended, out)
        assert.equal(told.code, codes[signal])
        const { reason, code } = one(told.aictrl, 'session_error')
        assert.deepEqual([reason, code], ['unknown', String(codes[signal])])
        assert.equal(one(told.avenor, 'session.end')['stop_reason'], 'cancelled')
        assert.equal(one(told.sluice, 'session.end')['signal'], signal)
        assert.match(String(one(told.appctl, 'error')['message']), new RegExp(signal))
        assert.deepEqual(children.filter(isAlive), [])
      })

  test('as soon as there is a session ends a run that has not begun, with all its events', async (t) => {
    for (const signal of Object.keys(codes) as Signal[]) {
      const here = place(t)
      const { args } = await model(t, here, 'script', slow)
      const out = outputs(here)
      const sentinel = join(here.top, 'job.done')
      const live = start(here, ['run', 'go', '--format', 'sluice', '--sentinel-file', sentinel, ...args, ...out.args])
      while (!existsSync(here.sessions) || readdirSync(here.sessions).length === 0) await nextTurn() // at once: the run is being made
      live.child.kill(signal)
      const told = await checked(here, await live.ended, out)
      assert.equal(told.code, codes[signal])
      assert.equal(one(told.sluice, 'session.end')['signal'], signal)
      assert.match(readFileSync(sentinel, 'utf8'), /^KILLED\n/)
    }
  })

  test('before there is a session leaves the sentinel, which somebody waits for', { timeout: 60_000 }, async (t) => {
    for (const [what, words] of [
      ['it waits for its prompt', ['-', '--format', 'sluice']],
      ['it waits for its host', ['--format', 'claude', '--input-format', 'claude']],
    ] as const)
      for (const signal of Object.keys(codes) as Signal[]) {
        const here = place(t)
        const { args } = await model(t, here, 'script', slow)
        const sentinel = join(here.top, 'job.done')
        const event = join(here.top, 'events')
        const live = start(here, ['run', ...words, '--run-id', 'r1', '--sentinel-file', sentinel, '--on-event', event, ...args], {
          open: true,
        })
        if (words[0] === '-') await eventually(() => catchesHangup(live.pid), 'its ear for signals')
        else await eventually(() => existsSync(event), 'its output')
        live.child.kill(signal)
        assert.equal((await live.ended).code, codes[signal], what)
        assert.equal(readFileSync(sentinel, 'utf8'), `KILLED\nSESSION=\nSTOP_REASON=cancelled\nEXIT_CODE=${codes[signal]}\nRUN=r1\n`)
        assert.ok(!existsSync(here.sessions) || readdirSync(here.sessions).length === 0, what)
      }
  })

  test('while the provider has not even answered ends the run', async (t) => {
    const here = place(t)
    const { args, env } = await model(t, here, 'openai', slow)
    const out = outputs(here)
    const live = start(here, ['run', 'go', '--format', 'sluice', ...args, ...out.args], { env })
    await live.until('message.start')
    live.child.kill('SIGTERM')
    assert.equal((await checked(here, await live.ended, out)).code, 143)
  })

  test('that comes twice ends a run at once, with its end told and its children gone', async (t) => {
    const here = place(t)
    const command = 'trap "" TERM INT HUP; echo ready; while :; do sleep 1; done'
    const { args } = await model(t, here, 'script', JSON.stringify({ turns: [{ tools: [{ name: 'bash', input: { command } }] }] }))
    const out = outputs(here)
    const sentinel = join(here.top, 'job.done')
    const open = ['--permission', 'bash=allow', '--sentinel-file', sentinel]
    const live = start(here, ['run', 'go', '--format', 'sluice', ...open, ...args, ...out.args])
    await live.until(/"tool\.delta".*ready/)
    const children = descendants(live.pid)
    assert.ok(children.length >= 2, 'the command and its guard')
    const began = performance.now()
    live.child.kill('SIGINT')
    live.child.kill('SIGINT')
    const ran = await live.ended
    assert.ok(performance.now() - began < 3000)
    assert.equal(ran.code, 130)
    assert.match(readFileSync(sentinel, 'utf8'), /^KILLED\n/)
    await eventually(() => !children.some(isAlive), 'the end of the children')
    const told = await checked(here, ran, out)
    assert.match(String(one(told.avenor, 'session.end')['stop_reason']), /^cancelled(_forced)?$/)
    assert.equal(one(told.sluice, 'session.end')['signal'], 'SIGINT')
  })
})

suite('kill -9', () => {
  const echo = (text: string): Rec => ({ name: 'bash', input: { command: `(sleep 600 &) ; echo ${text}; sleep 0.05` } })
  const busy = {
    model: 'anthropic/claude-sonnet-4-5',
    turns: [
      { think: 'let me see', text: 'I look at it', chunk: 2, delay: 3, tools: [echo('one'), { name: 'glob', input: { pattern: '*' } }] },
      { text: 'and go on', chunk: 2, delay: 3, tools: [echo('two'), echo('three')] },
      { tools: [{ name: 'task', input: { description: 'help', prompt: 'sub work', subagent_type: 'default' } }] },
      { text: 'done' },
    ],
    lanes: [{ name: 'sub', when: { prompt: 'sub work' }, turns: [{ tools: [echo('deep')] }, { text: 'sub done' }] }],
  }

  for (const lines of [1, 4, 12, 22, 34, 41, 50, 60])
    test(`after ${lines} lines leaves whole lines, no process, and a session that goes on`, async (t) => {
      const here = place(t)
      const { args } = await model(t, here, 'script', JSON.stringify(busy))
      const live = start(here, ['run', 'go', '--format', 'sluice', '--permission', 'bash=allow', ...args])
      await live.until(new RegExp(`^(.*\\n){${lines}}`))
      const children = descendants(live.pid)
      live.child.kill('SIGKILL')
      const { stdout, signal } = await live.ended
      assert.equal(signal, 'SIGKILL', 'it had ended before')
      const [first] = linesOf(stdout)
      await gone(here)
      await eventually(() => !children.some(isAlive), 'the end of the children')

      const session = String(first?.['session'])
      for (const [how, prompt] of [
        [['--resume', session], 'where are you?'],
        [['--continue'], 'and now?'],
      ] as const) {
        const next = await model(t, here, 'anthropic', 'turns: [{text: here}]')
        const again = await sluice(here, ['run', prompt, '--format', 'aictrl', ...how, ...next.args], { env: next.env })
        assert.equal(again.code, 0, again.stderr)
        assert.equal(linesOf(again.stdout)[0]?.['sessionID'], session)
        whole(next.server!.entries.at(-1)!.body!, prompt)
      }
      const file = join(here.sessions, `${session}.ndjson`)
      await valid(here, [file])
      const ends = all(linesOf(readFileSync(file, 'utf8')), 'session.end').map(({ reason }) => reason)
      assert.deepEqual(ends, ['cut', 'end_turn', 'end_turn'])
    })
})

/** Each call in the conversation has its result in the next message, and the new prompt is last. */
function whole({ messages }: Rec, prompt: string): void {
  const parts = (messages as Rec[]).map(({ role, content }) => ({ role, content: content as Rec[] }))
  for (const [index, { content }] of parts.entries()) {
    const calls = all(content, 'tool_use').map(({ id }) => String(id))
    const results = all(parts[index + 1]?.content ?? [], 'tool_result').map((result) => String(result['tool_use_id']))
    assert.deepEqual(new Set(results), new Set(calls))
    assert.equal(results.length, calls.length)
  }
  assert.equal(parts[0]?.role, 'user')
  assert.equal(at(parts.at(-1)?.content.at(-1), 'text'), prompt)
}

test('what is killed with a tool at work says so when it goes on', async (t) => {
  const here = place(t)
  const { args } = await model(t, here, 'script', standstills['a tool runs'][0])
  const live = start(here, ['run', 'go', '--format', 'sluice', '--permission', 'bash=allow', ...args])
  await live.until(/"tool\.delta".*ready/)
  live.child.kill('SIGKILL')
  await live.ended
  await gone(here)
  const next = await model(t, here, 'anthropic', 'turns: [{text: here}]')
  const { code } = await sluice(here, ['run', 'go on', '--continue', ...next.args], { env: next.env })
  assert.equal(code, 0)
  const { messages } = next.server!.entries[0]!.body! as { messages: { content: Rec[] }[] }
  const result = one(messages[2]!.content, 'tool_result')
  assert.equal(result['is_error'], true)
  assert.deepEqual(processesOf(here), [])
  assert.ok(!readFileSync(join(here.sessions, `${String(linesOf(live.told())[0]?.['session'])}.ndjson`), 'utf8').includes(key))
})

/** Node itself catches SIGINT and SIGTERM from its start; SIGHUP is sluice's own. */
function catchesHangup(pid: number): boolean {
  const mask = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'
  return (BigInt(`0x${mask}`) & 1n) === 1n
}
