// The baseline of bench/agent.ts: `streamText` of the AI SDK with a mock model that gives the same deltas, and nothing done with them.
import { streamText } from 'ai'

const [deltas, size] = process.argv.slice(2).map(Number)
const usage = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 20, text: 20, reasoning: 0 },
}
const piece = 'x'.repeat(size)
const parts = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  ...Array.from({ length: deltas }, () => ({ type: 'text-delta', id: '1', delta: piece })),
  { type: 'text-end', id: '1' },
  { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } },
]
const model = {
  specificationVersion: 'v4',
  provider: 'mock',
  modelId: 'mock',
  supportedUrls: {},
  doStream: () =>
    Promise.resolve({
      stream: new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part)
          controller.close()
        },
      }),
    }),
}
let seen = 0
for await (const part of streamText({ model, prompt: 'go' }).fullStream) if (part.type === 'text-delta') seen++
if (seen !== deltas) throw new Error(`${seen} of ${deltas} deltas came`)
