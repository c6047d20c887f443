// A run that is tried again: what counts over its attempts, and what ends them.
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { all, eventually, folder, linesOf, model, one, outputs, place, sluice, start, valid } from './run-support.ts'
import { quote } from './quote.ts'

suite('--max-retries', () => {
  const broken = { error: { status: 500, message: 'broken', times: 9 } }

  test('gives the whole prompt to a new session after a failure, in the same stream', async (t) => {
    const here = place(t)
    const { args } = await model(
      t,
      here,
      'script',
      JSON.stringify({ turns: [{ error: { status: 500, message: 'broken', times: 1 }, text: 'Now it works.' }] }),
    )
    const out = outputs(here)
    const began = start(here, [
      'run',
      'go',
      '--format',
      'sluice',
      '--run-id',
      'r1',
      '--api-retries',
      '0',
      '--max-retries',
      '2',
      ...args,
      ...out.args,
    ])
    await began.until('retry.start')
    const tail = start(here, ['control', '--run', 'r1', 'tail', '--after', '0'])
    const ran = await began.ended
    assert.equal(ran.code, 0, ran.stderr)
    const told = linesOf(ran.stdout)
    const starts = all(told, 'session.start')
    assert.equal(new Set(starts.map(({ session }) => session)).size, 2)
    assert.deepEqual(
      all(told, 'session.end').map(({ reason }) => reason),
      ['error', 'end_turn'],
    )
    assert.deepEqual(
      all(told, 'retry.start').map(({ scope, attempt, max }) => [scope, attempt, max]),
      [['run', 1, 2]],
    )
    assert.deepEqual(
      told.map(({ seq }) => seq),
      told.map((_, index) => index + 1),
    )
    const { avenor, aictrl } = out.read()
    assert.equal(one(avenor, 'avenor.retry')['attempt'], 1)
    for (const [lines, last] of [
      [avenor, 'session.end'],
      [aictrl, 'session_complete'],
    ] as const) {
      const names = lines.map(({ event, type }) => event ?? type)
      assert.equal(names.at(-1), last)
      assert.equal(names.filter((name) => name === last).length, 2, 'one end for each session')
    }
    assert.equal(avenor.at(-1)!['stop_reason'], 'end_turn')
    assert.equal((await tail.ended).stdout, ran.stdout, 'the socket goes on over the attempts')
    assert.equal(readdirSync(here.sessions).length, 2)
    await valid(here, [out.file('sluice'), out.file('avenor'), out.file('aictrl'), out.file('claude')])
  })

  test('what would fail again in the same way is not tried again, and a signal ends the waiting', async (t) => {
    const here = place(t)
    const refused = await model(t, here, 'script', JSON.stringify({ turns: [{ error: { status: 401, message: 'no such key' } }] }))
    const ran = await sluice(here, ['run', 'go', '--format', 'sluice', '--max-retries', '2', ...refused.args])
    assert.equal(ran.code, 1)
    assert.equal(all(linesOf(ran.stdout), 'session.start').length, 1)
    const again = await model(t, here, 'script', JSON.stringify({ turns: [broken] }), 'again')
    const run = start(here, ['run', 'go', '--format', 'sluice', '--api-retries', '0', '--max-retries', '2', ...again.args])
    await run.until('retry.start')
    process.kill(run.pid, 'SIGTERM')
    const { code, stdout } = await run.ended
    assert.equal(code, 143)
    assert.equal(all(linesOf(stdout), 'session.end').length, 1)
    const { kind, code: why, text } = linesOf(stdout).at(-1)!
    assert.deepEqual([kind, why, text], ['notice', 'not-retried', 'stopped by SIGTERM; there is no further attempt'])
    await eventually(() => readdirSync(folder(here)).length === 0, 'the socket is gone')
  })
})

suite('limits over several attempts', () => {
  const agent = (here: ReturnType<typeof place>, first: string, second: string): string[] => {
    const file = join(here.top, 'agent.sh')
    writeFileSync(file, `if [ -e ${quote(file)}.2 ]; then ${second}; else touch ${quote(file)}.2; ${first}; fi`)
    return ['run', 'go', '--format', 'sluice', '--max-retries', '1', '--agent', `acp:/bin/sh ${quote(file)}`]
  }

  test('an attempt that says nothing from its beginning is a stall, also when it is not the first', async (t) => {
    const here = place(t)
    const ran = await sluice(here, [...agent(here, 'exit 3', 'exec sleep 60'), '--progress-timeout', '1s', '--timeout', '20s'])
    assert.equal(ran.code, 124, ran.stderr)
    assert.deepEqual(
      all(linesOf(ran.stdout), 'session.end').map(({ reason }) => reason),
      ['error', 'stall'],
    )
  })

  test('when a cap is reached there is no other attempt, also after a failure', async (t) => {
    const here = place(t)
    const say = (message: object): string => `echo '${JSON.stringify({ jsonrpc: '2.0', ...message })}'; read line`
    const update = (body: object): string => say({ method: 'session/update', params: { sessionId: 's', update: body } })
    const script = [
      'read line',
      say({ id: 1, result: { protocolVersion: 1 } }),
      say({ id: 2, result: { sessionId: 's' } }),
      update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x', status: 'in_progress' }).replace('; read line', ''),
      update({ sessionUpdate: 'usage_update', used: 1, size: 9, cost: { amount: 2, currency: 'USD' } }).replace('; read line', ''),
      say({ id: 3, error: { code: -32603, message: 'broken' } }),
    ].join('; ')
    const ran = await sluice(here, [...agent(here, script, script), '--max-cost', '1'])
    assert.equal(ran.code, 1, ran.stderr)
    const kinds = linesOf(ran.stdout).map(({ kind }) => kind)
    assert.deepEqual(
      kinds.filter((kind) => ['cancel.request', 'error', 'retry.start', 'session.end'].includes(String(kind))),
      ['cancel.request', 'error', 'session.end'],
    )
  })
})
