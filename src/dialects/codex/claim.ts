// How Codex's records are known. Exec's `error` and a bare JSON-RPC answer are what others write too; JSON-RPC without its version
// is the app-server's, unless the method is another protocol's.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Claimer } from '../contract.ts'

const lineTypes: ReadonlySet<string> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
  'world_state',
  'token_usage_record',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
])
/** Methods begin with one of these; no other protocol has them. */
const rooms = /^(thread|turn|item|serverRequest|mcpServer|remoteControl|rawResponse|rawResponseItem|codex|account)\//
const alone: ReadonlySet<string> = new Set([
  'configWarning',
  'deprecationNotice',
  'guardianWarning',
  'execCommandApproval',
  'applyPatchApproval',
])
const answerKeys = ['codexHome', 'thread', 'turn', 'decision']

function claim(record: Rec): number {
  if (typeof record['event'] === 'string') return 0 // Avenor's, whatever else it has
  const { type, message } = record
  if (typeof type === 'string') return claimType(record, type)
  if (isRecord(message) && typeof record['from'] === 'string') return claimMessage(message)
  return claimMessage(record)
}

function claimType(record: Rec, type: string): number {
  if (lineTypes.has(type)) return isRecord(record['payload']) ? 1 : 0
  switch (type) {
    case 'thread.started':
      return typeof record['thread_id'] === 'string' ? 1 : 0.5
    case 'turn.started':
      return Object.keys(record).length === 1 ? 0.95 : 0.5
    case 'turn.completed':
      return isRecord(record['usage']) ? 0.95 : 0.5
    case 'turn.failed':
      return isRecord(record['error']) ? 0.95 : 0.5
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return isRecord(record['item']) && typeof record['item']['type'] === 'string' ? 1 : 0.5
    case 'error':
      return typeof record['message'] === 'string' && Object.keys(record).length === 2 ? 0.5 : 0
    default:
      return 0
  }
}

function claimMessage(message: Rec): number {
  const { method, result, jsonrpc } = message
  if (typeof method === 'string') {
    if (rooms.test(method) || alone.has(method)) return jsonrpc === undefined ? 1 : 0.9
    if (jsonrpc !== undefined) return 0
    return method === 'initialize' || method === 'initialized' ? 0.8 : isRecord(message['params']) ? 0.4 : 0
  }
  if (!('id' in message) || jsonrpc !== undefined) return 0
  if (isRecord(result)) return answerKeys.some((key) => key in result) ? 0.8 : 0.3
  return isRecord(message['error']) ? 0.3 : 0
}

/** The program's version: in the head of a rollout file, on a thread, and in the name that the app-server gives itself. */
function version(record: Rec): string | undefined {
  const message = isRecord(record['message']) ? record['message'] : record
  const { payload, params, result } = message
  const told = [payload, isRecord(params) ? params['thread'] : undefined, isRecord(result) ? result['thread'] : undefined]
  for (const part of told) {
    const number = isRecord(part) ? (part['cli_version'] ?? part['cliVersion']) : undefined
    if (typeof number === 'string') return number
  }
  const name = isRecord(result) ? result['userAgent'] : undefined
  return typeof name === 'string' ? /^[^/ ]+\/(\d\S*)/.exec(name.slice(0, 200))?.[1] : undefined
}

export const claimer: Claimer = { name: 'codex', title: 'Codex exec stream, app-server messages and rollout files', claim, version }
