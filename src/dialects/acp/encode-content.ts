// Content as the protocol has it: its own blocks as they are, those of others in its form, and nothing that it has no form for.
import { isRecord, type Rec } from '../../base/json.ts'
import type { EventOf } from '../../model/event.ts'
import { at, str } from './words.ts'

export const textBlock = (text: string): Rec => ({ type: 'text', text })

/** A block of a prompt or of a tool's answer. Images of Anthropic's form have their data in a `source`. */
export function blockOf(block: unknown): Rec | undefined {
  if (typeof block === 'string') return textBlock(block)
  if (!isRecord(block)) return undefined
  const { type, text, uri, resource } = block
  if (type === 'text' || (type === undefined && text !== undefined)) return typeof text === 'string' ? textBlock(text) : undefined
  const source = block['source']
  const data = str(block['data']) ?? str(at(source, 'data'))
  const mimeType = str(block['mimeType']) ?? str(at(source, 'media_type'))
  if ((type === 'image' || type === 'audio') && data !== undefined && mimeType !== undefined) return { type, data, mimeType }
  if (type === 'resource' && str(at(resource, 'uri')) !== undefined) return { type, resource }
  return typeof uri === 'string' ? { type: 'resource_link', uri, name: str(block['name']) ?? uri } : undefined
}

export const blockOfContent = ({ type, mime, uri, data }: EventOf<'content.end'>): Rec | undefined =>
  isRecord(data) ? (blockOf({ type, resource: data }) ?? blockOf({ uri, ...data })) : blockOf({ type, data, mimeType: mime, uri })

/** What a tool shows: a block in `content`, a diff or a terminal. */
export function toolContentOf(part: unknown): Rec | undefined {
  const type = at(part, 'type')
  if (type === 'content') return content(blockOf(at(part, 'content')))
  if (type === 'diff') return isRecord(part) && typeof part['path'] === 'string' && typeof part['newText'] === 'string' ? part : undefined
  if (type === 'terminal') return isRecord(part) && typeof part['terminalId'] === 'string' ? part : undefined
  return content(blockOf(part))
}
const content = (block: Rec | undefined): Rec | undefined => (block === undefined ? undefined : { type: 'content', content: block })
