import assert from 'node:assert/strict'
import { test } from 'node:test'
import { structuredPatch } from 'diff'
import fc from 'fast-check'
import { patchOf } from './patch.ts'
import { styleFor } from './style.ts'

const shown = (change: Parameters<typeof patchOf>[0], most?: number) => patchOf(change, styleFor(false), most)

test('two texts are compared, with a little of what lies around', () => {
  const before = 'a\nb\nc\nd\ne\nf\n'
  assert.deepEqual(shown({ before, after: before.replace('d', 'D') }), {
    added: 1,
    removed: 1,
    lines: ['@@ -2,5 +2,5 @@', ' b', ' c', '-d', '+D', ' e', ' f'],
    left: 0,
  })
})

test('a new file is all additions', () => assert.deepEqual(shown({ before: '', after: 'a\nb\n' }).lines, ['+a', '+b']))

test('of a long change only the first lines are made, and all are counted', () => {
  const after = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n')
  const patch = `@@ -1,0 +1,30 @@\n+${after.replaceAll('\n', '\n+')}`
  assert.deepEqual(shown({ before: '', after }, 2), { added: 30, removed: 0, lines: ['+line 0', '+line 1'], left: 28 })
  assert.deepEqual(shown({ patch }, 2), { added: 30, removed: 0, lines: ['@@ -1,0 +1,30 @@', '+line 0'], left: 29 })
  assert.equal(shown({ before: '', after }, 29).left, 0) // the line that tells of one more takes as much room
})

test('a file that is one long line does not fill the screen, unless all is asked for', () => {
  const after = 'x'.repeat(100_000)
  for (const change of [
    { after },
    { before: 'y\n', after },
    { patch: `@@ -0,0 +1 @@\n+${after}` },
    { before: 'y'.repeat(200_000), after },
  ]) {
    assert.deepEqual(
      shown(change, 24)
        .lines.map((line) => line.length)
        .filter((length) => length > 500),
      [],
    )
    assert.equal(shown(change).lines.at(-1), `+${after}`)
  }
})

test('a patch is shown without its head, whatever wrote it', () => {
  const patch = 'diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+\x1b[2Jb\n\\ No newline at end of file\n'
  assert.deepEqual(shown({ patch }).lines, ['@@ -1 +1 @@', '-a', '+\\u001b[2Jb'])
  assert.deepEqual(shown({ patch: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch' }).added, 1)
})

test('texts that have nothing in common are not compared for minutes', () => {
  const text = (letter: string): string => Array.from({ length: 9000 }, (_, index) => `${letter}${index}`).join('\n')
  const { added, removed } = shown({ before: text('a'), after: text('b') })
  assert.deepEqual([added, removed], [9000, 9000])
})

test('one block of lines for another is shown as a full comparison shows it', () => {
  const lines = fc.array(fc.constantFrom('', 'a', 'b', 'c', '-d', 'e\t', 'f\r', '\\ g'), { maxLength: 9 }).map((all) => all.join('\n'))
  fc.assert(
    fc.property(lines, lines, lines, lines, fc.nat(6), (above, gone, come, below, most) => {
      const [before, after] = [above + gone + below, above + come + below]
      fc.pre(before !== '')
      const { hunks } = structuredPatch('', '', before, after, '', '', { context: 2 })
      const patch = hunks.map((hunk) => {
        const { oldStart, oldLines, newStart, newLines } = hunk
        return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${hunk.lines.join('\n')}`
      })
      const nothing = { added: 0, removed: 0, lines: [], left: 0 }
      assert.deepEqual(shown({ before, after }, most), patch.length === 0 ? nothing : shown({ patch: patch.join('\n') }, most))
    }),
    { numRuns: 3000 },
  )
})

test('only heads are left out, not lines that look like them', () => {
  const patch =
    'Index: a.sql\n======\n--- a.sql\n+++ a.sql\n@@ -1,3 +1,2 @@\n--- old note\n-===\n+++ b\n x\nIndex: b\n--- b\n+++ b\n@@ -1 +1 @@\n-c\n+d'
  assert.deepEqual(shown({ patch }), {
    added: 2,
    removed: 3,
    lines: ['@@ -1,3 +1,2 @@', '--- old note', '-===', '+++ b', ' x', '@@ -1 +1 @@', '-c', '+d'],
    left: 0,
  })
})
