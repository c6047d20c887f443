// The class of every Avenor record, as its document and our decisions have it, and of the same things in other words.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { eventsByRecord, highest } from '../../test/fold.ts'
import { holds, names } from '../../test/properties.ts'
import { legalStream, linesOf, streamDialects } from '../testing/index.ts'
import type { Rec } from '../base/json.ts'
import { classOfKind } from './classes.ts'
import { type Class, createClassifier, type Verdict } from './classify.ts'

type Dialect = (typeof names)[number]

/** The verdicts on the events of each record. */
function verdictsOf(records: readonly Rec[], dialect: Dialect = 'avenor'): Verdict[][] {
  const classifier = createClassifier()
  return eventsByRecord(records, dialect)
    .slice(0, records.length)
    .map((events) => events.map((event) => classifier.push(event)))
}
const classesOf = (records: readonly Rec[], dialect?: Dialect): Class[] => verdictsOf(records, dialect).map(highest)
const classOf = (record: Rec): Class => classesOf([{ session_id: 's', ...record }])[0]!
const chunk = (text: string, more: Rec = {}): Rec => ({ event: 'agent.message_chunk', session_id: 's', content: { text }, ...more })

suite('the class of a record by its name', () => {
  const byName: [Rec, Class][] = [
    [{ event: 'session.end', stop_reason: 'end_turn' }, 'MILESTONE'],
    [{ event: 'permission.request', request_id: '1', options: [] }, 'MILESTONE'],
    [{ event: 'avenor.loop.start' }, 'MILESTONE'],
    [{ event: 'avenor.loop.end', exit_reason: 'exit' }, 'MILESTONE'],
    [{ event: 'avenor.phase.end', phase: 'p', iteration: 1, stop_reason: 'end_turn' }, 'MILESTONE'],
    [{ event: 'avenor.retry', attempt: 1 }, 'MILESTONE'],
    [{ event: 'avenor.retry' }, 'MILESTONE'],
    [{ event: 'avenor.error', source: 'permission', message: 'handler timed out after 10m' }, 'MILESTONE'],
    [{ event: 'avenor.phase.start', phase: 'p', iteration: 1 }, 'ACTIVITY'],
    [{ event: 'permission.response', request_id: '1', option_id: 'allow', kind: 'allow' }, 'ACTIVITY'],
    [{ event: 'session.start', backend: 'claude' }, 'ACTIVITY'],
    [{ event: 'agent.report', state: 'blocked', payload: '[finding]' }, 'ACTIVITY'],
    [{ event: 'agent.finish', status: 'failed' }, 'ACTIVITY'],
    [{ event: 'agent.reply', to: 'x' }, 'ACTIVITY'],
    [{ event: 'agent.status', phase: 'done' }, 'MILESTONE'],
    [{ event: 'agent.status', phase: 'waiting' }, 'MILESTONE'],
    [{ event: 'agent.status', phase: 'working' }, 'ACTIVITY'],
    [{ event: 'agent.status', phase: 'Waiting' }, 'ACTIVITY'],
    [{ event: 'deploy.done', text: '[finding]' }, 'ACTIVITY'],
    [{ event: 'Session.End', stop_reason: 'end_turn' }, 'ACTIVITY'],
  ]
  for (const [record, expected] of byName) test(JSON.stringify(record), () => assert.equal(classOf(record), expected))
})

suite('the class of a tool call', () => {
  const call = (more: Rec): Rec => ({ event: 'tool.call', toolCallId: 'c', title: 'Bash', kind: 'bash', status: 'pending', ...more })
  const byCall: [string, Rec, Class][] = [
    ['a routine call', call({}), 'ACTIVITY'],
    ['git commit in the title', call({ title: 'GIT COMMIT -m' }), 'MILESTONE'],
    ['git commit in the title alone', call({ title: 'git commit -m x', kind: undefined }), 'MILESTONE'],
    ['git commit in the command', call({ command: 'git add . && git commit -m x' }), 'MILESTONE'],
    ['git commit in the command of the input', call({ rawInput: { command: 'git commit -m x' } }), 'MILESTONE'],
    ['git commit in other input', call({ kind: 'edit', rawInput: { new_string: 'git commit' } }), 'ACTIVITY'],
    ['kind commit', call({ kind: 'commit', title: 'Save' }), 'MILESTONE'],
    ['kind commit, whatever the title', call({ kind: 'commit', title: 'Bash' }), 'MILESTONE'],
    ['kind Commit', call({ kind: 'Commit', title: 'Save' }), 'MILESTONE'],
    ['kind task, pending', call({ kind: 'task', title: 'Review' }), 'ACTIVITY'],
    ['kind task, completed at once', call({ kind: 'task', title: 'Review', status: 'completed' }), 'MILESTONE'],
    ['kind task, in capitals', call({ kind: 'TASK', title: 'Review', status: 'COMPLETED' }), 'MILESTONE'],
    ['kind task, failed', call({ kind: 'task', title: 'Review', status: 'failed' }), 'ACTIVITY'],
    ['an update alone', call({ event: 'tool.call_update', kind: 'task', status: 'completed' }), 'MILESTONE'],
    ['an update with a title', call({ event: 'tool.call_update', title: 'Git commit', status: 'completed' }), 'MILESTONE'],
  ]
  for (const [name, record, expected] of byCall) test(name, () => assert.equal(classOf(record), expected))

  const life = (first: Rec, second: Rec): Class[] =>
    classesOf(
      [call(first), { event: 'tool.call_update', toolCallId: 'c', status: 'completed', ...second }].map((record) => ({
        session_id: 's',
        ...record,
      })),
    )
  test('a task is a milestone when it is completed', () => {
    assert.deepEqual(life({ kind: 'task', title: 'T' }, { kind: 'task' }), ['ACTIVITY', 'MILESTONE'])
    assert.deepEqual(life({ kind: 'task', title: 'T' }, { kind: 'task', status: 'failed' }), ['ACTIVITY', 'ACTIVITY'])
    assert.deepEqual(life({ kind: 'task', title: 'T' }, { kind: 'task', status: 'in_progress' }), ['ACTIVITY', 'ACTIVITY'])
  })
  test('a commit is one whenever the record says so', () => {
    assert.deepEqual(life({ kind: 'commit', title: 'Save' }, { kind: 'commit' }), ['MILESTONE', 'MILESTONE'])
    assert.deepEqual(life({ title: 'git commit' }, {}), ['MILESTONE', 'ACTIVITY'])
  })
})

suite('the text of a chunk', () => {
  const found: [string, Rec][] = [
    ['an answer', chunk('[finding] here')],
    ['a thought', chunk('Reviewer flagged it', { event: 'agent.thought_chunk' })],
    ['a user', chunk('correction needed', { event: 'user.message_chunk' })],
    [
      'a list of blocks',
      chunk('', {
        content: [
          { type: 'text', text: 'a failed' },
          { type: 'text', text: ' test' },
        ],
      }),
    ],
    ['a bare text', chunk('', { content: 'confidence: 75' })],
    ['only a delta', { event: 'agent.message_chunk', session_id: 's', delta: 'confidence: 75' }],
  ]
  for (const [name, record] of found) test(`${name} can be a finding`, () => assert.deepEqual(classesOf([record]), ['FINDING']))

  test('a phrase over several chunks tags the one that completes it', () =>
    assert.deepEqual(classesOf([chunk('the review'), chunk('er flagg'), chunk('ed this'), chunk(' and that')]), [
      'ACTIVITY',
      'ACTIVITY',
      'FINDING',
      'ACTIVITY',
    ]))

  test('other records may stand between the chunks of a message', () => {
    const status = { event: 'agent.status', session_id: 's', phase: 'thinking' }
    const tool = { event: 'tool.call', session_id: 's', toolCallId: 'c', title: 'ls', kind: 'bash' }
    assert.deepEqual(classesOf([chunk('failed'), status, { ...chunk(' test') }]), ['ACTIVITY', 'ACTIVITY', 'FINDING'])
    const named = { messageId: 'm' }
    assert.deepEqual(classesOf([chunk('failed', named), tool, chunk(' test', named)]).at(-1), 'FINDING')
  })

  test('texts of different messages, sessions and kinds are not joined', () => {
    assert.equal(classesOf([chunk('failed', { messageId: 'a' }), chunk(' test', { messageId: 'b' })]).at(-1), 'ACTIVITY')
    assert.equal(classesOf([chunk('failed'), chunk(' test', { session_id: 't' })]).at(-1), 'ACTIVITY')
    assert.equal(classesOf([chunk('failed'), chunk(' test', { event: 'agent.thought_chunk' })]).at(-1), 'ACTIVITY')
    assert.equal(
      classesOf([chunk('failed'), { event: 'session.end', session_id: 's', stop_reason: 'end_turn' }, chunk(' test')]).at(-1),
      'ACTIVITY',
    )
  })
})

test('every verdict names its rule', () => {
  const rules = verdictsOf([
    chunk('[finding]'),
    { event: 'tool.call', session_id: 's', toolCallId: 'c', title: 'git commit', kind: 'bash' },
    { event: 'agent.status', session_id: 's', phase: 'waiting' },
    { event: 'mine', session_id: 's' },
    { event: 'avenor.retry', session_id: 's' },
  ]).map((verdicts) => verdicts.at(-1)!.rule)
  assert.deepEqual(rules, ['text.finding', 'tool.git-commit', 'status.waiting', 'raw', 'record.avenor.retry'])
})

test('a finished subagent is one milestone: its own end, not that of the call that started it', () => {
  for (const scenario of ['g-subagent-fg', 'g-subagent']) {
    const lines = readFileSync(new URL(`../../fixtures/claude/2.1.325/${scenario}.ndjson`, import.meta.url), 'utf8')
    const classifier = createClassifier()
    const rules = eventsByRecord(lines, 'claude').flatMap((events) => events.map((event) => classifier.push(event).rule))
    assert.deepEqual(
      rules.filter((rule) => /task\.end|tool\.task/.test(rule)),
      ['task.end'],
      scenario,
    )
  }
})

suite('the same meaning in other words', () => {
  const claude = (content: unknown[]): Rec => ({ type: 'assistant', session_id: 's', message: { id: 'm', role: 'assistant', content } })
  test('a Bash call of Claude that commits', () => {
    const [verdicts] = verdictsOf([claude([{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'git commit -m x' } }])], 'claude')
    assert.equal(verdicts!.find(({ class: its }) => its === 'MILESTONE')?.rule, 'tool.git-commit')
  })
  test('a whole text of Claude', () => {
    const [verdicts] = verdictsOf([claude([{ type: 'text', text: 'the reviewer flagged two lines' }])], 'claude')
    assert.equal(verdicts!.find(({ class: its }) => its === 'FINDING')?.rule, 'text.reviewer-flagged')
  })
  test('a text whose pieces were told is not told again', () => {
    const event = (more: Rec): Rec => ({ type: 'stream_event', session_id: 's', parent_tool_use_id: null, uuid: 'u', event: more })
    const records = [
      event({ type: 'message_start', message: { id: 'm', role: 'assistant', content: [], model: 'x', type: 'message', usage: {} } }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a failed te' } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'st' } }),
      event({ type: 'content_block_stop', index: 0 }),
      claude([{ type: 'text', text: 'a failed test' }]),
    ]
    assert.deepEqual(classesOf(records, 'claude').filter((its) => its === 'FINDING').length, 1)
    assert.equal(classesOf(records, 'claude')[3], 'FINDING')
  })
})

test('no state outlives what it is of, and every event has a class', () =>
  holds(100, (seed) => {
    for (const dialect of streamDialects) {
      const classifier = createClassifier()
      for (const events of eventsByRecord(linesOf(legalStream(dialect, seed)), dialect))
        for (const event of events) {
          const { class: its, rule } = classifier.push(event)
          assert.ok(its === 'FINDING' || its === 'MILESTONE' || rule === event.kind)
          if (rule === event.kind) assert.equal(its, classOfKind[event.kind])
        }
    }
  }))
