// The reports for CI: whatever a stream says is text in them, and nothing else.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { eventsByRecord } from '../../test/fold.ts'
import { readLog } from '../../test/github-log.ts'
import { holds } from '../../test/properties.ts'
import { parseJunit } from '../../test/xml.ts'
import { createDigest, type Digest } from '../analyze/digest.ts'
import type { Rec } from '../base/json.ts'
import { legalStream, linesOf, streamDialects } from '../testing/index.ts'
import { codeCell, codeSpan } from './code-span.ts'
import { digestAnnotations } from './digest-github.ts'
import { digestSuite } from './digest-junit.ts'
import { digestMarkdown } from './digest-markdown.ts'
import type { Condition } from './digest-trouble.ts'
import { junitLines } from './junit.ts'
import { workflowCommand } from './workflow-command.ts'

function digestOf(input: string | readonly Rec[], dialect: (typeof streamDialects)[number] = 'avenor'): Digest {
  const digest = createDigest()
  for (const events of eventsByRecord(input, dialect)) for (const event of events) digest.push(event)
  return digest.report()
}

const evils = [
  '\n::add-mask::secret\n##[add-mask]secret\r::set-output name=a::b',
  '%0A::error::made up %25 %0D%0A::stop-commands::x',
  '<script>alert(1)</script><img src=x onerror=y> </testcase> ]]> &amp; " \' \ufffe \u0000 \u001b[2J \ud800',
  '@someone #1 ![](https://evil.example/x.png) [a](https://evil.example) https://evil.example a@evil.example',
  '` `` ``` ```` a',
  '`a`',
  'a\\|b | c \\\\| d `|` \\',
  '\\',
  '| --- |\n\n# heading\n\n- item\n\n> quote',
  '$`x`$ :smile: ~~a~~ **b** _c_ \u202e',
  ' ',
  '',
]

const evilDigest = (evil: string): Digest =>
  digestOf(
    [
      { event: 'session.start', backend: evil, dir: evil, model: evil },
      { event: 'user.message_chunk', delta: evil },
      { event: 'agent.message_chunk', delta: `${evil} [finding] ${evil}` },
      { event: 'tool.call', toolCallId: 'a', title: evil, kind: 'bash', rawInput: { command: evil } },
      { event: 'tool.call_update', toolCallId: 'a', status: 'failed' },
      { event: 'tool.call', toolCallId: 'b', title: evil, kind: 'edit', locations: [{ path: evil }] },
      { event: 'tool.call_update', toolCallId: 'b', status: 'completed' },
      { event: 'permission.request', request_id: '1', tool: evil, question: evil },
      { event: 'permission.response', request_id: '1', kind: 'reject' },
      { event: 'avenor.error', source: evil, message: evil },
      { event: 'session.end', stop_reason: 'error' },
    ].map((record) => ({ session_id: 's', ts: 1, ...record })),
  )

const all = new Set<Condition>(['error', 'denied', 'finding'])

// ── Markdown ─────────────────────────────────────────────────────────────────

/** What stands outside of code spans, as CommonMark finds these: a run of backticks ends at the next run of the same length. */
function outside(text: string): string {
  let left = ''
  for (let at = 0; at < text.length;) {
    const run = /^`+/.exec(text.slice(at))?.[0]
    if (run === undefined) left += text[at++]
    else {
      const end = [...text.slice(at + run.length).matchAll(/`+/g)].find(([other]) => other.length === run.length)
      assert.ok(end !== undefined, `a run of backticks without an end: ${text}`)
      at += run.length + end.index + run.length
      left += '·'
    }
  }
  return left
}

/** Cells of a row. Renderers disagree on a backslash before a backslash: in some the two belong together. */
const cellsOf = (row: string, pairs: boolean): string[] => row.slice(1, -1).match(pairs ? /(?:\\[\\|]|[^|])+/g : /(?:\\\||[^|])+/g) ?? []

function checkMarkdown(lines: readonly string[]): void {
  for (const line of lines) {
    assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\ufeff]/, line)
    if (line.startsWith('|')) {
      for (const pairs of [true, false]) {
        const cells = cellsOf(line, pairs)
        assert.equal(cells.length, 5, line)
        for (const cell of cells) assert.match(outside(cell.replaceAll('\\|', '|')), /^ (?:[\w.,: -]*|·) $/, line)
      }
    } else assert.match(outside(line), /^(?:#{3} (?:✅|❌|⚠\ufe0f) )?(?:[\w.,:·$×… -]|[*]{2}|[()])*$/, line)
  }
}

suite('markdown', () => {
  test('hostile text stands in code spans, and tables keep their cells', () => {
    for (const evil of evils) checkMarkdown(digestMarkdown(evilDigest(evil)))
  })

  test('so does the text of any stream', () =>
    holds(30, (seed) => {
      for (const dialect of streamDialects) checkMarkdown(digestMarkdown(digestOf(linesOf(legalStream(dialect, seed)), dialect)))
    }))

  test('a code span says what was put in', () => {
    assert.equal(codeSpan('npm test'), '`npm test`')
    assert.equal(codeSpan('a `b` ``c'), '```a `b` ``c```')
    assert.equal(codeSpan('`a'), '`` `a ``')
    assert.equal(codeSpan(' \n '), '` `')
    assert.equal(codeCell('a | b'), '`a \\| b`')
    assert.equal(codeCell('a\\|b'), '`a\\ \\|b`')
  })

  test('it is bounded, and says what is not in it', () => {
    const session = (id: number): Rec[] => [
      { event: 'user.message_chunk', session_id: `s${id}`, delta: '😀'.repeat(1000) },
      { event: 'agent.message_chunk', session_id: `s${id}`, delta: '😀'.repeat(2000) },
      { event: 'session.end', session_id: `s${id}`, stop_reason: 'end_turn' },
    ]
    const lines = digestMarkdown(digestOf(Array.from({ length: 900 }, (_, id) => session(id)).flat()))
    const size = Buffer.byteLength(lines.join('\n'))
    assert.ok(size > 300_000 && size < 600_000, String(size))
    assert.match(lines.join('\n'), /… and \d+ more sessions/)
  })

  test('an empty stream has a summary, too', () => assert.deepEqual(digestMarkdown(digestOf('')), ['There is no session in this stream.']))
})

// ── annotations ──────────────────────────────────────────────────────────────

suite('annotations', () => {
  test('hostile text makes no command of its own', () => {
    for (const evil of evils) {
      for (const failOn of [all, new Set<Condition>()]) {
        const lines = digestAnnotations(evilDigest(evil), failOn, evil)
        const { commands, lines: rest } = readLog(lines.join('\n'))
        assert.deepEqual(rest, [], 'every line is a command')
        assert.equal(commands.length, lines.length)
        for (const { name, properties } of commands) {
          assert.match(name, /^(error|warning|notice)$/)
          assert.deepEqual(
            Object.keys(properties).filter((key) => !['file', 'line', 'title'].includes(key)),
            [],
          )
        }
      }
    }
  })

  test('what was put in comes out, on one line', () => {
    for (const text of ['50% done, 10:30', '%0A::error::x', 'a,b=c::d', '##[error]x']) {
      const [command] = readLog(workflowCommand('error', { file: text, line: 3, title: text }, text)).commands
      assert.deepEqual(command, { name: 'error', properties: { file: text, line: '3', title: text }, data: text })
    }
  })

  test('at most ten of a level, the most important first', () => {
    const digest = digestOf([
      ...Array.from({ length: 40 }, (_, id): Rec => ({ event: 'avenor.error', session_id: 's', source: 'x', message: `e${id}` })),
      { event: 'session.end', session_id: 's', stop_reason: 'error' },
    ])
    const { commands } = readLog(digestAnnotations(digest, all).join('\n'))
    assert.equal(commands.length, 10)
    assert.match(commands[0]!.data, /^failed/)
    assert.match(commands.at(-1)!.data, /^and 3\d more/)
  })

  test('what the job fails on is an error, all else a warning', () => {
    const digest = evilDigest('x')
    const levels = (failOn: Set<Condition>): string[] =>
      readLog(digestAnnotations(digest, failOn).join('\n')).commands.map(({ name, properties }) => `${name} ${properties['title']}`)
    assert.ok(levels(new Set(['denied'])).includes('error Agent: not allowed'))
    assert.ok(levels(new Set()).includes('warning Agent: not allowed'))
    assert.ok(levels(new Set()).includes('warning Agent: finding'))
  })
})

// ── JUnit ────────────────────────────────────────────────────────────────────

const junit = (digest: Digest, failOn = new Set<Condition>(), file?: string): string =>
  `${[...junitLines('sluice digest', [digestSuite(digest, failOn, file)])].join('\n')}\n`

suite('junit', () => {
  test('hostile text is text, and no command of a runner that prints it', () => {
    for (const evil of evils) {
      const xml = junit(evilDigest(evil), all, evil)
      assert.equal(parseJunit(xml).length, 4, xml)
      assert.deepEqual(readLog(xml).commands, [])
    }
  })

  test('it is well formed for any stream', () =>
    holds(30, (seed) => {
      for (const dialect of streamDialects) parseJunit(junit(digestOf(linesOf(legalStream(dialect, seed)), dialect)))
    }))

  test('a case fails when the command would', () => {
    const results = (...failOn: Condition[]): string[] => parseJunit(junit(evilDigest('x'), new Set(failOn))).map(({ result }) => result)
    assert.deepEqual(results(), ['failure', 'failure', 'failure', 'failure'])
    assert.deepEqual(results('denied'), ['failure', 'skipped', 'failure', 'skipped'])
    assert.deepEqual(results('error', 'finding'), ['failure', 'failure', 'skipped', 'failure'])
  })

  test('a cancelled session is skipped, a cut one and an empty stream fail', () => {
    const end = (reason: string): string =>
      parseJunit(junit(digestOf([{ event: 'session.end', session_id: 's', stop_reason: reason }])))[0]!.result
    assert.equal(end('end_turn'), 'passed')
    assert.equal(end('cancelled'), 'skipped')
    assert.equal(parseJunit(junit(digestOf([{ event: 'user.message_chunk', session_id: 's', delta: 'x' }])))[0]!.result, 'failure')
    assert.equal(parseJunit(junit(digestOf('')))[0]!.result, 'failure')
  })
})
