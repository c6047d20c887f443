import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createCatalog } from './catalog.ts'
import { loadCatalog, packagedTable } from './packaged.ts'
import { priceOf } from './price.ts'
import type { PriceTable } from './table.ts'

const catalog = await loadCatalog()

const spellings: [name: string, provider: string | undefined, meant: string | undefined][] = [
  ['claude-sonnet-4-5-20250929', undefined, 'anthropic/claude-sonnet-4-5'],
  ['claude-sonnet-4-5', 'anthropic', 'anthropic/claude-sonnet-4-5'],
  ['anthropic/claude-sonnet-4-5', undefined, 'anthropic/claude-sonnet-4-5'],
  ['anthropic/claude-sonnet-4.5', undefined, 'anthropic/claude-sonnet-4-5'],
  ['openrouter/anthropic/claude-sonnet-4.5', undefined, 'openrouter/anthropic/claude-sonnet-4.5'],
  ['claude-opus-4-6[1m]', undefined, 'anthropic/claude-opus-4-6'],
  ['claude-sonnet-4-5@20250929', undefined, 'anthropic/claude-sonnet-4-5'],
  ['vertex_ai/claude-sonnet-4-5@20250929', undefined, 'google/claude-sonnet-4-5'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', undefined, 'aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', undefined, 'aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['arn:aws:bedrock:us-east-1:1:inference-profile/global.anthropic.claude-opus-5', undefined, 'aws/global.anthropic.claude-opus-5'],
  ['models/gemini-2.5-pro', undefined, 'google/gemini-2.5-pro'],
  ['gemini-2.5-pro', 'google-vertex', 'google/gemini-2.5-pro'],
  ['gpt-5.5', undefined, 'openai/gpt-5.5'],
  ['openai:gpt-5-codex', undefined, 'openai/gpt-5'],
  ['gpt-5-codex-high', undefined, 'openai/gpt-5'],
  ['GPT-5.5', 'azure', 'azure/gpt-5.5'],
  ['grok-code-fast-1', 'xai', 'x-ai/grok-code-fast-1'],
  ['gpt-5.5', 'some-proxy', 'openai/gpt-5.5'],
  ['<synthetic>', undefined, undefined],
  ['scripted-model', 'mock', undefined],
  ['', undefined, undefined],
]

test('a model is found in the spellings that agents use', () => {
  const found = spellings.map(([name, provider]) => {
    const model = catalog.find(name, provider)
    return model === undefined ? undefined : `${model.provider}/${model.id}`
  })
  assert.deepEqual(
    found,
    spellings.map(([, , meant]) => meant),
  )
})

test('[1m] asks for a million tokens of context', () => {
  assert.equal(catalog.find('claude-sonnet-4-5')?.context, 200_000)
  assert.equal(catalog.find('claude-sonnet-4-5[1m]')?.context, 1_000_000)
})

test('no name, however long or odd, is a fault', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), fc.option(fc.string()), (name, provider) => void catalog.find(name, provider ?? undefined)),
  )
  assert.equal(catalog.find('x'.repeat(1e6)), undefined)
})

test('the packaged table says what it is and of which day', async () => {
  const { source, providers } = await packagedTable()
  assert.deepEqual(source, { name: '@pydantic/genai-prices', version: '0.1.8', date: '2026-09-23' })
  assert.ok(providers.length > 30)
  assert.ok([...catalog.list()].every(({ rates }) => priceOf({ rates }, { input: 1e6, output: 1e6 }, undefined, false) >= 0))
})

test('a newer table answers first, and the packaged one for the rest', async () => {
  const newer: PriceTable = {
    source: { name: 'newer', date: '2027-01-01' },
    providers: [{ id: 'openai', name: 'OpenAI', owns: ['^gpt-'], models: [{ id: 'gpt-5.5', context: 7, rates: { input: 1, output: 2 } }] }],
  }
  const both = createCatalog([newer, await packagedTable()])
  assert.equal(both.find('gpt-5.5')?.context, 7)
  assert.equal(both.find('gpt-5.5')?.source.name, 'newer')
  assert.equal(both.find('gpt-5')?.source.name, '@pydantic/genai-prices')
})
