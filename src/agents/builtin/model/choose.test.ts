import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadCatalog } from '../../../prices/packaged.ts'
import { callModel } from './call.ts'
import { type ChooseOptions, chooseModel, defaultModel, ModelChoiceError, providerKeys } from './choose.ts'
import type { Chosen } from './chosen.ts'
import { createScripts } from './scripts.ts'

const builtIn = { demo: () => Promise.resolve('model: openai/gpt-5.4\nturns: [{text: one}, {text: two}, {text: three}]') }
const choose = (spec: string, options: Partial<ChooseOptions> = {}): Promise<Chosen> =>
  chooseModel(spec, { env: {}, scripts: createScripts('/', builtIn), ...options })

async function urlOf(spec: string, options: Partial<ChooseOptions>): Promise<{ url: string; headers: Headers }> {
  let request: { url: string; headers: Headers } | undefined
  const fetch = (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    request = { url: String(url instanceof Request ? url.url : url), headers: new Headers(init?.headers) }
    return Promise.resolve(new Response('{}', { status: 500 }))
  }
  await say(await choose(spec, { ...options, fetch }))
  assert.ok(request, 'no request was made')
  return request
}

async function say(chosen: Chosen, dropped = 0): Promise<string> {
  let text = ''
  const providerOptions = { sluice: { answers: dropped } }
  await callModel(chosen, {
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi', ...(dropped > 0 && { providerOptions }) }] }],
    tools: [],
    signal: new AbortController().signal,
    onPart: (part) => void (text += part.type === 'text.end' ? part.text : ''),
  })
  return text
}

test('addresses are understood with and without the version, and models may hold slashes', async () => {
  const keys = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k', OPENROUTER_API_KEY: 'k' }
  const table: [spec: string, env: Record<string, string>, url: string][] = [
    ['anthropic/m', {}, 'https://api.anthropic.com/v1/messages'],
    ['anthropic/m', { ANTHROPIC_BASE_URL: 'http://h:1' }, 'http://h:1/v1/messages'],
    ['anthropic/m', { ANTHROPIC_BASE_URL: 'http://h:1/v1/' }, 'http://h:1/v1/messages'],
    ['anthropic/m', { ANTHROPIC_BASE_URL: 'http://h:1/v1/acct/anthropic' }, 'http://h:1/v1/acct/anthropic/v1/messages'],
    ['openai/m', {}, 'https://api.openai.com/v1/responses'],
    ['openai/m', { OPENAI_BASE_URL: 'http://h:1' }, 'http://h:1/v1/responses'],
    ['openai/m', { OPENAI_BASE_URL: 'http://h:1/api' }, 'http://h:1/api/responses'],
    ['google/m', {}, 'https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse'],
    ['google/m', { GOOGLE_GEMINI_BASE_URL: 'http://h:1/' }, 'http://h:1/v1beta/models/m:streamGenerateContent?alt=sse'],
    ['openrouter/a/b', {}, 'https://openrouter.ai/api/v1/chat/completions'],
    ['ollama/m', {}, 'http://127.0.0.1:11434/v1/chat/completions'],
    ['ollama/m', { OLLAMA_HOST: '0.0.0.0' }, 'http://127.0.0.1:11434/v1/chat/completions'],
    ['ollama/m', { OLLAMA_HOST: 'box:80' }, 'http://box/v1/chat/completions'],
    ['ollama/m', { OLLAMA_HOST: 'https://box' }, 'https://box/v1/chat/completions'],
    ['lmstudio/m', {}, 'http://127.0.0.1:1234/v1/chat/completions'],
    ['vllm/m', { VLLM_BASE_URL: 'http://h:1/v1' }, 'http://h:1/v1/chat/completions'],
  ]
  for (const [spec, env, url] of table) assert.equal((await urlOf(spec, { env: { ...keys, ...env } })).url, url, JSON.stringify(env))
})

test('keys go where each provider wants them', async () => {
  const headerOf = async (spec: string, env: Record<string, string>, header: string) => (await urlOf(spec, { env })).headers.get(header)
  assert.equal(await headerOf('anthropic/m', { ANTHROPIC_API_KEY: 'a' }, 'x-api-key'), 'a')
  assert.equal(await headerOf('anthropic/m', { ANTHROPIC_AUTH_TOKEN: 't' }, 'authorization'), 'Bearer t')
  assert.equal(await headerOf('openai/m', { OPENAI_API_KEY: 'o' }, 'authorization'), 'Bearer o')
  assert.equal(await headerOf('google/m', { GOOGLE_API_KEY: 'g' }, 'x-goog-api-key'), 'g')
  assert.equal(await headerOf('vllm/m', {}, 'authorization'), null)
  assert.equal(await headerOf('vllm/m', { VLLM_API_KEY: 'v' }, 'authorization'), 'Bearer v')
})

test('the settings add providers and move known ones', async () => {
  const providers = {
    mine: { baseUrl: 'http://h:2/x', keyEnv: 'MY_KEY' },
    openai: { baseUrl: 'http://h:3/v1' },
    deep: { baseUrl: 'http://h:4', type: 'anthropic' as const },
  }
  const mine = await urlOf('mine/m', { env: { MY_KEY: 'k' }, providers })
  assert.deepEqual([mine.url, mine.headers.get('authorization')], ['http://h:2/x/chat/completions', 'Bearer k'])
  assert.equal(
    (await urlOf('openai/m', { env: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://other' }, providers })).url,
    'http://h:3/v1/responses',
  )
  assert.equal((await urlOf('deep/m', { providers })).url, 'http://h:4/v1/messages')
  assert.deepEqual(providerKeys({ MY_KEY: 'k', OPENAI_API_KEY: 'o', GEMINI_API_KEY: ' ', HOME: '/' }, providers), {
    OPENAI_API_KEY: 'o',
    MY_KEY: 'k',
  })
})

test('a mistake in the choice says what to do', async () => {
  const table: [spec: string, options: Partial<ChooseOptions>, text: RegExp][] = [
    ['claude', {}, /must be PROVIDER\/MODEL/],
    ['/m', {}, /must be PROVIDER\/MODEL/],
    ['openai/', {}, /must be PROVIDER\/MODEL/],
    ['antropic/m', {}, /"antropic" is not known; did you mean "anthropic"\?.* ollama/],
    ['toString/m', {}, /"toString" is not known\. Known are /],
    ['anthropic/m', { env: { ANTHROPIC_API_KEY: ' ' } }, /set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN/],
    ['mine/m', { providers: { mine: { keyEnv: 'MY_KEY', baseUrl: 'http://h' } } }, /set MY_KEY/],
    ['mine/m', { providers: { mine: {} } }, /has no address/],
    ['vllm/m', { env: { VLLM_BASE_URL: 'ftp://h' } }, /VLLM_BASE_URL is no http address: "ftp:\/\/h"/],
    ['script/nowhere.yaml', {}, /nowhere.yaml.*cannot be read.*script\/demo/],
  ]
  for (const [spec, options, text] of table)
    await assert.rejects(choose(spec, options), (error) => error instanceof ModelChoiceError && text.test(error.message), spec)
})

test('a script stands for the model it names, and all who use it share it', async () => {
  const scripts = createScripts('/', builtIn)
  const [one, other] = [await choose('script/demo', { scripts }), await choose('script/demo', { scripts })]
  assert.deepEqual([one.provider, one.id, one.priceAs], ['script', 'gpt-5.4', 'openai/gpt-5.4'])
  assert.equal(one.model, other.model)
  assert.equal(await say(one), 'one')
})

test('a script goes on where it was, though the conversation was trimmed', async () => {
  assert.equal(await say(await choose('script/demo'), 2), 'three')
})

test('a script in a file is found from the working folder, and its mistakes are told with their place', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-choose-'))
  try {
    await writeFile(join(folder, 'good.yaml'), 'turns: [{text: hello}]')
    await writeFile(join(folder, 'bad.yaml'), 'turns:\n  - {txt: hello}')
    const scripts = createScripts(folder)
    const good = await choose('script/good.yaml', { scripts })
    assert.deepEqual([good.provider, good.id, good.priceAs, await say(good)], ['script', 'good.yaml', undefined, 'hello'])
    await assert.rejects(choose('script/bad.yaml', { scripts }), /bad\.yaml:2: .*txt/)
    assert.equal((await choose(`script/${folder}/good.yaml`, { scripts })).model, good.model)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('without a choice, the first provider with a key has a model whose price is known', async () => {
  const { find } = await loadCatalog()
  const chosen = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'].map((name) =>
    defaultModel({ [name]: 'k' }),
  )
  assert.deepEqual(
    chosen.map((spec) => spec?.split('/')[0]),
    ['anthropic', 'openai', 'google', 'openrouter'],
  )
  for (const spec of chosen.slice(0, 3)) assert.ok(find(spec!)?.context, spec)
  assert.equal(defaultModel({}), undefined)
})
