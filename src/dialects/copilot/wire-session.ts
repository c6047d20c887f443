// The session around the conversation: its start and end, catalogues, context, accounting, notes. `result` is the last line of
// stdout and the only record without `data`; tokens are told only in the session file.
import Type from 'typebox'
import { named } from '../wire-named.ts'
import { any, callUsage, codeChanges, fields, flag, list, maybe, number, optional, record, text, tokens } from './wire-shared.ts'

const entry = fields({
  name: text,
  description: maybe(text),
  path: maybe(text),
  ...named(['commandName', 'source', 'userInvocable', 'enabled']),
})
const place = { cwd: maybe(text), ...named(['gitRoot', 'repository', 'branch']) }
const session = {
  selectedModel: maybe(text),
  context: maybe(fields(place)),
  ...named(['version', 'producer', 'startTime', 'contextTier', 'alreadyInUse', 'remoteSteerable']),
}

const lifetime = {
  result: Type.Object({
    type: Type.Literal('result'),
    timestamp: optional(text),
    sessionId: text,
    exitCode: maybe(number),
    usage: maybe(
      fields({
        totalApiDurationMs: maybe(number),
        sessionDurationMs: maybe(number),
        codeChanges: optional(codeChanges),
        ...named(['premiumRequests']),
      }),
    ),
  }),
  'session.start': record('session.start', { sessionId: text, copilotVersion: maybe(text), ...session }),
  'session.resume': record('session.resume', { sessionId: maybe(text), ...session, ...named(['resumeTime', 'eventCount']) }),
  'session.shutdown': record('session.shutdown', {
    shutdownType: maybe(text),
    errorReason: maybe(text),
    totalApiDurationMs: maybe(number),
    sessionStartTime: maybe(number), // milliseconds since the epoch
    codeChanges: optional(codeChanges),
    modelMetrics: maybe(Type.Record(text, fields({ usage: optional(fields(tokens)), ...named(['requests', 'totalNanoAiu']) }))),
    ...named([
      'accountingSnapshot',
      'providerModelMetrics',
      'usageAccountingWatermarks',
      'totalPremiumRequests',
      'totalNanoAiu',
      'eventsFileSizeBytes',
      'agentMetrics',
      'currentModel',
      'currentTokens',
      'systemTokens',
      'conversationTokens',
      'toolDefinitionsTokens',
    ]),
  }),
  'session.usage_record': record('session.usage_record', { usage: fields(callUsage) }),
  'session.idle': record('session.idle', { aborted: maybe(flag) }),
  'session.error': record('session.error', {
    errorType: maybe(text),
    message: text,
    statusCode: maybe(number),
    ...named(['providerCallId', 'originatingMessageId']),
  }),
}

const settings = {
  'session.tools_updated': record('session.tools_updated', { model: maybe(text) }),
  'session.model_change': record('session.model_change', { newModel: text, ...named(['previousModel']) }),
  'session.mode_changed': record('session.mode_changed', { newMode: text, ...named(['previousMode']) }),
  'session.title_changed': record('session.title_changed', { title: text }),
  'session.context_changed': record('session.context_changed', place),
  'session.skills_loaded': record('session.skills_loaded', { skills: list(entry) }),
  'session.mcp_servers_loaded': record('session.mcp_servers_loaded', {
    servers: list(fields({ name: text, status: maybe(text), error: maybe(text) })),
  }),
  'session.mcp_server_status_changed': record('session.mcp_server_status_changed', {
    serverName: text,
    status: text,
    error: maybe(text),
  }),
  'session.custom_agents_updated': record('session.custom_agents_updated', {
    agents: list(entry),
    warnings: maybe(list(any)),
    errors: maybe(list(any)),
  }),
  'commands.changed': record('commands.changed', { commands: list(entry) }),
  'skill.invoked': record('skill.invoked', {
    name: text,
    path: maybe(text),
    description: maybe(text),
    ...named(['content', 'allowedTools', 'source', 'pluginName', 'pluginVersion', 'trigger', 'model', 'invokedAtTurn']),
  }),
}

const notes = {
  'session.info': record('session.info', { infoType: maybe(text), message: text }),
  'session.warning': record('session.warning', { warningType: maybe(text), message: text }),
  'system.notification': record('system.notification', { content: text, kind: optional(any) }),
  'session.task_complete': record('session.task_complete', { summary: maybe(text), outcome: maybe(text) }),
  'session.workspace_file_changed': record('session.workspace_file_changed', { path: text, operation: maybe(text) }),
  'session.usage_info': record('session.usage_info', {
    tokenLimit: maybe(number),
    currentTokens: number,
    ...named(['messagesLength']),
  }),
  'session.truncation': record('session.truncation', {
    preTruncationTokensInMessages: maybe(number),
    postTruncationTokensInMessages: maybe(number),
    ...named(['tokenLimit']),
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
  'session_limits_exhausted.requested': record('session_limits_exhausted.requested', {
    maxAiCredits: number,
    usedAiCredits: number,
    ...named(['requestId']),
  }),
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
