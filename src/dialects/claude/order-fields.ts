// What a record must say beyond its shape, after the document. Its own example session leaves out most of what an init and a result have, so
// that those keys are not asked for. Records that a repair added are not judged.
import { isRecord, type Rec } from '../../base/json.ts'
import { quoted } from '../../base/text.ts'
import { textOf } from '../contract.ts'
import type { Breaks } from './order.ts'
import type { Wire } from './wire.ts'

export const fieldRules = {
  'session-id': 'All events of a session share its session_id: messages, init and result name it.',
  'required-key': 'A result of subtype success has its text, a tool_use its input.',
  'result-subtype': 'The subtype of a result is success or one of the known errors.',
  role: 'message.role is assistant or user, as the type of the record says.',
  counts: 'Tokens, costs, durations and turns are not negative.',
} as const

export function judgeFields(record: Rec, tag: string, breaks: Breaks): void {
  if (record['synthetic'] !== undefined) return
  const isMessage = tag === 'assistant' || tag === 'user'
  const isResult = tag.startsWith('result')
  if ((isMessage || isResult || tag === 'system/init' || tag === 'stream_event') && record['session_id'] === undefined)
    breaks('session-id', `${tag} has no session_id`)
  if (isMessage) judgeMessage(record as Wire<'assistant' | 'user'>, tag, breaks)
  if (!isResult) return
  const { subtype, is_error: failed, result } = record as Wire<'result'>
  if (tag === 'result' && subtype !== undefined) breaks('result-subtype', `subtype ${quoted(subtype)} of a result`)
  if (subtype === 'success' && failed !== true && typeof result !== 'string')
    breaks('required-key', 'a result of subtype success has no result')
  judgeCounts(record, breaks)
}

function judgeMessage({ message }: Wire<'assistant' | 'user'>, tag: string, breaks: Breaks): void {
  const { role } = message as Rec
  if (role !== undefined && role !== tag) breaks('role', `message.role ${quoted(textOf(role))} of a record of type ${tag}`)
  if (Array.isArray(message.content))
    for (const block of message.content as Rec[])
      if (block['type'] === 'tool_use' && block['input'] === undefined) breaks('required-key', 'a tool_use has no input')
  const usage = (message as Rec)['usage']
  if (isRecord(usage)) judgeCounts(usage, breaks)
}

/** Numbers of a record, and of the usage in it. */
function judgeCounts(value: Rec, breaks: Breaks): void {
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'number' && item < 0) breaks('counts', `${quoted(key)} is ${item}`)
    if ((key === 'usage' || key === 'modelUsage') && isRecord(item)) judgeCounts(item, breaks)
  }
}
