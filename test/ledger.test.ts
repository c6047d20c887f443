// Losses as a conversion tells them: of an event lost whole, and of one that came across in other words.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { convert, type WritableName } from '../src/index.ts'

const fixture = (name: string): Uint8Array => readFileSync(new URL(`../fixtures/claude/2.1.325/${name}.ndjson`, import.meta.url))

const lossesOf = (name: string, to: WritableName, kind: string): string[] =>
  convert(fixture(name), { from: 'claude', to }).losses.flatMap(({ code, how, count }) =>
    code === kind || code.startsWith(`${kind}.`) ? [`${code} ${how} ${count}`] : [],
  )

test('an event of which nothing is written counts as dropped, not as told in other words', () => {
  assert.deepEqual(lossesOf('h-429-then-ok', 'avenor', 'retry.start'), ['retry.start drop 2'])
  assert.deepEqual(lossesOf('g-bash-bg', 'aictrl', 'task.start'), ['task.start drop 1'])
  assert.deepEqual(lossesOf('g-bash-bg', 'aictrl', 'task.end'), ['task.end drop 1'])
})

test('one kind may be lost whole here and told in other words there', () => {
  const record = (body: object): string => `${JSON.stringify({ v: 1, kind: 'retry.start', session: 's', attempt: 1, ...body })}\n`
  const log = record({ seq: 1, scope: 'model', delayMs: 5 }) + record({ seq: 2, scope: 'run', delayMs: 5 })
  const { losses } = convert(new TextEncoder().encode(log), { from: 'sluice', to: 'avenor' })
  assert.deepEqual(
    losses.filter(({ code }) => code.startsWith('retry')),
    [
      { code: 'retry.start', how: 'drop', count: 1, first: 1 },
      { code: 'retry.start', how: 'approx', count: 1, first: 2 },
      { code: 'retry.start.delayMs', how: 'drop', count: 1, first: 2 },
    ],
  )
})

test('what is lost whole travels along like all else that is lost', () => {
  const said = { v: 1, seq: 1, kind: 'text.end', session: 's', agent: 'a', text: 'of a subagent', streamed: false }
  const { text } = convert(new TextEncoder().encode(`${JSON.stringify(said)}\n`), { from: 'sluice', to: 'avenor', carry: true })
  assert(text.includes('of a subagent'))
})

test('a number past 2^53 where one must stand, an id of such digits and a time past all doubles go through our own dialect', () => {
  const call = [
    '{"kind":"user_prompt","text":"a"}',
    '{"kind":"tool_call","id":"1","name":"f","arguments":{}}',
    '{"kind":"tool_result","id":"1","result":"ok","status":"ok","duration_ms":12345678901234567890}',
    '{"kind":"done"}',
  ].join('\n')
  const back = convert(convert(call, { to: 'sluice' }).text, { to: 'appctl' })
  assert.match(back.text, /"result":"ok","status":"ok","duration_ms":12345678901234567000/)
  const asked = [
    '{"event":"session.start","session_id":"s","ts":1e400}',
    '{"event":"permission.request","session_id":"s","request_id":12345678901234567891,"tool":"bash","options":["allow","reject"]}',
  ].join('\n')
  const { text } = convert(asked, { from: 'avenor', to: 'sluice' })
  assert.match(text, /"id":"12345678901234567891"/)
  assert.doesNotMatch(text, /null|"kind":"issue"/)
})

test('a name that is no dialect is told as that', () => {
  assert.throws(() => convert('{"kind":"done"}', { to: 'nope' as WritableName }), /^TypeError: "nope" is not a dialect; name one of sluice/)
  assert.throws(() => convert('{"kind":"done"}', { from: 'nope' as WritableName, to: 'appctl' }), /"nope" is not a dialect/)
})

const linesOf = (...records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('')

test('which run a session was part of is told as lost where no record can name it', () => {
  const ids = { session_id: 's', run_id: 'r' }
  const stream = linesOf({ event: 'session.start', ...ids }, { event: 'session.end', ...ids, stop_reason: 'end_turn' })
  for (const to of ['claude', 'aictrl', 'appctl', 'acp'] as const)
    assert.ok(
      convert(stream, { from: 'avenor', to }).losses.some(({ code }) => code === 'session.start.run'),
      to,
    )
})

test('how a message ended is told as lost, or as told in other words, where the dialect has no such word', () => {
  const head = { v: 1, session: 's' }
  const losses = (finish: string, to: WritableName): string[] => {
    const events = [
      { kind: 'session.start' },
      { kind: 'turn.start', trigger: 'prompt' },
      { kind: 'message.start', message: 'm' },
      { kind: 'text.delta', message: 'm', text: 'a' },
      { kind: 'text.end', message: 'm', text: 'a', streamed: true },
      { kind: 'message.end', message: 'm', finish },
      { kind: 'turn.end', reason: 'end_turn' },
      { kind: 'session.end', reason: 'end_turn' },
    ]
    const told = convert(linesOf(...events.map((event, index) => ({ ...head, seq: index + 1, ...event }))), { from: 'sluice', to })
    return told.losses.flatMap(({ code, how }) => (code === 'message.end.finish' ? [how] : []))
  }
  for (const to of ['aictrl', 'claude'] as const) {
    for (const finish of ['end_turn', 'tool_use', 'max_tokens']) assert.deepEqual(losses(finish, to), [], `${finish} to ${to}`)
    assert.deepEqual(losses('error', to), ['drop'])
  }
  assert.deepEqual(losses('refusal', 'aictrl'), ['approx'])
  assert.deepEqual(losses('refusal', 'claude'), [])
})

test('a prompt of Claude comes back under its own id', () => {
  const uuid = '270e7d7f-4fe1-4659-8dfe-05fe0aea3e03'
  const stream = linesOf(
    { type: 'system', subtype: 'init', session_id: 's', cwd: '/', tools: [], model: 'm' },
    { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'go' }] }, session_id: 's', uuid, isReplay: true },
  )
  assert.match(convert(convert(stream, { to: 'sluice' }).text, { to: 'claude' }).text, new RegExp(`"text":"go".*"uuid":"${uuid}"`))
})

const init = { type: 'system', subtype: 'init', session_id: 's', cwd: '/', tools: [], model: 'm' }
const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 }
const said = (id: string, parent: string | null, content: object) => ({
  type: 'assistant',
  message: { id, model: 'm', role: 'assistant', content: [content], usage },
  parent_tool_use_id: parent,
  session_id: 's',
})

test('the tokens of a message that the stream cuts off come across, or are told as lost', () => {
  const stream = linesOf(init, said('m1', null, { type: 'text', text: 'a' }))
  const { text, losses } = convert(stream, { to: 'aictrl' })
  assert.match(text, /"tokens":{"input":1,"output":2,"reasoning":0,"cache":{"read":3,"write":4}}/)
  assert.deepEqual(
    losses.filter(({ code }) => code.includes('usage')),
    [],
  )
  assert.match(convert(stream, { to: 'avenor' }).text, /"total_tokens":10/)
  assert.match(convert(convert(stream, { to: 'sluice' }).text, { to: 'avenor' }).text, /"total_tokens":10/)
  const told = convert(stream, { to: 'appctl' }).losses.filter(({ code }) => code.endsWith('usage'))
  assert.deepEqual(told, [{ code: 'message.end.usage', how: 'drop', count: 1, first: 6 }])
})

test('the tokens of a subagent are told as lost where it has no messages', () => {
  const call = said('m1', null, { type: 'tool_use', id: 't', name: 'Task', input: {} })
  const { losses } = convert(linesOf(init, call, said('m2', 't', { type: 'text', text: 'a' })), { to: 'aictrl' })
  assert.equal(losses.find(({ code }) => code === 'message.end.usage')?.count, 1)
})

test('an empty list is no loss', () => {
  const question = (options: object[]): string =>
    `${JSON.stringify({ v: 1, seq: 1, kind: 'permission.request', session: 's', id: 'q', name: 'bash', options })}\n`
  const lost = (log: string): boolean =>
    convert(log, { from: 'sluice', to: 'appctl' }).losses.some(({ code }) => code === 'permission.request.options')
  assert.deepEqual([lost(question([])), lost(question([{ id: 'a', kind: 'allow_once' }]))], [false, true])
})
