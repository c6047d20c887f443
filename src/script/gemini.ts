// The Gemini API. A stream is whole responses, each with a part of the answer; the last one says why it ends and what it took.
// Input counts include what came from the cache, and there is no word for what went to it; thoughts are counted apart from output.
// It has no malformed tool calls: the service notices them itself and says so.
import { isRecord, type Rec } from '../base/json.ts'
import { type Answer, piecesOf, type Part } from './engine.ts'
import { callsIn, type Context, conversationOf, type Face, type Frame, type Framing, listOf, serverSentEvents, textOf } from './face.ts'
import type { Failure, Usage } from './script.ts'

const finishReasons = { stop: 'STOP', 'tool-calls': 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' }
const statuses: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}
// Clients send it back with the part, and some miss it where a model of the third generation made a call. Nobody can check it here.
const thoughtSignature = 'c2x1aWNl'

export const gemini: Face = {
  name: 'gemini',
  path: /^\/(?:models|tunedModels)\/([^/:]+):(?:stream)?[gG]enerateContent$/,
  read(body, [, model]) {
    const contents = listOf(body, 'contents').map(({ role, parts }) => ({
      from: role === 'model' ? ('model' as const) : ('user' as const),
      text: textOf(parts),
    }))
    const system = body['systemInstruction'] ?? body['system_instruction']
    return conversationOf(contents, isRecord(system) ? textOf(system['parts']) : '', body, model)
  },
  isStream: (_, path) => path.endsWith(':streamGenerateContent'),
  plain: (answer, context) => responseOf(answer, context, [...partsOf(answer, Infinity)], true),
  frames,
  framing: (query) => (query.get('alt') === 'sse' ? serverSentEvents : jsonArray),
  failure: ({ status, message, retryAfter }: Failure) => ({
    error: {
      code: status,
      message,
      status: statuses[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL'),
      ...(retryAfter !== undefined && {
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter / 1000}s` }],
      }),
    },
  }),
  count: { path: /^\/(?:models|tunedModels)\/([^/:]+):countTokens$/, reply: (tokens) => ({ totalTokens: tokens }) },
}

const jsonArray: Framing = {
  type: 'application/json; charset=utf-8',
  open: '[',
  frame: ({ data }, isFirst) => `${isFirst ? '' : ',\r\n'}${JSON.stringify(data)}`,
  close: ']',
}

/** What a stream gives one at a time. A call comes whole. */
function* partsOf({ parts, malformed }: Answer, chunk: number): Generator<Rec> {
  for (const part of parts) {
    if (part.type === 'think') for (const text of piecesOf(part, chunk)) yield { text, thought: true, thoughtSignature }
    else if (part.type === 'text') for (const text of piecesOf(part, chunk)) yield { text }
    else if (!malformed) yield { functionCall: callOf(part), thoughtSignature }
  }
}

const callOf = ({ id, name, input }: Extract<Part, { type: 'tool' }>): Rec => ({
  id,
  name,
  args: typeof input === 'string' ? { input } : input,
})

function responseOf(answer: Answer, { model }: Context, parts: Rec[], isLast: boolean): Rec {
  const isMalformed = answer.malformed && callsIn(answer).length > 0
  return {
    candidates: [
      {
        content: { role: 'model', parts },
        ...(isLast && { finishReason: isMalformed ? 'MALFORMED_FUNCTION_CALL' : finishReasons[answer.finish] }),
        index: 0,
      },
    ],
    ...(isLast && { usageMetadata: usageOf(answer.usage) }),
    modelVersion: model,
    responseId: `resp_${answer.serial}`,
  }
}

const usageOf = ({ input, output, reasoning, cacheRead, cacheWrite }: Usage): Rec => ({
  promptTokenCount: input + cacheRead + cacheWrite,
  cachedContentTokenCount: cacheRead,
  candidatesTokenCount: output,
  thoughtsTokenCount: reasoning,
  totalTokenCount: input + cacheRead + cacheWrite + output + reasoning,
})

function* frames(answer: Answer, context: Context): Generator<Frame> {
  let held: Rec[] = []
  for (const part of partsOf(answer, answer.chunk)) {
    if (held.length > 0) yield { data: responseOf(answer, context, held, false), paced: true }
    held = [part]
  }
  yield { data: responseOf(answer, context, held, true), paced: true }
}
