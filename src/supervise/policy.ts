// How policies are asked and what they say: events and the ticks of a clock go in, actions come out. Nothing here acts.
import type { Event, Payload } from '../model/event.ts'
import type { Command } from './contract.ts'

type CancelReason = Extract<Command, { type: 'cancel' }>['reason']

/** The run ends, and its end says why. `step`: the running model call and its tools may finish. */
export type Stop = {
  type: 'stop'
  reason: Exclude<CancelReason, 'cancelled' | 'cancelled_forced'>
  text: string
  code: string
  when: 'now' | 'step'
}

export type PolicyAction =
  | { type: 'notice'; notice: Payload<'notice'> }
  | { type: 'error'; error: Payload<'error'> }
  | Stop
  /** The work is done and its outcome stands: only what still runs of the agent is ended. */
  | { type: 'close'; text: string; code: string }
  /** The question's time ran out: it gets its default answer. */
  | { type: 'expire'; id: string; what: 'permission' | 'question'; text: string }
  /** The whole prompt once more, after this time. */
  | { type: 'retry'; delayMs: number; retry: Payload<'retry.start'> }
  /** The event that was shown is not passed on. */
  | { type: 'drop' }

export type Policy = {
  /** Pieces of a text and of a call, and records that have no words in our model, tell it nothing: it is not asked about them. */
  deaf?: boolean
  /** `now`: when the event came; its own time if not told. */
  step(event: Event, now?: number): readonly PolicyAction[]
  /** Time goes by. */
  tick?(now: number): readonly PolicyAction[]
  /** When the next tick may have something to say. It may be too early, never too late. */
  due?(): number | undefined
}

/** What a policy says, under its name: what it adds to a stream is marked `policy:<name>`. */
export type Said = { policy: string; action: PolicyAction }

export type Policies = {
  step(event: Event, now?: number): readonly Said[]
  tick(now: number): readonly Said[]
  due(): number | undefined
}

const nothing: readonly Said[] = []

/** Many policies as one. They are asked in their order. */
export function combine(policies: Readonly<Record<string, Policy>>): Policies {
  const all = Object.entries(policies).map(([name, policy]) => ({ name, policy }))
  const hearing = all.filter(({ policy }) => policy.deaf !== true)

  // For every event, and nearly always nobody has anything to say.
  return {
    step(event, now = event.at) {
      let said = nothing
      for (const { name, policy } of isPiece(event) ? hearing : all) said = also(said, name, policy.step(event, now))
      return said
    },
    tick(now) {
      let said = nothing
      for (const { name, policy } of all) said = also(said, name, policy.tick?.(now))
      return said
    },
    due() {
      let first: number | undefined
      for (const { policy } of all) first = earlier(first, policy.due?.())
      return first
    },
  }
}

const also = (said: readonly Said[], policy: string, actions: readonly PolicyAction[] = []): readonly Said[] =>
  actions.length === 0 ? said : [...said, ...actions.map((action) => ({ policy, action }))]

/** Most events are such, and most policies have no use for them. Not thoughts: in those, noise is looked for. */
const isPiece = ({ kind }: Event): boolean => kind === 'text.delta' || kind === 'tool.delta' || kind === 'raw'

/** Of these no policy has anything to say: they need not be told one by one. An order of the agent is a whole line. */
export const isQuiet = (event: Event): boolean =>
  event.kind === 'tool.delta' || event.kind === 'raw' || (event.kind === 'text.delta' && !event.text.includes('\n'))

/** Of two times, of which there may be none. */
export const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

/** What sluice adds itself is no sign of life of the agent. */
export const isOwn = ({ synthetic }: Event): boolean => synthetic?.startsWith('policy:') === true

export const earlyMs = 5 // a timer may come that much before its time

/** A time span as the command line takes it: 90s, 10m. */
export function spanText(ms: number): string {
  const units = [
    [3_600_000, 'h'],
    [60_000, 'm'],
    [1000, 's'],
  ] as const
  const [size, unit] = units.find(([whole]) => ms >= whole && ms % whole === 0) ?? [1, 'ms']
  return `${ms / size}${unit}`
}
