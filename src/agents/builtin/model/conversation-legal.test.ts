// Whatever happens to a session, every prefix of its events folds into a prompt that providers accept, live and from the file alike.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Event } from '../../../model/event.ts'
import { createConversation } from './conversation.ts'

type Move =
  | { type: 'prompt'; text: string }
  | { type: 'answer'; thought: boolean; text: string; calls: number; retried: boolean; unfinished: number }
  | { type: 'trim'; messages: number }
  | { type: 'compact' }
  | { type: 'elsewhere' }

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('prompt' as const), text: fc.string() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('answer' as const),
      thought: fc.boolean(),
      text: fc.string(),
      calls: fc.nat(3),
      retried: fc.boolean(),
      unfinished: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('trim' as const), messages: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.constant({ type: 'compact' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'elsewhere' as const }) },
)

/** The events of a session, as the loop would tell them. What is trimmed depends on what was told, so it is folded on the way. */
function eventsOf(moves: readonly Move[]): Event[] {
  const events: Event[] = []
  const conversation = createConversation()
  const tell = (kind: Event['kind'], fields: object): void => {
    const event = { v: 1, seq: events.length + 1, session: 's', kind, ...fields } as Event // as the loop fills them
    events.push(event)
    conversation.push(event)
  }
  tell('prompt.submit', { text: 'first', by: 'user', state: 'sent' })
  for (const [index, one] of moves.entries()) {
    const message = `m${index}`
    if (one.type === 'prompt') tell('prompt.submit', { text: one.text, by: 'user', state: 'sent' })
    else if (one.type === 'trim')
      tell('context.trim', { why: 'trim', ext: { builtin: { dropped: conversation.planTrim({ maxMessages: one.messages }) } } })
    else if (one.type === 'compact') tell('context.trim', { why: 'compact', ext: { builtin: { summary: 'short' } } })
    else if (one.type === 'elsewhere') tell('tool.start', { agent: 'sub', message, call: 'c0', name: 'read', toolKind: 'read', input: {} })
    else {
      // Ids repeat over messages, as some servers have it.
      const calls = Array.from({ length: one.calls }, (_, at) => `c${at}`)
      for (const isLast of one.retried ? [false, true] : [true]) {
        if (one.thought)
          tell('thought.end', { message, block: 0, text: 'hm', streamed: false, ext: { builtin: { metadata: { a: { s: undefined } } } } })
        tell('text.delta', { message, block: 1, text: one.text })
        tell('text.end', { message, block: 1, text: one.text, streamed: true })
        for (const [at, call] of calls.entries())
          tell('tool.start', { message, block: 2 + at, call, name: 'read', toolKind: 'read', input: { at, none: undefined } })
        if (!isLast) tell('message.drop', { message, fromBlock: 0, why: 'stream_error' })
      }
      for (const call of calls.toReversed().slice(one.unfinished)) tell('tool.end', { call, message, status: 'ok', text: call })
      tell('message.end', { message, finish: 'end_turn', usage: { input: 10 * index, output: 1 } })
    }
  }
  return events
}

test('every prefix is a legal prompt: each call has one result, right after it, and each result a call', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 12 }), (moves) => {
      const conversation = createConversation()
      for (const event of eventsOf(moves)) {
        conversation.push(event)
        checkLegal(conversation.messages())
        assert.ok(conversation.tokens() >= 0)
      }
    }),
    { numRuns: 300 },
  )
})

test('a session read back from its file gives the same prompt', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 12 }), (moves) => {
      const [live, stored] = [createConversation(), createConversation()]
      for (const event of eventsOf(moves)) {
        live.push(event)
        stored.push(JSON.parse(JSON.stringify(event)) as Event)
      }
      assert.equal(JSON.stringify(stored.messages()), JSON.stringify(live.messages()))
      assert.equal(stored.tokens(), live.tokens())
    }),
    { numRuns: 300 },
  )
})

function checkLegal(prompt: LanguageModelV4Prompt): void {
  assert.equal(prompt[0]?.role, 'user')
  for (const [at, message] of prompt.entries()) {
    const next = prompt[at + 1]
    assert.ok(message.content.length > 0)
    if (message.role === 'tool') assert.equal(prompt[at - 1]?.role, 'assistant')
    if (message.role !== 'assistant') continue
    assert.notEqual(next?.role, 'assistant')
    const calls = message.content.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []))
    const results = next?.role === 'tool' ? next.content.flatMap((part) => (part.type === 'tool-result' ? part.toolCallId : [])) : []
    assert.deepEqual(results, calls)
    assert.equal(new Set(calls).size, calls.length)
    assert.ok(message.content.some(({ type }) => type !== 'reasoning'))
  }
}
