// What a record is: the message in it, its type, who sent it. Light: the claimer uses it too.
import { isRecord, type Rec } from '../../base/json.ts'

/** Traffic is recorded as `{t, from, message}`; a message may also stand alone. */
export const messageOf = (record: Rec): Rec => (isRecord(record['message']) && record['jsonrpc'] === undefined ? record['message'] : record)

export type Side = 'agent' | 'host'

const hostMethods: ReadonlySet<string> = new Set([
  'initialize',
  'authenticate',
  'logout',
  'session/new',
  'session/load',
  'session/resume',
  'session/fork',
  'session/close',
  'session/list',
  'session/delete',
  'session/prompt',
  'session/cancel',
  'session/set_mode',
  'session/set_model',
  'session/set_config_option',
  'session/set_title',
])
const agentMethods: ReadonlySet<string> = new Set([
  'session/request_permission',
  'fs/read_text_file',
  'fs/write_text_file',
  'terminal/create',
  'terminal/output',
  'terminal/wait_for_exit',
  'terminal/kill',
  'terminal/release',
  'elicitation/create',
  'elicitation/complete',
  'auth/status_update',
])
/** Other names of a method, in older or newer versions. */
export const aliases: ReadonlyMap<string, string> = new Map([
  ['session/setTitle', 'session/set_title'],
  ['session/elicitation', 'elicitation/create'],
  ['session/elicitation/complete', 'elicitation/complete'],
  ['_auth/status_update', 'auth/status_update'],
])
export const families: ReadonlySet<string> = new Set(['mcp', 'nes', 'document', 'providers', 'proxy'])

/** The method's type, as the shapes name it; one that is not known is its own. */
function methodTag(method: string): string {
  if (hostMethods.has(method) || agentMethods.has(method)) return method
  const alias = aliases.get(method)
  if (alias !== undefined) return alias
  if (method.startsWith('_')) return 'extension'
  const family = method.slice(0, Math.max(0, method.indexOf('/')))
  return families.has(family) ? family : method
}

const updateTags = new Map<string, string>()
function updateTag(params: unknown): string {
  const update = isRecord(params) && isRecord(params['update']) ? params['update']['sessionUpdate'] : undefined
  if (typeof update !== 'string') return 'session/update'
  const known = updateTags.get(update)
  if (known !== undefined) return known
  const tag = update.startsWith('_') ? 'session/update/extension' : `session/update/${update}`
  if (updateTags.size < 64) updateTags.set(update, tag) // to make the name anew for each of a million chunks is slow
  return tag
}

/** A response says nothing of its request: the first key that only one sort of answer has, tells. */
export const resultTags: readonly (readonly [key: string, tag: string])[] = [
  ['stopReason', 'result/prompt'],
  ['outcome', 'result/permission'],
  ['protocolVersion', 'result/initialize'],
  ['sessionId', 'result/session'],
  ['modes', 'result/session'],
  ['models', 'result/session'],
  ['configOptions', 'result/session'],
  ['action', 'result/elicitation'],
  ['exitStatus', 'result/terminal'],
  ['exitCode', 'result/terminal'],
  ['output', 'result/terminal'],
]
function resultTag(result: unknown): string {
  if (isRecord(result)) for (const [key, tag] of resultTags) if (result[key] !== undefined) return tag
  return 'result'
}

export function tagOf(record: Rec): string | undefined {
  const message = messageOf(record)
  if (message['jsonrpc'] !== '2.0') return undefined
  const method = message['method']
  if (typeof method === 'string') return method === 'session/update' ? updateTag(message['params']) : methodTag(method)
  const { error, result, id } = message
  if (isRecord(error) || (error !== undefined && result === undefined)) return 'error'
  return result === undefined && id === undefined ? undefined : resultTag(result)
}

const agentAnswers: ReadonlySet<string> = new Set(['result/prompt', 'result/session', 'result/initialize'])

/** Who sent a record of this type, as far as the record itself tells. */
export function sideOf(record: Rec, tag: string): Side | undefined {
  if (typeof record['from'] === 'string') return record['from'] === 'agent' ? 'agent' : 'host'
  if (hostMethods.has(tag) || tag === 'result/permission') return 'host'
  if (agentAnswers.has(tag)) return 'agent'
  return tag.startsWith('session/update') || agentMethods.has(tag) ? 'agent' : undefined
}

export const otherSide = (side: Side): Side => (side === 'agent' ? 'host' : 'agent')

export const isResponse = (tag: string): boolean => tag === 'error' || tag.startsWith('result')

/** What pairs a response with its request: 1 and "1" are two ids, and a number past 2^53 is kept as an object. */
export const keyOfId = (id: unknown): string => (typeof id === 'string' ? `"${id}` : JSON.stringify(id ?? null))

/** The session that an answer is about, where it says so: sluice writes it when a stream holds several. */
export function sessionIn({ result, error }: Rec): string | undefined {
  const place = isRecord(error) ? error['data'] : isRecord(result) ? result['_meta'] : undefined
  return isRecord(place) && typeof place['sessionId'] === 'string' ? place['sessionId'] : undefined
}
