// The tracker against a replay: what it knows after each event is what the whole list of events so far shows, looked at plainly; and it
// says that something changed exactly when the snapshot did.
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { suite, test } from 'node:test'
import { eventsByRecord } from '../../test/fold.ts'
import { holds, scrambled } from '../../test/properties.ts'
import type { Event, EventOf, Kind } from '../model/event.ts'
import { cutStream, legalStream, linesOf, type Random, streamDialects } from '../testing/index.ts'
import { type AgentNode, createTracker, type Snapshot } from './track.ts'
import { createTrackers } from './trackers.ts'
import { createUsage } from './usage.ts'

type Dialect = (typeof streamDialects)[number]

function eventsOf(dialect: Dialect, seed: number, random: Random): Event[] {
  const records = legalStream(dialect, seed)
  const drawn = random.pick([records, cutStream(records, random), scrambled(records, random)])
  return eventsByRecord(linesOf(drawn), dialect).flat()
}

const of = <K extends Kind>(events: readonly Event[], ...kinds: K[]): EventOf<K>[] =>
  events.filter((event): event is EventOf<K> => (kinds as string[]).includes(event.kind))
const last = <T>(list: readonly (T | undefined)[]): T | undefined => list.findLast((value) => value !== undefined)

/** Of all events of one session, from the first one on: what is certain of them. */
function replay(all: readonly Event[]): Partial<Snapshot> {
  const { events, from, again } = livesOf(all)
  const end = events.at(-1)
  const ended = end?.kind === 'session.end'
  const told = of(events, 'session.start', 'session.update').filter(({ agent }) => agent === undefined)
  const usage = createUsage()
  for (const event of events) usage.push(event)
  const { costUsd, input, output, reasoning, cacheRead, cacheWrite } = usage.report().totals
  const used = { input, output, reasoning, cacheRead, cacheWrite }
  const reports = (type: string): EventOf<'report'>[] => of(events, 'report').filter((report) => report.type === type)
  const requests = ended ? [] : openRequests(events.slice(from))
  return {
    session: events[0]?.session,
    run: last(events.map(({ run }) => run || undefined)),
    backend: last(told.map(({ program }) => program)),
    version: last(told.map(({ version }) => version)),
    cwd: last(told.map(({ cwd }) => cwd)),
    mode: last(told.map(({ mode }) => mode)),
    title: last(told.map(({ title }) => title)),
    turn: last(events.map((event) => (event.kind === 'turn.start' || again.has(event) ? event.turn : undefined))),
    channelReady: reports('ready').length > 0 || undefined,
    lastReportState: last(reports('state').map(({ state }) => state)),
    lastReplyTo: last(reports('reply').map(({ to: whom }) => whom)),
    promptQueued: prompts(events, ['queued']) || undefined,
    promptSubmitted: prompts(events, ['sent', 'seen']) || undefined,
    stopReason: ended ? end.reason : undefined,
    ended: ended || undefined,
    usage: Object.values(used).some((count) => count > 0) ? used : undefined,
    costUsd: costUsd > 0 ? costUsd : undefined,
    openTools: ended ? [] : openTools(events.slice(from)),
    openRequests: requests,
    agents: tree(events),
    ...(ended && { phase: 'done' as const }),
    ...(requests.length > 0 && { phase: 'waiting' as const, waitingPermission: true as const }),
  } as Partial<Snapshot>
}

const starts = ['session.start', 'turn.start', 'message.start', 'tool.start']
const works = [
  ...starts,
  'prompt.submit',
  'text.delta',
  'text.end',
  'thought.delta',
  'thought.end',
  'content.end',
  'permission.request',
  'question.request',
]

/** The events that count, and where the last life of the session begins: after an end nothing does until it works again. */
function livesOf(all: readonly Event[]): { events: Event[]; from: number; again: Set<Event> } {
  const events: Event[] = []
  const again = new Set<Event>()
  let from = 0
  for (const event of all) {
    if (events.at(-1)?.kind === 'session.end') {
      if (!works.includes(event.kind) || (starts.includes(event.kind) && event.synthetic !== undefined)) continue
      from = events.length
      again.add(event)
    }
    events.push(event)
  }
  return { events, from, again }
}

const prompts = (events: readonly Event[], states: string[]): boolean =>
  of(events, 'prompt.submit').some(({ agent, state }) => agent === undefined && states.includes(state))

function openTools(events: readonly Event[]): Snapshot['openTools'] {
  return of(events, 'tool.start')
    .filter((start) => !events.slice(events.indexOf(start)).some(({ kind, call }) => kind === 'tool.end' && call === start.call))
    .map(({ call, name, toolKind, title, agent, at }) => {
      const updates = of(events, 'tool.update').filter((update) => update.call === call)
      return bare({
        call,
        name,
        toolKind: last(updates.map((update) => update.toolKind)) ?? toolKind,
        title: last(updates.map((update) => update.title)) ?? title,
        agent,
        since: at,
      }) as Snapshot['openTools'][number]
    })
}

function openRequests(events: readonly Event[]): Snapshot['openRequests'] {
  const over = (id: string, call: string | undefined, at: number): boolean =>
    events
      .slice(at + 1)
      .some(
        (event) =>
          ((event.kind === 'permission.answer' || event.kind === 'question.answer') && event.id === id) ||
          (event.kind === 'tool.end' && call !== undefined && event.call === call),
      )
  return of(events, 'permission.request', 'question.request')
    .filter(
      ({ id, call, ...event }) =>
        !over(
          id,
          call,
          events.findIndex(({ seq }) => seq === event.seq),
        ),
    )
    .map((event) => {
      const { id, call, agent, at: since } = event
      return bare(
        event.kind === 'question.request'
          ? { id, about: 'question', question: event.questions[0]?.text, call, agent, since }
          : { id, about: 'permission', name: event.name, question: event.question, call, agent, since },
      ) as Snapshot['openRequests'][number]
    })
}

function tree(events: readonly Event[]): AgentNode[] {
  const begun = of(events, 'task.start')
  const ids = new Set(begun.map(({ task }) => task))
  const node = (start: EventOf<'task.start'>): AgentNode => {
    const updates = of(events, 'task.update').filter(({ task }) => task === start.task)
    const end = of(events, 'task.end').findLast(({ task }) => task === start.task)
    const { task, type, title, agentType, model, at: since } = start
    return bare({
      task,
      type,
      status: end?.status ?? 'running',
      title,
      agentType,
      model,
      background: last(updates.map(({ background }) => background)) ?? start.background,
      label: last(updates.map(({ label }) => label)),
      tokens: end?.tokens ?? last(updates.map(({ tokens }) => tokens)),
      toolCalls: last(updates.map(({ toolCalls }) => toolCalls)),
      since,
      children: begun.filter(({ agent }) => agent === task).map(node),
    }) as AgentNode
  }
  return begun.filter(({ agent }) => agent === undefined || !ids.has(agent)).map(node)
}

const isTwice = (ids: readonly unknown[]): boolean => new Set(ids).size < ids.length
const bare = (value: object): object => Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined))

suite('the tracker agrees with a replay', () => {
  for (const dialect of streamDialects) {
    test(dialect, () =>
      holds(60, (seed, random) => {
        const events = eventsOf(dialect, seed, random)
        const sessions = new Set(events.map(({ session }) => session))
        for (const session of sessions) {
          const own = events.filter((event) => event.session === session)
          if (own[0]?.kind !== 'session.start') continue // said of no session
          if (isTwice(of(own, 'task.start').map(({ task }) => task)) || isTwice(of(own, 'tool.start').map(({ call }) => call))) continue
          if (isTwice(of(own, 'permission.request', 'question.request').map(({ id }) => id))) continue // the replay is too plain for these
          const tracker = createTracker(session)
          for (const [index, event] of own.entries()) {
            tracker.observe(event)
            if (index % 7 !== 0 && index !== own.length - 1) continue
            const found = tracker.snapshot()
            for (const [key, value] of Object.entries(replay(own.slice(0, index + 1))))
              assert.deepEqual(found[key as keyof Snapshot], value, `${key} after ${event.seq} ${event.kind}`)
          }
        }
      }),
    )
  }
})

suite('observe is true exactly when the snapshot is another', () => {
  for (const dialect of streamDialects) {
    test(dialect, () =>
      holds(60, (seed, random) => {
        const events = eventsOf(dialect, seed, random)
        const one = createTracker()
        const all = createTrackers()
        let before = one.snapshot()
        let allBefore = all.snapshots()
        for (const event of events) {
          const changed = one.observe(event)
          const now = one.snapshot()
          assert.equal(changed, !isDeepStrictEqual(now, before), `${event.seq} ${event.kind} ${JSON.stringify(now)}`)
          before = now
          const changedAny = all.observe(event)
          const allNow = all.snapshots()
          assert.equal(changedAny, !isDeepStrictEqual(allNow, allBefore), `${event.seq} ${event.kind}`)
          allBefore = allNow
        }
      }),
    )
  }
})
