// One table of expectations for all ways to a model: each provider's package against the scripted server, and the script in process.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { isRecord, type Rec } from '../../../base/json.ts'
import type { Event } from '../../../model/event.ts'
import { loadScript } from '../../../script/load.ts'
import { type Entry, type Served, serveScript } from '../../../script/server.ts'
import { callModel, type CallResult } from './call.ts'
import { chooseModel } from './choose.ts'
import type { Chosen } from './chosen.ts'
import { createConversation } from './conversation.ts'
import type { ModelPart, ToolCall } from './part.ts'
import { createScripts } from './scripts.ts'

const script = `
model: anthropic/claude-opus-5
lanes:
  - when: {prompt: "full"}
    turns:
      - {think: "Let me see. It is 🙂.", text: "I read both files.", chunk: 5,
         tools: [{name: read, input: {filePath: a.ts}}, {name: read, input: {filePath: b.ts, limit: 3}}],
         usage: {input: 11, output: 22, reasoning: 33, cacheRead: 44, cacheWrite: 55}}
      - {text: "Both are fine."}
  - {when: {prompt: "empty call"}, turns: [{tools: [{name: list}]}]}
  - {when: {prompt: "401"}, turns: [{error: {status: 401, message: no such key}}]}
  - {when: {prompt: "429"}, turns: [{error: {status: 429, message: slow down, retryAfter: 7}}]}
  - {when: {prompt: "500"}, turns: [{error: {status: 500, message: on fire}}]}
  - {when: {prompt: "529"}, turns: [{error: {status: 529, message: too busy}}]}
  - {when: {prompt: "overflow"}, turns: [{error: {status: 400, message: "prompt is too long: 250000 tokens > 200000 maximum"}}]}
  - {when: {prompt: "cut"}, turns: [{text: "this will never be whole, for it is cut somewhere in the middle", chunk: 4, cut: true}]}
  - {when: {prompt: "malformed"}, turns: [{tools: [{name: read, input: {filePath: a.ts}}], malformed: true}]}
  - {when: {prompt: "refusal"}, turns: [{text: "I will", finish: refusal}]}
  - {when: {prompt: "length"}, turns: [{text: "I had more to s", finish: length}]}
  - {when: {prompt: "slow"}, turns: [{text: "one two three four five six", chunk: 4, delay: 40ms}]}
`

type Face = {
  name: string
  spec: string
  env: (url: string) => Record<string, string>
  /** Gemini has no word for what goes to the cache, so it is counted as input. */
  countsCacheWrites: boolean
  /** Gemini notices broken input itself, and says so instead of telling it. */
  tellsMalformed: boolean
  /** Looks at the request that holds an answer and the results of its calls. */
  checkBack(text: string, body: Rec): void
}

const faces: Face[] = [
  {
    name: 'anthropic',
    spec: 'anthropic/claude-opus-5',
    env: (url) => ({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url }),
    countsCacheWrites: true,
    tellsMalformed: true,
    checkBack(text, { messages }) {
      assert.match(text, /"type":"thinking","thinking":"Let me see. It is 🙂.","signature":"c2x1aWNl"/)
      const results = listOf(listOf(messages).at(-1)?.['content'])
      assert.deepEqual(
        results.map(({ type, is_error }) => [type, is_error]),
        [
          ['tool_result', undefined],
          ['tool_result', true],
        ],
      )
      assert.match(text, /"cache_control":\{"type":"ephemeral"\}/)
    },
  },
  {
    name: 'openai',
    spec: 'openai/gpt-5.4',
    env: (url) => ({ OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${url}/v1` }),
    countsCacheWrites: true,
    tellsMalformed: true,
    checkBack(text, { store, input }) {
      assert.equal(store, false)
      assert.match(text, /"encrypted_content":"c2x1aWNl"/)
      assert.deepEqual(
        listOf(input).flatMap(({ type }) => type ?? []),
        ['reasoning', 'function_call', 'function_call', 'function_call_output', 'function_call_output'],
      )
    },
  },
  {
    name: 'openai-compatible',
    spec: 'vllm/some/model',
    env: (url) => ({ VLLM_BASE_URL: `${url}/v1` }),
    countsCacheWrites: true,
    tellsMalformed: true,
    checkBack(_text, { messages }) {
      assert.deepEqual(
        listOf(messages).map(({ role }) => role),
        ['system', 'user', 'assistant', 'tool', 'tool'],
      )
      assert.equal(listOf(messages)[2]?.['reasoning_content'], 'Let me see. It is 🙂.')
    },
  },
  {
    name: 'google',
    spec: 'google/gemini-2.5-flash',
    env: (url) => ({ GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: url }),
    countsCacheWrites: false,
    tellsMalformed: false,
    checkBack(text, { contents }) {
      assert.deepEqual(
        listOf(contents).map(({ role }) => role),
        ['user', 'model', 'user'],
      )
      assert.match(text, /functionResponse.*functionResponse/)
    },
  },
  { name: 'in process', spec: 'script/test', env: () => ({}), countsCacheWrites: true, tellsMalformed: true, checkBack() {} },
]

for (const face of faces)
  suite(face.name, () => {
    let served: Served
    let chosen: Chosen
    const entries: Entry[] = []
    before(async () => {
      served = await serveScript(await loadScript(script, 'test.yaml'), 0, (entry) => void entries.push(entry))
      const scripts = createScripts('/', { test: () => Promise.resolve(script) })
      chosen = await chooseModel(face.spec, { env: face.env(served.url), scripts, thoughts: true })
    })
    after(() => served.close())

    test('what it said is sent back as the provider wants it, with the results, and it goes on', async () => {
      const conversation = createConversation()
      const tell = (kind: Event['kind'], fields: Rec): void => conversation.push({ v: 1, seq: 1, kind, ...fields } as Event) // as the loop fills them
      tell('prompt.submit', { text: 'full', by: 'user', state: 'sent' })
      const first = await talk(chosen, 'full', true)
      for (const part of first.parts) {
        if (part.type === 'notice') continue
        const { type, block } = part
        const ext = 'metadata' in part ? { builtin: { metadata: part.metadata } } : {}
        if (type === 'thought.end' || type === 'text.end') tell(type, { message: 'm', block, text: part.text, streamed: true, ext })
        if (type === 'tool.call')
          tell('tool.start', { message: 'm', block, call: part.id, name: part.name, toolKind: 'read', input: part.input, ext })
      }
      const [a, b] = callsIn(first.parts)
      tell('tool.end', { call: b!.id, status: 'error', text: 'no such file' })
      tell('tool.end', { call: a!.id, status: 'ok', text: 'let a = 1' })
      const { parts, result } = await talkOn(chosen, conversation.messages(), true)
      assert.deepEqual(result.error, undefined)
      assert.equal(result.finish, 'end_turn')
      assert.deepEqual(
        parts.flatMap((part) => (part.type === 'text.end' ? part.text : part.type === 'notice' ? part : [])),
        ['Both are fine.'],
      )
      if (face.name === 'in process') return
      face.checkBack(JSON.stringify(entries.at(-1)?.body), entries.at(-1)?.body ?? {})
    })

    const cases = [true, false] as const
    for (const stream of cases) {
      const how = stream ? 'streamed' : 'in one piece'
      const say = (prompt: string) => talk(chosen, prompt, stream)

      test(`${how}: thoughts, text and calls, and five numbers that do not overlap`, async () => {
        const { parts, result } = await say('full')
        assert.deepEqual(
          parts.flatMap((part) => (part.type === 'thought.end' || part.type === 'text.end' ? [[part.type, part.text]] : [])),
          [
            ['thought.end', 'Let me see. It is 🙂.'],
            ['text.end', 'I read both files.'],
          ],
        )
        assert.deepEqual(
          callsIn(parts).map(({ name, input, bad }) => [name, input, bad]),
          [
            ['read', { filePath: 'a.ts' }, undefined],
            ['read', { filePath: 'b.ts', limit: 3 }, undefined],
          ],
        )
        assert.equal(new Set(callsIn(parts).map(({ id }) => id)).size, 2)
        const cacheWrites = face.countsCacheWrites ? { input: 11, cacheWrite: 55 } : { input: 66 }
        assert.deepEqual(result.usage, { output: 22, reasoning: 33, cacheRead: 44, ...cacheWrites })
        assert.equal(result.finish, 'tool_use')
        assert.equal(result.model, face.name === 'google' ? undefined : 'claude-opus-5') // that package does not tell
        assert.ok(result.ttftMs! >= 0)
        assert.equal(result.error, undefined)
        const deltas = parts.filter(({ type }) => type === 'text.delta' || type === 'thought.delta')
        if (stream) assert.ok(deltas.length >= 8, `${deltas.length} deltas`)
        else assert.deepEqual(deltas, [])
      })

      test(`${how}: a call without arguments has none`, async () => {
        const { parts } = await say('empty call')
        assert.deepEqual(
          callsIn(parts).map(({ input, bad }) => [input, bad]),
          [[{}, undefined]],
        )
      })

      test(`${how}: a wrong key is not tried again`, async () => {
        const { parts, result } = await say('401')
        assert.deepEqual(
          parts.filter(({ type }) => type !== 'notice'),
          [],
        )
        assert.equal(result.finish, 'error')
        assert.partialDeepStrictEqual(result.error, { category: 'auth', http: 401, retryable: false })
        assert.match(result.error!.text, /no such key/)
      })

      test(`${how}: a limit says how long to wait`, async () => {
        const { result } = await say('429')
        assert.partialDeepStrictEqual(result.error, { category: 'rate_limit', http: 429, retryable: true })
        assert.equal(result.retryAfterMs, 7000)
      })

      test(`${how}: trouble of the provider can be tried again`, async () => {
        assert.partialDeepStrictEqual((await say('500')).result.error, { category: 'provider', http: 500, retryable: true })
        assert.partialDeepStrictEqual((await say('529')).result.error, { category: 'overloaded', http: 529, retryable: true })
      })

      test(`${how}: a conversation that is too long is known as such`, async () => {
        assert.partialDeepStrictEqual((await say('overflow')).result.error, { category: 'context', retryable: false })
      })

      test(`${how}: an answer that breaks off is a failure that can be tried again`, async () => {
        const { parts, result } = await say('cut')
        assert.equal(result.finish, stream ? 'cut' : 'error')
        assert.partialDeepStrictEqual(result.error, { category: 'network', retryable: true })
        const end = parts.find((part) => part.type === 'text.end')
        if (stream) assert.equal(end?.partial, true)
        else assert.equal(end, undefined)
      })

      test(`${how}: input that cannot be read is told with its text`, async () => {
        const { parts, result } = await say('malformed')
        if (!face.tellsMalformed) {
          assert.partialDeepStrictEqual(result.error, { retryable: true })
          return
        }
        const [call] = callsIn(parts)
        assert.equal(call?.name, 'read')
        assert.deepEqual(call.input, {})
        assert.match(call.bad!, /^"?\{/)
        assert.ok(call.why!.startsWith('the arguments'))
      })

      test(`${how}: a refusal and a full answer say so`, async () => {
        assert.equal((await say('refusal')).result.finish, 'refusal')
        assert.equal((await say('length')).result.finish, 'max_tokens')
      })

      test(`${how}: the signal ends it`, async () => {
        const signal = AbortSignal.timeout(60)
        const { result } = await talk(chosen, 'slow', stream, signal)
        assert.equal(result.finish, 'cancelled')
        assert.equal(result.error, undefined)
      })
    }
  })

const listOf = (value: unknown): Rec[] => (Array.isArray(value) ? value.filter(isRecord) : [])
const callsIn = (parts: readonly ModelPart[]): ToolCall[] => parts.filter((part) => part.type === 'tool.call')

type Said = { parts: ModelPart[]; result: CallResult }

const talk = (chosen: Chosen, prompt: string, stream: boolean, signal?: AbortSignal): Promise<Said> =>
  talkOn(chosen, [{ role: 'user', content: [{ type: 'text', text: prompt }] }], stream, signal)

async function talkOn(chosen: Chosen, messages: LanguageModelV4Prompt, stream: boolean, signal?: AbortSignal): Promise<Said> {
  const parts: ModelPart[] = []
  const result = await callModel(chosen, {
    prompt: [{ role: 'system', content: 'You are a test.' }, ...messages],
    tools: ['read', 'list'].map((name) => ({ type: 'function', name, inputSchema: { type: 'object' } })),
    signal: signal ?? new AbortController().signal,
    stream,
    onPart: (part) => void parts.push(part),
  })
  return { parts, result }
}
