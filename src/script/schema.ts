// The one definition of a script: what may stand in it and what it means. The checker walks it, `share/script.schema.json` is it
// (for editors), and docs/script.md is held to its keys by a test. It uses only the keywords that the checker knows.
import type { Schema } from '../base/check.ts'

const text = (description: string): Schema => ({ type: 'string', description })
const count = (description: string, minimum = 0): Schema => ({ type: 'integer', minimum, description })
const flag = (description: string): Schema => ({ type: 'boolean', description })
const list = (items: Schema, description: string): Schema => ({ type: 'array', items, description })
const mapping = (properties: Record<string, Schema>, required: string[], description: string): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...(required.length > 0 && { required }),
  description,
})

/** A number with `ms`, `s` or `m`; what a number alone means is said by the key. */
const duration = (description: string): Schema => ({
  type: ['number', 'string'],
  pattern: String.raw`^\d+(\.\d+)?(ms|s|m)$`,
  minimum: 0,
  description,
})

const chunk = count('characters in a piece of a streamed thought, text or tool input; without it each comes in one piece', 1)
const delay = duration('waited before each piece: 20ms, 1.5s, 2m, or a number of milliseconds')

const tool = mapping(
  {
    name: text('the name of the tool; NAMESPACE/NAME for a tool that the agent offers in a namespace (Codex)'),
    input: {
      type: ['object', 'string'],
      description: 'its arguments; a text for a tool that takes free text (the apply_patch of Codex)',
    },
    id: text('the id of the call; without it one is made'),
  },
  ['name'],
  'one call of a tool',
)

const usage = mapping(
  {
    input: count('tokens read that were in no cache'),
    output: count('tokens written, without those of thoughts'),
    reasoning: count('tokens of thoughts'),
    cacheRead: count('tokens read from the cache'),
    cacheWrite: count('tokens written to the cache'),
  },
  [],
  'tokens of this turn; the five do not overlap, a missing one is 0, each API adds them up its own way; without usage: 100 in, 20 out',
)

const error = mapping(
  {
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'the HTTP status; 500 without it' },
    message: text('what the error says'),
    retryAfter: duration('when to try again: 2s, 500ms, or a number of seconds'),
    times: count('how often it fails before the rest of the turn is given; without it always', 1),
  },
  [],
  'the request fails',
)

const turn: Schema = {
  ...mapping(
    {
      think: text('a thought, before the text'),
      text: text('what the model says'),
      tools: list(tool, 'calls of tools, after the text'),
      chunk,
      delay,
      usage,
      finish: {
        type: 'string',
        enum: ['stop', 'tool-calls', 'length', 'refusal'],
        description: 'why the turn ends; without it tool-calls when there are tools, else stop',
      },
      error,
      cut: {
        type: ['boolean', 'integer'],
        minimum: 1,
        description: 'the connection is cut half-way through the answer: always (true), or so many times before the whole is given',
      },
      malformed: flag('the JSON of the tool inputs is broken off half-way'),
    },
    [],
    'one answer of the model',
  ),
  minProperties: 1,
  dependentRequired: { malformed: ['tools'] },
}

const pattern = (what: string): Schema => text(`${what}: a part of it, or /a regular expression/`)

const lane = mapping(
  {
    name: text('the name of the lane, for messages and the log'),
    when: mapping(
      {
        prompt: pattern('what the user said before the first answer'),
        system: pattern('the system prompt'),
        model: pattern('the model that is asked for'),
        agent: pattern('who asks: the User-Agent header, or in process the name of the agent'),
        tools: flag('whether the request offers tools'),
      },
      [],
      'the conversations that this lane answers: all that is named must be so; without it every one',
    ),
    turns: list(turn, 'the answers, in order'),
    repeat: flag('after the last turn the first comes again'),
  },
  ['turns'],
  'the turns of some of the conversations; the first lane that matches is taken',
)

export const scriptSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'A script for the scripted model of sluice',
  ...mapping(
    {
      $schema: text('where this schema is, for editors'),
      model: {
        ...text('provider/name: the model whose prices and context limit count, and that the answers name; without it the one asked for'),
        pattern: String.raw`^[^/\s]+/\S+$`,
      },
      chunk,
      delay,
      lanes: list(lane, 'turns for several kinds of conversation'),
      turns: list(turn, 'the answers, in order; beside lanes: of the conversations that no lane matches'),
    },
    [],
    'what a model says, turn by turn',
  ),
  anyOf: [{ required: ['turns'] }, { required: ['lanes'] }],
}
