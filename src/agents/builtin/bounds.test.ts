// A model that means harm, or has lost its mind: what it can make the agent do is bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { Rec } from '../../base/json.ts'
import type { Chosen } from './model/chosen.ts'
import { echo, toolOf, whole } from './support.test.ts'
import type { Tool } from './tools/tool.ts'

const call = (name: string, input: Rec = {}): Rec => ({ name, input })
const last = { text: 'done' }

/** Says what it is told to say to a prompt. */
function model(answer: (prompt: LanguageModelV4Prompt) => LanguageModelV4StreamPart[]): Chosen {
  const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 }
  return {
    provider: 'test',
    id: 'model',
    callOptions: {},
    model: {
      specificationVersion: 'v4',
      provider: 'test',
      modelId: 'model',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('not asked for')),
      doStream: ({ prompt }) => {
        const parts = answer(prompt)
        const unified = parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
        const finish = { type: 'finish', finishReason: { unified, raw: undefined }, usage: { inputTokens: tokens, outputTokens: tokens } }
        const stream = new ReadableStream<LanguageModelV4StreamPart>({
          start(controller) {
            for (const part of parts) controller.enqueue(part)
            controller.enqueue(finish as LanguageModelV4StreamPart)
            controller.close()
          },
        })
        return Promise.resolve({ stream })
      },
    },
  }
}
const text = (delta: string): LanguageModelV4StreamPart[] => [{ type: 'text-delta', id: '0', delta }]
const wanted = (toolCallId: string, toolName: string, input: string): LanguageModelV4StreamPart => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
})

test('of a flood of calls in one answer the first two hundred are made, a few at a time', { timeout: 30_000 }, async () => {
  let now = 0
  let most = 0
  const busy: Tool = toolOf('busy', async () => {
    most = Math.max(most, ++now)
    await new Promise((resolve) => setImmediate(resolve))
    now--
    return { text: '' }
  })
  const flood = Array.from({ length: 100_000 }, () => wanted('same', 'busy', '{}'))
  const one = await whole(
    { turns: [last] },
    { tools: [busy], model: model((prompt) => (prompt.length > 2 ? text('done') : flood)), profiles: [] },
  )
  assert.equal(one.of('tool.end').length, 200)
  assert.equal(new Set(one.of('tool.start').map((event) => event.call)).size, 200)
  assert.ok(most <= 16, `${most} at once`)
  assert.equal(
    one
      .of('notice')
      .find(({ code }) => code === 'too_many_calls')
      ?.text.includes('100000 calls'),
    true,
  )
  assert.equal((await one.done).reason, 'end_turn')
})

test('arguments that are nested without end are not taken, and the conversation goes on', async () => {
  const deep = `{"text":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  const one = await whole(
    { turns: [last] },
    {
      model: model((prompt) => (prompt.length > 2 ? text('done') : [wanted('a', 'echo', deep), wanted('b', 'echo', '{"text":"[[{{\\""}')])),
    },
  )
  assert.match(one.of('tool.end').find((event) => event.call === 'a')?.text ?? '', /nested more than 200 deep/)
  assert.equal(one.of('tool.end').find((event) => event.call === 'b')?.text, '[[{{"')
  assert.equal((await one.done).reason, 'end_turn')
})

test('a schema of a tool that is none costs its calls, not the turn', async () => {
  const odd = { ...echo, parameters: { type: 'object', required: 'text', enum: 5 } as unknown as Tool['parameters'] }
  const one = await whole({ turns: [{ tools: [call('echo', { text: 'x' })] }, last] }, { tools: [odd] })
  assert.equal(one.of('tool.end')[0]?.status, 'error')
  assert.equal((await one.done).reason, 'end_turn')
})

const task = (more: Rec = {}): string => JSON.stringify({ description: 'd', prompt: 'p', subagent_type: 'default', ...more })
const idIn = (prompt: LanguageModelV4Prompt): string | undefined => /task_id: (\w+)/.exec(JSON.stringify(prompt))?.[1]
const lastRole = (prompt: LanguageModelV4Prompt): string | undefined => prompt.at(-1)?.role

test('a subagent cannot give work to itself, nor can two calls share one', { timeout: 20_000 }, async () => {
  let calls = 0
  const one = await whole(
    { turns: [last] },
    {
      model: model((prompt) => {
        if (++calls > 20) throw new Error('it goes on for ever')
        const id = idIn(prompt)
        const said = JSON.stringify(prompt)
        if (said.includes('call yourself'))
          return lastRole(prompt) === 'user' ? [wanted('x', 'task', task({ task_id: id }))] : text('I am busy')
        if (said.includes('"go"')) {
          if (id === undefined) return [wanted('a', 'task', task())]
          if (!said.includes('"b"'))
            return ['b', 'c'].map((name) => wanted(name, 'task', task({ task_id: id, prompt: `call yourself: task_id: ${id}` })))
        }
        return text('done')
      }),
    },
  )
  const ends = one.of('tool.end').map((event) => `${event.call} ${event.status}`)
  assert.deepEqual(ends.sort(), ['a ok', 'b ok', 'c error', 'x error'])
  assert.match(one.of('tool.end').find((event) => event.call === 'x')?.text ?? '', /still at work/)
})

test('one prompt starts a hundred subagents and no more', { timeout: 30_000 }, async () => {
  const one = await whole(
    { turns: [last] },
    {
      model: model((prompt) => {
        const isMain = JSON.stringify(prompt).includes('"go"')
        return lastRole(prompt) === 'user'
          ? Array.from({ length: isMain ? 5 : 40 }, (_, at) => wanted(`t${at}`, 'task', task()))
          : text('done')
      }),
    },
  )
  assert.equal(one.of('task.start').length, 100)
  assert.ok(one.of('tool.end').some(({ text: said }) => said?.includes('100 subagents have been started') === true))
  assert.equal((await one.done).reason, 'end_turn')
})

test('whoever is asked about a subagent is told of those above it', async () => {
  const one = await whole({
    lanes: [{ name: 'child', when: { prompt: 'inner' }, turns: [{ tools: [call('echo', { text: 'x' })] }, { text: 'ok' }] }],
    turns: [{ tools: [call('task', { description: 'd', prompt: 'inner', subagent_type: 'default' })] }, last],
  })
  assert.deepEqual(
    one.asks.map(({ name, profile, above }) => ({ name, profile, above })),
    [
      { name: 'task', profile: 'default', above: [] },
      { name: 'echo', profile: 'default', above: ['default'] },
    ],
  )
})
