// Every recording of the real program: nothing is told twice or lost, and the numbers are the program's own.
// A run and its chat file tell the same story, so each is the judge of the other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRecord, type Rec } from '../../base/json.ts'
import type { Event, EventOf, Usage } from '../../model/event.ts'
import { toolFailed } from '../../model/outcome.ts'
import { addUsage, totalTokens } from '../../model/usage.ts'
import { cutShort, decodeAll, fixture, kindsOf, namesIn, only } from './support.test.ts'

const runs = namesIn('', '.ndjson')
const chats = namesIn('', '.chat.jsonl')
const all = [...runs, ...chats, 'i-json.json']
const events = new Map(all.map((name) => [name, decodeAll(fixture(name))]))
const chatOf = (run: string): string => run.replace('.ndjson', '.chat.jsonl')
const once = { input: 12, output: 34, reasoning: 0, cacheRead: 1000 }
const times = (count: number): Usage => ({ input: 12 * count, output: 34 * count, reasoning: 0, cacheRead: 1000 * count })

const spoken = (told: readonly Event[]): string =>
  told.map((event) => ('text' in event && event.kind.startsWith('text.') ? event.text : '')).join('')
const mainCalls = (told: readonly Event[]): unknown[] =>
  only(told, 'tool.start')
    .filter(({ agent }) => agent === undefined)
    .map(({ call, name, toolKind, input }) => [call, name, toolKind, input])
const endOf = (name: string): EventOf<'turn.end'> => only(events.get(name)!, 'turn.end').at(-1)!

test('the recordings are there', () => assert.deepEqual([runs.length, chats.length], [22, 24]))

test('a run that was killed is cut, the others end with their result', () => {
  for (const name of runs) {
    const [end] = only(events.get(name)!, 'session.end')
    const cut = cutShort.includes(name)
    assert.deepEqual([end!.reason === 'cut', end!.synthetic], cut ? [true, 'cut'] : [false, undefined], name)
    assert.equal(endOf(name).reason, end!.reason, name)
  }
})

test('a run and its chat file have the same session, prompt, text and calls', () => {
  for (const run of runs) {
    const [stdout, chat] = [events.get(run)!, events.get(chatOf(run))!]
    assert.equal(only(stdout, 'session.start')[0]!.session, only(chat, 'session.start')[0]!.session, run)
    const prompts = (told: readonly Event[]): unknown[] =>
      only(told, 'prompt.submit')
        .filter(({ by }) => by === 'user')
        .map(({ text }) => text)
    assert.deepEqual([prompts(stdout), prompts(chat)], [['Do the task'], ['Do the task']], run)
    if (!cutShort.includes(run)) assert.equal(spoken(stdout), spoken(chat), run)
    assert.deepEqual(mainCalls(stdout), mainCalls(chat), run)
    const outcomes = (told: readonly Event[]): unknown[] =>
      only(told, 'tool.end')
        .filter(({ agent }) => agent === undefined)
        .map(({ call, status }) => [call, status])
    assert.deepEqual(outcomes(stdout), outcomes(chat), run)
  }
})

test('tokens are the numbers of the program, and those of its chat file', () => {
  for (const run of runs) {
    const result = fixture(run).find(({ type }) => type === 'result')
    if (result === undefined) continue
    const { usage, byModel } = endOf(run)
    const stats = result['stats'] as Rec
    assert.equal(totalTokens(usage!), stats['total_tokens'], run)
    assert.deepEqual([usage!.input, usage!.cacheRead, usage!.output], [stats['input'], stats['cached'], stats['output_tokens']], run)
    assert.deepEqual(
      byModel?.map(({ model, usage: share }) => [model, share]),
      [['gemini-2.5-flash', usage]],
      run,
    )
    const messages = only(events.get(chatOf(run))!, 'message.end')
    const sum = messages.reduce<Usage>((before, { usage: own }) => addUsage(before, own), {})
    if (messages.length > 0 && !run.startsWith('g-subagent')) assert.deepEqual(sum, usage, run)
    if (run !== 'f-thinking.ndjson') for (const { usage: own } of messages) assert.deepEqual(own, once, run)
  }
  assert.deepEqual(endOf('b-read.ndjson').usage, times(2))
  assert.deepEqual(endOf('f-thinking.ndjson').usage, { ...once, reasoning: 20 })
  assert.deepEqual(endOf('g-subagent-runaway.ndjson').usage, times(23), 'two calls of its own, and those of the subagent')
})

test('the one object says what the chat file of its run says', () => {
  const json = events.get('i-json.json')!
  assert.deepEqual(kindsOf(json), ['session.start*', 'turn.start*', 'text.end', 'turn.end', 'session.end'])
  assert.deepEqual([endOf('i-json.json').usage, endOf('i-json.json').steps, endOf('i-json.json').text], [times(2), 2, 'Three lines.'])
  assert.equal(spoken(json), spoken(events.get('i-json.chat.jsonl')!))
})

test('why each run ended', () => {
  const reasons = new Map<string, string>([
    ['h-400.ndjson', 'error'],
    ['m-max-turns.ndjson', 'max_turns'],
  ])
  for (const run of runs) assert.equal(endOf(run).reason, cutShort.includes(run) ? 'cut' : (reasons.get(run) ?? 'end_turn'), run)
  assert.deepEqual([endOf('h-400.ndjson').error?.http, endOf('h-400.ndjson').error?.category], [400, 'invalid'])
  const last = (name: string): string => endOf(name).reason
  const unfinished = chats.filter((name) => last(name) !== 'end_turn')
  assert.deepEqual(
    unfinished,
    ['h-400', 'h-429', 'i-json-error', 'm-max-turns', 'r-sigint', 'r-sigterm'].map((name) => `${name}.chat.jsonl`),
  )
  for (const name of unfinished) assert.equal(last(name), 'cut', name)
})

test('what the tools did', () => {
  const endsIn = (name: string): EventOf<'tool.end'>[] => only(events.get(name)!, 'tool.end').filter(({ agent }) => agent === undefined)
  const [failed] = endsIn('d-bash-fail.chat.jsonl')
  assert.deepEqual([failed!.status, failed!.exitCode, toolFailed(failed!)], ['ok', 3, true])
  assert.equal(endsIn('d-bash-fail.ndjson')[0]!.exitCode, undefined, 'stdout does not show it')
  assert.equal(endsIn('c-bash.ndjson')[0]!.text, 'out\nerr')
  assert.equal(endsIn('b-read.chat.jsonl')[0]!.text, 'alpha\nbeta\ngamma\n')
  const codes = ['d-read-missing', 'd-unknown-tool', 'd-bad-input', 'e-bash-denied', 'q-todo'].map(
    (name) => endsIn(`${name}.ndjson`)[0]!.error?.code,
  )
  assert.deepEqual(codes, ['file_not_found', 'tool_not_registered', 'invalid_tool_params', 'tool_not_registered', 'tool_not_registered'])
  const edited = endsIn('e-write-edit-ok.chat.jsonl').map(({ data }) => (isRecord(data) ? data['newContent'] : undefined))
  assert.deepEqual(edited, ['hi\n', 'const a = 2;\n'])
  assert.deepEqual(
    only(events.get('f-thinking.chat.jsonl')!, 'thought.end').map(({ text }) => text),
    ['Thinking\nLet me think.'],
  )
})

test('the runaway subagent has a lane, and did not do its task', () => {
  const told = events.get('g-subagent-runaway.chat.jsonl')!
  const [task] = only(told, 'task.start')
  assert.deepEqual([task!.agentType, task!.prompt], ['generalist', 'SUBTASK-MARKER count'])
  const steps = only(told, 'tool.end').filter(({ agent }) => agent === task!.task)
  const activity = fixture('g-subagent-runaway.chat.jsonl').flatMap(({ toolCalls }) => (toolCalls as Rec[] | undefined) ?? [])[0]!
  const wire = ((activity['resultDisplay'] as Rec)['recentActivity'] as Rec[]).filter(({ type }) => type === 'tool_call')
  assert.deepEqual(
    steps.map(({ call, status }) => [call, status]),
    wire.map(({ id, status }) => [id, status === 'completed' ? 'ok' : status]),
  )
  const [end] = only(told, 'task.end')
  assert.deepEqual([end!.status, end!.text], ['error', 'Agent reached max turns limit (20).'])
})
