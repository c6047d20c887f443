import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { loadScript } from './load.ts'
import { formatOf, scriptText } from './record-text.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\n', ' ', '\t', '\r', '#', ':', '-', 'a', "'", '"', '|', '\u2028', '🙂', '\\', '{') }),
)
const input = fc.oneof(text, fc.dictionary(text, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4, noNullPrototype: true }))

for (const format of ['yaml', 'json'] as const)
  test(`${format}: whatever was said is read back as it was`, async () => {
    await fc.assert(
      fc.asyncProperty(text, text, input, text, async (think, words, given, name) => {
        const script = {
          lanes: [{ name, when: { tools: false }, repeat: true, turns: [{ text: words }] }],
          turns: [{ think, text: words, tools: [{ name, input: JSON.parse(JSON.stringify(given)) as typeof given }], usage: { input: 1 } }],
        }
        const { lanes } = await loadScript(await scriptText(script, format), 'x')
        const [side, main] = [lanes[0]!, lanes[1]!.turns[0]!]
        assert.equal(side.name, name)
        assert.equal(main.think, think)
        assert.equal(main.text, words)
        assert.deepEqual(main.tools[0], { ...script.turns[0]!.tools[0], id: undefined })
      }),
    )
  })

test('texts of blanks alone are read back, too', async () => {
  const blank = fc.string({ unit: fc.constantFrom('\n', ' ', '\t') })
  await fc.assert(
    fc.asyncProperty(blank, async (text) => {
      const { lanes } = await loadScript(await scriptText({ turns: [{ text }] }, 'yaml'), 'x')
      assert.equal(lanes[0]!.turns[0]!.text, text)
    }),
  )
})

test('YAML is for people: texts are blocks, counts stand on one line, nothing is an alias', async () => {
  const usage = { input: 12, output: 3 }
  const script = {
    model: 'p/m',
    lanes: [{ name: 'side call 2', when: { tools: false, prompt: 'a: title' }, turns: [{ text: 'A title', usage }] }],
    turns: [{ think: 'one\ntwo: x', text: `${'long '.repeat(40)}line`, tools: [{ name: 'edit', input: { old: 'a\n  b\n' } }], usage }],
  }
  assert.equal(
    await scriptText(script, 'yaml'),
    `# recorded with sluice model record

model: p/m
lanes:
  - name: side call 2
    when: {tools: false, prompt: "a: title"}
    turns:
      - text: A title
        usage: {input: 12, output: 3}
turns:
  - think: |-
      one
      two: x
    text: ${'long '.repeat(40)}line
    tools:
      - name: edit
        input:
          old: |
            a
              b
    usage: {input: 12, output: 3}
`,
  )
})

test('the ending of the file says which', () => {
  assert.deepEqual(['a.yaml', 'a.YML', 'a.json', 'a.txt', 'yaml'].map(formatOf), ['yaml', 'yaml', 'json', undefined, undefined])
})
