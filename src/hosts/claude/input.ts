// What a host says on stdin, one record at a time: prompts, requests that want a reply, replies to requests of ours. Anything else is
// nothing to us; nothing can be wrong enough to stop the session.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Attachment } from '../../supervise/contract.ts'

export type HostMessage =
  | { type: 'prompt'; text: string; files: Attachment[]; id?: string }
  | { type: 'request'; id: string; subtype: string; body: Rec }
  /** `error`: the host could not do what it was asked. */
  | { type: 'reply'; id: string; body?: Rec; error?: string }
  /** The host does not want the reply any more. */
  | { type: 'withdraw'; id: string }
  | { type: 'nothing'; why: string }

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const nothing = (why: string): HostMessage => ({ type: 'nothing', why })

export function hostMessage(record: Rec): HostMessage {
  switch (record['type']) {
    case 'user':
      return promptOf(record)
    case 'control_request': {
      const { request_id: id, request } = record
      if (typeof id !== 'string') return nothing('a request without an id')
      const body = isRecord(request) ? request : {}
      return { type: 'request', id, subtype: text(body['subtype']) ?? '', body }
    }
    case 'control_response':
      return isRecord(record['response']) ? replyOf(record['response']) : nothing('a response without a body')
    case 'control_cancel_request':
      return typeof record['request_id'] === 'string' ? { type: 'withdraw', id: record['request_id'] } : nothing('a cancel without an id')
    case 'keep_alive':
    case 'update_environment_variables':
      return nothing('')
    default:
      return nothing(`a record of the type ${JSON.stringify(record['type'] ?? null).slice(0, 100)}`)
  }
}

function replyOf({ request_id: id, subtype, response, error }: Rec): HostMessage {
  if (typeof id !== 'string') return nothing('a response without an id')
  if (subtype === 'error') return { type: 'reply', id, error: text(error) ?? 'the host failed' }
  return { type: 'reply', id, body: isRecord(response) ? response : {} }
}

// ── prompts ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

function promptOf(record: Rec): HostMessage {
  const message = isRecord(record['message']) ? record['message'] : {}
  const { content } = message
  const id = text(record['uuid'])
  const named = id === undefined ? {} : { id }
  if (typeof content === 'string') return { type: 'prompt', text: content, files: [], ...named }
  if (!Array.isArray(content)) return nothing('a user message without content')
  const blocks = content.filter(isRecord)
  const words = blocks.flatMap((block) => (block['type'] === 'text' ? [text(block['text']) ?? ''] : []))
  const files = blocks.flatMap((block, index) => attachmentOf(block, index + 1))
  if (words.length === 0 && files.length === 0) return nothing('a user message with nothing in it that can be read')
  return { type: 'prompt', text: words.join('\n\n'), files, ...named }
}

const endings: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'application/pdf': 'pdf', 'text/plain': 'txt' }

/** Pictures and documents come with their bytes; they have no path, so they get a name. */
function attachmentOf({ type, source, title }: Rec, number: number): Attachment[] {
  if ((type !== 'image' && type !== 'document') || !isRecord(source)) return []
  const mime = text(source['media_type']) ?? (type === 'image' ? 'image/png' : 'text/plain')
  const path = text(title) ?? `${type}-${number}.${endings[mime] ?? mime.replace(/^.*\//, '')}`
  const data = text(source['data'])
  if (data === undefined) return []
  return [{ path, mime, data: source['type'] === 'text' ? Buffer.from(data).toString('base64') : data }]
}
