import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { createMoulds, type Moulds } from './moulds.ts'
import { type Alike, pieceFinder, pieceValue } from './pieces.ts'

const encoder = new TextEncoder()

suite('lines that are alike but for a text are taken together', () => {
  const paths = { told: new Set(['delta.text']), silent: new Set(['id']) }
  type Told = { text: string; id?: string; index?: number }
  const lineOf = ({ text, id = 'x', index = 0 }: Told): string => JSON.stringify({ type: 'piece', index, delta: { text }, id, to: null })

  /** No control character, which is spelled by number, and no more than a piece may have. */
  const isShort = (text: string): boolean => !/\\u|\\[bf]/.test(JSON.stringify(text)) && Buffer.byteLength(JSON.stringify(text)) <= 256

  const { find } = pieceFinder(paths)
  const together = (moulds: Moulds): Alike | undefined => find(moulds.piece(0)!)

  /** Those that come together with the first. */
  function alike(lines: readonly string[], end = '\n'): { moulds: Moulds; found: Alike | undefined } {
    const moulds = createMoulds({ pieces: paths })!
    for (const text of ['a', 'b', 'c']) {
      const bytes = encoder.encode(lineOf({ text }))
      if (moulds.read(bytes, 0, bytes.length) === undefined) moulds.learn({ ...JSON.parse(lineOf({ text })) }, bytes, 0, bytes.length)
    }
    const chunk = Buffer.from(lines.map((line) => line + end).join(''))
    moulds.hold(chunk)
    assert.deepEqual(moulds.readLine(0), JSON.parse(lines[0]!))
    return { moulds, found: together(moulds) }
  }
  const told = (lines: readonly string[]): string[] => {
    const { found } = alike(lines)
    return Array.from({ length: found?.count ?? 0 }, (_, at) =>
      found!.text.slice(at === 0 ? 0 : found!.line(at - 1).end, found!.line(at).end),
    )
  }

  test('until one differs in anything else', () => {
    const first = [lineOf({ text: 'one' }), lineOf({ text: 'two ', id: 'another, longer' }), lineOf({ text: 'say \\ "three"\n\t' })]
    const texts = ['one', 'two ', 'say \\ "three"\n\t']
    for (const last of [
      lineOf({ text: 'x', index: 1 }),
      lineOf({ text: '' }),
      lineOf({ text: 'x'.repeat(257) }),
      lineOf({ text: 'x' }).replace('"x"', '"\\u0041"'),
      lineOf({ text: 'x' }).replace('"x"', '"a\\/b"'),
      lineOf({ text: 'x' }).replace('null', 'true'),
      lineOf({ text: 'x' }).replace('}', ' }'),
      lineOf({ text: 'x' }).slice(0, -1),
      '{"type":"other"}',
      '',
    ])
      assert.deepEqual(told([...first, last, lineOf({ text: 'late' })]), texts, last)
    assert.deepEqual(told([lineOf({ text: 'one' }), '{}']), [], 'one alone is none')
    assert.equal(told(Array.from({ length: 300 }, () => lineOf({ text: 'x' }))).length, 128)
  })

  test('in any alphabet', () => {
    const texts = ['für', '…', 'a → b', '🦊\n🦊', 'x'.repeat(15) + 'é', '漢字 "かな"', 'plain']
    assert.deepEqual(told([...texts.map((text) => lineOf({ text })), '{}']), texts)
    const tooLong = 'é'.repeat(129) // 258 bytes
    assert.deepEqual(told([...['é', 'è', tooLong].map((text) => lineOf({ text })), '{}']), ['é', 'è'])
    assert.deepEqual(
      told([...['é', 'è', '\ud83e'].map((text) => lineOf({ text })), '{}']),
      ['é', 'è'],
      'half a character is spelled by number',
    )
  })

  test('the last line is not taken before its end has come', () => {
    const { moulds, found } = alike([lineOf({ text: 'one' }), lineOf({ text: 'two' })])
    assert.equal(found!.count, 2)
    assert.equal(found!.size, 2 * (lineOf({ text: 'one' }).length + 1))
    moulds.hold(Buffer.from(`${lineOf({ text: 'one' })}\n${lineOf({ text: 'two' })}\n${lineOf({ text: 'end' })}`))
    moulds.readLine(0)
    assert.equal(together(moulds)!.count, 2)
  })

  test('and a template is written for each', () => {
    const ends = fc.constantFrom('\n', '\r\n')
    const unit = fc.constantFrom('grapheme-ascii', 'binary' as const)
    const text = fc.oneof(
      unit.chain((its) => fc.string({ minLength: 1, maxLength: 40, unit: its })).filter(isShort),
      fc.constantFrom('\n', '\t"', '\\'),
    )
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 2, maxLength: 40 }),
        ends,
        fc.maxSafeNat(),
        fc.constantFrom('', 'before '),
        (texts, end, seq, before) => {
          const start = Math.min(seq, Number.MAX_SAFE_INTEGER - 1e6)
          const lines = texts.map((one) => lineOf({ text: one }))
          const { found } = alike(lines, end)
          const line = Buffer.from('<N,T,R,O,L,Z>')
          const { number, text: ofText, record, offset: place, length, line: lineNumber } = pieceValue
          const holes = [number, ofText, record, place, length, lineNumber].map((what, index) => ({
            from: 1 + 2 * index,
            to: 2 + 2 * index,
            what,
          }))
          const first = { number: start, record: 7, offset: 100, line: 9 }
          const template = { line, holes, before: Buffer.from(before), after: Buffer.from('\n') }
          const written = Buffer.from(found!.write(0, found!.count, template, first)!).toString()
          let offset = 100
          const expected = lines.map((one, index) => {
            const at = offset
            const size = Buffer.byteLength(one)
            offset += size + end.length
            return `${before}<${start + index},${JSON.stringify(texts[index]).slice(1, -1)},${7 + index},${at},${size},${9 + index}>\n`
          })
          assert.equal(written, expected.join(''))
          assert.equal(found!.write(1, 1, template, first)!.length, Buffer.byteLength(expected[0]!))
          assert.deepEqual(told([...lines, '{}']), texts)
          assert.equal(found!.write(0, 1, { ...template, before: Buffer.alloc(2000) }, first), undefined, 'too long')
          assert.equal(found!.write(0, 1, { ...template, holes: undefined }, first), undefined, 'nobody knows where')
        },
      ),
    )
  })
})
