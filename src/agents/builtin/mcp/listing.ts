// The tools that a server offers, read leniently and within bounds: one bad entry costs that entry, never the list.
import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client'
import type { Schema } from '../../../base/explain.ts'
import { isRecord, type Rec, stringifyJson } from '../../../base/json.ts'
import { plural } from '../../../base/text.ts'
import { tidy } from './names.ts'
import { limits } from './spec.ts'

export type Offer = {
  /** As the server calls it. */
  name: string
  description: string
  parameters: Schema & Rec
  changes: boolean
}
export type Listing = { offers: Offer[]; note?: string }

export async function listOffers(client: Client, signal: AbortSignal, timeoutMs: number): Promise<Listing> {
  if (client.getServerCapabilities()?.tools === undefined) return { offers: [] }
  const offers = new Map<string, Offer>()
  const cursors = new Set<string>()
  let bad = 0
  let more = false
  let params: Rec = {}
  for (let page = 0; page < limits.pages && !more; page++) {
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, anyRecord, { signal, timeout: timeoutMs })
    for (const entry of Array.isArray(tools) ? (tools as unknown[]) : []) {
      const offer = offerOf(entry)
      if (offer === undefined || offers.has(offer.name)) bad++
      else if (offers.size < limits.tools) offers.set(offer.name, offer)
      else more = true
    }
    if (typeof nextCursor !== 'string' || cursors.has(nextCursor)) break
    cursors.add(nextCursor)
    params = { cursor: nextCursor }
    if (page === limits.pages - 1) more = true
  }
  const notes = [
    more ? `only its first ${offers.size} tools are used` : '',
    bad > 0 ? `${plural(bad, 'tool')} left out: no name of its own, or no schema of an object within ${limits.schemaBytes} bytes` : '',
  ].filter((note) => note !== '')
  return { offers: [...offers.values()], ...(notes.length === 0 ? {} : { note: notes.join('; ') }) }
}

function offerOf(entry: unknown): Offer | undefined {
  if (!isRecord(entry) || typeof entry['name'] !== 'string' || entry['name'] === '') return undefined
  const schema = entry['inputSchema']
  if (!isRecord(schema) || (schema['type'] !== undefined && schema['type'] !== 'object')) return undefined
  if (!isSchema(schema) || stringifyJson(schema).length > limits.schemaBytes) return undefined
  const hints = isRecord(entry['annotations']) ? entry['annotations'] : {}
  const description = typeof entry['description'] === 'string' ? entry['description'] : ''
  return {
    name: entry['name'],
    description: tidy(description, limits.descriptionBytes),
    parameters: { ...schema, type: 'object' },
    changes: hints['readOnlyHint'] !== true,
  }
}

/** As far as it is used here, and as a provider would refuse the whole list for it. */
function isSchema(schema: unknown, depth = 0): boolean {
  if (typeof schema === 'boolean') return true
  if (!isRecord(schema) || depth > 50) return false
  const { properties = {}, patternProperties = {}, required = [], enum: words = [], items = [], anyOf = [] } = schema
  const isList = (value: unknown): value is unknown[] => Array.isArray(value)
  if (!isRecord(properties) || !isRecord(patternProperties) || !isList(required) || !isList(words) || !isList(anyOf)) return false
  const inner = [...Object.values(properties), ...Object.values(patternProperties), ...(isList(items) ? items : [items]), ...anyOf]
  return required.every((key) => typeof key === 'string') && inner.every((one) => isSchema(one, depth + 1))
}

// The SDK's own schema refuses the whole list for one entry.
const anyRecord: StandardSchemaV1<unknown, Rec> = {
  '~standard': {
    version: 1,
    vendor: 'sluice',
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: 'the list of tools is no object' }] }),
  },
}
