// A recorder hears what each face says, whatever it is and however it is cut in pieces; and it knows the habits of real servers.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import type { Answer } from './engine.ts'
import { type Face, serverSentEvents } from './face.ts'
import { gemini } from './gemini.ts'
import type { Said } from './record-answer.ts'
import { readAnswer, recordsOf } from './record-read.ts'
import { responses } from './responses.ts'
import { answersWith } from './support.test.ts'

const answers = answersWith('length', 'refusal')
const context = { model: 'm', now: 0, body: { stream_options: { include_usage: true } } }

function meant({ parts, usage, finish }: Answer, face: Face): Partial<Said> {
  const wordsOf = (type: 'think' | 'text'): string => parts.map((part) => (part.type === type ? part.text : '')).join('')
  const { input, cacheWrite } = usage
  return {
    model: 'm',
    think: wordsOf('think'),
    text: wordsOf('text'),
    tools: parts.flatMap((part) => (part.type === 'tool' ? { name: part.name, input: part.input } : [])),
    usage: face === gemini ? { ...usage, input: input + cacheWrite, cacheWrite: 0 } : usage,
    finish,
    malformed: false,
    failure: undefined,
  }
}

const read = (face: Face, body: string, status = 200, headers = {}): Said | undefined =>
  readAnswer({ api: face.name, status, headers, text: body }, 0)
const streamOf = (records: readonly unknown[]): string => records.map((data) => serverSentEvents.frame({ data }, false)).join('')

for (const face of [anthropic, responses, chat, gemini])
  suite(face.name, () => {
    const same = (answer: Answer, body: string): void => {
      // Through JSON: a number such as -0 does not survive any API.
      assert.deepEqual(JSON.parse(JSON.stringify(read(face, body))), JSON.parse(JSON.stringify(meant(answer, face))))
    }

    test('a stream is heard as it was meant', () => {
      fc.assert(
        fc.property(answers, (answer) =>
          same(answer, [...face.frames(answer, context)].map((frame) => serverSentEvents.frame(frame, false)).join('')),
        ),
      )
    })

    test('a plain answer is heard as it was meant', () => {
      fc.assert(fc.property(answers, (answer) => same(answer, JSON.stringify(face.plain(answer, context)))))
    })

    test('a stream that breaks off is never taken for a whole one, and gives what has come', () => {
      fc.assert(
        fc.property(answers, fc.double({ min: 0, max: 0.999, noNaN: true }), (answer, part) => {
          const frames = [...face.frames(answer, context)].filter(({ data }) => data !== '[DONE]')
          const ends = frames.findIndex(({ data }) =>
            /stop_reason":"|finish_reason":"|finishReason|response\.incomplete/.test(JSON.stringify(data)),
          )
          const body = frames.slice(0, Math.floor(ends * part) + (ends === 0 ? 0 : 1)).slice(0, ends)
          const heard = read(face, body.map((frame) => serverSentEvents.frame(frame, false)).join(''))!
          assert.equal(heard.finish, undefined)
          const whole = meant(answer, face)
          assert.ok(whole.text!.startsWith(heard.text) && whole.think!.startsWith(heard.think))
        }),
      )
    })

    test('an error has its status and message, and when to try again', () => {
      const failure = { status: 429, message: 'slow down', retryAfter: undefined }
      const body = JSON.stringify(face.failure(failure))
      assert.deepEqual(read(face, body, 429, { 'retry-after': '7' })?.failure, { ...failure, retryAfter: 7000 })
      assert.deepEqual(read(face, body, 429, { 'retry-after': '7', 'retry-after-ms': '6500' })?.failure, { ...failure, retryAfter: 6500 })
      assert.deepEqual(read(face, body, 429, { 'retry-after': 'Thu, 01 Jan 1970 00:00:09 GMT' })?.failure?.retryAfter, 9000)
      assert.deepEqual(read(face, body, 429)?.failure, failure)
    })
  })

suite('records', () => {
  test('server-sent events with comments, names, several data lines, any line ends, and an end without a blank line', () => {
    const stream =
      ': hello\r\n\r\nevent: a\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata:{"b":2}\n\ndata: [DONE]\n\ndata: {"c":3}\n\ndata: {"d":4}'
    assert.deepEqual(recordsOf(stream), [{ a: 1 }, { b: 2 }, { c: 3 }, { d: 4 }])
    assert.deepEqual(recordsOf('data: {"a":1}\n\ndata: {"b":'), [{ a: 1 }])
  })

  test('a JSON array, a plain object, and nothing', () => {
    assert.deepEqual(recordsOf(' [{"a":1},\r\n{"b":2}]'), [{ a: 1 }, { b: 2 }])
    assert.deepEqual(recordsOf('\n{"a":1}'), [{ a: 1 }])
    assert.deepEqual(recordsOf('{"a":'), [])
    assert.deepEqual(recordsOf(''), [])
  })
})

suite('failures', () => {
  test('the message is found in whatever form, and is not a whole page', () => {
    const messageOf = (body: string): string | undefined => read(chat, body, 500)?.failure?.message
    assert.equal(messageOf('{"error":"model not loaded"}'), 'model not loaded')
    assert.equal(messageOf('{"detail":"no"}'), 'no')
    assert.equal(messageOf('[{"error":{"message":"as a list"}}]'), 'as a list')
    assert.equal(messageOf(''), 'HTTP 500')
    assert.equal(messageOf(`<html>${'x'.repeat(5000)}`)?.length, 2000)
  })

  test('Google says in the body when to try again', () => {
    const body = JSON.stringify(gemini.failure({ status: 429, message: 'wait', retryAfter: 2500 }))
    assert.equal(read(gemini, body, 429)?.failure?.retryAfter, 2500)
  })

  test('an error in the middle of a stream has the status that its words mean', () => {
    const inAnthropic = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    assert.deepEqual(read(anthropic, streamOf([inAnthropic]))?.failure, { status: 529, message: 'Overloaded', retryAfter: undefined })
    const inResponses = { type: 'response.failed', response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'wait' } } }
    assert.equal(read(responses, streamOf([inResponses]))?.failure?.status, 429)
    assert.equal(read(chat, streamOf([{ error: { code: 502, message: 'bad gateway' } }]))?.failure?.status, 502)
    assert.equal(read(gemini, streamOf([{ error: { code: 503, status: 'UNAVAILABLE', message: 'm' } }]))?.failure?.status, 503)
    assert.equal(read(chat, streamOf([{ error: 'broken' }]))?.failure?.message, 'broken')
  })

  test('a redirect says nothing', () => assert.equal(read(chat, '', 302), undefined))
})

suite('habits of servers', () => {
  test('Anthropic: several thoughts, a text in blocks, a call without arguments, what the provider did itself', () => {
    const content = [
      { type: 'thinking', thinking: 'one', signature: 's' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'thinking', thinking: 'two', signature: 's' },
      { type: 'text', text: 'As it ' },
      { type: 'text', text: 'says.' },
      { type: 'tool_use', id: 't', name: 'list', input: {} },
    ]
    const heard = read(anthropic, JSON.stringify({ type: 'message', model: 'claude', content, stop_reason: 'pause_turn' }))
    assert.partialDeepStrictEqual(heard, { think: 'one\n\ntwo', text: 'As it says.', tools: [{ name: 'list', input: {} }], finish: 'stop' })
    assert.equal(heard?.usage, undefined)
  })

  test('Anthropic: a call that was broken off is none', () => {
    const heard = read(
      anthropic,
      streamOf([
        { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', name: 'a', input: {} } },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
      ]),
    )
    assert.deepEqual(heard?.tools, [])
  })

  test('Chat Completions: `reasoning`, calls without a number, content in parts, a refusal', () => {
    const delta = (of: object, finish: string | null = null) => ({ choices: [{ index: 0, delta: of, finish_reason: finish }] })
    const made = (id: string | undefined, name: string | undefined, json: string) => ({ id, function: { name, arguments: json } })
    const heard = read(
      chat,
      streamOf([
        delta({ reasoning: 'hm' }),
        delta({ content: [{ type: 'text', text: 'a' }] }),
        delta({ tool_calls: [made('1', 'x', '{"a"')] }),
        delta({ tool_calls: [made(undefined, undefined, ':1}')] }),
        delta({ tool_calls: [made('2', 'y', '')] }),
        delta({}, 'tool_calls'),
      ]),
    )
    const tools = [
      { name: 'x', input: { a: 1 } },
      { name: 'y', input: {} },
    ]
    assert.partialDeepStrictEqual(heard, { think: 'hm', text: 'a', tools, finish: 'tool-calls' })
    const refused = read(chat, JSON.stringify({ choices: [{ message: { content: null, refusal: 'No.' }, finish_reason: 'stop' }] }))
    assert.partialDeepStrictEqual(refused, { text: 'No.', finish: 'refusal' })
  })

  test('Responses: a free text and a namespace, an empty output at the end, a refusal', () => {
    const done = (index: number, item: object) => ({ type: 'response.output_item.done', output_index: index, item })
    const heard = read(
      responses,
      streamOf([
        done(0, { type: 'reasoning', summary: [{ text: 'one' }, { text: 'two' }] }),
        done(1, { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin' }),
        done(2, { type: 'function_call', namespace: 'agents', name: 'spawn', arguments: '{"n":1}' }),
        done(3, { type: 'web_search_call' }),
        { type: 'response.completed', response: { object: 'response', status: 'completed', model: 'gpt', output: [] } },
      ]),
    )
    const tools = [
      { name: 'apply_patch', input: '*** Begin' },
      { name: 'agents/spawn', input: { n: 1 } },
    ]
    assert.partialDeepStrictEqual(heard, { model: 'gpt', think: 'one\n\ntwo', tools, finish: 'tool-calls' })
    const output = [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }]
    const refused = read(responses, JSON.stringify({ object: 'response', status: 'completed', output }))
    assert.partialDeepStrictEqual(refused, { text: 'No.', finish: 'refusal' })
  })

  test('Gemini: a blocked prompt, a malformed call, a plain stop after calls', () => {
    const blocked = read(gemini, JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' } }))
    assert.partialDeepStrictEqual(blocked, { text: '', finish: 'refusal' })
    const malformed = read(gemini, JSON.stringify({ candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' }] }))
    assert.partialDeepStrictEqual(malformed, { malformed: true, tools: [{ name: 'unknown', input: {} }], finish: 'tool-calls' })
    const parts = [{ functionCall: { name: 'a' } }]
    const called = read(gemini, JSON.stringify([{ candidates: [{ content: { parts } }] }, { candidates: [{ finishReason: 'STOP' }] }]))
    assert.partialDeepStrictEqual(called, { tools: [{ name: 'a', input: {} }], finish: 'tool-calls' })
  })

  test('arguments that are no JSON are kept as they are', () => {
    const tool_calls = [{ function: { name: 'a', arguments: '{"b":' } }]
    const heard = read(chat, JSON.stringify({ choices: [{ message: { tool_calls }, finish_reason: 'tool_calls' }] }))
    assert.deepEqual(heard?.tools, [{ name: 'a', input: '{"b":' }])
  })
})
