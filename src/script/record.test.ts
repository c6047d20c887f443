import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadScript } from './load.ts'
import { nothingSaid, type Said } from './record-answer.ts'
import { type Answered, createRecording } from './record.ts'
import { scriptText } from './record-text.ts'
import type { Conversation } from './script.ts'

const talk = (answers: number, of: Partial<Conversation> = {}): Conversation => ({
  prompt: 'fix it',
  system: 'be brief',
  model: 'm',
  agent: 'a',
  tools: true,
  answers,
  ...of,
})
const words = (text: string, of: Partial<Said> = {}): Said => ({ ...nothingSaid, text, finish: 'stop', ...of })
const fails = (status: number): Said => ({ ...nothingSaid, failure: { status, message: 'no', retryAfter: undefined } })
const part = (text: string): Said => ({ ...nothingSaid, text })

type Entry = [conversation: Conversation, said: Said, end?: Answered['end']]
function record(...entries: Entry[]) {
  const recording = createRecording()
  for (const [conversation, said, end = 'whole'] of entries) recording.add({ conversation, provider: 'p', said, end })
  return recording.script()
}
const turns = (...entries: Entry[]) => record(...entries)?.turns

suite('turns', () => {
  test('each is where its conversation is, with all that was said, and nothing that goes without saying', () => {
    const usage = { input: 1, output: 2, reasoning: 3, cacheRead: 0, cacheWrite: 5 }
    const tools = [
      { name: 'read', input: { a: 1 } },
      { name: 'ring', input: {} },
      { name: 'patch', input: '' },
    ]
    const script = record(
      [talk(0), words('Hi', { think: 'Hm', tools, usage, finish: 'tool-calls', model: 'm-1' })],
      [talk(1), words('I had more to s', { finish: 'length' })],
      [talk(2), words('')],
    )
    assert.deepEqual(script, {
      model: 'p/m',
      turns: [
        {
          think: 'Hm',
          text: 'Hi',
          tools: [{ name: 'read', input: { a: 1 } }, { name: 'ring' }, { name: 'patch', input: '' }],
          usage: { input: 1, output: 2, reasoning: 3, cacheWrite: 5 },
        },
        { text: 'I had more to s', finish: 'length' },
        { text: '' },
      ],
    })
  })

  test('failures before an answer are counted; without an answer it fails always', () => {
    const failed: Entry = [talk(0), { ...nothingSaid, failure: { status: 429, message: 'no', retryAfter: 1500 } }]
    const error = { status: 429, message: 'no', retryAfter: '1500ms' }
    assert.deepEqual(turns(failed, failed), [{ error }])
    assert.deepEqual(turns(failed, failed, [talk(0), words('yes')]), [{ error: { ...error, times: 2 }, text: 'yes' }])
  })

  test('cuts before an answer are counted; without an answer it is cut always, after what came', () => {
    const cut: Entry = [talk(0), part('ye'), 'cut']
    assert.deepEqual(turns(cut), [{ text: 'ye', cut: true }])
    assert.deepEqual(turns(cut, cut, [talk(0), words('yes')]), [{ text: 'yes', cut: 2 }])
    assert.deepEqual(turns([talk(0), part('ye')], [talk(0), words('yes')]), [{ text: 'yes', cut: 1 }], 'an end without a word is a cut')
    assert.deepEqual(turns([talk(0), nothingSaid, 'cut']), [{ text: '', cut: true }])
    const broken: Entry = [talk(0), { ...part('ye'), failure: fails(529).failure }]
    assert.deepEqual(turns(broken), [{ text: 'ye', cut: true }], 'an error in the middle of an answer')
  })

  test('failures and cuts of one turn', () => {
    assert.deepEqual(turns([talk(0), fails(500)], [talk(0), part('y'), 'cut'], [talk(0), words('yes')]), [
      { error: { status: 500, message: 'no', times: 1 }, text: 'yes', cut: 1 },
    ])
  })

  test('of an answer that the client left, what it has of it; nothing of none', () => {
    assert.deepEqual(turns([talk(0), part('ye'), 'left']), [{ text: 'ye' }])
    assert.deepEqual(turns([talk(0), part('ye'), 'left'], [talk(0), words('yes')]), [{ text: 'yes' }])
    assert.equal(record([talk(0), nothingSaid, 'left']), undefined)
    assert.deepEqual(turns([talk(0), words('yes'), 'left']), [{ text: 'yes' }], 'it had all, and did not wait for the end')
  })

  test('a request that is asked again has its last answer; a failure then counts anew', () => {
    assert.deepEqual(turns([talk(0), words('one')], [talk(0), words('two')]), [{ text: 'two' }])
    assert.deepEqual(turns([talk(0), fails(500)], [talk(0), words('one')], [talk(0), fails(429)]), [
      { error: { status: 429, message: 'no' } },
    ])
  })

  test('a client that goes back takes another way from there', () => {
    assert.deepEqual(turns([talk(0), words('one')], [talk(1), words('two')], [talk(2), words('three')], [talk(1), words('other')]), [
      { text: 'one' },
      { text: 'other' },
    ])
  })

  test('turns from before the recording are told to be missing', () => {
    const missing = { text: 'This turn was not recorded.' }
    assert.deepEqual(turns([talk(2), words('three')]), [missing, missing, { text: 'three' }])
  })
})

suite('lanes', () => {
  test('the main conversation has the turns; a side call has a lane for all that come without tools', () => {
    const side = talk(0, { tools: false, prompt: 'a title for: fix it', system: 'make titles' })
    assert.deepEqual(record([side, words('A title')], [talk(0), words('one')], [talk(1), words('two')]), {
      model: 'p/m',
      lanes: [{ name: 'side call 2', when: { tools: false }, repeat: true, turns: [{ text: 'A title' }] }],
      turns: [{ text: 'one' }, { text: 'two' }],
    })
  })

  test('a subagent is known by what only its prompt has, best the words of its user', () => {
    const around = '<env>\nToday is day 17\n</env>\n'
    const script = record(
      [talk(0, { prompt: `${around}fix it` }), words('one')],
      [talk(0, { prompt: `${around}count the lines` }), words('three')],
      [talk(1, { prompt: `${around}count the lines` }), words('really')],
      [talk(1, { prompt: `${around}fix it` }), words('two')],
    )
    assert.deepEqual(script?.lanes, [
      { name: 'conversation 2', when: { tools: true, prompt: 'count the lines' }, turns: [{ text: 'three' }, { text: 'really' }] },
    ])
    assert.deepEqual(script?.turns, [{ text: 'one' }, { text: 'two' }])
  })

  test('a prompt that is a part of another is known as a whole', () => {
    const script = record([talk(0, { prompt: 'fix (it) now' }), words('one')], [talk(0, { prompt: 'fix (it)' }), words('two')])
    assert.deepEqual(script?.lanes?.[0]?.when, { tools: true, prompt: String.raw`/^fix \(it\)$/` })
  })

  test('a line that looks like a regular expression is taken as it is', async () => {
    const script = record([talk(0), words('one')], [talk(0, { prompt: '/usr/l.b/' }), words('two')])!
    const { lanes } = await loadScript(await scriptText(script, 'yaml'), 'x.yaml')
    assert.equal(lanes[0]!.matches(talk(0, { prompt: '/usr/l.b/' })), true)
    assert.equal(lanes[0]!.matches(talk(0, { prompt: '/usr/lib/' })), false)
  })

  test('the same prompt with another system prompt is another conversation', () => {
    const side = (system: string): Conversation => talk(0, { tools: false, system })
    const script = record([talk(0), words('x')], [side('make titles'), words('A title')], [side('make branches'), words('fix-it')])
    assert.deepEqual(
      script?.lanes?.map(({ when, turns: [turn] }) => [when, turn?.text]),
      [
        [{ tools: false, system: 'make titles' }, 'A title'],
        [{ tools: false, system: 'make branches' }, 'fix-it'],
      ],
    )
  })

  test('a system prompt that changes on the way is the same conversation', () => {
    const at = (answers: number, system: string): Conversation => talk(answers, { system })
    assert.deepEqual(
      turns([at(0, 'id=ab at 12:01'), words('1')], [at(0, 'id=cd at 12:02'), words('one')], [at(1, 'another'), words('two')]),
      [{ text: 'one' }, { text: 'two' }],
    )
  })

  test('whatever is recorded is a script, and each conversation finds its own lane in it', async () => {
    const prompts = ['a', 'ab', 'abc\nd', 'abc\nde', '/x/', '', ' ', 'x'.repeat(500)]
    const talks = prompts.flatMap((prompt) => [true, false].map((tools) => talk(0, { prompt, tools })))
    const script = record(...talks.map((one, index): Entry => [one, words(`answer ${index}`)]))!
    const { lanes } = await loadScript(await scriptText(script, 'yaml'), 'x.yaml')
    for (const [index, one] of talks.entries())
      assert.equal(lanes.find(({ matches }) => matches(one))?.turns[0]?.text, `answer ${index}`, JSON.stringify(one.prompt.slice(0, 20)))
  })
})
