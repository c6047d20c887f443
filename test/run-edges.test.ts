// Odd answers and odd machines: what a model may do wrong, subagents that fail or nest, and disks that cannot be written to.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { all, at, type Face, faces, gone, linesOf, model, one, place, sluice, tell, type Told } from './run-support.ts'
import { command } from './run.ts'

async function run(t: TestContext, face: Face, script: Rec, ...more: string[]): Promise<Told> {
  const here = place(t, { 'notes.txt': 'plum\n' })
  const { args, env } = await model(t, here, face, JSON.stringify(script))
  return tell(here, ['go', ...args, ...more], { env })
}
const glob = (id?: string): Rec => ({ name: 'glob', input: { pattern: '*' }, ...(id !== undefined && { id }) })
const task = (prompt: string): Rec => ({ name: 'task', input: { description: 'help', prompt, subagent_type: 'default' } })
const ends = ({ sluice: told }: Told): unknown[] => all(told, 'tool.end').map(({ status }) => status)

suite('a model that', () => {
  test('gives several calls one id, in one answer and over answers, gets each of them answered', async (t) => {
    for (const face of ['script', 'anthropic', 'compatible'] as const) {
      const told = await run(t, face, { turns: [{ tools: [glob('x'), glob('x')] }, { tools: [glob('x')] }, { text: 'done' }] })
      assert.equal(told.code, 0, told.stderr)
      assert.deepEqual(ends(told), ['ok', 'ok', 'ok'], face)
      assert.equal(all(told.appctl, 'tool_result').length, 3)
      assert.equal(all(told.aictrl, 'tool_use').length, 3)
    }
  })

  test('calls tools that are not there, or with wrong arguments, is told so', async (t) => {
    const tools = [
      { name: 'reed', input: { filePath: 'notes.txt' } },
      { name: 'read', input: { path: 'notes.txt' } },
      { name: 'read', input: { filePath: 7 } },
      { name: 'task', input: { description: 'x', prompt: 'x', subagent_type: 'nobody' } },
      { name: 'bash', input: { command: '' } },
    ]
    const told = await run(t, 'anthropic', { turns: [{ tools }, { text: 'done' }] }, '--permission', '*=allow')
    assert.equal(told.code, 0)
    assert.deepEqual(new Set(ends(told)), new Set(['error']))
    const texts = all(told.sluice, 'tool.end').map(({ text }) => String(text))
    for (const part of [/no tool "reed" \(did you mean read\?\)/, /filePath/, /no agent "nobody"/, /the command is empty/])
      assert.ok(
        texts.some((text) => part.test(text)),
        `${String(part)} in ${texts.join('\n')}`,
      )
  })

  test('asks for several commands at once has them run side by side', async (t) => {
    const wait = (mine: string, other: string): Rec => ({
      name: 'bash',
      input: { command: `touch ${mine}; until [ -e ${other} ]; do sleep 0.01; done`, timeout: 10_000 },
    })
    const told = await run(
      t,
      'script',
      { turns: [{ tools: [wait('a', 'b'), wait('b', 'a')] }, { text: 'done' }] },
      '--permission',
      '*=allow',
    )
    assert.deepEqual(ends(told), ['ok', 'ok'])
  })

  test('prints a flood is given the ends of it, and the stream stays small', async (t) => {
    const flood = { name: 'bash', input: { command: 'yes 0123456789 | head -c 30000000' } }
    const told = await run(t, 'script', { turns: [{ tools: [flood] }, { text: 'done' }] }, '--permission', '*=allow')
    assert.equal(told.code, 0)
    assert.ok(told.stdout.length < 2_000_000, `${told.stdout.length}`)
    assert.equal(at(one(told.sluice, 'tool.end'), 'data', 'truncated'), true)
  })

  test('speaks of terminal codes and NUL does no harm to the lines', async (t) => {
    const text = 'a\u001b[31mred\u0000\u2028\r\n end'
    for (const face of faces) {
      const told = await run(t, face, { turns: [{ text }] })
      assert.equal(at(one(told.aictrl, 'text'), 'part', 'text'), text, face)
    }
  })
})

suite('a subagent', () => {
  test('that fails is told to its caller and to the readers; the run goes on', async (t) => {
    const script = {
      lanes: [{ when: { prompt: 'sub work' }, turns: [{ error: { status: 400, message: 'not today' } }] }],
      turns: [{ tools: [task('sub work')] }, { text: 'done' }],
    }
    const told = await run(t, 'anthropic', script)
    assert.equal(told.code, 0)
    assert.match(JSON.stringify(all(told.aictrl, 'error')), /not today/)
    assert.equal(one(told.aictrl, 'session_complete')['error'], null)
    assert.match(String(one(told.sluice, 'tool.end')['text']), /not today/)
  })

  test('may have subagents, down to the third; the fourth is refused', async (t) => {
    const level = (number: number): Rec => ({
      when: { prompt: `level ${number}` },
      turns: [{ tools: [glob(), task(`level ${number + 1}`)] }, { text: `back from ${number}` }],
    })
    const told = await run(t, 'anthropic', { lanes: [1, 2, 3].map(level), turns: [{ tools: [task('level 1')] }, { text: 'done' }] })
    assert.equal(told.code, 0)
    assert.equal(all(told.aictrl, 'subagent_start').length, 3)
    assert.equal(all(told.aictrl, 'subagent_complete').length, 3)
    assert.match(JSON.stringify(all(told.sluice, 'tool.end')), /nested 3 deep/)
    const firsts = all(told.aictrl, 'tool_use').filter(({ sequenceNum }) => sequenceNum === 1)
    assert.equal(firsts.length, 4) // of each session
    const { usage, own } = one(told.sluice, 'turn.end')
    assert.ok(Number(at(usage, 'input')) > Number(at(own, 'input')))
  })

  test('goes on with its conversation when it is named again, also in a later process', async (t) => {
    const here = place(t)
    const script = {
      lanes: [{ when: { prompt: 'sub work' }, turns: [{ text: 'first' }] }],
      turns: [{ tools: [task('sub work')] }, { text: 'done' }],
    }
    const { args } = await model(t, here, 'script', JSON.stringify(script))
    const told = await tell(here, ['go', ...args])
    const id = String(one(told.sluice, 'task.start')['task'])
    const again = { ...task('more of it'), input: { ...(task('more of it')['input'] as Rec), task_id: id } }
    const next = await model(
      t,
      here,
      'anthropic',
      JSON.stringify({
        lanes: [{ when: { prompt: 'sub work' }, turns: [{ text: 'x' }, { text: 'second' }] }],
        turns: [{ text: 'x' }, { text: 'x' }, { tools: [again] }, { text: 'done' }],
      }),
    )
    const { code, stderr } = await sluice(here, ['run', 'again', '--continue', ...next.args], { env: next.env })
    assert.equal(code, 0, stderr)
    const sub = next.server!.entries.find(({ lane }) => lane !== 'main')
    assert.match(JSON.stringify(sub?.body?.['messages']), /sub work[^]*first[^]*more of it/)
  })
})

suite('a machine', () => {
  const isFull = /(.*) cannot be written any more \((.*)\); the run goes on\n/g
  const full = 'no space left on the device'

  test('whose disk is full loses an output; the run goes on, its log is whole, and the exit code says it', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const outs = ['--on-event', '/dev/full', '--on-event', 'claude:/dev/full', '--sentinel-file', 'job.done']
    const { code, stdout, stderr } = await sluice(here, ['run', 'go', '--format', 'sluice', ...outs, ...args])
    assert.equal(code, 1)
    assert.equal(linesOf(stdout).at(-1)?.['kind'], 'session.end')
    const told = [...stderr.matchAll(isFull)].map(([, what, why]) => [what, why])
    assert.deepEqual(told, Array(2).fill(['sluice: /dev/full', full]), stderr)
    assert.match(readFileSync(join(here.root, 'job.done'), 'utf8'), /^FAILED\nSESSION=.*\nSTOP_REASON=end_turn\nEXIT_CODE=1\n/)
  })

  for (const [finish, code] of [
    ['stop', 1],
    ['length', 3],
  ] as const)
    for (const format of ['sluice', 'pretty', 'claude --input-format claude'])
      test(`whose disk is full has stdout cut: ${code} after ${finish} (${format})`, async (t) => {
        const here = place(t)
        const { args } = await model(t, here, 'script', `turns: [{text: hi, finish: ${finish}}]`)
        const child = spawn(command, ['run', 'go', '--format', ...format.split(' '), ...args], {
          cwd: here.root,
          env: here.env,
          stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
        })
        let said = ''
        child.stderr!.setEncoding('utf8').on('data', (text: string) => (said += text))
        assert.deepEqual(await once(child, 'close'), [code, null])
        assert.deepEqual(
          [...said.matchAll(isFull)].map(([, what, why]) => [what, why]),
          [['sluice: stdout', full]],
          said,
        )
        const [file] = readdirSync(here.sessions).filter((name) => name.endsWith('.ndjson'))
        assert.equal(linesOf(readFileSync(join(here.sessions, file!), 'utf8')).at(-1)?.['kind'], 'session.end')
      })

  test('that cannot keep the sentinel says so, and in the exit code', async (t) => {
    const here = place(t, { 'sub/file': '' })
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const gone = ['--sentinel-file', 'sub/job.done', '--on-milestone', 'rm -rf sub']
    const { code, stderr } = await sluice(here, ['run', 'go', ...gone, ...args])
    assert.match(stderr, /--sentinel-file ".*job\.done" cannot be written/)
    assert.equal(code, 1)
  })

  test('that cannot keep the session says so once, and in the exit code', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    // No file may be larger than a block; the signal that says so is ignored, so that writing fails.
    const limited = `trap '' XFSZ; ulimit -f 1; exec "$0" "$@"`
    const child = spawn('/bin/sh', ['-c', limited, command, 'run', 'go', '--format', 'sluice', ...args], {
      cwd: here.root,
      env: here.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [told, said] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (told += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    assert.deepEqual(await once(child, 'close'), [1, null], said)
    assert.equal(linesOf(told).at(-1)?.['kind'], 'session.end')
    assert.deepEqual(
      [...said.matchAll(isFull)].map(([, what]) => what),
      ['sluice: the session file'],
      said,
    )
  })

  test('without a place for the session says so, and does not begin', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const { code, stdout, stderr } = await sluice(here, ['run', 'go', '--format', 'sluice', ...args], {
      env: { XDG_DATA_HOME: '/dev/null/x' },
    })
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /the session cannot be kept in/)
    await gone(here)
  })

  test('whose folders lie where a system makes none says so and does not wait', { skip: process.platform !== 'linux' }, async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const folder = '/proc/sluice/folder'
    const run = (env: Record<string, string>) => sluice(here, ['run', 'go', ...args], { env })
    assert.equal((await run({ XDG_CACHE_HOME: folder })).code, 0)
    for (const env of [{ XDG_RUNTIME_DIR: folder }, { XDG_RUNTIME_DIR: '', TMPDIR: folder }]) {
      const { code, stderr } = await run(env)
      assert.match(stderr, /cannot be reached over a socket: the folder "\/proc\/sluice\/folder\/.*" cannot be made/)
      assert.equal(code, 0)
    }
    const { code, stderr } = await run({ XDG_DATA_HOME: folder })
    assert.match(stderr, /the session cannot be kept in/)
    assert.equal(code, 2)
  })
})
