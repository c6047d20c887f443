import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '../../../model/event.ts'
import { createConversation } from './conversation.ts'

/** Events as they are stored: only what is read here matters. */
const event = (kind: Event['kind'], fields: Record<string, unknown>): Event => ({ v: 1, seq: 1, kind, session: 's', ...fields }) as Event // checked by the readers

const prompt = (text: string, more: Record<string, unknown> = {}) => event('prompt.submit', { text, by: 'user', state: 'sent', ...more })
const text = (message: string, block: number, words: string, more: Record<string, unknown> = {}) =>
  event('text.end', { message, block, text: words, streamed: false, ...more })
const call = (message: string, block: number, id: string, more: Record<string, unknown> = {}) =>
  event('tool.start', { message, block, call: id, name: 'read', toolKind: 'read', input: { filePath: id }, ...more })
const result = (id: string, words: string, more: Record<string, unknown> = {}) =>
  event('tool.end', { call: id, status: 'ok', text: words, ...more })

function fold(...events: Event[]) {
  const conversation = createConversation()
  for (const one of events) conversation.push(one)
  return conversation
}

test('a turn with thoughts, calls and results, in the order of the calls', () => {
  const metadata = { anthropic: { signature: 'sig' } }
  const { messages } = fold(
    prompt('look'),
    event('message.start', { message: 'm1' }),
    event('thought.end', { message: 'm1', block: 0, text: 'hm', streamed: true, ext: { builtin: { metadata } } }),
    text('m1', 1, 'I look.'),
    call('m1', 2, 'a', { ext: { builtin: { metadata: { openai: { itemId: 'fc_1' } } } } }),
    call('m1', 3, 'b'),
    result('b', 'B'),
    result('a', 'A'),
    event('message.end', { message: 'm1', finish: 'tool_use' }),
    text('m2', 0, 'Done.'),
  )
  assert.deepEqual(messages(), [
    { role: 'user', content: [{ type: 'text', text: 'look' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: metadata },
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { filePath: 'a' }, providerOptions: { openai: { itemId: 'fc_1' } } },
        { type: 'tool-call', toolCallId: 'b', toolName: 'read', input: { filePath: 'b' } },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'text', value: 'A' } },
        { type: 'tool-result', toolCallId: 'b', toolName: 'read', output: { type: 'text', value: 'B' } },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
  ])
})

test('parts stand in the order of their blocks, however late they are told', () => {
  const { messages } = fold(prompt('go'), text('m', 2, 'third'), text('m', 0, 'first'), call('m', 1, 'a'), result('a', ''))
  assert.deepEqual(partTypes(messages()[1]), ['text', 'tool-call', 'text'])
})

test('a call without a result was interrupted, and one that was abandoned says so', () => {
  const { messages } = fold(prompt('go'), call('m', 0, 'a'), call('m', 1, 'b'), event('tool.end', { call: 'b', status: 'abandoned' }))
  assert.deepEqual(outputs(messages()[2]), [
    { type: 'error-text', value: 'interrupted: the call has no result' },
    { type: 'error-text', value: 'interrupted: the call was abandoned' },
  ])
})

test('failures, refusals and commands that failed are errors; their text is what the model is told', () => {
  const { messages } = fold(
    prompt('go'),
    ...['a', 'b', 'c', 'd'].map((id, block) => call('m', block, id)),
    result('a', 'no such file', { status: 'error' }),
    result('b', '', { status: 'denied', error: { category: 'unknown', text: 'not that one' } }),
    result('c', '1 test failed', { exitCode: 1 }),
    result('d', 'ok', { exitCode: 0 }),
  )
  assert.deepEqual(outputs(messages()[2]), [
    { type: 'error-text', value: 'no such file' },
    { type: 'error-text', value: 'not that one' },
    { type: 'error-text', value: '1 test failed' },
    { type: 'text', value: 'ok' },
  ])
})

test('pictures of a result go along with its text', () => {
  const { messages } = fold(
    prompt('go'),
    call('m', 0, 'a'),
    result('a', 'a cat', { content: [{ type: 'file', mime: 'image/png', data: 'AAAA' }] }),
  )
  assert.deepEqual(outputs(messages()[2]), [
    {
      type: 'content',
      value: [
        { type: 'text', text: 'a cat' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
      ],
    },
  ])
})

test('attachments: pictures and documents as they are, texts as text, others only by name', () => {
  const data = Buffer.from('let a = 1').toString('base64')
  const { messages } = fold(
    prompt('see', {
      content: [
        { type: 'file', mime: 'image/png', path: '/x/cat.png', data: 'AAAA' },
        { type: 'file', mime: 'text/plain', path: '/x/a.ts', data },
        { type: 'file', mime: 'application/zip', path: '/x/a.zip', data },
      ],
    }),
  )
  assert.deepEqual(messages()[0]?.content, [
    { type: 'text', text: 'see' },
    { type: 'file', mediaType: 'image/png', filename: 'cat.png', data: { type: 'data', data: 'AAAA' } },
    { type: 'text', text: '<file path="/x/a.ts">\nlet a = 1\n</file>' },
    { type: 'text', text: '<file path="/x/a.zip" type="application/zip">a file of this type cannot be shown</file>' },
  ])
})

test('input that could not be read is shown to the model as it wrote it', () => {
  const { messages } = fold(prompt('go'), call('m', 0, 'a', { input: {}, ext: { builtin: { bad: '{"filePath": "a' } } }))
  assert.partialDeepStrictEqual(messages()[1], { content: [{ input: { unreadable: '{"filePath": "a' } }] })
})

test("a withdrawn try leaves nothing behind, and its results are nobody's", () => {
  const { messages } = fold(
    prompt('go'),
    text('m', 0, 'wrong'),
    call('m', 1, 'a'),
    event('message.drop', { message: 'm', fromBlock: 0, why: 'stream_error' }),
    result('a', 'late'),
    text('m', 0, 'right'),
  )
  assert.deepEqual(messages().slice(1), [{ role: 'assistant', content: [{ type: 'text', text: 'right' }] }])
})

test('a second try may name its calls as the first did: no result is taken over', () => {
  const drop = event('message.drop', { message: 'm', fromBlock: 0, why: 'stream_error' })
  for (const late of [
    [result('a', 'old'), drop],
    [drop, result('a', 'old')],
  ]) {
    const { messages } = fold(prompt('go'), call('m', 0, 'a'), ...late, call('m', 0, 'a'))
    assert.partialDeepStrictEqual(outputs(messages()[2]), [{ type: 'error-text' }])
  }
})

test('a prompt that comes while the model speaks stands behind the answer', () => {
  const { messages } = fold(prompt('go'), event('message.start', { message: 'm' }), prompt('and hurry'), text('m', 0, 'ok'))
  assert.deepEqual(
    messages().map(({ role }) => role),
    ['user', 'assistant', 'user'],
  )
})

test('what says nothing is left out: thoughts alone, blank text, prompts that were only queued, other lanes', () => {
  const { messages } = fold(
    prompt('go'),
    prompt('later', { state: 'queued' }),
    prompt('not mine', { agent: 'sub' }),
    prompt('  '),
    event('thought.end', { message: 'm1', block: 0, text: 'hm', streamed: false }),
    text('m2', 0, ' \n'),
    text('m3', 0, 'elsewhere', { agent: 'sub' }),
    event('tool.start', { message: 'm2', block: 1, call: 'w', name: 'web_search', toolKind: 'search', hostedBy: 'provider' }),
  )
  assert.deepEqual(messages(), [{ role: 'user', content: [{ type: 'text', text: 'go' }] }])
})

test('deltas stand in for an end without text', () => {
  const { messages } = fold(
    prompt('go'),
    event('text.delta', { message: 'm', block: 0, text: 'half ' }),
    event('text.delta', { message: 'm', block: 0, text: 'said' }),
    event('text.end', { message: 'm', block: 0, streamed: true, synthetic: 'cut' }),
  )
  assert.deepEqual(messages()[1]?.content, [{ type: 'text', text: 'half said' }])
})

test('a prompt that comes while calls are open does not stand between them and their results', () => {
  const { messages } = fold(prompt('go'), call('m', 0, 'a'), prompt('and hurry'), result('a', 'A'), text('n', 0, 'ok'))
  assert.deepEqual(
    messages().map(({ role }) => role),
    ['user', 'assistant', 'tool', 'user', 'assistant'],
  )
  assert.deepEqual(outputs(messages()[2]), [{ type: 'text', value: 'A' }])
})

test('an answer that broke off and went on is one message', () => {
  const { messages } = fold(prompt('go'), text('m', 0, 'half'), text('n', 0, 'whole'))
  assert.deepEqual(
    messages().map(({ role }) => role),
    ['user', 'assistant'],
  )
})

// ── room ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const long = () =>
  [1, 2, 3, 4].flatMap((turn) => [
    prompt(`prompt ${turn}`),
    call(`m${turn}`, 0, `c${turn}`),
    result(`c${turn}`, 'x'.repeat(400)),
    text(`n${turn}`, 0, `answer ${turn}`),
  ])

test('trimming leaves out the oldest, whole exchanges only, and neither the first nor the last prompt', () => {
  const conversation = fold(...long())
  assert.equal(conversation.messages().length, 16)
  assert.equal(conversation.planTrim({ maxMessages: 16 }), 0)
  const dropped = conversation.planTrim({ maxMessages: 9 })
  assert.equal(dropped, 7) // two messages of a call and its result, then one by one
  conversation.push(event('context.trim', { why: 'trim', ext: { builtin: { dropped } } }))
  const messages = conversation.messages()
  assert.equal(messages.length, 9)
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'tool', 'assistant'],
  )
  assert.partialDeepStrictEqual(messages[0], { content: [{ text: 'prompt 1' }, { providerOptions: { sluice: { answers: 4 } } }] })
  assert.partialDeepStrictEqual(messages[1], { content: [{ text: 'prompt 3' }] })
})

test('a call is never kept without its result, nor the other way round', () => {
  for (let maxMessages = 1; maxMessages < 16; maxMessages++) {
    const conversation = fold(...long())
    const dropped = conversation.planTrim({ maxMessages })
    conversation.push(event('context.trim', { why: 'trim', ext: { builtin: { dropped } } }))
    const roles = conversation.messages().map(({ role }) => role)
    assert.ok(!roles.some((role, at) => role === 'tool' && roles[at - 1] !== 'assistant'), roles.join(' '))
    assert.deepEqual(roles.slice(-1), ['assistant'])
  }
})

test('tokens are trimmed to what fits, and the size that a request reported counts', () => {
  const conversation = fold(...long())
  const before = conversation.tokens()
  assert.ok(before > 400 && before < 700, String(before))
  conversation.push(event('message.end', { message: 'n4', usage: { input: 1000, cacheRead: 4000 } }))
  const reported = conversation.tokens()
  assert.ok(reported > 5000 && reported < 5100, String(reported))
  const dropped = conversation.planTrim({ maxTokens: reported - 150 })
  conversation.push(event('context.trim', { why: 'trim', ext: { builtin: { dropped } } }))
  assert.ok(conversation.tokens() <= reported - 150 + 20, String(conversation.tokens()))
  assert.equal(dropped, 6) // two calls with their results, and what stands between
})

test('a summary stands for what was said', () => {
  const conversation = fold(...long(), event('context.trim', { why: 'compact', ext: { builtin: { summary: 'We talked.' } } }))
  const messages = conversation.messages()
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'user'],
  )
  assert.match(JSON.stringify(messages[0]), /prompt 1.*We talked\./)
  assert.match(JSON.stringify(messages[1]), /prompt 4/)
})

type Message = ReturnType<ReturnType<typeof fold>['messages']>[number]

const partTypes = (message: Message | undefined): string[] =>
  Array.isArray(message?.content) ? message.content.map(({ type }) => type) : []

const outputs = (message: Message | undefined): unknown[] =>
  message?.role === 'tool' ? message.content.map((part) => (part.type === 'tool-result' ? part.output : part)) : []
