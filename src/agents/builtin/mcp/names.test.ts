import { test } from 'node:test'
import assert from 'node:assert/strict'
import { createNames, tidy } from './names.ts'

test('no tool of a server takes the name of a permission that is none', () => {
  const nameOf = createNames()
  assert.equal(nameOf('secret', 'file'), 'secret_file_2')
  assert.equal(nameOf('external', 'directory'), 'external_directory_2')
})

test('no two tools have one name, and a tool keeps its own', () => {
  const nameOf = createNames(['a_read'])
  assert.equal(nameOf('a', 'read'), 'a_read_2')
  assert.equal(nameOf('a b', 'c'), 'a_b_c')
  assert.equal(nameOf('a', 'b_c'), 'a_b_c_2')
  assert.equal(nameOf('a', 'b/c'), 'a_b_c_3')
  assert.equal(nameOf('a b', 'c'), 'a_b_c')
})

test('long names are cut to 64 characters and stay different', () => {
  const nameOf = createNames()
  const long = 'x'.repeat(100)
  const names = [`${long}a`, `${long}b`, long].map((tool) => nameOf('server', tool))
  assert.ok(names.every((name) => name.length === 64 && name.startsWith('server_xxx')))
  assert.equal(new Set(names).size, 3)
})

test('a counted name is no longer than any other', () => {
  const full = `s_${'y'.repeat(62)}`
  const nameOf = createNames([full])
  assert.equal(nameOf('s', 'y'.repeat(62)), `s_${'y'.repeat(60)}_2`)
})

test('a text loses what cannot be seen and is cut by bytes at a whole character', () => {
  assert.equal(tidy('a\u0000b\u202ec\n\td\u{e0041}', 100), 'abc\n\td')
  assert.equal(tidy('äääää', 10), 'äääää')
  assert.equal(tidy('äääääö', 10), 'äää…')
})
