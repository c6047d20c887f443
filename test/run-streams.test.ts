// What a run tells: every record of aictrl and appctl comes from a real run, through each provider's own package, and the formats agree.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Rec } from '../src/base/json.ts'
import { records as aictrlRecords } from '../src/dialects/aictrl/wire.ts'
import { records as appctlRecords } from '../src/dialects/appctl/wire.ts'
import {
  all,
  at,
  faces,
  fixtureScript,
  formats,
  gone,
  kinds,
  linesOf,
  model,
  one,
  outputs,
  place,
  sluice,
  start,
  tell,
  type Told,
  valid,
} from './run-support.ts'
import { command } from './run.ts'

const project = {
  'notes.txt': 'sluice\n',
  '.agents/skills/greet/SKILL.md': '---\nname: greet\ndescription: how to greet\n---\nRead words.md.\n',
  '.agents/skills/greet/words.md': 'Hello.\n',
}
/** Those that only newer programs write, and the one that belongs to HTTP. */
const later = ['invocation_start', 'invocation_error', 'invocation_complete', 'tool_catalog_error', 'session_state']
const documented = (records: object): string[] => Object.keys(records).filter((name) => !later.includes(name))
const missing = (names: readonly string[], told: readonly string[]): string[] => names.filter((name) => !told.includes(name))

suite('every record', () => {
  for (const face of faces)
    test(`of a run with something of everything is told, through ${face}`, async (t) => {
      const here = place(t, project)
      const { args, env } = await model(t, here, face, fixtureScript('everything'))
      const told = await tell(here, ['go', '--thinking', ...args], { env })
      assert.equal(told.code, 0, told.stderr)
      assert.equal(documented(aictrlRecords).length, 18)
      assert.deepEqual(missing(documented(aictrlRecords), kinds(told.aictrl, 'type')), ['session_error'])
      assert.deepEqual(missing(documented(appctlRecords), kinds(told.appctl)), ['awaiting_input', 'error', 'context_notice', 'POST /run'])
      agree(told)
    })

  test('of a run that fails, and of one whose history is too long, is told', async (t) => {
    const here = place(t, { '~/.config/sluice/sluice.yaml': 'historyLimit: 4\n' })
    const looks = Array.from({ length: 6 }, () => '  - tools: [{name: glob, input: {pattern: "*"}}]').join('\n')
    const { args, env } = await model(t, here, 'script', `turns:\n${looks}\n  - error: {status: 400, message: no more}\n`)
    const told = await tell(here, ['go', ...args], { env })
    assert.equal(told.code, 1)
    assert.match(String(all(told.appctl, 'context_notice')[0]?.['message']), /^Trimmed \d+ older message\(s\) from model context\.$/)
    assert.deepEqual(kinds(told.appctl).slice(-2), ['error', 'done'])
    assert.deepEqual(kinds(told.aictrl, 'type').slice(-2), ['session_error', 'session_complete'])
    one(told.aictrl, 'error')
  })

  test('of a question on the terminal is told: asked, answered, done', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{tools: [{name: bash, input: {command: echo yes}}]}, {text: ok}]')
    const out = outputs(here)
    const line = [command, 'run', 'go', ...args, ...out.args].map((word) => `'${word}'`).join(' ')
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: here.root, env: { ...here.env, TERM: 'dumb' } })
    let [shown, asked] = ['', false]
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text
      if (asked || !shown.endsWith(': ')) return
      asked = true
      child.stdin.write('y\n')
    })
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 0, shown)
    const { appctl, aictrl, avenor, claude } = out.read()
    const order = kinds(appctl).filter((kind) => /tool|await/.test(kind))
    assert.deepEqual(order, ['tool_call', 'awaiting_input', 'tool_result'])
    assert.equal(one(appctl, 'awaiting_input')['id'], one(appctl, 'tool_call')['id'])
    assert.equal(one(avenor, 'permission.response')['source'], 'control')
    assert.ok(all(avenor, 'agent.status').some(({ phase }) => phase === 'waiting'))
    one(aictrl, 'permission_granted')
    assert.ok(claude.length > 0)
    await valid(here, formats.map(out.file))
    await gone(here)
  })
})

/** The five formats tell the same texts, calls, tokens and end. */
function agree({ sluice, aictrl, avenor, appctl, claude }: Told): void {
  const texts = all(sluice, 'text.end')
    .filter(({ agent }) => agent === undefined)
    .map(({ text }) => text)
  assert.deepEqual(textsOf(all(aictrl, 'text'), 'part', 'text'), texts)
  assert.deepEqual(textsOf(all(appctl, 'assistant_message'), 'text'), texts)
  assert.equal(textsOf(all(avenor, 'agent.message_chunk'), 'content', 'text').join(''), texts.join(''))
  assert.equal(textsOf(all(appctl, 'assistant_delta'), 'text').join(''), texts.join(''))
  const blocks = all(claude, 'assistant')
    .filter((record) => record['parent_tool_use_id'] === null)
    .flatMap((record) => at(record, 'message', 'content') as Rec[])
  assert.deepEqual(textsOf(all(blocks, 'text'), 'text'), texts)

  const calls = textsOf(all(sluice, 'tool.start'), 'call').toSorted()
  assert.deepEqual(textsOf(all(aictrl, 'tool_use'), 'part', 'callID').toSorted(), calls)
  assert.deepEqual(textsOf(all(appctl, 'tool_call'), 'id').toSorted(), calls)
  assert.deepEqual(textsOf(all(appctl, 'tool_result'), 'id').toSorted(), calls)
  assert.deepEqual(textsOf(all(avenor, 'tool.call'), 'toolCallId').toSorted(), calls)
  const uses = all(claude, 'assistant').flatMap((record) => all(at(record, 'message', 'content') as Rec[], 'tool_use'))
  assert.deepEqual(textsOf(uses, 'id').toSorted(), calls)

  const { usage, own } = one(sluice, 'turn.end') as { usage: Record<string, number>; own: Record<string, number> }
  const sum = (of: Record<string, number>): number => Object.values(of).reduce((a, b) => a + b, 0)
  const told = all(aictrl, 'message_complete').map(({ tokens }) => tokens as Record<string, number> & { cache: Record<string, number> })
  const ofMessages = told.map(({ input = 0, output = 0, reasoning = 0, cache }) => input + output + reasoning + sum(cache))
  assert.equal(
    ofMessages.reduce((a, b) => a + b, 0),
    sum(own),
  )
  assert.equal(at(one(avenor, 'session.end'), 'usage', 'total_tokens'), sum(usage))
  assert.equal(at(one(claude, 'result'), 'usage', 'input_tokens'), own['input'])
  assert.deepEqual([one(avenor, 'session.end')['stop_reason'], one(claude, 'result')['subtype']], ['end_turn', 'success'])
  assert.equal(one(aictrl, 'session_complete')['error'], null)
}

const textsOf = (records: readonly Rec[], ...path: string[]): string[] => records.map((record) => at(record, ...path) as string)

test('--format and --on-event write the same bytes, whatever the format', async (t) => {
  for (const format of formats) {
    const here = place(t, project)
    const { args } = await model(t, here, 'script', fixtureScript('everything'))
    const file = join(here.top, 'same.ndjson')
    const { code, stdout } = await sluice(here, ['run', 'go', '--format', format, '--on-event', `${format}:${file}`, ...args])
    assert.equal(code, 0)
    assert.equal(stdout, readFileSync(file, 'utf8'))
    linesOf(stdout)
  }
})

test('--losses takes the place of no other output, and one that cannot be written is reported when the run is over', async (t) => {
  const here = place(t, project)
  const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
  const file = join(here.top, 'run.ndjson')
  const same = await sluice(here, ['run', 'go', '--on-event', file, '--losses', file, ...args])
  assert.equal(same.code, 2, same.stderr)
  assert.match(same.stderr, /--losses ".*" is another output of this run; name another file/)
  const full = await sluice(here, ['run', 'go', '--format', 'appctl', '--losses', '/dev/full', ...args])
  assert.equal(full.code, 1, full.stderr)
  assert.match(full.stdout, /"kind":"done"/)
  assert.match(full.stderr, /the file of --losses cannot be written[^]*sluice: done/)
})

test('--losses lists what each output could not say, as convert counts it', async (t) => {
  const here = place(t, project)
  const { args } = await model(t, here, 'script', fixtureScript('everything'))
  const [log, lost, file] = ['log.ndjson', 'lost.ndjson', 'run.ndjson'].map((name) => join(here.top, name)) as [string, string, string]
  const outputs = ['--format', 'appctl', '--on-event', file, '--on-event', `sluice:${log}`]
  const { code } = await sluice(here, ['run', 'go', ...outputs, '--losses', lost, ...args])
  assert.equal(code, 0)
  const of = (output: string): string[] =>
    linesOf(readFileSync(lost, 'utf8'))
      .filter((line) => line['output'] === output)
      .map(({ type, code: what, how, count }) => [type, what, how, count].join(' '))
  for (const [output, to] of [
    ['stdout', 'appctl'],
    [file, 'avenor'],
  ] as const) {
    const converted = join(here.top, `${to}-lost.ndjson`)
    await sluice(here, ['convert', log, '--to', to, '--losses', converted])
    const counted = linesOf(readFileSync(converted, 'utf8')).map(({ type, code: what, how, count }) => [type, what, how, count].join(' '))
    assert.ok(counted.length > 3)
    assert.deepEqual(of(output).sort(), counted.sort(), to)
  }
})

suite('amounts', () => {
  test('the tokens of a turn are those of the script, whatever API they came by', async (t) => {
    const usage = { input: 11, output: 20, reasoning: 300, cacheRead: 4000, cacheWrite: 50 }
    for (const face of faces) {
      const here = place(t)
      const { args, env } = await model(t, here, face, `turns: [{think: hm, text: hi, usage: ${JSON.stringify(usage)}}]`)
      const { sluice: told } = await tell(here, ['go', '--thinking', ...args], { env })
      const { input = 0, cacheWrite = 0, ...rest } = one(told, 'message.end')['usage'] as Record<string, number>
      // Gemini has no word for what was written to the cache.
      assert.deepEqual([input + cacheWrite, rest], [61, { output: 20, reasoning: 300, cacheRead: 4000 }], face)
    }
  })

  test('a context that is more than full has a ratio above one', async (t) => {
    const here = place(t)
    const script = 'model: anthropic/claude-sonnet-4-5\nturns: [{text: hi, usage: {input: 300000}}]'
    const { args } = await model(t, here, 'script', script)
    const { aictrl } = await tell(here, ['go', ...args])
    assert.deepEqual(one(aictrl, 'message_complete')['context'], { used: 300_000, limit: 200_000, ratio: 1.5 })
  })

  test('of a model that nobody knows, context and cost are not told, and never zero', async (t) => {
    const here = place(t)
    const { args, env } = await model(t, here, 'compatible', 'turns: [{text: hi}]', 'nobody-knows-me')
    const { sluice, aictrl, stderr } = await tell(here, ['go', ...args], { env })
    const { context, cost } = one(aictrl, 'message_complete')
    assert.equal(context, null)
    assert.ok(cost === undefined || cost === null, JSON.stringify(cost))
    for (const kind of ['message.end', 'turn.end', 'session.end']) assert.equal(one(sluice, kind)['cost'], undefined)
    assert.match(stderr, /cost unknown/)
  })

  test('a thought of ten megabytes is one record', async (t) => {
    const here = place(t)
    const thought = 'Hm, let me think about this for a while. '.repeat(256_000)
    const { args, env } = await model(t, here, 'anthropic', JSON.stringify({ turns: [{ think: thought, text: 'ok', chunk: 100_000 }] }))
    const { aictrl, appctl, sluice } = await tell(here, ['go', '--thinking', ...args], { env })
    assert.ok(thought.length > 10 * 2 ** 20)
    assert.equal(at(one(aictrl, 'reasoning'), 'part', 'text'), thought)
    assert.equal(one(appctl, 'assistant_thought')['text'], thought)
    assert.equal(one(sluice, 'thought.end')['text'], thought)
  })
})

suite('order', () => {
  test('a run whose model says nothing still has a start, a catalogue, a message and an end', async (t) => {
    const here = place(t)
    const { args } = await model(t, here, 'script', 'turns: [{finish: stop}]')
    const told = await tell(here, ['go', ...args])
    assert.equal(told.code, 0)
    const frame = ['session_start', 'tool_catalog', 'step_start', 'step_finish', 'message_complete', 'session_complete']
    assert.deepEqual(kinds(told.aictrl, 'type'), frame)
    assert.deepEqual(kinds(told.appctl), ['user_prompt', 'done'])
  })

  test('a run that is stopped before its first turn tells the same frame', async (t) => {
    const here = place(t, { '~/.config/sluice/sluice.yaml': 'mcp: {slow: {command: [sleep, "60"], timeout: 60s}}\n' })
    const { args } = await model(t, here, 'script', 'turns: [{text: hi}]')
    const out = outputs(here)
    const live = start(here, ['run', 'go', '--format', 'sluice', ...args, ...out.args])
    await live.until('session.start')
    live.child.kill('SIGINT')
    const { code, stdout } = await live.ended
    assert.equal(code, 130)
    assert.deepEqual(kinds(linesOf(stdout)).slice(-1), ['session.end'])
    const { aictrl } = out.read()
    assert.deepEqual(kinds(aictrl, 'type'), ['session_start', 'tool_catalog', 'error', 'error', 'session_error', 'session_complete'])
    assert.match(JSON.stringify(all(aictrl, 'error')), /slow failed: it was stopped before it was ready.*stopped by SIGINT/)
    await gone(here)
  })

  test('--no-stream tells whole answers and no deltas', async (t) => {
    for (const face of faces) {
      const here = place(t)
      const { args, env, server } = await model(t, here, face, 'turns: [{think: hm, text: Hello there., chunk: 3}]')
      const { appctl, sluice } = await tell(here, ['go', '--no-stream', '--thinking', ...args], { env })
      assert.deepEqual(kinds(appctl), ['user_prompt', 'assistant_thought', 'assistant_message', 'done'], face)
      assert.equal(all(sluice, 'text.delta').length, 0)
      if (server !== undefined) assert.deepEqual([...new Set(server.entries.map(({ stream }) => stream))], [false])
    }
  })
})
