// Every recording of the real programs: nothing is told twice or lost, and the numbers are the program's own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRecord, type Rec } from '../../base/json.ts'
import type { Event } from '../../model/event.ts'
import { outputTokens, totalTokens } from '../../model/usage.ts'
import { cutShort, decodeAll, encodeAll, eventsIn, findingsOf, fixture, isStdin, isTranscript, only, recordings } from './support.test.ts'

const all = recordings()
const streams = all.filter((path) => !isTranscript(path) && !isStdin(path))
const results = (path: string): Rec[] => fixture(path).filter(({ type }) => type === 'result')
const blocksIn = (records: readonly Rec[], type: string): Rec[] =>
  records
    .flatMap(({ message }) => (isRecord(message) && Array.isArray(message['content']) ? (message['content'] as Rec[]) : []))
    .filter((block) => block['type'] === type)

test('the recordings are there', () =>
  assert.ok(streams.length > 190 && all.filter(isTranscript).length > 40 && all.filter(isStdin).length > 20))

test('what the model has no word for is kept beside it', () => {
  const paths = new Set<string>()
  const note = (value: unknown, path: string): void => {
    if (!isRecord(value)) return void paths.add(path)
    for (const [key, inside] of Object.entries(value)) note(inside, `${path}${/^\d+$/.test(key) ? '' : `.${key}`}`)
  }
  for (const path of streams) for (const { kind, ext } of eventsIn(path)) if (ext !== undefined) note(ext['claude'], kind)
  assert.deepEqual([...paths].toSorted(), [
    'permission.request.request.server_policy_ask_only',
    'session.start.mcp_servers.source',
    'tool.end.tool_use_result',
    'turn.end.origin.producer',
    'turn.end.origin.runId',
    'usage.update.context_usage.agents',
    'usage.update.context_usage.categories',
    'usage.update.context_usage.mcp_tools',
    'usage.update.context_usage.memory_files',
    'usage.update.context_usage.model',
    'usage.update.context_usage.percentage',
    'usage.update.context_usage.skills',
    'usage.update.rate_limit_info.isUsingOverage',
    'usage.update.rate_limit_info.surpassedThreshold',
  ])
})

test('a recording that ends early has turn and session cut, the others end with their last result', () => {
  for (const path of streams) {
    const events = eventsIn(path)
    const ends = only(events, 'session.end')
    assert.equal(ends.length, 1, path)
    const cut = cutShort.includes(path)
    assert.deepEqual([ends[0]!.synthetic, only(events, 'turn.end').at(-1)?.synthetic], cut ? ['cut', 'cut'] : ['implied', undefined], path)
    assert.equal(ends[0]!.reason, cut ? 'cut' : only(events, 'turn.end').at(-1)?.reason, path)
  }
})

test('one turn an init, ended by its result, in order', () => {
  for (const path of streams) {
    const events = eventsIn(path)
    const wire = fixture(path)
    const inits = wire.filter(({ subtype }) => subtype === 'init').length
    assert.equal(only(events, 'turn.start').length, Math.max(inits, results(path).length), path)
    assert.deepEqual(
      only(events, 'turn.end')
        .filter(({ synthetic }) => synthetic === undefined)
        .map(({ turn }) => turn),
      results(path).map((_, index) => index + 1),
      path,
    )
    assert.equal(only(events, 'session.start').length, 1, path)
  }
})

test('text and thoughts are those of the records, each told once', () => {
  for (const path of all) {
    const events = eventsIn(path)
    const records = fixture(path).filter(({ type }) => type === 'assistant')
    const whole = only(events, 'text.end').filter(({ synthetic }) => synthetic === undefined)
    assert.deepEqual(
      whole.map((end) => end.text),
      blocksIn(records, 'text').map((block) => block['text']),
      path,
    )
    const thoughts = only(events, 'thought.end')
    const thinking = [...blocksIn(records, 'thinking'), ...blocksIn(records, 'redacted_thinking')]
    assert.equal(thoughts.length, thinking.length, path)
    for (const end of thoughts)
      assert.ok(
        end.redacted === true || thinking.some((block) => block['thinking'] === end.text && block['signature'] === end.signature),
        path,
      )
  }
})

test('deltas joined are the text of the full record', () => {
  let blocks = 0
  for (const path of streams) {
    const joined = new Map<string, string>()
    const key = ({ message, block }: Event): string => `${message} ${block}`
    for (const event of eventsIn(path)) {
      if (event.kind === 'text.delta' || event.kind === 'thought.delta') joined.set(key(event), (joined.get(key(event)) ?? '') + event.text)
      if (event.kind !== 'text.end' && event.kind !== 'thought.end') continue
      assert.equal(event.streamed, joined.has(key(event)), path)
      if (event.streamed && event.text !== undefined) assert.equal(joined.get(key(event)), event.text, path)
      if (event.streamed) blocks++
    }
  }
  assert.ok(blocks >= 9)
})

test('every call pairs with its result', () => {
  for (const path of all) {
    const records = fixture(path)
    const events = eventsIn(path)
    const calls = blocksIn(
      records.filter(({ type }) => type === 'assistant'),
      'tool_use',
    )
    const given = blocksIn(
      records.filter(({ type }) => type === 'user'),
      'tool_result',
    )
    assert.deepEqual(
      only(events, 'tool.start').map(({ call, name }) => [call, name]),
      calls.map((block) => [block['id'], block['name']]),
      path,
    )
    const ends = only(events, 'tool.end').filter(({ synthetic }) => synthetic === undefined)
    assert.deepEqual(
      ends.map(({ call }) => call),
      given.map((block) => block['tool_use_id']),
      path,
    )
    for (const [index, end] of ends.entries()) assert.equal(end.status === 'ok', given[index]?.['is_error'] !== true, `${path} ${end.call}`)
    const inputs = new Map(
      [...only(events, 'tool.start'), ...only(events, 'tool.update')]
        .filter(({ input }) => input !== undefined)
        .map(({ call, input }) => [call, input]),
    )
    for (const block of calls) assert.deepEqual(inputs.get(String(block['id'])), block['input'], path)
  }
})

test("tokens are the result's: the turn's own, all lanes together, and by model", () => {
  for (const path of streams) {
    const ends = only(eventsIn(path), 'turn.end').filter(({ synthetic }) => synthetic === undefined)
    for (const [index, record] of results(path).entries()) {
      const { own, usage, byModel } = ends[index]!
      const told = record['usage'] as Record<string, number>
      assert.deepEqual(
        [own?.input, outputTokens(own ?? {}), own?.cacheRead, own?.cacheWrite],
        [told['input_tokens'], told['output_tokens'], told['cache_read_input_tokens'], told['cache_creation_input_tokens']],
        path,
      )
      const since = record['model_usage_since_last_result'] as Record<string, Record<string, number>> | undefined
      const shares = since ?? (index === 0 ? (record['modelUsage'] as typeof since) : undefined)
      if (shares === undefined || Object.keys(shares).length === 0) continue
      const sum = (key: string): number => Object.values(shares).reduce((all, share) => all + share[key]!, 0)
      assert.deepEqual([usage?.input, outputTokens(usage ?? {})], [sum('inputTokens'), sum('outputTokens')], path)
      assert.equal(
        totalTokens(usage ?? {}),
        sum('inputTokens') + sum('outputTokens') + sum('cacheReadInputTokens') + sum('cacheCreationInputTokens'),
        path,
      )
      assert.deepEqual(
        byModel?.map(({ model, contextLimit }) => [model, contextLimit]),
        Object.entries(shares).map(([model, share]) => [model, share['contextWindow']]),
        path,
      )
    }
  }
})

test('the costs of the turns add up to the total of the process', () => {
  for (const path of streams.filter((name) => !name.includes('o-resume'))) {
    const totals = results(path).map((record) => record['total_cost_usd'] as number)
    const costs = only(eventsIn(path), 'turn.end').flatMap(({ cost }) => (cost === undefined ? [] : [cost.usd]))
    if (totals.length > 0) assert.ok(Math.abs(costs.reduce((sum, usd) => sum + usd, 0) - totals.at(-1)!) < 1e-9, path)
  }
})

test('usage of a message is told once, at its end', () => {
  for (const path of all) {
    const events = eventsIn(path)
    const starts = only(events, 'message.start').map(({ message, agent }) => `${agent} ${message}`)
    assert.deepEqual(
      only(events, 'message.end')
        .map(({ message, agent }) => `${agent} ${message}`)
        .toSorted(),
      starts.toSorted(),
      path,
    )
    if (!path.includes('o-resume.session')) assert.equal(new Set(starts).size, starts.length, path) // the scripted model counts anew
  }
})

test('written again, a recording is legal and says the same', () => {
  for (const path of streams) {
    const events = eventsIn(path)
    const { records } = encodeAll(events)
    assert.deepEqual(findingsOf(records), [], path)
    const again = decodeAll(records)
    const words = (from: readonly Event[]) =>
      only(from, 'text.end')
        .filter((end) => end.text !== undefined)
        .map((end) => [end.agent, end.text, end.streamed])
    assert.deepEqual(
      words(again).filter(([, text]) => text !== 'A long answer w'),
      words(events).filter(([, text]) => text !== 'A long answer w'),
      path,
    )
    const calls = (from: readonly Event[]) => only(from, 'tool.start').map(({ agent, call, name }) => [agent, call, name])
    assert.deepEqual(calls(again), calls(events), path)
    // The result of a turn that was cut tells what its messages told.
    const ofMessages = (from: readonly Event[], turn: number | undefined) =>
      only(from, 'message.end')
        .filter((end) => end.turn === turn)
        .reduce((sum, { usage }) => sum + totalTokens(usage ?? {}), 0)
    const spent = (from: readonly Event[]) =>
      only(from, 'turn.end').map(({ cost, usage, turn }) => [
        cost?.usd ?? 0,
        usage === undefined ? ofMessages(from, turn) : totalTokens(usage),
      ])
    assert.deepEqual(spent(again), spent(events), path)
  }
})
