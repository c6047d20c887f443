import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createForgetter } from './forget.ts'

test('what may go is forgotten, however much stands before it; what may not stays', () => {
  const all = new Map(Array.from({ length: 100 }, (_, index) => [index, index >= 90]))
  let looked = 0
  const forget = createForgetter(all, (mayGo) => (looked++, mayGo))
  for (let call = 0; call < 60; call++) {
    const before = looked
    forget()
    assert.ok(looked - before <= 8, 'a few at a time')
  }
  assert.deepEqual([...all.keys()], [...Array(90).keys()])
  all.set(100, true)
  for (let call = 0; call < 20; call++) forget()
  assert.equal(all.has(100), false, 'it goes round')
})
