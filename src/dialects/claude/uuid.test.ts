import assert from 'node:assert/strict'
import test from 'node:test'
import { uuidFor } from './uuid.ts'

test('an id is the same whenever it is asked for, and ends in its count', () => {
  const ids = Array.from({ length: 300 }, (_, count) => uuidFor('a', count))
  for (const [count, id] of ids.entries()) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(Number.parseInt(id.slice(24), 16), count)
    assert.equal(id.slice(0, 24), ids[0]!.slice(0, 24))
    assert.notEqual(uuidFor('b', count), id)
    assert.notEqual(uuidFor('a', count, 'repair'), id)
    assert.equal(uuidFor('a', count), id)
  }
})
