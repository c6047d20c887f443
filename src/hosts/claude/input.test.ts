// What is made of the lines that a host sends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostMessage } from './input.ts'

const user = (content: unknown): Record<string, unknown> => ({ type: 'user', message: { role: 'user', content }, uuid: 'u1' })

test('a prompt is a text or blocks of text, pictures and documents', () => {
  assert.deepEqual(hostMessage(user('hello')), { type: 'prompt', text: 'hello', files: [], id: 'u1' })
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } }
  const note = { type: 'document', title: 'notes.txt', source: { type: 'text', media_type: 'text/plain', data: 'hi' } }
  assert.deepEqual(hostMessage(user([{ type: 'text', text: 'look' }, picture, note, { type: 'text', text: 'again' }])), {
    type: 'prompt',
    text: 'look\n\nagain',
    files: [
      { path: 'image-2.jpg', mime: 'image/jpeg', data: 'AAAA' },
      { path: 'notes.txt', mime: 'text/plain', data: Buffer.from('hi').toString('base64') },
    ],
    id: 'u1',
  })
})

test('requests and replies are known by their ids', () => {
  assert.deepEqual(hostMessage({ type: 'control_request', request_id: 'a', request: { subtype: 'interrupt' } }), {
    type: 'request',
    id: 'a',
    subtype: 'interrupt',
    body: { subtype: 'interrupt' },
  })
  const reply = (response: unknown): unknown => hostMessage({ type: 'control_response', response })
  assert.deepEqual(reply({ subtype: 'success', request_id: 'b', response: { behavior: 'allow' } }), {
    type: 'reply',
    id: 'b',
    body: { behavior: 'allow' },
  })
  assert.deepEqual(reply({ subtype: 'error', request_id: 'b', error: 'broke' }), { type: 'reply', id: 'b', error: 'broke' })
})

test('whatever else comes is nothing, and throws nothing', () => {
  const others: Record<string, unknown>[] = [
    {},
    { type: null },
    { type: 'user' },
    { type: 'user', message: 'x' },
    user([]),
    user([null, 3, { type: 'image' }, { type: 'image', source: { type: 'url', url: 'http://a' } }]),
    { type: 'control_request' },
    { type: 'control_response' },
    { type: 'control_response', response: { subtype: 'success' } },
    { type: 'control_cancel_request' },
    { type: 'keep_alive' },
    { type: 'what is this' },
  ]
  for (const record of others) assert.equal(hostMessage(record).type, 'nothing', JSON.stringify(record))
})
