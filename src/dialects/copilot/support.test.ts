// What the tests of this folder share: fixtures in, events and findings out.
import { readdirSync, readFileSync } from 'node:fs'
import { parseJson, type Rec } from '../../base/json.ts'
import type { Event, EventOf, Kind } from '../../model/event.ts'
import type { Finding } from '../contract.ts'
import { copilot } from './index.ts'

const folder = new URL('../../../fixtures/copilot/', import.meta.url)
export const namesIn = (place: string, ending: string): string[] =>
  readdirSync(new URL(place, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${place}${name}`)
export const fixture = (name: string): Rec[] =>
  readFileSync(new URL(name, folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseJson(line) as Rec)
export const jsonFixture = (name: string): unknown => parseJson(readFileSync(new URL(name, folder), 'utf8'))

export function decodeAll(records: readonly Rec[]): Event[] {
  const decoder = copilot.decoder()
  const events = records.flatMap((record, index) => decoder.push(record, { dialect: 'copilot', record: index + 1, offset: 0, length: 0 }))
  return [...events, ...decoder.end()]
}

/** The events without the sources' boundaries: what a test writes down. */
export const told = (events: readonly Event[]): string[] =>
  events.map(({ kind, synthetic }) => (synthetic === undefined ? kind : `${kind}*`))
export const only = <K extends Kind>(events: readonly Event[], kind: K): EventOf<K>[] =>
  events.filter((event): event is EventOf<K> => event.kind === kind)
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** A record as stdout and file have it. `about` overrides the envelope. */
export const rec = (type: string, data: Rec = {}, about: Rec = {}): Rec => ({
  type,
  data,
  id: `${type}-id`,
  timestamp: '2026-11-15T20:04:06.459Z',
  parentId: null,
  ...about,
})
export const live = { ephemeral: true }
export const by = (agentId: string): Rec => ({ agentId })

export const prompt = rec('user.message', { content: 'Do the task', delivery: 'idle' })
export const turnStart = rec('assistant.turn_start', { turnId: '0' }, { id: 'call-1' })
export const turnEnd = rec('assistant.turn_end', { turnId: '0' })
export const idle = rec('assistant.idle', {}, live)
export const result: Rec = { type: 'result', timestamp: '2026-11-15T20:04:07.000Z', sessionId: 'native', exitCode: 0 }
/** A run with these records in its only model call. */
export const inRun = (...records: Rec[]): Rec[] => [prompt, turnStart, ...records, turnEnd, idle, result]

/** Shape and order, as `validate` finds them. */
export function findingsOf(records: readonly Rec[]): Finding[] {
  const order = copilot.order()
  const found: Finding[] = []
  const report = (finding: Finding): void => void found.push(finding)
  for (const record of records) {
    const tag = copilot.tag(record)
    if (tag === undefined) report({ code: 'no-type', severity: 'error', text: '' })
    else if (!Object.hasOwn(copilot.shapes.checks, tag)) report({ code: 'unknown-type', severity: 'warn', text: tag })
    else if (!copilot.shapes.checks[tag]!(record)) report({ code: 'shape', severity: 'error', text: tag })
    else order.push(record, tag, report)
  }
  order.end(report)
  return found
}
export const codesOf = (records: readonly Rec[]): string[] => findingsOf(records).map(({ code }) => code)
