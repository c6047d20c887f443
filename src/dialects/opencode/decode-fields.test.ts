import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeOfId } from './decode-fields.ts'

const round = 2 ** 36
const idAt = (time: number): string => `evt_${(time % round).toString(16).padStart(9, '0')}001KDGhrRBARPw3Gc`

test('the time in an id is found from any time near it, also where the digits go round', () => {
  const now = 1_794_773_480_632
  for (const away of [0, 5000, -5000, 1e9, -1e9]) assert.equal(timeOfId(idAt(now), now + away), now)
  const border = 27 * round
  assert.equal(timeOfId(idAt(border + 3), border - 4), border + 3)
  assert.equal(timeOfId(idAt(border - 4), border + 3), border - 4)
})

test('an id of another form, or no time to start from, tells none', () => {
  for (const id of [
    undefined,
    '',
    'evt_',
    'evt_x',
    'msg_1e0d5f11d001KDGhrRBARPw3Gc',
    'evt_1e0d5:11d001KDGhr',
    'evt_1e0d5G11d001KDGhr',
    'evt_1e0d5z11d001KDGhr',
  ])
    assert.equal(timeOfId(id, 1e12), undefined, id)
  assert.equal(timeOfId(idAt(5), undefined), undefined)
  assert.equal(timeOfId(idAt(5), 1e300), undefined)
})
