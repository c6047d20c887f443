// The control channel to a host: requests of ours that wait for its reply, its answers to permission questions, our replies to it.
// When the host says no more, whatever still waits is given up.
import { isDeepStrictEqual } from 'node:util'
import { isRecord, type Rec, stringifyJson } from '../../base/json.ts'
import type { Answerer } from '../../run/contract.ts'
import type { LineOut } from '../../run/sinks.ts'
import { untilGone } from '../../run/sinks.ts'
import type { Reply } from '../../supervise/permission.ts'
import type { HostMessage } from './input.ts'

type HostReply = Extract<HostMessage, { type: 'reply' }>

export type Channel = {
  /** Asks the host for a decision; the question itself is written by the dialect. */
  answerer: Answerer
  /** Rejects when the host cannot do it, or is gone. */
  ask(body: Rec, signal?: AbortSignal): Promise<Rec>
  reply(id: string, body: Rec): void
  refuse(id: string, error: string): void
  take(reply: HostReply): void
  /** What the host was shown of a question: secrets are covered in it, so that it may differ from what the call is given. */
  shown(id: string, input: unknown): void
  /** The host has answered this one itself, so it need not be told; asked once. */
  wasAnswered(id: string): boolean
  /** Nothing more will come from the host. */
  end(): void
}

/** `onMode`: an answer may change the permission mode as well. `onGone`: nothing more can be written to the host. */
export function createChannel(out: LineOut, onMode: (mode: unknown) => void, onGone: (error: unknown) => void): Channel {
  const waiting = new Map<string, (reply: HostReply | undefined) => void>()
  const answered = new Set<string>()
  const inputs = new Map<string, unknown>()
  const guarded = untilGone(onGone)
  let made = 0
  let isOver = false

  const write = guarded((record: Rec) => {
    out.line(stringifyJson(record))
    out.flush()
  })

  /** Undefined: there will be no reply. */
  function replyTo(id: string, signal: AbortSignal | undefined): Promise<HostReply | undefined> {
    return new Promise((resolve) => {
      const settle = (reply: HostReply | undefined): void => {
        waiting.delete(id)
        signal?.removeEventListener('abort', abort)
        resolve(reply)
      }
      const abort = (): void => settle(undefined)
      if (isOver || signal?.aborted === true) return resolve(undefined)
      signal?.addEventListener('abort', abort)
      waiting.set(id, settle)
    })
  }

  return {
    async answerer({ ask: { id, input } }, signal) {
      const shown = inputs.get(id) ?? input
      inputs.delete(id)
      const reply = await replyTo(id, signal)
      if (reply === undefined) return undefined
      answered.add(id)
      const { decision, mode } = decisionOf(reply, shown)
      if (mode !== undefined) onMode(mode)
      return decision
    },
    async ask(body, signal) {
      const id = `sluice-${++made}`
      const reply = replyTo(id, signal)
      if (!isOver) write({ type: 'control_request', request_id: id, request: body })
      const said = await reply
      if (said === undefined && signal?.aborted === true) write({ type: 'control_cancel_request', request_id: id })
      if (said === undefined) throw new Error('the host did not answer')
      if (said.error !== undefined) throw new Error(said.error)
      return said.body ?? {}
    },
    reply: (id, body) => write({ type: 'control_response', response: { subtype: 'success', request_id: id, response: body } }),
    refuse: (id, error) => write({ type: 'control_response', response: { subtype: 'error', request_id: id, error } }),
    take: (reply) => waiting.get(reply.id)?.(reply),
    shown: (id, input) => void inputs.set(id, input),
    wasAnswered: (id) => answered.delete(id),
    end() {
      isOver = true
      for (const settle of waiting.values()) settle(undefined)
    },
  }
}

/** What is not a clear yes is a no. A host that sends back what it was shown has changed nothing. */
export function decisionOf({ body = {}, error }: HostReply, shown: unknown): { decision: Reply; mode?: unknown } {
  const no = (text: string | undefined, stop = false): { decision: Reply } => ({
    decision: { option: 'reject_once', by: 'host', ...(text !== undefined && text !== '' && { text }), ...(stop && { stop }) },
  })
  if (error !== undefined) return no(`The call was not allowed: the host could not decide (${error}).`)
  const { behavior, updatedInput, updatedPermissions, message, interrupt } = body
  if (behavior !== 'allow') return no(typeof message === 'string' ? message : undefined, interrupt === true)
  const updates = Array.isArray(updatedPermissions) ? updatedPermissions.filter(isRecord) : []
  const always = updates.some((update) => update['type'] === 'addRules' && update['behavior'] === 'allow')
  const mode = updates.findLast((update) => update['type'] === 'setMode')?.['mode']
  const changed = isRecord(updatedInput) && !isDeepStrictEqual(updatedInput, shown)
  return {
    decision: { option: always ? 'allow_always' : 'allow_once', by: 'host', ...(changed && { input: updatedInput }) },
    ...(mode !== undefined && { mode }),
  }
}
