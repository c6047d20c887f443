// What the model says and what it is told: messages, text, thoughts, other content, prompts.
import { context, cost, count, event, fault, flag, json, list, millis, optional, text, usage, words } from './schema-shared.ts'
import { reasons } from './vocabulary.ts'

const whole = { text: optional(text), streamed: flag, startedAt: optional(millis), endedAt: optional(millis) }

export const messageFamily = [
  event('message.start', {
    model: optional(text),
    provider: optional(text),
    ttftMs: optional(millis),
    usage: optional(usage),
  }),
  event('message.end', {
    finish: optional(words(reasons)),
    model: optional(text),
    provider: optional(text),
    agentName: optional(text),
    usage: optional(usage),
    usageFinal: optional(flag),
    cost: optional(cost),
    context: optional(context),
    error: optional(fault),
  }),
  event('message.drop', { fromBlock: count, why: words(['superseded', 'stream_error', 'refused']) }),
  event('text.delta', { text }),
  event('text.end', whole),
  event('thought.delta', { text }),
  event('thought.end', { ...whole, redacted: optional(flag), signature: optional(text) }),
  event('content.end', { type: text, mime: optional(text), uri: optional(text), data: optional(json) }),
  event('prompt.submit', {
    text: optional(text),
    content: optional(list(json)),
    by: words(['user', 'host', 'agent', 'system', 'hook', 'task']),
    state: words(['queued', 'sent', 'seen']),
    id: optional(text),
    delivery: optional(text),
    bytes: optional(count),
    partial: optional(flag),
  }),
]
