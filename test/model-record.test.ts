// sluice model record as a process: what it prints and writes, what it keeps out, how it ends; and sluice run through it.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text as textOf } from 'node:stream/consumers'
import { after, suite, test, type TestContext } from 'node:test'
import { run } from '../src/cli/model.ts'
import { loadScript } from '../src/script/load.ts'
import { command, env } from './run.ts'
import { scripted, settled } from './scripted.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-record-'))
const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
let count = 0
const newFile = (ending = 'yaml'): string => join(folder, `recorded-${++count}.${ending}`)

function start(args: readonly string[], more: Record<string, string> = {}, cwd = folder): ChildProcess {
  const child = spawn(command, args, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

type Recorder = {
  child: ChildProcess
  bases: Record<'anthropic' | 'openai' | 'gemini', string>
  end(signal: NodeJS.Signals): Promise<Ended>
}
type Ended = { code: number | null; said: string }

async function record(file: string, upstream: string, ...args: string[]): Promise<Recorder> {
  const child = start(['model', 'record', file, '--upstream', upstream, '--json', ...args])
  const said = textOf(child.stderr!)
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string]
  const { bases } = JSON.parse(line) as Pick<Recorder, 'bases'>
  return {
    child,
    bases,
    async end(signal) {
      const exited = once(child, 'exit')
      child.kill(signal)
      const [code] = (await exited) as [number | null]
      return { code, said: await said }
    },
  }
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}
const contentOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')

// Put together, so that no scanner takes them for real ones.
const key = ['sk', 'ant', 'api03', 'x'.repeat(40)].join('-')
const plainKey = 'correct horse battery'
const shape = ['ghp', 'a'.repeat(36)].join('_')
const ask = (answers = 0, of = {}) => ({
  model: 'claude-x',
  tools: [{ name: 'read' }],
  messages: [
    { role: 'user', content: 'hi' },
    ...Array.from({ length: answers }, () => [
      { role: 'assistant', content: 'x' },
      { role: 'user', content: 'y' },
    ]).flat(),
  ],
  ...of,
})
const post = async (url: string, body: unknown): Promise<string> => {
  const headers = { 'x-api-key': key, authorization: `Bearer ${plainKey}`, 'anthropic-version': '2023-06-01' }
  return (
    await fetch(`${url}/v1/messages?key=${encodeURIComponent(plainKey)}`, { method: 'POST', headers, body: JSON.stringify(body) })
  ).text()
}

suite('the script', () => {
  test('is whole after each answer, for its owner only, and stays when the recorder is killed', async (t) => {
    const { url } = await scripted(t, 'turns: [{text: one}, {text: two}]')
    const file = newFile()
    const { bases, end } = await record(file, url)
    assert.equal(existsSync(file), false, 'nothing was said yet')
    await post(bases.anthropic, ask())
    await until(() => contentOf(file).includes('one'))
    assert.equal(statSync(file).mode & 0o777, 0o600)
    await post(bases.anthropic, ask(1))
    await until(() => contentOf(file).includes('two'))
    await end('SIGKILL')
    const { lanes, model } = await loadScript(contentOf(file), file)
    assert.equal(model, 'anthropic/claude-x')
    assert.deepEqual(
      lanes[0]?.turns.map(({ text }) => text),
      ['one', 'two'],
    )
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.tmp')),
      [],
    )
  })

  test('has no key in it: neither those that were sent, whatever they look like, nor others that were said', async (t) => {
    const said = { text: `I saw ${key} and ${shape}.`, tools: [{ name: 'write', input: { content: `KEY=${plainKey}` } }] }
    const { url, entries } = await scripted(t, JSON.stringify({ turns: [said, { error: { status: 401, message: `wrong key ${key}` } }] }))
    const file = newFile('json')
    const recorder = await record(file, url)
    assert.ok((await post(recorder.bases.anthropic, ask())).includes(key), 'the agent gets it as it was said')
    await post(recorder.bases.anthropic, ask(1))
    await settled({ entries } as Awaited<ReturnType<typeof scripted>>, 2)
    const { code, said: words } = await recorder.end('SIGTERM')
    assert.equal(code, 143)
    const text = contentOf(file)
    for (const secret of [key, plainKey, shape]) assert.ok(!text.includes(secret), secret)
    const { turns } = JSON.parse(text) as { turns: unknown[] }
    assert.match(JSON.stringify(turns), /I saw \[redacted:.*\] and \[redacted:github\]\..*KEY=\[redacted:.*wrong key \[redacted:/)
    assert.match(words, /2 turns in 1 conversation recorded to ".*"; 4 secrets taken out\n$/)
  })

  test('a place that cannot be written any more is told once; the agent is served on', async (t) => {
    const { url } = await scripted(t, 'turns: [{text: one}, {text: two}]')
    const place = join(folder, 'closed')
    mkdirSync(place)
    const file = join(place, 'a.yaml')
    const recorder = await record(file, url)
    rmSync(place, { recursive: true })
    for (const answers of [0, 1]) assert.match(await post(recorder.bases.anthropic, ask(answers)), /one|two/)
    const { code, said } = await recorder.end('SIGINT')
    assert.equal(code, 1)
    assert.equal(said.match(/cannot write the script .*no such file/g)?.length, 1)
    assert.match(said, /is not complete\n$/)
  })
})

suite('how it ends', () => {
  for (const [signal, expected] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)
    test(`${signal} in the middle of an answer: what has come is recorded`, async (t) => {
      const { url } = await scripted(t, 'turns: [{text: abcdef, chunk: 3, delay: 1ms}, {text: abcdef, chunk: 3, delay: 30m}]')
      const file = newFile()
      const recorder = await record(file, url)
      await post(recorder.bases.anthropic, ask(0, { stream: true }))
      const response = await fetch(`${recorder.bases.anthropic}/v1/messages`, {
        method: 'POST',
        body: JSON.stringify(ask(1, { stream: true })),
      })
      const [{ code, said }] = await Promise.all([recorder.end(signal), assert.rejects(response.text())])
      assert.equal(code, expected)
      assert.match(said, /^sluice: 1 turn in 1 conversation recorded to ".*"\n$/)
      assert.equal((await loadScript(contentOf(file), file)).lanes[0]?.turns[0]?.text, 'abcdef')
    })

  test('when nothing was said, there is no file', async (t) => {
    const { url } = await scripted(t, 'turns: [{text: one}]')
    const file = newFile()
    const { code, said } = await (await record(file, url)).end('SIGINT')
    assert.deepEqual([code, said, existsSync(file)], [130, 'sluice: nothing was recorded\n', false])
  })
})

test('as text it prints its addresses, where requests go, and a line for each agent, without any key', async () => {
  const child = start(['model', 'record', newFile()])
  let page = ''
  child.stdout!.on('data', (data) => (page += String(data)))
  while (!page.includes(' copilot\n')) await once(child.stdout!, 'data')
  assert.match(page, /Requests go on to Anthropic, OpenAI or Google, by the API that is asked\./)
  const url = /^Anthropic +(\S+)$/m.exec(page)![1]!
  assert.match(page, new RegExp(`^ANTHROPIC_BASE_URL=${url} OPENAI_BASE_URL=${url}/v1 GOOGLE_GEMINI_BASE_URL=${url} sluice run$`, 'm'))
  assert.match(page, new RegExp(`^ANTHROPIC_BASE_URL=${url} .* claude$`, 'm'))
  assert.match(page, /^codex -c .*env_key="OPENAI_API_KEY"/m)
  assert.match(page, /^OPENCODE_CONFIG_CONTENT='.*"google":\{"options":\{"baseURL":"http:\/\/127\.0\.0\.1:\d+\/v1beta"\}\}/m)
  assert.doesNotMatch(page, /_API_KEY=|sk-/)
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  await exited
})

suite('sluice run', () => {
  const script = `
turns:
  - {think: I look at it., text: Let me look., tools: [{name: read, input: {filePath: notes.txt}}, {name: glob, input: {pattern: "*.txt"}}], usage: {input: 100, output: 20, reasoning: 5, cacheRead: 40}}
  - {error: {status: 529, message: busy, retryAfter: 10ms, times: 1}, tools: [{name: task, input: {description: count, prompt: "Count the words of notes.txt, nothing else", subagent_type: default}}]}
  - {text: "All in all: two words.", usage: {input: 300, output: 10}}
lanes:
  - {name: helper, when: {prompt: Count the words}, turns: [{tools: [{name: read, input: {filePath: notes.txt}}]}, {text: Two words.}]}
`
  const apis = [
    ['anthropic/claude-opus-5', (url: string) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url })],
    ['openai/gpt-5.4', (url: string) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` })],
    ['google/gemini-3-pro', (url: string) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url })],
    ['vllm/some', (url: string) => ({ VLLM_API_KEY: key, VLLM_BASE_URL: `${url}/v1` })],
  ] as const

  for (const [model, keys] of apis)
    test(`${model}: a run against the recording tells the same as the run that was recorded`, async (t) => {
      const project = mkdtempSync(join(folder, 'project-'))
      writeFileSync(join(project, 'notes.txt'), 'two words\n')
      const tell = async (url: string): Promise<unknown[]> => {
        const child = start(['run', 'how many words are there?', '--model', model, '--format', 'sluice', '--thinking'], keys(url), project)
        const [out, trouble, [code]] = await Promise.all([textOf(child.stdout!), textOf(child.stderr!), once(child, 'close')])
        assert.equal(code, 0, trouble)
        return storyOf(out)
      }
      const file = newFile()
      const recorder = await record(file, (await scripted(t, script)).url)
      const first = await tell(recorder.bases.anthropic)
      const { said } = await recorder.end('SIGINT')
      assert.match(said, /^sluice: 5 turns in 2 conversations recorded/)
      const again = await tell((await scripted(t, contentOf(file))).url)
      assert.deepEqual(again, first)
      assert.match(JSON.stringify(first), /I look at it.*Let me look.*notes\.txt.*busy.*Two words\..*All in all: two words\./)
      assert.ok(!contentOf(file).includes(key))
    })

  /** What the events say of the model, in order; pieces, ids and times are of each run, and so is which tool ends first. */
  function storyOf(lines: string): unknown[] {
    const kinds = ['text.end', 'thought.end', 'tool.start', 'message.end', 'turn.end', 'retry.start', 'notice', 'session.end']
    return lines
      .replaceAll(/\bses_\w+/g, 'ses_')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ kind }) => kinds.includes(kind as string))
      .map(({ kind, text, name, input, usage, reason, status, error }) => {
        const fault = error as { text?: string; http?: number } | undefined
        return { kind, text, name, input, usage, reason, status, error: fault && [fault.http, fault.text] }
      })
  }
})

suite('what is wrong before it starts', () => {
  const fails = (args: string[], exitCode: number, message: RegExp): Promise<void> =>
    assert.rejects(run(['record', ...args]), (error: Error & { exitCode: number }) => {
      assert.equal(error.name, 'CommandError', error.stack)
      assert.match(error.message, message)
      assert.equal(error.exitCode, exitCode)
      return true
    })

  test('the command line', async (t: TestContext) => {
    const file = newFile()
    await fails([], 2, /^give one SCRIPT/)
    await fails([file, file], 2, /^give one SCRIPT/)
    await fails([file, '--port', 'x'], 2, /is not a port; give a number from 0 to 65535$/)
    await fails([join(folder, 'a.txt')], 2, /must end with \.yaml or \.json/)
    await fails([file, '--upstream', 'antropic'], 2, /^--upstream "antropic" is no provider; did you mean anthropic\?$/)
    await fails([file, '--upstream', 'qqq'], 2, /is no provider; known are anthropic, .*https:\/\//)
    await fails([file, '--upstream', 'ftp://h'], 2, /is no http or https address$/)
    await fails([file, '--upstream', 'https://u:p@h'], 2, /without user, password and query/)
    await fails([file, '--upstream', 'https://h?key=k'], 2, /without user, password and query/)
    const { url } = await scripted(t, 'turns: []')
    await fails([file, '--port', new URL(url).port], 1, /something else listens there$/)
  })

  test('a script that is there is not written over', async () => {
    const file = newFile()
    writeFileSync(file, 'turns: [{text: mine}]')
    await fails([file], 2, /is there already; name another file, or remove it first$/)
    await fails([join(folder, 'none', 'a.yaml')], 1, /^cannot write the script .*no such file$/)
  })

  test('an upstream that is the recorder itself', async (t) => {
    const { url, close } = await scripted(t, 'turns: []')
    const { port } = new URL(url)
    await close() // a port that is free now
    for (const host of ['127.0.0.1', 'localhost'])
      await fails([newFile(), '--port', port, '--upstream', `http://${host}:${port}/v1`], 2, /is this recorder itself/)
  })
})
