// A recording is faithful: the providers' own packages have the same conversations with an original script, with the recorder in front
// of it, and with the script that was recorded. In all four APIs, streamed and plain, with failures and cuts.
import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { callModel } from '../src/agents/builtin/model/call.ts'
import { chooseModel } from '../src/agents/builtin/model/choose.ts'
import type { Chosen } from '../src/agents/builtin/model/chosen.ts'
import type { ModelPart } from '../src/agents/builtin/model/part.ts'
import { createScripts } from '../src/agents/builtin/model/scripts.ts'
import { loadScript } from '../src/script/load.ts'
import { serveRecorder } from '../src/script/record-server.ts'
import { formatOf, scriptText } from '../src/script/record-text.ts'
import { createRecording } from '../src/script/record.ts'
import { serveScript } from '../src/script/server.ts'

const key = 'sk-proj-0123456789abcdefghijklmnop'

const faces = [
  { spec: 'anthropic/claude-opus-5', env: (url: string) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }) },
  { spec: 'openai/gpt-5.4', env: (url: string) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` }) },
  { spec: 'vllm/some/model', env: (url: string) => ({ VLLM_API_KEY: key, VLLM_BASE_URL: `${url}/v1` }) },
  { spec: 'google/gemini-3-pro', env: (url: string) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url }) },
]

const original = (model: string): string => `
model: ${model}
lanes:
  - {name: titles, when: {tools: false}, repeat: true, turns: [{text: A title, usage: {input: 3, output: 2}}]}
  - name: helper
    when: {prompt: count the lines}
    turns:
      - {tools: [{name: list}]}
      - {text: There are three., usage: {input: 9, output: 8, cacheRead: 7}}
  - {name: refused, when: {prompt: do harm}, turns: [{text: "I will", finish: refusal}]}
  - {name: wrong, when: {prompt: without a key}, turns: [{error: {status: 401, message: no such key}}]}
turns:
  - think: |-
      Let me see.
      It is 🙂: a "test".
    text: "  I read both files.  "
    chunk: 5
    tools: [{name: read, input: {filePath: a.ts}}, {name: read, input: {filePath: "b: #.ts", limit: 3, deep: [{x: null}]}}]
    usage: {input: 11, output: 22, reasoning: 33, cacheRead: 44}
  - error: {status: 529, message: too busy, retryAfter: 1, times: 2}
    text: "This one is cut once,\\nand then whole."
    chunk: 4
    cut: 1
    tools: [{name: list}]
    usage: {}
  - {text: I had more to s, finish: length, usage: {input: 5, output: 6}}
`

for (const { spec, env } of faces)
  suite(spec, () => {
    for (const stream of [true, false])
      for (const file of ['recorded.yaml', 'recorded.json'])
        test(`${stream ? 'streamed' : 'plain'}, to ${file}: the same before, during and after recording`, async (t) => {
          const model = spec.startsWith('vllm') ? 'openai-compatible/some/model' : spec
          const talkTo = async (url: string) => {
            const chosen = await chooseModel(spec, { env: env(url), scripts: createScripts('/', {}), thoughts: true })
            return conversations(chosen, stream)
          }
          const before = await talkTo(await served(t, original(model)))
          const recorder = await recorded(t, await served(t, original(model)))
          const during = await talkTo(recorder.url)
          const text = await recorder.text(file)
          const after = await talkTo(await served(t, text))
          assert.deepEqual(during, before)
          assert.deepEqual(after, before, text)
          assert.match(JSON.stringify(before), /too busy.*too busy.*cut once/, 'the script was played')
          assert.ok(!text.includes(key))
          assert.ok(!/authorization|user-agent|x-api-key/i.test(text))
          assert.equal((await loadScript(text, file)).model, model)
        })
  })

async function served(t: TestContext, text: string): Promise<string> {
  const server = await serveScript(await loadScript(text, 'x.yaml'), 0, () => {})
  t.after(server.close)
  return server.url
}

async function recorded(t: TestContext, upstream: string): Promise<{ url: string; text(file: string): Promise<string> }> {
  const recording = createRecording()
  const recorder = await serveRecorder({
    port: 0,
    upstream: { url: new URL(upstream), provider: undefined },
    onAnswer: recording.add,
    onKey: (seen) => assert.equal(seen, key),
    onTrouble: assert.fail,
  })
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await recorder.close()
    isOpen = false
  }
  t.after(close)
  return {
    url: recorder.url,
    async text(file) {
      await close() // the last answer may still be on its way into the recording
      return scriptText(recording.script()!, formatOf(file)!)
    },
  }
}

// ── a small agent ────────────────────────────────────────────────────────────────────────────────────────────────────────

const mostCalls = 12

/** All that the model said, call by call: a main conversation, a side call and a helper in the middle of it, two that fail. */
async function conversations(chosen: Chosen, stream: boolean): Promise<unknown[]> {
  return [
    await converse(chosen, stream, 'fix the bug', true),
    await converse(chosen, stream, 'a title for: fix the bug', false),
    await converse(chosen, stream, 'count the lines', true),
    await converse(chosen, stream, 'do harm', true),
    await converse(chosen, stream, 'without a key', true),
  ]
}

async function converse(chosen: Chosen, stream: boolean, task: string, hasTools: boolean): Promise<unknown[]> {
  const prompt: LanguageModelV4Prompt = [
    { role: 'system', content: `You are a test at ${performance.now()}.` },
    { role: 'user', content: [{ type: 'text', text: task }] },
  ]
  const told: unknown[] = []
  while (told.length < mostCalls) {
    const parts: ModelPart[] = []
    const tools = ['read', 'list'].map((name) => ({ type: 'function' as const, name, inputSchema: { type: 'object' as const } }))
    const { finish, usage, error, retryAfterMs } = await callModel(chosen, {
      prompt,
      tools: hasTools ? tools : [],
      signal: new AbortController().signal,
      stream,
      onPart: (part) => void parts.push(part),
    })
    // Pieces are not recorded: what was cut may be cut elsewhere.
    told.push({ finish, usage, error, retryAfterMs, said: error === undefined ? wordsIn(parts) : [] })
    if (error?.retryable === true) continue
    const calls = parts.filter((part) => part.type === 'tool.call')
    if (calls.length === 0 || error !== undefined) break
    prompt.push({ role: 'assistant', content: contentOf(parts) })
    prompt.push({
      role: 'tool',
      content: calls.map(({ id, name }) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        output: { type: 'text', value: 'fine' },
      })),
    })
  }
  return told
}

type Content = Extract<LanguageModelV4Prompt[number], { role: 'assistant' }>['content']

function contentOf(parts: readonly ModelPart[]): Content {
  const content: Content = []
  for (const part of parts) {
    const options = 'metadata' in part && part.metadata !== undefined ? { providerOptions: part.metadata } : {}
    if (part.type === 'thought.end') content.push({ type: 'reasoning', text: part.text, ...options })
    if (part.type === 'text.end') content.push({ type: 'text', text: part.text, ...options })
    if (part.type === 'tool.call')
      content.push({ type: 'tool-call', toolCallId: part.id, toolName: part.name, input: part.input, ...options })
  }
  return content
}

/** A warning of a package would be a mistake of the server. */
const wordsIn = (parts: readonly ModelPart[]): unknown[] =>
  parts.flatMap((part): unknown[] => {
    if (part.type === 'thought.end' || part.type === 'text.end') return [[part.type, part.text]]
    if (part.type === 'tool.call') return [[part.name, part.input, part.bad]]
    return part.type === 'notice' ? [part] : []
  })
