import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCommand } from './notify-command.ts'

const never = new AbortController().signal
const env = { PATH: process.env['PATH'], SLUICE_WEBHOOK_SECRET: 's', ANTHROPIC_API_KEY: 'k' }

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-hook-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}
const run = (command: string, message: string, { cwd = '/', timeoutMs = 5000, signal = never } = {}): Promise<string | undefined> =>
  createCommand({ command, cwd, env, timeoutMs })(message, signal)

/** Not counting the dead that nobody has buried. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

async function pidIn(path: string): Promise<number> {
  for (let i = 0; i < 500; i++, await sleep(10)) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (text.endsWith('\n')) return Number(text)
  }
  throw new Error(`nothing came in ${path}`)
}

test('the command reads one line on stdin, and nothing of it anywhere else', { skip: process.platform !== 'linux' }, async (t) => {
  const cwd = folder(t)
  const message = JSON.stringify({ text: '$(touch pwned) `touch pwned` "; touch pwned #' })
  assert.equal(await run('cat > got; env > env; pwd > cwd; tr "\\0" " " < /proc/$$/cmdline > args', message, { cwd }), undefined)
  assert.equal(readFileSync(join(cwd, 'got'), 'utf8'), `${message}\n`)
  assert.equal(readFileSync(join(cwd, 'cwd'), 'utf8').trim(), cwd)
  assert.ok(!existsSync(join(cwd, 'pwned')))
  const given = readFileSync(join(cwd, 'env'), 'utf8')
  assert.doesNotMatch(given, /pwned|SLUICE_|ANTHROPIC/)
  assert.match(given, /^AGENT=1$/m)
  assert.doesNotMatch(readFileSync(join(cwd, 'args'), 'utf8'), /pwned/)
})

test('a failure says how it ended and the last words of its stderr, on one line', async () => {
  assert.equal(
    await run('echo out; echo first >&2; printf "it broke\\n\\033[31mbadly\\n" >&2; exit 3', '{}'),
    'the command ended with code 3: "first it broke \\u001b[31mbadly"',
  )
  assert.equal(await run('exit 4', '{}'), 'the command ended with code 4')
  assert.equal(await run('kill -9 $$', '{}'), 'the command was ended by SIGKILL')
  assert.match((await run('no-such-command-here', '{}'))!, /ended with code 127: .*not found/)
  assert.equal(await run('true', '{}', { cwd: '/no/such/folder' }), 'the command cannot be started in "/no/such/folder" (ENOENT)')
})

test('a command that never reads its input succeeds, however long the message', async () => {
  assert.equal(await run('true', JSON.stringify({ text: 'x'.repeat(1 << 20) })), undefined)
  assert.equal(await run('exec <&-; true', JSON.stringify({ text: 'x'.repeat(1 << 20) })), undefined)
})

test('one that does not end is ended, with all that it started', async (t) => {
  const cwd = folder(t)
  const command = '(trap "" TERM HUP; echo $$ > outer; sh -c "echo \\$\\$ > pid; exec sleep 1000") & wait'
  assert.equal(await run(command, '{}', { cwd, timeoutMs: 500 }), 'the command did not end within 500ms')
  assert.equal(isAlive(await pidIn(join(cwd, 'pid'))), false)
})

test('what a command leaves behind does not stay, not even in a session of its own', { skip: process.platform !== 'linux' }, async (t) => {
  const cwd = folder(t)
  const stay = 'setsid sh -c \'trap "" TERM HUP; echo $$ > pid; while :; do sleep 0.1; done\' >/dev/null 2>&1 &'
  assert.equal(await run(`${stay} until [ -s pid ]; do sleep 0.05; done`, '{}', { cwd }), undefined)
  assert.equal(isAlive(await pidIn(join(cwd, 'pid'))), false)
})

test('a child in the background that holds stderr open does not hold us', async () => {
  const began = performance.now()
  assert.match((await run('sleep 1000 & echo oops >&2; exit 1', '{}'))!, /code 1: "oops"/)
  assert.ok(performance.now() - began < 10_000)
})

test('floods on stdout and stderr cost neither time nor memory', async () => {
  const before = process.memoryUsage().rss
  assert.equal(await run('head -c 300000000 /dev/zero', '{}', { timeoutMs: 20_000 }), undefined)
  assert.equal(await run('head -c 300000000 /dev/zero >&2', '{}', { timeoutMs: 1000 }), 'the command did not end within 1s')
  assert.ok(process.memoryUsage().rss - before < 64 << 20)
})

test('the end of the run ends it at once', async () => {
  const stop = new AbortController()
  const running = run('sleep 1000', '{}', { signal: stop.signal })
  setTimeout(() => stop.abort(), 50)
  assert.equal(await running, 'the run was over before the command was')
  assert.equal(await run('sleep 1000', '{}', { signal: stop.signal }), 'the run was over before the command was')
})
