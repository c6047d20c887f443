// `sluice show` as a user sees it: the page of a recorded session, what the terminal decides, and text that means harm.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { scratch, shell, sluice } from './run.ts'
import { quote } from './quote.ts'

const sample = 'samples/claude-session.ndjson'
const escapes = /\x1b\[\d+m/g
/** On a terminal of so many columns. */
const onTerminal = (columns: number, args: string, variables = ''): string =>
  shell(`script -qec ${quote(`stty cols ${columns}; ${variables} sluice show ${args}`)} /dev/null`).stdout.replaceAll('\r\n', '\n')

test('a session on one page: who, the subagent under its call, times, tokens and cost', () => {
  const { stdout, status } = sluice(['show', sample])
  assert.equal(status, 0)
  assert.equal(
    stdout,
    `claude-code 2.1.325 · claude-sonnet-4-5-20250929 ·
/home/dev/work/claude/g-subagent-fg · 1d0b9d83-4a4b-4546-8db0-6d9ea20c6e30

Delegating.

● Agent Count lines
│
│ ❯ SUBTASK-MARKER count the lines
│
│ ● Read notes.txt
│   ✔ ok · 26 ms · 4 lines
  ✔ Agent Count lines ok · 146 ms
      <tools-used-before-summary>Read</tools-used-before-summary>
      
    [Subagent hand-back] The text below is the final report of a subagent this …
      Sub: three lines.
    … 4 more lines

The subagent says three lines.

✔ turn 1 · 325 ms · 4,984 tokens · $0.0064

✔ done · 1 turn · 325 ms · 4,984 tokens · $0.0064
`,
  )
})

test('what the agent does not price is priced by the list, also when sessions end in the stream', () => {
  const session = (id: string): string =>
    [
      { v: 1, seq: 1, kind: 'session.start', session: id, model: 'claude-sonnet-4-5' },
      { v: 1, seq: 2, kind: 'turn.start', session: id, turn: 1, trigger: 'prompt' },
      { v: 1, seq: 3, kind: 'turn.end', session: id, turn: 1, reason: 'end_turn', usage: { input: 1000 } },
      { v: 1, seq: 4, kind: 'session.end', session: id, reason: 'end_turn' },
    ]
      .map((event) => `${JSON.stringify(event)}\n`)
      .join('')
  const { stdout } = sluice(['show', '-'], session('a') + session('b'))
  assert.deepEqual(
    stdout.split('\n').filter((line) => line.includes('done')),
    Array(2).fill('✔ done · 1 turn · 1,000 tokens · $0.0030 by price list'),
  )
})

test('--full folds nothing', () => {
  const { stdout } = sluice(['show', sample, '--full'])
  assert.ok(!stdout.includes('more lines'))
  assert.ok(stdout.includes('    1   alpha\n') || stdout.includes('alpha'))
})

suite('the terminal decides about colour and width', () => {
  test('colour on a terminal, at most as wide as it is', () => {
    const page = onTerminal(50, sample)
    assert.match(page, /\x1b\[1mclaude-code/)
    for (const line of page.replaceAll(escapes, '').split('\n')) assert.ok(line.length <= 50, line)
  })
  for (const variables of ['NO_COLOR=1', 'TERM=dumb', 'CI=true'])
    test(`no colour with ${variables}`, () => assert.doesNotMatch(onTerminal(80, sample, variables), escapes))
  test('no colour in a pipe, unless it is forced', () => {
    assert.doesNotMatch(sluice(['show', sample]).stdout, escapes)
    assert.match(shell(`FORCE_COLOR=1 sluice show ${sample}`).stdout, escapes)
  })
})

test('nothing in a session can act on the terminal, wherever it stands', () => {
  const evil = '\x1b]0;owned\x07\x1b[2J\u202e\x9b5n\r'
  const records = [
    {
      type: 'system',
      subtype: 'init',
      session_id: evil,
      cwd: evil,
      model: evil,
      tools: [],
      mcp_servers: [],
      permissionMode: evil,
      apiKeySource: 'none',
    },
    {
      type: 'assistant',
      session_id: evil,
      parent_tool_use_id: null,
      message: {
        id: 'm',
        role: 'assistant',
        model: 'x',
        content: [
          { type: 'thinking', thinking: evil, signature: '' },
          { type: 'text', text: `# ${evil}\n\`${evil}\`\n| ${evil} |\n|-|\n[x](${evil})` },
          { type: 'tool_use', id: 't', name: evil, input: { command: evil } },
          { type: 'tool_use', id: 'u', name: 'Edit', input: { file_path: evil, old_string: evil, new_string: 'b' } },
        ],
        usage: {},
      },
    },
    {
      type: 'user',
      session_id: evil,
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', is_error: true, content: evil }] },
    },
    { type: 'user', session_id: evil, message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'u', content: evil }] } },
    { type: 'never heard of', session_id: evil, [evil]: evil },
  ]
  const file = scratch('evil.ndjson', `${records.map((record) => JSON.stringify(record)).join('\n')}\n${evil}\n`)
  const page = onTerminal(80, quote(file)).replaceAll(escapes, '')
  assert.match(page, /\\u001b\]0;owned/)
  assert.doesNotMatch(page, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
})

test('a line that cannot be read is told in its place, and in the exit code', () => {
  const { stdout, status } = sluice(['show', '--from', 'claude'], 'no json\n')
  assert.equal(status, 1)
  assert.match(stdout, /✘ unreadable line 1, byte 0: not JSON/)
})

test('a number that no double holds is shown with all its digits', () => {
  const lineOf = (_: unknown, index: number): string => {
    const content = [{ type: 'tool_use', id: `t${index}`, name: 'mcp__db__get', input: { id: 0, ids: [1, 0] } }]
    const message = { id: `m${index}`, type: 'message', role: 'assistant', model: 'm', content, stop_reason: null, usage: {} }
    const record = JSON.stringify({ type: 'assistant', message, parent_tool_use_id: null, session_id: 's' })
    return `${record.replace('"id":0', '"id":12345678901234567890').replace('[1,0]', '[1,98765432109876543210]')}\n`
  }
  const { stdout } = sluice(['show', '--from', 'claude', '-'], Buffer.from(Array.from({ length: 300 }, lineOf).join('')))
  assert.equal(stdout.split('{"id":12345678901234567890,"ids":[1,98765432109876543210]}').length - 1, 300)
})
