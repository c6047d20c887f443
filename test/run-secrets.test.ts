// Provider keys: in no child's environment, in no event of any format, in no file that is kept, whoever asks for them.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { all, at, eventually, formats, linesOf, model, one, type Place, place, sluice, start, tell, type Told } from './run-support.ts'

/** Made up; the first has no shape that anybody knows, the others look real. */
const keys = {
  ANTHROPIC_API_KEY: 'plain-words-as-a-key-7391',
  OPENAI_API_KEY: `sk-proj-${'Ab3dE6gH9'.repeat(5)}`,
  GEMINI_API_KEY: `AIza${'SyD3f-G_h1'.repeat(4).slice(0, 35)}`,
  OPENROUTER_API_KEY: `sk-or-v1-${'0123456789abcdef'.repeat(4)}`,
  MY_OWN: 'another-key-of-mine-5520',
}
const more = {
  SLUICE_TOKEN: 'a-token-of-sluice-itself',
  AWS_SECRET_ACCESS_KEY: 'an-aws-secret-0101',
  GH_TOKEN: 'a-github-token-0202',
  HARMLESS: 'yes',
}
const settings = 'providers: {mine: {baseUrl: "http://127.0.0.1:9/v1", keyEnv: MY_OWN}}\nenv: [HARMLESS, MY_OWN, SECRET_SAUCE]\n'

function shown(here: Place, told: Told): string {
  const kept = readdirSync(here.sessions).map((name) => readFileSync(join(here.sessions, name), 'utf8'))
  return [told.stdout, told.stderr, ...formats.map((format) => readFileSync(told.file(format), 'utf8')), ...kept].join('\n')
}

function noKeyIn(text: string): void {
  for (const [name, value] of Object.entries({ ...keys, ...more }))
    if (name !== 'HARMLESS')
      assert.ok(!text.includes(value), `${name} shows: …${text.slice(Math.max(0, text.indexOf(value) - 200), text.indexOf(value))}`)
}

async function asks(t: TestContext, here: Place, tools: Rec[], ...args: string[]): Promise<Told & { heard: string }> {
  const { args: named, env, server } = await model(t, here, 'anthropic', JSON.stringify({ turns: [{ tools }, { text: 'I see.' }] }))
  const told = await tell(here, ['go', '--permission', '*=allow', ...args, ...named], { env: { ...env, ...more, ...keys } })
  assert.equal(told.code, 0, told.stderr)
  return { ...told, heard: JSON.stringify(server!.entries.at(-1)!.body!['messages']) }
}

const bash = (command: string): Rec => ({ name: 'bash', input: { command } })

suite('a command of the model', () => {
  test('is given no key, also when the settings say so, and the rest that they name', async (t) => {
    const here = place(t, { '~/.config/sluice/sluice.yaml': settings })
    const told = await asks(t, here, [bash('env'), bash('cat /proc/self/environ | tr "\\0" "\\n"')])
    noKeyIn(told.heard)
    noKeyIn(shown(here, told))
    assert.match(told.heard, /HARMLESS=yes/)
    assert.doesNotMatch(told.heard, /SLUICE_(?!EMIT_SOCKET)|_API_KEY|MY_OWN/)
  })

  test("that reads its parents' environments gets it into no stream, no file and no prompt", async (t) => {
    const here = place(t)
    const hunts = [
      'tr "\\0" "\\n" < /proc/$PPID/environ',
      'p=$PPID; while [ "$p" -gt 1 ]; do tr "\\0" "\\n" < /proc/$p/environ; p=$(cut -d" " -f4 /proc/$p/stat); done 2>/dev/null',
      'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep -a -e _KEY -e TOKEN | head -50',
    ]
    const told = await asks(t, here, hunts.map(bash))
    const text = shown(here, told)
    for (const value of Object.values(keys).slice(0, 4)) assert.ok(!text.includes(value) && !told.heard.includes(value), value)
  })

  test('that is an MCP server is given no key either', async (t) => {
    const server = join(import.meta.dirname, 'mcp-server.ts')
    const mcp = `mcp: {probe: {command: [node, "${server}"], environment: {GIVEN: "on purpose"}}}\n`
    const here = place(t, { '~/.config/sluice/sluice.yaml': settings + mcp })
    const told = await asks(t, here, [{ name: 'probe_environment', input: {} }])
    assert.match(told.heard, /on purpose/)
    noKeyIn(told.heard)
    noKeyIn(shown(here, told))
  })
})

suite('redaction', () => {
  test('takes a key out of whatever the model says, in pieces too, and counts', async (t) => {
    const here = place(t)
    const script = {
      turns: [{ think: `so it is ${keys.ANTHROPIC_API_KEY}`, text: `The key is ${keys.OPENAI_API_KEY}, use it.`, chunk: 5 }],
    }
    const { args, env } = await model(t, here, 'anthropic', JSON.stringify(script))
    const told = await tell(here, ['go', '--thinking', ...args], { env: { ...env, ...keys } })
    noKeyIn(shown(here, told))
    assert.match(String(one(told.sluice, 'text.end')['text']), /^The key is .+, use it\.$/)
    const notices = all(told.sluice, 'notice').filter(({ synthetic }) => synthetic === 'policy:redact')
    assert.equal(notices.length, 1)
    assert.match(String(notices[0]?.['text']), /\d/)
    assert.ok(at(one(told.sluice, 'text.end'), 'ext', 'redacted') !== undefined)
  })

  test('takes a key out of the words of a failing provider', async (t) => {
    const here = place(t)
    const message = `invalid x-api-key: ${keys.ANTHROPIC_API_KEY}`
    const { args, env } = await model(t, here, 'anthropic', JSON.stringify({ turns: [{ error: { status: 401, message } }] }))
    const told = await tell(here, ['go', ...args], { env: { ...env, ...keys } })
    assert.equal(told.code, 1)
    noKeyIn(shown(here, told))
    assert.match(String(one(told.aictrl, 'session_error')['message']), /^invalid x-api-key: /)
  })

  test('takes a key out of the prompt, of files and of tool output', async (t) => {
    const here = place(t, { 'notes.txt': `the key: ${keys.GEMINI_API_KEY}\n` })
    const told = await asks(
      t,
      here,
      [{ name: 'read', input: { filePath: 'notes.txt' } }, bash(`echo ${keys.ANTHROPIC_API_KEY}`)],
      keys.OPENROUTER_API_KEY,
    )
    noKeyIn(shown(here, told))
    assert.match(told.heard, /I see|tool_result/)
  })

  test('takes a key out of the file in which a question is asked, and the call is judged and made as it was said', async (t) => {
    const here = place(t)
    const script = { turns: [{ tools: [bash(`echo ${keys.ANTHROPIC_API_KEY} ${keys.OPENAI_API_KEY} | wc -c > n`)] }, { text: 'I see.' }] }
    const { args } = await model(t, here, 'script', JSON.stringify(script))
    const base = join(here.root, 'job')
    const run = start(here, ['run', 'go', '--format', 'sluice', '--permission-handler', `file:${base}`, ...args], { env: keys })
    await eventually(() => existsSync(`${base}.req`), 'the question')
    const text = readFileSync(`${base}.req`, 'utf8')
    writeFileSync(`${base}.req.response`, '{"option_id":"allow_once"}')
    const { stdout } = await run.ended
    noKeyIn(text)
    const asked = JSON.parse(text) as Rec
    const told = one(linesOf(stdout), 'permission.request')
    assert.deepEqual([asked['question'], at(asked, 'payload', 'input')], [told['question'], told['input']])
    assert.match(
      readFileSync(join(here.root, 'n'), 'utf8'),
      new RegExp(`^ *${keys.ANTHROPIC_API_KEY.length + keys.OPENAI_API_KEY.length + 2}$`, 'm'),
    )
  })

  test('is off with --no-redact', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', JSON.stringify({ turns: [{ text: `it is ${keys.OPENAI_API_KEY}` }] }))
    const { stdout } = await sluice(here, ['run', 'go', '--no-redact', '--format', 'sluice', ...args], { env: keys })
    assert.equal(one(linesOf(stdout), 'text.end')['text'], `it is ${keys.OPENAI_API_KEY}`)
  })
})
