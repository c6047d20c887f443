import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRule } from '../supervise/rules.ts'
import { hostIsNamed } from './builtin.ts'

test('an inner address is open to a rule that names its host, and to no other', () => {
  const isOpen = (rule: string, url: string): boolean => hostIsNamed([parseRule(rule)], new URL(url))
  assert.ok(isOpen('webfetch:http://localhost/*=allow', 'http://localhost/a'))
  assert.ok(isOpen('webfetch:http://localhost:3000/*=allow', 'http://localhost:3000/a'))
  assert.ok(isOpen('webfetch:http://localhost:*=allow', 'http://localhost:9/a'))
  assert.ok(isOpen('webfetch:*://[::1]/*=allow', 'http://[::1]/a'))
  assert.ok(!isOpen('webfetch:http://localhost:3000/*=allow', 'http://localhost:22/a'))
  assert.ok(!isOpen('webfetch=allow', 'http://localhost/'))
  assert.ok(!isOpen('webfetch:http*=allow', 'http://http/'))
  assert.ok(!isOpen('webfetch:https://*.example.com/*=allow', 'http://10.0.0.1/x.example.com/'))
  assert.ok(!isOpen('webfetch:https://docs.example.com/localhost*=allow', 'http://localhost/'))
})
