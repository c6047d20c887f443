// Answers of any kind for tests of the faces and of the recorder.
import * as fc from 'fast-check'
import type { Answer, Part } from './engine.ts'

const text = fc.string({ unit: 'binary', maxLength: 50 })
const said = (type: 'think' | 'text'): fc.Arbitrary<Part> => text.map((value) => ({ type, text: value }))
const call: fc.Arbitrary<Part> = fc
  .record({
    id: fc.uuid(),
    name: fc.constantFrom('read', 'bash'),
    input: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true }),
  })
  .map((of) => ({ type: 'tool', ...of, json: JSON.stringify(of.input) }))
const count = fc.nat(1_000_000)
export const answersWith = (...finishes: Answer['finish'][]): fc.Arbitrary<Answer> =>
  fc.record({
    serial: fc.nat(),
    parts: fc
      .tuple(fc.option(said('think')), fc.option(said('text')), fc.array(call, { maxLength: 3 }))
      .map(([think, words, calls]) => [think, words, ...calls].filter((part) => part !== null)),
    usage: fc.record({ input: count, output: count, reasoning: count, cacheRead: count, cacheWrite: count }),
    finish: fc.constantFrom(...finishes),
    malformed: fc.constant(false),
    chunk: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(Infinity)),
    delay: fc.constant(0),
    cut: fc.constant(false),
  })
