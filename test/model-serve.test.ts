// sluice model serve as a process: what it prints, what it logs, how it ends.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, suite, test } from 'node:test'
import { run } from '../src/cli/model.ts'
import { quote } from './quote.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-model-'))
const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** The command without the rest of the program. */
function start(...args: string[]): ChildProcess {
  const code = `const { run } = await import(${JSON.stringify(new URL('../src/cli/model.ts', import.meta.url).href)})
    process.exitCode = await run(process.argv.slice(1))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, '--', 'serve', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

const firstLine = async (child: ChildProcess): Promise<string> => {
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string]
  return line
}

type Recipe = { env: Record<string, string>; args?: string[]; file?: { path: string; text: string } }
type Summary = { bases: Record<'anthropic' | 'openai' | 'gemini', string>; agents: Record<string, Recipe>; lanes: unknown }

async function serve(script: string, ...args: string[]): Promise<{ child: ChildProcess; summary: Summary }> {
  const child = start(script, '--json', ...args)
  return { child, summary: JSON.parse(await firstLine(child)) as Summary }
}

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> => {
  const exited = once(child, 'exit')
  child.kill(signal)
  return (await exited)[0]
}

const hello = file('hello.yaml', 'turns: [{text: hello}]')
const ask = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
const post = (url: string, body: unknown): Promise<Response> => fetch(url, { method: 'POST', body: JSON.stringify(body) })

suite('what it prints', () => {
  test('as JSON: the address for each API, and how to start each agent', async () => {
    const { child, summary } = await serve(hello)
    const { anthropic, openai, gemini } = summary.bases
    assert.match(anthropic, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.deepEqual([openai, gemini], [`${anthropic}/v1`, anthropic])
    assert.deepEqual(summary.lanes, [{ name: 'main', turns: 1 }])
    assert.deepEqual(Object.keys(summary.agents), ['claude', 'codex', 'gemini', 'opencode', 'copilot'])
    assert.equal(summary.agents['claude']?.env['ANTHROPIC_BASE_URL'], anthropic)
    for (const path of [`${anthropic}/v1/messages`, `${openai}/chat/completions`])
      assert.match(await (await post(path, ask)).text(), /hello/)
    assert.equal(await end(child, 'SIGTERM'), 143)
  })

  test('as text: lines for a shell that start each agent so', async () => {
    for (const agent of ['claude', 'codex', 'gemini', 'opencode', 'copilot']) {
      const program = file(`${agent}.js`, 'console.log(JSON.stringify({env: process.env, args: process.argv.slice(2)}))\n')
      const path = file(agent, `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(program)} "$@"\n`)
      chmodSync(path, 0o755)
    }
    const child = start(hello)
    let page = ''
    child.stdout!.on('data', (data) => (page += String(data)))
    while (!page.includes(' copilot\n')) await once(child.stdout!, 'data')
    const url = /^Anthropic +(\S+)$/m.exec(page)![1]!
    const { recipesFor } = await import('../src/cli/model-agents.ts')
    const lines = page.split('\n').filter((line) => /^[A-Z_]+=/.test(line))
    for (const [index, [agent, recipe]] of Object.entries(recipesFor(url)).entries()) {
      const { stdout } = spawnSync('/bin/bash', ['-c', lines[index]!], {
        env: { PATH: `${folder}${delimiter}/usr/bin:/bin` },
        encoding: 'utf8',
      })
      const seen = JSON.parse(stdout) as { env: Record<string, string>; args: string[] }
      assert.deepEqual(seen.args, recipe.args ?? [], agent)
      for (const [name, value] of Object.entries(recipe.env)) assert.equal(seen.env[name], value, agent)
      if (recipe.file !== undefined) assert.ok(page.includes(recipe.file.text))
    }
    assert.equal(await end(child, 'SIGINT'), 130)
  })
})

suite('how it ends', () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)
    test(`${signal} in the middle of an answer that never comes`, async () => {
      const { child, summary } = await serve(file('slow.yaml', 'turns: [{text: abc, chunk: 1, delay: 30m}]'))
      const response = await post(`${summary.bases.openai}/chat/completions`, { ...ask, stream: true })
      assert.equal(response.status, 200)
      assert.equal(await end(child, signal), code)
      await assert.rejects(response.text())
      await assert.rejects(fetch(summary.bases.gemini))
    })
})

test('the log is a line a request, for its owner only', async () => {
  const log = join(folder, 'log.ndjson')
  const { child, summary } = await serve(hello, '--log', log)
  await (await fetch(`${summary.bases.gemini}/v1beta/models?key=sk-secret`)).text()
  await (await post(`${summary.bases.anthropic}/v1/messages`, ask)).text()
  await end(child, 'SIGTERM')
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  const entries = lines.map((line) => JSON.parse(line) as { path: string; body?: unknown; lane?: string })
  assert.deepEqual(
    entries.map(({ path, body, lane }) => [path, body, lane]),
    [
      ['/v1beta/models', undefined, undefined],
      ['/v1/messages', ask, 'main'],
    ],
  )
  assert.equal(statSync(log).mode & 0o777, 0o600)
})

test('a main conversation, a subagent, a side call and retries each get their own turns', async () => {
  const script = file(
    'lanes.yaml',
    `lanes:
  - {name: title, when: {tools: false}, repeat: true, turns: [{text: A title}]}
  - name: counter
    when: {prompt: /^count/}
    turns: [{tools: [{name: read}]}, {text: three}]
turns:
  - tools: [{name: task, input: {prompt: count the lines}}]
  - {error: {status: 529, times: 1}, text: There are three.}
`,
  )
  const { child, summary } = await serve(script)
  type Block = { type: string; text?: string; name?: string }
  const say = async (prompt: string, answers: number, tools: unknown[] = [{ name: 'any' }]): Promise<unknown> => {
    const turn = (role: string, content: string) => ({ role, content })
    const messages = [turn('user', prompt), ...Array.from({ length: answers }, () => [turn('assistant', 'x'), turn('user', 'y')]).flat()]
    const response = await post(`${summary.bases.anthropic}/v1/messages`, { model: 'm', messages, tools })
    if (response.status !== 200) return response.status
    const { content } = (await response.json()) as { content: Block[] }
    return content.map(({ name, text }) => name ?? text).join()
  }
  assert.equal(await say('fix it', 0), 'task')
  assert.equal(await say('fix it', 0, []), 'A title')
  assert.equal(await say('count the lines', 0), 'read')
  assert.equal(await say('count the lines', 1), 'three')
  assert.equal(await say('fix it', 1, []), 'A title')
  assert.equal(await say('fix it', 1), 529)
  assert.equal(await say('fix it', 1), 'There are three.')
  assert.equal(await say('fix it', 0), 'task')
  assert.equal(await say('fix it', 2), 'The script has no more turns in the lane "main".')
  await end(child, 'SIGTERM')
})

suite('what is wrong before it starts', () => {
  const fails = (args: string[], exitCode: number, message: RegExp | string): Promise<void> =>
    assert.rejects(run(args), (error: Error & { exitCode: number }) => {
      assert.equal(error.name, 'CommandError')
      if (typeof message === 'string') assert.equal(error.message, message)
      else assert.match(error.message, message)
      assert.equal(error.exitCode, exitCode)
      return true
    })

  test('the command line', async () => {
    await fails(['sevre'], 2, /^"sevre" is not an action; did you mean serve\?/)
    await fails(['serve'], 2, /^give one SCRIPT/)
    await fails(['serve', hello, hello], 2, /^give one SCRIPT/)
    await fails(['serve', hello, '--prot', '1'], 2, /did you mean --port\?/)
    for (const port of ['x', '-1', '65536', '1.5', ''])
      await fails(['serve', hello, `--port=${port}`], 2, /is not a port; give a number from 0 to 65535$/)
  })

  test('the script', async () => {
    await fails(['serve', join(folder, 'none.yaml')], 2, /^cannot read the script .*no such file$/)
    const wrong = file('wrong.yaml', 'turns:\n  - txt: a\n')
    await fails(['serve', wrong], 2, `${wrong}:2: unknown key "txt" in turns 1; did you mean text?`)
  })

  test('the port and the log', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await fails(['serve', hello, '--port', String(port)], 1, `cannot listen on port ${port}: something else listens there`)
    other.close()
    await fails(['serve', hello, '--log', join(folder, 'none/log')], 1, /^cannot write the log .*no such file$/)
    await fails(['serve', hello, '--log', hello], 2, /^--log ".*" would be lost: it is what is read; name another file$/)
  })
})
