import assert from 'node:assert/strict'
import test from 'node:test'
import { chosenOf } from './ask-choice.ts'

const one = { text: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }] }
const several = { ...one, many: true }

test('a number stands for its answer, words for themselves', () => {
  assert.equal(chosenOf('2', one), 'Blue')
  assert.equal(chosenOf(' green ', one), 'green')
  assert.equal(chosenOf('1, 2', several), 'Red, Blue')
})

test('what is no answer is asked again', () => {
  for (const line of ['', ' ', '3', '0', '1,2']) assert.equal(chosenOf(line, one), undefined)
  assert.equal(chosenOf('1,9', several), undefined)
})
