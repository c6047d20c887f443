import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadScript } from './load.ts'

const fails = async (text: string): Promise<string> => {
  let message = ''
  await assert.rejects(loadScript(text, 'a.yaml'), (error: Error) => {
    assert.equal(error.name, 'ScriptError')
    message = error.message
    return true
  })
  return message
}

suite('what is wrong is said with its place', () => {
  const known = 'think, text, tools, chunk, delay, usage, finish, error, cut, malformed'
  const cases: [script: string, message: string][] = [
    ['turn: []', 'a.yaml:1: unknown key "turn" in the script; did you mean turns?\na.yaml:1: the script needs turns or lanes'],
    ['turns:\n  - text: a\n    txet: b', 'a.yaml:3: unknown key "txet" in turns 1; did you mean text?'],
    ['turns:\n  - text: a\n    banana: b', `a.yaml:3: unknown key "banana" in turns 1; known are ${known}`],
    ['turns:\n  - text: [a]', 'a.yaml:2: turns 1, text must be a text, not a list'],
    ['turns:\n  - text: 5', 'a.yaml:2: turns 1, text must be a text, not 5'],
    ['turns:\n- {}', `a.yaml:2: turns 1 needs at least one of ${known}`],
    ['turns:\n-', 'a.yaml:2: turns 1 must be a mapping, not nothing'],
    ['turns: {text: a}', 'a.yaml:1: turns must be a list, not a mapping'],
    ['- text: a', 'a.yaml:1: the script must be a mapping, not a list'],
    ['', 'a.yaml:1: the script must be a mapping, not nothing'],
    ['turns:\n  - tools:\n      - input: {}', 'a.yaml:3: turns 1, tools 1 needs name'],
    [
      'turns:\n  - tools:\n      - name: a\n        input: [1]',
      'a.yaml:4: turns 1, tools 1, input must be a mapping or a text, not a list',
    ],
    ['turns:\n  - usage: {input: -1}', 'a.yaml:2: turns 1, usage, input must be 0 or more, not -1'],
    ['turns:\n  - usage: {input: 1.5}', 'a.yaml:2: turns 1, usage, input must be a whole number, not 1.5'],
    ['turns:\n  - usage: {cached: 1}', 'a.yaml:2: unknown key "cached" in turns 1, usage; did you mean cacheRead?'],
    ['turns:\n  - finish: end', 'a.yaml:2: turns 1, finish must be one of stop, tool-calls, length, refusal, not "end"'],
    ['turns:\n  - error: {status: 200}', 'a.yaml:2: turns 1, error, status must be from 400 to 599, not 200'],
    ['turns:\n  - error: {times: 0}', 'a.yaml:2: turns 1, error, times must be 1 or more, not 0'],
    ['turns:\n  - {cut: 0}', 'a.yaml:2: turns 1, cut must be 1 or more, not 0'],
    ['turns:\n  - {cut: "yes"}', 'a.yaml:2: turns 1, cut must be true or false or a whole number, not "yes"'],
    ['turns:\n  - text: a\n    malformed: true', 'a.yaml:3: malformed means nothing without tools'],
    [
      'turns:\n  - text: a\n    delay: 5 sec',
      'a.yaml:3: turns 1, delay cannot be "5 sec" (waited before each piece: 20ms, 1.5s, 2m, or a number of milliseconds)',
    ],
    ['turns: []\nlanes:\n  - name: a', 'a.yaml:3: lanes 1 needs turns'],
    ['lanes:\n  - when:\n      promt: a\n    turns: []', 'a.yaml:3: unknown key "promt" in lanes 1, when; did you mean prompt?'],
    ['{"turns": [\n  {"text": 5}\n]}', 'a.yaml:2: turns 1, text must be a text, not 5'],
    ['{"turns": [\n\t{"text": "a", "txet": 5}\n]}', 'a.yaml:2: unknown key "txet" in turns 1; did you mean text?'],
    ['turns:\n  - text: a\n    text: b', 'a.yaml:3: Map keys must be unique'],
    ['turns: [\n', 'a.yaml:2: Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ]
  for (const [script, message] of cases) test(JSON.stringify(script), async () => assert.equal(await fails(script), message))

  test('a bad pattern', async () => {
    const message = await fails('lanes:\n  - turns: []\n    when:\n      prompt: /(?=a)/')
    assert.match(message, /^a\.yaml:4: the pattern "\/\(\?=a\)\/" is not valid: /)
    assert.match(await fails(`lanes: [{turns: [], when: {system: '/${'a'.repeat(1001)}/'}}]`), /longer than 1000 characters$/)
  })

  test('all mistakes at once, up to a number', async () => {
    assert.equal((await fails('turns: [{text: 1}, {think: 2}]')).split('\n').length, 2)
    assert.equal((await fails(`turns: [${'{text: 1}, '.repeat(100)}]`)).split('\n').length, 20)
  })

  test('aliases that grow without end', async () => {
    const lines = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghij'.split('').map((name, index) => `${name}: &${name} [${`*${'abcdefghi'[index]},`.repeat(9)}]`),
    ]
    assert.match(await fails(`turns: []\n${lines.join('\n')}`), /^a\.yaml:3: .*alias/)
  })
})

suite('what a script means', () => {
  const onlyTurn = async (turn: string) => (await loadScript(`chunk: 7\ndelay: 1s\nturns: [${turn}]`, 'a.yaml')).lanes[0]!.turns[0]!

  test('defaults', async () => {
    const { lanes, model } = await loadScript('{"turns": [{"text": "a"}]}', 'a.json')
    assert.equal(model, undefined)
    assert.equal(lanes[0]?.name, 'main')
    assert.deepEqual(lanes[0]?.turns, [
      {
        think: undefined,
        text: 'a',
        tools: [],
        chunk: undefined,
        delay: 0,
        usage: { input: 100, output: 20, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
        finish: 'stop',
        error: undefined,
        cuts: 0,
        malformed: false,
      },
    ])
  })

  test('a usage is whole, what it lacks is nothing', async () => {
    assert.deepEqual((await onlyTurn('{usage: {output: 3}}')).usage, { input: 0, output: 3, reasoning: 0, cacheRead: 0, cacheWrite: 0 })
  })

  test('the pace of the script is that of each turn that has none', async () => {
    const pace = ({ chunk, delay }: { chunk: number | undefined; delay: number }) => [chunk, delay]
    assert.deepEqual(pace(await onlyTurn('{text: a}')), [7, 1000])
    assert.deepEqual(pace(await onlyTurn('{text: a, chunk: 2, delay: 30}')), [2, 30])
  })

  test('durations', async () => {
    const delay = async (text: string) => (await onlyTurn(`{delay: ${text}}`)).delay
    assert.deepEqual(await Promise.all(['20', '20ms', '1.5s', '2m', '.inf'].map(delay)), [20, 20, 1500, 120_000, 2 ** 31 - 1])
    const retryAfter = async (text: string) => (await onlyTurn(`{error: {retryAfter: ${text}}}`)).error?.retryAfter
    assert.deepEqual(await Promise.all(['2', '2s', '500ms'].map(retryAfter)), [2000, 2000, 500])
  })

  test('calls of tools end a turn as such, unless it says otherwise', async () => {
    assert.equal((await onlyTurn('{tools: [{name: a}]}')).finish, 'tool-calls')
    assert.equal((await onlyTurn('{tools: [{name: a}], finish: stop}')).finish, 'stop')
  })
})
