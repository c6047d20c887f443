// --redact of the commands that read recordings: no secret in any output, each counted, and without the flag not a byte is another.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { command, env, fixture, scratch, sluice } from './run.ts'

const key = `sk-ant-api03-${'Ab1'.repeat(16)}`
const token = `ghp_${'a1B2'.repeat(9)}`
const own = 'a-key-of-no-known-shape'
const records = [
  { event: 'session.start', session_id: 's', backend: 'x', dir: '/p', ts: 1 },
  { event: 'user.message_chunk', session_id: 's', delta: `use ${key}`, ts: 2 },
  { event: 'tool.call', session_id: 's', toolCallId: 'c', title: 'Bash', kind: 'bash', rawInput: { command: `curl -H ${token}` }, ts: 3 },
  { event: 'tool.call_update', session_id: 's', toolCallId: 'c', status: 'completed', ts: 4 },
  { event: 'agent.message_chunk', session_id: 's', delta: `it is ${key.slice(0, 20)}`, ts: 5 },
  { event: 'agent.message_chunk', session_id: 's', delta: `${key.slice(20)} or ${own}.`, ts: 6 },
  { event: 'session.end', session_id: 's', stop_reason: 'end_turn', ts: 9 },
]
const file = scratch('keys.ndjson', records.map((record) => `${JSON.stringify(record)}\n`).join(''))
const parts = [key, token, own, key.slice(20), key.slice(0, 20)]

const commands = [
  ['show', file],
  ['show', '--full', file],
  ['digest', file],
  ['digest', '--json', file],
  ['digest', '--classify', file],
  ...['pretty', 'plain', 'json', 'sluice'].map((format) => ['watch', '--format', format, file]),
  ['watch', '--accumulate', file],
  ['watch', '--classify', '--follow', file],
  ...['avenor', 'sluice', 'claude', 'aictrl', 'appctl', 'acp'].map((dialect) => ['convert', '--to', dialect, file]),
  ['convert', '--to', 'sluice', '--carry', file],
  ['convert', '--to', 'avenor', '--array', file],
]

suite('no secret passes', () => {
  for (const args of commands)
    test(args.slice(0, -1).join(' '), () => {
      const { stdout, stderr, status } = spawnSync(command, [...args, '--redact'], {
        env: { ...env, OPENAI_API_KEY: own },
        encoding: 'utf8',
      })
      assert.equal(status, 0, stderr)
      assert.ok(stdout.length > 0)
      for (const part of parts) assert.ok(!(stdout + stderr).includes(part), `${part} is in\n${stdout}${stderr}`)
      assert.match(stderr, /^sluice: redacted: .*anthropic [12]/m)
    })
})

test('what was taken out is told, also that it was nothing', () => {
  assert.match(sluice(['show', '--redact', file]).stderr, /^sluice: redacted: anthropic 2, github 1\n$/)
  assert.equal(sluice(['show', '--redact', 'samples/claude-session.ndjson']).stderr, 'sluice: redacted: nothing\n')
})

test('without the flag everything is as it was, and nothing is said', () => {
  const { stdout, stderr } = sluice(['convert', '--to', 'avenor', file])
  assert.deepEqual([stdout, stderr], [readFileSync(file, 'utf8'), ''])
  assert.ok(sluice(['show', file]).stdout.includes(key))
})

test('with it, a record without a secret keeps its bytes, and so does what is no record', () => {
  const input = '{"event":"mine","n":1.50,"big":12345678901234567890}\nnoise\n{"event":"session.end","stop_reason":"end_turn"}\n'
  const { stdout, status } = sluice(['convert', '--from', 'avenor', '--to', 'avenor', '--redact'], input)
  assert.deepEqual([stdout, status], [input, 1])
})

test('a line that is too long to be looked at is not written', () => {
  const input = `{"event":"mine","note":"${key}"}\n`
  const { stdout, stderr } = sluice(['convert', '--from', 'avenor', '--to', 'avenor', '--max-line', '20', '--redact'], input)
  assert.equal(stdout, '')
  assert.match(stderr, /too-long/)
})

test('what the redactor adds is no loss: --strict does not fail for it', () => {
  const text = JSON.stringify({ event: 'session.start', session_id: 's', backend: key, dir: '/p', ts: 1 })
  const input = `${text}\n${JSON.stringify({ event: 'session.end', session_id: 's', stop_reason: 'end_turn', ts: 2 })}\n`
  const losses = (...flags: string[]): string =>
    sluice(['convert', '--to', 'claude', '--strict', ...flags], input).stderr.replace(/^sluice: redacted.*\n/m, '')
  assert.equal(losses('--redact'), losses())
})

test('every recording reads the same without a secret in it', () => {
  for (const name of ['claude/2.1.325/e-bash-denied.ndjson', 'gemini/b-read.ndjson', 'opencode/1.18.33/run/b-read.ndjson'])
    for (const args of [['show'], ['digest', '--json'], ['watch', '--format', 'json'], ['watch', '--format', 'plain']])
      assert.equal(
        sluice([...args, '--redact', fixture(name)]).stdout,
        sluice([...args, fixture(name)]).stdout,
        `${args.join(' ')} ${name}`,
      )
})
