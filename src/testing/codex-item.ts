// Items of a made-up app-server: each is started, may be streamed, and is completed; some wait for an approval on the way.
import type { Rec } from '../base/json.ts'
import type { Sent } from './codex-server.ts'
import type { Plan } from './plan.ts'
import type { Random } from './random.ts'
import { objectOf, piecesOf, textOf } from './words.ts'

type Tell = (method: string, params: Rec) => Sent

export function createCodexItems(random: Random, { deltas, failures, extras }: Plan, tell: Tell) {
  let asked = 0

  const phase = (method: string, threadId: string, turnId: string, item: Rec): Sent => tell(method, { item, threadId, turnId })

  /** Started, whatever comes between, completed. */
  function whole(threadId: string, turnId: string, start: Rec, between: readonly Sent[], end: Rec = start): Sent[] {
    return [phase('item/started', threadId, turnId, start), ...between, phase('item/completed', threadId, turnId, { ...start, ...end })]
  }

  const ended = (): string => (failures && random.chance(0.3) ? 'failed' : 'completed')

  // ── what is said ───────────────────────────────────────────────────────────────────────────────────────────────────────

  const prompt = (threadId: string, turnId: string): Sent[] =>
    whole(
      threadId,
      turnId,
      { type: 'userMessage', id: random.uuid(), content: [{ type: 'text', text: textOf(random), text_elements: [] }] },
      [],
    )

  function message(threadId: string, turnId: string): Sent[] {
    const id = `msg_${random.hex(8)}`
    const text = textOf(random)
    const [type, method] = extras && random.chance(0.2) ? ['plan', 'item/plan/delta'] : ['agentMessage', 'item/agentMessage/delta']
    const pieces = deltas ? piecesOf(text, random) : []
    const told = pieces.map((delta) => tell(method, { threadId, turnId, itemId: id, delta }))
    return whole(threadId, turnId, { type, id, text: '' }, told, { text })
  }

  function thought(threadId: string, turnId: string): Sent[] {
    const itemId = `rs_${random.hex(8)}`
    const of = { threadId, turnId, itemId }
    const summary = random.some(0, 2, () => textOf(random))
    const content = random.chance(0.2) ? [textOf(random)] : []
    const told = !deltas
      ? []
      : [
          ...summary.flatMap((text, summaryIndex) => [
            tell('item/reasoning/summaryPartAdded', { ...of, summaryIndex }),
            ...piecesOf(text, random).map((delta) => tell('item/reasoning/summaryTextDelta', { ...of, delta, summaryIndex })),
          ]),
          ...content.flatMap((text) =>
            piecesOf(text, random).map((delta) => tell('item/reasoning/textDelta', { ...of, delta, contentIndex: 0 })),
          ),
        ]
    return whole(threadId, turnId, { type: 'reasoning', id: itemId, summary: [], content: [] }, told, { summary, content })
  }

  // ── calls ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The agent asks, the host answers, the agent says that it is settled. */
  function ask(method: string, params: Rec, result: Rec): Sent[] {
    const id = asked++
    const resolved = tell('serverRequest/resolved', { threadId: params['threadId'], requestId: id })
    const answer = random.chance(0.95) ? { id, result } : { id, error: { code: -32601, message: 'not supported' } }
    return [{ from: 'agent', message: { method, id, params } }, { from: 'client', message: answer }, resolved]
  }

  const decision = (): unknown =>
    random.pick(['accept', 'acceptForSession', 'decline', 'cancel', { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['ls'] } }])

  function command(threadId: string, turnId: string): Sent[] {
    const id = `call_${random.hex(8)}`
    const of = { threadId, turnId, itemId: id }
    const line = { command: "/bin/bash -lc 'ls'", cwd: '/home/dev' }
    const decided = random.chance(0.4) ? decision() : undefined
    const refused = decided === 'decline' || decided === 'cancel'
    const asks =
      decided === undefined
        ? []
        : ask('item/commandExecution/requestApproval', { ...of, ...line, reason: textOf(random) }, { decision: decided })
    const output =
      refused || !deltas ? [] : piecesOf(textOf(random), random).map((delta) => tell('item/commandExecution/outputDelta', { ...of, delta }))
    const typed =
      extras && random.chance(0.2) ? [tell('item/commandExecution/terminalInteraction', { ...of, processId: '1', stdin: 'y\n' })] : []
    const status = refused ? 'declined' : ended()
    const end = { status, exitCode: refused ? null : status === 'failed' ? 3 : 0, durationMs: 5, aggregatedOutput: textOf(random) }
    const start = { type: 'commandExecution', id, ...line, status: 'inProgress', commandActions: [{ type: 'unknown', command: 'ls' }] }
    return whole(threadId, turnId, start, [...asks, ...output, ...typed], end)
  }

  function fileChange(threadId: string, turnId: string): Sent[] {
    const itemId = `call_${random.hex(8)}`
    const of = { threadId, turnId, itemId }
    const changes = [{ path: '/home/dev/ü.ts', kind: { type: 'add' }, diff: 'hi\n' }]
    const asks = random.chance(0.5) ? ask('item/fileChange/requestApproval', { ...of, reason: null }, { decision: 'accept' }) : []
    const more = extras
      ? [tell('item/fileChange/patchUpdated', { ...of, changes }), tell('item/fileChange/outputDelta', { ...of, delta: 'ok' })]
      : []
    return whole(threadId, turnId, { type: 'fileChange', id: itemId, changes, status: 'inProgress' }, [...asks, ...more], {
      status: ended(),
    })
  }

  function mcp(threadId: string, turnId: string): Sent[] {
    const itemId = `call_${random.hex(8)}`
    const of = { threadId, turnId, itemId }
    const elicits = extras
      ? ask(
          'mcpServer/elicitation/request',
          { threadId, turnId, serverName: 'echo', request: { mode: 'form', message: textOf(random) } },
          { action: 'accept', content: { a: 'b' } },
        )
      : []
    const progress = extras ? [tell('item/mcpToolCall/progress', { ...of, message: textOf(random) })] : []
    const status = ended()
    const result = { content: [{ type: 'text', text: textOf(random) }], structuredContent: { echoed: 1 } }
    const end = status === 'failed' ? { status, error: { message: textOf(random) } } : { status, result }
    const start = { type: 'mcpToolCall', id: itemId, server: 'echo', tool: 'say', arguments: objectOf(random), status: 'inProgress' }
    return whole(threadId, turnId, start, [...elicits, ...progress], end)
  }

  function hosted(threadId: string, turnId: string): Sent[] {
    const id = `call_${random.hex(8)}`
    const input = objectOf(random)
    const contentItems = [{ type: 'inputText', text: textOf(random) }]
    const call = ask('item/tool/call', { threadId, turnId, callId: id, tool: 'lookup', arguments: input }, { contentItems, success: true })
    const start = { type: 'dynamicToolCall', id, tool: 'lookup', arguments: input, status: 'inProgress', contentItems: null, success: null }
    return whole(threadId, turnId, start, call, { status: 'completed', contentItems, success: true, durationMs: 4 })
  }

  function search(threadId: string, turnId: string): Sent[] {
    const id = `ws_${random.hex(8)}`
    const query = textOf(random)
    return whole(threadId, turnId, { type: 'webSearch', id, query: '', action: null }, [], { query, action: { type: 'search', query } })
  }

  type Child = (id: string, rootTurnId: string) => Sent[]

  function agent(threadId: string, turnId: string, child: Child): Sent[] {
    const id = random.uuid()
    const start = {
      type: 'collabAgentToolCall',
      senderThreadId: threadId,
      prompt: textOf(random),
      model: '',
      status: 'inProgress',
      agentsStates: {},
    }
    const spawn = { ...start, id: `call_${random.hex(8)}`, tool: 'spawnAgent', receiverThreadIds: [] }
    const wait = { ...start, id: `call_${random.hex(8)}`, tool: 'wait', receiverThreadIds: [id], prompt: null, model: null }
    const states = (status: string): Rec => ({ [id]: { status, message: null } })
    return [
      ...whole(threadId, turnId, spawn, [], {
        status: 'completed',
        receiverThreadIds: [id],
        model: 'gpt-5.5',
        agentsStates: states('pendingInit'),
      }),
      ...(extras
        ? whole(
            threadId,
            turnId,
            { type: 'subAgentActivity', id: random.uuid(), kind: 'interacted', agentThreadId: id, agentPath: '/a' },
            [],
          )
        : []),
      ...child(id, turnId),
      ...whole(threadId, turnId, wait, [], { status: 'completed', agentsStates: states('completed') }),
    ]
  }

  function rare(threadId: string, turnId: string): Sent[] {
    const id = random.hex(8)
    const reviewId = random.uuid()
    const review = { threadId, turnId, reviewId, targetItemId: null, action: { type: 'command', command: 'ls' } }
    const questions = [{ id: 'q', header: 'Which', question: textOf(random), options: [{ label: 'A', description: '' }] }]
    const item = random.pick([
      { type: 'hookPrompt', id, fragments: [{ text: textOf(random), hookRunId: 'h' }] },
      { type: 'imageView', id, path: '/home/dev/a.png' },
      { type: 'imageGeneration', id, status: 'completed', revisedPrompt: 'a cat', result: 'AAAA' },
      { type: 'sleep', id, durationMs: 100 },
      { type: 'enteredReviewMode', id, review: 'x' },
      { type: 'exitedReviewMode', id, review: 'x' },
      { type: 'contextCompaction', id },
    ])
    return random.pick([
      whole(threadId, turnId, item, []),
      [
        tell('item/autoApprovalReview/started', { ...review, review: { status: 'inProgress', rationale: null } }),
        tell('item/autoApprovalReview/completed', { ...review, review: { status: random.pick(['approved', 'denied']), rationale: 'x' } }),
      ],
      ask('item/tool/requestUserInput', { threadId, turnId, itemId: id, questions }, { answers: { q: { answers: ['A'] } } }),
      ask(
        'item/permissions/requestApproval',
        { threadId, turnId, itemId: id, reason: 'x', permissions: { network: {} } },
        { permissions: { network: {} }, scope: 'session' },
      ),
      ask('execCommandApproval', { conversationId: threadId, callId: id, command: ['ls'], cwd: '/' }, { decision: 'approved' }),
      ask('applyPatchApproval', { conversationId: threadId, callId: id, fileChanges: {}, reason: null }, { decision: 'denied' }),
    ])
  }

  const call = (threadId: string, turnId: string, child: Child): Sent[] =>
    extras && random.chance(0.3)
      ? rare(threadId, turnId)
      : random.pick([command, command, fileChange, mcp, hosted, search, agent])(threadId, turnId, child)

  return { prompt, message, thought, command, call }
}
