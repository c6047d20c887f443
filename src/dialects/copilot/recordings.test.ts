// Every recording of the real program: nothing is told twice or lost, and the numbers are the program's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import type { Usage } from '../../model/event.ts'
import { toolFailed } from '../../model/outcome.ts'
import { cutShort, decodeAll, fixture, namesIn, only } from './support.test.ts'

const runs = namesIn('', '.ndjson')
const files = namesIn('', '.session.jsonl')
const all = [...runs, ...files]
const dataOf = (record: Rec): Rec => record['data'] as Rec
const ofType = (name: string, type: string): Rec[] => fixture(name).filter((record) => record['type'] === type)

test('the recordings are there', () => assert.deepEqual([runs.length, files.length], [19, 20]))

test('joined pieces are the whole text, and the answer is the last one', () => {
  for (const name of runs) {
    const events = decodeAll(fixture(name))
    const pieces = new Map<string, string>()
    for (const { message, block, text } of only(events, 'text.delta'))
      pieces.set(`${message} ${block}`, (pieces.get(`${message} ${block}`) ?? '') + text)
    const ends = only(events, 'text.end')
    for (const { message, block, text } of ends)
      if (text !== undefined) assert.equal(text, pieces.get(`${message} ${block}`), `${name}: ${message}`)
    const wire = ofType(name, 'assistant.message').map((record) => dataOf(record)['content'])
    assert.deepEqual([...pieces.values()], cutShort.includes(name) ? ['Sl'] : wire.filter((text) => text !== ''), name)
    if (name === 'a-text.ndjson') assert.deepEqual([...pieces.values()], ['Hello from the script — ünïcödé 🎉.'])
  }
})

test('a call has the input that its record has, however it was told, and one end', () => {
  for (const name of all) {
    const events = decodeAll(fixture(name))
    const starts = only(events, 'tool.start')
    assert.deepEqual(
      starts.map(({ call, name: tool, input }) => [
        call,
        tool,
        input ?? only(events, 'tool.update').find((update) => update.call === call && update.input !== undefined)?.input,
      ]),
      ofType(name, 'tool.execution_start').map((record) => {
        const { toolCallId, toolName, arguments: input } = dataOf(record)
        return [toolCallId, toolName, input]
      }),
      name,
    )
    assert.deepEqual(
      only(events, 'tool.end').map(({ call }) => call),
      starts.map(({ call }) => call),
      name,
    )
  }
})

test('pieces of input are the input', () => {
  const events = decodeAll(fixture('d-bash-fail.ndjson'))
  const pieces = only(events, 'tool.delta').filter(({ of }) => of === 'input')
  assert.deepEqual(JSON.parse(pieces.map(({ text }) => text).join('')), { command: 'echo partial; exit 3', description: 'Fail' })
})

test('output comes once, with its streams', () => {
  const deltas = only(decodeAll(fixture('c-bash.ndjson')), 'tool.delta').filter(({ of }) => of === 'output')
  assert.deepEqual(
    deltas.map(({ text, stream }) => [text, stream]),
    [
      ['out\n', 'stdout'],
      ['err\n', 'stderr'],
    ],
  )
})

const ends: Record<string, [status: string, failed: boolean, exitCode: number | undefined, by: string | undefined][]> = {
  'b-read': [['ok', false, undefined, undefined]],
  'c-bash': [['ok', false, 0, undefined]],
  'd-bash-fail': [['ok', true, 3, undefined]],
  'd-read-missing': [['error', true, undefined, undefined]],
  'd-unknown-tool': [['error', true, undefined, undefined]],
  'e-bash-denied': [['denied', true, undefined, 'headless']],
  'e-write-denied': [['denied', true, undefined, 'headless']],
  'e-deny-tool': [['denied', true, undefined, 'rule']],
  'e-write-edit-ok': [
    ['ok', false, undefined, undefined],
    ['ok', false, undefined, undefined],
  ],
  'l-skill': [['ok', false, undefined, undefined]],
}

test('what became of a call is the same on stdout and in the file', () => {
  for (const name of all) {
    const scenario = name.slice(0, name.indexOf('.'))
    assert.deepEqual(
      only(decodeAll(fixture(name)), 'tool.end').map((end) => [end.status, toolFailed(end), end.exitCode, end.permitted?.by]),
      ends[scenario] ?? [],
      name,
    )
  }
})

test('tokens of the file are those of the script, per model call and in sum, and stdout has none', () => {
  const share = (calls: number): Usage => ({ input: 12 * calls, output: 34 * calls, cacheRead: 1000 * calls, cacheWrite: 200 * calls })
  for (const name of files) {
    const events = decodeAll(fixture(name))
    const calls = ofType(name, 'session.usage_record').length
    const used = only(events, 'message.end').flatMap(({ usage }) => usage ?? [])
    assert.equal(calls, ofType(name, 'assistant.message').length, name)
    for (const usage of used) assert.deepEqual(usage, share(1), name)
    const sums = [...only(events, 'turn.end'), ...only(events, 'session.end')].map(({ usage }) => usage)
    const sum = calls === 0 ? undefined : share(calls)
    assert.equal(used.length, calls, name)
    assert.deepEqual(sums, [sum, sum], name)
    assert.deepEqual(only(events, 'turn.end')[0]?.byModel?.[0]?.usage, sum, name)
  }
  for (const name of runs)
    assert.ok(
      decodeAll(fixture(name)).every((event) => !('usage' in event) || event.usage === undefined),
      name,
    )
})

const reasons: Record<string, string> = { 'h-401': 'error', 'r-sigint-group': 'cancelled', 'r-sigterm-group': 'cancelled' }

test('how a run ended is the same on stdout and in the file', () => {
  for (const name of all) {
    const scenario = name.slice(0, name.indexOf('.'))
    const events = decodeAll(fixture(name))
    const reason = reasons[scenario] ?? 'end_turn'
    assert.deepEqual(
      [...only(events, 'turn.end'), ...only(events, 'session.end')].map((end) => end.reason),
      [reason, reason],
      name,
    )
    assert.equal(only(events, 'session.end')[0]?.error?.http, scenario === 'h-401' ? 401 : undefined, name)
  }
})

test('the session is named by its first record on stdout, and its own id is told at the end', () => {
  for (const name of runs.filter((run) => !cutShort.includes(run))) {
    const [first] = fixture(name)
    const events = decodeAll(fixture(name))
    assert.deepEqual([...new Set(events.map(({ session }) => session))], [`~${String(first?.['id'])}`], name)
    const [file] = fixture(name.replace('.ndjson', '.session.jsonl'))
    assert.equal(only(events, 'session.end')[0]?.native, dataOf(file!)['sessionId'], name)
  }
})

test('the same model calls have the same ids on stdout and in the file', () => {
  for (const name of runs) {
    const ids = (from: string): unknown[] => only(decodeAll(fixture(from)), 'message.end').map(({ message, finish }) => [message, finish])
    if (cutShort.includes(name) || name === 'h-401.ndjson') continue // why a call failed is on stdout only
    assert.deepEqual(ids(name), ids(name.replace('.ndjson', '.session.jsonl')), name)
  }
})

test('failed model calls are told with their retries, and are not fatal', () => {
  const events = decodeAll(fixture('h-401.ndjson'))
  assert.deepEqual(
    only(events, 'error').map(({ scope, fatal, error }) => [scope, fatal, error.category, error.http]),
    [
      ['message', false, 'auth', 401],
      ['message', false, 'auth', 401],
      ['message', false, 'auth', 401],
      ['turn', true, 'auth', 401],
    ],
  )
  assert.deepEqual(
    only(events, 'retry.start').map(({ attempt, error }) => [attempt, error?.text]),
    [
      [1, 'invalid x-api-key'],
      [2, 'invalid x-api-key'],
    ],
  )
  const cut = decodeAll(fixture('h-cut.ndjson'))
  assert.deepEqual([only(cut, 'retry.start')[0]?.error?.category, only(cut, 'message.end')[0]?.finish], ['network', 'end_turn'])
})

test('a question that nobody could answer is asked and answered in the file', () => {
  const events = decodeAll(fixture('e-bash-denied.session.jsonl'))
  const [request] = only(events, 'permission.request')
  const [answer] = only(events, 'permission.answer')
  assert.deepEqual(
    [request?.name, request?.toolKind, request?.permission, request?.patterns, request?.question],
    ['bash', 'execute', 'shell', ['touch x'], 'Touch'],
  )
  assert.deepEqual([answer?.id === request?.id, answer?.call, answer?.decision, answer?.by], [true, request?.call, 'reject', 'headless'])
})

test('files that were changed are told when the call ends, and at the end of the session', () => {
  for (const name of ['e-write-edit-ok.ndjson', 'e-write-edit-ok.session.jsonl']) {
    const events = decodeAll(fixture(name))
    assert.deepEqual(
      only(events, 'file.update').map(({ changes }) => changes?.map(({ path, change }) => [path.slice(path.lastIndexOf('/') + 1), change])),
      [[['new.txt', 'add']], [['a.js', 'update']]],
      name,
    )
    assert.equal(only(events, 'session.end')[0]?.files?.length, 2, name)
  }
})

test('a skill is told when it is loaded', () => {
  const events = decodeAll(fixture('l-skill.session.jsonl'))
  assert.deepEqual(
    only(events, 'skill.load').map(({ name, level, description }) => [name, level, description]),
    [['greet', 'loaded', 'Greets the user in a special way']],
  )
})
