// Runs, phases, sessions and turns: what holds the work together.
import Type from 'typebox'
import { count, cost, event, fault, flag, json, list, millis, optional, rule, text, usage, words } from './schema-shared.ts'
import { reasons } from './vocabulary.ts'

const setting = {
  native: optional(text),
  program: optional(text),
  version: optional(text),
  model: optional(text),
  provider: optional(text),
  agentName: optional(text),
  cwd: optional(text),
  mode: optional(text),
  title: optional(text),
  rules: optional(list(rule)),
  schema: optional(text),
}

const modelShare = Type.Object({
  model: text,
  usage: optional(usage),
  cost: optional(cost),
  contextLimit: optional(count),
  outputLimit: optional(count),
})

export const sessionFamily = [
  event('run.start', {
    label: optional(text),
    maxIterations: optional(count),
    prePhases: optional(count),
    loopPhases: optional(count),
  }),
  event('run.end', {
    reason: words(reasons),
    label: optional(text),
    iterations: optional(count),
    durationMs: optional(millis),
  }),
  event('phase.start', { name: text, iteration: count, stage: words(['pre', 'loop', 'post']) }),
  event('phase.end', {
    name: text,
    iteration: count,
    reason: words(reasons),
    marker: optional(Type.Object({ type: words(['exit', 'abort', 'continue']), label: optional(text) })),
  }),
  event('session.start', {
    how: optional(words(['new', 'resumed', 'forked'])),
    forkedFrom: optional(text),
    label: optional(text),
    ...setting,
  }),
  event('session.update', {
    by: optional(words(['agent', 'host'])),
    how: optional(words(['new', 'resumed', 'forked'])),
    length: optional(count),
    ...setting,
  }),
  event('session.end', {
    reason: words(reasons),
    error: optional(fault),
    native: optional(text),
    exitCode: optional(Type.Integer()),
    signal: optional(text),
    durationMs: optional(millis),
    usage: optional(usage),
    cost: optional(cost),
    text: optional(text),
    status: optional(text),
    files: optional(list(text)),
  }),
  event('turn.start', { trigger: words(['prompt', 'task', 'command', 'unknown']), native: optional(text) }),
  event('turn.end', {
    reason: words(reasons),
    error: optional(fault),
    text: optional(text),
    data: optional(json),
    usage: optional(usage),
    own: optional(usage),
    byModel: optional(list(modelShare)),
    cost: optional(cost),
    durationMs: optional(millis),
    apiMs: optional(millis),
    steps: optional(count),
    denied: optional(list(Type.Object({ call: optional(text), name: text, input: optional(json) }))),
    failed: optional(flag),
  }),
]
