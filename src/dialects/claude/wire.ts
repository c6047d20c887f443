// All records of the dialect by tag: `type`, or `type/subtype` for system, result and control_request. Seen in the
// programs 1.0.128, 2.0.76 and 2.1.325 or declared by their SDK; the bare tags `result` and `control_request` take the
// subtypes nobody has named yet. Code that runs imports the types only.
import type { Static } from 'typebox'
import type { Loose } from '../../model/loose.ts'
import { controlRecords } from './wire-control.ts'
import { messageRecords } from './wire-message.ts'
import { systemRecords } from './wire-system.ts'
import { transcriptRecords } from './wire-transcript.ts'

export const records = { ...messageRecords, ...systemRecords, ...controlRecords, ...transcriptRecords }

/** What tells the type beside `type`, for the schema that is printed: a compiled check is chosen by the tag and need not look. */
export function pin(tag: string): object | undefined {
  const [type = '', subtype] = tag.split('/')
  const known = Object.keys(records).flatMap((other) => (other.startsWith(`${type}/`) ? [other.slice(type.length + 1)] : []))
  if (known.length === 0) return undefined
  const pinned =
    subtype === undefined
      ? { properties: { subtype: { not: { enum: known } } } }
      : { properties: { subtype: { const: subtype } }, required: ['subtype'] }
  return type === 'control_request' ? { properties: { request: { type: 'object', ...pinned } } } : pinned
}

export type Tag = keyof typeof records
export type Wire<T extends Tag> = Loose<Static<(typeof records)[T]>>
