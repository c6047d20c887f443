import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event, Kind, Payload, Place } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createBook } from './chat-book.ts'
import { costLines, sumText } from './chat-lists.ts'
import { lastExchange } from './chat-recall.ts'

const event = <K extends Kind>(kind: K, payload: Payload<K>, place: Place = {}): Event =>
  makeEvent(kind, payload, { session: 's', ...place })
const turn = (input: number, usd: number | undefined): Event =>
  event('turn.end', { reason: 'end_turn', usage: { input, output: 5 }, ...(usd !== undefined && { cost: { usd, by: 'priced' } }) })
const rule = { permission: 'bash', pattern: 'npm *', action: 'allow' }
const always = event('permission.answer', { decision: 'allow', by: 'terminal', option: 'allow_always', scope: 'session', rules: [rule] })

test('turns, tokens and money are summed over the session, what is granted over the chat', () => {
  const book = createBook([turn(10, 0.5), always])
  assert.deepEqual([book.turns(), book.usd(), book.granted()], [1, 0.5, []])
  book.push(turn(20, 0.25))
  book.push(always)
  book.push(event('message.end', { finish: 'end_turn', context: { used: 50, limit: 200 } }))
  book.push(event('message.end', { finish: 'end_turn', context: { used: 1, limit: 2 } }, { agent: 'sub' }))
  assert.deepEqual([book.turns(), book.usage(), book.usd()], [2, { input: 30, output: 10 }, 0.75])
  assert.deepEqual(book.granted(), [rule])
  assert.equal(sumText(book), '2 turns · 40 tokens · $0.750')
  assert.deepEqual(costLines(book, 'a/b'), [
    'model     a/b',
    'turns     2',
    'tokens    40',
    '  input   30',
    '  output  10',
    'cost      $0.750',
    'context   50 tokens of 200 (25%)',
  ])
})

test('one turn without a price leaves the sum unknown, never too small', () => {
  const book = createBook([turn(10, 0.5), turn(10, undefined)])
  assert.equal(book.usd(), undefined)
  assert.match(sumText(book), /cost unknown/)
})

test('a session that goes on shows its last prompt and the answer', () => {
  const said = (text: string, place: Place = {}): Event => event('text.end', { text, streamed: false }, place)
  const history = [
    event('prompt.submit', { text: 'first', by: 'user', state: 'sent' }),
    said('no'),
    event('prompt.submit', { text: 'second', by: 'user', state: 'sent' }),
    said('I look'),
    event('prompt.submit', { text: 'for the subagent', by: 'agent', state: 'sent' }, { agent: 'x' }),
    said('of the subagent', { agent: 'x' }),
    said('**Done**'),
  ]
  for (const [index, one] of history.entries()) one.seq = index + 1
  assert.deepEqual(lastExchange(history, { width: 40, colour: false }), ['❯ second', '', 'Done'])
  assert.deepEqual(lastExchange([], { width: 40, colour: false }), [])
})
