import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { systemReason } from './exit.ts'

test('what the system says is told in words, without its code, its call and the path', () => {
  const said = (message: string, code?: string): string =>
    systemReason(Object.assign(new Error(message), code === undefined ? {} : { code }))
  assert.equal(said("ENOENT: no such file or directory, open 'a'", 'ENOENT'), 'no such file')
  assert.equal(said("ENOTDIR: not a directory, open 'a/b'", 'ENOTDIR'), 'its path goes through something that is not a folder')
  assert.equal(said("EBUSY: resource busy or locked, rename 'a, b' -> 'c'", 'EBUSY'), 'resource busy or locked')
  assert.equal(said('ENODEV: no such device, read', 'ENODEV'), 'no such device')
  assert.equal(said("ENXIO: no such device or address, open 's'", 'ENXIO'), 'it is a socket, or a device that is not there')
  assert.equal(said('something else, entirely'), 'something else, entirely')
  assert.equal(systemReason('text'), 'text')
  assert.throws(
    () => rmSync(import.meta.dirname),
    (error) => systemReason(error) === 'it is a folder',
  )
  assert.throws(
    () => readFileSync(`${import.meta.filename}/x`),
    (error) => !/ENOTDIR|'/.test(systemReason(error)),
  )
})
