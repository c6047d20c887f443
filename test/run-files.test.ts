// A run that asks by file, and the sentinel that says how it ended.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { all, checked, linesOf, model, one, outputs, place, sluice, start } from './run-support.ts'
import { root } from './run.ts'
import { quote } from './quote.ts'

const touch = { name: 'bash', input: { command: 'touch made' } }

suite('questions by file, and the sentinel', () => {
  test('a question is written, answered by sluice answer, and gone; the sentinel says how it ended', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', JSON.stringify({ turns: [{ tools: [touch] }, { text: 'Done.' }] }))
    const done = join(here.top, 'job.done')
    writeFileSync(done, 'DONE\n') // of an earlier run
    const out = outputs(here)
    const run = start(here, [
      'run',
      'go',
      '--format',
      'sluice',
      '--run-id',
      'r1',
      '--label',
      'a job',
      '--sentinel-file',
      done,
      ...args,
      ...out.args,
    ])
    await run.until('permission.request')
    assert.equal(existsSync(done), false)
    const request = join(here.top, 'job.perm.req')
    assert.equal(statSync(request).mode & 0o777, 0o600)
    assert.equal((JSON.parse(readFileSync(request, 'utf8')) as Rec)['tool'], 'bash')
    assert.equal((await sluice(here, ['answer', join(here.top, 'job.perm'), '--option', 'allow_once'])).code, 0)
    const told = await checked(here, await run.ended, out)
    assert.equal(told.code, 0, told.stderr)
    assert.ok(existsSync(join(here.root, 'made')))
    assert.equal(one(told.avenor, 'permission.response')['source'], 'file')
    assert.ok(told.avenor.every((record) => record['run_id'] === 'r1' && record['run_label'] === 'a job'))
    assert.equal(existsSync(request), false)
    const session = String(one(told.sluice, 'session.start')['session'])
    assert.equal(readFileSync(done, 'utf8'), `DONE\nSESSION=${session}\nSTOP_REASON=end_turn\nRUN=r1\n`)
  })

  test('a folder that is not there is told before the run begins', async (t) => {
    const ran = await sluice(place(t), ['run', 'go', '--model', 'script/demo', '--permission-handler', 'file:none/ask'])
    assert.equal(ran.code, 2)
    assert.equal(ran.stderr, 'sluice: --permission-handler "file:none/ask": there is no such folder\n')
  })

  test('when nobody answers the file, the run ends and says so', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', JSON.stringify({ turns: [{ tools: [touch] }, { text: 'Never.' }] }))
    const out = outputs(here)
    const handler = ['--permission-handler', `file:${join(here.top, 'ask')}`, '--permission-timeout', '300ms']
    const ran = await sluice(here, ['run', 'go', '--format', 'sluice', ...handler, ...args, ...out.args])
    assert.equal(ran.code, 1, ran.stderr)
    const told = await checked(here, ran, out)
    assert.equal(one(told.sluice, 'session.end')['reason'], 'error')
    assert.ok(
      all(told.avenor, 'avenor.error').some(
        ({ source, message }) => source === 'permission' && message === 'handler timed out after 300ms',
      ),
    )
    assert.deepEqual(
      readdirSync(here.top).filter((name) => name.startsWith('ask')),
      [],
    )
  })

  test('when nobody answers the file, the run has failed, however soon the agent calls itself done', async (t) => {
    const here = place(t)
    const done = join(here.top, 'job.done')
    const agent = [
      '--agent',
      `acp:${quote(join(root, 'fixtures/agents/acp.mjs'))}`,
      '--sentinel-file',
      done,
      '--permission-timeout',
      '300ms',
    ]
    const ran = await sluice(here, ['run', 'ask touch made', '--format', 'avenor', ...agent])
    assert.equal(ran.code, 1, ran.stderr)
    const told = linesOf(ran.stdout)
    assert.equal(all(told, 'avenor.error')[0]?.['message'], 'handler timed out after 300ms')
    assert.equal(one(told, 'session.end')['stop_reason'], 'error')
    assert.match(readFileSync(done, 'utf8'), /^FAILED\n/)
  })

  test('wrong usage leaves no sentinel of an earlier run in its place', async (t) => {
    const here = place(t, { 'empty.txt': '' })
    const done = join(here.root, 'job.done')
    const wrong = [
      ['hi', '--run-id', 'a b'],
      ['hi', '--timeout', 'soon'],
      ['--prompt-file', 'none.txt'],
      ['--prompt-file', 'empty.txt'],
      ['hi', '--dir', 'none'],
      ['hi', '--permission', 'bash'],
      ['hi', '--no-such-option'],
    ]
    for (const args of wrong) {
      writeFileSync(done, 'DONE\nSESSION=old\nSTOP_REASON=end_turn\n')
      const ran = await sluice(here, ['run', ...args, '--sentinel-file', 'job.done'])
      assert.equal(ran.code, 2, ran.stderr)
      assert.match(readFileSync(done, 'utf8'), /^FAILED\nSESSION=\nSTOP_REASON=exit_2\nEXIT_CODE=2\n(RUN=a b\n)?$/)
    }
    const help = await sluice(here, ['run', '--help', '--sentinel-file', 'job.done'])
    assert.deepEqual([help.code, existsSync(done)], [0, true], 'to read the help is no run')
    await sluice(here, ['run', 'hi', '--sentinel-file', '--label'])
    assert.equal(existsSync(join(here.root, '--label')), false)
  })

  test('the sentinel also says that a run never began, or that the agent gave up', async (t) => {
    const here = place(t)
    const done = join(here.top, 'job.done')
    const wrong = await sluice(here, ['run', 'go', '--model', 'script/none.yaml', '--sentinel-file', done])
    assert.equal(wrong.code, 2, wrong.stderr)
    assert.equal(readFileSync(done, 'utf8'), 'FAILED\nSESSION=\nSTOP_REASON=exit_2\nEXIT_CODE=2\n')
    const nowhere = await sluice(here, ['run', 'go', '--model', 'script/demo', '--sentinel-file', join(here.top, 'none/job.done')])
    assert.deepEqual([nowhere.code, /there is no such folder/.test(nowhere.stderr)], [2, true], nowhere.stderr)
    const door = ['--input-format', 'claude', '--format', 'claude', '--model', 'script/demo']
    const hosted = await sluice(here, ['run', ...door, '--sentinel-file', done])
    assert.deepEqual([hosted.code, readFileSync(done, 'utf8').split('\n')[0]], [0, 'DONE'], hosted.stderr)
    const { args } = await model(
      t,
      here,
      'script',
      JSON.stringify({ turns: [{ text: 'I cannot.\n\n<|workflow: abort | no tests here|>\n' }] }),
    )
    const ran = await sluice(here, ['run', 'go', '--run-id', 'r2', '--sentinel-file', done, ...args])
    assert.equal(ran.code, 5, ran.stderr)
    assert.match(readFileSync(done, 'utf8'), /^BLOCKED\nSESSION=ses_\w+\nSTOP_REASON=blocked\nREASON=no tests here\nRUN=r2\n$/)
  })
})
