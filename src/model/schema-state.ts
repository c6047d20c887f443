// What is known about the run beside the conversation: plans, files, skills, catalogues, status, usage, trouble.
import Type from 'typebox'
import { context, cost, count, event, fault, flag, json, list, millis, optional, text, usage, words } from './schema-shared.ts'
import { phases } from './vocabulary.ts'

const limit = Type.Object({
  name: text,
  state: words(['ok', 'warning', 'reached']),
  used: optional(Type.Number()),
  resetsAt: optional(millis),
})
const named = Type.Object({ name: text, description: optional(text) })

export const stateFamily = [
  event('plan.update', {
    entries: list(Type.Object({ text, status: words(['pending', 'active', 'done']), priority: optional(text) })),
    title: optional(text),
  }),
  event('file.update', {
    changes: optional(list(Type.Object({ path: text, change: words(['add', 'update', 'delete']) }))),
    diff: optional(text),
  }),
  event('skill.load', {
    name: text,
    level: words(['listed', 'loaded', 'resource']),
    path: optional(text),
    description: optional(text),
  }),
  event('catalog.update', {
    tools: optional(list(Type.Object({ name: text, source: words(['builtin', 'mcp', 'other']), server: optional(text) }))),
    skills: optional(list(Type.Object({ name: text, version: optional(text), path: optional(text) }))),
    servers: optional(list(Type.Object({ name: text, status: text, error: optional(text) }))),
    commands: optional(list(named)),
    agents: optional(list(named)),
    models: optional(list(named)),
    modes: optional(list(named)),
    plugins: optional(list(Type.Object({ name: text, path: optional(text), source: optional(text) }))),
  }),
  event('status.update', { phase: words(phases), label: optional(text), source: optional(text) }),
  event('usage.update', {
    scope: words(['message', 'turn', 'session']),
    cumulative: flag,
    usage: optional(usage),
    context: optional(context),
    cost: optional(cost),
    limits: optional(list(limit)),
  }),
  event('context.trim', {
    why: words(['compact', 'trim', 'clear']),
    trigger: optional(words(['auto', 'manual'])),
    before: optional(count),
    after: optional(count),
    text: optional(text),
  }),
  event('retry.start', {
    scope: words(['model', 'tool', 'turn', 'run']),
    attempt: count,
    max: optional(count),
    delayMs: optional(millis),
    error: optional(fault),
  }),
  event('cancel.request', {
    target: words(['turn', 'session', 'task', 'call']),
    by: words(['user', 'host', 'policy', 'agent']),
    text: optional(text),
    id: optional(text),
    task: optional(text),
  }),
  event('report', {
    type: words(['ready', 'state', 'reply', 'finish']),
    name: optional(text),
    state: optional(text),
    to: optional(text),
    status: optional(text),
    text: optional(text),
    files: optional(list(text)),
    data: optional(json),
  }),
  event('error', {
    scope: words(['connection', 'session', 'turn', 'message', 'task', 'supervisor']),
    fatal: flag,
    error: fault,
    source: optional(text),
    model: optional(text),
    data: optional(json),
  }),
  event('notice', { level: words(['info', 'warn']), code: optional(text), text, data: optional(json) }),
  event('issue', { code: text, severity: words(['warn', 'error']), line: count, byte: count, text, goesOn: flag }),
  event('raw', { type: text, why: words(['unknown', 'unmapped', 'redundant']) }),
]
