// What holds for every face: whatever the answer and however it is cut in pieces, a client that adds up the stream has the same as one
// that asked for a plain answer, and both have what the script said.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as fc from 'fast-check'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import type { Answer, Part } from './engine.ts'
import type { Face } from './face.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'
import type { Usage } from './script.ts'
import { answersWith } from './support.test.ts'

const answers = answersWith('stop', 'tool-calls', 'length', 'refusal')

type Read = { think: string; text: string; calls: { name: unknown; input: unknown }[] }

/** The value under a path; undefined where there is none. */
const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((of, key) => (of as Record<string | number, unknown> | undefined | null)?.[key], value)
const list = (value: unknown): unknown[] => (value ?? []) as unknown[]
const joined = (values: unknown[]): string => values.filter((value) => typeof value === 'string').join('')
const plainOf = (parts: readonly Part[]): Read => ({
  think: joined(parts.map((part) => (part.type === 'think' ? part.text : undefined))),
  text: joined(parts.map((part) => (part.type === 'text' ? part.text : undefined))),
  calls: parts.flatMap((part) => (part.type === 'tool' ? { name: part.name, input: part.input } : [])),
})

type Client = {
  face: Face
  /** Adds up a stream. */
  stream(events: unknown[]): Read
  plain(body: unknown): Read
  usageIn(body: unknown): unknown
  /** What is counted as input and as output, and the sum of all where the API tells it. */
  counts(usage: unknown): { input: unknown; output: unknown; total?: unknown }
  expected(usage: Usage): { input: number; output: number; total?: number }
}
const allOf = ({ input, output, reasoning, cacheRead, cacheWrite }: Usage) => ({
  input: input + cacheRead + cacheWrite,
  output: output + reasoning,
  total: input + output + reasoning + cacheRead + cacheWrite,
})

const partsOfGemini = (parts: unknown[]): Read => ({
  think: joined(parts.map((part) => (at(part, 'thought') === true ? at(part, 'text') : undefined))),
  text: joined(parts.map((part) => (at(part, 'thought') === true ? undefined : at(part, 'text')))),
  calls: parts.flatMap((part) => {
    const of = at(part, 'functionCall')
    return of === undefined ? [] : { name: at(of, 'name'), input: at(of, 'args') }
  }),
})

const clients: Client[] = [
  {
    face: anthropic,
    stream: (events) => ({
      think: joined(events.map((event) => at(event, 'delta', 'thinking'))),
      text: joined(events.map((event) => at(event, 'delta', 'text'))),
      calls: events.flatMap((event) =>
        at(event, 'content_block', 'type') === 'tool_use'
          ? {
              name: at(event, 'content_block', 'name'),
              input: JSON.parse(
                joined(
                  events.flatMap((other) => (at(other, 'index') === at(event, 'index') ? at(other, 'delta', 'partial_json') : undefined)),
                ),
              ) as unknown,
            }
          : [],
      ),
    }),
    plain: (body) => ({
      think: joined(list(at(body, 'content')).map((block) => at(block, 'thinking'))),
      text: joined(list(at(body, 'content')).map((block) => at(block, 'text'))),
      calls: list(at(body, 'content')).flatMap((block) =>
        at(block, 'type') === 'tool_use' ? { name: at(block, 'name'), input: at(block, 'input') } : [],
      ),
    }),
    usageIn: (body) => at(body, 'usage'),
    counts: (usage) => ({ input: at(usage, 'input_tokens'), output: at(usage, 'output_tokens') }),
    expected: ({ input, output, reasoning }) => ({ input, output: output + reasoning }),
  },
  {
    face: responses,
    stream: (events) =>
      clients[1]!.plain({
        output: events.flatMap((event) => (at(event, 'type') === 'response.output_item.done' ? at(event, 'item') : [])),
      }),
    plain: (body) => ({
      think: joined(list(at(body, 'output')).map((item) => at(item, 'summary', 0, 'text'))),
      text: joined(list(at(body, 'output')).map((item) => at(item, 'content', 0, 'text'))),
      calls: list(at(body, 'output')).flatMap((item) =>
        at(item, 'type') === 'function_call'
          ? { name: at(item, 'name'), input: JSON.parse(at(item, 'arguments') as string) as unknown }
          : [],
      ),
    }),
    usageIn: (body) => at(body, 'usage') ?? at(body, 'response', 'usage'),
    counts: (usage) => ({ input: at(usage, 'input_tokens'), output: at(usage, 'output_tokens'), total: at(usage, 'total_tokens') }),
    expected: allOf,
  },
  {
    face: chat,
    stream(events) {
      const deltas = events.map((event) => at(event, 'choices', 0, 'delta'))
      const pieces = deltas.flatMap((delta) => list(at(delta, 'tool_calls')))
      return {
        think: joined(deltas.map((delta) => at(delta, 'reasoning_content'))),
        text: joined(deltas.map((delta) => at(delta, 'content'))),
        calls: pieces
          .filter((piece) => at(piece, 'id') !== undefined)
          .map((first) => {
            const its = pieces.filter((piece) => at(piece, 'index') === at(first, 'index'))
            return {
              name: at(first, 'function', 'name'),
              input: JSON.parse(joined(its.map((piece) => at(piece, 'function', 'arguments')))) as unknown,
            }
          }),
      }
    },
    plain: (body) => ({
      think: joined([at(body, 'choices', 0, 'message', 'reasoning_content')]),
      text: joined([at(body, 'choices', 0, 'message', 'content')]),
      calls: list(at(body, 'choices', 0, 'message', 'tool_calls')).map((of) => ({
        name: at(of, 'function', 'name'),
        input: JSON.parse(at(of, 'function', 'arguments') as string) as unknown,
      })),
    }),
    usageIn: (body) => at(body, 'usage'),
    counts: (usage) => ({ input: at(usage, 'prompt_tokens'), output: at(usage, 'completion_tokens'), total: at(usage, 'total_tokens') }),
    expected: allOf,
  },
  {
    face: gemini,
    stream: (events) => partsOfGemini(events.flatMap((event) => list(at(event, 'candidates', 0, 'content', 'parts')))),
    plain: (body) => partsOfGemini(list(at(body, 'candidates', 0, 'content', 'parts'))),
    usageIn: (body) => at(body, 'usageMetadata'),
    counts: (usage) => ({
      input: at(usage, 'promptTokenCount'),
      output: (at(usage, 'candidatesTokenCount') as number) + (at(usage, 'thoughtsTokenCount') as number),
      total: at(usage, 'totalTokenCount'),
    }),
    expected: allOf,
  },
]

const context = { model: 'm', now: 0, body: { stream_options: { include_usage: true } } }
for (const { face, stream, plain, usageIn, counts, expected } of clients) {
  suite(face.name, () => {
    const eventsOf = (answer: Answer): unknown[] =>
      JSON.parse(JSON.stringify([...face.frames(answer, context)].map(({ data }) => data))) as unknown[]
    const bodyOf = (answer: Answer): unknown => JSON.parse(JSON.stringify(face.plain(answer, context)))

    test('stream and plain answer say what the script says, in whatever pieces', () => {
      fc.assert(
        fc.property(answers, (answer) => {
          const said = plainOf(JSON.parse(JSON.stringify(answer.parts)) as Part[])
          assert.deepEqual(stream(eventsOf(answer)), said)
          assert.deepEqual(plain(bodyOf(answer)), said)
        }),
      )
    })

    test('tokens are added up as the API does, the same in the stream and in the plain answer', () => {
      fc.assert(
        fc.property(answers, (answer) => {
          const inPlain = usageIn(bodyOf(answer))
          const inStream = eventsOf(answer)
            .map(usageIn)
            .filter((usage) => usage !== undefined && usage !== null)
            .at(-1)
          assert.deepEqual(inStream, inPlain)
          assert.deepEqual(counts(inPlain), expected(answer.usage))
        }),
      )
    })
  })
}
