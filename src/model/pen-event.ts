// One event of its parts: the envelope, then the kind's own keys. To spread a payload behind the envelope costs ten times as much as
// a literal that names the keys, so the kinds that make up nearly all of a stream have one. It is taken when the payload has no
// other keys and no other order, which is what a log shows: all else is spread, slower but the same.
import type { Event, Kind, Origin, Payload, Place } from './event.ts'
import { modelVersion as v } from './vocabulary.ts'

const keys = {
  textEnd: ['text', 'streamed', 'startedAt', 'endedAt'],
  thoughtEnd: ['text', 'streamed', 'startedAt', 'endedAt', 'redacted', 'signature'],
  toolStart: ['name', 'toolKind', 'title', 'input', 'server', 'paths', 'hostedBy'],
  toolDelta: ['of', 'text'],
  toolEnd: ['status', 'text', 'content', 'data', 'error', 'exitCode', 'title', 'startedAt', 'endedAt', 'durationMs', 'task', 'permitted'],
  messageStart: ['model', 'provider', 'usage', 'ttftMs'],
  messageEnd: ['finish', 'model', 'provider', 'agentName', 'usage', 'usageFinal', 'cost', 'context'],
  usageUpdate: ['scope', 'cumulative', 'usage', 'context', 'cost', 'limits'],
  raw: ['type', 'why'],
  skillLoad: ['name', 'level', 'path', 'description'],
  permissionAnswer: ['decision', 'by', 'name', 'toolKind', 'permission', 'patterns', 'input'],
  claudesToolStart: ['name', 'toolKind', 'server', 'hostedBy', 'input', 'title', 'paths'],
} as const

/** Whether the payload has only these keys, and in this order. */
function fits(payload: object, all: readonly string[]): boolean {
  let index = 0
  for (const key in payload) {
    while (all[index] !== key) if (++index >= all.length) return false
    index++
  }
  return true
}

/** `base`: what the events of this record have in common. */
export function eventOf<K extends Kind>(
  seq: number,
  kind: K,
  payload: Payload<K>,
  place: Place,
  base: Place,
  origin: Origin | undefined,
  turn: number | undefined,
  synthetic: string | undefined,
): Event {
  const { agent, message, block, call, ext } = place
  const at = place.at ?? base.at
  const session = place.session ?? base.session
  const run = place.run ?? base.run
  const clock = undefined
  // The envelope on one line, the kind's own keys on the next.
  // oxfmt-ignore
  switch (kind) {
    case 'text.end': {
      if (!fits(payload, keys.textEnd)) break
      const { text, streamed, startedAt, endedAt } = own<'text.end'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
        text, streamed, startedAt, endedAt }
    }
    case 'thought.end': {
      if (!fits(payload, keys.thoughtEnd)) break
      const { text, streamed, startedAt, endedAt, redacted, signature } = own<'thought.end'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
        text, streamed, startedAt, endedAt, redacted, signature }
    }
    case 'tool.start': {
      const { name, toolKind, title, input, server, paths, hostedBy } = own<'tool.start'>(payload)
      if (fits(payload, keys.claudesToolStart))
        return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
          name, toolKind, server, hostedBy, input, title, paths }
      if (fits(payload, keys.toolStart))
        return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
          name, toolKind, title, input, server, paths, hostedBy }
      break
    }
    case 'tool.delta': {
      if (!fits(payload, keys.toolDelta)) break
      const { of, text } = own<'tool.delta'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
        of, text }
    }
    case 'tool.end': {
      if (!fits(payload, keys.toolEnd)) break
      const { status, text, content, data, error, exitCode, title, startedAt, endedAt, durationMs, task, permitted } = own<'tool.end'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
        status, text, content, data, error, exitCode, title, startedAt, endedAt, durationMs, task, permitted }
    }
    case 'message.start': {
      if (!fits(payload, keys.messageStart)) break
      const { model, provider, usage, ttftMs } = own<'message.start'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
        model, provider, usage, ttftMs }
    }
    case 'message.end': {
      if (!fits(payload, keys.messageEnd)) break
      const { finish, model, provider, agentName, usage, usageFinal, cost, context } = own<'message.end'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
        finish, model, provider, agentName, usage, usageFinal, cost, context }
    }
    case 'usage.update': {
      if (!fits(payload, keys.usageUpdate)) break
      const { scope, cumulative, usage, context, cost, limits } = own<'usage.update'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
        scope, cumulative, usage, context, cost, limits }
    }
    case 'skill.load': {
      if (!fits(payload, keys.skillLoad)) break
      const { name, level, path, description } = own<'skill.load'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
        name, level, path, description }
    }
    case 'permission.answer': {
      if (!fits(payload, keys.permissionAnswer)) break
      const { decision, by, name, toolKind, permission, patterns, input } = own<'permission.answer'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
        decision, by, name, toolKind, permission, patterns, input }
    }
    case 'raw': {
      if (!fits(payload, keys.raw)) break
      const { type, why } = own<'raw'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext,
        type, why }
    }
  }
  const event = { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext, ...payload }
  return event as unknown as Event // kind and payload belong together
}

/** The cases of a switch on `kind` know the payload's type better than the compiler does. */
export const own = <K extends Kind>(payload: unknown): Payload<K> => payload as Payload<K>
