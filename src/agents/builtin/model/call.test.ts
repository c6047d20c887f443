import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { callModel, type CallResult } from './call.ts'
import type { ModelPart } from './part.ts'

const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined, text: undefined, reasoning: undefined }
const noUsage = { inputTokens: none, outputTokens: none }
const end = (unified: LanguageModelV4FinishReason['unified'], raw?: string): LanguageModelV4StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw },
  usage: noUsage,
})
const word: LanguageModelV4StreamPart = { type: 'text-delta', id: '0', delta: 'hi' }

async function run(parts: readonly LanguageModelV4StreamPart[], signal = new AbortController().signal, onPart?: () => void) {
  const got: ModelPart[] = []
  let cancelled = false
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
    cancel: () => void (cancelled = true),
  })
  const result: CallResult = await callModel(
    {
      provider: 'p',
      id: 'm',
      callOptions: {},
      model: {
        specificationVersion: 'v4',
        provider: 'p',
        modelId: 'm',
        supportedUrls: {},
        doStream: () => Promise.resolve({ stream }),
        doGenerate: () => Promise.reject(new Error('not asked for')),
      },
    },
    {
      prompt: [],
      tools: [],
      signal,
      onPart(part) {
        got.push(part)
        onPart?.()
      },
    },
  )
  return { parts: got, result, cancelled: () => cancelled }
}

test('a stream that ends without saying how was cut', async () => {
  for (const parts of [[word], [word, end('interrupted')]]) {
    const { result } = await run(parts)
    assert.equal(result.finish, 'cut')
    assert.partialDeepStrictEqual(result.error, { category: 'network', retryable: true })
  }
  assert.equal((await run([])).result.finish, 'error')
})

test('an answer that ends in an error says so, and can be asked for again', async () => {
  const { result } = await run([word, end('error', 'MALFORMED_FUNCTION_CALL')])
  assert.equal(result.finish, 'error')
  assert.equal(result.error?.retryable, true)
  assert.match(result.error.text, /MALFORMED_FUNCTION_CALL/)
})

test('an error in the stream ends it there', async () => {
  const { result, parts } = await run([word, { type: 'error', error: { statusCode: 529, message: 'busy' } }, word, end('stop')])
  assert.partialDeepStrictEqual(result, { finish: 'error', error: { http: 529, text: 'busy' } })
  assert.equal(parts.filter(({ type }) => type === 'text.delta').length, 1)
})

test('an answer with calls ends for them, also when the provider says stop', async () => {
  const call: LanguageModelV4StreamPart = { type: 'tool-call', toolCallId: 'a', toolName: 't', input: '{}' }
  assert.equal((await run([call, end('stop')])).result.finish, 'tool_use')
  assert.equal((await run([call, end('length')])).result.finish, 'max_tokens')
  assert.equal((await run([word, end('stop')])).result.finish, 'end_turn')
  assert.equal((await run([word, end('other')])).result.finish, 'unknown')
})

test('usage that was not reported is absent', async () => {
  assert.ok(!('usage' in (await run([word, end('stop')])).result))
  const usage = { inputTokens: { ...none, total: 10, cacheRead: 4 }, outputTokens: { ...none, total: 7 } }
  const finish: LanguageModelV4StreamPart = { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage }
  assert.deepEqual((await run([word, finish])).result.usage, { input: 6, cacheRead: 4, output: 7 })
})

test('the signal ends it between two parts, and the stream is let go', async () => {
  const stop = new AbortController()
  const { result, parts, cancelled } = await run([word, word, end('stop')], stop.signal, () => stop.abort())
  assert.deepEqual([result.finish, result.error], ['cancelled', undefined])
  assert.deepEqual(
    parts.map(({ type }) => type),
    ['text.delta', 'text.end'],
  )
  assert.ok(cancelled())
  const never = await run([word], AbortSignal.abort())
  assert.deepEqual([never.result.finish, never.parts], ['cancelled', []])
})

test('an answer without end is broken off, and not asked for again', async () => {
  const piece: LanguageModelV4StreamPart = { type: 'text-delta', id: '0', delta: 'x'.repeat(1024 * 1024) }
  let told = 0
  const { result, cancelled } = await run([...Array.from({ length: 80 }, () => piece), end('stop')], undefined, () => told++)
  assert.equal(result.finish, 'error')
  assert.match(result.error?.text ?? '', /longer than 67108864 characters/)
  assert.equal(result.error?.retryable, false)
  assert.ok(told < 70)
  assert.ok(cancelled())
})
