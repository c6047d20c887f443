// Recordings and documents of the other dialects, written as the Agent Client Protocol: legal, taken by a strict client, and with the
// same text and calls.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { isRecord, parseJson, type Rec } from '../src/base/json.ts'
import { convert, type DialectName, read, validate } from '../src/index.ts'
import { isSaid, meaningOf } from './meaning.ts'

// ── what a strict client takes: the required keys and the closed words of the protocol's schema ──────────────────────────

const text = (value: unknown): boolean => typeof value === 'string'
const count = (value: unknown): boolean => typeof value === 'number' && value >= 0
const oneOf =
  (...words: string[]) =>
  (value: unknown): boolean =>
    words.includes(value as string)
type Shape = Readonly<Record<string, (value: unknown) => boolean>>
/** A key that ends with `?` may be absent. */
const fits = (shape: Shape, value: unknown): boolean =>
  isRecord(value) &&
  Object.entries(shape).every(([key, isRight]) => {
    const found = value[key.replace('?', '')]
    return found === undefined ? key.endsWith('?') : isRight(found)
  })
const object = (shape: Shape) => (value: unknown) => fits(shape, value)
const list = (isRight: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(isRight)
const byType =
  (key: string, shapes: Readonly<Record<string, Shape>>) =>
  (value: unknown): boolean =>
    isRecord(value) && fits(shapes[value[key] as string] ?? { 'no such type': text }, value)

const block = byType('type', {
  text: { text },
  image: { data: text, mimeType: text },
  audio: { data: text, mimeType: text },
  resource_link: { uri: text, name: text },
  resource: { resource: object({ uri: text }) },
})
const shown = byType('type', { content: { content: block }, diff: { path: text, newText: text }, terminal: { terminalId: text } })
const tool = {
  toolCallId: text,
  'kind?': oneOf('read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'),
  'status?': oneOf('pending', 'in_progress', 'completed', 'failed'),
  'content?': list(shown),
  'locations?': list(object({ path: text })),
}
const choice = object({ value: text, name: text })
const entry = object({ content: text, priority: oneOf('high', 'medium', 'low'), status: oneOf('pending', 'in_progress', 'completed') })
const update = byType('sessionUpdate', {
  agent_message_chunk: { content: block },
  agent_thought_chunk: { content: block },
  user_message_chunk: { content: block },
  tool_call: { ...tool, title: text },
  tool_call_update: { ...tool, 'title?': text },
  plan: { entries: list(entry) },
  available_commands_update: { availableCommands: list(object({ name: text, description: text })) },
  current_mode_update: { currentModeId: text },
  config_option_update: {
    configOptions: list(object({ id: text, name: text, type: oneOf('select'), currentValue: text, options: list(choice) })),
  },
  session_info_update: { title: text },
  usage_update: { used: count, size: count, 'cost?': object({ amount: count, currency: text }) },
})
const option = object({ optionId: text, name: text, kind: oneOf('allow_once', 'allow_always', 'reject_once', 'reject_always') })
const stop = oneOf('end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled')
const usage = object({ totalTokens: count, inputTokens: count, outputTokens: count, 'thoughtTokens?': count, 'cachedReadTokens?': count })

function isTaken({ jsonrpc, id, method, params, result, error }: Rec): boolean {
  if (jsonrpc !== '2.0') return false
  if (method === 'session/update') return id === undefined && fits({ sessionId: text, update }, params)
  if (method === 'session/request_permission')
    return id !== undefined && fits({ sessionId: text, toolCall: object(tool), options: list(option) }, params)
  if (method !== undefined || id === undefined) return false
  return error === undefined ? fits({ stopReason: stop, 'usage?': usage }, result) : fits({ code: Number.isInteger, message: text }, error)
}

// ── sources ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

const root = new URL('../fixtures/', import.meta.url)
const sources = ['claude', 'aictrl', 'avenor', 'appctl', 'codex', 'gemini', 'opencode', 'copilot'] as const satisfies DialectName[]
const streamsOf = (dialect: string): string[] =>
  readdirSync(new URL(`${dialect}/`, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(nd)?json(l)?$/.test(name) && !name.includes('rejected') && !name.includes('expected'))
    .map((name) => `${dialect}/${name}`)
const bytesOf = (name: string): Uint8Array => readFileSync(new URL(name, root))
const writtenAs = (name: string, from: DialectName): string => convert(bytesOf(name), { from, to: 'acp' }).text
const recordsIn = (text: string): Rec[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as Rec)

for (const dialect of sources) {
  suite(`from ${dialect}`, () => {
    const streams = streamsOf(dialect)

    test('every stream becomes a legal one, which a strict client takes', () => {
      assert(streams.length > 5)
      for (const name of streams) {
        const text = writtenAs(name, dialect)
        assert.deepEqual(validate(text, { dialect: 'acp' }).findings, [], name)
        const refused = recordsIn(text).filter((record) => !isTaken(record))
        assert.deepEqual(refused, [], name)
      }
    })

    test('text, thoughts and calls come across', () => {
      for (const name of streams) {
        const events = read(bytesOf(name), { dialect })
        if (new Set(events.map(({ session }) => session)).size > 1) continue
        const [before, after] = [meaningOf(events), meaningOf(read(writtenAs(name, dialect), { dialect: 'acp' }))]
        assert(isSaid(before.text, after.text, true), name)
        assert(isSaid(before.thoughts, after.thoughts, true), name)
        const calls = (meaning: typeof before): unknown =>
          [...meaning.calls].map(([id, { name: tool, input, failed }]) => [id, tool, input, failed])
        assert.deepEqual(calls(after), calls(before), name)
      }
    })
  })
}

test("a session of Claude's, as its own agent for the protocol would tell it", () => {
  const told = recordsIn(writtenAs('claude/2.1.325/g-subagent-fg.ndjson', 'claude')).map(({ params, result }) => {
    const { update: said } = (params ?? {}) as { update?: { sessionUpdate: string; toolCallId?: string; status?: string } }
    if (said === undefined) return (result as { stopReason: string }).stopReason
    return [said.sessionUpdate, said.toolCallId, said.status].filter(Boolean).join(' ')
  })
  assert.deepEqual(told, [
    'current_mode_update',
    'config_option_update',
    'available_commands_update',
    'agent_message_chunk',
    'tool_call toolu_mock000001 pending',
    'tool_call toolu_mock000003 pending',
    'tool_call_update toolu_mock000003 completed',
    'tool_call_update toolu_mock000001 completed',
    'agent_message_chunk',
    'usage_update',
    'end_turn',
  ])
})
