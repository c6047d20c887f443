// Reads answers of the Chat Completions API for a recording, also those of the many compatible servers, which differ in small things:
// thoughts are `reasoning_content` or `reasoning`, and the pieces of a call may come without a number.
import { isRecord, type Rec } from '../base/json.ts'
import { textOf } from './face.ts'
import { countIn, failureIn, inputIn, jsonIn, nothingSaid, type Reader, recordIn, recordsIn, type Said, textIn } from './record-answer.ts'
import { usageIn } from './record-openai.ts'
import type { Finish } from './script.ts'

const finishes: Record<string, Finish> = {
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  length: 'length',
  content_filter: 'refusal',
}

type Call = { id: unknown; name: string; json: string }
type Calls = Map<number, Call>

export const readChat: Reader = (records) => {
  const said: Said = { ...nothingSaid }
  const calls: Calls = new Map()
  let refusal = ''
  for (const record of records) {
    if (record['error'] !== undefined && record['error'] !== null) said.failure = failureIn(record['error'])
    if (isRecord(record['usage'])) said.usage = usageOf(record['usage'])
    said.model ??= textIn(record, 'model')
    const choice = recordsIn(record, 'choices').find(({ index = 0 }) => index === 0)
    if (choice === undefined) continue
    const message = isRecord(choice['message']) ? choice['message'] : recordIn(choice, 'delta')
    said.think += textIn(message, 'reasoning_content') ?? textIn(message, 'reasoning') ?? ''
    said.text += textOf(message['content'])
    refusal += textIn(message, 'refusal') ?? ''
    for (const piece of recordsIn(message, 'tool_calls')) grow(calls, piece)
    const finish = textIn(choice, 'finish_reason')
    if (finish !== undefined) said.finish = finishes[finish] ?? 'stop'
  }
  said.tools = [...calls.values()]
    .filter(({ json }) => said.finish !== undefined || jsonIn(json) !== undefined)
    .map(({ name, json }) => ({ name, input: inputIn(json) }))
  return refusal === '' ? said : { ...said, text: said.text + refusal, finish: said.finish && 'refusal' }
}

function grow(calls: Calls, piece: Rec): void {
  const made = recordIn(piece, 'function')
  const { id, index } = piece
  const [last, call] = [...calls].at(-1) ?? [-1]
  const isNext = call === undefined || (typeof id === 'string' && id !== '' && id !== call.id)
  const at = typeof index === 'number' ? index : isNext ? last + 1 : last
  const { name, json } = calls.get(at) ?? { name: '', json: '' }
  calls.set(at, { id: calls.get(at)?.id ?? id, name: name + (textIn(made, 'name') ?? ''), json: json + (textIn(made, 'arguments') ?? '') })
}

const usageOf = (usage: Rec) =>
  usageIn(
    countIn(usage, 'prompt_tokens'),
    recordIn(usage, 'prompt_tokens_details'),
    countIn(usage, 'completion_tokens'),
    recordIn(usage, 'completion_tokens_details'),
  )
