// Who decides and who watches in a run, made from the settings and the command line.
import { readdirSync } from 'node:fs'
import { quoted } from '../base/text.ts'
import { SettingsError } from '../config/read.ts'
import { realPath } from '../files/real-path.ts'
import type { Event, EventOf, Payload } from '../model/event.ts'
import { makeEvent } from '../model/make.ts'
import { createRedactor, type LinePattern, type ScanOptions } from '../stream/redact.ts'
import { type Delta, isDelta } from '../stream/redact-stream.ts'
import type { Gates } from '../supervise/gates.ts'
import { type Broker, createBroker } from '../supervise/permission.ts'
import { createStatus } from '../supervise/status.ts'
import type { Frame } from './frame.ts'
import type { Stage } from './pipeline.ts'

export type Doors = { autoApprove: boolean; gates: Gates }

export function brokerOf(
  { places, settings, rulesFor, boundsFor, ownFolders, skillFolders }: Frame,
  { autoApprove, gates }: Doors,
  interactive: () => boolean,
  guarded: readonly string[] = [],
): Broker {
  return createBroker({
    rulesFor,
    boundsFor,
    scene: { root: places.root, home: places.home, folders: ownFolders, readable: skillFolders, guarded, realPath, list },
    gates,
    listed: new Set(settings.tools),
    autoApprove,
    interactive,
  })
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** What is taken out of all that a run tells. Throws a SettingsError. */
export const secretsOf = async ({ settings, secrets }: Frame): Promise<ScanOptions> => ({
  values: secrets,
  patterns: await patternsOf(settings.redact),
})

/** What stands between the agent and its readers, in order. */
export const stagesOf = (secrets: ScanOptions | undefined, label: string | undefined): Stage[] => [
  ...(label === undefined ? [] : [labelStage(label)]),
  ...(secrets === undefined ? [] : [redactStage(secrets)]),
  statusStage(), // after it: half a key in a label would not be known as one
]

/** A question as the stream tells it, for those who are asked beside it. It is counted there. */
export function questionCleaner(secrets: ScanOptions): (request: Request) => Request {
  const redactor = createRedactor(secrets)
  return (request) => redactor.event(makeEvent('permission.request', request, {})).at(-1) as EventOf<'permission.request'>
}
type Request = Payload<'permission.request'>

/** Every session of the run bears the name that the run was given. */
const labelStage = (label: string): Stage => ({
  push: (events, pass) => pass(events.map((event) => (event.kind === 'session.start' ? { ...event, label } : event))),
})

function statusStage(): Stage {
  const policy = createStatus()
  return {
    push(events, pass) {
      let told: Event[] | undefined // from the first that is not passed on as it came
      for (let index = 0; index < events.length; index++) {
        const event = events[index]!
        const isDropped = policy.drops(event)
        const found = isDropped ? none : policy.step(event)
        if (isDropped || found.length > 0) told ??= events.slice(0, index)
        for (const status of found) told!.push(statusEvent(status, event))
        if (!isDropped) told?.push(event)
      }
      pass(told ?? events)
    },
  }
}

const none: readonly Payload<'status.update'>[] = []

/** Of the agent as a whole, also where a subagent's question holds it up. */
const statusEvent = (status: Payload<'status.update'>, { at, session, turn }: Event): Event =>
  makeEvent('status.update', status, { at, session, turn, synthetic: 'policy:status' })

/** Says how often it had to step in. It says so before a turn ends: to some readers that is the end of the stream. */
function redactStage(secrets: ScanOptions): Stage {
  const redactor = createRedactor(secrets)
  let told = 0
  let hasTurned = false // what comes after a turn repeats it, or is ours
  const news = ({ at, session }: Event): Event[] => {
    const count = Object.values(redactor.counts()).reduce((sum, hits) => sum + hits, 0)
    const notice = redactor.notice()
    const isNew = notice !== undefined && count > told
    told = count
    return isNew ? [makeEvent('notice', notice, { at, session, synthetic: 'policy:redact' })] : []
  }
  const redacted = (event: Event): Event[] => {
    if (event.kind === 'session.end') return [...redactor.end(), ...(hasTurned ? [] : news(event)), ...redactor.event(event)]
    const events = redactor.event(event)
    if (event.kind !== 'turn.end') return events
    hasTurned = true
    return events.toSpliced(-1, 0, ...news(event))
  }
  return {
    push(events, pass) {
      if (events.length === 1) return pass(redacted(events[0]!))
      const clean: Event[] = []
      for (let from = 0, to = 0; from < events.length; from = to) {
        while (to < events.length && isDelta(events[to]!)) to++
        if (from === to) clean.push(...redacted(events[to++]!))
        else clean.push(...redactor.deltas(events.slice(from, to) as Delta[]))
      }
      pass(clean)
    },
    end: (pass) => pass(redactor.end()),
  }
}

/** RE2: no pattern of a user can stall the stream. */
async function patternsOf(sources: readonly string[]): Promise<LinePattern[]> {
  if (sources.length === 0) return []
  const { RE2JS } = await import('re2js') // heavy, and rarely needed
  return sources.map((source, index) => {
    try {
      const pattern = RE2JS.compile(source)
      return {
        name: `pattern-${index + 1}`,
        *find(line) {
          const matcher = pattern.matcher(line)
          while (matcher.find()) if (matcher.end() > matcher.start()) yield { start: matcher.start(), end: matcher.end() }
        },
      }
    } catch (error) {
      throw new SettingsError(`the pattern ${quoted(source)} under "redact" is not valid: ${(error as Error).message}`)
    }
  })
}
