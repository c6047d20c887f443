// What the order checker knows of sessions: which ones there are, their calls, and, where the agent alone is heard, whether it has said
// something since its last answer. All of it is bounded; the oldest is forgotten.
import type { Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import type { rules } from './order.ts'
import { at, str } from './words.ts'
import type { Tool } from './wire.ts'

export type Breaks = (code: keyof typeof rules, text: string, severity?: 'error' | 'warn') => void

const mostSessions = 1024
const mostCalls = 4096

/** `calls`: true while the call is open. */
type Session = { calls: Map<string, boolean>; cancelled: boolean; isChild: boolean }

export function createSessions(breaks: Breaks) {
  const sessions = new Map<string, Session>()
  const talking = new Set<string>() // sessions in which the agent said something that an answer must follow
  let last: string | undefined // the one that it spoke in

  function sessionOf(id: string): Session {
    let session = sessions.get(id)
    if (session !== undefined) return session
    sessions.set(id, (session = { calls: new Map(), cancelled: false, isChild: false }))
    if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!)
    return session
  }

  function call(session: Session, { toolCallId: id, status }: Tool, isUpdate: boolean): void {
    const { calls } = session
    const isOpen = calls.get(id)
    const isOver = status === 'completed' || status === 'failed'
    if (isUpdate && isOpen === undefined && status !== 'failed')
      breaks('call-first', `tool_call_update of ${quoted(id)}, which was not called`)
    if (isUpdate && isOpen === false && isOver)
      breaks('end-once', `tool_call_update of ${quoted(id)}, which is over, with ${quoted(status)}`, 'warn')
    calls.delete(id)
    calls.set(id, !isOver && (isOpen !== false || !isUpdate))
    if (calls.size > mostCalls) calls.delete(calls.keys().next().value!)
  }

  function talk(id: string, { isChild }: Session, meta: unknown): void {
    const isOfSubagent = isChild || str(at(at(meta, 'claudeCode'), 'parentToolUseId')) !== undefined
    if (!isOfSubagent) talking.add(id)
  }

  return {
    know: (id: string | undefined): void => void (id === undefined ? undefined : sessionOf(id)),
    isKnown: (id: string): boolean => sessions.has(id),
    hasCall: (id: string, called: string): boolean => sessions.get(id)?.calls.has(called) === true,
    cancel(id: string): void {
      sessionOf(id).cancelled = true
    },
    isCancelled: (id: string | undefined): boolean => (id === undefined ? undefined : sessions.get(id))?.cancelled === true,
    /** Its prompt is answered. */
    end(id: string | undefined): void {
      if (id !== undefined) sessionOf(id).cancelled = false
    },
    /** The agent has said something in some session. */
    isSpoken: (): boolean => last !== undefined,
    talking: (): string[] => [...talking],
    /** An answer to a request that is not seen: that of the session it names, else of the one that was spoken in last. */
    listen(id: string | undefined): void {
      const session = id ?? last
      if (session !== undefined) talking.delete(session)
      last = session
    },
    /** A host is heard after all: it is by its requests that answers are missed. */
    hush: (): void => talking.clear(),
    /** `alone`: the host is not heard. */
    update({ sessionId, update }: { sessionId: string; update: Rec }, tag: string, alone: boolean): void {
      const session = sessionOf(sessionId)
      if (!session.isChild) last = sessionId
      switch (tag) {
        case 'session/update/agent_message_chunk':
        case 'session/update/agent_thought_chunk':
          return alone ? talk(sessionId, session, update['_meta']) : undefined
        case 'session/update/tool_call':
          call(session, update as Tool, false)
          return alone ? talk(sessionId, session, update['_meta']) : undefined
        case 'session/update/tool_call_update':
          return call(session, update as Tool, true)
        case 'session/update/subagent_update':
          sessionOf(update['sessionId'] as string).isChild = true
      }
    },
    question({ sessionId, toolCall }: { sessionId: string; toolCall: Tool }, alone: boolean): void {
      const session = sessionOf(sessionId)
      last = sessionId
      if (!session.calls.has(toolCall.toolCallId)) session.calls.set(toolCall.toolCallId, true)
      if (alone) talk(sessionId, session, toolCall._meta)
    },
  }
}
