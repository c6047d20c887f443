import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createKeeper, keepText, type Kept } from './output.ts'

const folder = join(mkdtempSync(join(tmpdir(), 'sluice-output-')), 'out')
after(() => rmSync(join(folder, '..'), { recursive: true }))

test('what fits is shown whole and leaves no file', () => {
  const keeper = createKeeper({ outputFolder: folder }, { characters: 10, lines: 3 })
  keeper.push('a\nb')
  keeper.push('\nc\n')
  assert.deepEqual(keeper.end(), { text: 'a\nb\nc\n', truncated: false })
  assert.equal(existsSync(folder), false)
})

test('of more, the beginning and the end are shown, and the whole is in a file that only its owner can read', () => {
  const keeper = createKeeper({ outputFolder: folder }, { characters: 20, lines: 100 })
  const whole = `${'a'.repeat(300)}${'b'.repeat(300)}`
  for (const letter of whole) keeper.push(letter)
  const { text, truncated, outputPath } = keeper.end()
  assert.equal(truncated, true)
  assert.equal(readFileSync(outputPath!, 'utf8'), whole)
  assert.equal(statSync(outputPath!).mode & 0o777, 0o600)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  assert.equal(text, `aaaaaaaaaa\n\n[… 0 lines, 580 characters left out; the whole output is in ${outputPath} …]\n\nbbbbbbbbbb`)
})

test('lines are limited too, and beginning and end never overlap', () => {
  const many = Array.from({ length: 9 }, (_, index) => `line ${index}`).join('\n')
  const { text, outputPath } = keepText(`${many}\n`, { outputFolder: folder }, { characters: 1000, lines: 4 })
  assert.match(text, /^line 0\nline 1\n\n\[… \d lines, \d+ characters left out; [^\n]+\]\n\nline 7\nline 8\n$/)
  assert.equal(readFileSync(outputPath!, 'utf8'), `${many}\n`)
  const close = keepText('x'.repeat(25), { outputFolder: folder }, { characters: 20, lines: 4 })
  assert.match(close.text, /^x{10}\n\n\[… 0 lines, 5 characters left out; [^\n]+\]\n\nx{10}$/)
})

test('a file that could not be written whole is not called whole', () => {
  const program = `
    const { keepText } = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'output.ts')).href)})
    console.log(JSON.stringify(keepText('x'.repeat(100_000), { outputFolder: process.argv[1] })))`
  const kept = (at: string): Kept => {
    // As on a full disk: a write stops in the middle, and the next one fails.
    const limited = `trap '' XFSZ; ulimit -f 8; exec "$@"`
    const node = [process.execPath, '--input-type=module', '-e', program, '--', at]
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', limited, 'sh', ...node], { encoding: 'utf8' })
    assert.ok(stdout.startsWith('{'), stderr)
    return JSON.parse(stdout) as Kept
  }
  const { text, outputPath } = kept(folder)
  const { size } = statSync(outputPath!)
  assert.ok(size > 0 && size < 100_000)
  assert.match(text, new RegExp(`left out; its first ${size} bytes are in .*, the rest is lost …`))
  const nowhere = kept('/dev/null/x')
  assert.equal(nowhere.outputPath, undefined)
  assert.match(nowhere.text, /left out; they could not be kept in a file …/)
})

test('no character is cut in half', () => {
  const { text } = keepText(`a${'😀'.repeat(50)}`, { outputFolder: folder }, { characters: 20, lines: 4 })
  assert.equal(text.isWellFormed(), true)
})
