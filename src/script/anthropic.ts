// The Anthropic Messages API. Its input counts leave the cache out; its output includes the thoughts.
import type { Rec } from '../base/json.ts'
import { type Answer, piecesOf, type Part } from './engine.ts'
import { type Context, conversationOf, type Face, type Frame, listOf, textOf } from './face.ts'
import type { Usage } from './script.ts'

const stopReasons = { stop: 'end_turn', 'tool-calls': 'tool_use', length: 'max_tokens', refusal: 'refusal' }
const errorTypes: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}
const signature = 'c2x1aWNl' // clients send it back; nobody can check it here

export const anthropic: Face = {
  name: 'anthropic',
  path: /^\/messages$/,
  read(body) {
    const messages = listOf(body, 'messages').map(({ role, content }) => ({
      from: role === 'assistant' ? ('model' as const) : role === 'system' ? ('system' as const) : ('user' as const),
      text: textOf(content),
    }))
    return conversationOf(messages, textOf(body['system']), body, body['model'])
  },
  isStream: ({ stream }) => stream === true,
  plain: (answer, context) => ({
    ...messageOf(answer, context),
    content: answer.parts.map((part) => blockOf(part, answer)),
    stop_reason: stopReasons[answer.finish],
    usage: usageOf(answer.usage),
  }),
  frames,
  failure: ({ status, message }) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'), message },
  }),
  count: { path: /^\/messages\/count_tokens$/, reply: (tokens) => ({ input_tokens: tokens }) },
}

const messageOf = ({ serial, usage }: Answer, { model }: Context): Rec => ({
  id: `msg_${serial}`,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: usageOf({ ...usage, output: 1, reasoning: 0 }), // what real streams begin with
})

const usageOf = ({ input, output, reasoning, cacheRead, cacheWrite }: Usage): Rec => ({
  input_tokens: input,
  cache_creation_input_tokens: cacheWrite,
  cache_read_input_tokens: cacheRead,
  cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: 0 },
  output_tokens: output + reasoning,
  output_tokens_details: { thinking_tokens: reasoning },
})

function blockOf(part: Part, { malformed }: Answer): Rec {
  switch (part.type) {
    case 'think':
      return { type: 'thinking', thinking: part.text, signature }
    case 'text':
      return { type: 'text', text: part.text }
    case 'tool':
      return { type: 'tool_use', id: part.id, name: part.name, input: malformed ? part.json : part.input }
  }
}

const emptyBlockOf = (part: Part): Rec =>
  part.type === 'think'
    ? { type: 'thinking', thinking: '', signature: '' }
    : part.type === 'text'
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: part.id, name: part.name, input: {} }

const deltaOf = (part: Part, piece: string): Rec =>
  part.type === 'think'
    ? { type: 'thinking_delta', thinking: piece }
    : part.type === 'text'
      ? { type: 'text_delta', text: piece }
      : { type: 'input_json_delta', partial_json: piece }

function* frames(answer: Answer, context: Context): Generator<Frame> {
  const frame = (event: string, data: Rec): Frame => ({ event, data: { type: event, ...data } })
  yield frame('message_start', { message: messageOf(answer, context) })
  for (const [index, part] of answer.parts.entries()) {
    yield frame('content_block_start', { index, content_block: emptyBlockOf(part) })
    for (const piece of piecesOf(part, answer.chunk))
      yield { ...frame('content_block_delta', { index, delta: deltaOf(part, piece) }), paced: true }
    if (part.type === 'think') yield frame('content_block_delta', { index, delta: { type: 'signature_delta', signature } })
    yield frame('content_block_stop', { index })
  }
  const delta = { stop_reason: stopReasons[answer.finish], stop_sequence: null }
  yield frame('message_delta', { delta, usage: usageOf(answer.usage) })
  yield frame('message_stop', {})
}
