import assert from 'node:assert/strict'
import test from 'node:test'
import { jsonOf } from './line.ts'
import { makeEvent } from './make.ts'

test('the text of an event is that of its JSON, also when its number has changed or another came between', () => {
  const one = makeEvent('text.delta', { text: 'a' }, { at: 1, session: 's' })
  const other = makeEvent('text.delta', { text: 'b' }, { at: 1, session: 's' })
  for (const event of [one, one, other, one]) assert.equal(jsonOf(event), JSON.stringify(event))
  one.seq = 7
  assert.equal(jsonOf(one), JSON.stringify(one))
  assert.match(jsonOf(one), /"seq":7/)
})
