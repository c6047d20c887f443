import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsMeant, shortId } from './short-id.ts'

test('a long id is its end, as long as it takes; a short one is whole', () => {
  const ids = ['run_0198a7c3d4e5', 'run_0198a7d3d4e5', 'build-7']
  assert.deepEqual(
    ids.map((id) => shortId(id, ids)),
    ['c3d4e5', 'd3d4e5', 'build-7'],
  )
  assert.deepEqual(
    ['run_aa3d4e5', 'run_ba3d4e5'].map((id, _, all) => shortId(id, all)),
    ['aa3d4e5', 'ba3d4e5'],
  )
  for (const id of ids) assert.deepEqual(idsMeant(shortId(id, ids), ids), [id])
  assert.deepEqual(idsMeant('run_0198a7', ids), ids.slice(0, 2))
  assert.deepEqual(idsMeant('build-7', ids), ['build-7'])
  assert.deepEqual([idsMeant('', ids), idsMeant('x', ids)], [[], []])
})
