// The conversation: prompts, model calls with their text and thoughts, tool calls, questions to the user, subagents.
// An `assistant.turn_start` … `assistant.turn_end` is one model call, not what we call a turn.
import Type from 'typebox'
import { named } from '../wire-named.ts'
import { any, callUsage, fields, flag, list, maybe, number, optional, record, request, step, text } from './wire-shared.ts'

const modelCalls = {
  'user.message': record('user.message', {
    content: text,
    messageId: maybe(text),
    attachments: maybe(list(any)),
    delivery: maybe(text), // idle, steering, queued
    source: maybe(text), // absent: the user
    ...step,
    interactionId: maybe(text),
    ...named(['transformedContent', 'supportedNativeDocumentMimeTypes', 'parentAgentTaskId']),
  }),
  'assistant.turn_start': record('assistant.turn_start', step),
  'assistant.turn_end': record('assistant.turn_end', step),
  'assistant.turn_retry': record('assistant.turn_retry', { reason: maybe(text), ...step, ...named(['model']) }),
  'assistant.idle': record('assistant.idle', { aborted: maybe(flag) }),
  'assistant.intent': record('assistant.intent', { intent: text }),
  'assistant.message_start': record('assistant.message_start', { messageId: maybe(text) }),
  'assistant.message_delta': record('assistant.message_delta', { messageId: maybe(text), deltaContent: text }),
  'assistant.message': record('assistant.message', {
    messageId: maybe(text),
    model: maybe(text),
    content: maybe(text),
    toolRequests: maybe(
      list(
        fields({
          toolCallId: text,
          name: maybe(text),
          arguments: optional(any),
          toolTitle: maybe(text),
          intentionSummary: maybe(text),
          ...named(['type']),
        }),
      ),
    ),
    reasoningText: maybe(text),
    reasoningOpaque: maybe(text),
    encryptedContent: maybe(text),
    ...step,
    ...named(['originatingMessageId', 'apiCallId']),
  }),
  'assistant.reasoning_delta': record('assistant.reasoning_delta', { reasoningId: maybe(text), deltaContent: text }),
  'assistant.reasoning': record('assistant.reasoning', { reasoningId: maybe(text), content: text }),
  'assistant.tool_call_delta': record('assistant.tool_call_delta', { toolCallId: text, toolName: maybe(text), inputDelta: text }),
  'assistant.usage': record('assistant.usage', callUsage),
  'model.call_start': record('model.call_start', { model: maybe(text), ...step }),
  'model.call_failure': record('model.call_failure', {
    model: maybe(text),
    statusCode: maybe(number),
    failureKind: maybe(text),
    errorType: maybe(text),
    errorMessage: maybe(text), // a JSON text
    ...step,
    ...request,
    ...named(['durationMs', 'retryAttempt', 'maxPromptTokens', 'maxOutputTokens', 'modelProvider', 'source', 'requestFingerprint']),
  }),
  'model.call_finished': record('model.call_finished', {
    outcome: maybe(text),
    ...step,
    ...named(['dispatchDurationMs', 'editClassifierVersion', 'containsBuiltInFileEditRequest']),
  }),
  'model.call_final_result': record('model.call_final_result', { result: maybe(text), ...named(['model', 'isByok']) }),
  abort: record('abort', { reason: maybe(text) }),
  'agent.interrupted': record('agent.interrupted', {
    activity: maybe(text),
    ...named(['turn', 'elapsedMs', 'model', 'apiEndpoint', 'transport', 'cancelPhase', 'outputTtftMs']),
  }),
}

/** A result is its text, or an object with the text and richer forms of it. */
const toolResult = Type.Unsafe<
  | string
  | null
  | {
      content?: string | null
      detailedContent?: string | null
      contents?: unknown[] | null
      binaryResultsForLlm?: unknown[] | null
      structuredContent?: unknown
    }
>({
  type: ['object', 'string', 'null'],
  properties: {
    content: { type: ['string', 'null'] },
    detailedContent: { type: ['string', 'null'] },
    contents: { type: ['array', 'null'] },
    binaryResultsForLlm: { type: ['array', 'null'] },
    structuredContent: {},
  },
})

const tools = {
  'tool.user_requested': record('tool.user_requested', { toolCallId: text, toolName: text, arguments: optional(any) }),
  'tool.execution_start': record('tool.execution_start', {
    toolCallId: text,
    toolName: text,
    arguments: optional(any),
    toolTitle: maybe(text),
    mcpServerName: maybe(text),
    ...step,
    ...named(['model', 'mcpToolName', 'shellToolInfo']),
  }),
  'tool.execution_partial_result': record('tool.execution_partial_result', { toolCallId: text, partialOutput: text }),
  'tool.execution_progress': record('tool.execution_progress', { toolCallId: text, progressMessage: text }),
  'tool.shell_output': record('tool.shell_output', { toolCallId: text, stream: maybe(text), text, ...named(['sequence']) }),
  'tool.execution_complete': record('tool.execution_complete', {
    toolCallId: text,
    success: flag,
    result: optional(toolResult),
    error: maybe(fields({ message: maybe(text), code: maybe(text) })),
    shellExecution: maybe(fields({ exitCode: maybe(number) })),
    fileEdits: maybe(list(fields({ path: text, kind: maybe(text) }))),
    ...step,
    ...named(['model', 'isUserRequested', 'toolTelemetry']),
  }),
  'external_tool.requested': record('external_tool.requested', {
    toolCallId: text,
    toolName: text,
    arguments: optional(any),
    ...named(['requestId', 'sessionId']),
  }),
  'external_tool.completed': record('external_tool.completed', named(['requestId'])),
}

const questions = {
  'permission.requested': record('permission.requested', {
    requestId: text,
    permissionRequest: fields({
      kind: maybe(text),
      toolCallId: maybe(text),
      toolName: maybe(text),
      intention: maybe(text),
      fullCommandText: maybe(text),
      fileName: maybe(text),
      path: maybe(text),
      url: maybe(text),
      args: optional(any),
      ...named([
        'shellType',
        'commands',
        'commandSegments',
        'possiblePaths',
        'possibleUrls',
        'canOfferSessionApproval',
        'hasWriteFileRedirection',
        'diff',
        'newFileContents',
        'fileEdits',
      ]),
    }),
    ...named(['promptRequest', 'agentMode', 'permissionMode', 'ownerSessionId']),
  }),
  'permission.completed': record('permission.completed', {
    requestId: text,
    toolCallId: maybe(text),
    result: fields({
      kind: text,
      feedback: maybe(text),
      message: maybe(text),
      reason: maybe(text),
      forceReject: maybe(flag),
      interrupt: maybe(flag),
    }),
    decisionSource: maybe(text),
  }),
  'user_input.requested': record('user_input.requested', {
    requestId: text,
    question: text,
    choices: maybe(list(text)),
    toolCallId: maybe(text),
  }),
  'user_input.completed': record('user_input.completed', { requestId: text, answer: maybe(text) }),
  'elicitation.requested': record('elicitation.requested', { requestId: text, message: text, toolCallId: maybe(text) }),
  'elicitation.completed': record('elicitation.completed', { requestId: text, action: maybe(text) }),
  'exit_plan_mode.requested': record('exit_plan_mode.requested', {
    requestId: text,
    summary: maybe(text),
    planContent: maybe(text),
    actions: maybe(list(text)),
  }),
  'exit_plan_mode.completed': record('exit_plan_mode.completed', {
    requestId: text,
    approved: maybe(flag),
    selectedAction: maybe(text),
    feedback: maybe(text),
  }),
}

const agent = { toolCallId: maybe(text), agentName: maybe(text), agentDisplayName: maybe(text) }
const agentEnd = { ...agent, totalTokens: maybe(number), totalToolCalls: maybe(number), cancelled: maybe(flag), error: maybe(text) }

const subagents = {
  'subagent.started': record('subagent.started', { ...agent, agentType: maybe(text), model: maybe(text), executionMode: maybe(text) }),
  'subagent.configured': record('subagent.configured', { ...agent, model: maybe(text) }),
  'subagent.selected': record('subagent.selected', { ...agent, ...named(['tools']) }),
  'subagent.deselected': record('subagent.deselected', {}),
  'subagent.completed': record('subagent.completed', agentEnd),
  'subagent.failed': record('subagent.failed', agentEnd),
}

export const conversation = { ...modelCalls, ...tools, ...questions, ...subagents }
