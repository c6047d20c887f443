import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assert as forAll, property, integer, string } from 'fast-check'
import { createEngine, type Part, piecesOf } from './engine.ts'
import { loadScript } from './load.ts'
import type { Conversation } from './script.ts'

const conversation: Conversation = { prompt: 'fix the test', system: 'You help.', model: 'm', agent: 'a/1', tools: true, answers: 0 }
const engineOf = async (script: string) => createEngine(await loadScript(script, 'test.yaml'))
const textIn = (parts: readonly Part[] | undefined): string | undefined => parts?.find((part) => part.type === 'text')?.text

suite('which turn', () => {
  test('as many answers as the conversation has, whoever asked before', async () => {
    const next = await engineOf('turns: [{text: one}, {text: two}]')
    const said = (answers: number) => textIn(next({ ...conversation, answers }).answer?.parts)
    assert.deepEqual([1, 0, 1, 0, 0].map(said), ['two', 'one', 'two', 'one', 'one'])
  })

  test('the reply says where it stands in the script', async () => {
    const next = await engineOf(
      'lanes: [{name: sub, when: {prompt: count}, turns: [{text: a}, {error: {status: 500}}]}]\nturns: [{text: b}]',
    )
    const place = (of: Partial<Conversation>) => {
      const { lane, turn } = next({ ...conversation, ...of })
      return [lane, turn]
    }
    assert.deepEqual(place({}), ['main', 1])
    assert.deepEqual(place({ prompt: 'count lines' }), ['sub', 1])
    assert.deepEqual(place({ prompt: 'count lines', answers: 1 }), ['sub', 2])
    assert.deepEqual(place({ answers: 1 }), [undefined, undefined])
  })

  test('a script that is over says so and ends', async () => {
    const next = await engineOf('lanes: [{name: sub, when: {tools: false}, turns: [{text: a}]}]')
    const over = next({ ...conversation, tools: false, answers: 1 })
    assert.equal(over.answer?.finish, 'stop')
    assert.equal(textIn(over.answer?.parts), 'The script has no more turns in the lane "sub".')
    assert.equal(textIn(next(conversation).answer?.parts), 'The script has no lane for this conversation.')
  })

  test('a lane that repeats begins again', async () => {
    const next = await engineOf('lanes: [{repeat: true, turns: [{text: a}, {text: b}]}]')
    assert.deepEqual(
      [0, 1, 2, 3, 100].map((answers) => textIn(next({ ...conversation, answers }).answer?.parts)),
      ['a', 'b', 'a', 'b', 'a'],
    )
    const empty = await engineOf('lanes: [{repeat: true, turns: []}]')
    assert.match(textIn(empty(conversation).answer?.parts) ?? '', /no more turns/)
  })
})

suite('which lane', () => {
  const cases: [when: string, of: Partial<Conversation>, matches: boolean][] = [
    ['{prompt: the test}', {}, true],
    ['{prompt: The test}', {}, false],
    ['{prompt: /^FIX .* test$/i}', {}, true],
    ['{prompt: "/^the/"}', {}, false],
    ['{prompt: "/^second/m"}', { prompt: 'first\nsecond' }, true],
    ['{prompt: "/first.second/"}', { prompt: 'first\nsecond' }, false],
    ['{prompt: "/first.second/s"}', { prompt: 'first\nsecond' }, true],
    ['{prompt: "a/b/"}', { prompt: 'in a/b/c' }, true],
    ['{system: help, model: m, agent: a/1}', {}, true],
    ['{system: help, model: n}', {}, false],
    ['{tools: false}', {}, false],
    ['{tools: false}', { tools: false }, true],
    ['{tools: true}', { tools: false }, false],
    ['{}', {}, true],
  ]
  for (const [when, of, matches] of cases)
    test(`${when} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(of)}`, async () => {
      const next = await engineOf(`lanes: [{when: ${when}, turns: [{text: a}]}]`)
      assert.equal(next({ ...conversation, ...of }).lane !== undefined, matches)
    })

  test('a pattern that would take for ever in other engines does not', async () => {
    const next = await engineOf(String.raw`lanes: [{when: {prompt: '/^(a+)+$/'}, turns: [{text: a}]}]`)
    const started = performance.now()
    assert.equal(next({ ...conversation, prompt: `${'a'.repeat(1_000_000)}b` }).lane, 'lane 1') // only the beginning is searched
    assert.equal(next({ ...conversation, prompt: `${'a'.repeat(50_000)}b` }).lane, undefined)
    assert.ok(performance.now() - started < 5000)
  })
})

suite('what fails', () => {
  test('an error with times fails so often, for each turn apart, then the rest of the turn is given', async () => {
    const next = await engineOf(
      'turns: [{error: {status: 429, message: wait, retryAfter: 2s, times: 2}, text: one}, {error: {status: 500, times: 1}, text: two}]',
    )
    const ask = (answers: number) => {
      const { failure, answer } = next({ ...conversation, answers })
      return failure?.status ?? textIn(answer?.parts)
    }
    assert.deepEqual([0, 1, 0, 1, 0, 0, 1].map(ask), [429, 500, 429, 'two', 'one', 'one', 'two'])
  })

  test('an error without times always fails', async () => {
    const next = await engineOf('turns: [{error: {}}]')
    for (let count = 0; count < 50; count++)
      assert.deepEqual(next(conversation).failure, {
        status: 500,
        message: 'The script says that this request fails.',
        retryAfter: undefined,
        times: Infinity,
      })
  })

  test('errors come first, then cuts, then the whole', async () => {
    const next = await engineOf('turns: [{error: {times: 1}, cut: 2, text: one}]')
    const seen = Array.from({ length: 5 }, () => next(conversation)).map(({ answer }) => answer?.cut)
    assert.deepEqual(seen, [undefined, true, true, false, false])
  })

  test('cut: true is for ever', async () => {
    const next = await engineOf('turns: [{cut: true, text: one}]')
    for (let count = 0; count < 50; count++) assert.equal(next(conversation).answer?.cut, true)
  })
})

suite('pieces', () => {
  const whole = (text: string): Part => ({ type: 'text', text })

  test('the pieces of any text join to the text, none is empty, and no character is torn', () => {
    forAll(
      property(string({ unit: 'binary', maxLength: 200 }), integer({ min: 1, max: 40 }), (text, chunk) => {
        const pieces = [...piecesOf(whole(text), chunk)]
        assert.equal(pieces.join(''), text)
        for (const [index, piece] of pieces.entries()) {
          assert.ok(piece.isWellFormed())
          assert.ok(piece.length > 0 && piece.length <= chunk + 1)
          if (index < pieces.length - 1) assert.ok(piece.length >= chunk)
        }
      }),
    )
  })

  test('text that is torn already is passed on as it is', () => {
    const torn = `a${'🙂'[0]!}b${'🙂'[1]!}`
    assert.equal([...piecesOf(whole(torn), 1)].join(''), torn)
  })

  test('ten megabytes are one piece without a chunk size', async () => {
    const next = await engineOf(JSON.stringify({ turns: [{ think: 'x'.repeat(10_000_000) }] }))
    const { answer } = next(conversation)
    assert.deepEqual(
      [...piecesOf(answer!.parts[0]!, answer!.chunk)].map(({ length }) => length),
      [10_000_000],
    )
  })
})
