import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Rec } from '../../base/json.ts'
import { asked, codesOf, ended, gave, header, init, line, listed, repaired, said, trouble, use } from './support.test.ts'

test('a run that ends before it began, and one run after another, are legal', () => {
  assert.deepEqual(codesOf(ended({ status: 'error' })), [])
  assert.deepEqual(codesOf(trouble('error', 'no'), ended({ status: 'error' })), [])
  assert.deepEqual(codesOf(init, ended({ status: 'error' })), [])
  assert.deepEqual(codesOf(init, asked, said('a'), ended(), init, asked, ended()), [])
})

test('calls may overlap, and an id may be used again', () => {
  assert.deepEqual(codesOf(init, asked, use('a'), use('b'), gave('b'), gave('a'), use('a'), gave('a'), ended()), [])
})

test('an unanswered call is a warning, and nothing beside a failure', () => {
  assert.deepEqual(codesOf(init, asked, use('a'), ended()), ['unanswered-call?'])
  assert.deepEqual(codesOf(init, asked, use('a'), ended({ status: 'error' })), [])
})

test('what follows a result is said once', () => {
  assert.deepEqual(codesOf(init, asked, ended(), said('a'), said('b'), ended(), init, asked, ended()), ['result-last'])
})

test('a chat file has no end, and the one object no order', () => {
  assert.deepEqual(codesOf(header, line('user', 'm1', 'Do'), { $set: {} }), [])
  assert.deepEqual(codesOf({ session_id: 's', response: 'a', stats: { models: {} } }), [])
  assert.deepEqual(codesOf({ $set: {} }, line('info', 'm1', 'x')), ['header-first'])
})

test('a call that a message lists may be answered, also of the old file', () => {
  const calls = { toolCalls: [listed('a', { output: '' })] }
  const answer = line('user', 'm3', listed('a', {})['result'])
  assert.deepEqual(codesOf(header, line('gemini', 'm2', '', calls), answer), [])
  assert.deepEqual(codesOf({ ...header, messages: [line('gemini', 'm2', '', calls)] }, answer), [])
  assert.deepEqual(codesOf(header, answer), ['listed-call?'])
})

test('a repair adds what is missing and says so', () => {
  const words = (...records: Rec[]): string[] =>
    repaired(records).map(({ type, role, tool_id: id, status, synthetic }) =>
      [type, role, id, status, synthetic === undefined ? undefined : '*'].filter((word) => typeof word === 'string').join(' '),
    )
  assert.deepEqual(words(init, asked, use('a')), ['init', 'message user', 'tool_use a', 'tool_result a error *', 'result error *'])
  assert.deepEqual(words(said('a')), ['init *', 'message user *', 'message assistant', 'result error *'])
  assert.deepEqual(words(init, said('a'), init, asked, ended()).slice(0, 4), [
    'init',
    'message user *',
    'message assistant',
    'result error *',
  ])
  assert.deepEqual(words(init, asked, use('a'), ended()).slice(3), ['tool_result a error *', 'result success'])
  for (const records of [[use('a')], [init, asked, use('a')], [line('user', 'm1', 'Do')], [init, said('b'), init]]) {
    const once = repaired(records)
    assert.deepEqual([codesOf(...once), repaired(once)], [[], once])
  }
})
