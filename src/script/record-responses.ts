// Reads answers of the Responses API for a recording. The last event of a stream repeats the whole answer, but some servers leave its
// output empty: the items count as they were told one by one.
import { isRecord, type Rec } from '../base/json.ts'
import { countIn, failureIn, inputIn, nothingSaid, paragraphs, type Reader, recordIn, recordsIn, textIn } from './record-answer.ts'
import { usageIn } from './record-openai.ts'
import type { Finish, Input } from './script.ts'

/** `think` and `text`: the pieces of an item that is not done. */
type Item = { done: Rec | undefined; think: string; text: string }

export const readResponses: Reader = (records) => {
  const items = new Map<number, Item>()
  let response: Rec = {}
  let error: unknown
  for (const record of records) {
    const type = textIn(record, 'type') ?? ''
    if (record['object'] === 'response') response = record
    if (isRecord(record['response'])) response = record['response']
    if (type === 'error') error = isRecord(record['error']) ? record['error'] : record
    const index = record['output_index']
    if (typeof index !== 'number') continue
    const item = items.get(index) ?? { done: undefined, think: '', text: '' }
    items.set(index, item)
    if (type === 'response.output_item.done') item.done = recordIn(record, 'item')
    if (/^response\.(output_text|refusal)\.delta$/.test(type)) item.text += textIn(record, 'delta') ?? ''
    if (/^response\.reasoning(_summary)?_text\.delta$/.test(type)) item.think += textIn(record, 'delta') ?? ''
  }
  const whole = recordsIn(response, 'output').map((done) => ({ done, think: '', text: '' }))
  const parts = (items.size > 0 ? [...items.values()] : whole).map(partIn)
  const tools = parts.flatMap(({ tool }) => tool ?? [])
  error ??= response['status'] === 'failed' ? response['error'] : undefined
  return {
    ...nothingSaid,
    model: textIn(response, 'model'),
    think: paragraphs(parts.map(({ think }) => think)),
    text: paragraphs(parts.map(({ text }) => text)),
    tools,
    usage: isRecord(response['usage']) ? usageOf(response['usage']) : undefined,
    finish: parts.some(({ isRefusal }) => isRefusal) ? 'refusal' : finishOf(response, tools.length > 0),
    failure: error === undefined ? undefined : failureIn(error),
  }
}

type Part = { think?: string; text?: string; tool?: { name: string; input: Input }; isRefusal?: boolean }

function partIn({ done, think, text }: Item): Part {
  if (done === undefined) return { think, text }
  switch (done['type']) {
    case 'reasoning': {
      const summary = recordsIn(done, 'summary')
      return { think: paragraphs((summary.length > 0 ? summary : recordsIn(done, 'content')).map((part) => textIn(part, 'text'))) }
    }
    case 'message': {
      const content = recordsIn(done, 'content')
      return {
        text: content.map((part) => textIn(part, 'text') ?? textIn(part, 'refusal') ?? '').join(''),
        isRefusal: content.some(({ type }) => type === 'refusal'),
      }
    }
    case 'function_call':
      return { tool: { name: nameOf(done), input: inputIn(textIn(done, 'arguments') ?? '') } }
    case 'custom_tool_call':
      return { tool: { name: nameOf(done), input: textIn(done, 'input') ?? '' } }
    default:
      return {} // what the provider did by itself
  }
}

function nameOf(call: Rec): string {
  const namespace = textIn(call, 'namespace')
  return `${namespace === undefined ? '' : `${namespace}/`}${textIn(call, 'name') ?? ''}`
}

function finishOf({ status, incomplete_details }: Rec, hasTools: boolean): Finish | undefined {
  if (status === 'completed') return hasTools ? 'tool-calls' : 'stop'
  if (status !== 'incomplete') return undefined
  return textIn(incomplete_details, 'reason') === 'content_filter' ? 'refusal' : 'length'
}

const usageOf = (usage: Rec) =>
  usageIn(
    countIn(usage, 'input_tokens'),
    recordIn(usage, 'input_tokens_details'),
    countIn(usage, 'output_tokens'),
    recordIn(usage, 'output_tokens_details'),
  )
