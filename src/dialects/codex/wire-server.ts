// JSON-RPC of `codex app-server`, both directions, one message a line and without the `jsonrpc` key. Methods that the decoder has
// nothing to say about share one shape.
import Type, { type TSchema } from 'typebox'
import { named } from '../wire-named.ts'
import { any, fault, lasted, list, number, object, optional, orNull, questions, rpc, text, textOrObject, usage } from './wire-shared.ts'

const rpcId = Type.Unsafe<string | number>({ type: ['string', 'integer'] })

/** Any notification may say what it is of. */
const where = named(['threadId', 'turnId'])

const notify = <const Method extends string, Params extends Record<string, TSchema>>(method: Method, params: Params) =>
  Type.Object({ method: Type.Literal(method), params: Type.Object({ ...where, ...params }), ...rpc })
const ask = <const Method extends string, Params extends Record<string, TSchema>>(method: Method, params: Params) =>
  Type.Object({ method: Type.Literal(method), id: rpcId, params: Type.Object(params), ...rpc })

const thread = Type.Object({
  id: text,
  sessionId: orNull(text),
  forkedFromId: orNull(text),
  parentThreadId: orNull(text),
  source: optional(any),
  modelProvider: orNull(text),
  model: orNull(text),
  cwd: orNull(text),
  cliVersion: orNull(text),
  name: orNull(text),
  agentNickname: orNull(text),
  agentRole: orNull(text),
  ...named(['createdAt', 'updatedAt', 'recencyAt', 'status', 'preview', 'path', 'gitInfo', 'turns', 'originator', 'threadSource']),
  ...named(['environments', 'extra', 'ephemeral', 'section', 'sectionEnteredAt', 'projectId', 'historyMode', 'reasoningEffort']),
  ...named(['canAcceptDirectInput', 'daybreakEnabled']),
})
const settings = {
  model: orNull(text),
  modelProvider: orNull(text),
  cwd: orNull(text),
  approvalPolicy: optional(textOrObject),
  ...named(['sandbox']),
}
const turn = Type.Object({
  id: text,
  rootTurnId: orNull(text),
  status: orNull(text),
  error: orNull(fault),
  durationMs: orNull(number),
  items: orNull(list(any)),
  ...named(['itemsView']),
  ...lasted,
})
const inTurn = { threadId: text, turnId: optional(text) }
const ofItem = { ...inTurn, itemId: text }
const delta = { ...ofItem, delta: text }
const hookRun = { threadId: text, turnId: orNull(text), run: Type.Object({ id: text, eventName: orNull(text), status: orNull(text) }) }
const review = {
  ...inTurn,
  reviewId: text,
  targetItemId: orNull(text),
  review: Type.Object({ status: text, rationale: orNull(text) }),
  action: optional(any),
}

const events = {
  'thread/started': notify('thread/started', { thread }),
  'thread/closed': notify('thread/closed', { threadId: text }),
  'thread/status/changed': notify('thread/status/changed', {
    threadId: text,
    status: Type.Object({ type: text, activeFlags: orNull(list(text)) }),
  }),
  'thread/name/updated': notify('thread/name/updated', { threadId: text, threadName: orNull(text) }),
  'thread/settings/updated': notify('thread/settings/updated', { threadId: text, threadSettings: Type.Object(settings) }),
  'thread/tokenUsage/updated': notify('thread/tokenUsage/updated', {
    ...inTurn,
    tokenUsage: Type.Object({ total: usage, last: orNull(usage), modelContextWindow: orNull(number) }),
  }),
  'thread/compacted': notify('thread/compacted', inTurn),
  'thread/reverted': notify('thread/reverted', { threadId: text }),
  'turn/started': notify('turn/started', { threadId: text, turn }),
  'turn/completed': notify('turn/completed', { threadId: text, turn }),
  'turn/diff/updated': notify('turn/diff/updated', { ...inTurn, diff: text }),
  'turn/plan/updated': notify('turn/plan/updated', {
    threadId: optional(text),
    turnId: optional(text),
    explanation: orNull(text),
    plan: list(Type.Object({ step: text, status: orNull(text) })),
  }),
  'item/agentMessage/delta': notify('item/agentMessage/delta', delta),
  'item/plan/delta': notify('item/plan/delta', delta),
  'item/reasoning/summaryTextDelta': notify('item/reasoning/summaryTextDelta', { ...delta, summaryIndex: optional(number) }),
  'item/reasoning/textDelta': notify('item/reasoning/textDelta', { ...delta, contentIndex: optional(number) }),
  'item/reasoning/summaryPartAdded': notify('item/reasoning/summaryPartAdded', { ...ofItem, ...named(['summaryIndex']) }),
  'item/commandExecution/outputDelta': notify('item/commandExecution/outputDelta', delta),
  'item/commandExecution/terminalInteraction': notify('item/commandExecution/terminalInteraction', { ...ofItem, stdin: text }),
  'item/fileChange/outputDelta': notify('item/fileChange/outputDelta', delta),
  'item/fileChange/patchUpdated': notify('item/fileChange/patchUpdated', { ...ofItem, changes: list(any) }),
  'item/mcpToolCall/progress': notify('item/mcpToolCall/progress', { ...ofItem, message: text }),
  'item/autoApprovalReview/started': notify('item/autoApprovalReview/started', review),
  'item/autoApprovalReview/completed': notify('item/autoApprovalReview/completed', review),
  'hook/started': notify('hook/started', hookRun),
  'hook/completed': notify('hook/completed', hookRun),
  'serverRequest/resolved': notify('serverRequest/resolved', { threadId: optional(text), requestId: rpcId }),
  'mcpServer/startupStatus/updated': notify('mcpServer/startupStatus/updated', {
    threadId: orNull(text),
    name: text,
    status: text,
    error: orNull(text),
    ...named(['failureReason']),
  }),
  'account/rateLimits/updated': notify('account/rateLimits/updated', { rateLimits: object }),
  'model/rerouted': notify('model/rerouted', { threadId: optional(text), toModel: text, fromModel: optional(text) }),
  'notification/error': notify('error', { threadId: optional(text), turnId: optional(text), error: fault, willRetry: optional(any) }),
  configWarning: notify('configWarning', { summary: text, details: orNull(text) }),
  deprecationNotice: notify('deprecationNotice', { summary: text, details: orNull(text) }),
  warning: notify('warning', { threadId: orNull(text), message: text }),
  guardianWarning: notify('guardianWarning', { threadId: orNull(text), message: text }),
}

const questionsAsked = {
  'item/commandExecution/requestApproval': ask('item/commandExecution/requestApproval', {
    ...ofItem,
    reason: orNull(text),
    command: orNull(text),
    cwd: orNull(text),
    availableDecisions: orNull(list(any)),
    ...named(['kind', 'environmentId', 'commandActions', 'proposedExecpolicyAmendment']),
    ...lasted,
  }),
  'item/fileChange/requestApproval': ask('item/fileChange/requestApproval', {
    ...ofItem,
    reason: orNull(text),
    grantRoot: orNull(text),
    ...lasted,
  }),
  'item/permissions/requestApproval': ask('item/permissions/requestApproval', {
    ...ofItem,
    reason: orNull(text),
    permissions: optional(any),
  }),
  'item/tool/requestUserInput': ask('item/tool/requestUserInput', { ...ofItem, questions }),
  'mcpServer/elicitation/request': ask('mcpServer/elicitation/request', {
    threadId: optional(text),
    turnId: orNull(text),
    serverName: orNull(text),
    message: orNull(text),
    request: optional(any),
  }),
  'item/tool/call': ask('item/tool/call', { ...inTurn, callId: text, tool: text, arguments: optional(any) }),
  execCommandApproval: ask('execCommandApproval', {
    conversationId: text,
    callId: text,
    command: optional(any),
    cwd: orNull(text),
    reason: orNull(text),
  }),
  applyPatchApproval: ask('applyPatchApproval', {
    conversationId: text,
    callId: text,
    fileChanges: optional(any),
    reason: orNull(text),
  }),
}

const fromHost = {
  'thread/start': ask('thread/start', settings),
  'thread/resume': ask('thread/resume', {
    threadId: orNull(text),
    approvalsReviewer: optional(any),
    excludeTurns: optional(any),
    ...settings,
  }),
  'thread/fork': ask('thread/fork', { threadId: orNull(text), ...settings }),
  'thread/name/set': ask('thread/name/set', { threadId: text, name: text }),
  'turn/start': ask('turn/start', { threadId: text, input: list(any), clientUserMessageId: optional(any), ...settings }),
  'turn/steer': ask('turn/steer', { threadId: text, input: list(any) }),
  'turn/interrupt': ask('turn/interrupt', { threadId: text, turnId: optional(text) }),
}

const answers = {
  response: Type.Object({ id: rpcId, result: any, ...rpc }),
  'response/error': Type.Object({
    id: Type.Unsafe<string | number | null>({ type: ['string', 'integer', 'null'] }),
    error: Type.Object({ code: optional(number), message: text, data: optional(any) }),
    ...rpc,
  }),
}

/** Any other method that the program has; the names are in `names.ts`. */
const others = { message: Type.Object({ method: text, id: optional(rpcId), params: optional(any), ...rpc }) }

export const serverRecords = { ...events, ...questionsAsked, ...fromHost, ...answers, ...others }
