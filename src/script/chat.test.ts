import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { eventsIn, eventsOf, fullTurn, scripted, textUntilCut, madeAt } from '../../test/scripted.ts'

const path = '/v1/chat/completions'
const ask = { model: 'gpt-x', messages: [{ role: 'user', content: 'Weather?' }] }
const usage = {
  prompt_tokens: 54001,
  completion_tokens: 320,
  total_tokens: 54321,
  prompt_tokens_details: { cached_tokens: 4000, cache_write_tokens: 50000 },
  completion_tokens_details: { reasoning_tokens: 300 },
}

suite('the Chat Completions API', () => {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: madeAt, model: 'gpt-x' }
  const choice = (delta: object, finish_reason: string | null = null) => ({ index: 0, delta, logprobs: null, finish_reason })
  const call = (of: object) => ({ tool_calls: [of] })
  const deltas = [
    { role: 'assistant', content: '' },
    { reasoning_content: 'Whic' },
    { reasoning_content: 'h ci' },
    { reasoning_content: 'ty?' },
    { content: 'Hi 🙂' },
    { content: '!' },
    call({ index: 0, id: 'call_1_1', type: 'function', function: { name: 'weather', arguments: '' } }),
    ...['{"ci', 'ty":', '"Ber', 'n"}'].map((piece) => call({ index: 0, function: { arguments: piece } })),
    call({ index: 1, id: 'mine', type: 'function', function: { name: 'ring', arguments: '' } }),
    call({ index: 1, function: { arguments: '{}' } }),
  ]

  test('a stream with usage asked for has it in a chunk of its own, before the end', async (t) => {
    const { post } = await scripted(t, `turns:${fullTurn}`)
    const events = await eventsOf(await post(path, { ...ask, stream: true, stream_options: { include_usage: true } }))
    assert.ok(events.every(({ event }) => event === undefined))
    assert.deepEqual(
      events.map(({ data }) => data),
      [
        ...deltas.map((delta) => ({ ...head, usage: null, choices: [choice(delta)] })),
        { ...head, usage: null, choices: [choice({}, 'tool_calls')] },
        { ...head, choices: [], usage },
        '[DONE]',
      ],
    )
  })

  test('a stream without says nothing of it', async (t) => {
    const { post } = await scripted(t, `turns:${fullTurn}`)
    const events = await eventsOf(await post(path, { ...ask, stream: true }))
    assert.deepEqual(
      events.map(({ data }) => data),
      [...deltas.map((delta) => ({ ...head, choices: [choice(delta)] })), { ...head, choices: [choice({}, 'tool_calls')] }, '[DONE]'],
    )
  })

  test('a plain answer is the message that the stream builds', async (t) => {
    const { post } = await scripted(t, `turns:${fullTurn}\n  - text: Sunny.`)
    assert.deepEqual(await (await post(path, ask)).json(), {
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Hi 🙂!',
            refusal: null,
            reasoning_content: 'Which city?',
            tool_calls: [
              { id: 'call_1_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
              { id: 'mine', type: 'function', function: { name: 'ring', arguments: '{}' } },
            ],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage,
    })
    const messages = [...ask.messages, { role: 'assistant', content: 'Hi' }, { role: 'tool', tool_call_id: 'mine', content: 'ok' }]
    const { choices } = (await (await post(path, { ...ask, messages })).json()) as { choices: { message: object }[] }
    assert.deepEqual(choices[0]?.message, { role: 'assistant', content: 'Sunny.', refusal: null })
  })

  test('system and developer messages are the system prompt', async (t) => {
    const { post } = await scripted(t, 'lanes: [{when: {system: brief, prompt: "/^Weather/"}, turns: [{text: "yes"}]}]')
    for (const role of ['system', 'developer'])
      assert.match(await (await post(path, { ...ask, messages: [{ role, content: 'be brief' }, ...ask.messages] })).text(), /"yes"/)
    assert.match(await (await post(path, { ...ask, messages: [{ role: 'user', content: 'be brief' }] })).text(), /no lane/)
  })

  test('a cut stream has no end', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: abcd, cut: 1, finish: length}]')
    const events = eventsIn(await textUntilCut(await post(path, { ...ask, stream: true })))
    assert.deepEqual(
      events.map(({ data }) => (data as { choices: { delta: unknown }[] }).choices[0]?.delta),
      [{ role: 'assistant', content: '' }, { content: 'ab' }],
    )
    const whole = await eventsOf(await post(path, { ...ask, stream: true }))
    assert.deepEqual((whole.at(-2)!.data as { choices: unknown }).choices, [choice({}, 'length')])
  })

  test('errors have its form', async (t) => {
    const { post } = await scripted(
      t,
      'lanes: [{when: {prompt: A}, turns: [{error: {status: 401, message: no}}]}, {when: {prompt: B}, turns: [{error: {status: 429, message: wait, retryAfter: 1.5s}}]}]\nturns: [{error: {message: oh}}]',
    )
    const failed = async (content: string): Promise<unknown[]> => {
      const response = await post(path, { ...ask, messages: [{ role: 'user', content }] })
      return [response.status, await response.json(), response.headers.get('retry-after'), response.headers.get('retry-after-ms')]
    }
    const error = (message: string, type: string, code: string) => ({ error: { message, type, param: null, code } })
    assert.deepEqual(await failed('A'), [401, error('no', 'invalid_request_error', 'invalid_api_key'), null, null])
    assert.deepEqual(await failed('B'), [429, error('wait', 'requests', 'rate_limit_exceeded'), '2', '1500'])
    assert.deepEqual(await failed('C'), [500, error('oh', 'server_error', 'server_error'), null, null])
  })
})
