// Records that only the transcript file on disk has. `user`, `assistant` and some `system` subtypes are shared with the
// live stream and stand there.
import Type, { type TSchema } from 'typebox'
import { named } from '../wire-named.ts'
import { any, flag, line, models, number, optional, orNull, text, texts } from './wire-shared.ts'

const record = <const Name extends string, Fields extends Record<string, TSchema>>(type: Name, fields: Fields) =>
  Type.Object({
    type: Type.Literal(type),
    sessionId: optional(text),
    agentId: optional(text),
    timestamp: optional(text),
    ...fields,
  })
const note = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object({
    type: Type.Literal('system'),
    subtype: text,
    uuid: optional(text),
    session_id: optional(text),
    ...line,
    ...fields,
  })

const nameList = orNull(texts)

export const transcriptRecords = {
  'system/api_error': note({
    retryAttempt: optional(number),
    maxRetries: optional(number),
    retryInMs: optional(number),
    error: optional(any),
    cause: optional(any),
    ...named(['level', 'content']),
  }),
  'system/local_command': note({ content: optional(text), ...named(['level']) }),
  'system/stop_hook_summary': note({
    hookCount: optional(number),
    ...named([
      'hookInfos',
      'hookErrors',
      'preventedContinuation',
      'stopReason',
      'hasOutput',
      'level',
      'toolUseID',
      'hookLabel',
      'content',
      'totalDurationMs',
    ]),
  }),
  'system/turn_duration': note({
    durationMs: optional(number),
    ...named(['level', 'content', 'messageCount', 'budgetTokens']),
  }),

  attachment: Type.Object({
    type: Type.Literal('attachment'),
    uuid: optional(text),
    ...line,
    attachment: Type.Object({
      type: text,
      names: nameList, // skill_listing
      addedNames: nameList, // deferred_tools_delta
      removedNames: nameList,
      addedTypes: nameList, // agent_listing_delta
      removedTypes: nameList,
      identity: orNull(Type.Object({ modelId: optional(text) })), // model
      snapshot: orNull(Type.Object({ workingDirectory: optional(text) })), // environment
      maxTurns: optional(number), // max_turns_reached
      hookName: optional(text), // hook_*
      hookEvent: optional(text),
      toolUseID: optional(text),
      exitCode: orNull(number),
      content: optional(any),
    }),
    ...named(['rendered', 'renderedRole', 'renderedBesideToolResult']),
  }),
  'queue-operation': record('queue-operation', { operation: text, content: optional(any) }),
  mode: record('mode', { mode: text }),
  'permission-mode': record('permission-mode', { permissionMode: text }),
  'cost-state': record('cost-state', {
    totalCostUSD: optional(number),
    modelUsage: orNull(models),
    ...named([
      'totalAPIDuration',
      'totalAPIDurationWithoutRetries',
      'totalToolDuration',
      'totalLinesAdded',
      'totalLinesRemoved',
      'totalDuration',
      'startTime',
      'hasUnknownModelCost',
    ]),
  }),
  summary: record('summary', { summary: text, ...named(['leafUuid']) }),
  'custom-title': record('custom-title', { customTitle: optional(text) }),
  'ai-title': record('ai-title', { aiTitle: optional(text) }),
  'last-prompt': record('last-prompt', named(['lastPrompt', 'leafUuid'])),
  'tools-used': record('tools-used', named(['tools'])),
  'atis-latch': record('atis-latch', named(['atis'])),
  'api-request': record(
    'api-request',
    named(['id', 'version', 'querySource', 'shapeHash', 'params', 'keep', 'tail', 'cacheControl', 'requestDigest', 'base']),
  ),
  'api-request-shape': record('api-request-shape', named(['shapeHash', 'version', 'shape'])),
  'api-request-blob': record('api-request-blob', named(['hash', 'message'])),
  'file-history-snapshot': record('file-history-snapshot', {
    isSnapshotUpdate: optional(flag),
    ...named(['messageId', 'snapshot']),
  }),
  progress: record('progress', {
    uuid: optional(text),
    ...named(['data', 'parentUuid', 'isSidechain', 'userType', 'cwd', 'version', 'gitBranch', 'slug', 'toolUseID', 'parentToolUseID']),
  }),
}
