// Rules of a user: what they match, that the first one decides, and that a mistake is told with its line.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { eventsByRecord } from '../../test/fold.ts'
import { parseJson, type Rec } from '../base/json.ts'
import type { Event } from '../model/event.ts'
import { createClassifier, type Verdict } from './classify.ts'
import { compileRules, RulesError } from './rules.ts'

/** The verdict on the last event of each record. */
async function judge(yaml: string, records: readonly Rec[], withRecord = true): Promise<Verdict[]> {
  const rules = await compileRules(yaml)
  const classifier = createClassifier({ rules, nameOf: ({ event }) => (typeof event === 'string' ? event : undefined) })
  return eventsByRecord(records, 'avenor')
    .slice(0, records.length)
    .map((events, index) => events.map((event) => classifier.push(event, withRecord ? records[index] : undefined)).at(-1)!)
}
const one = async (rule: string, record: Rec): Promise<string> => {
  const [verdict] = await judge(`rules:\n  - ${rule.replaceAll('\n', '\n    ')}\n`, [{ session_id: 's', ...record }])
  return `${verdict!.class} ${verdict!.rule}`
}

suite('a rule matches', () => {
  const deploy = { event: 'deploy.done', env: 'prod', took: 12, ok: false, who: { name: 'ci' }, list: ['a'] }
  const big = parseJson('{"event":"x","n":1763416696000000001,"m":12345678901234567890}') as Rec
  const cases: [string, string, Rec, string][] = [
    ['a custom event by its name', 'event: deploy.done\nclass: MILESTONE', deploy, 'MILESTONE rule 1'],
    ['one of several names', 'event: [x, deploy.done]\nclass: finding', deploy, 'FINDING rule 1'],
    ['not another name', 'event: deploy\nclass: FINDING', deploy, 'ACTIVITY raw'],
    ['a kind', 'name: talk\nkind: report\nclass: MILESTONE', { event: 'agent.report', state: 'x' }, 'MILESTONE talk'],
    ['a record that has a kind of its own', 'event: agent.report\nclass: FINDING', { event: 'agent.report' }, 'FINDING rule 1'],
    ['a field that is equal', 'event: deploy.done\nwhere: {env: prod, ok: false}\nclass: FINDING', deploy, 'FINDING rule 1'],
    ['not one that is not', 'event: deploy.done\nwhere: {env: prod, ok: true}\nclass: FINDING', deploy, 'ACTIVITY raw'],
    ['one of a list', 'event: deploy.done\nwhere: {env: [test, prod]}\nclass: FINDING', deploy, 'FINDING rule 1'],
    ['a number', 'event: deploy.done\nwhere: {took: {gt: 10, lte: 12}}\nclass: FINDING', deploy, 'FINDING rule 1'],
    ['not a smaller one', 'event: deploy.done\nwhere: {took: {gte: 13}}\nclass: FINDING', deploy, 'ACTIVITY raw'],
    ['not a text as a number', 'event: deploy.done\nwhere: {env: {lt: 13}}\nclass: FINDING', deploy, 'ACTIVITY raw'],
    ['what is there', 'event: deploy.done\nwhere: {who: {exists: true}, why: {exists: false}}\nclass: FINDING', deploy, 'FINDING rule 1'],
    ['a field inside', 'event: deploy.done\nwhere: {who.name: ci, list.0: a}\nclass: FINDING', deploy, 'FINDING rule 1'],
    ['nothing inherited', 'event: deploy.done\nwhere: {constructor: {exists: true}}\nclass: FINDING', deploy, 'ACTIVITY raw'],
    ['a pattern of a field', "event: deploy.done\nwhere: {env: {matches: '^p.*d$'}}\nclass: FINDING", deploy, 'FINDING rule 1'],
    [
      'a field of the event, without a name',
      'where: {state: blocked}\nclass: FINDING',
      { event: 'agent.report', state: 'blocked' },
      'FINDING rule 1',
    ],
    ['a text', "text: '(?i)out of memory'\nclass: FINDING", { event: 'agent.message_chunk', delta: 'Out Of Memory!' }, 'FINDING rule 1'],
    ['the text of a custom event', 'text: ci\nclass: FINDING', deploy, 'FINDING rule 1'],
    [
      'a call by its command',
      'kind: tool.start\ntext: rm -rf\nclass: FINDING',
      { event: 'tool.call', toolCallId: 'c', title: 'Bash', kind: 'bash', rawInput: { command: 'rm -rf /' } },
      'FINDING rule 1',
    ],
    [
      'a command that comes after its call',
      'kind: tool.update\ntext: rm -rf\nclass: FINDING',
      { event: 'tool.call_update', toolCallId: 'c', status: 'in_progress', rawInput: { command: 'rm -rf /' } },
      'FINDING rule 1',
    ],
    ['a number past 2^53', 'event: x\nwhere: {n: {gt: 5}, m: 12345678901234567890}\nclass: FINDING', big, 'FINDING rule 1'],
    ['what a built-in rule would decide', 'event: avenor.retry\nclass: ACTIVITY', { event: 'avenor.retry', attempt: 1 }, 'ACTIVITY rule 1'],
  ]
  for (const [name, rule, record, expected] of cases) test(name, async () => assert.equal(await one(rule, record), expected))
})

test('the first rule that matches decides, then the built-in ones', async () => {
  const yaml = 'rules:\n  - {name: a, event: x, class: FINDING}\n  - {name: b, event: [x, y], class: MILESTONE}\n'
  const verdicts = await judge(yaml, [{ event: 'x' }, { event: 'y' }, { event: 'z' }, { event: 'avenor.loop.start' }])
  assert.deepEqual(
    verdicts.map(({ rule }) => rule),
    ['a', 'b', 'raw', 'run.start'],
  )
})

test('a custom event is known by its own text when its record is not at hand', async () => {
  const yaml = 'rules:\n  - {event: x, where: {n: {gt: 1}}, class: FINDING}\n'
  assert.deepEqual(
    (
      await judge(
        yaml,
        [
          { event: 'x', n: 2 },
          { event: 'x', n: 1 },
        ],
        false,
      )
    ).map(({ class: its }) => its),
    ['FINDING', 'ACTIVITY'],
  )
})

test('a pattern over several pieces of a text is found in the one that completes it, once', async () => {
  const chunk = (text: string): Rec => ({ event: 'agent.message_chunk', session_id: 's', messageId: 'm', content: { text } })
  const verdicts = await judge("rules:\n  - {text: 'pan+ic', class: FINDING}\n", [
    chunk('a pa'),
    chunk('nn'),
    chunk('ic! '),
    chunk('more'),
    chunk(' panic'),
  ])
  assert.deepEqual(
    verdicts.map(({ class: its }) => its === 'FINDING'),
    [false, false, true, false, true],
  )
})

test('the beginning of a text is not where its memory begins', async () => {
  const chunk = (text: string): Rec => ({ event: 'agent.message_chunk', session_id: 's', messageId: 'm', content: { text } })
  const yaml = "rules:\n  - {text: '^[a-z ]+done$', class: FINDING}\n"
  const long = `${'abcd '.repeat(240)}done`
  const findings = async (text: string): Promise<number> =>
    (await judge(yaml, text.match(/.{1,10}/gs)!.map(chunk))).filter(({ class: its }) => its === 'FINDING').length
  assert.equal(await findings(`123 ${long}`), 0)
  assert.equal(await findings('abcd abcd done'), 1)
})

test('a rule that decides does not keep the others from reading on', async () => {
  const chunk = (text: string): Rec => ({ event: 'agent.message_chunk', session_id: 's', messageId: 'm', content: { text } })
  const yaml = "rules:\n  - {name: a, text: 'fail', class: MILESTONE}\n  - {name: b, text: 'failure here', class: FINDING}\n"
  assert.deepEqual(
    (await judge(yaml, [chunk('fail'), chunk('ure here')])).map(({ rule }) => rule),
    ['a', 'b'],
  )
  assert.deepEqual(
    (await judge(yaml, [chunk('fail'), chunk('ed test')])).map(({ rule }) => rule),
    ['a', 'text.failed-test'],
  )
})

test('a match that another rule has decided on is no news for the next piece', async () => {
  const chunk = (text: string): Rec => ({ event: 'agent.message_chunk', session_id: 's', messageId: 'm', content: { text } })
  const yaml = "rules:\n  - {name: a, text: 'panic', class: MILESTONE}\n  - {name: b, text: 'pan.c', class: FINDING}\n"
  const verdicts = await judge(yaml, [chunk('panic'), chunk(' on'), chunk(' panic')])
  assert.deepEqual(
    verdicts.map(({ rule }) => rule),
    ['a', 'text.delta', 'a'],
  )
})

test('a pattern is looked for in a question, a command that needs leave, and why something failed', async () => {
  const rules = await compileRules("rules:\n  - {text: 'rm -rf', class: FINDING}\n")
  const classifier = createClassifier({ rules })
  const error = { category: 'unknown', text: 'rm -rf failed' }
  const all = [
    { kind: 'question.request', id: 'q', questions: [{ text: 'Which?' }, { text: 'May I rm -rf?' }] },
    { kind: 'permission.request', id: 'p', options: [], input: { command: 'rm -rf /' } },
    { kind: 'tool.end', call: 'c', status: 'error', error },
    { kind: 'retry.start', scope: 'tool', attempt: 1, error },
  ]
  for (const event of all) assert.equal(classifier.push({ v: 1, seq: 1, ...event } as Event).class, 'FINDING', event.kind)
})

test('no pattern can stall the stream, also where it matches again and again in pieces', async () => {
  const chunk = (text: string): Rec => ({ event: 'agent.message_chunk', session_id: 's', messageId: 'm', content: { text } })
  const start = performance.now()
  const verdicts = await judge("rules:\n  - {text: 'x*y|x', class: FINDING}\n", [chunk('x'.repeat(1000)), chunk('x'.repeat(300_000))])
  assert.deepEqual(
    verdicts.map(({ class: its }) => its),
    ['FINDING', 'FINDING'],
  )
  assert.ok(performance.now() - start < 10_000)
})

test('no pattern can stall the stream', async () => {
  const rules = "rules:\n  - {text: '(a+)+$', class: FINDING}\n  - {text: '(x|xx)*y', class: FINDING}\n"
  const start = performance.now()
  await judge(rules, [{ event: 'agent.message_chunk', delta: `${'a'.repeat(100_000)}b${'x'.repeat(100_000)}` }])
  assert.ok(performance.now() - start < 10_000)
})

suite('a mistake is told with its line', () => {
  const wrong: [string, RegExp][] = [
    ['rules:\n  - event: x\n    clas: FINDING\n', /^line 3: unknown key "clas" in a rule; did you mean class\?$/],
    ['rules:\n  - event: x\n    class: FINDNG\n', /^line 3: "FINDNG" is not a class; use MILESTONE, FINDING or ACTIVITY$/],
    ['rules:\n  - event: x\n', /^line 2: a rule needs a class/],
    ['rules:\n  - class: FINDING\n', /^line 2: a rule needs at least one of event, kind, where, text$/],
    ['rules:\n  - {kind: tool.ends, class: FINDING}\n', /^line 2: "tool.ends" is not a kind of event; did you mean tool.end\?$/],
    ['rules:\n  - kind: text.delta\n    text: "(unclosed"\n    class: FINDING\n', /^line 3: the pattern "\(unclosed" is not valid: /],
    ['rules:\n  - kind: text.delta\n    text: "a(?=b)"\n    class: FINDING\n', /^line 3: the pattern "a\(\?=b\)" is not valid: /],
    ['rules:\n  - where:\n      a: 1\n      b: {great: 1}\n    class: FINDING\n', /^line 4: unknown key "great" in the condition on "b"; /],
    ['rules:\n  - {where: {a: {gt: x}}, class: FINDING}\n', /^line 2: gt takes a number$/],
    ['rules:\n  - {where: {a: {in: x}}, class: FINDING}\n', /^line 2: in takes a list of values, at least one$/],
    ['rules:\n  - {where: {a: []}, class: FINDING}\n', /^line 2: in takes a list of values, at least one$/],
    ['rules:\n  - {where: {a: {gt: .nan}}, class: FINDING}\n', /^line 2: gt takes a number$/],
    ['rules:\n  - {event: a, where: {}, class: FINDING}\n', /^line 2: where is empty; name a field$/],
    [
      'rules:\n  - event: x\n    where: {a: {}}\n    class: FINDING\n',
      /^line 3: the condition on "a" is empty; give a value, or one of equals, /,
    ],
    ['rules:\n  - {where: [a], class: FINDING}\n', /^line 2: where must be a mapping/],
    ['rules:\n  - {event: [], class: FINDING}\n', /^line 2: give a name, or a list of names$/],
    ['rule:\n  - x\n', /^line 1: unknown key "rule" in the file; did you mean rules\?$/],
    ['- event: x\n', /^line 1: the file must be a mapping with the keys rules$/],
    ['rules: 3\n', /^line 1: the file needs a list under the key rules$/],
    ['', /^line 1: the file needs a list under the key rules$/],
    ['rules:\n  - event: [x\n', /^line [23]: /],
    ['rules:\n  - event: x\n    event: y\n    class: FINDING\n', /^line 3: /],
    ['rules:\n  - {event: &a x, class: FINDING}\n  - {event: *a, class: *b}\n', /^line 3: Unresolved alias .*: b$/],
    ['rules:\n  - just text\n', /^line 2: a rule must be a mapping with the keys name, event, /],
  ]
  for (const [yaml, message] of wrong)
    test(JSON.stringify(yaml), () =>
      assert.rejects(compileRules(yaml), (error: unknown) => error instanceof RulesError && message.test(error.message)),
    )
})
