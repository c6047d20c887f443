import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { homeOf } from './home.ts'

test('only an absolute HOME counts; else it is the folder that the system knows', () => {
  assert.equal(homeOf({ HOME: '/home/a' }), '/home/a')
  for (const HOME of ['rel', '.', '', undefined]) assert.equal(homeOf({ HOME }), userInfo().homedir)
})
