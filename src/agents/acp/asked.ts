// What a question is about, for our rules. Some agents do not tell the input of the call but what a person is to read: then the title of
// a command is the command. The places that a call names beside its input are judged like those in it.
import { isRecord, type Rec } from '../../base/json.ts'
import { messageOf } from '../../dialects/acp/message.ts'
import type { EventOf } from '../../model/event.ts'
import { harmless } from '../ask.ts'

type Asked = EventOf<'permission.request'>

export function readAsked(record: Rec, event: Asked): void {
  const { params } = messageOf(record)
  const call = isRecord(params) && isRecord(params['toolCall']) ? params['toolCall'] : {}
  const shown = placesIn(call['content'])
  if (shown.length > 0 && event.toolKind !== undefined && harmless.has(event.toolKind)) event.toolKind = 'edit' // it shows what it changes
  if (event.toolKind === 'execute' && event.input === undefined && typeof call['title'] === 'string')
    event.input = { command: call['title'], ...folderIn(call['content']) }
  event.input = withPlaces(event.input, [...placesIn(call['locations']), ...shown])
}

/** Those that the input names itself are not said again. */
function withPlaces(input: unknown, all: readonly string[]): unknown {
  const fields: Rec = isRecord(input) ? input : input === undefined || input === null ? {} : { input }
  const said = new Set(Object.values(fields))
  const places = [...new Set(all)].filter((path) => !said.has(path))
  if (places.length === 0) return input
  if (places.length === 1 && Object.keys(fields).length === 0) return { path: places[0] }
  return { ...fields, locations: [places, fields['locations'] ?? []].flat() }
}

/** Of locations, and of the differences that are shown. */
const placesIn = (list: unknown): string[] =>
  (Array.isArray(list) ? list : []).flatMap((one: unknown) => (isRecord(one) && typeof one['path'] === 'string' ? [one['path']] : []))

/** Gemini says where a command would run in words of its own. */
function folderIn(content: unknown): { cwd?: string } {
  const first: unknown = Array.isArray(content) ? content[0] : undefined
  const text = isRecord(first) && isRecord(first['content']) ? first['content']['text'] : undefined
  const cwd = typeof text === 'string' ? /^\[current working directory (\/[^\]\n]*)\]/.exec(text)?.[1] : undefined
  return cwd === undefined ? {} : { cwd }
}
