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

export type Tag = keyof typeof records
export type Wire<T extends Tag> = Loose<Static<(typeof records)[T]>>
