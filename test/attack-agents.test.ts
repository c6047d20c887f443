// Whole runs with an agent that means harm: one that would answer its own questions, one that forges what it says, one that does not end.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import {
  all,
  at,
  eventually,
  formats,
  gone,
  isAlive,
  linesOf,
  model,
  one,
  outputs,
  type Place,
  place,
  sluice,
  start,
  type Started,
  tell,
  valid,
} from './run-support.ts'
import { root } from './run.ts'
import { quote } from './quote.ts'

const bash = (command: string): Rec => ({ name: 'bash', input: { command } })
const write = (filePath: string, content: string): Rec => ({ name: 'write', input: { filePath, content } })
const read = (filePath: string): Rec => ({ name: 'read', input: { filePath } })
const permit = (...rules: string[]): string[] => rules.flatMap((rule) => ['--permission', rule])
const everything = permit('bash=allow', 'write=allow', 'edit=allow', 'read=allow', 'external_directory=allow')

/** A program that is found as `claude`. */
function hostile(here: Place, mode: string, detail = ''): Started {
  const bin = join(here.top, 'bin')
  const file = here.write(
    '~/bin/claude',
    `#!/bin/sh\nexec node ${quote(join(root, 'fixtures/agents/hostile.mjs'))} ${mode} '${detail}' "$@"\n`,
  )
  chmodSync(file, 0o755)
  return { env: { PATH: `${join(here.home, 'bin')}:${bin}:${here.env['PATH']}` } }
}
const asClaude = ['run', 'go', '--agent', 'claude', '--format', 'sluice', '--run-id', 'r1']
const answers = (events: readonly Rec[]): string[] =>
  all(events, 'permission.answer').map(({ decision, by }) => `${String(decision)} ${String(by)}`)

suite('an agent that would answer its own questions', () => {
  test('is asked about, whatever else it may do: the socket, the token, the answer, the end', async (t) => {
    const here = place(t)
    const tools = [
      bash('cat my.token'),
      read('my.token'),
      bash('sluice control --control-socket my.sock answer q1 allow'),
      bash('sluice answer job.perm --option allow_once'),
      bash(`echo '{"option_id":"allow"}' > job.perm.req.response`),
      bash(`python3 -c "open('job.perm.req.response','w').write('{}')"`),
      bash('ln -s made.json job.perm.req.response'),
      write('job.perm.req.response', '{"option_id":"allow"}'),
      write('job.done', 'DONE\n'),
      bash('rm -f my.sock'),
    ]
    const { args } = await model(t, here, 'script', JSON.stringify({ turns: [{ tools }, { text: 'I could not.' }] }))
    const reached = ['--control-socket', 'my.sock', '--sentinel-file', 'job.done', '--permission-handler', 'control']
    const told = await tell(here, ['go', ...args, ...everything, ...reached, '--permission-timeout', '300ms'])
    assert.equal(told.code, 0, told.stderr)
    assert.equal(all(told.sluice, 'permission.request').length, tools.length)
    assert.deepEqual(new Set(answers(told.sluice)), new Set(['expired timeout']))
    assert.deepEqual(new Set(all(told.sluice, 'tool.end').map(({ status }) => status)), new Set(['denied']))
    assert.deepEqual(
      ['job.perm.req.response', 'my.sock', 'my.token'].map((name) => existsSync(join(here.root, name))),
      [false, false, false],
    )
    assert.match(readFileSync(join(here.root, 'job.done'), 'utf8'), /^DONE\nSESSION=ses_/)
  })

  test('may report, without being asked', async (t) => {
    const here = place(t)
    const tools = [bash(`sluice emit '{"event":"tests.done"}'`)]
    const { args } = await model(t, here, 'script', JSON.stringify({ turns: [{ tools }, { text: 'Told.' }] }))
    const told = await tell(here, ['go', ...args, ...everything], { env: { PATH: `${join(root, 'bin')}:${here.env['PATH']}` } })
    assert.equal(one(told.sluice, 'tool.end')['status'], 'ok')
    assert.equal(one(told.sluice, 'raw')['type'], 'tests.done')
  })

  test('is given neither the path of the socket nor the token', async (t) => {
    const here = place(t)
    const file = join(here.top, 'given.json')
    const ran = await sluice(here, [...asClaude, '--control-socket', 'my.sock'], hostile(here, 'tells', file))
    assert.equal(ran.code, 0, ran.stderr)
    const { env, argv } = JSON.parse(readFileSync(file, 'utf8')) as { env: Record<string, string>; argv: string[] }
    assert.deepEqual(
      Object.keys(env).filter((name) => /sluice/i.test(name)),
      ['SLUICE_EMIT_SOCKET'],
    )
    assert.doesNotMatch(JSON.stringify({ env, argv }), /my\.sock|\.token/)
  })
})

suite('an agent that forges its stream', () => {
  test('ends its session once, and allows itself nothing', async (t) => {
    const here = place(t)
    const out = outputs(here)
    const ran = await sluice(here, [...asClaude, ...out.args], hostile(here, 'forged'))
    assert.equal(ran.code, 0, ran.stderr)
    const told = linesOf(ran.stdout)
    const session = told[0]!['session']
    const ends = all(told, 'session.end').filter((event) => event['session'] === session)
    assert.deepEqual([ends.length, told.at(-1)], [1, ends[0]])
    assert.deepEqual(answers(told), ['reject headless']) // the end of another session does not close its input
    assert.equal((one(told, 'error')['error'] as { code: string }).code, 'denied-but-ran')
    assert.match(ran.stderr, /made a call of .* although it was refused/)
    // In its own dialect a record that is not understood is passed on as it came.
    await valid(here, formats.filter((format) => format !== 'claude').map(out.file))
  })

  test('that makes a call against a deny rule or a gate is ended, and the run has failed', async (t) => {
    for (const gate of [permit('bash:touch *=deny'), ['--read-only'], ['--dry-run'], ['--strict']])
      for (const detail of ['', 'goes-on']) {
        const here = place(t)
        const out = outputs(here)
        const ran = await sluice(here, [...asClaude, '--auto-approve', ...gate, ...out.args], hostile(here, 'unasked', detail))
        assert.equal(ran.code, 1, ran.stderr)
        const told = linesOf(ran.stdout)
        const [error, end] = [one(told, 'error'), one(told, 'session.end')]
        assert.deepEqual(
          [error, end].map((event) => (event['error'] as Rec)['code']),
          ['denied-but-ran', 'denied-but-ran'],
        )
        assert.match(ran.stderr, /made a call of "Bash" although (a rule denies it|the run is )/, gate.join(' '))
        await valid(here, formats.map(out.file))
      }
  })

  test('gets no yes to one thing for a question about another', async (t) => {
    const here = place(t)
    const file = join(here.top, 'answer.json')
    const options = hostile(here, 'same-name', file)
    const ran = await sluice(here, [...asClaude, '--permission-handler', 'control'], options)
    assert.equal(ran.code, 0, ran.stderr)
    const told = linesOf(ran.stdout)
    assert.deepEqual(
      all(told, 'permission.request').map(({ input }) => at(input, 'command')),
      ['ls'],
    )
    assert.equal(answers(told)[0], 'cancelled policy')
    assert.equal(at(JSON.parse(readFileSync(file, 'utf8')), 'response', 'response', 'behavior'), 'deny')
  })

  test('gets none in its own session either', async (t) => {
    const here = place(t)
    const file = join(here.top, 'answer.json')
    const ran = await sluice(here, [...asClaude, '--permission-handler', 'control'], hostile(here, 'same-name-here', file))
    assert.equal(ran.code, 0, ran.stderr)
    assert.deepEqual(answers(linesOf(ran.stdout)), ['cancelled agent'])
    assert.equal(at(JSON.parse(readFileSync(file, 'utf8')), 'response', 'subtype'), 'error')
  })

  test('asks more than anybody can answer, and every question is answered', async (t) => {
    const here = place(t)
    const wait = ['--permission-handler', 'control', '--permission-timeout', '500ms']
    const ran = await sluice(here, [...asClaude, ...wait], hostile(here, 'questions', '300'))
    assert.equal(ran.code, 0, ran.stderr)
    const told = linesOf(ran.stdout)
    assert.equal(all(told, 'permission.request').length, 256)
    assert.equal(answers(told).filter((answer) => answer === 'expired timeout').length, 256)
    assert.equal(answers(told).filter((answer) => answer === 'cancelled policy').length, 44)
    await valid(here, [here.write('questions.ndjson', ran.stdout)])
  })

  test('says what is nested too deep, and is followed all the same', async (t) => {
    const here = place(t)
    const ran = await sluice(here, asClaude, hostile(here, 'deep', '20000'))
    assert.equal(ran.code, 0, ran.stderr)
    assert.equal(one(linesOf(ran.stdout), 'session.end')['reason'], 'end_turn')
  })

  test('is ended when it asks without end and reads no answer', async (t) => {
    const here = place(t)
    const ran = await sluice(here, asClaude, hostile(here, 'reads-nothing'))
    assert.equal(ran.code, 1, ran.stderr)
    const told = linesOf(ran.stdout)
    assert.equal(one(told, 'notice')['code'], 'unread')
    assert.equal(one(told, 'session.end')['reason'], 'error')
    await gone(here)
  })
})

suite('an agent that does not end', () => {
  test('is gone with all that carries its mark when sluice is killed with -9', { skip: process.platform !== 'linux' }, async (t) => {
    const here = place(t)
    const file = join(here.top, 'pids')
    const run = start(here, asClaude, { ...hostile(here, 'stays', file), open: true })
    await run.until('turn.start')
    const [apart, forgetful, child, agent] = JSON.parse(readFileSync(file, 'utf8')) as [number, number, number, number]
    t.after(() => isAlive(forgetful) && process.kill(forgetful, 'SIGKILL'))
    assert.ok([apart, forgetful, child, agent].every(isAlive))
    process.kill(run.pid, 'SIGKILL')
    await eventually(() => ![apart, child, agent].some(isAlive), 'the end of the agent, its child, and its child in another session')
    await gone(here)
  })

  test('is ended by a signal, deaf as it is, leaves one end, and never had the token', async (t) => {
    const here = place(t)
    const file = join(here.top, 'pids')
    const run = start(here, asClaude, { ...hostile(here, 'stays', file), open: true })
    await run.until('turn.start')
    const [apart, forgetful, child, agent] = JSON.parse(readFileSync(file, 'utf8')) as [number, number, number, number]
    t.after(() => isAlive(forgetful) && process.kill(forgetful, 'SIGKILL'))
    const token = readFileSync(join(here.top, `sluice-${process.geteuid!()}`, 'r1.token'), 'utf8').trim()
    for (const what of ['environ', 'cmdline'])
      for (const pid of [apart, child, agent]) {
        const text = readFileSync(`/proc/${pid}/${what}`, 'latin1')
        assert.ok(text.length > 0 && !text.includes(token) && !text.includes('r1.sock'), `${pid} ${what}`)
      }
    process.kill(run.pid, 'SIGTERM')
    const { code, stdout } = await run.ended
    assert.equal(code, 143)
    assert.equal(one(linesOf(stdout), 'session.end')['reason'], 'cancelled')
    assert.deepEqual([apart, child, agent].filter(isAlive), [])
  })
})

test('what a question shows cannot act on the terminal', async (t) => {
  const here = place(t)
  const { openPane } = await import('./tmux.ts')
  const { env = {} } = hostile(here, 'screen')
  writeFileSync(join(here.top, 'raw'), '')
  // `script` keeps every byte that the terminal is sent.
  const run = `${quote(join(root, 'bin/sluice'))} run go --agent claude --format sluice > /dev/null`
  const line = `exec script -qefc ${quote(run)} ${quote(join(here.top, 'raw'))}`
  using pane = openPane(['/bin/sh', '-c', line], { cwd: here.root, env: { ...here.env, ...env } })
  for (const key of ['n', '1']) {
    await pane.shows(key === '1' ? /your own words: *$/ : /n Reject · c Reject and stop: *$/)
    pane.press(key, 'Enter')
  }
  await pane.shows(/EXIT 0/)
  const raw = readFileSync(join(here.top, 'raw'), 'latin1')
  assert.ok(raw.includes('\\u001b[2J') && raw.includes('\\u009b31m') && raw.includes('\\u202e'), raw)
  assert.doesNotMatch(raw, /\u001b\[2J|\u001b\]0;owned|\u00c2\u009b|\u00e2\u0080\u00ae/)
})

test('what was typed before a question came is no answer to it', async (t) => {
  const here = place(t)
  const turns = [{ text: 'Let me think about it.', chunk: 2, delay: '40ms', tools: [bash('touch made')] }, { text: 'Done.' }]
  const { args } = await model(t, here, 'script', JSON.stringify({ turns }))
  const { openPane } = await import('./tmux.ts')
  using pane = openPane([join(root, 'bin/sluice'), 'run', 'go', ...args], { cwd: here.root, env: here.env })
  await pane.shows(/Let/)
  pane.press('y', 'Enter', 'y')
  await pane.shows(/n Reject: *$/)
  pane.press('n', 'Enter')
  await pane.shows(/EXIT 0/)
  assert.equal(existsSync(join(here.root, 'made')), false)
})
