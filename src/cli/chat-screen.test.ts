import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createPainter } from './chat-screen.ts'

/** Just enough of a terminal: it wraps at its last column, and knows the sequences that a painter uses. */
function createTerminal(columns: number) {
  let rows: string[] = ['']
  let [row, column] = [0, 0]
  const put = (char: string): void => {
    if (column === columns) newLine()
    rows[row] = rows[row]!.slice(0, column).padEnd(column) + char + rows[row]!.slice(column + 1)
    column++
  }
  const newLine = (): void => {
    row++
    column = 0
    rows[row] ??= ''
  }
  function write(text: string): void {
    for (const [token] of text.matchAll(/\x1b\[\??(\d*)([A-Za-z])|[^]/g)) {
      if (token === '\n') newLine()
      else if (token === '\r') column = 0
      else if (!token.startsWith('\x1b')) put(token)
      else if (token.endsWith('A')) row -= Number(token.slice(2, -1))
      else if (token.endsWith('K')) rows[row] = rows[row]!.slice(0, column)
      else if (token.endsWith('J')) rows = [...rows.slice(0, row), rows[row]!.slice(0, column)]
    }
    assert.ok(row >= 0, 'the cursor left the screen')
  }
  return { write, rows: () => rows }
}

const line = fc.stringMatching(/^[a-z ]{0,30}$/)

test('what stays is never wiped, and what is below is always the last that was drawn', () => {
  const steps = fc.array(fc.tuple(fc.array(line, { maxLength: 3 }), fc.array(line, { maxLength: 5 })), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 6, max: 40 }), (paints, columns) => {
      const terminal = createTerminal(columns)
      const painter = createPainter(terminal.write, () => ({ columns, rows: 100 }))
      for (const [lines, tail] of paints) painter.paint(lines, tail)
      const stays = paints.flatMap(([lines]) => lines).flatMap((text) => text.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [''])
      const cut = paints.at(-1)![1].map((text) => (text.length < columns ? text : `${text.slice(0, columns - 2)}…`))
      assert.deepEqual(terminal.rows(), cut.length === 0 ? [...stays, ''] : [...stays, ...cut])
      painter.clear()
      assert.deepEqual(terminal.rows(), [...stays, ''])
    }),
  )
})

test('what is below never fills more than the screen', () => {
  const terminal = createTerminal(20)
  const painter = createPainter(terminal.write, () => ({ columns: 20, rows: 4 }))
  painter.paint(['stays'], ['1', '2', '3', '4', '5', '6'])
  assert.deepEqual(terminal.rows(), ['stays', '4', '5', '6'])
})

test('after the window was made narrower, all rows of what was below are wiped', () => {
  let columns = 40
  let written = ''
  const painter = createPainter(
    (text) => (written = text),
    () => ({ columns, rows: 10 }),
  )
  painter.paint([], ['x'.repeat(30), 'y'])
  columns = 10
  painter.clear()
  assert.ok(written.startsWith('\r\x1b[3A\x1b[J'), JSON.stringify(written)) // three rows and one
})

test('the same again is not drawn again', () => {
  const written: string[] = []
  const painter = createPainter(
    (text) => written.push(text),
    () => ({ columns: 40, rows: 10 }),
  )
  painter.paint([], ['busy'])
  painter.paint([], ['busy'])
  assert.equal(written.length, 1)
})
