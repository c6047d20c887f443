import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { eventsIn, eventsOf, fullTurn, scripted, textUntilCut, madeAt } from '../../test/scripted.ts'

const path = '/v1/responses'
const ask = { model: 'gpt-x', input: 'Weather?' }
const usage = {
  input_tokens: 54001,
  input_tokens_details: { cached_tokens: 4000, cache_write_tokens: 50000 },
  output_tokens: 320,
  output_tokens_details: { reasoning_tokens: 300 },
  total_tokens: 54321,
}
const text = (of: string) => ({ type: 'output_text', annotations: [], logprobs: [], text: of })
const thought = (of: string) => ({ type: 'summary_text', text: of })
const call = (id: string, call_id: string, name: string, input: string, status = 'completed') => ({
  type: 'function_call',
  id,
  status,
  call_id,
  name,
  arguments: input,
})
const items = [
  { id: 'rs_1_1', type: 'reasoning', summary: [thought('Which city?')] },
  { id: 'msg_1_2', type: 'message', status: 'completed', role: 'assistant', content: [text('Hi 🙂!')] },
  call('fc_1_3', 'call_1_1', 'weather', '{"city":"Bern"}'),
  call('fc_1_4', 'mine', 'ring', '{}'),
]
const response = (over: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: madeAt,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'gpt-x',
  output: items,
  parallel_tool_calls: true,
  usage,
  ...over,
})

suite('the Responses API', () => {
  test('a stream has the documented events in their order, numbered', async (t) => {
    const { post } = await scripted(t, `turns:${fullTurn}`)
    const events = await eventsOf(await post(path, { ...ask, stream: true }))
    for (const { event, data } of events) assert.equal((data as { type: string }).type, event)
    const begun = response({ status: 'in_progress', output: [], usage: null })
    const at = (item_id: string, output_index: number, more: object) => ({ item_id, output_index, ...more })
    const inSummary = (more: object) => at('rs_1_1', 0, { summary_index: 0, ...more })
    const inContent = (more: object) => at('msg_1_2', 1, { content_index: 0, ...more })
    const expected: [string, object][] = [
      ['response.created', { response: begun }],
      ['response.in_progress', { response: begun }],
      ['response.output_item.added', { output_index: 0, item: { ...items[0], summary: [] } }],
      ['response.reasoning_summary_part.added', inSummary({ part: thought('') })],
      ...['Whic', 'h ci', 'ty?'].map((delta): [string, object] => ['response.reasoning_summary_text.delta', inSummary({ delta })]),
      ['response.reasoning_summary_text.done', inSummary({ text: 'Which city?' })],
      ['response.reasoning_summary_part.done', inSummary({ part: thought('Which city?') })],
      ['response.output_item.done', { output_index: 0, item: items[0] }],
      ['response.output_item.added', { output_index: 1, item: { ...items[1], status: 'in_progress', content: [] } }],
      ['response.content_part.added', inContent({ part: text('') })],
      ...['Hi 🙂', '!'].map((delta): [string, object] => ['response.output_text.delta', inContent({ delta, logprobs: [] })]),
      ['response.output_text.done', inContent({ text: 'Hi 🙂!', logprobs: [] })],
      ['response.content_part.done', inContent({ part: text('Hi 🙂!') })],
      ['response.output_item.done', { output_index: 1, item: items[1] }],
      ['response.output_item.added', { output_index: 2, item: call('fc_1_3', 'call_1_1', 'weather', '', 'in_progress') }],
      ...['{"ci', 'ty":', '"Ber', 'n"}'].map((delta): [string, object] => [
        'response.function_call_arguments.delta',
        at('fc_1_3', 2, { delta }),
      ]),
      ['response.function_call_arguments.done', at('fc_1_3', 2, { arguments: '{"city":"Bern"}' })],
      ['response.output_item.done', { output_index: 2, item: items[2] }],
      ['response.output_item.added', { output_index: 3, item: call('fc_1_4', 'mine', 'ring', '', 'in_progress') }],
      ['response.function_call_arguments.delta', at('fc_1_4', 3, { delta: '{}' })],
      ['response.function_call_arguments.done', at('fc_1_4', 3, { arguments: '{}' })],
      ['response.output_item.done', { output_index: 3, item: items[3] }],
      ['response.completed', { response: response() }],
    ]
    assert.deepEqual(
      events.map(({ data }) => data),
      expected.map(([type, data], index) => ({ type, sequence_number: index, ...data })),
    )
  })

  test('a plain answer is the response that the stream ends with', async (t) => {
    const { post } = await scripted(t, `turns:${fullTurn}`)
    assert.deepEqual(await (await post(path, ask)).json(), response())
  })

  test('an answer may be many items: reasoning, a message, calls, references', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: one}, {text: two}, {text: three}]')
    const said = async (...input: object[]): Promise<unknown> => {
      const { output } = (await (await post(path, { ...ask, input })).json()) as { output: { content: { text: string }[] }[] }
      return output[0]?.content[0]?.text
    }
    const user = { role: 'user', content: [{ type: 'input_text', text: 'go' }] }
    const answer = [{ type: 'reasoning' }, { type: 'message', role: 'assistant' }, { type: 'function_call' }, { type: 'custom_tool_call' }]
    const results = [{ type: 'function_call_output' }, { type: 'custom_tool_call_output' }]
    assert.equal(await said(user, user), 'one')
    assert.equal(await said(user, ...answer, ...results), 'two')
    assert.equal(await said(user, { type: 'item_reference', id: 'msg_1' }, user), 'two')
    assert.equal(await said(user, ...answer, ...results, { role: 'assistant', content: 'x' }, user), 'three')
  })

  test('instructions and developer messages are the system prompt', async (t) => {
    const { post } = await scripted(t, 'lanes: [{when: {system: "/brief.*polite/s"}, turns: [{text: "yes"}]}]')
    const input = [
      { role: 'developer', content: 'be polite' },
      { role: 'user', content: 'go' },
    ]
    assert.match(await (await post(path, { ...ask, instructions: 'be brief', input })).text(), /"yes"/)
    assert.match(await (await post(path, { ...ask, input })).text(), /no lane/)
  })

  test('a tool that is offered as custom takes free text, and a namespace stands apart from the name', async (t) => {
    const { post } = await scripted(t, 'turns: [{chunk: 3, tools: [{name: patch, input: abcd}, {name: mcp__a/echo, input: {}}]}]')
    const body = { ...ask, stream: true, tools: [{ type: 'custom', name: 'patch' }] }
    const events = (await eventsOf(await post(path, body))).slice(2)
    const patch = { type: 'custom_tool_call', id: 'fc_1_1', status: 'completed', call_id: 'call_1_1', name: 'patch', input: 'abcd' }
    const at = { item_id: 'fc_1_1', output_index: 0 }
    assert.deepEqual(
      events.slice(0, 5).map(({ data }) => data),
      [
        ['response.output_item.added', { output_index: 0, item: { ...patch, status: 'in_progress', input: '' } }],
        ['response.custom_tool_call_input.delta', { ...at, delta: 'abc' }],
        ['response.custom_tool_call_input.delta', { ...at, delta: 'd' }],
        ['response.custom_tool_call_input.done', { ...at, input: 'abcd' }],
        ['response.output_item.done', { output_index: 0, item: patch }],
      ].map(([type, data], index) => ({ type, sequence_number: index + 2, ...(data as object) })),
    )
    const { item } = events[5]!.data as { item: { name: string; namespace: string } }
    assert.deepEqual([item.name, item.namespace], ['echo', 'mcp__a'])
  })

  test('what clients give back of a thought is there when they ask for it', async (t) => {
    const { post } = await scripted(t, 'turns: [{think: hm}]')
    const body = { ...ask, include: ['reasoning.encrypted_content'] }
    const { output } = (await (await post(path, body)).json()) as { output: unknown[] }
    assert.deepEqual(output, [{ id: 'rs_1_1', type: 'reasoning', summary: [thought('hm')], encrypted_content: 'c2x1aWNl' }])
  })

  test('a turn that does not come to its end is incomplete', async (t) => {
    const { post } = await scripted(
      t,
      'turns: [{text: a, finish: length}]\nlanes: [{when: {prompt: R}, turns: [{text: a, finish: refusal}]}]',
    )
    const events = await eventsOf(await post(path, { ...ask, stream: true }))
    assert.equal(events.at(-1)?.event, 'response.incomplete')
    const of = (data: unknown) => {
      const { status, incomplete_details } = data as { status: string; incomplete_details: unknown }
      return [status, incomplete_details]
    }
    assert.deepEqual(of((events.at(-1)!.data as { response: unknown }).response), ['incomplete', { reason: 'max_output_tokens' }])
    assert.deepEqual(of(await (await post(path, { ...ask, input: 'R' })).json()), ['incomplete', { reason: 'content_filter' }])
  })

  test('a cut stream has no end', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: abcd, cut: true}]')
    const events = eventsIn(await textUntilCut(await post(path, { ...ask, stream: true })))
    assert.deepEqual(
      events.map(({ event }) => event),
      [
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
      ],
    )
  })

  test('tokens are counted, and a response that is not here is not continued', async (t) => {
    const { post } = await scripted(t, 'turns: [{text: a}]')
    const counted = await (await post(`${path}/input_tokens`, ask)).json()
    assert.deepEqual(counted, { object: 'response.input_tokens', input_tokens: Math.ceil(JSON.stringify(ask).length / 4) })
    const refused = await post(path, { ...ask, previous_response_id: 'resp_1' })
    assert.equal(refused.status, 400)
    assert.match(await refused.text(), /"message":"previous_response_id: no response is kept here/)
  })
})
