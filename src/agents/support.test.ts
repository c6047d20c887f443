// For tests of agents that are programs: a host that writes down what it is told, and what every stream of theirs must keep to.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { order } from '../dialects/sluice/order.ts'
import type { Rec } from '../base/json.ts'
import type { Event, EventOf, Kind } from '../model/event.ts'
import type { Answer, Ask } from '../supervise/contract.ts'
import type { Done, Host, Running } from './contract.ts'

export const fixture = (path: string): string => fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url))

export type Heard = {
  events: Event[]
  asks: Ask[]
  withdrawn: string[]
  of<K extends Kind>(kind: K): EventOf<K>[]
  kinds(): string
  /** When the next event of the kind has been told. */
  until(kind: Kind): Promise<void>
}

/** The answer to an ask; undefined leaves it open. What the real host tells of questions is told here in short. */
export function hear(start: (host: Host) => Running, answer: (ask: Ask) => Answer | undefined = () => undefined): Heard & Running {
  const events: Event[] = []
  const asks: Ask[] = []
  const withdrawn: string[] = []
  const waiting: { kind: Kind; resolve(): void }[] = []
  const running = start({
    now: Date.now,
    emit(told) {
      events.push(...told)
      for (const { kind } of told) for (const wait of waiting) if (wait.kind === kind) wait.resolve()
    },
    raise(ask) {
      asks.push(ask)
      const said = answer(ask)
      if (said !== undefined) running.send({ type: 'permission', id: ask.id, answer: said })
    },
    withdraw: (id) => void withdrawn.push(id),
  })
  const of = <K extends Kind>(kind: K): EventOf<K>[] => events.filter((event): event is EventOf<K> => event.kind === kind)
  return {
    ...running,
    events,
    asks,
    withdrawn,
    of,
    kinds: () =>
      events
        .map(({ kind }) => kind)
        .filter((kind) => kind !== 'raw')
        .join(' '),
    until: (kind) => new Promise((resolve) => waiting.push({ kind, resolve })),
  }
}

export const session = '0b0e2d0c-5f3a-4e0e-9a52-1d3c7f9b0a11'

/** Legal in the canonical order, with exactly one start and one end of the session, and that end agrees with what `done` says. */
export async function whole({ events, done }: Pick<Heard & Running, 'events' | 'done'>): Promise<Done> {
  const said = await done
  const check = order()
  const findings: string[] = []
  const report = ({ code, text }: { code: string; text: string }): void => void findings.push(`${code}: ${text}`)
  events.forEach((event, index) => {
    event.seq = index + 1
    check.push(event as unknown as Rec, event.kind, report)
  })
  check.end(report)
  assert.deepEqual(findings, [])
  const ends = events.filter((event) => event.kind === 'session.end' && event.session === session)
  assert.equal(ends.length, 1)
  assert.equal(events.at(-1), ends[0])
  assert.equal((ends[0] as EventOf<'session.end'>).reason, said.reason)
  assert.deepEqual((ends[0] as EventOf<'session.end'>).error, said.error)
  return said
}
