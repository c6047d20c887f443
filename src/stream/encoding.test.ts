import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { createEncodingLook } from './encoding.ts'

const json = '{"kind":"user_prompt","text":"hi"}\n'
const wide = Buffer.from(json, 'utf16le')
const swapped = Buffer.from(wide).swap16()

function encodingOf(bytes: Uint8Array, step: number): string | undefined {
  const look = createEncodingLook()
  for (let at = 0; at < bytes.length; at += step) look.push(bytes.subarray(at, at + step))
  return look.encoding()
}

test('the first bytes tell, however they are cut', () => {
  for (const [bytes, expected] of [
    [gzipSync(json), 'gzip'],
    [zstdCompressSync(json), 'zstd'],
    [wide, 'UTF-16LE'],
    [swapped, 'UTF-16BE'],
    [Buffer.concat([Buffer.of(0xff, 0xfe), wide]), 'UTF-16LE'],
    [Buffer.concat([Buffer.of(0xfe, 0xff), swapped]), 'UTF-16BE'],
    [Buffer.from(json), undefined],
    [Buffer.from(`\u{feff}${json}`), undefined],
    [Buffer.alloc(40), undefined],
    [Buffer.from('a\0'), undefined],
    [Buffer.of(), undefined],
  ] as const)
    for (const step of [1, 3, 1000]) assert.equal(encodingOf(bytes, step), expected)
})
