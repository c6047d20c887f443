// Which record this is. Exec and rollout records have a `type`, app-server messages a `method`, responses neither; recorded traffic
// wraps a message as `{t, from, message}` and is told by `traffic` before the message's own tag.
import { isRecord, type Rec } from '../../base/json.ts'
import { otherEvents, otherMethods, otherResponses } from './names.ts'
import * as shapes from './shapes.gen.js'

export const traffic = 'traffic '
export const known = Object.keys(shapes.checks)

/** The tag's own text for each inner type, so that the hot path joins no strings. */
const inner = (prefix: string): ReadonlyMap<string, string> =>
  new Map(known.filter((tag) => tag.startsWith(`${prefix}/`)).map((tag) => [tag.slice(prefix.length + 1), tag]))

const execItems = inner('item.*')
const serverItems = inner('item/*')
const responses = inner('response_item')
const events = inner('event_msg')

export type Form = 'exec' | 'server' | 'rollout'
const execTags: ReadonlySet<string> = new Set([
  'thread.started',
  'turn.started',
  'turn.completed',
  'turn.failed',
  'item.plan.delta',
  'request_user_input',
  'error',
])
const lineTags: ReadonlySet<string> = new Set([
  'session_meta',
  'turn_context',
  'world_state',
  'compacted',
  'token_usage_record',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  'response_item',
  'event_msg',
])
const forms = new Map<string, Form>(
  known.map((tag) => [
    tag,
    execTags.has(tag) || tag.startsWith('item.*/')
      ? 'exec'
      : lineTags.has(tag.slice(0, tag.includes('/') ? tag.indexOf('/') : undefined))
        ? 'rollout'
        : 'server',
  ]),
)
/** Which form of the dialect the record is of. */
export const formOf = (tag: string): Form => forms.get(tag) ?? 'server'

/** Tags of messages that are not their method. */
const notMethods = /^(response|message$|notification\/error$|item\/\*)/

/** Only messages travel. */
export const messageTags = known.filter((tag) => formOf(tag) === 'server')
const wrapped = new Map(messageTags.map((tag) => [tag, traffic + tag]))
const unwrapped = new Map(messageTags.map((tag) => [traffic + tag, tag]))

export function tag(record: Rec): string | undefined {
  const own = messageTag(record)
  if (own !== undefined || !isRecord(record['message']) || typeof record['from'] !== 'string') return own
  const message = messageTag(record['message'])
  return message === undefined ? undefined : (wrapped.get(message) ?? traffic + message)
}

function messageTag(record: Rec): string | undefined {
  const { type, method } = record
  if (typeof type === 'string') return typeTag(record, type)
  if (typeof method === 'string') return methodTag(record, method)
  if (!('id' in record)) return undefined
  return 'result' in record ? 'response' : 'error' in record ? 'response/error' : undefined
}

function typeTag(record: Rec, type: string): string {
  switch (type) {
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return innerTag(type, typeOf(record['item']), execItems)
    case 'response_item':
      return innerTag(type, typeOf(record['payload']), responses, otherResponses)
    case 'event_msg':
      return innerTag(type, typeOf(record['payload']), events, otherEvents)
    default:
      return formOf(type) === 'server' && forms.has(type) ? `type ${type}` : type // a message's tag is no type
  }
}

function methodTag(record: Rec, method: string): string {
  if (method === 'item/started' || method === 'item/completed') {
    const { params } = record
    return innerTag(method, isRecord(params) ? typeOf(params['item']) : undefined, serverItems)
  }
  if (method === 'error') return 'notification/error'
  if (otherMethods.has(method) || method.startsWith('codex/event/')) return 'message'
  return forms.has(method) && (formOf(method) !== 'server' || notMethods.test(method)) ? `method ${method}` : method
}

function innerTag(
  type: string,
  name: string | undefined,
  tags: ReadonlyMap<string, string>,
  others?: ReadonlyMap<string, unknown>,
): string {
  if (name === undefined) return type
  return tags.get(name) ?? (others?.has(name) === true ? type : `${type}/${name}`)
}

const typeOf = (part: unknown): string | undefined => (isRecord(part) && typeof part['type'] === 'string' ? part['type'] : undefined)

/** The tag of the message itself, whether it stands alone or in recorded traffic. */
export const ownTag = (tag: string): string => unwrapped.get(tag) ?? tag
/** The message in a record of traffic, or the record itself. */
export const messageOf = (record: Rec, tag: string): Rec => (unwrapped.has(tag) ? (record['message'] as Rec) : record)
