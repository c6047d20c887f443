import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Rec } from '../base/json.ts'
import { createFileHandler } from '../control/file-handler.ts'
import { delta, type FakeRun, fakeRun, newFolder, question } from '../control/support.test.ts'
import { quote } from '../../test/quote.ts'

type Ended = { code: number | null; stdout: string; stderr: string }
type Running = { done: Promise<Ended>; saw(text: string): Promise<void>; kill(): void }

/** A command from its source, while the run that it talks to goes on in this process. */
function start(name: string, args: readonly string[], env: Record<string, string>, { input = '', out = '' } = {}): Running {
  const url = pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href
  const program = `import('${url}').then(({ run }) => run(process.argv.slice(1))).then((code) => { process.exitCode = code },
    (error) => { console.error(error.name === 'CommandError' ? error.message : error.stack); process.exitCode = error.exitCode ?? 70 })`
  const shell = ['-c', `exec "$0" "$@" ${out === '' ? '' : `> ${quote(out)}`}`]
  const child = spawn('/bin/sh', [...shell, process.execPath, '-e', program, '--', ...args], {
    env: { PATH: process.env['PATH']!, ...env },
  })
  let stdout = ''
  let stderr = ''
  let heard = (): void => {}
  child.stdout.on('data', (chunk) => ((stdout += String(chunk)), heard()))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  child.stdin.on('error', () => {}).end(input)
  return {
    done: new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr }))),
    saw: (text) =>
      new Promise((resolve) => {
        heard = () => (stdout.includes(text) ? resolve() : undefined)
        heard()
      }),
    kill: () => child.kill('SIGKILL'),
  }
}
const control = (run: FakeRun, ...args: string[]): Promise<Ended> => start('control', args, run.env).done

test('status, history and the commands reach the only run', async () => {
  await using run = await fakeRun()
  run.emit(delta('a'), delta('b'))
  run.ask('q1')
  const status = await control(run, 'status')
  assert.equal((JSON.parse(status.stdout) as Rec)['run'], 'run_1')
  const history = await control(run, 'history', '--after', '1', '--limit', '1')
  assert.equal((JSON.parse(history.stdout) as Rec)['text'], 'b')
  const results = await Promise.all([
    control(run, '--run', 'run_1', 'prompt', 'go', 'on'),
    control(run, 'answer', 'q1', 'reject_once', '--text', 'no'),
    control(run, '--control-socket', run.control.path!, 'cancel', '--turn'),
    control(run, 'emit', '{"event":"mine","n":12345678901234567890}'),
  ])
  results.push(await control(run, 'shutdown', 'immediate'), await control(run, 'prompt', 'more'))
  assert.deepEqual(
    results.map(({ code, stdout }) => [code, stdout]),
    [
      [0, 'prompt queued\n'],
      [0, 'answered\n'],
      [0, 'cancelled\n'],
      [0, ''],
      [0, 'shutting down\n'],
      [1, ''],
    ],
  )
  assert.deepEqual(run.commands.map(({ type }) => type).sort(), ['cancel', 'cancel', 'prompt'])
  assert.ok(run.commands.some((command) => command.type === 'prompt' && command.text === 'go on'))
  assert.deepEqual(run.replies, [['q1', { option: 'reject_once', by: 'control', text: 'no' }]])
  assert.ok(run.told.some(({ raw }) => raw === '{"event":"mine","n":12345678901234567890}'))
})

test('tail tells what was and what comes, in any dialect, and ends with the run', async () => {
  const run = await fakeRun()
  run.emit(delta('first'))
  run.flush()
  const own = start('control', ['tail', '--after', '0'], run.env)
  const avenor = start('control', ['tail', '--after', '0', '--format', 'avenor'], run.env)
  await Promise.all([own.saw('first'), avenor.saw('first')])
  run.emit(delta('second'))
  run.flush()
  await Promise.all([own.saw('second'), avenor.saw('second')])
  await run[Symbol.asyncDispose]()
  const [ours, theirs] = await Promise.all([own.done, avenor.done])
  assert.deepEqual([ours.code, theirs.code, ours.stderr, theirs.stderr], [0, 0, '', ''])
  assert.deepEqual(
    ours.stdout.trim().split('\n'),
    run.told.map((event) => JSON.stringify(event)),
  )
  assert.match(theirs.stdout, /^\{"event":"session\.start".*\n\{"event":"agent\.message_chunk".*first.*\n.*second.*\n/)
})

test('what a run refuses, and a run that is not there, are errors of the command', async () => {
  await using run = await fakeRun()
  const cases: [string[], number, RegExp][] = [
    [['answer', 'q9', 'allow'], 1, /no question "q9" is open/],
    [['emit', '{"event":"session.end"}'], 1, /belongs to the stream itself/],
    [['emit', 'nonsense'], 2, /"nonsense" is not JSON/],
    [['history', '--after', '5'], 1, /there is no event 5 yet/],
    [['--run', 'other', 'status'], 2, /no run listens there/],
    [['dance'], 2, /"dance" is not a command of sluice control: status/],
    [['answer', 'q1'], 1, /no permission question is open/],
    [['cancel', 'now'], 2, /"now" is too much/],
    [['status', 'run_2'], 2, /"run_2" is too much; a run is named by --run ID/],
    [['shutdown', 'imediate'], 2, /^shutdown "imediate" is neither graceful nor immediate; did you mean immediate\?\n$/],
    [['shutdown', 'x'], 2, /^shutdown "x" is neither graceful nor immediate\n$/],
    [['history', '--limit', '1000'], 2, /^--limit 1000 is more than 256; go on with --after N/],
    [['history', '--limit', '0'], 2, /^--limit "0" is not a whole number from 1 on/],
  ]
  await Promise.all(
    cases.map(async ([args, code, message]) => {
      const ended = await control(run, ...args)
      assert.match(ended.stderr, message, args.join(' '))
      assert.equal(ended.code, code, args.join(' '))
    }),
  )
  const nobody = await start('control', ['status'], { XDG_RUNTIME_DIR: newFolder() }).done
  assert.deepEqual([nobody.code, /no run listens in/.test(nobody.stderr)], [2, true])
})

test('what is wrong with the words is told also when there is no run', async () => {
  const env = { XDG_RUNTIME_DIR: newFolder() }
  const cases: [string[], RegExp][] = [
    [['status', 'run_2'], /^"run_2" is too much/],
    [['shutdown', 'x'], /^shutdown "x" is neither/],
    [['answer'], /an OPTION/],
    [['choose', 'q1'], /an ANSWER to each/],
    [['emit', 'nonsense'], /"nonsense" is not JSON/],
    [['prompt', ' '], /the text is empty/],
    [['statsu'], /^"statsu" is not a command of sluice control: status, prompt, .*; did you mean status\?$/m],
    [['shutdown', '--turn'], /^--turn is for cancel, not for shutdown/],
    [['interrupt', 'stop', '--text', 'why'], /^--text is for answer, not for interrupt/],
    [['tail', '--limit', '5'], /^--limit is for history, not for tail/],
    [['status', '--format', 'avenor'], /^--format is for tail and history, not for status/],
    [['tail', '--after', 'x'], /^--after "x" is not a whole number/],
    [['history', '--format', 'nope'], /^--format "nope"/],
    [['prompt', '-'], /^no run can be reached: no run listens in/],
  ]
  for (const [args, message] of cases) {
    const { code, stderr } = await start('control', args, env).done
    assert.match(stderr, message, args.join(' '))
    assert.equal(code, 2, args.join(' '))
  }
})

test('a tail that is cut off before the end says so', async () => {
  await using run = await fakeRun()
  const tail = start('control', ['tail', '--answers'], run.env)
  while (!run.control.mayAnswer()) await new Promise(setImmediate)
  await run.control.close() // as a run that is killed: without an end
  const { code, stderr } = await tail.done
  assert.deepEqual([code, stderr], [1, 'the run went away before its end was told\n'])
})

test('what cannot be written is told, and is a failure', async () => {
  await using run = await fakeRun()
  run.emit(delta('a'))
  run.flush()
  const tail = start('control', ['tail', '--after', '0', '--answers'], run.env, { out: '/dev/full' }).done
  while (!run.control.mayAnswer()) await new Promise(setImmediate)
  const history = await start('control', ['history'], run.env, { out: '/dev/full' }).done
  await run[Symbol.asyncDispose]()
  const full = { code: 1, stdout: '', stderr: 'cannot write the output: no space left on the device\n' }
  assert.deepEqual([await tail, history], [full, full])
})

test('a script inside the run reports with emit, one event or many', async () => {
  await using run = await fakeRun()
  const one = await start('emit', ['{"event":"tests.done","failed":0}'], run.control.env).done
  assert.deepEqual(one, { code: 0, stdout: '', stderr: '' })
  const lines = Array.from({ length: 130 }, (_, n) => `{"event":"tick","n":${n}}\n`).join('')
  assert.equal((await start('emit', ['-'], run.control.env, { input: lines }).done).code, 0)
  assert.deepEqual(run.told.map(({ raw }) => raw).join('\n'), `{"event":"tests.done","failed":0}\n${lines.trimEnd()}`)
  const outside = await start('emit', ['{"event":"x"}'], {}).done
  assert.deepEqual([outside.code, /SLUICE_EMIT_SOCKET is not set/.test(outside.stderr)], [2, true])
  const bad = await start('emit', ['{"event":'], run.control.env).done
  assert.deepEqual([bad.code, /is not an event/.test(bad.stderr)], [2, true])
  for (const none of ['', '[]']) assert.equal((await start('emit', [none], run.control.env).done).code, 2)
})

test('of what emit reads, all before the line that is no event is told', async () => {
  await using run = await fakeRun()
  const ended = await start('emit', ['-'], run.control.env, { input: '{"event":"a.1"}\nno event\n{"event":"a.2"}\n' }).done
  assert.deepEqual([ended.code, run.told.map(({ raw }) => raw)], [2, ['{"event":"a.1"}']])
})

test('emit goes on when its connection was closed meanwhile, and waits where there are too many', async () => {
  const path = join(newFolder(), 'emit.sock')
  const told: string[] = []
  let calls = 0
  const full = '{"jsonrpc":"2.0","id":null,"error":{"code":-32029,"message":"too many connections"}}\n'
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        if (calls++ === 1) return socket.end(full)
        told.push((JSON.parse(String(chunk)) as { params: { event: { event: string } } }).params.event.event)
        socket.end(`{"jsonrpc":"2.0","id":1,"result":{}}\n`)
      })
  }).listen(path)
  const ended = await start('emit', ['-'], { SLUICE_EMIT_SOCKET: path }, { input: '{"event":"a.1"}\n{"event":"a.2"}\n' }).done
  server.close()
  assert.deepEqual([ended, told], [{ code: 0, stdout: '', stderr: '' }, ['a.1', 'a.2']])
})

test('answer writes what the file handler takes', async () => {
  const base = join(newFolder(), 'perm')
  const handler = createFileHandler(base, () => {})
  const gone = new AbortController()
  await handler.before(question('q1'), gone.signal)
  const reply = handler(question('q1'), gone.signal)
  assert.equal((await start('answer', [base, '--option', 'allow_once', '--text', 'go'], {}).done).code, 0)
  assert.deepEqual(await reply, { option: 'allow_once', by: 'file', text: 'go' })
  gone.abort()
  assert.equal(existsSync(`${base}.req.response`), false)
})

test('answer knows allow and reject, as control does', async () => {
  const base = join(newFolder(), 'perm')
  const answered = async (options: string, word: string): Promise<unknown> => {
    writeFileSync(`${base}.req`, `{"options":${options}}`)
    const { code, stderr } = await start('answer', [base, '--force', '--option', word], {}).done
    return code === 0 ? (JSON.parse(readFileSync(`${base}.req.response`, 'utf8')) as Rec)['option_id'] : [code, stderr]
  }
  const ours =
    '[{"optionId":"allow_once","kind":"allow"},{"optionId":"allow_always","kind":"allow"},{"optionId":"reject_once","kind":"reject"}]'
  const theirs = '[{"optionId":"yes","kind":"allow"},{"optionId":"no","kind":"reject"},{"optionId":"never","kind":"reject"}]'
  assert.equal(await answered(ours, 'allow'), 'allow_once')
  assert.equal(await answered(ours, 'reject'), 'reject_once')
  assert.equal(await answered(theirs, 'allow'), 'yes')
  assert.deepEqual(await answered(theirs, 'reject'), [2, '"reject" is not offered; choose one of "yes", "no", "never"\n'])
  assert.deepEqual(await answered('[{"optionId":"allow","kind":"reject"}]', 'reject'), 'allow')
  assert.deepEqual(await answered('[{"optionId":"allow_once","kind":"reject"}]', 'allow'), [
    2,
    '"allow" is not offered; choose one of "allow_once"\n',
  ])
  assert.equal(await answered('[{"optionId":"1","kind":"allow_always"},{"optionId":"2","kind":"allow_once"}]', 'allow'), '2')
  assert.equal(await answered('[{"optionId":"allow_once"},{"optionId":"reject_once"}]', 'allow'), 'allow_once')
})

test('answer gives the id of the question along, and writes for nobody else', async () => {
  const base = join(newFolder(), 'perm')
  writeFileSync(`${base}.req`, '{"request_id":"q7","options":[{"optionId":"yes"},{"optionId":"no"}]}')
  const answer = (...args: string[]): Promise<Ended> => start('answer', args, {}).done
  const cases: [string[], RegExp][] = [
    [[base, '--option', 'maybe'], /"maybe" is not offered; choose one of "yes", "no"/],
    [[base], /say which option/],
    [[base, '--option', 'yes', '--outcome', 'lost'], /neither selected nor cancelled/],
    [['--option', 'yes'], /give one BASE/],
    [[`${base}x`, '--option', 'yes'], /there is no question in/],
  ]
  for (const [args, message] of cases) {
    const { code, stderr } = await answer(...args)
    assert.match(stderr, message)
    assert.equal(code, 2)
  }
  assert.equal((await answer('--option', 'yes', base)).code, 0)
  const response = `${base}.req.response`
  assert.equal(readFileSync(response, 'utf8'), '{"request_id":"q7","outcome":"selected","option_id":"yes","message":""}\n')
  assert.equal(statSync(response).mode & 0o777, 0o600)
  assert.match((await answer('--option', 'no', base)).stderr, /an answer in .* already; --force replaces it/)
  chmodSync(response, 0o644)
  assert.equal((await answer('--option', 'no', '--force', base)).code, 0)
  assert.match(readFileSync(response, 'utf8'), /"option_id":"no"/)
  assert.equal(statSync(response).mode & 0o777, 0o600)
  rmSync(response)
  mkdirSync(response)
  for (const force of [[], ['--force']]) {
    const { code, stderr } = await answer('--option', 'no', ...force, base)
    assert.match(stderr, /cannot write .*: it is a folder$/m)
    assert.equal(code, 1)
  }
})

test('without a command the runs of the machine are listed, with their open questions', async () => {
  await using run = await fakeRun()
  const idle = await control(run)
  assert.match(idle.stdout, /^run_1 {2}working {2}for .* {2}\/project\n$/)
  run.ask('per_0123456789abcdef')
  const asked = await control(run)
  assert.equal(asked.code, 0)
  assert.match(asked.stdout, /^run_1 {2}waiting for you \(1 question\) /)
  assert.match(
    asked.stdout,
    /\n {2}abcdef {2}Allow bash: bash "rm -r x"\?\n {4}sluice control answer abcdef allow {2}\(allow_once, reject_once\)\n/,
  )
  const lines = (await control(run, '--json')).stdout.trimEnd().split('\n')
  assert.equal(lines.length, 1)
  assert.deepEqual(JSON.parse(lines[0]!), JSON.parse((await control(run, 'status')).stdout))
  const wrong = await control(run, '--limit', '3')
  assert.deepEqual([wrong.code, wrong.stderr], [2, '--limit is for history (see --help)\n'])
  const none = await start('control', [], { XDG_RUNTIME_DIR: newFolder() }).done
  assert.deepEqual([none.code, none.stdout], [0, 'no run can be reached on this machine; sluice run starts one\n'])
})

test('the only open question needs no id, and ids may be short', async () => {
  await using run = await fakeRun()
  const none = await control(run, 'answer', 'allow')
  assert.deepEqual([none.code, none.stderr], [1, 'no permission question is open; see sluice control\n'])
  for (const [id, words] of [
    ['per_1111', ['allow']],
    ['per_2222', ['deny']],
    ['per_3333333333333', ['33333', 'deny']],
    ['per_4444444444444', ['--run', 'run', 'per_44', 'allow_once']],
  ] as const) {
    run.ask(id)
    const { code, stdout, stderr } = await control(run, 'answer', ...words)
    assert.deepEqual([code, stdout], [0, 'answered\n'], stderr)
  }
  assert.deepEqual(
    run.replies.map(([id, { option }]) => [id, option]),
    [
      ['per_1111', 'allow_once'],
      ['per_2222', 'reject_once'],
      ['per_3333333333333', 'reject_once'],
      ['per_4444444444444', 'allow_once'],
    ],
  )
  run.ask('per_5_000001')
  run.ask('per_6_000001')
  const several = await control(run, 'answer', 'allow')
  assert.equal(several.code, 2)
  assert.match(several.stderr, /^several questions are open, name one: sluice control answer ID allow\|deny\n {2}_?5?_?000001/)
  assert.match(
    (await control(run, 'answer', '000001', 'allow')).stderr,
    /is the short form of several questions: per_5_000001, per_6_000001/,
  )
  assert.equal(run.replies.length, 4)
})
