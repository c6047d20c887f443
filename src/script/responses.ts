// The Responses API of OpenAI. The whole conversation must be in the request: nothing is kept here that an id could refer to.
import { isRecord, type Rec } from '../base/json.ts'
import { type Answer, piecesOf, type Part } from './engine.ts'
import { BadRequest, type Context, conversationOf, type Face, type Frame, listOf, seconds, textOf } from './face.ts'
import { cachedIn, failure, inputOf, outputOf } from './openai.ts'
import type { Usage } from './script.ts'

const incomplete: Record<string, string> = { length: 'max_output_tokens', refusal: 'content_filter' }

export const responses: Face = {
  name: 'responses',
  path: /^\/responses$/,
  read(body) {
    if (typeof body['previous_response_id'] === 'string')
      throw new BadRequest('previous_response_id: no response is kept here; send the whole conversation as input')
    const items = typeof body['input'] === 'string' ? [{ role: 'user', content: body['input'] }] : listOf(body, 'input')
    return conversationOf(items.map(messageIn), textOf(body['instructions']), body, body['model'])
  },
  isStream: ({ stream }) => stream === true,
  plain: (answer, context) => responseOf(answer, context, true),
  frames,
  failure,
  count: {
    path: /^\/responses\/input_tokens$/,
    reply: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  },
}

/** Every item that is no message and no result of a tool is a part of an answer: reasoning, calls, references to either. */
function messageIn({ type = 'message', role, content }: Rec) {
  const text = textOf(content)
  if (type !== 'message') return { from: String(type).endsWith('_output') ? ('tool' as const) : ('model' as const), text: '' }
  if (role === 'assistant') return { from: 'model' as const, text }
  return { from: role === 'system' || role === 'developer' ? ('system' as const) : ('user' as const), text }
}

function responseOf(answer: Answer, context: Context, isDone: boolean): Rec {
  const reason = incomplete[answer.finish]
  return {
    id: `resp_${answer.serial}`,
    object: 'response',
    created_at: seconds(context.now),
    status: !isDone ? 'in_progress' : reason === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: isDone && reason !== undefined ? { reason } : null,
    model: context.model,
    output: isDone ? answer.parts.map((part, index) => itemOf(part, idOf(answer, index), context, true)) : [],
    parallel_tool_calls: true,
    usage: isDone ? usageOf(answer.usage) : null,
  }
}

const usageOf = (usage: Usage): Rec => ({
  input_tokens: inputOf(usage),
  input_tokens_details: cachedIn(usage),
  output_tokens: outputOf(usage),
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: inputOf(usage) + outputOf(usage),
})

const prefixes = { think: 'rs', text: 'msg', tool: 'fc' }
const idOf = ({ serial, parts }: Answer, index: number): string => `${prefixes[parts[index]!.type]}_${serial}_${index + 1}`

/** An item of the output, or what is announced of it. */
function itemOf(part: Part, id: string, { body }: Context, isDone: boolean): Rec {
  const status = isDone ? 'completed' : 'in_progress'
  switch (part.type) {
    case 'think': {
      const asked = Array.isArray(body['include']) && body['include'].includes('reasoning.encrypted_content')
      const summary = isDone ? [{ type: 'summary_text', text: part.text }] : []
      return { id, type: 'reasoning', summary, ...(asked && { encrypted_content: isDone ? 'c2x1aWNl' : '' }) }
    }
    case 'text':
      return { id, type: 'message', status, role: 'assistant', content: isDone ? [textPart(part.text)] : [] }
    case 'tool': {
      const input = isDone ? part.json : ''
      const { name, namespace, isFree } = toolIn(body, part.name)
      const call = { id, status, call_id: part.id, name, ...(namespace !== undefined && { namespace }) }
      return isFree ? { type: 'custom_tool_call', ...call, input } : { type: 'function_call', ...call, arguments: input }
    }
  }
}

const textPart = (text: string): Rec => ({ type: 'output_text', annotations: [], logprobs: [], text })

/** NAMESPACE/NAME is a tool in a namespace. A tool that the request offers as custom takes free text. */
function toolIn(body: Rec, called: string): { name: string; namespace?: string; isFree: boolean } {
  const tools = Array.isArray(body['tools']) ? body['tools'].filter(isRecord) : []
  const [namespace, name] = called.split('/', 2)
  if (namespace !== undefined && name !== undefined) return { name, namespace, isFree: false }
  return { name: called, isFree: tools.some((tool) => tool['type'] === 'custom' && tool['name'] === called) }
}

function* frames(answer: Answer, context: Context): Generator<Frame> {
  let sequence = 0
  const frame = (event: string, data: Rec): Frame => ({ event, data: { type: event, sequence_number: sequence++, ...data } })
  const paced = (event: string, data: Rec): Frame => ({ ...frame(event, data), paced: true })
  yield frame('response.created', { response: responseOf(answer, context, false) })
  yield frame('response.in_progress', { response: responseOf(answer, context, false) })
  for (const [index, part] of answer.parts.entries()) {
    const id = idOf(answer, index)
    const at = { item_id: id, output_index: index }
    const item = itemOf(part, id, context, false)
    yield frame('response.output_item.added', { output_index: index, item })
    const pieces = piecesOf(part, answer.chunk)
    if (part.type === 'think') {
      const inSummary = { ...at, summary_index: 0 }
      yield frame('response.reasoning_summary_part.added', { ...inSummary, part: { type: 'summary_text', text: '' } })
      for (const delta of pieces) yield paced('response.reasoning_summary_text.delta', { ...inSummary, delta })
      yield frame('response.reasoning_summary_text.done', { ...inSummary, text: part.text })
      yield frame('response.reasoning_summary_part.done', { ...inSummary, part: { type: 'summary_text', text: part.text } })
    } else if (part.type === 'text') {
      const inContent = { ...at, content_index: 0 }
      yield frame('response.content_part.added', { ...inContent, part: textPart('') })
      for (const delta of pieces) yield paced('response.output_text.delta', { ...inContent, delta, logprobs: [] })
      yield frame('response.output_text.done', { ...inContent, text: part.text, logprobs: [] })
      yield frame('response.content_part.done', { ...inContent, part: textPart(part.text) })
    } else {
      const [event, key] =
        item['type'] === 'custom_tool_call'
          ? (['response.custom_tool_call_input', 'input'] as const)
          : (['response.function_call_arguments', 'arguments'] as const)
      for (const delta of pieces) yield paced(`${event}.delta`, { ...at, delta })
      yield frame(`${event}.done`, { ...at, [key]: part.json })
    }
    yield frame('response.output_item.done', { output_index: index, item: itemOf(part, id, context, true) })
  }
  const end = incomplete[answer.finish] === undefined ? 'response.completed' : 'response.incomplete'
  yield frame(end, { response: responseOf(answer, context, true) })
}
