import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { eventsIn, eventsOf, fullTurn, scripted, textUntilCut } from '../../test/scripted.ts'

const ask = { model: 'claude-x', max_tokens: 10, messages: [{ role: 'user', content: 'Weather?' }] }
const usage = {
  input_tokens: 1,
  cache_creation_input_tokens: 50000,
  cache_read_input_tokens: 4000,
  cache_creation: { ephemeral_5m_input_tokens: 50000, ephemeral_1h_input_tokens: 0 },
  output_tokens: 320,
  output_tokens_details: { thinking_tokens: 300 },
}
const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x' }

suite('the Anthropic Messages API', () => {
  test('a stream has the documented events in their order', async (t) => {
    const { post } = await scripted(t, `turns:${fullTurn}`)
    const events = await eventsOf(await post('/v1/messages', { ...ask, stream: true }))
    for (const { event, data } of events) assert.equal((data as { type: string }).type, event)
    const delta = (index: number, of: object) => ({ type: 'content_block_delta', index, delta: of })
    const json = (index: number, partial_json: string) => delta(index, { type: 'input_json_delta', partial_json })
    assert.deepEqual(
      events.map(({ data }) => data),
      [
        {
          type: 'message_start',
          message: {
            ...head,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { ...usage, output_tokens: 1, output_tokens_details: { thinking_tokens: 0 } },
          },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
        delta(0, { type: 'thinking_delta', thinking: 'Whic' }),
        delta(0, { type: 'thinking_delta', thinking: 'h ci' }),
        delta(0, { type: 'thinking_delta', thinking: 'ty?' }),
        delta(0, { type: 'signature_delta', signature: 'c2x1aWNl' }),
        { type: 'content_block_stop', index: 0 },
        { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
        delta(1, { type: 'text_delta', text: 'Hi 🙂' }),
        delta(1, { type: 'text_delta', text: '!' }),
        { type: 'content_block_stop', index: 1 },
        { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'call_1_1', name: 'weather', input: {} } },
        ...['{"ci', 'ty":', '"Ber', 'n"}'].map((piece) => json(2, piece)),
        { type: 'content_block_stop', index: 2 },
        { type: 'content_block_start', index: 3, content_block: { type: 'tool_use', id: 'mine', name: 'ring', input: {} } },
        json(3, '{}'),
        { type: 'content_block_stop', index: 3 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage },
        { type: 'message_stop' },
      ],
    )
  })

  test('a plain answer is the message that the stream builds', async (t) => {
    const { post } = await scripted(t, `turns:${fullTurn}`)
    const response = await post('/v1/messages', ask)
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.deepEqual(await response.json(), {
      ...head,
      content: [
        { type: 'thinking', thinking: 'Which city?', signature: 'c2x1aWNl' },
        { type: 'text', text: 'Hi 🙂!' },
        { type: 'tool_use', id: 'call_1_1', name: 'weather', input: { city: 'Bern' } },
        { type: 'tool_use', id: 'mine', name: 'ring', input: {} },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage,
    })
  })

  test('a turn is chosen by the assistant messages, and one that is only begun does not count', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: one}, {text: two}, {text: three}]')
    const said = async (...roles: string[]): Promise<unknown> => {
      const messages = roles.map((role) => ({ role, content: [{ type: 'text', text: 'x' }] }))
      const { content } = (await (await post('/v1/messages', { ...ask, messages })).json()) as { content: { text: string }[] }
      return content[0]?.text
    }
    assert.equal(await said('user'), 'one')
    assert.equal(await said('user', 'assistant', 'user'), 'two')
    assert.equal(await said('user', 'assistant'), 'one')
    assert.equal(await said('user', 'assistant', 'user', 'assistant', 'user'), 'three')
    assert.equal(
      await said('user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user'),
      'The script has no more turns in the lane "main".',
    )
  })

  test('the system prompt may be a text or blocks', async (t) => {
    const { post } = await scripted(t, 'lanes: [{when: {system: be brief}, turns: [{text: brief}]}]\nturns: [{text: long}]')
    for (const system of [
      'You are to be brief.',
      [
        { type: 'text', text: 'Hello' },
        { type: 'text', text: 'be brief' },
      ],
    ])
      assert.match(await (await post('/v1/messages', { ...ask, system })).text(), /"text":"brief"/)
    assert.match(await (await post('/v1/messages', ask)).text(), /"text":"long"/)
  })

  test('what the user says later does not lead to another lane', async (t) => {
    const { post } = await scripted(
      t,
      'lanes: [{name: a, when: {prompt: later}, turns: [{text: wrong}]}]\nturns: [{text: one}, {text: two}]',
    )
    const messages = [...ask.messages, { role: 'assistant', content: 'one' }, { role: 'user', content: 'later' }]
    assert.match(await (await post('/v1/messages', { ...ask, messages })).text(), /"text":"two"/)
  })

  test('why a turn ends', async (t) => {
    const { post } = await scripted(
      t,
      'turns: [{text: a}]\nlanes: [{when: {prompt: L}, turns: [{text: a, finish: length}]}, {when: {prompt: R}, turns: [{text: a, finish: refusal}]}]',
    )
    for (const [content, reason] of Object.entries({ x: 'end_turn', L: 'max_tokens', R: 'refusal' })) {
      const body = { ...ask, messages: [{ role: 'user', content }] }
      assert.equal(((await (await post('/v1/messages', body)).json()) as { stop_reason: string }).stop_reason, reason)
    }
  })

  test('a cut stream ends in the middle of the text, a cut answer in the middle of its bytes', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: abcd, cut: true}]')
    const events = eventsIn(await textUntilCut(await post('/v1/messages', { ...ask, stream: true })))
    assert.deepEqual(
      events.map(({ event }) => event),
      ['message_start', 'content_block_start', 'content_block_delta'],
    )
    assert.deepEqual((events[2]!.data as { delta: object }).delta, { type: 'text_delta', text: 'ab' })
    const text = await textUntilCut(await post('/v1/messages', ask))
    assert.ok(text.startsWith('{"id":"msg_2"'))
    assert.throws(() => JSON.parse(text))
  })

  test('malformed input is broken off', async (t) => {
    const { post } = await scripted(t, 'turns: [{malformed: true, tools: [{name: a, input: {path: b}}]}]')
    const events = await eventsOf(await post('/v1/messages', { ...ask, stream: true }))
    const pieces = events.flatMap(({ data }) => (data as { delta?: { partial_json?: string } }).delta?.partial_json ?? [])
    assert.deepEqual(pieces, ['{"path'])
    const { content } = (await (await post('/v1/messages', ask)).json()) as { content: { input: unknown }[] }
    assert.equal(content[0]?.input, '{"path')
  })

  test('errors have its types', async (t) => {
    const types = {
      400: 'invalid_request_error',
      401: 'authentication_error',
      403: 'permission_error',
      404: 'not_found_error',
      413: 'request_too_large',
      429: 'rate_limit_error',
      500: 'api_error',
      529: 'overloaded_error',
    }
    const lanes = Object.keys(types).map((status) => `{when: {prompt: S${status}}, turns: [{error: {status: ${status}, message: no}}]}`)
    const { post } = await scripted(t, `lanes: [${lanes.join(', ')}]`)
    for (const [status, type] of Object.entries(types)) {
      const response = await post('/v1/messages', { ...ask, stream: true, messages: [{ role: 'user', content: `S${status}` }] })
      assert.equal(response.status, Number(status))
      assert.deepEqual(await response.json(), { type: 'error', error: { type, message: 'no' } })
    }
  })

  test('tokens are counted from the size of the request', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: a}]')
    const response = await post('/v1/messages/count_tokens', ask)
    assert.deepEqual(await response.json(), { input_tokens: Math.ceil(JSON.stringify(ask).length / 4) })
  })
})
