// The fields of a record in one short line, as `key=value`: what is told of an event whose meaning nobody but its sender knows.
import { isRecord, parseJson, type Rec, stringifyJson } from '../base/json.ts'
import type { Event } from '../model/event.ts'

/** Characters; there is never more to look at than this. */
const maxLength = 500
const maxValue = 120
/** Where and when, which every line tells already, and the name. */
const usual = new Set(['event', 'session_id', 'sessionID', 'run_id', 'ts', 'seq'])

export function fieldsText(record: Rec): string {
  let text = ''
  for (const [key, value] of Object.entries(record)) {
    if (usual.has(key)) continue
    text += `${text === '' ? '' : ' '}${key.slice(0, maxValue)}=${valueText(value)}`
    if (text.length > maxLength) return `${text.slice(0, maxLength)}…`
  }
  return text
}

function valueText(value: unknown): string {
  const cut = typeof value === 'string' ? value.slice(0, maxValue + 1) : undefined
  const text = cut === undefined ? nestedText(value) : /^[\w./:@+-]+$/.test(cut) ? cut : JSON.stringify(cut)
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text
}

/** An object may be large: its values are looked at until there is enough. */
function nestedText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return stringifyJson(value)
  const isList = Array.isArray(value)
  let text = isList ? '[' : '{'
  for (const [key, item] of Object.entries(value as Rec)) {
    if (text.length > maxValue) return text
    text += `${text.length === 1 ? '' : ','}${isList ? '' : `${key.slice(0, maxValue)}:`}${typeof item === 'object' && item !== null ? (Array.isArray(item) ? '[…]' : '{…}') : valueText(item)}`
  }
  return text + (isList ? ']' : '}')
}

/** The record of an event that a user, or a version of Avenor that is not known here, has put into the stream. */
export function customRecord(event: Event): Rec | undefined {
  if (event.kind !== 'raw' || event.why !== 'unknown' || event.origin?.dialect !== 'avenor' || event.raw === undefined) return undefined
  const record = recordIn(event.raw)
  // Read from a canonical event, the text of the record may be that of the whole event.
  return record?.['event'] === undefined && typeof record?.['raw'] === 'string' ? recordIn(record['raw']) : record
}

function recordIn(text: string): Rec | undefined {
  try {
    const value = parseJson(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined // it was cut
  }
}
