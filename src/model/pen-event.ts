// One event of its parts: the envelope, then the kind's own keys in the order in which its source tells them. A payload that is
// spread behind the envelope costs ten times as much as a literal that names the keys, so the payloads that make up nearly all of
// a stream have a literal each. It is used when it has the payload's very keys: what is not listed here is slower, never different.
import type { Event, Kind, Origin, Payload, Place } from './event.ts'
import { modelVersion as v } from './vocabulary.ts'

const keysOf = {
  textEnd: ['text', 'streamed'],
  thoughtEnd: ['text', 'streamed', 'signature'],
  toolStart: ['name', 'toolKind', 'server', 'hostedBy', 'input', 'title', 'paths'],
  toolEnd: ['status', 'text', 'content', 'data', 'error', 'exitCode', 'durationMs', 'task', 'permitted'],
  messageStart: ['model', 'usage', 'ttftMs'],
  messageEnd: ['finish', 'model', 'usage', 'usageFinal', 'context'],
  usageUpdate: ['scope', 'cumulative', 'usage'],
} as const

function hasExactly(payload: object, keys: readonly string[]): boolean {
  let index = 0
  for (const key in payload) if (key !== keys[index++]) return false
  return index === keys.length
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
  switch (kind) {
    case 'text.end': {
      if (!hasExactly(payload, keysOf.textEnd)) break
      const { text, streamed } = own<'text.end'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext, text, streamed }
    }
    case 'thought.end': {
      if (!hasExactly(payload, keysOf.thoughtEnd)) break
      const { text, streamed, signature } = own<'thought.end'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext, text, streamed, signature }
    }
    case 'tool.start': {
      if (!hasExactly(payload, keysOf.toolStart)) break
      const { name, toolKind, server, hostedBy, input, title, paths } = own<'tool.start'>(payload)
      return {
        v,
        seq,
        at,
        kind,
        session,
        run,
        agent,
        turn,
        message,
        block,
        call,
        clock,
        origin,
        synthetic,
        ext,
        name,
        toolKind,
        server,
        hostedBy,
        input,
        title,
        paths,
      }
    }
    case 'tool.end': {
      if (!hasExactly(payload, keysOf.toolEnd)) break
      const { status, text, content, data, error, exitCode, durationMs, task, permitted } = own<'tool.end'>(payload)
      return {
        v,
        seq,
        at,
        kind,
        session,
        run,
        agent,
        turn,
        message,
        block,
        call,
        clock,
        origin,
        synthetic,
        ext,
        status,
        text,
        content,
        data,
        error,
        exitCode,
        durationMs,
        task,
        permitted,
      }
    }
    case 'message.start': {
      if (!hasExactly(payload, keysOf.messageStart)) break
      const { model, usage, ttftMs } = own<'message.start'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext, model, usage, ttftMs }
    }
    case 'message.end': {
      if (!hasExactly(payload, keysOf.messageEnd)) break
      const { finish, model, usage, usageFinal, context } = own<'message.end'>(payload)
      return {
        v,
        seq,
        at,
        kind,
        session,
        run,
        agent,
        turn,
        message,
        block,
        call,
        clock,
        origin,
        synthetic,
        ext,
        finish,
        model,
        usage,
        usageFinal,
        context,
      }
    }
    case 'usage.update': {
      if (!hasExactly(payload, keysOf.usageUpdate)) break
      const { scope, cumulative, usage } = own<'usage.update'>(payload)
      return { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext, scope, cumulative, usage }
    }
  }
  const event = { v, seq, at, kind, session, run, agent, turn, message, block, call, clock, origin, synthetic, ext, ...payload }
  return event as unknown as Event // kind and payload belong together
}

/** The cases of a switch on `kind` know the payload's type better than the compiler does. */
export const own = <K extends Kind>(payload: unknown): Payload<K> => payload as Payload<K>
