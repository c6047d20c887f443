import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connection, Reply, Request } from './contract.ts'
import { http } from './http.ts'
import { programOf, reach, type Reached, testTransport } from './suite.test.ts'

const server = { events: '/events', login: (password: string) => ({ user: 'us', env: { TRANSPORT_PASSWORD: password } }) }
const transport = http(server)

testTransport({
  way: 'http',
  transport,
  module: "http({ events: '/events', login: (password) => ({ user: 'us', env: { TRANSPORT_PASSWORD: password } }) })",
  say: (to, word) => to.request!({ method: 'POST', path: '/say', body: { word } }, () => {}),
})

const start = (...more: string[]): Promise<Reached> => reach(transport, programOf('http', ...more))
const ask = (to: Connection, request: Request): Promise<Reply> => new Promise((resolve) => to.request!(request, resolve))
const word = (said: string): Request => ({ method: 'POST', path: '/say', body: { word: said } })

test('http: a request has its reply, also one that is no JSON or never comes whole', async () => {
  const { connection, end } = await start()
  assert.deepEqual(await ask(connection, word('hello')), { status: 200, body: { word: 'hello' } })
  const cut = await ask(connection, { method: 'GET', path: '/cut' })
  assert.deepEqual([cut.status, cut.body], [0, 'aborted'])
  connection.kill()
  await connection.exited
  const gone = await ask(connection, word('hello'))
  assert.equal(gone.status, 0)
  assert.match(String(gone.body), /ECONN|hang up/)
  await end()
})

test('http: a reply without end is given up', async () => {
  const { connection, end } = await start()
  const { status, body } = await ask(connection, { method: 'GET', path: '/endless' })
  assert.equal(status, 0)
  assert.match(String(body), /longer than/)
  await end()
})

test('http: each start has a password of its own, and a mark; without it nobody is let in', async () => {
  const passwords = new Set<unknown>()
  for (let i = 0; i < 2; i++) {
    const reached = await start()
    await ask(reached.connection, word('mark'))
    const { password, mark } = await reached.next(1)
    passwords.add(password)
    assert.match(String(password), /^[\da-f]{36}$/)
    assert.match(String(mark), /^[\da-f-]{36}$/)
    await reached.end()
  }
  assert.equal(passwords.size, 2)
  const wrong = await reach(
    http({ ...server, login: (password) => ({ user: 'other', env: { TRANSPORT_PASSWORD: password } }) }),
    programOf('http'),
  )
  assert.deepEqual(await wrong.connection.exited, { code: 1, signal: null })
  assert.match(wrong.stderr(), /the stream of events broke off: the server answered 401/)
  await wrong.end()
})

test('http: without events the server is ended, and has failed', async () => {
  const none = await start('no-events')
  assert.deepEqual(await none.connection.exited, { code: 1, signal: null })
  assert.match(none.stderr(), /broke off: the server answered 500/)
  await none.end()
  const broken = await start()
  broken.connection.request!(word('break'), () => {})
  assert.deepEqual(await broken.connection.exited, { code: 1, signal: null })
  assert.match(broken.stderr(), /broke off: the server ended it/)
  await broken.end()
})

test('http: an address that is not of this machine by its name gets no password', async () => {
  const { connection, stderr, until, records, end } = await start('elsewhere')
  connection.request!(word('hello'), () => {})
  await until(() => stderr().includes('listening on http://127.0.0.2'))
  assert.deepEqual(records, [])
  await end()
})

test('http: what was asked before it has to leave still has its reply', async () => {
  const { connection, end, next } = await start()
  await ask(connection, word('hello'))
  await next(1)
  const reply = ask(connection, word('bye'))
  connection.close()
  assert.deepEqual(await reply, { status: 200, body: { word: 'bye' } })
  assert.deepEqual(await connection.exited, { code: 0, signal: null })
  await end()
})
