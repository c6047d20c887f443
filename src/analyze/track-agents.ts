// Subagents and background commands as a tree. Those that are over are kept while there is room.
import type { EventOf } from '../model/event.ts'
import { type AgentNode, known } from './snapshot.ts'

const mostKept = 256

type Node = Omit<AgentNode, 'children'> & { parent: string | undefined }

export function createAgents() {
  const nodes = new Map<string, Node>()
  let dropped = 0

  /** Whether the node is another one now. */
  function put(task: string, parent: string | undefined, more: Partial<{ [K in keyof Node]: Node[K] | undefined }>): boolean {
    const before = nodes.get(task)
    const node: Node = { task, type: 'agent', status: 'running', parent, ...before, ...known(more) }
    if (before !== undefined && Object.entries(node).every(([key, value]) => before[key as keyof Node] === value)) return false
    nodes.set(task, node)
    if (nodes.size > mostKept) drop()
    return true
  }

  function drop(): void {
    const parents = new Set([...nodes.values()].map(({ parent }) => parent))
    for (const { task, status } of nodes.values()) {
      if (status === 'running' || parents.has(task)) continue
      nodes.delete(task)
      dropped++
      return
    }
    nodes.delete(nodes.keys().next().value!)
    dropped++
  }

  return {
    observe(event: EventOf<'task.start'> | EventOf<'task.update'> | EventOf<'task.end'>): boolean {
      const { task, agent } = event
      switch (event.kind) {
        case 'task.start': {
          const { type, title, agentType, model, background, at } = event
          return put(task, agent, { status: 'running', type, title, agentType, model, background, since: at })
        }
        case 'task.update': {
          const { label, tokens, toolCalls, background } = event
          return nodes.has(task) && put(task, agent, { label, tokens, toolCalls, background })
        }
        case 'task.end':
          return nodes.has(task) && put(task, agent, { status: event.status, tokens: event.tokens })
      }
    },
    tree(): AgentNode[] {
      const children = Map.groupBy(nodes.values(), ({ parent }) => (parent !== undefined && nodes.has(parent) ? parent : undefined))
      const under = (parent: string | undefined): AgentNode[] =>
        (children.get(parent) ?? []).map(({ parent: _, ...node }) => ({ ...node, children: under(node.task) }))
      return under(undefined)
    },
    dropped: () => dropped,
  }
}
