// The session around the conversation: its start and end, catalogues, context, accounting, notes. `result` is the last line of
// stdout and the only record without `data`; tokens are told only in the session file.
import Type from 'typebox'
import { any, callUsage, codeChanges, fields, flag, list, maybe, number, optional, record, text, tokens } from './wire-shared.ts'

const named = fields({ name: text, description: maybe(text), path: maybe(text) })
const context = maybe(fields({ cwd: maybe(text) }))

const lifetime = {
  result: Type.Object({
    type: Type.Literal('result'),
    timestamp: optional(text),
    sessionId: text,
    exitCode: maybe(number),
    usage: maybe(fields({ totalApiDurationMs: maybe(number), sessionDurationMs: maybe(number), codeChanges: optional(codeChanges) })),
  }),
  'session.start': record('session.start', { sessionId: text, copilotVersion: maybe(text), selectedModel: maybe(text), context }),
  'session.resume': record('session.resume', { sessionId: maybe(text), selectedModel: maybe(text), context }),
  'session.shutdown': record('session.shutdown', {
    shutdownType: maybe(text),
    errorReason: maybe(text),
    totalApiDurationMs: maybe(number),
    sessionStartTime: maybe(number), // milliseconds since the epoch
    codeChanges: optional(codeChanges),
    modelMetrics: maybe(Type.Record(text, fields({ usage: optional(fields(tokens)) }))),
  }),
  'session.usage_record': record('session.usage_record', { usage: fields(callUsage) }),
  'session.idle': record('session.idle', { aborted: maybe(flag) }),
  'session.error': record('session.error', {
    errorType: maybe(text),
    message: text,
    statusCode: maybe(number),
  }),
}

const settings = {
  'session.tools_updated': record('session.tools_updated', { model: maybe(text) }),
  'session.model_change': record('session.model_change', { newModel: text }),
  'session.mode_changed': record('session.mode_changed', { newMode: text }),
  'session.title_changed': record('session.title_changed', { title: text }),
  'session.context_changed': record('session.context_changed', { cwd: maybe(text) }),
  'session.skills_loaded': record('session.skills_loaded', { skills: list(named) }),
  'session.mcp_servers_loaded': record('session.mcp_servers_loaded', {
    servers: list(fields({ name: text, status: maybe(text), error: maybe(text) })),
  }),
  'session.mcp_server_status_changed': record('session.mcp_server_status_changed', {
    serverName: text,
    status: text,
    error: maybe(text),
  }),
  'session.custom_agents_updated': record('session.custom_agents_updated', {
    agents: list(named),
    warnings: maybe(list(any)),
    errors: maybe(list(any)),
  }),
  'commands.changed': record('commands.changed', { commands: list(named) }),
  'skill.invoked': record('skill.invoked', { name: text, path: maybe(text), description: maybe(text) }),
}

const notes = {
  'session.info': record('session.info', { infoType: maybe(text), message: text }),
  'session.warning': record('session.warning', { warningType: maybe(text), message: text }),
  'system.notification': record('system.notification', { content: text, kind: optional(any) }),
  'session.task_complete': record('session.task_complete', { summary: maybe(text), outcome: maybe(text) }),
  'session.workspace_file_changed': record('session.workspace_file_changed', { path: text, operation: maybe(text) }),
  'session.usage_info': record('session.usage_info', { tokenLimit: maybe(number), currentTokens: number }),
  'session.truncation': record('session.truncation', {
    preTruncationTokensInMessages: maybe(number),
    postTruncationTokensInMessages: maybe(number),
  }),
  'session.compaction_start': record('session.compaction_start', {}),
  'session.compaction_complete': record('session.compaction_complete', {
    success: maybe(flag),
    error: maybe(text),
    trigger: maybe(text),
    preCompactionTokens: maybe(number),
    postCompactionTokens: maybe(number),
    summaryContent: maybe(text),
  }),
  'session.context_cleared': record('session.context_cleared', {}),
  'session_limits_exhausted.requested': record('session_limits_exhausted.requested', { maxAiCredits: number, usedAiCredits: number }),
  'hook.start': record('hook.start', { hookInvocationId: text, hookType: text }),
  'hook.progress': record('hook.progress', { message: text }),
  'hook.end': record('hook.end', {
    hookInvocationId: text,
    hookType: maybe(text),
    success: flag,
    error: maybe(fields({ message: maybe(text) })),
  }),
}

export const surroundings = { ...lifetime, ...settings, ...notes }
