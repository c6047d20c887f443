// Reads answers of the Anthropic Messages API for a recording. A stream is put together to the message that a plain answer is.
import type { Rec } from '../base/json.ts'
import {
  countIn,
  failureIn,
  inputIn,
  nothingSaid,
  paragraphs,
  type Reader,
  recordIn,
  recordsIn,
  type Said,
  textIn,
} from './record-answer.ts'
import type { Finish, Input, Usage } from './script.ts'

const finishes: Record<string, Finish> = {
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
}

type Block = Rec & { json?: string; isOpen?: boolean }
type Message = { head: Rec; blocks: Block[]; stop: unknown; usage: Rec; failure: Said['failure'] }

export const readAnthropic: Reader = (records) => {
  const { head, blocks, stop, usage, failure } = messageIn(records)
  const textsOf = (type: string, key: string): (string | undefined)[] =>
    blocks.flatMap((block) => (block['type'] === type ? textIn(block, key) : []))
  const calls = blocks.filter(({ type, isOpen }) => type === 'tool_use' && isOpen !== true)
  return {
    ...nothingSaid,
    model: textIn(head, 'model'),
    think: paragraphs(textsOf('thinking', 'thinking')),
    text: textsOf('text', 'text').join(''), // quotations cut one text in several blocks
    tools: calls.map((block) => ({ name: textIn(block, 'name') ?? '', input: inputOf(block) })),
    usage: Object.keys(usage).length === 0 ? undefined : usageIn(usage),
    finish: typeof stop === 'string' ? (finishes[stop] ?? 'stop') : undefined,
    failure,
  }
}

function messageIn(records: readonly Rec[]): Message {
  const told = new Map<unknown, Block>()
  const message: Message = { head: {}, blocks: [], stop: undefined, usage: {}, failure: undefined }
  const count = (usage: Rec): void => {
    for (const [key, value] of Object.entries(usage)) if (value !== null) message.usage[key] = value
  }
  for (const record of records) {
    const block = told.get(record['index'])
    switch (record['type']) {
      case 'message':
        return {
          ...message,
          head: record,
          blocks: recordsIn(record, 'content'),
          stop: record['stop_reason'],
          usage: recordIn(record, 'usage'),
        }
      case 'message_start':
        message.head = recordIn(record, 'message')
        count(recordIn(message.head, 'usage'))
        break
      case 'content_block_start':
        told.set(record['index'], { ...recordIn(record, 'content_block'), json: '', isOpen: true })
        break
      case 'content_block_delta':
        if (block !== undefined) grow(block, recordIn(record, 'delta'))
        break
      case 'content_block_stop':
        if (block !== undefined) block.isOpen = false
        break
      case 'message_delta':
        message.stop = recordIn(record, 'delta')['stop_reason']
        count(recordIn(record, 'usage'))
        break
      case 'error':
        message.failure = failureIn(record['error'])
    }
  }
  return { ...message, blocks: [...told.values()] }
}

function grow(block: Block, delta: Rec): void {
  for (const key of ['text', 'thinking']) {
    const piece = textIn(delta, key)
    if (piece !== undefined) block[key] = (textIn(block, key) ?? '') + piece
  }
  block.json += textIn(delta, 'partial_json') ?? ''
}

function inputOf({ input, json = '' }: Block): Input {
  if (json !== '' || input === undefined || input === null) return inputIn(json)
  return typeof input === 'string' ? input : inputIn(JSON.stringify(input))
}

function usageIn(usage: Rec): Usage {
  const reasoning = countIn(recordIn(usage, 'output_tokens_details'), 'thinking_tokens')
  return {
    input: countIn(usage, 'input_tokens'),
    output: Math.max(0, countIn(usage, 'output_tokens') - reasoning),
    reasoning,
    cacheRead: countIn(usage, 'cache_read_input_tokens'),
    cacheWrite: countIn(usage, 'cache_creation_input_tokens'),
  }
}
