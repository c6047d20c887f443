import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { eventsIn, eventsOf, fullTurn, scripted, textUntilCut } from '../../test/scripted.ts'

const plain = '/v1beta/models/gemini-x:generateContent'
const stream = '/v1beta/models/gemini-x:streamGenerateContent'
const ask = { contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }] }
const usageMetadata = {
  promptTokenCount: 54001,
  cachedContentTokenCount: 4000,
  candidatesTokenCount: 20,
  thoughtsTokenCount: 300,
  totalTokenCount: 54321,
}
const tail = { modelVersion: 'gemini-x', responseId: 'resp_1' }
const part = (...parts: object[]) => ({ candidates: [{ content: { role: 'model', parts }, index: 0 }], ...tail })
const last = (parts: object[], finishReason = 'STOP', usage: object = usageMetadata) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }],
  usageMetadata: usage,
  ...tail,
})
const thoughtSignature = 'c2x1aWNl'
const calls = [
  { functionCall: { id: 'call_1_1', name: 'weather', args: { city: 'Bern' } }, thoughtSignature },
  { functionCall: { id: 'mine', name: 'ring', args: {} }, thoughtSignature },
]
const thoughts = ['Whic', 'h ci', 'ty?'].map((text) => ({ text, thought: true, thoughtSignature }))
const chunks = [...[...thoughts, { text: 'Hi 🙂' }, { text: '!' }, calls[0]!].map((one) => part(one)), last([calls[1]!])]

suite('the Gemini API', () => {
  test('a stream is responses with a part each; the last says why it ends and what it took', async (t) => {
    const { post } = await scripted(t, `turns:${fullTurn}`)
    const events = await eventsOf(await post(`${stream}?alt=sse`, ask))
    assert.deepEqual(
      events,
      chunks.map((data) => ({ event: undefined, data })),
    )
  })

  test('without alt=sse the stream is one JSON array', async (t) => {
    const { post } = await scripted(t, `turns:${fullTurn}`)
    const response = await post(stream, ask)
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.deepEqual(await response.json(), chunks)
  })

  test('a plain answer has all parts', async (t) => {
    const { post } = await scripted(t, `turns:${fullTurn}`)
    const parts = [{ text: 'Which city?', thought: true, thoughtSignature }, { text: 'Hi 🙂!' }, ...calls]
    assert.deepEqual(await (await post(plain, ask)).json(), last(parts))
  })

  test('the model is in the path, the system prompt in systemInstruction, and model contents are answers', async (t) => {
    const { post, entries } = await scripted(
      t,
      'lanes: [{when: {model: gemini-x, system: brief, prompt: Weather, tools: true}, turns: [{text: one}, {text: two}]}]',
    )
    const body = { ...ask, systemInstruction: { parts: [{ text: 'be brief' }] }, tools: [{ functionDeclarations: [] }] }
    assert.match(await (await post(plain, body)).text(), /"one"/)
    const contents = [...ask.contents, { role: 'model', parts: [{ text: 'one' }] }, { role: 'user', parts: [{ functionResponse: {} }] }]
    assert.match(await (await post(plain, { ...body, contents })).text(), /"two"/)
    assert.match(await (await post(plain, { ...body, tools: [] })).text(), /no lane/)
    assert.deepEqual(
      entries.map(({ answers }) => answers),
      [0, 1, 0],
    )
  })

  test('a malformed call is what the service calls so', async (t) => {
    const { post } = await scripted(t, 'turns: [{malformed: true, text: a, tools: [{name: b, input: {c: 1}}], usage: {}}]')
    const none = { promptTokenCount: 0, cachedContentTokenCount: 0, candidatesTokenCount: 0, thoughtsTokenCount: 0, totalTokenCount: 0 }
    assert.deepEqual(await (await post(plain, ask)).json(), last([{ text: 'a' }], 'MALFORMED_FUNCTION_CALL', none))
  })

  test('a cut stream has its first half', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: abcd, cut: true}]')
    const events = eventsIn(await textUntilCut(await post(`${stream}?alt=sse`, ask)))
    assert.deepEqual(events, [{ event: undefined, data: part({ text: 'ab' }) }])
  })

  test('why a turn ends', async (t) => {
    const { post } = await scripted(
      t,
      'turns: [{text: a, finish: length}]\nlanes: [{when: {prompt: R}, turns: [{text: a, finish: refusal}]}]',
    )
    assert.match(await (await post(plain, ask)).text(), /"finishReason":"MAX_TOKENS"/)
    assert.match(await (await post(plain, { contents: [{ parts: [{ text: 'R' }] }] })).text(), /"finishReason":"SAFETY"/)
  })

  test('errors have its form, with when to try again', async (t) => {
    const { post } = await scripted(t, 'turns: [{error: {status: 429, message: wait, retryAfter: 2}}]')
    const response = await post(`${stream}?alt=sse`, ask)
    assert.equal(response.status, 429)
    assert.equal(response.headers.get('retry-after'), '2')
    assert.deepEqual(await response.json(), {
      error: {
        code: 429,
        message: 'wait',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' }],
      },
    })
  })

  test('tokens are counted', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: a}]')
    const response = await post('/v1beta/models/gemini-x:countTokens', ask)
    assert.deepEqual(await response.json(), { totalTokens: Math.ceil(JSON.stringify(ask).length / 4) })
  })
})
