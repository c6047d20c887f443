// Which record this is: its `type`, with the type of the part where a server tells a part of a message.
import { isRecord, type Rec } from '../../base/json.ts'
import * as shapes from './shapes.gen.js'
import type { PartType } from './wire.ts'

const updated = 'message.part.updated'

// Part type → tag, so that the hot path joins no strings.
const tags: ReadonlyMap<string, string> = new Map(
  Object.keys(shapes.checks).flatMap((tag) => (tag.startsWith(`${updated}/`) ? [[tag.slice(updated.length + 1), tag]] : [])),
)

export function tag(record: Rec): string | undefined {
  const { type, properties } = record
  if (typeof type !== 'string') return undefined
  if (type !== updated) return type
  const part = isRecord(properties) ? properties['part'] : undefined
  if (!isRecord(part) || typeof part['type'] !== 'string') return updated // whose shape it cannot have
  return tags.get(part['type']) ?? `${updated}/${part['type']}`
}

const ofServer: ReadonlyMap<string, PartType> = new Map([...tags].map(([type, tag]) => [tag, type as PartType]))
const ofRun: ReadonlyMap<string, PartType> = new Map([
  ['step_start', 'step-start'],
  ['text', 'text'],
  ['reasoning', 'reasoning'],
  ['tool_use', 'tool'],
  ['step_finish', 'step-finish'],
])

/** The part that a run's record holds. */
export const partOfRun = (type: string): PartType | undefined => ofRun.get(type)
/** The part that a server's record holds. */
export const partOfServer = (tag: string): PartType | undefined => ofServer.get(tag)
