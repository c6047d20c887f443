// What a user of the generators may fix; the seed decides the rest.
import type { Random } from './random.ts'

export type StreamOptions = {
  /** Prompts that a session answers; aictrl and Avenor count model calls here, as they have one prompt a session. */
  turns?: number | undefined
  /** Sessions in the stream, one after another or interleaved. appctl names no session: there it means more turns. */
  sessions?: number | undefined
  /** Text in pieces. Dialects that have only pieces, or none, ignore it. */
  deltas?: boolean | undefined
  /** False: no tool is called. */
  tools?: boolean | undefined
  /** False: nothing goes wrong. */
  failures?: boolean | undefined
  /** False: no record of a type that the dialect's document does not name. */
  extras?: boolean | undefined
}

/** `alone`: the only session of its stream, so it needs no name. */
export type Plan = { alone: boolean; turns: number; deltas: boolean; tools: boolean; failures: boolean; extras: boolean }

export const planOf = (random: Random, options: StreamOptions, alone: boolean): Plan => {
  const drawn = {
    turns: random.int(1, 3),
    deltas: random.chance(0.6),
    tools: random.chance(0.85),
    failures: random.chance(0.5),
    extras: random.chance(0.5),
  }
  return {
    alone,
    turns: options.turns ?? drawn.turns,
    deltas: options.deltas ?? drawn.deltas,
    tools: options.tools ?? drawn.tools,
    failures: options.failures ?? drawn.failures,
    extras: options.extras ?? drawn.extras,
  }
}
