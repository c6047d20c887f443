// Reads answers of the Gemini API for a recording. A stream is whole responses, each with a part of the answer. A call that the
// service found malformed is never told; the script gets one of the same fate.
import { isRecord, type Rec } from '../base/json.ts'
import { countIn, failureIn, inputIn, nothingSaid, type Reader, recordIn, recordsIn, type Said, textIn } from './record-answer.ts'
import type { Finish, Usage } from './script.ts'

const refusals = /SAFETY|RECITATION|PROHIBITED|BLOCKLIST|SPII/
const malformed = /MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL/

export const readGemini: Reader = (records) => {
  const said: Said = { ...nothingSaid, tools: [] }
  for (const record of records) {
    if (isRecord(record['error'])) said.failure = failureIn(record['error'])
    if (isRecord(record['usageMetadata'])) said.usage = usageIn(record['usageMetadata'])
    said.model ??= textIn(record, 'modelVersion')
    if (textIn(recordIn(record, 'promptFeedback'), 'blockReason') !== undefined) said.finish = 'refusal'
    const [candidate] = recordsIn(record, 'candidates')
    for (const part of recordsIn(recordIn(candidate, 'content'), 'parts')) {
      if (isRecord(part['functionCall'])) said.tools.push(callIn(part['functionCall']))
      else if (part['thought'] === true) said.think += textIn(part, 'text') ?? ''
      else said.text += textIn(part, 'text') ?? ''
    }
    const reason = textIn(candidate, 'finishReason')
    if (reason === undefined) continue
    said.malformed = malformed.test(reason)
    if (said.malformed && said.tools.length === 0) said.tools.push({ name: 'unknown', input: {} })
    said.finish = finishOf(reason, said.tools.length > 0)
  }
  return said
}

const callIn = (call: Rec) => ({ name: textIn(call, 'name') ?? '', input: inputIn(JSON.stringify(call['args'] ?? {})) })

function finishOf(reason: string, hasTools: boolean): Finish {
  if (reason === 'MAX_TOKENS') return 'length'
  if (refusals.test(reason)) return 'refusal'
  return hasTools ? 'tool-calls' : 'stop'
}

function usageIn(usage: Rec): Usage {
  const cacheRead = countIn(usage, 'cachedContentTokenCount')
  return {
    input: Math.max(0, countIn(usage, 'promptTokenCount') - cacheRead) + countIn(usage, 'toolUsePromptTokenCount'),
    output: countIn(usage, 'candidatesTokenCount'),
    reasoning: countIn(usage, 'thoughtsTokenCount'),
    cacheRead,
    cacheWrite: 0,
  }
}
