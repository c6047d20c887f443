import { test, type TestContext } from 'node:test'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { call, connect, named } from '../../../../test/mcp-calls.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'
import type { ChildSpec, ServerStatus } from './spec.ts'

const program = fileURLToPath(new URL('../../../../test/mcp-server.ts', import.meta.url))
const child = (...ways: string[]): ChildSpec => ({ command: [process.execPath, program, ...ways] })
const PATH = process.env['PATH'] ?? ''

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sluice-mcp-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const pidsIn = (log: string): number[] => [...readFileSync(log, 'utf8').matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid))

test('a server on stdio gives its tools, page by page, as tools of the agent', async (t) => {
  const session = await connect(t, { 'my server': child('noisy') })
  assert.deepEqual(session.status(), [{ name: 'my server', status: 'connected' }])
  const names = session.tools().map(({ name }) => name)
  assert.equal(names[0], 'my_server_echo')
  assert.equal(names.at(-1), 'my_server_last')
  const echo = named(session, 'my_server_echo')
  assert.equal(echo.server, 'my server')
  assert.equal(echo.source, 'mcp')
  assert.equal(echo.description, 'Says it again.')
  assert.equal(echo.changes, false)
  assert.equal(named(session, 'my_server_fail').changes, true)
  assert.deepEqual(echo.parameters, { type: 'object', properties: { text: { type: 'string' } } })
  const plan = await echo.plan({}, {} as ToolContext)
  assert.equal(plan.title, 'my server: echo')
  assert.deepEqual(plan.ask, { permission: 'my_server_echo', patterns: ['*'] })
  assert.deepEqual(await call(session, 'my_server_echo', { text: 'hello' }), { text: 'echo: hello' })
})

test('answers of every kind reach the model', async (t) => {
  const session = await connect(t, { s: child() })
  assert.deepEqual(await call(session, 's_fail'), { text: 'there is no such thing', failed: true })
  assert.deepEqual(await call(session, 's_picture'), {
    text: '{"width":1}',
    media: [{ mime: 'image/png', data: 'aGVsbG8=' }],
    data: { width: 1 },
  })
  assert.deepEqual(await call(session, 's_parts'), {
    text: 'one\n\n[resource] a: file:///tmp/a\na file\n\ntwo',
    media: [{ mime: 'application/pdf', data: 'aGk=' }],
  })
  const strange = await call(session, 's_strange')
  assert.equal(strange.failed, true)
  assert.match(strange.text, /Invalid result/)
})

test('a very long answer is cut for the model and kept whole in a file', async (t) => {
  const outputFolder = join(await folder(t), 'outputs')
  const session = await connect(t, { s: child() })
  const bytes = 50_000_000
  const { text, data } = await call(session, 's_big', { text: String(bytes) }, { outputFolder })
  assert.ok(text.length < 52_000)
  assert.equal(data?.['truncated'], true)
  assert.equal(readFileSync(String(data?.['outputPath'])).length, bytes)
})

test('progress keeps a slow call alive, silence does not', async (t) => {
  const session = await connect(t, { s: { ...child(), timeout: 2500 }, slow: { ...child(), timeout: 2500 } })
  const [slow, hang] = await Promise.all([call(session, 's_slow'), call(session, 'slow_hang')])
  assert.deepEqual(slow, { text: 'done at last' })
  assert.deepEqual(hang, { text: 'The MCP server "slow" did not answer within 2.5 s.', failed: true })
  assert.deepEqual(await call(session, 'slow_echo', { text: 'still here' }), { text: 'echo: still here' })
})

test('a cancelled call is told to the server', async (t) => {
  const log = join(await folder(t), 'log')
  const session = await connect(t, { s: child(`log=${log}`) })
  const stop = new AbortController()
  const hanging = call(session, 's_hang', {}, { signal: stop.signal })
  while (!readFileSync(log, 'utf8').includes('hanging')) await new Promise((resolve) => setTimeout(resolve, 5))
  stop.abort()
  assert.deepEqual(await hanging, { text: 'The call was cancelled.', failed: true })
  await call(session, 's_echo')
  assert.match(readFileSync(log, 'utf8'), /notifications\/cancelled/)
})

test('servers that hang, fail or are not there delay and break nothing', async (t) => {
  const log = join(await folder(t), 'log')
  const begun = performance.now()
  const session = await connect(
    t,
    {
      hanging: child('hang', 'stubborn', `log=${log}`),
      failing: { ...child('fail'), environment: { TOKEN: 's3cret-token-value' } },
      missing: { command: ['/no/such/program'] },
      empty: { command: [] },
      off: { ...child(), enabled: false },
      good: { ...child(), timeout: 8000 },
    },
    { limitMs: 3000 },
  )
  assert.ok(performance.now() - begun < 8000)
  const status = Object.fromEntries(session.status().map((one) => [one.name, one]))
  assert.deepEqual(status['hanging'], { name: 'hanging', status: 'timeout', error: 'it was not ready within 3 s' })
  assert.equal(status['failing']?.status, 'failed')
  assert.match(status['failing']?.error ?? '', /exited with code 3; stderr: cannot read the configuration, token is \[redacted\]/)
  assert.match(status['missing']?.error ?? '', /not found|no such/i)
  assert.match(status['empty']?.error ?? '', /the command is empty/)
  assert.deepEqual(status['off'], { name: 'off', status: 'disabled' })
  assert.equal(status['good']?.status, 'connected')
  assert.ok(session.tools().every(({ server }) => server === 'good'))
  await session.close()
  for (const pid of pidsIn(log)) assert.equal(alive(pid), false)
})

test('a server that dies fails its call, says so, and is started again by the next one', async (t) => {
  const log = join(await folder(t), 'log')
  const changes: ServerStatus[] = []
  const session = await connect(t, { s: child(`log=${log}`) }, { onChange: (status) => changes.push(status) })
  const crashed = await call(session, 's_crash')
  assert.equal(crashed.failed, true)
  assert.match(crashed.text, /"s" failed during the call: the server has gone: it exited with code 9; stderr: out of cheese/)
  assert.equal(session.status()[0]?.status, 'failed')
  assert.deepEqual(await call(session, 's_echo', { text: 'again' }), { text: 'echo: again' })
  assert.deepEqual(
    changes.map(({ status }) => status),
    ['failed', 'connected'],
  )
  await session.close()
  assert.equal(pidsIn(log).length, 2)
  for (const pid of pidsIn(log)) assert.equal(alive(pid), false)
})

test('a changed list is read again, and tools keep their names', async (t) => {
  const session = await connect(t, { s: child() })
  const before = session.tools().map(({ name }) => name)
  await call(session, 's_change')
  await session.settle()
  assert.deepEqual(
    session.tools().map(({ name }) => name),
    [...before, 's_added'],
  )
})

test('a child is given the listed variables and its own, nothing else', async (t) => {
  process.env['SLUICE_TEST_API_KEY'] = 'k'
  t.after(() => delete process.env['SLUICE_TEST_API_KEY'])
  const session = await connect(t, { s: { ...child(), environment: { OWN: 'yes' } } }, { env: { PATH, LISTED: '1' } })
  const { text } = await call(session, 's_environment')
  const given = Object.keys(JSON.parse(text) as object).filter((key) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(key))
  assert.deepEqual(given.toSorted(), ['AGENT_RUN_MARK', 'LISTED', 'OWN', 'PATH'])
})

test('hostile lists are bounded and tidied', async (t) => {
  const session = await connect(t, {
    many: child('many'),
    endless: child('endless'),
    circle: child('circle'),
    hostile: child('hostile'),
  })
  const [many, endless, circle, hostile] = session.status()
  const of = (server: string): Tool[] => session.tools().filter((tool) => tool.server === server)
  assert.equal(of('many').length, 500)
  assert.match(many?.note ?? '', /only its first 500 tools/)
  assert.equal(of('endless').length, 100)
  assert.match(endless?.note ?? '', /only its first 100 tools/)
  assert.equal(circle?.status, 'connected')
  assert.ok(of('circle').length <= 3)
  const names = of('hostile').map(({ name }) => name)
  assert.deepEqual(names.slice(0, 1), ['hostile_a__31m_b_c'])
  assert.ok(names.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name)))
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.includes('hostile_a_b') && names.includes('hostile_a_b_2') && names.includes('hostile_bare'))
  const description = of('hostile')[0]?.description ?? ''
  assert.ok(description.startsWith('do this\nxxx'))
  assert.ok(Buffer.byteLength(description) <= 4096)
  assert.match(hostile?.note ?? '', /10 tools left out/)
  assert.deepEqual(await call(session, 'hostile_a__31m_b_c', { text: 'x' }), { text: 'a\u001b[31m b/c: x' })
})

test('closing ends children that ignore the end of their input and TERM', async (t) => {
  const log = join(await folder(t), 'log')
  const session = await connect(t, { s: child('stubborn', `log=${log}`) })
  await session.close()
  assert.match(readFileSync(log, 'utf8'), /^term$/m)
  assert.equal(alive(pidsIn(log)[0] ?? 0), false)
})

test('a child that speaks only the present protocol is used as well', async (t) => {
  const source = `
    import { McpServer } from '@modelcontextprotocol/server'
    import { serveStdio } from '@modelcontextprotocol/server/stdio'
    serveStdio(() => {
      const server = new McpServer({ name: 'new', version: '1' }, { capabilities: { tools: {} } })
      server.registerTool('hello', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }))
      return server
    }, { legacy: 'reject' })`
  const cwd = fileURLToPath(new URL('../../../../', import.meta.url))
  const session = await connect(t, { s: { command: [process.execPath, '--input-type=module', '-e', source], cwd } })
  assert.deepEqual(session.status(), [{ name: 's', status: 'connected' }])
  assert.deepEqual(await call(session, 's_hello'), { text: 'hello' })
})

test('nothing a server started survives when this process is killed', async (t) => {
  const log = join(await folder(t), 'log')
  const source = `
    import { connectServers } from ${JSON.stringify(new URL('session.ts', import.meta.url).href)}
    await connectServers({ s: ${JSON.stringify(child('stubborn', `log=${log}`))} }, { env: process.env, cwd: '/' })
    process.kill(process.pid, 'SIGKILL')`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: 'ignore' })
  const [, signal] = (await once(parent, 'exit')) as [number | null, string | null]
  assert.equal(signal, 'SIGKILL')
  const pid = pidsIn(log)[0] ?? 0
  for (let waited = 0; alive(pid) && waited < 5000; waited += 20) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(alive(pid), false)
})
