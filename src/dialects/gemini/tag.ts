// Which record this is. Events and the messages of a chat have a `type`; the others are known by the keys that only they have.
import { isRecord, type Rec } from '../../base/json.ts'

export function tag(record: Rec): string | undefined {
  const type = record['type']
  if (typeof type === 'string') return type === 'error' && record['message'] === undefined && 'content' in record ? 'error/chat' : type
  if (type !== undefined) return undefined
  if ('$set' in record) return '$set'
  if ('$rewindTo' in record) return '$rewindTo'
  if (typeof record['sessionId'] === 'string' && 'projectHash' in record) return 'messages' in record ? 'conversation' : 'header'
  return isOutput(record) ? 'output' : undefined
}

/** JSON-RPC has an `error` too, but no name in it; and many a thing has a `response`. */
const isOutput = ({ session_id: session, response, stats, error }: Rec): boolean =>
  (isRecord(stats) && isRecord(stats['models'])) ||
  (isRecord(error) && typeof error['type'] === 'string') ||
  (typeof response === 'string' && typeof session === 'string')
