// One model call of a made-up Copilot stream, with the tools it calls. A subagent is a call that holds model calls of its own.
import { type Rec, stringifyJson } from '../base/json.ts'
import type { Make } from './copilot.ts'
import type { Plan } from './plan.ts'
import { interleaved, type Random } from './random.ts'
import { objectOf, piecesOf, taskOf, textOf, toolOf } from './words.ts'

type Call = { id: string; name: string; input: Rec; server: string | undefined }
/** `agent`: a subagent's id. `parent`: how older versions name it, by the call that started it. */
type Options = { turnId: string; last: boolean; agent?: string; parent?: string }

const names: Readonly<Record<string, string>> = { Bash: 'bash', Read: 'view', Write: 'create', Edit: 'edit', Grep: 'grep', Glob: 'glob' }

export function createCopilotCalls(random: Random, plan: Plan, make: Make, model: string): (options: Options) => Rec[] {
  function modelCall({ turnId, last, agent, parent }: Options): Rec[] {
    const child: Rec = parent === undefined ? {} : { parentToolCallId: parent }
    const put = (type: string, data: Rec, where?: 'e' | 'f'): Rec[] => make(type, { ...data, ...child }, where, agent)
    const calls = last || !plan.tools ? [] : random.some(1, 3, () => callOf(agent === undefined && parent === undefined))
    const isBare = parent !== undefined // older versions do not mark a subagent's model calls

    /** What is streamed before the whole message; it may be lost on the way. */
    function attempt(withCalls: boolean): {
      records: Rec[]
      thought: string | undefined
      text: string
      messageId: string
      reasoningId: string
    } {
      const [messageId, reasoningId] = [random.uuid(), random.uuid()]
      const thought = random.chance(0.3) ? textOf(random) : undefined
      const text = last || random.chance(0.6) ? textOf(random) : ''
      const records = [
        ...put('model.call_start', { turnId, model }, 'e'),
        ...(thought === undefined || !plan.deltas
          ? []
          : piecesOf(thought, random).flatMap((piece) => put('assistant.reasoning_delta', { reasoningId, deltaContent: piece }, 'e'))),
        ...(text === '' || !plan.deltas
          ? []
          : [
              ...put('assistant.message_start', { messageId }, 'e'),
              ...piecesOf(text, random).flatMap((piece) => put('assistant.message_delta', { messageId, deltaContent: piece }, 'e')),
            ]),
        ...(plan.deltas && withCalls ? calls.flatMap((call) => inputPieces(call, put)) : []),
      ]
      return { records, thought, text, messageId, reasoningId }
    }

    function failure(retryAttempt: number): Rec[] {
      const said = attempt(false)
      const error = { statusCode: random.pick([429, 500, 529]), failureKind: random.pick(['api', 'transport']), errorType: 'api_error' }
      const errorMessage = random.pick([stringifyJson({ type: 'api_error', message: textOf(random) }), stringifyJson(textOf(random)), '{'])
      return [
        ...said.records,
        ...put('model.call_failure', { model, ...error, retryAttempt, errorMessage }, 'e'),
        ...put('model.call_finished', { turnId, outcome: 'error' }, 'e'),
        ...put('assistant.turn_retry', { turnId, model, reason: 'api_error' }, 'e'),
        ...make('session.info', { infoType: 'model_retry', message: 'Retrying...' }, 'e'),
      ]
    }

    const failures = plan.failures && random.chance(0.3) ? random.some(1, 2, failure).flat() : []
    const { records, thought, text, messageId, reasoningId } = attempt(true)
    const usage = { model, ...tokensOf(random), apiCallId: random.hex(8), finishReason: calls.length > 0 ? 'tool_calls' : 'stop' }
    const limits = { modelProvider: 'anthropic', maxPromptTokens: 168_000, maxOutputTokens: 32_000 }
    const repeats = thought === undefined || random.chance(0.5) ? {} : { reasoningText: thought, reasoningOpaque: 'b3BhcXVl' }
    const hidden = thought === undefined && random.chance(0.1) ? { encryptedContent: 'c2VjcmV0' } : {}
    return [
      ...(isBare ? [] : put('assistant.turn_start', { turnId, interactionId: random.uuid() })),
      ...failures,
      ...records,
      ...put('session.usage_record', { usage: { ...usage, ...limits } }, 'f'),
      ...put('model.call_finished', { turnId, outcome: 'success' }, 'e'),
      ...(thought === undefined || 'reasoningText' in repeats ? [] : put('assistant.reasoning', { reasoningId, content: thought })),
      ...put('assistant.message', {
        messageId,
        model,
        content: text,
        toolRequests: calls.map(({ id, name, input }) => ({ toolCallId: id, name, arguments: input, type: 'function' })),
        ...repeats,
        ...hidden,
        turnId,
      }),
      ...(plan.extras && random.chance(0.2) ? put('assistant.usage', usage, 'e') : []),
      ...put('model.call_final_result', { model, result: 'success' }, 'e'),
      ...interleaved(
        calls.map((call) => run(call, turnId, put, agent ?? parent)),
        random,
      ),
      ...(isBare ? [] : put('assistant.turn_end', { turnId })),
    ]
  }

  function callOf(mayDelegate: boolean): Call {
    const id = `toolu_${random.hex(8)}`
    if (mayDelegate && random.chance(0.2)) return { id, name: 'task', input: taskOf(random), server: undefined }
    const { name, input } = toolOf(random)
    const own = Object.hasOwn(names, name) ? names[name] : undefined
    return own === undefined
      ? { id, name: 'echo-say', input: objectOf(random), server: 'echo' }
      : { id, name: own, input, server: undefined }
  }

  const inputPieces = ({ id, name, input }: Call, put: Put): Rec[] =>
    piecesOf(stringifyJson(input), random).flatMap((inputDelta) =>
      put('assistant.tool_call_delta', { toolCallId: id, toolName: name, inputDelta }, 'e'),
    )

  type Put = (type: string, data: Rec, where?: 'e' | 'f') => Rec[]

  function run({ id, name, input, server }: Call, turnId: string, put: Put, lane: string | undefined): Rec[] {
    const denied = plan.failures && random.chance(0.2)
    const failed = plan.failures && random.chance(0.2)
    const mcp = server === undefined ? { toolTitle: textOf(random) } : { mcpServerName: server, mcpToolName: 'say' }
    const asked = random.chance(0.3) || denied ? permission(id, name, denied, put) : []
    const text = textOf(random)
    const output = name === 'bash' && !denied ? shellOutput(id, text, put) : []
    const child = name === 'task' && !denied ? subagent(id) : []
    const hooks = plan.extras && random.chance(0.2) ? hook(put) : []
    const exitCode = failed ? 3 : 0
    return [
      ...put('tool.execution_start', { toolCallId: id, toolName: name, arguments: input, ...mcp, turnId }),
      ...hooks,
      ...asked,
      ...output,
      ...child,
      ...put('tool.execution_complete', {
        toolCallId: id,
        turnId,
        success: !denied && (!failed || name === 'bash'),
        ...(denied
          ? { error: { message: 'Permission to run this tool was denied due to the following rules: `shell`', code: 'denied' } }
          : failed && name !== 'bash'
            ? { error: { message: text, code: 'failure' } }
            : { result: { content: text, detailedContent: random.chance(0.5) ? text : textOf(random) } }),
        ...(name === 'bash' && !denied ? { shellExecution: { exitCode } } : {}),
        ...(name === 'create' && !denied && !failed ? { fileEdits: [{ path: '/home/dev/ü.ts', kind: 'create' }] } : {}),
        ...(lane === undefined || random.chance(0.5) ? {} : { rte: false }),
      }),
    ]
  }

  function permission(toolCallId: string, name: string, denied: boolean, put: Put): Rec[] {
    const requestId = random.uuid()
    const kind = name === 'bash' ? 'shell' : 'write'
    const subject = kind === 'shell' ? { fullCommandText: 'touch x' } : { fileName: '/home/dev/ü.ts' }
    const verdict = denied
      ? random.pick(['denied-by-rules', 'denied-interactively-by-user', 'denied-no-approval-rule-and-could-not-request-from-user'])
      : random.pick(['approved', 'approved-for-session', 'approved-for-location'])
    return [
      ...put('permission.requested', { requestId, permissionRequest: { kind, toolCallId, intention: textOf(random), ...subject } }, 'f'),
      ...put('permission.completed', { requestId, toolCallId, result: { kind: verdict }, decisionSource: 'user' }, 'f'),
    ]
  }

  /** Each piece is told twice: alone, and as the end of all output so far. */
  function shellOutput(toolCallId: string, text: string, put: Put): Rec[] {
    const inPieces = random.chance(0.7)
    let partialOutput = ''
    return piecesOf(text, random).flatMap((piece, sequence) => {
      partialOutput += piece
      return [
        ...(inPieces
          ? put('tool.shell_output', { toolCallId, stream: random.pick(['stdout', 'stderr']), text: piece, sequence }, 'e')
          : []),
        ...put('tool.execution_partial_result', { toolCallId, partialOutput }, 'e'),
      ]
    })
  }

  function hook(put: Put): Rec[] {
    const invocation = { hookInvocationId: random.uuid(), hookType: 'preToolUse' }
    return [...put('hook.start', invocation), ...put('hook.end', { ...invocation, success: random.chance(0.7) })]
  }

  function subagent(call: string): Rec[] {
    const isOld = random.chance(0.2)
    const agent = isOld ? undefined : random.chance(0.5) ? call : random.hex(8)
    const about = { toolCallId: call, agentName: 'explore', agentDisplayName: 'Explore Agent' }
    const put = (type: string, data: Rec): Rec[] => make(type, data, undefined, agent)
    const whose = agent === undefined ? { parent: call } : { agent }
    const failed = plan.failures && random.chance(0.3)
    return [
      ...(isOld ? [] : put('subagent.configured', { model })),
      ...put('subagent.started', { ...about, agentDescription: textOf(random), model }),
      ...(isOld ? [] : [...put('subagent.selected', { ...about, tools: null }), ...put('user.message', { content: textOf(random) })]),
      ...modelCall({ turnId: '0', last: random.chance(0.4), ...whose }),
      ...modelCall({ turnId: '1', last: true, ...whose }),
      ...(failed
        ? put('subagent.failed', { ...about, error: textOf(random) })
        : put('subagent.completed', { ...about, totalTokens: random.int(0, 9000), totalToolCalls: 1 })),
    ]
  }

  return modelCall
}

/** Cached tokens are part of the input. */
export function tokensOf(random: Random): Rec {
  const [cacheReadTokens, cacheWriteTokens] = [random.int(0, 5000), random.int(0, 500)]
  const outputTokens = random.int(0, 900)
  return {
    inputTokens: random.int(0, 900) + cacheReadTokens + cacheWriteTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    ...(random.chance(0.3) ? { reasoningTokens: random.int(0, outputTokens) } : {}),
  }
}
