import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '../analyze/row.ts'
import { widthOf } from './layout.ts'
import { createTerminalView } from './terminal.ts'

/** What the rows look like without colour. Only what a test is about is given. */
function shown(rows: readonly Record<string, unknown>[], options: { full?: boolean; width?: number } = {}): string[] {
  const view = createTerminalView({ width: 40, colour: false, ...options })
  return rows.flatMap((row, index) => view.push({ id: `r${index}`, seq: index + 1, depth: 0, ...row } as unknown as Row))
}
const call = { type: 'call', id: 'c', name: 'Bash', toolKind: 'execute', subject: 'npm test' }

test('the end of a call stands under its head, and names it where something came between', () => {
  const end = { ...call, status: 'ok', failed: true, exitCode: 2, durationMs: 1500, output: 'no\n' }
  assert.deepEqual(shown([{ ...call, open: true }, end]), ['● Bash npm test', '  ✘ exit 2 · 1.5 s', '    no'])
  const between = { type: 'note', level: 'warn', label: 'retry', text: 'x' }
  assert.deepEqual(shown([{ ...call, open: true }, between, end])[2], '  ✘ Bash npm test exit 2 · 1.5 s')
})

test('a call that does not yet say what it is about waits for that, but for nothing else', () => {
  const unclear = { ...call, subject: '', open: true }
  assert.deepEqual(shown([unclear, { ...call, open: true }]), ['● Bash npm test'])
  assert.deepEqual(shown([unclear, { type: 'note', level: 'info', label: 'a', text: 'b' }]), ['● Bash', '· a b'])
  assert.deepEqual(shown([unclear, { ...unclear, id: 'd' }, { ...unclear, open: undefined, status: 'ok' }]), [
    '● Bash',
    '● Bash',
    '  ✔ Bash  ok',
  ])
})

test('where more is there already, a call waits for its input, so that it has one line', () => {
  const view = createTerminalView({ width: 40, colour: false, patient: true })
  const push = (row: Record<string, unknown>): string[] => view.push({ seq: 1, depth: 0, ...call, open: true, ...row } as unknown as Row)
  assert.deepEqual([push({ subject: 'Terminal' }), push({ subject: 'npm' })], [[], []])
  assert.deepEqual(push({ input: { command: 'npm test' } }), ['● Bash npm test'])
  assert.deepEqual([push({ id: 'd', subject: 'Editing' }), view.settle(), view.settle()], [[], ['● Bash Editing'], []])
  assert.deepEqual([push({ id: 'e' }), push({ id: 'e', open: undefined, status: 'ok' })], [[], ['● Bash npm test', '  ✔ ok']])
})

test('long outputs and thoughts are folded, and not with --full', () => {
  const output = Array.from({ length: 9 }, (_, index) => `line ${index}`).join('\n')
  const rows = [
    { ...call, open: true },
    { ...call, status: 'ok', output },
    { type: 'thought', text: 'a\nb\nc\nd' },
  ]
  assert.deepEqual(shown(rows).slice(5), ['    line 3', '    … 5 more lines', '✻ a', '  b', '  … 2 more lines'])
  assert.equal(shown(rows, { full: true }).length, 2 + 9 + 4)
})

test('a thought in one long line is folded, too', () => {
  const rows = [{ type: 'thought', text: 'word '.repeat(200) }]
  const lines = shown(rows)
  assert.equal(lines.length, 3)
  assert.match(lines.at(-1)!, /more lines$/)
  assert.ok(shown(rows, { full: true }).length > 8)
})

test('what was read is counted, not shown; what failed is shown', () => {
  const read = { type: 'call', id: 'c', name: 'Read', toolKind: 'read', subject: 'a', status: 'ok', output: 'x\ny' }
  assert.deepEqual(shown([read]), ['  ✔ Read a ok · 2 lines'])
  assert.deepEqual(shown([{ ...read, status: 'error', failed: true, output: 'no such file' }]), ['  ✘ Read a error', '    no such file'])
})

test('paths in the folder of the session are told from there', () => {
  const start = { type: 'start', program: 'x', cwd: '/home/dev/project' }
  assert.equal(shown([start, { ...call, subject: '/home/dev/project/src/a.ts', open: true }])[2], '● Bash src/a.ts')
  assert.equal(shown([start, { ...call, subject: '/home/dev/projects/a.ts', open: true }])[2], '● Bash /home/dev/projects/a.ts')
})

test('a fault is told once, though turn and session end with it', () => {
  const fault = { reason: 'error', outcome: 'failed', error: { category: 'auth', text: 'no key' } }
  const rows = [
    { type: 'turn', turn: 1, ...fault },
    { type: 'end', of: 'session', turns: 1, ...fault },
  ]
  assert.deepEqual(shown(rows), ['✘ turn 1 · error', '  no key', '', '✘ failed: error · 1 turn'])
  const cancel = { type: 'note', level: 'warn', label: 'cancel', text: 'session by policy: no key' }
  assert.deepEqual(shown([cancel, ...rows]), ['! cancel session by policy: no key', '✘ turn 1 · error', '', '✘ failed: error · 1 turn'])
})

test('on a narrow screen the closing lines are broken between their facts', () => {
  const facts = { outcome: 'ok', reason: 'end_turn', durationMs: 325 }
  const usage = { input: 4000, output: 984 }
  const rows = [
    { type: 'turn', turn: 1, ...facts, usage, cost: { usd: 0.0064 } },
    { type: 'end', of: 'session', turns: 12, ...facts },
  ]
  assert.deepEqual(shown(rows, { width: 20 }), [
    '✔ turn 1 ·',
    '  325 ms ·',
    '  4,984 tokens ·',
    '  $0.0064',
    '',
    '✔ done ·',
    '  12 turns · 325 ms',
  ])
  const view = createTerminalView({ width: 20, colour: true })
  assert.deepEqual(view.push({ id: 'e', seq: 1, depth: 0, ...rows[1] } as unknown as Row).slice(-2), [
    '\x1b[32m✔\x1b[39m \x1b[1mdone\x1b[22m \x1b[2m·\x1b[22m',
    '  \x1b[2m12 turns · 325 ms\x1b[22m',
  ])
})

test('no line of ours is wider than a narrow screen', () => {
  const long = {
    type: 'call',
    id: 'c',
    name: 'mcp__server__some_long_tool',
    toolKind: 'read',
    subject: 'a/b/c/d/e/f/g/h/i',
    durationMs: 1500,
  }
  const ask = { type: 'ask', id: 'q', about: 'permission', name: 'command_execution', question: 'rm -rf /some/where' }
  const rows = [
    { ...long, open: true },
    { type: 'note', level: 'warn', label: 'model_refusal_no_fallback', text: 'claude-sonnet-4-5-20250929 said no' },
    { ...ask, open: true },
    { ...ask, decision: 'reject', by: 'headless' },
    { ...long, status: 'ok', output: 'x' },
    { type: 'task', title: 'Count all the lines of the file', status: 'abandoned', durationMs: 61_000 },
    { type: 'plan', entries: [{ text: 'Count all the lines of the file', status: 'active' }] },
    { type: 'prompt', by: 'agent', text: 'Count all the lines of the file' },
    { type: 'thought', text: 'Count all the lines of the file' },
  ]
  for (const colour of [false, true])
    for (const width of [20, 24, 30, 36])
      for (const depth of [0, 1, 3, 5]) {
        const view = createTerminalView({ width, colour })
        const lines = rows.flatMap((row, index) => view.push({ id: `r${index}`, seq: index, depth, agent: 'a', ...row } as unknown as Row))
        assert.deepEqual(
          lines.filter((line) => widthOf(line) > width),
          [],
          `${width} columns, depth ${depth}`,
        )
      }
  assert.deepEqual(shown([rows[1]!], { width: 30 }), ['! model_refusal_no_fallback', '  claude-sonnet-4-5-20', '  250929 said no'])
})

test('questions, plans and subagents have their signs', () => {
  const ask = { type: 'ask', id: 'q', about: 'permission', name: 'Bash', question: 'rm x' }
  const rows = [
    { ...ask, open: true },
    { ...ask, decision: 'reject', by: 'user' },
    {
      type: 'plan',
      entries: [
        { text: 'one', status: 'done' },
        { text: 'two', status: 'active' },
      ],
    },
    { type: 'text', text: 'deep', depth: 2 },
    { type: 'task', title: 'look', agentType: 'explorer', open: true },
  ]
  assert.deepEqual(shown(rows), [
    '? Allow Bash rm x',
    '  ✘ reject by user Bash rm x',
    '☑ one',
    '▶ two',
    '│ │',
    '│ │ deep',
    '',
    '◆ explorer look',
  ])
})

test('a permission question is shown whole, and names its tool once', () => {
  const ask = {
    type: 'ask',
    id: 'q',
    about: 'permission',
    name: 'bash',
    question: 'Allow bash: "npm publish" (npm is not known to be harmless)?',
  }
  const rows = [
    { ...ask, open: true },
    { ...ask, decision: 'allow', by: 'control' },
  ]
  assert.deepEqual(shown(rows, { width: 40 }), [
    '? Allow bash: "npm publish" (npm is not',
    '  known to be harmless)?',
    '  ✔ allow by control bash: "npm publish…',
  ])
})

test('a step of a subagent names it where another stands above', () => {
  const one = { agent: 'one', depth: 1, lane: { title: 'Agent One', call: 'c1' } }
  const two = { agent: 'two', depth: 1, lane: { title: 'Agent Two', call: 'c2' } }
  const deep = { agent: 'deep', depth: 2, lane: { title: 'task Deep' } }
  const head = (id: string, subject: string): Record<string, unknown> => ({ ...call, id, name: 'Agent', subject, open: true })
  const note = (text: string, place: object): Record<string, unknown> => ({ type: 'note', level: 'info', label: 'n', text, ...place })
  const rows = [
    head('c1', 'One'),
    note('a', one),
    { type: 'task', id: 'deep', title: 'Deep', open: true, ...one },
    note('b', deep),
    note('c', one),
    head('c2', 'Two'),
    note('d', two),
    note('e', one),
    note('f', deep),
    { type: 'text', text: 'g', ...two },
    note('h', { agent: 'unknown', depth: 1 }),
  ]
  assert.deepEqual(shown(rows), [
    '● Agent One',
    '│ · n a',
    '│ ◆ task Deep',
    '│ │ · n b',
    '│ · n c',
    '● Agent Two',
    '│ · n d',
    '↳ Agent One',
    '│ · n e',
    '│ ↳ task Deep',
    '│ │ · n f',
    '',
    '↳ Agent Two',
    '│ g',
    '',
    '↳ unknown',
    '│ · n h',
  ])
})

test("a rule's yes is no news; with --full it is told", () => {
  const ask = { type: 'ask', about: 'permission', name: 'Bash', question: 'ls', decision: 'allow', by: 'rule', unasked: true }
  assert.deepEqual(shown([ask]), [])
  assert.deepEqual(shown([ask], { full: true }), ['  ✔ allow by rule Bash ls'])
  assert.deepEqual(shown([{ ...ask, unasked: undefined }]), ['  ✔ allow by rule Bash ls'])
})

test('a refusal is told once, short, and within the width', () => {
  const reason = `This needs permission${', and nobody can be asked'.repeat(6)}.`
  const ask = { type: 'ask', about: 'permission', name: 'Bash', question: 'npm test', decision: 'reject', by: 'headless', answer: reason }
  const end = { ...call, status: 'denied', failed: true, output: reason }
  const told = shown([
    { ...call, open: true },
    { ...ask, unasked: true, call: 'c' },
    { ...end, refusedBy: 'headless' },
  ])
  assert.deepEqual(told, [
    '● Bash npm test',
    '  ✘ denied (nobody to ask)',
    '    This needs permission, and nobody',
    '    can be asked, and nobody can be',
    '    asked, and nobody can be asked, and',
    '    … 2 more lines',
  ])
  const asked = shown([{ ...call, open: true }, ask, end])
  assert.deepEqual(asked.slice(0, 3), [
    '● Bash npm test',
    '  ✘ reject (nobody to ask) Bash npm test',
    '    This needs permission, and nobody',
  ])
  assert.equal(asked.at(-1), '  ✘ Bash npm test denied')
})

test('the prompt of a subagent needs no name of who asks', () => {
  assert.deepEqual(shown([{ type: 'prompt', by: 'agent', text: 'look', depth: 1 }]), ['│ ❯ look'])
  assert.deepEqual(shown([{ type: 'prompt', by: 'hook', text: 'look' }]), ['❯ (hook) look'])
})

test('in results and notes, too, paths are told from the folder, but never a part of another path', () => {
  const start = { type: 'start', program: 'x', cwd: '/home/dev' }
  const output = 'see /home/dev/a.ts\n"/home/dev/b.ts"\n/mnt/home/dev/c.ts'
  const rows = [start, { ...call, status: 'ok', output }, { type: 'note', level: 'info', label: 'files', text: 'add /home/dev/d' }]
  assert.deepEqual(shown(rows).slice(-4), ['    see a.ts', '    "b.ts"', '    /mnt/home/dev/c.ts', '· files add d'])
  assert.equal(shown(rows, { full: true }).at(-4), '    see /home/dev/a.ts')
})
