import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { makeEvent } from '../model/make.ts'
import type { Kind, Payload, Place } from '../model/event.ts'
import { growingAnswer } from './live-answer.ts'
import { widthOf } from './layout.ts'
import { createLiveView, type LiveView } from './live.ts'
import { markdownLines } from './markdown.ts'
import { styleFor } from './style.ts'

const plain = styleFor(false)

/** A view, and all that it has told for good. */
function stage(options: { width?: number; thinking?: boolean } = {}) {
  const view: LiveView = createLiveView({ width: 60, colour: false, ...options })
  const lines: string[] = []
  let seq = 0
  const tell = <K extends Kind>(kind: K, payload: Payload<K>, place: Place = {}): void => {
    const event = makeEvent(kind, payload, { at: 1000, session: 's', ...place })
    event.seq = ++seq
    lines.push(...view.push(event))
  }
  return { lines, tell, tail: (now = 1000) => view.tail(now), view }
}

suite('an answer as it comes', () => {
  const words = fc.array(
    fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom(
        '**',
        '`',
        '# ',
        '\n',
        '\n\n',
        ' ',
        '漢字',
        '| a |',
        '|',
        '---|---\n',
        '```\n',
        '- ',
        '\x1b[2J',
        '| a head that is much wider than any view can be | b and more of it\n',
      ),
    ),
    { maxLength: 40 },
  )

  const page = (lines: readonly string[]): string =>
    lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()

  test('however it is cut, it comes out as the whole would', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 8, max: 60 }), (parts, width) => {
        const answer = growingAnswer(() => width, plain)
        const grown = [...parts.flatMap((part) => answer.push(part)), ...answer.end()]
        assert.equal(page(grown), page(markdownLines(parts.join(''), width, plain)))
      }),
      {
        examples: [
          [['  first\n'], 20],
          [['- ', '\n\n'], 8],
        ],
      },
    )
  })

  test('what is not whole yet is harmless and fits', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 24, max: 60 }), (parts, width) => {
        const answer = growingAnswer(() => width, plain)
        for (const part of parts) {
          answer.push(part)
          for (const line of answer.tail()) {
            assert.ok(widthOf(line) <= width, JSON.stringify(line))
            assert.doesNotMatch(line, /[\x00-\x1f]/)
          }
        }
      }),
    )
  })

  test('a line is shown raw until it ends, and a table until its last row', () => {
    const { lines, tell, tail } = stage()
    tell('text.delta', { text: 'See **bo' })
    assert.deepEqual([lines, tail()], [[], ['See **bo']])
    tell('text.delta', { text: 'ld**\n\n| a | b |\n|---|---|\n| 1 |' })
    assert.deepEqual(lines, ['See bold', ''])
    assert.deepEqual(tail(), ['| a | b |', '|---|---|', '| 1 |'])
    tell('text.delta', { text: ' 2 |\n\n```\ncode' })
    assert.deepEqual(tail().at(-1), '  code')
    tell('text.end', { text: 'See **bold** …', streamed: true })
    assert.deepEqual(lines, ['See bold', '', 'a  b', '─  ─', '1  2', '', '  code'])
    assert.deepEqual(tail(), [])
  })

  test('a very long line without an end is drawn from its end only', () => {
    const { tell, tail } = stage()
    tell('text.delta', { text: '🙂x'.repeat(100_000) })
    assert.ok(tail().length < 100)
  })

  test('one that was not streamed looks the same', () => {
    const { lines, tell } = stage()
    tell('text.end', { text: '- a\n- b', streamed: false })
    assert.deepEqual(lines, ['• a', '• b'])
  })

  test('what was withdrawn is told as withdrawn, and the next try follows it', () => {
    const { lines, tell } = stage()
    tell('text.delta', { text: 'half of' })
    tell('message.drop', { fromBlock: 0, why: 'stream_error' })
    tell('text.delta', { text: 'whole\n' })
    tell('text.end', { text: 'whole\n', streamed: true })
    assert.deepEqual(lines, ['half of', '', '! withdrawn the answer so far does not count: stream_error', '', 'whole'])
  })
})

suite('thoughts', () => {
  const thought = 'one\ntwo\nthree\nfour\nfive'
  test('are folded when they are over', () => {
    const { lines, tell, tail } = stage()
    tell('thought.delta', { text: thought })
    assert.match(tail(3500)[0]!, /^. thinking · 2 s$/)
    tell('thought.end', { text: thought, streamed: true })
    assert.deepEqual(lines, ['✻ one', '  two', '  … 3 more lines'])
    assert.deepEqual(tail(), [])
  })

  test('are shown whole as they come when that is asked for', () => {
    const { lines, tell, tail } = stage({ thinking: true })
    tell('thought.delta', { text: 'one\ntw' })
    assert.deepEqual(lines, ['✻ one'])
    assert.equal(tail()[0], '  tw')
    tell('thought.delta', { text: 'o' })
    tell('thought.end', { text: 'one\ntwo', streamed: true })
    assert.deepEqual(lines, ['✻ one', '  two'])
  })
})

suite('calls', () => {
  const bash = { name: 'bash', toolKind: 'execute', input: { command: 'npm test' } } as const

  test('turn while they run, with the last line of their output', () => {
    const { lines, tell, tail } = stage()
    tell('tool.start', bash, { call: 'c1' })
    tell('tool.delta', { of: 'output', text: 'first\nsec', stream: 'stdout' }, { call: 'c1' })
    tell('tool.delta', { of: 'output', text: 'ond\n\x1b[2J\n', stream: 'stdout' }, { call: 'c1' })
    assert.match(tail(4200)[0]!, /^. bash npm test · 3 s · \\u001b\[2J$/)
    tell('tool.end', { status: 'ok', text: 'first' }, { call: 'c1' })
    assert.deepEqual(tail(), [])
    assert.deepEqual(lines, ['● bash npm test', '  ✔ ok · 0 ms', '    first'])
  })

  test('do not turn while they wait for an answer', () => {
    const { lines, tell, tail } = stage()
    tell('tool.start', bash, { call: 'c1' })
    tell('permission.request', { id: 'p', name: 'bash', permission: 'bash', options: [] }, { call: 'c1' })
    assert.deepEqual(tail(), [])
    tell('permission.answer', { id: 'p', decision: 'allow', by: 'terminal' }, { call: 'c1' })
    assert.equal(tail().length, 1)
    assert.deepEqual(lines, ['● bash npm test'], 'the question and the answer are the chat’s to show')
  })

  test('a change that was shown with its question is not shown again', () => {
    const change = { name: 'write', toolKind: 'edit', input: { filePath: 'a', content: 'new\n' } } as const
    const { lines, tell } = stage()
    tell('tool.start', change, { call: 'c1' })
    tell('permission.request', { id: 'p', name: 'write', permission: 'write', toolKind: 'edit', options: [] }, { call: 'c1' })
    tell('tool.end', { status: 'ok', text: 'written' }, { call: 'c1' })
    tell('tool.start', change, { call: 'c2' })
    tell('tool.end', { status: 'ok', text: 'written' }, { call: 'c2' })
    assert.deepEqual(lines.slice(0, 2), ['● write a', '  ✔ ok · 0 ms'])
    assert.match(lines.slice(3).join('\n'), /\+new/)
  })

  test('many at once take a few lines', () => {
    const { tell, tail } = stage()
    for (let at = 0; at < 9; at++) tell('tool.start', bash, { call: `c${at}` })
    assert.deepEqual([tail().length, tail().at(-1)], [5, '  and 5 more'])
  })
})

suite('the frame', () => {
  test('a turn stands apart, and what the person typed is not told again', () => {
    const { lines, tell } = stage()
    tell('session.start', { how: 'new', program: 'sluice', cwd: '/w' })
    tell('notice', { level: 'warn', code: 'untrusted', text: 'told before' })
    tell('turn.start', { trigger: 'prompt' }, { turn: 1 })
    tell('prompt.submit', { text: 'hello', by: 'user', state: 'sent' })
    tell('tool.start', { name: 'read', toolKind: 'read', input: { filePath: '/w/a.ts' } }, { call: 'c1' })
    tell('tool.end', { status: 'ok', text: '' }, { call: 'c1' })
    tell('turn.end', { reason: 'end_turn', durationMs: 5 }, { turn: 1 })
    tell('session.end', { reason: 'end_turn' })
    assert.deepEqual(lines, ['', '● read a.ts', '  ✔ ok · 0 ms', '✔ turn 1 · 5 ms'])
  })

  test('a turn that the person stopped says so once', () => {
    const { lines, tell } = stage()
    tell('turn.start', { trigger: 'prompt' }, { turn: 1 })
    tell('text.delta', { text: 'half a sen' })
    tell('cancel.request', { target: 'turn', by: 'user' })
    tell('turn.end', { reason: 'cancelled', durationMs: 5, failed: true, error: { category: 'cancelled', text: 'stopped' } }, { turn: 1 })
    assert.deepEqual(lines, ['', 'half a sen', '', '■ turn 1 · cancelled · 5 ms'])
  })

  test('a narrower window holds for what comes next', () => {
    const { lines, tell, view } = stage()
    tell('session.start', { how: 'new', program: 'sluice', cwd: '/w' })
    view.resize(20)
    tell('text.end', { text: 'one two three four five', streamed: false })
    tell('tool.start', { name: 'read', toolKind: 'read', input: { filePath: '/w/a.ts' } }, { call: 'c1' })
    assert.deepEqual(lines, ['one two three four', 'five', '', '● read a.ts'])
  })
})
