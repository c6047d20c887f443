// Tools, tasks (subagents and background commands), hooks, and the questions that must be answered before work goes on.
import Type from 'typebox'
import { count, event, fault, flag, json, list, millis, option, optional, text, usage, words } from './schema-shared.ts'
import { deciders, decisions, toolKinds, toolStatuses } from './vocabulary.ts'

const question = Type.Object({
  text,
  header: optional(text),
  options: list(Type.Object({ label: text, description: optional(text) })),
  many: optional(flag),
})

const subject = {
  name: optional(text),
  toolKind: optional(words(toolKinds)),
  permission: optional(text),
  patterns: optional(list(text)),
  input: optional(json),
}

export const toolFamily = [
  event('tool.start', {
    name: text,
    toolKind: words(toolKinds),
    title: optional(text),
    input: optional(json),
    server: optional(text),
    paths: optional(list(text)),
    hostedBy: optional(words(['agent', 'provider', 'host'])),
  }),
  event('tool.delta', { of: words(['input', 'output']), text, stream: optional(words(['stdout', 'stderr'])) }),
  event('tool.update', {
    state: words(['pending', 'running', 'waiting']),
    toolKind: optional(words(toolKinds)),
    title: optional(text),
    input: optional(json),
    content: optional(list(json)),
    paths: optional(list(text)),
    elapsedMs: optional(millis),
  }),
  event('tool.end', {
    status: words(toolStatuses),
    name: optional(text),
    toolKind: optional(words(toolKinds)),
    title: optional(text),
    text: optional(text),
    content: optional(list(json)),
    data: optional(json),
    error: optional(fault),
    exitCode: optional(Type.Integer()),
    startedAt: optional(millis),
    endedAt: optional(millis),
    durationMs: optional(millis),
    task: optional(text),
    permitted: optional(Type.Object({ allow: flag, by: words(deciders) })),
  }),
  event('task.start', {
    task: text,
    type: words(['agent', 'command']),
    title: optional(text),
    agentType: optional(text),
    model: optional(text),
    background: optional(flag),
    prompt: optional(text),
    depth: optional(count),
  }),
  event('task.update', { task: text, state: optional(text), label: optional(text), tokens: optional(count), toolCalls: optional(count), lastTool: optional(text), background: optional(flag) }),
  event('task.end', { task: text, status: words(toolStatuses), text: optional(text), tokens: optional(count), usage: optional(usage), error: optional(fault), file: optional(text) }),
  event('permission.request', {
    id: text,
    ...subject,
    question: optional(text),
    options: list(option),
    suggestions: optional(list(json)),
    needsUser: optional(flag),
    source: optional(text),
  }),
  event('permission.answer', {
    id: optional(text),
    decision: words(decisions),
    option: optional(text),
    scope: optional(words(['once', 'session', 'always'])),
    by: words(deciders),
    ...subject,
    text: optional(text),
    stop: optional(flag),
    rules: optional(list(Type.Object({ permission: text, pattern: text, action: text }))),
  }),
  event('question.request', { id: text, questions: list(question) }),
  event('question.answer', { id: text, decision: words(decisions), answers: optional(Type.Record(text, text)), by: words(deciders), text: optional(text) }),
  event('hook.start', { id: text, name: text, event: text, needsAnswer: optional(flag) }),
  event('hook.end', { id: text, status: words(['ok', 'error', 'denied', 'cancelled', 'abandoned']), exitCode: optional(Type.Integer()), text: optional(text) }),
]
