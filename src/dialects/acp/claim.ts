// How the protocol's messages are known: JSON-RPC 2.0, and a method or an answer that is its own. Codex's app server speaks without
// `jsonrpc`; MCP and language servers speak JSON-RPC too, and share some names.
import { isRecord, type Rec } from '../../base/json.ts'
import type { Claimer } from '../contract.ts'
import { messageOf, tagOf } from './message.ts'

/** Names that other protocols have as well. */
const common: ReadonlySet<string> = new Set(['initialize', 'authenticate', 'logout', 'elicitation/create', '$/cancel_request'])
const shared: ReadonlySet<string> = new Set(['mcp', 'nes', 'document', 'providers', 'proxy', 'extension'])

function claim(record: Rec): number {
  if (typeof record['event'] === 'string') return 0 // Avenor's, whatever else it has
  const tag = tagOf(record)
  if (tag === undefined) return 0
  const message = messageOf(record)
  switch (tag) {
    case 'result/prompt':
    case 'result/session':
    case 'result/permission':
      return 0.9
    case 'initialize':
      return versionIn(message['params']) === undefined ? 0.5 : 1
    case 'result/initialize':
      return versionIn(message['result']) === undefined ? 0.5 : 1
  }
  if (tag.startsWith('result') || tag === 'error') return 0.6
  if (common.has(tag) || shared.has(tag)) return 0.6
  return /^(session|fs|terminal|elicitation|auth)\//.test(tag) ? 1 : 0.3
}

/** A whole number; other protocols that have this key write a date. */
const versionIn = (body: unknown): string | undefined =>
  isRecord(body) && typeof body['protocolVersion'] === 'number' ? String(body['protocolVersion']) : undefined

function version(record: Rec): string | undefined {
  const message = messageOf(record)
  return tagOf(record) === undefined ? undefined : versionIn(message['result'])
}

export const claimer: Claimer = { name: 'acp', title: 'Agent Client Protocol, JSON-RPC lines', claim, version }
