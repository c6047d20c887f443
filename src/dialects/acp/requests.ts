// Requests that wait for their answer. An answer says nothing of its request but the id, and both sides count their requests from the
// same number: who answers tells which is meant, or the look of the answer.
import { keyOfId, otherSide, type Side } from './message.ts'

export type Requests<Request> = ReturnType<typeof createRequests<Request & { method: string }>>

const most = 1024

/** What the answer to a method looks like; other answers look like anything. */
const looks: ReadonlyMap<string, string> = new Map([
  ['initialize', 'result/initialize'],
  ['session/new', 'result/session'],
  ['session/fork', 'result/session'],
  ['session/prompt', 'result/prompt'],
  ['session/request_permission', 'result/permission'],
  ['elicitation/create', 'result/elicitation'],
])
const ofOneMethod: ReadonlySet<string> = new Set([...looks.values()].filter((tag) => tag !== 'result/session'))

/** How well an answer of this look suits a request; 0 means that it cannot be its answer. */
function fit(method: string | undefined, tag: string): number {
  if (method === undefined) return 0
  if (tag === 'error') return method === 'session/request_permission' ? 1 : 2 // a host says no to a question, it seldom fails
  const look = looks.get(method)
  if (look === undefined) return Number(!ofOneMethod.has(tag))
  return look === tag ? 2 : tag === 'result' ? 0.5 : 0 // an answer that says nothing is one to whoever waits for it
}

export function createRequests<Request extends { method: string }>() {
  const open: Record<Side, Map<string, Request>> = { host: new Map(), agent: new Map() }
  const either = new Map<string, Request>() // requests of whom is not known
  const heard: Record<Side, boolean> = { host: false, agent: false }

  /** Where one side alone is heard, all answers are its own. Before the agent's first word a host has but one request to send. */
  const alone = (): Side | undefined => (!heard.host ? 'agent' : !heard.agent && open.host.size > 1 ? 'host' : undefined)

  function answering(told: Side | undefined, key: string, tag: string): Side | undefined {
    const from = told ?? alone()
    if (from !== undefined) return from
    const [ofHost, ofAgent] = [fit(open.host.get(key)?.method, tag), fit(open.agent.get(key)?.method, tag)]
    return ofHost + ofAgent === 0 ? undefined : ofAgent > ofHost ? 'host' : 'agent'
  }

  return {
    hear(side: Side): void {
      heard[side] = true
    },
    isHeard: (side: Side): boolean => heard[side],
    of: (side: Side): ReadonlyMap<string, Request> => open[side],
    /** False when a request with this id is open already. */
    add(side: Side | undefined, id: unknown, request: Request): boolean {
      const table = side === undefined ? either : open[side]
      const key = keyOfId(id)
      const isNew = !table.delete(key)
      table.set(key, request)
      if (table.size > most) table.delete(table.keys().next().value!)
      return isNew
    },
    find: (side: Side | undefined, id: unknown): Request | undefined => {
      const key = keyOfId(id)
      return side === undefined ? (open.host.get(key) ?? open.agent.get(key)) : open[side].get(key)
    },
    /** The request that is answered, and who answers it; both as far as they are known. */
    take(told: Side | undefined, id: unknown, tag: string): { request: Request | undefined; from: Side | undefined } {
      const key = keyOfId(id)
      const from = answering(told, key, tag)
      if (from !== undefined) heard[from] = true
      const table = from !== undefined && open[otherSide(from)].has(key) ? open[otherSide(from)] : either
      const request = table.get(key)
      if (request === undefined || (table === either && fit(request.method, tag) === 0)) return { request: undefined, from }
      table.delete(key)
      return { request, from }
    },
    /** A new connection: nobody waits for the answers of the old one. */
    clear(): void {
      open.host.clear()
      open.agent.clear()
      either.clear()
    },
  }
}
