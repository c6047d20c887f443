// Messages of the app-server, per thread. What a host writes is judged only where it answers, and only where the questions stand in
// the stream too.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import { createForgetter } from '../forget.ts'
import type { Breaks, Part } from './order.ts'

type Thread = { turn: string | undefined; items: Map<string, boolean> }

const mostThreads = 1024
const mostItems = 4096
const mostRequests = 4096

export function createServerOrder(): Part & { wrap(traffic: Rec | undefined): void } {
  const threads = new Map<string, Thread>()
  const forgetOne = createForgetter(threads, ({ turn }) => turn === undefined)
  const asks = new Map<string, boolean>() // true while nobody has said that it is answered
  let traffic: Rec | undefined // the last record, when it was one of recorded traffic

  function threadOf(id: string): Thread {
    let thread = threads.get(id)
    if (thread === undefined) {
      if (threads.size >= mostThreads) forgetOne()
      threads.set(id, (thread = { turn: undefined, items: new Map() }))
    }
    return thread
  }

  /** An id of the agent's own: the host counts its requests apart. */
  function ask({ id }: Rec): void {
    const key = String(id)
    asks.delete(key)
    asks.set(key, true)
    if (asks.size > mostRequests) asks.delete(asks.keys().next().value!)
  }

  function step(message: Rec, tag: string, breaks: Breaks): void {
    const params = (message['params'] ?? {}) as { threadId?: string; turn?: { id: string }; item?: { id: string }; itemId?: string }
    const { threadId = '', turn, item, itemId } = params
    switch (tag) {
      case 'turn/started': {
        const thread = threadOf(threadId)
        if (thread.turn !== undefined) breaks('turn-pair', `turn ${quoted(turn!.id)} starts while ${quoted(thread.turn)} is open`)
        thread.turn = turn!.id
        return
      }
      case 'turn/completed': {
        const thread = threadOf(threadId)
        if (thread.turn !== turn!.id) breaks('turn-pair', `turn ${quoted(turn!.id)} ends, but it is not open`)
        thread.turn = undefined
        for (const [id, open] of thread.items) if (!open) thread.items.delete(id)
        return
      }
      case 'serverRequest/resolved': {
        const id = String((params as { requestId?: unknown }).requestId)
        if (!asks.delete(id)) breaks('request-first', `request ${quoted(id)} is resolved, but it is not open`)
        return
      }
      default:
        if (tag.startsWith('item/*/')) return stepItem(threadOf(threadId), item!.id, message['method'], breaks)
        if (streamed.has(tag) && threadOf(threadId).items.get(itemId!) !== true)
          breaks('item-first', `${tag} for ${quoted(itemId)}, which is not open`)
    }
  }

  const aborted = (threadId: string, id: string): Rec => {
    const message = {
      method: 'turn/completed',
      params: {
        threadId,
        turn: { id, items: [], status: 'interrupted', error: null, startedAt: null, completedAt: null, durationMs: null },
      },
    }
    return traffic === undefined ? message : { t: traffic['t'], from: 'agent', message }
  }

  return {
    wrap: (record) => void (traffic = record),
    push(message, tag, breaks) {
      if ('id' in message && 'method' in message) {
        if (agentAsks.test(tag)) ask(message)
        return
      }
      step(message, tag, breaks)
    },
    end(breaks) {
      for (const [id, { turn }] of threads)
        if (turn !== undefined) breaks('missing-end', `the stream ends inside turn ${quoted(turn)} of thread ${quoted(id)}`)
    },
    missing(next, tag) {
      if (next === undefined) return [...threads].flatMap(([id, { turn }]) => (turn === undefined ? [] : [aborted(id, turn)]))
      if (tag !== 'turn/started') return []
      const { threadId } = next['params'] as { threadId: string }
      const turn = threads.get(threadId)?.turn
      return turn === undefined ? [] : [aborted(threadId, turn)]
    },
  }
}

const streamed: ReadonlySet<string> = new Set([
  'item/agentMessage/delta',
  'item/plan/delta',
  'item/reasoning/summaryTextDelta',
  'item/reasoning/summaryPartAdded',
  'item/reasoning/textDelta',
  'item/commandExecution/outputDelta',
  'item/commandExecution/terminalInteraction',
  'item/fileChange/outputDelta',
  'item/fileChange/patchUpdated',
  'item/mcpToolCall/progress',
])
const agentAsks = /requestApproval$|^item\/tool\/|^mcpServer\/elicitation|^(execCommand|applyPatch)Approval$/

function stepItem(thread: Thread, id: string, method: unknown, breaks: Breaks): void {
  const open = thread.items.get(id)
  if (thread.turn === undefined && open !== true) breaks('turn-first', `item ${quoted(id)} outside a turn`)
  if (open === false || (open === true && method === 'item/started')) breaks('item-once', `${String(method)} once more for ${quoted(id)}`)
  thread.items.delete(id)
  thread.items.set(id, method === 'item/started')
  if (thread.items.size > mostItems) thread.items.delete(thread.items.keys().next().value!)
}
