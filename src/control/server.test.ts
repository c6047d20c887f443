import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { test } from 'node:test'
import type { Rec } from '../base/json.ts'
import { makeEvent } from '../model/make.ts'
import { connectTo, findRuns, findSocket, readToken } from './client.ts'
import { tokenOf } from './places.ts'
import { clientOf, delta, failure, fakeRun, question, seqs, take } from './support.test.ts'

const mode = (path: string): number => statSync(path).mode & 0o777

test('the socket and its token are for nobody else, and go with the run', async () => {
  const run = await fakeRun()
  const path = run.control.path!
  assert.deepEqual([mode(path), mode(tokenOf(path)), mode(dirname(path))], [0o600, 0o600, 0o700])
  assert.deepEqual([mode(run.control.env.SLUICE_EMIT_SOCKET), mode(dirname(run.control.env.SLUICE_EMIT_SOCKET))], [0o600, 0o700])
  assert.match(readFileSync(tokenOf(path), 'utf8'), /^[\w-]{43}\n$/)
  await run[Symbol.asyncDispose]()
  for (const gone of [path, tokenOf(path), run.control.env.SLUICE_EMIT_SOCKET]) assert.equal(existsSync(gone), false)
})

test('what the agent is told does not lead to the control socket', async () => {
  await using run = await fakeRun()
  const { SLUICE_EMIT_SOCKET: told, ...rest } = run.control.env
  assert.deepEqual(rest, {})
  assert.doesNotMatch(told, /run_1/)
  assert.notEqual(dirname(told), dirname(run.control.path!))
})

test('status tells of the run, its sessions and its open questions', async () => {
  await using run = await fakeRun()
  run.emit(delta('a'))
  run.ask('q1')
  using client = await clientOf(run)
  const status = (await client.call('status')) as Rec
  assert.equal(status['run'], 'run_1')
  assert.equal(status['head'], 2)
  assert.equal(status['cwd'], '/project')
  assert.equal(status['pid'], process.pid)
  assert.deepEqual(status['sessions'], [{ session: 's', openTools: [] }])
  assert.deepEqual(
    (status['questions'] as Rec[]).map(({ id, question: text }) => [id, text]),
    [['q1', question('q1').request.question]],
  )
})

test('what changes something needs the token', async () => {
  await using run = await fakeRun()
  using client = await clientOf(run)
  run.ask('q1')
  const calls: [string, Rec][] = [
    ['prompt', { text: 'go on' }],
    ['interrupt_and_prompt', { text: 'stop that' }],
    ['answer_permission', { id: 'q1', option: 'allow_once' }],
    ['emit', { event: { event: 'mine' } }],
    ['cancel', {}],
    ['shutdown', {}],
  ]
  for (const [method, params] of calls) {
    assert.equal((await failure(client.call(method, params)))['code'], -32010, method)
    assert.equal((await failure(client.call(method, { ...params, token: 'wrong' })))['code'], -32010, method)
  }
  assert.deepEqual([run.commands, run.replies, run.told.length], [[], [], 1])
  const token = readToken(run.control.path!)
  for (const [method, params] of calls) await client.call(method, { ...params, token })
  assert.deepEqual(
    run.commands.map((command) => [
      command.type,
      command.type === 'cancel' ? command.target : command.type === 'prompt' ? command.text : '',
    ]),
    [
      ['prompt', 'go on'],
      ['cancel', 'turn'],
      ['prompt', 'stop that'],
      ['cancel', 'session'],
      ['finish', ''],
    ],
  )
  await client.call('shutdown', { token, mode: 'immediate' })
  await client.call('cancel', { token, target: 'turn' })
  assert.deepEqual(
    run.commands.slice(-2).map((command) => command.type === 'cancel' && [command.reason, command.target]),
    [
      ['cancelled_forced', 'session'],
      ['cancelled', 'turn'],
    ],
  )
})

test('a run that was told to end takes no more prompts, from nobody', async () => {
  for (const [method, params] of [
    ['shutdown', {}],
    ['shutdown', { mode: 'immediate' }],
    ['cancel', {}],
  ] as const) {
    await using run = await fakeRun()
    using client = await clientOf(run)
    using other = await clientOf(run)
    const token = readToken(run.control.path!)
    await client.call('prompt', { text: 'before', token })
    await client.call('cancel', { target: 'turn', token })
    await client.call('prompt', { text: 'also before', token })
    await client.call(method, { ...params, token })
    const before = run.commands.length
    for (const one of [client, other])
      for (const name of ['prompt', 'interrupt_and_prompt']) {
        const { code, message } = await failure(one.call(name, { text: 'after', token }))
        assert.deepEqual([code, message], [-32002, 'the run was told to end: it takes no more prompts'])
      }
    assert.equal(run.commands.length, before, 'nothing of it reaches the run, not even the interruption')
  }
})

test('of two who answer a question the first wins, and the other hears what was decided', async () => {
  await using run = await fakeRun()
  run.ask('q1')
  using first = await clientOf(run)
  using second = await clientOf(run)
  const token = readToken(run.control.path!)
  const answers = await Promise.allSettled([
    first.call('answer_permission', { id: 'q1', option: 'allow_once', token }),
    second.call('answer_permission', { id: 'q1', option: 'reject_once', token }),
  ])
  const lost = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason as Rec & Error)
  assert.equal(lost.length, 1)
  assert.equal(lost[0]!['code'], -32001)
  assert.match(lost[0]!.message, /answered already: allow by control/)
  assert.equal(run.replies.length, 1)
})

test('a choice is made by number or in words, one answer for each of its questions, and once', async () => {
  await using run = await fakeRun()
  const options = [{ label: 'Red' }, { label: 'Blue' }]
  const questions = [
    { text: 'Which colour?', options },
    { text: 'Which size?', options: [] },
  ]
  run.emit(makeEvent('question.request', { id: 'c1', questions }, { session: 's' }))
  run.flush()
  using client = await clientOf(run)
  const token = readToken(run.control.path!)
  const { questions: open } = (await client.call('status')) as { questions: Rec[] }
  assert.deepEqual(
    open.map(({ kind, id }) => [kind, id]),
    [['question.request', 'c1']],
  )
  assert.equal((await failure(client.call('answer_question', { id: 'c1', answers: ['2', 'large'] })))['code'], -32010)
  for (const answers of [['2'], ['2', ''], [null, '2', 'large'], [3, 'large'], 'large', undefined])
    assert.equal((await failure(client.call('answer_question', { id: 'c1', answers, token })))['code'], -32602)
  const answers = { 'Which colour?': 'Blue', 'Which size?': 'large' }
  assert.deepEqual(await client.call('answer_question', { id: 'c1', answers: [2, 'large'], token }), { id: 'c1', answers })
  assert.deepEqual((run.told.at(-1) as unknown as Rec)['answers'], answers)
  const late = await failure(client.call('answer_question', { id: 'c1', answers: ['1', 'small'], token }))
  assert.deepEqual([late['code'], late['data']], [-32001, { settled: { decision: 'allow', by: 'control' } }])
})

test('an answer that is not offered is refused, and the question stays open', async () => {
  await using run = await fakeRun()
  run.ask('q1')
  using client = await clientOf(run)
  const token = readToken(run.control.path!)
  const error = await failure(client.call('answer_permission', { id: 'q1', option: 'allow_always', token }))
  assert.equal(error['code'], -32602)
  assert.match(error.message, /offered are allow_once, reject_once/)
  assert.match((await failure(client.call('answer_permission', { id: 'q2', option: 'allow', token }))).message, /no question "q2" is open/)
  await client.call('answer_permission', { id: 'q1', option: 'reject', text: 'not that one', token })
  assert.deepEqual(run.replies, [['q1', { option: 'reject_once', by: 'control', text: 'not that one' }]])
})

test('a question waits only while somebody is there who may answer it', async () => {
  await using run = await fakeRun()
  const gone = new AbortController()
  assert.equal(await run.control.answerer(question('q'), gone.signal), undefined)
  using watcher = await clientOf(run)
  await watcher.call('subscribe')
  assert.equal(run.control.mayAnswer(), false)
  const client = await clientOf(run)
  assert.equal((await failure(client.call('subscribe', { token: 'wrong' })))['code'], -32010)
  await client.call('subscribe', { token: readToken(run.control.path!) })
  assert.equal(run.control.mayAnswer(), true)
  const first = run.control.answerer(question('q'), gone.signal)
  const second = run.control.answerer(question('r'), new AbortController().signal)
  gone.abort()
  assert.equal(await first, undefined)
  client[Symbol.dispose]()
  assert.equal(await second, undefined)
  assert.equal(run.control.mayAnswer(), false)
})

test('errors are those of JSON-RPC, and a call without id is not answered', async () => {
  await using run = await fakeRun()
  const socket = connect(run.control.path!)
  const token = readToken(run.control.path!)
  const lines = [
    'no json',
    '[1]',
    '{"jsonrpc":"2.0","id":{},"method":"status"}',
    '{"jsonrpc":"2.0","id":1,"method":"status","params":[]}',
    '{"jsonrpc":"2.0","id":5}',
    '{"id":"six","method":"status"}',
    '{"jsonrpc":"2.0","method":"status","params":[]}',
    '{"jsonrpc":"2.0","id":2,"method":"constructor"}',
    JSON.stringify({ jsonrpc: '2.0', method: 'prompt', params: { text: 'quietly', token } }),
    '{"jsonrpc":"2.0","id":3,"method":"history","params":{"after":-1}}',
    '{"jsonrpc":"2.0","id":"four","method":"subscribe","params":{"after":7}}',
  ]
  socket.write(`${lines.join('\n')}\n`)
  let text = ''
  for await (const chunk of socket) if ((text += String(chunk)).split('\n').length > 9) break
  const replies = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: unknown; error: { code: number } })
  assert.deepEqual(
    replies.map(({ id, error }) => [id, error.code]),
    [
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [1, -32602],
      [5, -32600],
      ['six', -32600],
      [2, -32601],
      [3, -32602],
      ['four', -32602],
    ],
  )
  assert.equal(run.commands.length, 1)
})

test('a number that is too large for JavaScript is an id like any other', async () => {
  await using run = await fakeRun()
  const socket = connect(run.control.path!)
  socket.end('{"jsonrpc":"2.0","id":12345678901234567890,"method":"subscribe"}\n')
  assert.match(String(await socket.toArray()), /^\{"jsonrpc":"2.0","id":12345678901234567890,"result":/)
})

test('who has said all he wants, and closes his half, is answered to the last call', async () => {
  await using run = await fakeRun()
  const token = readToken(run.control.path!)
  const calls = Array.from({ length: 5000 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'emit',
    params: { token, event: { event: 'my.event', id } },
  }))
  const socket = connect(run.control.path!)
  socket.end(calls.map((call) => JSON.stringify(call)).join('\n')) // the last line has no end
  const answers = Buffer.concat((await socket.toArray()) as Buffer[])
    .toString()
    .trim()
    .split('\n')
  assert.deepEqual([answers.length, run.told.length], [5000, 5000])
})

test('a line without end is cut off, and the run does not mind', async () => {
  await using run = await fakeRun()
  const socket = connect(run.control.path!)
  socket.on('error', () => {})
  socket.resume()
  const block = Buffer.alloc(1 << 16, 'x')
  const closed = new Promise((resolve) => socket.on('close', resolve))
  for (let sent = 0; sent <= 1 << 20; sent += block.length) socket.write(block)
  await closed
  using client = await clientOf(run)
  assert.equal(((await client.call('status')) as Rec)['head'], 0)
})

test('more connections than it takes are told so', async () => {
  await using run = await fakeRun()
  const clients = await Promise.all(Array.from({ length: 32 }, () => clientOf(run)))
  using late = await clientOf(run)
  assert.match((await failure(late.call('status'))).message, /too many connections/)
  clients.pop()![Symbol.dispose]()
  await clients[0]!.call('status') // by now the run has seen it go
  using next = await clientOf(run)
  await next.call('status')
  for (const client of clients) client[Symbol.dispose]()
})

test('before the run has begun and after its end nothing can be asked of it', async () => {
  await using run = await fakeRun()
  using client = await clientOf(run)
  const token = readToken(run.control.path!)
  run.end()
  assert.equal((await failure(client.call('prompt', { text: 'late', token })))['code'], -32002)
  await client.call('status')
})

test('the only run is found without its name; of several the names are told', async () => {
  const run = await fakeRun()
  assert.equal(await findSocket(run.env, undefined), run.control.path)
  const [found, ...others] = await findRuns(run.env)
  assert.deepEqual(
    [found?.run, found?.path, found?.cwd, found?.status['run'], others],
    ['run_1', run.control.path, '/project', 'run_1', []],
  )
  const other = await fakeRun({ id: 'run_2', env: run.env, cwd: '/elsewhere' })
  assert.match((await failure(findSocket(run.env, undefined))).message, /choose one:\n {2}run_\d {2}\/\w+\n {2}run_\d {2}\/\w+$/)
  assert.equal(await findSocket(run.env, 'run_2'), other.control.path)
  await run[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  assert.match((await failure(findSocket(run.env, undefined))).message, /no run listens in/)
  assert.match((await failure(connectTo(run.control.path!))).message, /no run listens there/)
})

test('a subscriber that is behind when the run ends still gets the rest, and the end', async () => {
  const run = await fakeRun()
  using client = await clientOf(run)
  await client.call('subscribe', { after: 0 })
  for (let n = 0; n < 3000; n++) run.emit(delta('x'.repeat(300)))
  const closing = run[Symbol.asyncDispose]()
  const notices = await take(client.notices(), 4000)
  await closing
  assert.deepEqual(
    seqs(notices.filter(({ method }) => method === 'event')),
    Array.from({ length: 3000 }, (_, n) => n + 1),
  )
  assert.equal(notices.at(-1)!.method, 'end')
})

test('one who reads slowly is waited for as long as it reads', async () => {
  const run = await fakeRun()
  const socket = connect(run.control.path!)
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'subscribe', params: { after: 0 } })}\n`)
  await once(socket, 'data')
  for (let n = 0; n < 20_000; n++) run.emit(delta('x'.repeat(1000)))
  let tail = ''
  socket.on('data', (chunk: Buffer) => {
    tail = (tail + chunk.toString('latin1')).slice(-200)
    socket.pause()
    setTimeout(() => socket.resume(), 5)
  })
  await Promise.all([run[Symbol.asyncDispose](), once(socket, 'close')])
  assert.match(tail, /"method":"end","params":\{"head":20000\}/)
})

test('a subscriber who cannot keep up is heard all the same', async () => {
  await using run = await fakeRun()
  const socket = connect(run.control.path!)
  const calls = [
    { method: 'subscribe', params: { after: 0 } },
    { method: 'status', params: {} },
  ]
  const flood = (): void => {
    for (let n = 0; n < 20; n++) run.emit(delta('x'.repeat(10_000)))
    run.flush()
  }
  let text = ''
  let floods = 0
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, ...calls[0] })}\n`)
  for (let n = 0; n < 50; n++) flood()
  const answered = new Promise<number>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      if (text === '') socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, ...calls[1] })}\n`)
      text += chunk.toString()
      if (text.includes('"id":1,')) return resolve(floods)
      if (floods++ < 400) flood() // each brings more than was read
      text = text.slice(-200) || ' '
    })
  })
  assert.ok((await answered) < 400)
  socket.destroy()
})
