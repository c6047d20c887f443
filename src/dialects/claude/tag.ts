// Which record this is: its `type`, with the subtype where the type alone says little.
import { isRecord, type Rec } from '../../base/json.ts'
import * as shapes from './shapes.gen.js'

// `type` → `subtype` → tag, so that the hot path joins no strings.
const bySubtype: Readonly<Record<'system' | 'result' | 'control_request', ReadonlyMap<string, string>>> = {
  system: subtypesOf('system'),
  result: subtypesOf('result'),
  control_request: subtypesOf('control_request'),
}

function subtypesOf(type: string): ReadonlyMap<string, string> {
  const tags = Object.keys(shapes.checks).filter((tag) => tag.startsWith(`${type}/`))
  return new Map(tags.map((tag) => [tag.slice(type.length + 1), tag]))
}

export function tag(record: Rec): string | undefined {
  const type = record['type']
  if (typeof type !== 'string') return undefined
  if (type !== 'system' && type !== 'result' && type !== 'control_request') return type
  const request = record['request']
  const subtype = type !== 'control_request' ? record['subtype'] : isRecord(request) ? request['subtype'] : undefined
  if (typeof subtype !== 'string') return type
  // A result or request of a new subtype is still one; a new system subtype may mean anything.
  return bySubtype[type].get(subtype) ?? (type === 'system' ? `system/${subtype}` : type)
}
