import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { overlap } from './wildcard.ts'

test('patterns that have a text in common, and patterns that have none', () => {
  const cases: [a: string, b: string, expected: boolean][] = [
    ['*', 'rm *', true],
    ['rm *', 'rm -rf *', true],
    ['rm *', 'rm', true], // the tail may be missing
    ['rm *', 'rmdir', false],
    ['git *', 'npm *', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['*.env', 'src/*', true],
    ['*x', '*y', false],
    ['', '*', true],
    ['', '?', false],
    ['a*b*c', '*a?b??c*', true],
  ]
  for (const [a, b, expected] of cases) {
    assert.equal(overlap(a, b), expected, `${a} and ${b}`)
    assert.equal(overlap(b, a), expected, `${b} and ${a}`)
  }
})

test('whatever text two patterns match, they overlap', () => {
  const pattern = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 6 }).map((parts) => parts.join(''))
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 6 }).map((parts) => parts.join(''))
  const matches = (of: string, whole: string): boolean => new RegExp(`^${of.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(whole)
  fc.assert(
    fc.property(pattern, pattern, text, (a, b, whole) => {
      if (matches(a, whole) && matches(b, whole)) assert.ok(overlap(a, b), JSON.stringify({ a, b, whole }))
      assert.equal(overlap(a, whole), matches(a, whole), JSON.stringify({ a, whole }))
    }),
    { numRuns: 2000 },
  )
})

test('a hostile pattern takes no longer than any other', () => {
  const start = performance.now()
  overlap('*a'.repeat(500), `${'a'.repeat(999)}b`)
  assert.ok(performance.now() - start < 500)
})
