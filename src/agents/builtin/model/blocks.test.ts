import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Blocks, createBlocks, inputOf } from './blocks.ts'
import type { ModelPart } from './part.ts'

function partsOf(use: (blocks: Blocks) => void): ModelPart[] {
  const parts: ModelPart[] = []
  use(createBlocks((part) => void parts.push(part)))
  return parts
}

test('interleaved blocks keep their numbers and their text', () => {
  const parts = partsOf(({ take }) => {
    take({ type: 'reasoning-start', id: 'x' })
    take({ type: 'text-start', id: 'x' })
    take({ type: 'reasoning-delta', id: 'x', delta: 'a' })
    take({ type: 'text-delta', id: 'x', delta: 'b' })
    take({ type: 'reasoning-delta', id: 'x', delta: 'c' })
    take({ type: 'text-end', id: 'x' })
    take({ type: 'reasoning-end', id: 'x' })
  })
  assert.deepEqual(parts, [
    { type: 'thought.delta', block: 0, text: 'a' },
    { type: 'text.delta', block: 1, text: 'b' },
    { type: 'thought.delta', block: 0, text: 'c' },
    { type: 'text.end', block: 1, text: 'b' },
    { type: 'thought.end', block: 0, text: 'ac' },
  ])
})

test('what a provider says of a block adds up', () => {
  const parts = partsOf(({ take }) => {
    take({ type: 'reasoning-start', id: '0', providerMetadata: { openai: { itemId: 'rs_1', encrypted: null } } })
    take({ type: 'reasoning-delta', id: '0', delta: '', providerMetadata: { anthropic: { signature: 's' } } })
    take({ type: 'reasoning-end', id: '0', providerMetadata: { openai: { encrypted: 'e' } } })
  })
  const metadata = { openai: { itemId: 'rs_1', encrypted: 'e' }, anthropic: { signature: 's' } }
  assert.deepEqual(parts, [{ type: 'thought.end', block: 0, text: '', metadata }])
})

test('a thought that the provider keeps to itself is marked', () => {
  const [end] = partsOf(({ take }) => {
    take({ type: 'reasoning-start', id: '0', providerMetadata: { anthropic: { redactedData: 'xyz' } } })
    take({ type: 'reasoning-end', id: '0' })
  })
  assert.partialDeepStrictEqual(end, { type: 'thought.end', redacted: true })
})

test('calls with the same id, or none, get ids of their own', () => {
  const parts = partsOf(({ take }) => {
    for (const toolCallId of ['a', 'a', '', '']) take({ type: 'tool-call', toolCallId, toolName: 't', input: '{}' })
  })
  assert.deepEqual(
    parts.map((part) => (part.type === 'tool.call' ? part.id : part)),
    ['a', 'a_2', 'call', 'call_2'],
  )
})

test('an answer that ends too early leaves its open blocks partial, and no call', () => {
  const parts = partsOf(({ take, close }) => {
    take({ type: 'text-start', id: '0' })
    take({ type: 'text-delta', id: '0', delta: 'half' })
    take({ type: 'tool-input-start', id: 'c', toolName: 't' })
    take({ type: 'tool-input-delta', id: 'c', delta: '{"a' })
    close()
    close()
  })
  assert.deepEqual(parts.slice(1), [
    { type: 'tool.delta', block: 1, id: 'c', name: 't', text: '' },
    { type: 'tool.delta', block: 1, id: 'c', name: 't', text: '{"a' },
    { type: 'text.end', block: 0, text: 'half', partial: true },
  ])
})

test('what is neither words nor a call of ours is a notice, without its bytes', () => {
  const parts = partsOf(({ take }) => {
    take({ type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'topK' }] })
    take({ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } })
    take({ type: 'source', sourceType: 'url', id: '1', url: 'https://example.org', title: 'Example' })
    take({ type: 'tool-call', toolCallId: 'w', toolName: 'web_search', input: '{}', providerExecuted: true })
  })
  assert.deepEqual(
    parts.map((part) => (part.type === 'notice' ? [part.level, part.code, part.data] : part)),
    [
      ['warn', 'model_warning', undefined],
      ['info', 'model_file', { mediaType: 'image/png' }],
      ['info', 'model_source', { url: 'https://example.org', title: 'Example' }],
      ['info', 'model_provider_tool', { name: 'web_search', input: '{}' }],
    ],
  )
})

test('input: no text is no arguments; what is no JSON object is bad, with the reason', () => {
  assert.deepEqual(inputOf(''), { input: {} })
  assert.deepEqual(inputOf('{"a":1}'), { input: { a: 1 } })
  assert.partialDeepStrictEqual(inputOf('[1]'), { input: {}, bad: '[1]', why: 'the arguments must be a JSON object' })
  assert.match(inputOf('{"a').why ?? '', /^the arguments are not JSON: /)
})
