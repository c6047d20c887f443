import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DocumentError, readJsonc, readYaml } from './document.ts'

const failure = async (reading: Promise<unknown>): Promise<string> => {
  const error = await reading.then(
    () => assert.fail('it was read'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DocumentError, String(error))
  return `${error.line}: ${error.message}`
}

suite('YAML', () => {
  test('lines of values, of keys, and of what is missing', async () => {
    const { value, lineOf } = await readYaml('a: 1\nb:\n  c:\n    - x\n    - y\n')
    assert.deepEqual(value, { a: 1, b: { c: ['x', 'y'] } })
    assert.equal(lineOf({ path: ['b', 'c', 1] }), 5)
    assert.equal(lineOf({ path: ['b', 'c'], ofKey: true }), 3)
    assert.equal(lineOf({ path: ['b', 'c', 7] }), 4)
    assert.equal(lineOf({ path: [] }), 1)
  })

  test('keys in their order, numbers too', async () => {
    const { value, keysAt } = await readYaml('z: 1\n"7": 2\n3: 3\na: {x: 1}')
    assert.deepEqual(keysAt([]), ['z', '7', '3', 'a'])
    assert.deepEqual(Object.keys(value as object), ['3', '7', 'z', 'a'])
    assert.deepEqual(keysAt(['a']), ['x'])
    assert.deepEqual(keysAt(['z']), [])
  })

  test('a key that stands twice is refused, however it is written', async () => {
    assert.equal(await failure(readYaml('a: 1\nb: 2\na: 3')), '3: Map keys must be unique')
    assert.equal(await failure(readYaml('x:\n  1: a\n  "1": b')), '3: Map keys must be unique')
    assert.equal(await failure(readYaml('? [a]\n: 1')), '1: a key must be a text')
  })

  test('many keys take no time that grows with their square', async () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n')
    const start = performance.now()
    await readYaml(text)
    assert.ok(performance.now() - start < 2500)
  })

  test('aliases, when they are refused and when they grow', async () => {
    assert.deepEqual((await readYaml('a: &x [1]\nb: *x')).value, { a: [1], b: [1] })
    assert.match(await failure(readYaml('a: &x [1]\nb: *x', { aliases: false })), /^2: .*[Aa]lias/)
  })

  test('an older YAML, in which keys are merged and words are booleans, is refused', async () => {
    assert.match(await failure(readYaml('%YAML 1.1\n---\na: yes')), /only YAML 1\.2/)
  })

  test('a second document is refused, in words of a user', async () => {
    assert.deepEqual((await readYaml('---\na: 1\n')).value, { a: 1 })
    assert.equal(await failure(readYaml('a: 1\n---\nb: 2\n')), '2: a second document begins here; only one is read')
  })

  test('texts stay texts when asked for', async () => {
    assert.deepEqual((await readYaml('v: 1.10\nb: true\nn: ~', { texts: true })).value, { v: '1.10', b: 'true', n: '~' })
  })

  test('__proto__ is a key like any other', async () => {
    const { value } = await readYaml('__proto__: {a: 1}')
    assert.deepEqual(Object.keys(value as object), ['__proto__'])
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
  })
})

suite('JSON with comments', () => {
  test('comments and trailing commas', async () => {
    const { value } = await readJsonc('// a\n{"a": [1, 2,], /* b */ "b": {"c": null},}\n')
    assert.deepEqual(value, { a: [1, 2], b: { c: null } })
  })

  test('lines of values, of keys, and of what is missing', async () => {
    const { lineOf } = await readJsonc('{\n  "a":\n    1,\n  "b": {\n    "c": [1,\n      2]\n  }\n}')
    assert.equal(lineOf({ path: ['a'] }), 3)
    assert.equal(lineOf({ path: ['a'], ofKey: true }), 2)
    assert.equal(lineOf({ path: ['b', 'c', 1] }), 6)
    assert.equal(lineOf({ path: ['b', 'x'] }), 4)
    assert.equal(lineOf({ path: [] }), 1)
  })

  test('keys in their order, numbers too', async () => {
    assert.deepEqual((await readJsonc('{"z": {"*": 1, "7": 2, "a": 3}}')).keysAt(['z']), ['*', '7', 'a'])
  })

  test('what is wrong is told with its line', async () => {
    assert.equal(await failure(readJsonc('{\n"a": 1\n"b": 2}')), '3: this is not JSON: comma expected')
    assert.equal(await failure(readJsonc('{"a": 1,\n "a": 2}')), '2: the key "a" stands twice')
    assert.equal(await failure(readJsonc('')), '1: this is not JSON: value expected')
    assert.equal(await failure(readJsonc('{"a": 1} x')), '1: this is not JSON: invalid symbol')
  })

  test('__proto__ is a key like any other', async () => {
    const { value } = await readJsonc('{"__proto__": {"a": 1}}')
    assert.deepEqual(Object.keys(value as object), ['__proto__'])
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
  })
})

test('nesting without end is refused, not a crash', async () => {
  for (const text of ['['.repeat(200_000), '{"a":'.repeat(100_000)]) {
    assert.match(await failure(readJsonc(text)), /^\d+: /)
    assert.match(await failure(readYaml(text)), /^\d+: /)
  }
  const whole = '['.repeat(50_000) + ']'.repeat(50_000)
  assert.match(await failure(readJsonc(whole)), /nested too deeply/)
  assert.match(await failure(readYaml(whole)), /nested too deeply/)
})
